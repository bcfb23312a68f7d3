package intray

import (
	"context"
	"errors"
	"io"
	"net/http"
	"reflect"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/intraydata/intray/sdk/go/api"
)

// scripted responds to each request with the next of its responses: a status, a status and a code,
// a status and a Retry-After, or "lost" if the connection fails.
type scripted struct {
	responses []string
	// keys and bodies are what the requests contained.
	keys, bodies []string
}

var errLost = errors.New("the connection was closed")

func (s *scripted) RoundTrip(request *http.Request) (*http.Response, error) {
	body := ""
	if request.Body != nil {
		text, err := io.ReadAll(request.Body)
		if err != nil {
			return nil, err
		}
		body = string(text)
	}
	s.keys, s.bodies = append(s.keys, request.Header.Get("Idempotency-Key")), append(s.bodies, body)
	next := s.responses[0]
	s.responses = s.responses[1:]
	if next == "lost" {
		return nil, errLost
	}
	status, rest, _ := strings.Cut(next, " ")
	response := &http.Response{StatusCode: map[string]int{"200": 200, "302": 302, "400": 400, "409": 409, "429": 429, "500": 500, "502": 502, "503": 503}[status], Header: http.Header{}, Request: request}
	text := "<html>"
	if after, ok := strings.CutPrefix(rest, "after "); ok {
		response.Header.Set("Retry-After", after)
	} else if rest != "" {
		text = `{"code": "` + rest + `", "detail": "Wrong.", "request_id": "7"}`
	}
	response.Body = io.NopCloser(strings.NewReader(text))
	return response, nil
}

func TestRetries(t *testing.T) {
	for _, c := range []struct {
		method    string
		responses []string
		attempts  int
		code      string // of the error, "lost" or ""
	}{
		{"GET", []string{"200"}, 1, ""},
		{"GET", []string{"lost", "502", "503", "429", "200"}, 5, ""},
		{"GET", []string{"lost", "lost", "lost", "lost", "lost"}, 5, "lost"},
		{"GET", []string{"400 invalid"}, 1, "invalid"},
		{"GET", []string{"500 internal"}, 1, "internal"},
		{"GET", []string{"302"}, 1, "http_error"},
		{"POST", []string{"lost", "409 idempotency_key_in_use", "200"}, 3, ""},
		{"POST", []string{"409 name_taken"}, 1, "name_taken"},
		{"POST", []string{"429 after 60", "200"}, 2, ""},
		{"POST", []string{"429 after 61"}, 1, "http_error"},
		{"PUT", []string{"lost", "200"}, 2, ""},
		{"DELETE", []string{"lost"}, 1, "lost"},
		{"DELETE", []string{"502"}, 1, "http_error"},
		{"DELETE", []string{"503", "429", "200"}, 3, ""},
	} {
		transport := &scripted{responses: c.responses}
		client := defaultHTTPClient()
		client.Transport = transport
		s := sender{client, func(context.Context, time.Duration) error { return nil }}
		request, err := http.NewRequest(c.method, "http://intray.test/", strings.NewReader("{}"))
		if err != nil {
			t.Fatal(err)
		}
		_, err = s.Do(request)
		code := ""
		var e *APIError
		switch {
		case errors.Is(err, errLost):
			code = "lost"
		case errors.As(err, &e):
			code = e.Code
		case err != nil:
			t.Error(err)
		}
		if code != c.code || len(transport.bodies) != c.attempts {
			t.Errorf("%s %q: %d attempts, error %q", c.method, c.responses, len(transport.bodies), code)
		}
		for i, body := range transport.bodies {
			if body != "{}" || transport.keys[i] != transport.keys[0] || (transport.keys[i] == "") == (c.method == "POST") {
				t.Errorf("%s %q: attempt %d sent %q with the key %q", c.method, c.responses, i+1, body, transport.keys[i])
			}
		}
	}
}

// roundTrip is a function that implements http.RoundTripper.
type roundTrip func(*http.Request) string

func (f roundTrip) RoundTrip(request *http.Request) (*http.Response, error) {
	status, text, _ := strings.Cut(f(request), " ")
	code, err := strconv.Atoi(status)
	header := http.Header{"Content-Type": {"application/json"}}
	return &http.Response{StatusCode: code, Header: header, Body: io.NopCloser(strings.NewReader(text)), Request: request}, err
}

