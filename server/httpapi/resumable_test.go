package httpapi

import (
	"bufio"
	"crypto/sha1"
	"encoding/base64"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/intraydata/intray/server/imports"
)

const mailFile = "E-Mail\nada@example.org\n"

// waiting creates an import and returns its id and upload URL.
func (s *server) waiting() (id, upload string) {
	s.Helper()
	made := s.send("POST", "/api/v1/headless/imports/", `{`+mailFields+`}`)
	return s.text(made, "id"), s.text(made, "upload")
}

func tus(headers ...string) []string { return append([]string{"Tus-Resumable", "1.0.0"}, headers...) }

// createUpload creates a resumable upload and returns its URL.
func (s *server) createUpload(upload string, length int, headers ...string) string {
	s.Helper()
	w := s.send("POST", upload, "", tus(append(headers, "Upload-Length", strconv.Itoa(length))...)...)
	if w.Code != http.StatusCreated || w.Header().Get("Tus-Resumable") != "1.0.0" {
		s.Fatalf("status %d, %v: %s", w.Code, w.Header(), w.Body)
	}
	return w.Header().Get("Location")
}

func (s *server) patch(address string, offset int, body string, headers ...string) *httptest.ResponseRecorder {
	s.Helper()
	return s.send("PATCH", address, body, tus(append([]string{"Content-Type", offsetStream, "Upload-Offset", strconv.Itoa(offset)}, headers...)...)...)
}

func (s *server) wantOffset(address string, want int) {
	s.Helper()
	w := s.send("HEAD", address, "", tus()...)
	if w.Code != http.StatusOK || w.Header().Get("Upload-Offset") != strconv.Itoa(want) || w.Header().Get("Cache-Control") != "no-store" {
		s.Fatalf("HEAD: status %d, %v; want the offset %d", w.Code, w.Header(), want)
	}
}

func (s *server) wantCode(w *httptest.ResponseRecorder, status int, code string) {
	s.Helper()
	if w.Code != status || s.text(w, "code") != code {
		s.Errorf("status %d, want %d and %s: %s", w.Code, status, code, w.Body)
	}
}

func TestResumableUpload(t *testing.T) {
	s := newServer(t, nil)
	id, upload := s.waiting()
	address := s.createUpload(upload, len(mailFile), "Upload-Metadata", "filetype dGV4dC9jc3Y=, filename "+base64.StdEncoding.EncodeToString([]byte("Größe.csv")))
	if !strings.HasPrefix(address, "http://intray.test/upload/"+id+"?token=") {
		t.Errorf("the upload has the URL %s", address)
	}
	s.wantOffset(address, 0)
	if w := s.patch(address, 0, mailFile[:5]); w.Code != http.StatusNoContent || w.Header().Get("Upload-Offset") != "5" || w.Body.Len() > 0 {
		t.Fatalf("PATCH: status %d, %v: %s", w.Code, w.Header(), w.Body)
	}
	s.wantOffset(address, 5)
	w := s.send("HEAD", address, "", tus()...)
	expires, err := http.ParseTime(w.Header().Get("Upload-Expires"))
	if left := time.Until(expires); err != nil || left < imports.ResumableLife-time.Minute || left > imports.ResumableLife+time.Minute || w.Header().Get("Upload-Length") != strconv.Itoa(len(mailFile)) {
		t.Errorf("HEAD: %v", w.Header())
	}
	s.wantCode(s.patch(address, 4, "x"), http.StatusConflict, "wrong_offset")
	s.wantCode(s.patch(address, 5, strings.Repeat("x", 100)), http.StatusRequestEntityTooLarge, "upload_too_long")
	sum := sha1.Sum([]byte(mailFile[5:9]))
	checksum := "sha1 " + base64.StdEncoding.EncodeToString(sum[:])
	s.wantCode(s.patch(address, 5, "wrong", "Upload-Checksum", checksum), statusChecksumMismatch, "checksum_mismatch")
	if w := s.patch(address, 5, mailFile[5:9], "Upload-Checksum", checksum); w.Code != http.StatusNoContent {
		t.Errorf("with a checksum: status %d: %s", w.Code, w.Body)
	}
	// Some clients cannot send PATCH requests.
	if w := s.send("POST", address, mailFile[9:], tus("X-HTTP-Method-Override", "PATCH", "Content-Type", offsetStream, "Upload-Offset", "9")...); w.Code != http.StatusNoContent {
		t.Errorf("the overridden method: status %d: %s", w.Code, w.Body)
	}
	s.wantOffset(address, len(mailFile))
	s.wantCode(s.patch(address, 9, mailFile[9:]), http.StatusConflict, "wrong_offset")
	s.wantCode(s.send("PUT", upload, mailFile), http.StatusConflict, "already_uploaded")
	s.wantCode(s.send("POST", upload, "", tus("Upload-Length", "3")...), http.StatusConflict, "already_uploaded")
	s.runAll()
	if w := s.send("GET", "/api/v1/headless/imports/"+id+"/", ""); s.text(w, "status") != "SUCCESSFUL" || s.text(w, "original_filename") != "Größe.csv" {
		t.Errorf("the import is %s", w.Body)
	}
}

