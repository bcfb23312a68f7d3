package main

import (
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/intraydata/intray/internal/wire"
)

// TestClientCalls checks that a client sends requests with and without a body, and that it
// decodes the response.
func TestClientCalls(t *testing.T) {
	var sent []string
	api := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		sent = append(sent, r.Method+" "+r.URL.RequestURI()+" "+r.Header.Get("X-Service-License-Key")+" "+r.Header.Get("Content-Type"))
		_, _ = w.Write([]byte(`{"presigned_url":"https://example.org/x"}`))
	}))
	defer api.Close()
	client := newLocalClient(api.URL, "key")
	var got wire.PresignedURL
	if err := client.call(t.Context(), "POST", "/a/?b=c", []byte(`{}`), &got); err != nil || got.URL != "https://example.org/x" {
		t.Errorf("%+v, error %v", got, err)
	}
	if err := client.call(t.Context(), "DELETE", "/a/", nil, nil); err != nil {
		t.Error(err)
	}
	if want := "POST /a/?b=c key application/json\nDELETE /a/ key "; strings.Join(sent, "\n") != want {
		t.Errorf("it sent %q, want %q", sent, want)
	}
}

func TestClientReportsErrors(t *testing.T) {
	api := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/refused":
			w.WriteHeader(http.StatusForbidden)
			_, _ = w.Write([]byte(`{"detail":"Not \u001b[31mallowed."}`))
		case "/proxy":
			w.WriteHeader(http.StatusBadGateway)
			_, _ = w.Write([]byte(`<html>`))
		case "/short":
			w.Header().Set("Content-Length", "100")
			_, _ = w.Write([]byte(`{`))
		case "/odd":
			_, _ = w.Write([]byte(`<html>`))
		}
	}))
	client := newLocalClient(api.URL, "key")
	var got wire.Import
	for path, want := range map[string]string{
		"/refused": "GET /refused: Not �[31mallowed.", "/proxy": "GET /proxy: 502 Bad Gateway",
		"/short": "read the response of the server: ", "/odd": "invalid character",
	} {
		if err := client.call(t.Context(), "GET", path, nil, &got); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%s: error %v, want %q", path, err, want)
		}
	}
	api.Close()
	if err := client.call(t.Context(), "GET", "/", nil, nil); err == nil || !strings.HasPrefix(err.Error(), "call the server: ") {
		t.Errorf("without a server: error %v", err)
	}
	client.server = "http://[::1"
	if err := client.call(t.Context(), "GET", "/", nil, nil); !errors.As(err, new(usageError)) {
		t.Errorf("with an invalid URL: error %v", err)
	}
}
