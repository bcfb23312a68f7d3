package livetest

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"
)

// Reply is an HTTP response whose body has been read.
type Reply struct {
	Status int
	Header http.Header
	Body   []byte
	t      testing.TB
}

// Text returns the body as a string.
func (r *Reply) Text() string { return string(r.Body) }

// Object returns the body as a JSON object.
func (r *Reply) Object() map[string]any {
	r.t.Helper()
	var doc map[string]any
	if err := json.Unmarshal(r.Body, &doc); err != nil {
		r.t.Fatalf("status %d: decode a JSON object: %v: %s", r.Status, err, r.Body)
	}
	return doc
}

// Array returns the body as a JSON array.
func (r *Reply) Array() []any {
	r.t.Helper()
	var doc []any
	if err := json.Unmarshal(r.Body, &doc); err != nil {
		r.t.Fatalf("status %d: decode a JSON array: %v: %s", r.Status, err, r.Body)
	}
	return doc
}

// String returns a string property of the JSON object.
func (r *Reply) String(name string) string {
	r.t.Helper()
	value, ok := r.Object()[name].(string)
	if !ok {
		r.t.Fatalf("status %d: no text %q: %s", r.Status, name, r.Body)
	}
	return value
}

// WantStatus fails the test if the response has a different status.
func (r *Reply) WantStatus(status int) *Reply {
	r.t.Helper()
	if r.Status != status {
		r.t.Fatalf("status %d, want %d: %.2000s", r.Status, status, r.Body)
	}
	return r
}

// Do sends a request unchanged.
func (s *Server) Do(t testing.TB, request *http.Request) *Reply {
	t.Helper()
	reply, err := s.TryDo(t, request)
	if err != nil {
		t.Fatalf("%s %s: %v", request.Method, request.URL, err)
	}
	return reply
}

// CloseIdleConnections closes the connections that no call uses.
func CloseIdleConnections() { client.CloseIdleConnections() }

// client does not follow redirects, so that tests notice them: the API must never redirect.
var client = &http.Client{
	Timeout:       2 * time.Minute,
	CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
}

// TryDo is like Do, but for a server that may end during the request.
func (s *Server) TryDo(t testing.TB, request *http.Request) (*Reply, error) {
	answer, err := client.Do(request)
	if err != nil {
		return nil, err
	}
	defer answer.Body.Close()
	body, err := io.ReadAll(answer.Body)
	if err != nil {
		return nil, err
	}
	return &Reply{answer.StatusCode, answer.Header, body, t}, nil
}

// Request builds a request to a path of the server or to an absolute URL, with the backend key.
// It uses strings, bytes and readers as the body unchanged, and encodes any other body as JSON.
// headers alternates names and values. An empty value removes the header.
func (s *Server) Request(t testing.TB, method, path string, body any, headers ...string) *http.Request {
	t.Helper()
	if !strings.HasPrefix(path, "http://") {
		path = s.URL + path
	}
	request, err := http.NewRequest(method, path, bodyReader(t, body))
	if err != nil {
		t.Fatal(err)
	}
	request.Header.Set("X-Service-License-Key", BackendKey)
	if body != nil {
		request.Header.Set("Content-Type", "application/json")
	}
	for i := 0; i+1 < len(headers); i += 2 {
		if headers[i+1] == "" {
			request.Header.Del(headers[i])
			continue
		}
		request.Header.Set(headers[i], headers[i+1])
	}
	return request
}

func bodyReader(t testing.TB, body any) io.Reader {
	switch b := body.(type) {
	case nil:
		return nil
	case string:
		return strings.NewReader(b)
	case []byte:
		return bytes.NewReader(b)
	case io.Reader:
		return b
	}
	text, err := json.Marshal(body)
	if err != nil {
		t.Fatal(err)
	}
	return bytes.NewReader(text)
}

// Call builds a request like Request and sends it.
func (s *Server) Call(t testing.TB, method, path string, body any, headers ...string) *Reply {
	t.Helper()
	return s.Do(t, s.Request(t, method, path, body, headers...))
}

// CreateImport creates an import and returns its id and upload URL.
func (s *Server) CreateImport(t testing.TB, body any) (id, upload string) {
	t.Helper()
	made := s.Call(t, "POST", "/api/v1/headless/imports/", body).WantStatus(http.StatusCreated)
	return made.String("id"), made.String("upload")
}

// Upload sends the file of an import to its upload URL.
func (s *Server) Upload(t testing.TB, address string, file any) *Reply {
	t.Helper()
	return s.Call(t, "PUT", address, file, "X-Service-License-Key", "", "Content-Type", "application/octet-stream")
}

// AwaitImport polls until an import ends or needs a review.
func (s *Server) AwaitImport(t testing.TB, id string) *Reply {
	t.Helper()
	for end := time.Now().Add(2 * time.Minute); time.Now().Before(end); time.Sleep(20 * time.Millisecond) {
		got := s.Call(t, "GET", "/api/v1/headless/imports/"+id+"/", nil).WantStatus(http.StatusOK)
		switch got.String("status") {
		case "SUCCESSFUL", "FAILED", "NEEDS_REVIEW":
			return got
		}
	}
	t.Fatalf("import %s did not end", id)
	return nil
}

// Result downloads the result of an import.
func (s *Server) Result(t testing.TB, id string) *Reply {
	t.Helper()
	address := s.Call(t, "GET", "/api/v1/headless/imports/"+id+"/url/", nil).WantStatus(http.StatusOK).String("presigned_url")
	return s.Call(t, "GET", address, nil, "X-Service-License-Key", "").WantStatus(http.StatusOK)
}
