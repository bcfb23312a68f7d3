package httpapi

import (
	"bytes"
	"compress/gzip"
	"context"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strings"
	"testing"
	"time"
)

func TestCompress(t *testing.T) {
	s := newServer(t, nil)
	_, path, cookie := s.underReview("E-Mail,Country\n" + strings.Repeat("nobody,Germny\n", 400))
	// The second response is too long for a spool to keep in memory.
	for _, what := range []string{"/layout/", "/rows/?count=400"} {
		s.zipped(path+what, cookie)
	}
	if short := s.send("GET", path+"/submit/", "", "Cookie", cookie, "Accept-Encoding", "gzip"); short.Header().Get("Content-Encoding") != "" {
		t.Error("a short response is compressed")
	}
}

// zipped checks that a response is compressed only for clients that accept gzip.
func (s *server) zipped(what, cookie string) {
	s.Helper()
	plain := s.do("GET", what, "", "Cookie", cookie)
	for accepted, packed := range map[string]bool{"": false, "br": false, "gzip;q=0": false, "br, gzip": true, "GZIP; q=0.5": true} {
		got := s.send("GET", what, "", "Cookie", cookie, "Accept-Encoding", accepted)
		if (got.Header().Get("Content-Encoding") == "gzip") != packed || got.Header().Get("Vary") != "Accept-Encoding" {
			s.Errorf("%q: headers %v", accepted, got.Header())
		}
		body := io.Reader(got.Body)
		sent := got.Body.Len()
		if packed {
			r, err := gzip.NewReader(got.Body)
			check(s.T, err)
			body = r
		}
		text, err := io.ReadAll(body)
		check(s.T, err)
		if string(text) != plain.Body.String() {
			s.Errorf("%q: the body is %s", accepted, text)
		}
		if packed && sent > len(text)/2 {
			s.Errorf("%q: %d bytes for %d", accepted, sent, len(text))
		}
	}
}

// TestDisconnectedClients checks that disconnected clients are not logged as errors.
func TestDisconnectedClients(t *testing.T) {
	var log bytes.Buffer
	var seenStatuses []int
	s := newServer(t, func(cfg *Config) {
		cfg.Log = slog.New(slog.NewTextHandler(&log, nil))
		cfg.Observe = func(_, _ string, status int, _ time.Duration) { seenStatuses = append(seenStatuses, status) }
	})
	gone, cancel := context.WithCancel(t.Context())
	cancel()
	r := httptest.NewRequestWithContext(gone, "GET", "/api/v1/schemas/", nil)
	r.Header.Set("X-Service-License-Key", s.key)
	w := httptest.NewRecorder()
	s.api.ServeHTTP(w, r)
	s.refusedWith("a disconnected client", w, 503, "connection_closed")
	if log.Len() > 0 || len(seenStatuses) != 1 || seenStatuses[0] != clientGone {
		t.Errorf("the log has %q, the metrics %v", log.String(), seenStatuses)
	}
}

// TestInterruptedResponsesAreObserved checks that Observe is called for a response that is
// interrupted.
func TestInterruptedResponsesAreObserved(t *testing.T) {
	var seenStatuses []int
	s := newServer(t, func(cfg *Config) {
		cfg.Pages = map[string]http.Handler{"GET /broken": http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			w.WriteHeader(http.StatusOK)
			panic(http.ErrAbortHandler)
		})}
		cfg.Observe = func(_, _ string, status int, _ time.Duration) { seenStatuses = append(seenStatuses, status) }
	})
	func() {
		defer func() { _ = recover() }()
		s.send("GET", "/broken", "")
	}()
	if len(seenStatuses) != 1 || seenStatuses[0] != http.StatusOK {
		t.Errorf("the observed statuses are %v", seenStatuses)
	}
}

func TestEmptyPathIsTheRoot(t *testing.T) {
	s := newServer(t, func(cfg *Config) {
		cfg.Pages = map[string]http.Handler{"GET /{$}": http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusNoContent) })}
	})
	r := httptest.NewRequestWithContext(t.Context(), "GET", "http://intray.test", nil)
	r.URL.Path = ""
	w := httptest.NewRecorder()
	s.api.ServeHTTP(w, r)
	if w.Code != http.StatusNoContent {
		t.Errorf("status %d, %v", w.Code, w.Header())
	}
}

func TestPanicIsAnInternalError(t *testing.T) {
	var seenStatuses []int
	s := newServer(t, func(cfg *Config) {
		cfg.Pages = map[string]http.Handler{"GET /panic": http.HandlerFunc(func(http.ResponseWriter, *http.Request) { panic("boom") })}
		cfg.Observe = func(_, _ string, status int, _ time.Duration) { seenStatuses = append(seenStatuses, status) }
	})
	w := s.send("GET", "/panic", "")
	if w.Code != 500 || !strings.Contains(w.Body.String(), `"code":"internal"`) || strings.Contains(w.Body.String(), "boom") {
		t.Errorf("status %d, %s", w.Code, w.Body)
	}
	if len(seenStatuses) != 1 || seenStatuses[0] != 500 {
		t.Errorf("the observed statuses are %v", seenStatuses)
	}
}

func TestRequestIDOfProxy(t *testing.T) {
	const chosen = "0192f9a4b7c1_4e5f-A"
	for name, c := range map[string]struct {
		remote, id string
		accepted   bool
	}{
		"from a trusted proxy": {"10.1.2.3:5", chosen, true},
		"from a client":        {"192.0.2.1:5", chosen, false},
		"none":                 {"10.1.2.3:5", "", false},
		"too short":            {"10.1.2.3:5", "7", false},
		"too long":             {"10.1.2.3:5", strings.Repeat("a", 65), false},
		"with a line break":    {"10.1.2.3:5", chosen + "\n", false},
		"with a quote":         {"10.1.2.3:5", chosen + `"`, false},
	} {
		s := newServer(t, func(cfg *Config) { cfg.TrustedProxies = []netip.Prefix{netip.MustParsePrefix("10.0.0.0/8")} })
		r, w := httptest.NewRequest("GET", "/healthz", nil), httptest.NewRecorder()
		r.RemoteAddr = c.remote
		if c.id != "" {
			r.Header.Set("X-Request-Id", c.id)
		}
		s.api.ServeHTTP(w, r)
		if got := w.Header().Get("X-Request-Id"); got == "" || (got == c.id) != c.accepted {
			t.Errorf("%s: the request ID is %q", name, got)
		}
	}
}