// TestResumableRefusals checks requests that do not follow the protocol or are hostile. None of them
// changes the upload.
func TestResumableRefusals(t *testing.T) {
	s := newServer(t, nil)
	_, upload := s.waiting()
	_, other := s.waiting()
	address := s.createUpload(upload, 10)
	if w := s.patch(address, 0, "abc"); w.Code != http.StatusNoContent {
		t.Fatalf("status %d: %s", w.Code, w.Body)
	}
	for name, c := range map[string]struct {
		method, address string
		headers         []string
		status          int
		code            string
	}{
		"no version":              {"PATCH", address, []string{"Upload-Offset", "3"}, 412, "unsupported_tus_version"},
		"another version":         {"PATCH", address, []string{"Tus-Resumable", "0.2.2"}, 412, "unsupported_tus_version"},
		"creation, other version": {"POST", upload, []string{"Tus-Resumable", "2.0.0", "Upload-Length", "3"}, 412, "unsupported_tus_version"},
		"no offset":               {"PATCH", address, tus("Content-Type", offsetStream), 400, "invalid"},
		"a negative offset":       {"PATCH", address, tus("Content-Type", offsetStream, "Upload-Offset", "-1"), 400, "invalid"},
		"a huge offset":           {"PATCH", address, tus("Content-Type", offsetStream, "Upload-Offset", "9223372036854775807"), 409, "wrong_offset"},
		"an offset over 64 bits":  {"PATCH", address, tus("Content-Type", offsetStream, "Upload-Offset", "9223372036854775808"), 400, "invalid"},
		"an offset with a sign":   {"PATCH", address, tus("Content-Type", offsetStream, "Upload-Offset", "+3"), 400, "invalid"},
		"another Content-Type":    {"PATCH", address, tus("Content-Type", "text/csv", "Upload-Offset", "3"), 415, "unsupported_media_type"},
		"an encoded body":         {"PATCH", address, tus("Content-Type", offsetStream, "Upload-Offset", "3", "Content-Encoding", "gzip"), 415, "unsupported_media_type"},
		"an unknown checksum":     {"PATCH", address, tus("Content-Type", offsetStream, "Upload-Offset", "3", "Upload-Checksum", "crc32 AAAA"), 400, "invalid"},
		"a short checksum":        {"PATCH", address, tus("Content-Type", offsetStream, "Upload-Offset", "3", "Upload-Checksum", "sha1 AAAA"), 400, "invalid"},
		"not created":             {"PATCH", upload, tus("Content-Type", offsetStream, "Upload-Offset", "0"), 404, "not_found"},
		"another import":          {"PATCH", strings.Replace(address, between(address, "/upload/", "?"), between(other, "/upload/", "?"), 1), tus("Content-Type", offsetStream, "Upload-Offset", "3"), 403, "bad_signature"},
		"another token":           {"PATCH", strings.Split(address, "token=")[0] + "token=" + strings.Split(other, "token=")[1], tus("Content-Type", offsetStream, "Upload-Offset", "3"), 403, "bad_signature"},
		"PUT to its URL":          {"PUT", address, nil, 403, "bad_signature"},
		"creation at its URL":     {"POST", address, tus("Upload-Length", "3"), 400, "invalid"},
		"a negative length":       {"POST", upload, tus("Upload-Length", "-3"), 400, "invalid"},
		"no length":               {"POST", upload, tus(), 400, "invalid"},
		"a deferred length":       {"POST", upload, tus("Upload-Defer-Length", "1"), 400, "invalid"},
		"too large":               {"POST", upload, tus("Upload-Length", "9223372036854775807"), 413, "file_too_large"},
		"a name that is binary":   {"POST", upload, tus("Upload-Length", "3", "Upload-Metadata", "filename /w=="), 400, "invalid"},
		"a name in plain text":    {"POST", upload, tus("Upload-Length", "3", "Upload-Metadata", "filename list.csv"), 400, "invalid"},
		"a name that is too long": {"POST", upload, tus("Upload-Length", "3", "Upload-Metadata", "filename "+base64.StdEncoding.EncodeToString([]byte(strings.Repeat("x", 1025)))), 400, "invalid"},
	} {
		w := s.send(c.method, c.address, "xyz", c.headers...)
		if w.Code != c.status || s.text(w, "code") != c.code {
			t.Errorf("%s: status %d, want %d and %s: %s", name, w.Code, c.status, c.code, w.Body)
		}
		if c.status == 412 && w.Header().Get("Tus-Version") != "1.0.0" {
			t.Errorf("%s: no Tus-Version: %v", name, w.Header())
		}
		s.wantOffset(address, 3)
	}
	if w := s.send("HEAD", strings.Replace(address, "token=", "token=x", 1), "", tus()...); w.Code != http.StatusForbidden {
		t.Errorf("HEAD with another token: status %d", w.Code)
	}
}

