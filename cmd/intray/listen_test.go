package main

import (
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strings"
	"sync"
	"testing"
)

// listened is a server with one message for a webhook. It records the requests that it receives.
type listened struct {
	mu       sync.Mutex
	calls    []string
	reported map[string]any
	// stop is called after the result of a message has been reported.
	stop func()
}

const messageBody = `{"event":"import_completed"}`

func (l *listened) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(r.Body)
	l.mu.Lock()
	defer l.mu.Unlock()
	l.calls = append(l.calls, strings.TrimSpace(r.Method+" "+r.URL.RequestURI()+" "+string(body)))
	switch {
	case r.Method == http.MethodDelete:
		w.WriteHeader(http.StatusNoContent)
	case strings.HasSuffix(r.URL.Path, "/webhooks/"):
		_, _ = w.Write([]byte(`{"id":"w1","secret":"whsec_` + strings.Repeat("MTIz", 8) + `"}`))
	case r.Method == http.MethodGet && l.reported == nil:
		_ = json.NewEncoder(w).Encode([]map[string]any{{"id": "msg_1", "event": "import_completed", "content_type": "application/json", "body": messageBody}})
	case r.Method == http.MethodGet:
		_, _ = w.Write([]byte(`[]`))
	default:
		_ = json.Unmarshal(body, &l.reported)
		delete(l.reported, "took_ms")
		l.stop()
	}
}

// TestListen checks that the command prints or forwards a message, reports the
// result, and deletes its webhook at the end.
func TestListen(t *testing.T) {
	receiver := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		if string(body) != messageBody || r.Header.Get("Webhook-Id") != "msg_1" || !strings.HasPrefix(r.Header.Get("Webhook-Signature"), "v1,") {
			t.Errorf("the receiver got %s with %v", body, r.Header)
		}
		w.WriteHeader(http.StatusTeapot)
	}))
	defer receiver.Close()
	gone := httptest.NewServer(http.NotFoundHandler())
	gone.Close()
	clock := regexp.MustCompile(`(?m)^[0-9:]{8}  |[0-9]+ ms`)
	for name, c := range map[string]struct {
		args   []string
		create string
		status float64
		result string
		// printed is the expected output after the first line.
		printed string
	}{
		"print": {nil, `{"url":null}`, 200, "printed", "import_completed  msg_1  printed ()\n" + messageBody + "\n"},
		"forward": {[]string{"--forward-to", receiver.URL, "--events", "import_completed"}, `{"events":["import_completed"],"url":null}`, 418,
			"The receiver answered 418 I'm a teapot", "Forwarding to " + receiver.URL + "\nimport_completed  msg_1  The receiver answered 418 I'm a teapot ()\n"},
		"receiver gone": {[]string{"--forward-to", gone.URL}, `{"url":null}`, 0, "The receiver is unreachable: ", "Forwarding to " + gone.URL + "\nimport_completed  msg_1  The receiver is unreachable: "},
	} {
		t.Run(name, func(t *testing.T) {
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			server := &listened{stop: cancel}
			api := httptest.NewServer(server)
			defer api.Close()
			var out, stderr strings.Builder
			if status := run(ctx, append([]string{"listen", "--server", api.URL + "/", "--key", "k"}, c.args...), streams{nil, &out, &stderr}); status != exitDone {
				t.Errorf("exit status %d: %s", status, stderr.String())
			}
			if last := server.calls[len(server.calls)-1]; server.calls[0] != "POST /api/v1/webhooks/ "+c.create || last != "DELETE /api/v1/webhooks/w1/" {
				t.Errorf("it called %q", server.calls)
			}
			if result, _ := server.reported["message"].(string); server.reported["status_code"] != c.status || server.reported["delivery_id"] != "msg_1" || !strings.HasPrefix(result, c.result) {
				t.Errorf("it reported %v", server.reported)
			}
			_, printed, _ := strings.Cut(clock.ReplaceAllString(out.String(), ""), "\n")
			if !strings.HasPrefix(printed, c.printed) {
				t.Errorf("it printed %q, want %q", printed, c.printed)
			}
		})
	}
}

func TestListenRefuses(t *testing.T) {
	var stderr strings.Builder
	if status := run(t.Context(), []string{"listen", "--key", "k", "--forward-to", "localhost:3000"}, streams{nil, io.Discard, &stderr}); status != exitUsage {
		t.Errorf("exit status %d: %s", status, stderr.String())
	}
}
