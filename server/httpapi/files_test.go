package httpapi

import (
	"bytes"
	"crypto/md5"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"io"
	"mime"
	"mime/multipart"
	"net/http"
	"net/http/httptest"
	"net/textproto"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/intraydata/intray"
	"github.com/intraydata/intray/output"
	"github.com/intraydata/intray/server/model"
)

func TestAttachment(t *testing.T) {
	for name, want := range map[string]string{
		"":                   `attachment; filename="file"; filename*=UTF-8''file`,
		"list.csv":           `attachment; filename="list.csv"; filename*=UTF-8''list.csv`,
		"my list.csv":        `attachment; filename="my list.csv"; filename*=UTF-8''my%20list.csv`,
		"Größe.csv":          `attachment; filename="Gr__e.csv"; filename*=UTF-8''Gr%C3%B6%C3%9Fe.csv`,
		`a"b.csv`:            `attachment; filename="a_b.csv"; filename*=UTF-8''a%22b.csv`,
		`..\..\x`:            `attachment; filename=".._.._x"; filename*=UTF-8''.._.._x`,
		"../../etc/passwd":   `attachment; filename=".._.._etc_passwd"; filename*=UTF-8''.._.._etc_passwd`,
		"a\r\nSet-Cookie: x": `attachment; filename="a__Set-Cookie_ x"; filename*=UTF-8''a%0D%0ASet-Cookie%3A%20x`,
		"a=b@c.csv":          `attachment; filename="a=b@c.csv"; filename*=UTF-8''a%3Db%40c.csv`,
		"it's (1).csv":       `attachment; filename="it's (1).csv"; filename*=UTF-8''it%27s%20%281%29.csv`,
		"100%.csv":           `attachment; filename="100_.csv"; filename*=UTF-8''100%25.csv`,
	} {
		if diff := cmp.Diff(want, attachment(name)); diff != "" {
			t.Errorf("%q (-want +got):\n%s", name, diff)
		}
	}
}

// TestAttachmentIsRead checks that the standard library can parse the Content-Disposition header
// that attachment returns.
func TestAttachmentIsRead(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		name := rapid.StringN(1, 40, -1).Draw(t, "name")
		header := attachment(name)
		if strings.ContainsFunc(header, func(r rune) bool { return r < ' ' || r > '~' }) {
			t.Fatalf("the header %q is not plain ASCII", header)
		}
		disposition, params, err := mime.ParseMediaType(header)
		if err != nil || disposition != "attachment" || params["filename"] != withoutPath(name) {
			t.Fatalf("%s is read as %q, %q, error %v; want the name %q", header, disposition, params, err, withoutPath(name))
		}
	})
}

func TestReprDigest(t *testing.T) {
	sum := sha256.Sum256([]byte("x"))
	good := "sha-256=:" + base64.StdEncoding.EncodeToString(sum[:]) + ":"
	for name, c := range map[string]struct {
		values []string
		want   []byte
		wrong  bool
	}{
		"none":                {nil, nil, false},
		"one":                 {[]string{good}, sum[:], false},
		"behind another":      {[]string{"sha-512=:" + strings.Repeat("A", 86) + "==:, " + good}, sum[:], false},
		"in a second header":  {[]string{"md5=:AAAA:", good}, sum[:], false},
		"others only":         {[]string{"sha-512=:AAAA:, unixsum=:AAAA:"}, nil, false},
		"too short":           {[]string{"sha-256=:AAAA:"}, nil, true},
		"no base64":           {[]string{"sha-256=:" + strings.Repeat("-", 43) + "=:"}, nil, true},
		"without colons":      {[]string{strings.ReplaceAll(good, ":", "")}, nil, true},
		"hexadecimal":         {[]string{"sha-256=" + strings.Repeat("0", 64)}, nil, true},
		"nothing after it":    {[]string{"sha-256="}, nil, true},
		"a longer name":       {[]string{"xsha-256=:AAAA:"}, nil, false},
		"spaces around it":    {[]string{"  " + good + "\t"}, sum[:], false},
		"the empty header":    {[]string{""}, nil, false},
		"a comma and nothing": {[]string{","}, nil, false},
	} {
		got, err := reprDigest(c.values)
		if !bytes.Equal(got, c.want) || (err != nil) != c.wrong {
			t.Errorf("%s: %x, error %v; want %x, an error: %v", name, got, err, c.want, c.wrong)
		}
		var e *apiError
		if c.wrong && (!errors.As(err, &e) || e.status != http.StatusBadRequest || e.fields["Repr-Digest"] == nil) {
			t.Errorf("%s: error %#v, want 400 about Repr-Digest", name, err)
		}
	}
}

