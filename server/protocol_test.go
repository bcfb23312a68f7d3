package server

import (
	"bufio"
	"crypto/tls"
	"encoding/json"
	"io"
	"net"
	"net/http"
	"path/filepath"
	"strings"
	"testing"
)

// TestFindingS12 checks that all errors that net/http reports before it calls a handler are JSON,
// with and without TLS, and that the responses of handlers are not changed.
func TestFindingS12(t *testing.T) {
	for _, encrypted := range []bool{false, true} {
		cfg := good()
		cfg.Data, cfg.Listen = filepath.Join(t.TempDir(), "data"), "127.0.0.1:0"
		if encrypted {
			cfg.TLSCert, cfg.TLSKey = certificate(t)
		}
		s := serve(t, cfg)
		for name, c := range map[string]struct {
			request, code string
			status        int
		}{
			"a NUL in a header":         {"GET /healthz HTTP/1.1\r\nHost: x\r\nA: \x00\r\n\r\n", "malformed_request", 400},
			"no host":                   {"GET /healthz HTTP/1.1\r\n\r\n", "malformed_request", 400},
			"two lengths":               {"POST /healthz HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n", "malformed_request", 400},
			"a percent sign":            {"GET /%zz HTTP/1.1\r\nHost: x\r\n\r\n", "malformed_request", 400},
			"no HTTP":                   {"hello\r\n\r\n", "malformed_request", 400},
			"a large header":            {"GET /healthz HTTP/1.1\r\nHost: x\r\nA: " + strings.Repeat("a", 80<<10) + "\r\n\r\n", "malformed_request", 431},
			"an unknown encoding":       {"POST /healthz HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: brotli\r\n\r\n", "malformed_request", 501},
			"an unknown version":        {"GET /healthz HTTP/3.0\r\nHost: x\r\n\r\n", "malformed_request", 505},
			"an unknown expectation":    {"POST /healthz HTTP/1.1\r\nHost: x\r\nExpect: wonders\r\nContent-Length: 1\r\n\r\n1", "malformed_request", 417},
			"an error of a handler":     {"GET /nothing HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n", "no_route", 404},
			"an error after a response": {"GET /healthz HTTP/1.1\r\nHost: x\r\n\r\nGET /healthz HTTP/1.1\r\n\r\n", "malformed_request", 400},
		} {
			s.expectError(name, c.request, c.code, c.status)
		}
		if encrypted {
			conn, err := net.Dial("tcp", strings.TrimPrefix(s.url, "https://"))
			must(t, err)
			defer conn.Close()
			_, err = io.WriteString(conn, "GET / HTTP/1.1\r\nHost: x\r\n\r\n")
			must(t, err)
			expectErrorFrom(t, "no TLS", conn, "https_required", 400)
		}
		must(t, s.end())
	}
}

// expectError sends a request as it is and checks the last response on the connection.
func (s *served) expectError(name, request, code string, status int) {
	s.t.Helper()
	address, encrypted := strings.CutPrefix(s.url, "https://")
	conn, err := net.Dial("tcp", strings.TrimPrefix(address, "http://"))
	must(s.t, err)
	if encrypted {
		conn = tls.Client(conn, &tls.Config{InsecureSkipVerify: true})
	}
	defer conn.Close()
	go func() { _, _ = io.WriteString(conn, request) }() // the server may not read all of it
	expectErrorFrom(s.t, name, conn, code, status)
}

