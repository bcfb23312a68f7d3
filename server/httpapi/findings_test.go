package httpapi

import (
	"bytes"
	"context"
	"encoding/json"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestFindingS8 checks that no cache may store a response of an operation or an error.
func TestFindingS8(t *testing.T) {
	s := newServer(t, nil)
	path := strings.NewReplacer("{id}", "0f8fad5b-d9cb-469f-a165-70867728950e", "{sessionId}", "0f8fad5b-d9cb-469f-a165-70867728950e")
	for i := range s.api.table {
		op := &s.api.table[i]
		want := "no-store"
		if op.isDocument() {
			want = ""
		}
		for _, key := range []string{s.key, "unknown"} {
			if w := s.send(op.method, path.Replace(op.path), "", "X-Service-License-Key", key); w.Header().Get("Cache-Control") != want {
				t.Errorf("%s, status %d: Cache-Control %q, want %q", op.id, w.Code, w.Header().Get("Cache-Control"), want)
			}
		}
	}
	made := s.do("POST", "/api/v1/headless/imports/", `{`+mailFields+`,"initial_data":[{"email":"ada@example.org"}]}`)
	if made.Header().Get("Cache-Control") != "no-store" {
		t.Errorf("a new import: %v", made.Header())
	}
}

// TestFindingS10 checks that a server with HTTPS asks browsers to use only HTTPS.
func TestFindingS10(t *testing.T) {
	for base, want := range map[string]string{"https://intray.test": "max-age=31536000", "http://intray.test": ""} {
		s := newServer(t, func(cfg *Config) { cfg.BaseURL = base })
		for _, path := range []string{"/healthz", "/nothing", "/api/v1/schemas/"} {
			if got := s.send("GET", path, "").Header().Get("Strict-Transport-Security"); got != want {
				t.Errorf("%s at %s: %q, want %q", path, base, got, want)
			}
		}
	}
}

// TestProxyWarningNeedsURL checks that a health check by a trusted load balancer, whose response
// contains no URL, does not log that X-Forwarded-Proto is missing.
func TestProxyWarningNeedsURL(t *testing.T) {
	var log bytes.Buffer
	s := newServer(t, func(cfg *Config) {
		cfg.BaseURL, cfg.TrustedProxies = "", []netip.Prefix{netip.MustParsePrefix("192.0.2.0/24")} // the address of httptest
		cfg.Log = slog.New(slog.NewTextHandler(&log, nil))
	})
	s.send("GET", "/healthz", "")
	s.send("GET", "/nothing", "")
	if log.Len() > 0 {
		t.Errorf("the log is %q", &log)
	}
	s.do("POST", "/api/v1/headless/imports/", `{`+mailFields+`}`)
	if !strings.Contains(log.String(), "X-Forwarded-Proto") {
		t.Errorf("after a response with URLs, the log is %q", &log)
	}
}

// TestFindingS15Methods checks the methods of a path that a path with a parameter also matches.
func TestFindingS15Methods(t *testing.T) {
	s := newServer(t, func(cfg *Config) {
		cfg.Pages = map[string]http.Handler{"GET /{$}": http.HandlerFunc(func(http.ResponseWriter, *http.Request) {})}
	})
	for _, c := range []struct{ method, path, allow string }{
		{"DELETE", "/api/v1/webhooks/signing-secret/", "GET, HEAD"},
		{"PUT", "/api/v1/webhooks/signing-secret/", "GET, HEAD"},
		{"DELETE", "/api/v1/webhooks/settings-deliveries/", "GET, HEAD"},
		{"DELETE", "/api/widget/session/v2/auth/", "POST"},
		{"DELETE", "/api/widget/session/v2/state/", "GET, HEAD, OPTIONS, PUT"},
		{"DELETE", "/api/widget/session/v2/file/", "GET, HEAD, OPTIONS, PUT"},
		{"POST", "/api/v1/schemas/x/", "DELETE, GET, HEAD, PUT"},
		{"POST", "/", "GET, HEAD"},
	} {
		w := s.send(c.method, c.path, "")
		s.refusedWith(c.method+" "+c.path, w, http.StatusMethodNotAllowed, "method_not_allowed")
		if diff := cmp.Diff(c.allow, w.Header().Get("Allow")); diff != "" {
			t.Errorf("%s %s: Allow (-want +got):\n%s", c.method, c.path, diff)
		}
	}
	if w := s.send("HEAD", "/api/v1/schemas/", ""); w.Code != http.StatusOK {
		t.Errorf("HEAD: status %d", w.Code)
	}
	w := httptest.NewRecorder()
	s.api.ServeHTTP(w, httptest.NewRequestWithContext(t.Context(), "OPTIONS", "*", nil))
	if w.Code >= 500 {
		t.Errorf("OPTIONS *: status %d", w.Code)
	}
}

// TestFindingS15Parameters checks parameters that are present but empty, and a missing review
// token.
func TestFindingS15Parameters(t *testing.T) {
	s := newServer(t, nil)
	for _, path := range []string{"/api/v1/headless/imports/?offset=", "/api/v1/headless/imports/?limit=", "/api/v1/uploads/?start=", "/api/v1/uploads/?end="} {
		s.refusedWith(path, s.send("GET", path, ""), http.StatusBadRequest, "invalid")
	}
	s.refusedWith("no review token", s.send("POST", "/api/review/v1/0f8fad5b-d9cb-469f-a165-70867728950e/session/", ""), http.StatusUnauthorized, "no_review_token")
	document := s.send("GET", "/openapi.json", "").Body.String()
	if !strings.Contains(document, `"pattern": "^[\\x21-\\x7e]{1,255}$"`) {
		t.Error("the document does not describe Idempotency-Key")
	}
}

// TestFindingS14 checks that a client cannot choose the host of the URLs in responses.
func TestFindingS14(t *testing.T) {
	s := newServer(t, func(cfg *Config) {
		cfg.BaseURL, cfg.CheckHost = "", true
		cfg.TrustedProxies = []netip.Prefix{netip.MustParsePrefix("10.0.0.0/8")}
	})
	local := &net.TCPAddr{IP: net.IPv4(198, 51, 100, 7), Port: 8080}
	for _, c := range []struct {
		host, remote, path string
		status             int
	}{
		{"evil.example", "192.0.2.1:5", "/api/v1/schemas/", 421},
		{"evil.example:8080", "192.0.2.1:5", "/api/v1/schemas/", 421},
		{"localhost.evil.example", "192.0.2.1:5", "/api/v1/schemas/", 421},
		{"203.0.113.1", "192.0.2.1:5", "/api/v1/schemas/", 421},
		{"", "192.0.2.1:5", "/api/v1/schemas/", 421},
		{"localhost:8080", "192.0.2.1:5", "/api/v1/schemas/", 200},
		{"127.0.0.1:8080", "192.0.2.1:5", "/api/v1/schemas/", 200},
		{"[::1]:8080", "192.0.2.1:5", "/api/v1/schemas/", 200},
		{"198.51.100.7:8080", "192.0.2.1:5", "/api/v1/schemas/", 200},
		{"198.51.100.7", "192.0.2.1:5", "/api/v1/schemas/", 200},
		{"intray.example", "10.1.2.3:5", "/api/v1/schemas/", 200},
		{"evil.example", "192.0.2.1:5", "/healthz", 200},
		{"evil.example", "192.0.2.1:5", "/readyz", 200},
	} {
		r := s.request("GET", c.path, "")
		r.Host, r.RemoteAddr = c.host, c.remote
		r = r.WithContext(context.WithValue(r.Context(), http.LocalAddrContextKey, local))
		w := httptest.NewRecorder()
		s.api.ServeHTTP(w, r)
		if w.Code != c.status {
			t.Errorf("%s from %s with the host %q: status %d, want %d: %s", c.path, c.remote, c.host, w.Code, c.status, w.Body)
		}
	}
}

// TestEcosystem7 checks the messages for typical mistakes of clients.
func TestEcosystem7(t *testing.T) {
	s := newServer(t, nil)
	const imports = "/api/v1/headless/imports/"
	key := s.key
	for _, c := range []struct {
		method, path, body string
		headers            []string
		status             int
		want               string
	}{
		{"POST", "/api/v1/schemas/", "{\n \"name\": \"a\",\n \"fields\": [1,]\n}", nil, 400, "The body is not valid JSON: there is an unexpected character ',' (line 3, byte 29)."},
		{"POST", imports, "{\n \"fields\": [],\n \"initial_data\": [{},\n]\n}", nil, 400, "The body is not valid JSON: there is an unexpected character ']' (line 4, byte 39)."},
		{"POST", imports, `{"schemaid":"x"}`, nil, 400, `Invalid request: schemaid: is an unknown property; perhaps you mean "schema_id".`},
		{"GET", imports + "?limit=0", "", nil, 400, "Invalid request: limit: must be a whole number of at least 1."},
		{"GET", imports + "?offset=9223372036854775808", "", nil, 400, "Invalid request: offset: must be a whole number of at least 0."},
		{"PATCH", imports, "", nil, 405, "This path does not support PATCH. It supports GET, HEAD and POST."},
		{"GET", imports, "", []string{"X-Service-License-Key", "", "Authorization", "Bearer " + key}, 401, "Send the backend API key in the X-Service-License-Key header, not in the Authorization header."},
		{"GET", imports, "", []string{"X-Service-License-Key", ""}, 401, "Send the backend API key in the X-Service-License-Key header."},
		{"GET", imports, "", []string{"X-Service-License-Key", `"` + key + `"`}, 401, "The API key is in quotation marks. Send it without them."},
		{"GET", imports, "", []string{"X-Service-License-Key", "'" + key + "'"}, 401, "The API key is in quotation marks. Send it without them."},
		{"GET", "/" + imports, "", nil, 404, "This path does not exist, because it contains two slashes in a row. Remove one of them."},
	} {
		w := s.send(c.method, c.path, c.body, c.headers...)
		var answer struct{ Detail string }
		if err := json.Unmarshal(w.Body.Bytes(), &answer); err != nil {
			t.Fatal(err)
		}
		if w.Code != c.status || answer.Detail != c.want {
			t.Errorf("%s %s: status %d: %s\nwant %d: %s", c.method, c.path, w.Code, answer.Detail, c.status, c.want)
		}
	}
}
