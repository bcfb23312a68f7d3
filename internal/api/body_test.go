package api

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"syscall"
	"testing"
	"testing/iotest"

	"github.com/intraydata/intray"
	"github.com/intraydata/intray/internal/shape"
)

// TestBodyErrors tells trouble of the sender's from trouble of ours.
func TestBodyErrors(t *testing.T) {
	full := &os.PathError{Op: "write", Path: "x", Err: syscall.ENOSPC}
	for name, c := range map[string]struct {
		err    error
		status int
		code   string
	}{
		"a body cut off":              {&senderError{io.ErrUnexpectedEOF}, 400, "body_too_short"},
		"a malformed chunk":           {fmt.Errorf("reading a JSON document: %w", &senderError{errors.New("malformed chunked encoding")}), 400, "body_too_short"},
		"a reset connection":          {&senderError{syscall.ECONNRESET}, 400, "body_too_short"},
		"a slow body":                 {fmt.Errorf("reading: %w", os.ErrDeadlineExceeded), 408, "too_slow"},
		"too many values":             {fmt.Errorf("%w: many", shape.ErrTooLarge), 413, "body_too_large"},
		"wrong JSON":                  {&shape.SyntaxError{Reason: intray.NewMessage("json.empty", nil)}, 400, "malformed_json"},
		"a full disk":                 {spoolFault(full), 503, "storage_full"},
		"a quota":                     {spoolFault(syscall.EDQUOT), 503, "storage_full"},
		"too many open files":         {spoolFault(&os.PathError{Err: syscall.EMFILE}), 503, "busy"},
		"too many files of all":       {spoolFault(syscall.ENFILE), 503, "busy"},
		"a folder that is gone":       {spoolFault(os.ErrNotExist), 503, "spool_unavailable"},
		"a spool that ends too early": {spoolFault(io.ErrUnexpectedEOF), 503, "spool_unavailable"},
		"a fault":                     {errors.New("boom"), 500, "internal"},
	} {
		e := refusalOf(bodyError(c.err))
		header := http.Header{}
		e.header(header)
		if e.status != c.status || e.code != c.code || (header.Get("Retry-After") != "") != (c.status == 503) {
			t.Errorf("%s: %d %s %v, want %d %s", name, e.status, e.code, header, c.status, c.code)
		}
	}
}

// sent is a request to one operation, with any reader as its body.
func (s *server) sent(method, path string, body io.Reader, headers ...string) *httptest.ResponseRecorder {
	s.Helper()
	r := httptest.NewRequestWithContext(s.Context(), method, strings.TrimPrefix(path, "http://intray.test"), body)
	r.Header.Set("X-Service-License-Key", s.key)
	r.Header.Set("Content-Type", "application/json")
	for i := 0; i+1 < len(headers); i += 2 {
		r.Header.Set(headers[i], headers[i+1])
	}
	w := httptest.NewRecorder()
	s.api.ServeHTTP(w, r)
	return w
}

// refusedWith holds an answer against a status and a code.
func (s *server) refusedWith(what string, w *httptest.ResponseRecorder, status int, code string) {
	s.Helper()
	var body struct{ Code string }
	if err := json.Unmarshal(w.Body.Bytes(), &body); err != nil || w.Code != status || body.Code != code {
		s.Errorf("%s: status %d, %s; want %d %s", what, w.Code, w.Body, status, code)
	}
}

// TestBrokenBodiesAreNotKept repeats requests with an Idempotency-Key whose
// bodies did not arrive, or could not be kept: the whole one is carried out.
func TestBrokenBodiesAreNotKept(t *testing.T) {
	s := newServer(t, nil)
	const all = "/api/v1/headless/imports/"
	rows := `"initial_data":[{}` + strings.Repeat(",{}", keepInMemory) + `]`
	whole := `{` + mailFields + `,` + rows + `}`
	folder := s.api.cfg.TempDir
	for name, c := range map[string]struct {
		body   io.Reader
		folder string
		status int
		code   string
	}{
		"cut off":           {io.MultiReader(strings.NewReader(whole[:50]), iotest.ErrReader(io.ErrUnexpectedEOF)), folder, 400, "body_too_short"},
		"malformed chunks":  {io.MultiReader(strings.NewReader(whole[:50]), iotest.ErrReader(errors.New("malformed"))), folder, 400, "body_too_short"},
		"bad from the head": {io.MultiReader(strings.NewReader(`[}`), iotest.ErrReader(io.ErrUnexpectedEOF)), folder, 400, "malformed_json"},
		"no folder":         {strings.NewReader(whole), folder + "/gone", 503, "spool_unavailable"},
	} {
		s.api.cfg.TempDir = c.folder
		s.refusedWith(name, s.sent("POST", all, c.body, "Idempotency-Key", strings.ReplaceAll(name, " ", "-")), c.status, c.code)
		s.api.cfg.TempDir = folder
		if w := s.send("POST", all, whole, "Idempotency-Key", strings.ReplaceAll(name, " ", "-")); w.Code != http.StatusCreated {
			t.Errorf("%s, and then whole: status %d, %s", name, w.Code, w.Body)
		}
	}
}

func TestBodiesThatAreNotTheThing(t *testing.T) {
	s := newServer(t, nil)
	upload := s.text(s.do("POST", "/api/v1/headless/imports/", `{`+mailFields+`}`), "upload")
	token := s.text(s.do("POST", "/api/widget/session/v2/auth/", ""), "hydrationId")
	const state, file = "/api/widget/session/v2/state/", "/api/widget/session/v2/file/"
	for _, path := range []string{upload, state, file} {
		s.refusedWith("a range for "+path, s.send("PUT", path, `{}`, "Content-Range", "bytes 0-1/8", "X-Hydration-Id", token), 400, "invalid")
		s.refusedWith("a coding for "+path, s.send("PUT", path, `{}`, "Content-Encoding", "gzip", "X-Hydration-Id", token), 415, "unsupported_media_type")
	}
	s.refusedWith("a coding for JSON", s.send("POST", "/api/v1/schemas/", `{}`, "Content-Encoding", "br"), 415, "unsupported_media_type")
	s.do("PUT", upload, "email\n", "Content-Encoding", "Identity")
}

func TestManyValuesAreTooLarge(t *testing.T) {
	s := newServer(t, nil)
	w := s.send("POST", "/api/v1/schemas/", `{"settings":[`+strings.Repeat("[],", maxValues)+`[]]}`)
	s.refusedWith("many values", w, 413, "body_too_large")
}

// TestSignedAddressesWithoutAnID calls addresses whose id is none, or is
// written otherwise.
func TestSignedAddressesWithoutAnID(t *testing.T) {
	s := newServer(t, nil)
	made := s.do("POST", "/api/v1/headless/imports/", `{`+mailFields+`}`)
	id, upload := s.text(made, "id"), s.text(made, "upload")
	for other, status := range map[string]int{
		"none": 404, strings.ReplaceAll(id, "-", ""): 404, strings.ToUpper(id): 403, "0f8fad5b-d9cb-469f-a165-70867728950e": 403,
	} {
		for method, path := range map[string]string{"PUT": upload, "POST": upload, "GET": strings.Replace(upload, "/upload/", "/download/", 1)} {
			if w := s.send(method, strings.Replace(path, id, other, 1), "x"); w.Code != status {
				t.Errorf("%s with the id %s: status %d, want %d", method, other, w.Code, status)
			}
		}
	}
	if w := s.send("GET", "/api/v1/upload/none/data/", ""); w.Code != 404 {
		t.Errorf("the rows of no id: status %d", w.Code)
	}
}
