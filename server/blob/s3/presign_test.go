package s3_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net/http"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/intraydata/intray/server/blob"
	"github.com/intraydata/intray/server/blob/blobtest"
	"github.com/intraydata/intray/test/s3test"
)

// send sends a presigned request with a body, after change has changed it. It returns the status and
// the ETag of the response.
func send(t *testing.T, put blob.PresignedPut, body []byte, change func(*http.Request)) (status int, etag string) {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), http.MethodPut, put.URL, bytes.NewReader(body))
	must(t, err)
	for name, value := range put.Headers {
		r.Header.Set(name, value)
	}
	if change != nil {
		change(r)
	}
	response, err := http.DefaultClient.Do(r)
	must(t, err)
	_, err = io.Copy(io.Discard, response.Body)
	must(t, errors.Join(err, response.Body.Close()))
	return response.StatusCode, response.Header.Get("ETag")
}

// TestPresignedPut sends an object directly to the store. An altered request stores nothing, and a
// replay does not replace the object.
func TestPresignedPut(t *testing.T) {
	server := s3test.Start(t)
	server.SetEnv(t)
	s := open(t, bucket(t, server)+"/some/prefix")
	content := noise(100 << 10)
	put, err := s.PresignPut(t.Context(), "a/direct", int64(len(content)), time.Minute)
	must(t, err)
	if put.Headers["If-None-Match"] != "*" || len(put.Headers) != 2 {
		t.Errorf("the request has the headers %v", put.Headers)
	}
	for name, wrong := range map[string]struct {
		body   []byte
		change func(*http.Request)
	}{
		"shorter":       {content[1:], nil},
		"longer":        {append(bytes.Clone(content), 0), nil},
		"another key":   {content, func(r *http.Request) { r.URL.Path = strings.Replace(r.URL.Path, "direct", "other", 1) }},
		"a longer life": {content, func(r *http.Request) { setQuery(r, "X-Amz-Expires", "3600") }},
		"another access key": {content, func(r *http.Request) {
			setQuery(r, "X-Amz-Credential", strings.Replace(r.URL.Query().Get("X-Amz-Credential"), "intray", "other", 1))
		}},
		"no condition":      {content, func(r *http.Request) { r.Header.Del("If-None-Match") }},
		"another condition": {content, func(r *http.Request) { r.Header.Set("If-None-Match", `"x"`) }},
		"the condition not signed": {content, func(r *http.Request) {
			setQuery(r, "X-Amz-SignedHeaders", "content-length;content-type;host")
			r.Header.Del("If-None-Match")
		}},
		"GET":    {nil, func(r *http.Request) { r.Method = http.MethodGet }},
		"DELETE": {nil, func(r *http.Request) { r.Method = http.MethodDelete }},
	} {
		if status, _ := send(t, put, wrong.body, wrong.change); status < 400 || status >= 500 {
			t.Errorf("%s: status %d", name, status)
		}
	}
	status, etag := send(t, put, content, nil)
	if status != http.StatusOK || etag == "" {
		t.Fatalf("status %d, ETag %q", status, etag)
	}
	other := bytes.Clone(content)
	other[0] ^= 1
	for name, body := range map[string][]byte{"the same": content, "other bytes": other} {
		if status, _ := send(t, put, body, nil); status != http.StatusPreconditionFailed {
			t.Errorf("%s again: status %d", name, status)
		}
	}
	if !bytes.Equal(read(t, s, "a/direct"), content) {
		t.Error("other bytes were stored")
	}
	var keys []string
	for entry, err := range s.List(t.Context()) {
		must(t, err)
		keys = append(keys, entry.Key+" "+strconv.FormatInt(entry.Size, 10))
	}
	if len(keys) != 1 || keys[0] != "a/direct 102400" {
		t.Errorf("the store has %v", keys)
	}
}

// TestPresignedExpiry sends a request until it has expired. Until then, the store answers that the
// object exists.
func TestPresignedExpiry(t *testing.T) {
	server := s3test.Start(t)
	server.SetEnv(t)
	s := open(t, bucket(t, server))
	put(t, s, "a/direct", []byte("x"))
	short, err := s.PresignPut(t.Context(), "a/direct", 1, time.Second)
	must(t, err)
	for began := time.Now(); ; {
		status, _ := send(t, short, []byte("y"), nil)
		if status == http.StatusForbidden {
			return
		}
		if status != http.StatusPreconditionFailed || time.Since(began) > time.Minute {
			t.Fatalf("status %d, and it never expires", status)
		}
	}
}

func setQuery(r *http.Request, name, value string) {
	query := r.URL.Query()
	query.Set(name, value)
	r.URL.RawQuery = query.Encode()
}

// TestPresignedRace sends the same request many times at once. The object that the first one stored
// remains.
func TestPresignedRace(t *testing.T) {
	server := s3test.Start(t)
	server.SetEnv(t)
	s := open(t, bucket(t, server))
	put, err := s.PresignPut(t.Context(), "a/direct", 1000, time.Minute)
	must(t, err)
	type result struct {
		status int
		etag   string
		body   byte
	}
	results := make(chan result)
	for i := range 8 {
		go func() {
			r := result{body: byte('a' + i)}
			request, err := http.NewRequestWithContext(context.WithoutCancel(t.Context()), http.MethodPut, put.URL, strings.NewReader(strings.Repeat(string(rune(r.body)), 1000)))
			if err == nil {
				for name, value := range put.Headers {
					request.Header.Set(name, value)
				}
				var response *http.Response
				if response, err = http.DefaultClient.Do(request); err == nil {
					r.status, r.etag = response.StatusCode, response.Header.Get("ETag")
					_ = response.Body.Close()
				}
			}
			results <- r
		}()
	}
	var stored []result
	for range 8 {
		if r := <-results; r.status == http.StatusOK {
			stored = append(stored, r)
		}
	}
	if len(stored) != 1 {
		t.Fatalf("%d requests were accepted: %v", len(stored), stored)
	}
	r, err := s.OpenVersion(t.Context(), "a/direct", stored[0].etag)
	must(t, err)
	must(t, r.Close())
	if got := read(t, s, "a/direct"); got[0] != stored[0].body {
		t.Errorf("the object has %q, but %q was accepted", got[:1], stored[0].body)
	}
}

func TestPresigner(t *testing.T) {
	server := s3test.Start(t)
	server.SetEnv(t)
	blobtest.RunPresigner(t, open(t, bucket(t, server)), func(put blob.PresignedPut, body []byte) string {
		status, etag := send(t, put, body, nil)
		if status != http.StatusOK {
			return ""
		}
		return etag
	})
}
