package httpapi

import (
	"bufio"
	"context"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
)

// endless is a body that never ends. read counts the bytes that were read.
type endless struct{ read int64 }

func (e *endless) Read(p []byte) (int, error) {
	clear(p)
	e.read += int64(len(p))
	return len(p), nil
}

func (e *endless) Close() error { return nil }

// TestFindingS4Drain checks how much the server reads of a body that it does not use: little for
// callers without a valid credential, whatever they call, and more for others.
func TestFindingS4Drain(t *testing.T) {
	s := newServer(t, func(cfg *Config) {
		cfg.Pages = map[string]http.Handler{"GET /{$}": http.HandlerFunc(func(http.ResponseWriter, *http.Request) {})}
	})
	upload := s.text(s.do("POST", "/api/v1/headless/imports/", `{`+mailFields+`}`), "upload")
	review := "/api/review/v1/0f8fad5b-d9cb-469f-a165-70867728950e/"
	for name, c := range map[string]struct {
		method, path, key string
		length            int64
		status            int
		want              drainLimit
	}{
		"no key":              {"POST", "/api/v1/schemas/", "", 30_000_000, 401, unknownDrain},
		"no key, no length":   {"POST", "/api/v1/schemas/", "", -1, 401, unknownDrain},
		"an unknown key":      {"POST", "/api/v1/schemas/", "bk_unknown", 30_000_000, 401, unknownDrain},
		"an unknown path":     {"POST", "/api/v2/", s.key, 30_000_000, 404, unknownDrain},
		"a wrong method":      {"PUT", "/api/v1/schemas/", s.key, 30_000_000, 405, unknownDrain},
		"a health check":      {"GET", "/healthz", "", 30_000_000, 200, unknownDrain},
		"a page":              {"GET", "/", "", 30_000_000, 200, unknownDrain},
		"a preflight request": {"OPTIONS", "/api/widget/session/v2/state/", "", 30_000_000, 204, unknownDrain},
		"an altered URL":      {"PUT", upload + "x", "", 30_000_000, 403, unknownDrain},
		"no session":          {"PUT", "/api/widget/session/v2/state/", "", 30_000_000, 403, unknownDrain},
		"no review token":     {"POST", review + "session/", "", 30_000_000, 401, unknownDrain},
		"no review cookie":    {"POST", review + "submit/", "", 30_000_000, 401, unknownDrain},
		"a key":               {"POST", "/api/v1/schemas/", s.key, -1, 415, knownDrain},
		"a key, no body used": {"GET", "/api/v1/schemas/", s.key, -1, 200, knownDrain},
		"a signed URL":        {"PUT", upload, "", -1, 415, knownDrain},
	} {
		body := &endless{}
		r := httptest.NewRequestWithContext(t.Context(), c.method, strings.TrimPrefix(c.path, "http://intray.test"), body)
		r.ContentLength = c.length
		r.Header.Set("X-Service-License-Key", c.key)
		r.Header.Set("Content-Encoding", "br")
		w := httptest.NewRecorder()
		s.api.ServeHTTP(w, r)
		if w.Code != c.status || body.read != c.want.bytes {
			t.Errorf("%s: status %d, %d bytes read; want %d, %d", name, w.Code, body.read, c.status, c.want.bytes)
		}
	}
}

// TestFindingS4DrainEndsInTime checks how long the server reads a body that it does not use.
func TestFindingS4DrainEndsInTime(t *testing.T) {
	for authenticated, want := range map[bool]time.Duration{false: 2 * time.Second, true: 10 * time.Second} {
		synctest.Test(t, func(t *testing.T) {
			r := httptest.NewRequest("POST", "/", nil)
			r.Body = &drip{100 * time.Millisecond, minBytesPerSecond, 3600}
			r = r.WithContext(context.WithValue(t.Context(), requestStateKey{}, &requestState{authenticated: authenticated}))
			began := time.Now()
			drainBody(httptest.NewRecorder(), r)
			if took := time.Since(began); took != want {
				t.Errorf("authenticated: %v: it took %v, want %v", authenticated, took, want)
			}
		})
	}
}

// TestFindingS4DrainClosesTheConnection checks that the connection closes if the body does not
// end in time, and that its rest is not read as the next request.
func TestFindingS4DrainClosesTheConnection(t *testing.T) {
	api := httptest.NewServer(New(Config{Pages: map[string]http.Handler{"GET /{$}": http.NotFoundHandler()}}))
	t.Cleanup(api.Close)
	for name, c := range map[string]struct {
		begin, end string
		want       []int
	}{
		"a silent body":  {"POST /api/v1/schemas/ HTTP/1.1\r\nHost: x\r\nContent-Length: 1000\r\n\r\n", "", []int{401}},
		"a silent chunk": {"POST /api/v1/schemas/ HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n", "", []int{401}},
		"a long body":    {"POST /api/v1/schemas/ HTTP/1.1\r\nHost: x\r\nContent-Length: 30000000\r\n\r\n", strings.Repeat("GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n", 4<<10), []int{401}},
		"a page":         {"GET / HTTP/1.1\r\nHost: x\r\nContent-Length: 1000\r\n\r\n", "", []int{404}},
		"a whole body":   {"POST /api/v1/schemas/ HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\n\r\n", "12345GET /healthz HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n", []int{401, 200}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			conn, err := net.Dial("tcp", api.Listener.Addr().String())
			check(t, err)
			defer conn.Close()
			_, err = io.WriteString(conn, c.begin+c.end)
			check(t, err)
			var got []int
			for from := bufio.NewReader(conn); ; {
				response, err := http.ReadResponse(from, nil)
				if err != nil {
					break
				}
				_, err = io.Copy(io.Discard, response.Body)
				check(t, err)
				got = append(got, response.StatusCode)
			}
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Errorf("the statuses (-want +got):\n%s", diff)
			}
		})
	}
}