func TestUploadWithANewURL(t *testing.T) {
	const imp = `{"id": "6a2f41a3-c54c-fce8-32d2-0324e1c32e22", "status": "AWAITING_UPLOAD", "upload": "http://intray.test/upload/`
	responses := map[string]string{
		"POST /api/v1/headless/imports/": "201 " + imp + `old"}`,
		"PUT /upload/old":                `403 {"code": "expired", "detail": "Expired.", "request_id": "7"}`,
		"GET /api/v1/headless/imports/6a2f41a3-c54c-fce8-32d2-0324e1c32e22/": "200 " + imp + `new"}`,
		"PUT /upload/new": "200 ",
	}
	var requests []string
	client, err := New("http://intray.test", "bk_test", Config{&http.Client{Transport: roundTrip(func(r *http.Request) string {
		request := r.Method + " " + r.URL.Path
		requests = append(requests, request)
		if (r.Header.Get("X-Service-License-Key") != "") == strings.HasPrefix(r.URL.Path, "/upload/") {
			t.Errorf("%s: key %q", request, r.Header.Get("X-Service-License-Key"))
		}
		return responses[request]
	})}})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := client.StartImport(context.Background(), SavedSchema("1"), strings.NewReader("x"), ImportOptions{}); err != nil || len(requests) != 4 {
		t.Errorf("%v after %q", err, requests)
	}
}

func TestResponsesOfOthers(t *testing.T) {
	client, err := New("http://intray.test", "bk_test", Config{&http.Client{Transport: roundTrip(func(*http.Request) string { return "200 {}" })}})
	if err != nil {
		t.Fatal(err)
	}
	_, err = client.StartImport(context.Background(), SavedSchema("1"), strings.NewReader("x"), ImportOptions{})
	var e *APIError
	if !errors.As(err, &e) || e.Code != "http_error" || e.Status != 200 {
		t.Errorf("got %v", err)
	}
}

func TestRetriesEndWithTheContext(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	s := sender{&http.Client{Transport: &scripted{responses: []string{"503 busy"}}}, func(ctx context.Context, _ time.Duration) error {
		cancel()
		return pause(ctx, time.Hour)
	}}
	request, err := http.NewRequestWithContext(ctx, "GET", "http://intray.test/", nil)
	if err != nil {
		t.Fatal(err)
	}
	_, err = s.Do(request)
	var e *APIError
	if !errors.Is(err, context.Canceled) || !errors.As(err, &e) || e.Code != "busy" {
		t.Errorf("got %v", err)
	}
}

func TestDelaysGrow(t *testing.T) {
	for attempt := 1; attempt < maxAttempts; attempt++ {
		delay, again := retryDelay("GET", errLost, attempt)
		if average := firstDelay << (attempt - 1); !again || delay < average/2 || delay > average*2 {
			t.Errorf("attempt %d: %v %v", attempt, delay, again)
		}
	}
}

func TestErrorsOfImports(t *testing.T) {
	notices := []api.Notice{{Level: api.LevelWarning, Type: "VALUE_MAPPED"}, {Level: api.LevelError, Type: "EMPTY_FILE", Message: "The file is empty."}}
	for _, c := range []struct {
		status     api.ImportStatus
		notices    []api.Notice
		code, text string
	}{
		{api.ImportStatusFAILED, notices, "EMPTY_FILE", "intray: import 1 failed: The file is empty."},
		{api.ImportStatusFAILED, nil, "FAILED", "intray: import 1 failed"},
		{api.ImportStatusNEEDSREVIEW, notices, "NEEDS_REVIEW", "intray: import 1 needs a review: The file is empty."},
	} {
		err := newImportError(&api.Import{ID: "1", Status: c.status, ImportErrors: c.notices})
		if got := [2]string{err.Code, err.Error()}; !reflect.DeepEqual(got, [2]string{c.code, c.text}) {
			t.Errorf("%s: got %q", c.status, got)
		}
	}
}

func TestNew(t *testing.T) {
	for _, c := range [][2]string{{"127.0.0.1:8080", "bk_1"}, {"ftp://intray.test", "bk_1"}, {"http://intray.test", "fk_1"}, {"http://intray.test", ""}} {
		if _, err := New(c[0], c[1], Config{}); err == nil {
			t.Errorf("%q is accepted", c)
		}
	}
}