func between(text, from, to string) string {
	_, rest, _ := strings.Cut(text, from)
	found, _, _ := strings.Cut(rest, to)
	return found
}

func TestTusPreflight(t *testing.T) {
	s := newServer(t, nil)
	_, upload := s.waiting()
	h := s.send("OPTIONS", upload, "").Header()
	if h.Get("Tus-Version") != "1.0.0" || h.Get("Tus-Extension") != tusExtensions || !strings.Contains(h.Get("Tus-Checksum-Algorithm"), "sha1") {
		t.Errorf("OPTIONS describes %v", h)
	}
	for _, method := range []string{"HEAD", "PATCH", "POST", "PUT"} {
		if !strings.Contains(h.Get("Access-Control-Allow-Methods"), method) {
			t.Errorf("OPTIONS does not allow %s: %v", method, h)
		}
	}
	for _, name := range []string{"Tus-Resumable", "Upload-Length", "Upload-Offset", "Upload-Metadata", "Upload-Checksum"} {
		if !strings.Contains(h.Get("Access-Control-Allow-Headers"), name) {
			t.Errorf("OPTIONS does not allow the header %s", name)
		}
	}
	exposed := s.send("HEAD", s.createUpload(upload, 3), "", tus()...).Header().Get("Access-Control-Expose-Headers")
	for _, name := range []string{"Location", "Upload-Offset", "Upload-Length", "Tus-Resumable"} {
		if !strings.Contains(exposed, name) {
			t.Errorf("pages cannot read %s", name)
		}
	}
	if h := s.send("OPTIONS", "/api/widget/session/v2/state/", "").Header(); h.Get("Tus-Version") != "" {
		t.Errorf("other paths describe uploads: %v", h)
	}
}

// TestResumableConnections checks what remains of requests whose connection is lost or silent, and
// that a request for the offset ends a request that is still waiting for bytes.
func TestResumableConnections(t *testing.T) {
	s := newServer(t, func(cfg *Config) { cfg.BaseURL = "" })
	site := httptest.NewServer(s.api)
	t.Cleanup(site.Close)
	_, upload := s.waiting()
	address := "/upload/" + after(s.createUpload(upload, 1000), "/upload/")
	open := func(offset, length int, body string) net.Conn {
		conn, err := net.Dial("tcp", strings.TrimPrefix(site.URL, "http://"))
		check(t, err)
		t.Cleanup(func() { _ = conn.Close() })
		_, err = fmt.Fprintf(conn, "PATCH %s HTTP/1.1\r\nHost: x\r\nTus-Resumable: 1.0.0\r\nContent-Type: %s\r\nUpload-Offset: %d\r\nContent-Length: %d\r\n\r\n%s", address, offsetStream, offset, length, body)
		check(t, err)
		return conn
	}
	head := func() (int, string) {
		r, err := http.NewRequestWithContext(t.Context(), "HEAD", site.URL+address, nil)
		check(t, err)
		r.Header.Set("Tus-Resumable", "1.0.0")
		answer, err := http.DefaultClient.Do(r)
		check(t, err)
		check(t, answer.Body.Close())
		return answer.StatusCode, answer.Header.Get("Upload-Offset")
	}
	await := func(want string) {
		t.Helper()
		for range 200 {
			if _, offset := head(); offset == want {
				return
			}
			time.Sleep(10 * time.Millisecond)
		}
		t.Fatalf("the offset never is %s", want)
	}
	check(t, open(0, 1000, strings.Repeat("a", 100)).Close())
	await("100")
	silent := open(100, 900, strings.Repeat("b", 50))
	await("150")
	reply, err := http.ReadResponse(bufio.NewReader(silent), nil)
	check(t, err)
	text, _ := io.ReadAll(reply.Body)
	if reply.StatusCode != http.StatusRequestTimeout || !strings.Contains(string(text), `"code"`) {
		t.Errorf("the interrupted request returns %d: %s", reply.StatusCode, text)
	}
}
