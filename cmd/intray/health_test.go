package main

import (
	"bytes"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
)

func TestHealth(t *testing.T) {
	status, text := http.StatusOK, `{"status":"ok","detail":"The database does not respond."}`
	answer := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/readyz" {
			t.Errorf("%s was called", r.URL.Path)
		}
		w.WriteHeader(status)
		_, _ = w.Write([]byte(text))
	})
	plain, secure := httptest.NewServer(answer), httptest.NewTLSServer(answer)
	defer plain.Close()
	defer secure.Close()
	closed := httptest.NewServer(answer)
	closed.Close()
	port := func(server *httptest.Server) string {
		address, err := url.Parse(server.URL)
		if err != nil {
			t.Fatal(err)
		}
		return address.Port()
	}
	check := func(want int, message string, args ...string) {
		t.Helper()
		var out, failure bytes.Buffer
		got := run(t.Context(), append([]string{"health"}, args...), streams{strings.NewReader(""), &out, &failure})
		if got != want || !strings.Contains(out.String()+failure.String(), message) {
			t.Errorf("health %q: status %d, want %d with %q: %s%s", args, got, want, message, &out, &failure)
		}
	}
	check(exitDone, "is ready", "--listen", "127.0.0.1:"+port(plain))
	check(exitDone, "is ready", "--listen", "0.0.0.0:"+port(plain))
	check(exitDone, "is ready", "--listen", ":"+port(plain))
	check(exitDone, "is ready", "--url", plain.URL+"/")
	check(exitDone, "is ready", "--listen", "127.0.0.1:"+port(secure), "--tls-cert", "certificate.pem")
	check(exitFault, "is not ready", "--listen", "127.0.0.1:"+port(secure))
	check(exitFault, "refused", "--url", closed.URL)
	check(exitUsage, "--url", "--url", "127.0.0.1:8080")
	check(exitUsage, "--listen", "--listen", "8080")
	t.Setenv("INTRAY_LISTEN", "0.0.0.0:"+port(plain))
	check(exitDone, "is ready")
	status = http.StatusServiceUnavailable
	check(exitFault, "The database does not respond.")
	status, text = http.StatusOK, `{"status":"up"}`
	check(exitFault, "not an Intray server")
}

// TestHealthVerifiesCertificates checks that the certificate is verified beyond loopback.
func TestHealthVerifiesCertificates(t *testing.T) {
	for host, want := range map[string]bool{"localhost": true, "127.0.0.1": true, "127.8.9.1": true, "::1": true, "192.0.2.1": false, "localhost.example": false, "": false} {
		if isLoopback(host) != want {
			t.Errorf("isLoopback(%q) is %v", host, !want)
		}
	}
}
