package httpapi

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"testing"

	"github.com/intraydata/intray/internal/wire"
	"github.com/intraydata/intray/server/blob"
	"github.com/intraydata/intray/server/model"
	"github.com/intraydata/intray/server/service"
)

// newDirectServer returns a server that allows direct uploads.
func newDirectServer(t *testing.T) *server {
	t.Helper()
	var blobs faultyBlobs
	s := newServer(t, nil, func(cfg *service.Config) {
		blobs = cfg.Blobs.(faultyBlobs)
		cfg.Direct = blobs
	})
	s.bucket = blobs.Memory
	return s
}

func jsonText(v map[string]any) string {
	text, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	return string(text)
}

// created returns the response to a call that creates a direct upload.
func created(s *server, w *httptest.ResponseRecorder) (u wire.DirectUpload, put blob.PresignedPut) {
	s.Helper()
	check(s.T, json.Unmarshal(w.Body.Bytes(), &u))
	return u, blob.PresignedPut{URL: u.URL, Headers: u.Headers}
}

func (s *server) direct() {
	made := s.do("POST", "/api/v1/headless/imports/", `{`+mailFields+`}`)
	u, put := created(s, s.do("POST", s.text(made, "direct_upload"), jsonText(map[string]any{"size": len(mailFile), "filename": "Größe.csv"})))
	etag := s.bucket.SendPresigned(put, []byte(mailFile))
	s.do("POST", u.Commit, jsonText(map[string]any{"etag": etag}))
	s.do("POST", u.Commit, jsonText(map[string]any{"etag": etag}))
	s.runAll()
	if w := s.do("GET", "/api/v1/headless/imports/"+s.text(made, "id")+"/", ""); s.text(w, "status") != "SUCCESSFUL" || s.text(w, "original_filename") != "Größe.csv" {
		s.Errorf("the import is %s", w.Body)
	}
}

// TestDirectUploadRefusals checks requests that are wrong or hostile. None of them starts the import.
func TestDirectUploadRefusals(t *testing.T) {
	s := newDirectServer(t)
	made := s.do("POST", "/api/v1/headless/imports/", `{`+mailFields+`}`)
	id, upload, direct := s.text(made, "id"), s.text(made, "upload"), s.text(made, "direct_upload")
	if want := strings.Replace(upload, "?", "/direct/?", 1); direct != want {
		t.Errorf("direct_upload is %s, want %s", direct, want)
	}
	other, _ := s.waiting()
	size := jsonText(map[string]any{"size": len(mailFile)})
	u, put := created(s, s.do("POST", direct, size))
	foreign := func(address string) string { return strings.Replace(address, id, other, 1) }
	for name, c := range map[string]struct {
		address, body string
		status        int
		code          string
	}{
		"no body":                      {direct, "", 400, "body_missing"},
		"no size":                      {direct, "{}", 400, "invalid"},
		"an empty file":                {direct, `{"size":0}`, 400, "invalid"},
		"a fraction":                   {direct, `{"size":1.5}`, 400, "invalid"},
		"a huge file":                  {direct, `{"size":9223372036854775807}`, 413, "file_too_large"},
		"an unknown property":          {direct, `{"size":1,"key":"x"}`, 400, "invalid"},
		"a long name":                  {direct, jsonText(map[string]any{"size": 1, "filename": strings.Repeat("x", 1025)}), 400, "invalid"},
		"another import":               {foreign(direct), size, 403, "bad_signature"},
		"no token":                     {strings.Split(direct, "?")[0], size, 403, "bad_signature"},
		"creation with a commit token": {strings.Replace(u.Commit, "/commit/", "/direct/", 1), size, 403, "bad_signature"},
		"commit with the upload token": {strings.Replace(direct, "/direct/", "/commit/", 1), `{"etag":"x"}`, 404, "not_found"},
		"commit of another import":     {foreign(u.Commit), `{"etag":"x"}`, 403, "bad_signature"},
		"commit before the file":       {u.Commit, `{"etag":"x"}`, 409, "not_stored"},
		"commit without an ETag":       {u.Commit, `{}`, 400, "invalid"},
		"PUT with a commit token":      {strings.Replace(u.Commit, "/commit/", "", 1), "", 400, "invalid"},
	} {
		if name == "no token" {
			if w := s.send("POST", c.address, c.body); w.Code != http.StatusForbidden && w.Code != http.StatusUnauthorized {
				t.Errorf("%s: status %d: %s", name, w.Code, w.Body)
			}
			continue
		}
		headers := []string{}
		if name == "PUT with a commit token" { // it does not open a resumable upload either
			headers = tus("Upload-Length", "3")
		}
		w := s.send("POST", c.address, c.body, headers...)
		if w.Code != c.status || s.text(w, "code") != c.code {
			t.Errorf("%s: status %d, want %d and %s: %s", name, w.Code, c.status, c.code, w.Body)
		}
	}
	if w := s.send("HEAD", strings.Replace(u.Commit, "/commit/", "", 1), "", tus()...); w.Code != http.StatusNotFound {
		t.Errorf("HEAD with a commit token: status %d", w.Code)
	}
	etag := s.bucket.SendPresigned(put, []byte(mailFile))
	s.wantCode(s.send("POST", u.Commit, `{"etag":"x"}`), http.StatusConflict, "wrong_etag")
	if w := s.send("GET", "/api/v1/headless/imports/"+id+"/", ""); s.text(w, "status") != "AWAITING_UPLOAD" {
		t.Errorf("the import is %s", w.Body)
	}
	if w := s.send("POST", u.Commit, jsonText(map[string]any{"etag": etag}), "Origin", "https://app.example"); w.Code != http.StatusNoContent || w.Header().Get("Access-Control-Allow-Origin") != "*" {
		t.Errorf("the commit: %d %v: %s", w.Code, w.Header(), w.Body)
	}
	s.wantCode(s.send("POST", direct, size), http.StatusConflict, "already_uploaded")
}