func TestContentMD5(t *testing.T) {
	for value, want := range map[string]int{"": 0, "nU4eI71bcnBGqeO0t9tXvQ==": 16} {
		if got, err := contentMD5(value); len(got) != want || err != nil {
			t.Errorf("%q: %x, error %v; want %d bytes", value, got, err, want)
		}
	}
	for _, value := range []string{"x", "AAAA", "9d4e1e23bd5b727046a9e3b4b7db57bd", "nU4eI71bcnBGqeO0t9tXvQ"} {
		if _, err := contentMD5(value); err == nil {
			t.Errorf("%q was accepted", value)
		}
	}
}

func TestResultName(t *testing.T) {
	for name, want := range map[string]string{
		"": "id.result.csv", "list.xlsx": "list.result.csv", "a.b.csv": "a.b.result.csv", ".csv": "id.result.csv", "plain": "plain.result.csv",
	} {
		if got := resultName(model.Upload{Filename: name, ImportID: "id"}, output.CSV); got != want {
			t.Errorf("%q: %q, want %q", name, got, want)
		}
	}
}

func TestFileNameIsUnescaped(t *testing.T) {
	header := http.Header{"X-File-Name": {"Gr%C3%B6%C3%9Fe.csv"}}
	in, err := parseFileHeaders(header, nil, 7)
	if err != nil || in.Filename != "Größe.csv" || in.Length != 7 {
		t.Errorf("%+v, error %v", in, err)
	}
	header.Set("X-File-Name", "%zz")
	if _, err := parseFileHeaders(header, nil, 7); err == nil {
		t.Error("a name that is not percent-encoded was accepted")
	}
}

// part is a part of a multipart form. headers alternates between names and values.
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
		"junk after it":               {[]part{good, {"a", strings.Repeat("x", maxBody+1000), nil}}, 413, "body_too_large"},
		"a digest in the part":        {[]part{with("Content-MD5", md5Of(file))}, 200, ""},
		"a wrong digest in the part":  {[]part{with("Content-MD5", md5Of("x"))}, 400, "digest_mismatch"},
		"a broken digest in the part": {[]part{with("Repr-Digest", "sha-256=x")}, 400, "invalid"},
		"a plain part":                {[]part{with("Content-Transfer-Encoding", "Binary")}, 200, ""},
		"a coded part":                {[]part{with("Content-Transfer-Encoding", "base64")}, 415, "unsupported_media_type"},
		"a packed part":               {[]part{with("Content-Encoding", "gzip")}, 415, "unsupported_media_type"},
	} {
		upload := s.text(s.do("POST", "/api/v1/headless/imports/", `{`+mailFields+`,"settings":{"maxFileSize":1000}}`), "upload")
		body, contentType := formOf(t, c.parts...)
		// This request has no declared length, and its digests cover the whole form.
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

// damagedFile is a stored file whose damage is found after its first bytes were sent.
type damagedFile struct{ closed bool }

func (*damagedFile) Size() int64 { return 1 << 20 }
func (f *damagedFile) Close() error {
	f.closed = true
	return nil
}
func (*damagedFile) WriteTo(w io.Writer) (int64, error) {
	n, err := io.WriteString(w, strings.Repeat("x", 64<<10))
	return int64(n), errors.Join(err, model.NewError(model.Damaged, "file_damaged", intray.NewMessage("file.damaged", nil)))
}

// TestFindingReliability4Connection checks that the connection is closed if a file turns out to be
// damaged while it is sent, so that the client detects the missing bytes.
func TestFindingReliability4Connection(t *testing.T) {
	s := newServer(t, nil)
	var file damagedFile
	site := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		s.api.writeResponse(&call{w: w, r: r, op: &operation{}}, fileResponse(&file, "text/csv", "", http.Header{}))
	}))
	defer site.Close()
	got, err := http.Get(site.URL)
	check(t, err)
	defer got.Body.Close()
	body, err := io.ReadAll(got.Body)
	if !errors.Is(err, io.ErrUnexpectedEOF) || len(body) != 64<<10 || !file.closed {
		t.Errorf("%d bytes, %v, file closed: %v", len(body), err, file.closed)
	}
}