func expectErrorFrom(t *testing.T, name string, conn net.Conn, code string, status int) {
	t.Helper()
	var last *http.Response
	var text []byte
	for from := bufio.NewReader(conn); ; {
		response, err := http.ReadResponse(from, nil)
		if err != nil {
			break
		}
		last = response
		if text, err = io.ReadAll(response.Body); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	if last == nil {
		t.Errorf("%s: no response", name)
		return
	}
	var body struct {
		Detail, Code string
		RequestID    string `json:"request_id"`
	}
	err := json.Unmarshal(text, &body)
	if err != nil || last.StatusCode != status || body.Code != code || body.Detail == "" || body.RequestID == "" || body.RequestID != last.Header.Get("X-Request-Id") || last.Header.Get("Content-Type") != "application/json" {
		t.Errorf("%s: status %d, %v, %s; want %d %s", name, last.StatusCode, last.Header, text, status, code)
	}
}

// TestServeWithTLS checks that both versions of HTTP work with TLS, and that a client that never
// completes the handshake delays neither others nor the shutdown.
func TestServeWithTLS(t *testing.T) {
	cfg := good()
	cfg.Data, cfg.Listen = filepath.Join(t.TempDir(), "data"), "127.0.0.1:0"
	cfg.TLSCert, cfg.TLSKey = certificate(t)
	cfg.BackendKey = "bk_" + strings.Repeat("a", 43)
	s := serve(t, cfg)
	silent, err := net.Dial("tcp", strings.TrimPrefix(s.url, "https://"))
	must(t, err)
	defer silent.Close()
	for _, http2 := range []bool{false, true} {
		transport := &http.Transport{TLSClientConfig: &tls.Config{InsecureSkipVerify: true}, ForceAttemptHTTP2: http2}
		s.client = &http.Client{Transport: transport}
		text := s.object("POST", "/api/v1/headless/imports/", cfg.BackendKey, `{"fields":[{"key":"a","label":"A"}]}`, 201)["upload"]
		if address, _ := text.(string); !strings.HasPrefix(address, "https://127.0.0.1:") {
			t.Errorf("HTTP/2 %v: the upload URL is %v", http2, text)
		}
		response, err := s.client.Get(s.url + "/healthz")
		must(t, err)
		must(t, response.Body.Close())
		if want := map[bool]int{false: 1, true: 2}[http2]; response.ProtoMajor != want || response.StatusCode != 200 {
			t.Errorf("%s %d, want HTTP/%d", response.Proto, response.StatusCode, want)
		}
		transport.CloseIdleConnections()
	}
	must(t, s.end())
}

// TestFindingS10CipherSuites checks that the server refuses clients of TLS 1.2 without
// authenticated encryption.
func TestFindingS10CipherSuites(t *testing.T) {
	cfg := good()
	cfg.Data, cfg.Listen = filepath.Join(t.TempDir(), "data"), "127.0.0.1:0"
	cfg.TLSCert, cfg.TLSKey = certificate(t)
	s := serve(t, cfg)
	for suite, want := range map[uint16]bool{
		tls.TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256:       true,
		tls.TLS_ECDHE_ECDSA_WITH_CHACHA20_POLY1305_SHA256: true,
		tls.TLS_ECDHE_ECDSA_WITH_AES_128_CBC_SHA:          false,
		tls.TLS_ECDHE_ECDSA_WITH_AES_256_CBC_SHA:          false,
	} {
		conn, err := tls.Dial("tcp", strings.TrimPrefix(s.url, "https://"), &tls.Config{InsecureSkipVerify: true, MaxVersion: tls.VersionTLS12, CipherSuites: []uint16{suite}})
		if (err == nil) != want {
			t.Errorf("%s: error %v, want success: %v", tls.CipherSuiteName(suite), err, want)
		}
		if err == nil {
			must(t, conn.Close())
		}
	}
	must(t, s.end())
}

// TestFindingI2 checks that the connection closes after a request with a Content-Length and a
// Transfer-Encoding, so that no further request is read from its body.
func TestFindingI2(t *testing.T) {
	cfg := good()
	cfg.Data, cfg.Listen = filepath.Join(t.TempDir(), "data"), "127.0.0.1:0"
	s := serve(t, cfg)
	conn, err := net.Dial("tcp", strings.TrimPrefix(s.url, "http://"))
	must(t, err)
	defer conn.Close()
	_, err = io.WriteString(conn, "POST /nothing HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n"+
		"GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n")
	must(t, err)
	received, err := io.ReadAll(conn)
	must(t, err)
	if text := string(received); strings.Count(text, "HTTP/1.1 ") != 1 || !strings.HasPrefix(text, "HTTP/1.1 404 ") || !strings.Contains(text, "Connection: close\r\n") {
		t.Errorf("received %s", text)
	}
	must(t, s.end())
}
