package api

import (
	"bytes"
	"crypto/md5"
	"encoding/base64"
	"io"
	"mime/multipart"
	"net/http"
	"net/textproto"
	"strings"
	"testing"
)

// part is one part of a form; headers are name and value in turn.
type part struct {
	name, text string
	headers    []string
}

func formOf(t testing.TB, parts ...part) (body, contentType string) {
	t.Helper()
	var b bytes.Buffer
	w := multipart.NewWriter(&b)
	for _, p := range parts {
		header := textproto.MIMEHeader{"Content-Disposition": {`form-data; name="` + p.name + `"; filename="list.csv"`}}
		for i := 0; i+1 < len(p.headers); i += 2 {
			header.Set(p.headers[i], p.headers[i+1])
		}
		to, err := w.CreatePart(header)
		check(t, err)
		_, err = io.WriteString(to, p.text)
		check(t, err)
	}
	check(t, w.Close())
	return b.String(), w.FormDataContentType()
}

func md5Of(text string) string {
	sum := md5.Sum([]byte(text))
	return base64.StdEncoding.EncodeToString(sum[:])
}

func TestForms(t *testing.T) {
	const file = "email\na@example.org\n"
	good := part{"file", file, nil}
	with := func(headers ...string) part { return part{"file", file, headers} }
	s := newServer(t, nil)
	for name, c := range map[string]struct {
		parts  []part
		status int
		code   string
	}{
		"the file":                    {[]part{good}, 200, ""},
		"others around it":            {[]part{{"a", "1", nil}, good, {"b", "2", nil}}, 200, ""},
		"two files":                   {[]part{good, good}, 400, "invalid"},
		"two files, others between":   {[]part{good, {"a", "1", nil}, {"file", "x", nil}}, 400, "invalid"},
		"no file":                     {[]part{{"a", "1", nil}}, 400, "invalid"},
		"a file that is too large":    {[]part{{"file", strings.Repeat("x", 1001), nil}}, 413, "file_too_large"},
		"junk before it":              {[]part{{"a", strings.Repeat("x", maxBody+1000), nil}, good}, 413, "body_too_large"},
		"junk behind it":              {[]part{good, {"a", strings.Repeat("x", maxBody+1000), nil}}, 413, "body_too_large"},
		"a digest in the part":        {[]part{with("Content-MD5", md5Of(file))}, 200, ""},
		"a wrong digest in the part":  {[]part{with("Content-MD5", md5Of("x"))}, 400, "digest_mismatch"},
		"a broken digest in the part": {[]part{with("Repr-Digest", "sha-256=x")}, 400, "invalid"},
		"a plain part":                {[]part{with("Content-Transfer-Encoding", "Binary")}, 200, ""},
		"a coded part":                {[]part{with("Content-Transfer-Encoding", "base64")}, 415, "unsupported_media_type"},
		"a packed part":               {[]part{with("Content-Encoding", "gzip")}, 415, "unsupported_media_type"},
	} {
		upload := s.text(s.do("POST", "/api/v1/headless/imports/", `{`+mailFields+`,"settings":{"maxFileSize":1000}}`), "upload")
		body, contentType := formOf(t, c.parts...)
		// Without a declared length, and with digests of the whole form.
		w := s.sent("POST", upload, onlyReader{strings.NewReader(body)}, "Content-Type", contentType, "Content-MD5", md5Of(body), "Repr-Digest", "sha-256=:"+strings.Repeat("A", 43)+"=:")
		if c.status != http.StatusOK {
			s.refusedWith(name, w, c.status, c.code)
		} else if w.Code != http.StatusOK || w.Header().Get("ETag") == "" {
			t.Errorf("%s: status %d, %s", name, w.Code, w.Body)
		}
	}
}

func TestFormsThatBreakOff(t *testing.T) {
	s := newServer(t, nil)
	upload := s.text(s.do("POST", "/api/v1/headless/imports/", `{`+mailFields+`}`), "upload")
	body, contentType := formOf(t, part{"a", "1", nil}, part{"file", "email\n", nil})
	for _, cut := range []int{10, 150, len(body) / 2, len(body) - 10} {
		w := s.sent("POST", upload, onlyReader{strings.NewReader(body[:cut])}, "Content-Type", contentType)
		if w.Code != http.StatusBadRequest {
			t.Errorf("cut at %d: status %d, %s", cut, w.Code, w.Body)
		}
	}
	if w := s.sent("POST", upload, strings.NewReader(body), "Content-Type", contentType); w.Code != http.StatusOK {
		t.Errorf("whole: status %d, %s", w.Code, w.Body)
	}
}