// TestDirectUploadsAreOptional checks that imports do not have the property unless direct uploads are
// possible, and that it contains no token unless the key may upload files.
func TestDirectUploadsAreOptional(t *testing.T) {
	off := newServer(t, nil)
	made := off.do("POST", "/api/v1/headless/imports/", `{`+mailFields+`}`)
	if strings.Contains(made.Body.String(), "direct") {
		t.Errorf("an import without direct uploads: %s", made.Body)
	}
	direct := strings.Replace(off.text(made, "upload"), "?", "/direct/?", 1)
	off.wantCode(off.send("POST", direct, `{"size":3}`), http.StatusConflict, "no_direct_uploads")

	s := newDirectServer(t)
	id, _ := s.waiting()
	reader, err := s.svc.CreateKey(t.Context(), "default", model.Backend, 0, "read")
	check(t, err)
	if w := s.send("GET", "/api/v1/headless/imports/"+id+"/", "", "X-Service-License-Key", reader.Key); strings.Contains(w.Body.String(), "direct_upload") {
		t.Errorf("a key that may only read receives %s", w.Body)
	}
}

// TestLargeCommitsWait checks that commits of large files count as large uploads.
func TestLargeCommitsWait(t *testing.T) {
	s := newDirectServer(t)
	s.api.uploads = newUploadGate(1)
	s.api.uploads.wait = 0
	commit := func(size int) (*httptest.ResponseRecorder, func() *httptest.ResponseRecorder) {
		made := s.do("POST", "/api/v1/headless/imports/", `{`+mailFields+`}`)
		u, put := created(s, s.do("POST", s.text(made, "direct_upload"), `{"size":`+strconv.Itoa(size)+`}`))
		etag := s.bucket.SendPresigned(put, make([]byte, size))
		send := func() *httptest.ResponseRecorder {
			return s.send("POST", u.Commit, jsonText(map[string]any{"etag": etag}))
		}
		return send(), send
	}
	leave, err := s.api.uploads.enter(t.Context(), s.orgID())
	check(t, err)
	refused, again := commit(largeUpload + 1)
	s.wantCode(refused, http.StatusServiceUnavailable, "busy")
	if small, _ := commit(largeUpload); small.Code != http.StatusNoContent {
		t.Errorf("a small file: status %d", small.Code)
	}
	leave()
	for range 2 { // the second time, it is complete
		if w := again(); w.Code != http.StatusNoContent {
			t.Errorf("status %d: %s", w.Code, w.Body)
		}
	}
}
