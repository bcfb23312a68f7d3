package imports_test

import (
	"bytes"
	"fmt"
	"mime"
	"mime/multipart"
	"net/http"
	"net/textproto"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/intraydata/intray/test/livetest"
)

// oddNames returns valid names that could be mistaken for a path, for markup or for part of
// a header.
func oddNames() []string {
	return []string{
		"people.csv", "../../../../etc/passwd", "..\\..\\boot.ini", "C:\\fakepath\\people.csv", "/absolute/people.csv", "..", ".", "/",
		"people.csv/../../x", "%2e%2e%2fpeople.csv", "a%0d%0aX-Injected: 1", `quote".csv`, `semi;colon; filename=evil.sh`, `back\slash`,
		"<script>alert(1)</script>.csv", "電子メール.csv", "Übung 5 – März.csv", "😀.csv", "\u202efdp.csv", "e\u0301.csv", " leading and trailing ",
		"$(touch x)", "`id`", "a=b&c=d+e", "'; DROP TABLE imports; --", "{{7*7}}", "CON", "-rf", "~root", "name:stream", "a*b?c|d",
		strings.Repeat("x", 1024), strings.Repeat("ü", 512), "people", ".csv", "people.csv.exe",
	}
}

// badNames returns invalid names. They contain control characters or line separators, or are too
// long.
func badNames() []string {
	return []string{"a\r\nX-Injected: 1", "a\nb", "a\rb", "a\tb", "a\x01b", "a\x7fb", "a\u0085b", "a\u2028b", strings.Repeat("x", 1025), strings.Repeat("ü", 513)}
}

// TestFilenameIsTaken sends names in each supported location. The import, its upload and the
// header of the file download must contain them unchanged.
func TestFilenameIsTaken(t *testing.T) {
	for _, place := range namePlaces() {
		t.Run(place.name, func(t *testing.T) {
			each(t, func(c client) {
				// Send all files first, so that the imports run concurrently.
				taken := map[string]string{}
				for _, name := range oddNames() {
					id, reply := place.send(c, name)
					if reply.Status != http.StatusOK {
						c.T.Errorf("%.60q: status %d: %s", name, reply.Status, reply.Body)
						continue
					}
					taken[name] = id
				}
				for name, id := range taken {
					c.checkName(c.await(id).want("SUCCESSFUL"), name)
				}
			})
		})
	}
}

// namePlace is a location in which a request can contain a file name.
type namePlace struct {
	name string
	send func(c client, filename string) (id string, reply *livetest.Reply)
}

func namePlaces() []namePlace {
	const file = "email\na@example.org\n"
	return []namePlace{
		{"body", func(c client, filename string) (string, *livetest.Reply) {
			made := c.Call("POST", importsPath, inline(people(), m{"original_filename": filename}))
			if made.Status != http.StatusCreated {
				return "", made
			}
			return made.String("id"), c.PutFile(made.String("upload"), file)
		}},
		{"header", func(c client, filename string) (string, *livetest.Reply) {
			made := c.create(inline(people()))
			return made.String("id"), c.PutFile(made.String("upload"), file, "X-File-Name", url.PathEscape(filename))
		}},
		{"form", func(c client, filename string) (string, *livetest.Reply) {
			made := c.create(inline(people()))
			return made.String("id"), c.post(made.String("upload"), "file", filename, file)
		}},
	}
}

// post sends a form with one file.
func (c client) post(address, part, filename, file string) *livetest.Reply {
	c.T.Helper()
	var body bytes.Buffer
	form := multipart.NewWriter(&body)
	header := textproto.MIMEHeader{"Content-Disposition": {mime.FormatMediaType("form-data", map[string]string{"name": part, "filename": filename})}}
	w, err := form.CreatePart(header)
	if err == nil {
		_, err = w.Write([]byte(file))
	}
	if err = firstError(err, form.Close()); err != nil {
		c.T.Fatal(err)
	}
	return c.WithoutKey().Call("POST", address, body.Bytes(), "Content-Type", form.FormDataContentType())
}

func firstError(list ...error) error {
	for _, err := range list {
		if err != nil {
			return err
		}
	}
	return nil
}

// checkName checks every response that contains the name.
func (c client) checkName(e ended, name string) {
	c.T.Helper()
	if e.doc["original_filename"] != name || e.metadata()["filename"] != name {
		c.T.Errorf("%.60q came back as %v and %v", name, e.doc["original_filename"], e.metadata()["filename"])
	}
	upload := c.Call("GET", uploadPath+e.metadata()["id"].(string)+"/metadata/", nil).WantStatus(http.StatusOK).Object()
	raw := upload["raw_upload"].(m)
	if raw["filename"] != name || strings.ContainsAny(raw["storage_key"].(string), "\\%<>\"\r\n ") {
		c.T.Errorf("%.60q: the upload has %s", name, show(raw))
	}
	file := c.WithoutKey().Call("GET", raw["download_url"].(string), nil).WantStatus(http.StatusOK)
	saved := strings.NewReplacer("/", "_", `\`, "_").Replace(name) // a client may have sent a path
	if got := attachedName(file.Header); got != saved {
		c.T.Errorf("%.60q is saved as %q: %s", name, got, file.Header["Content-Disposition"])
	}
	attachedName := attachedName(e.result("csv").Header)
	if !strings.HasSuffix(attachedName, ".csv") || strings.ContainsAny(attachedName, "\r\n\x00") {
		c.T.Errorf("%.60q: the result is saved as %q", name, attachedName)
	}
	if file.Text() != "email\na@example.org\n" {
		c.T.Errorf("%.60q: the file has changed: %q", name, file.Text())
	}
	for _, reply := range []*livetest.Reply{file, e.result("")} {
		if wrong := unsafeDownload(reply.Header); wrong != "" {
			c.T.Errorf("%.60q: %s", name, wrong)
		}
	}
}

// attachedName returns the name under which a browser saves the file, or an error message.
func attachedName(h http.Header) string {
	if len(h["Content-Disposition"]) != 1 {
		return fmt.Sprintf("no single Content-Disposition: %v", h)
	}
	kind, params, err := mime.ParseMediaType(h.Get("Content-Disposition"))
	if err != nil || kind != "attachment" {
		return fmt.Sprintf("%s %v", kind, err)
	}
	return params["filename"]
}

// unsafeDownload returns the reason why a browser could display a file instead of saving
// it, or "".
func unsafeDownload(h http.Header) string {
	switch {
	case h.Get("X-Injected") != "":
		return "a name came to be a header"
	case h.Get("X-Content-Type-Options") != "nosniff":
		return "the type may be sniffed"
	case !strings.HasPrefix(h.Get("Content-Disposition"), "attachment;"):
		return "Content-Disposition is not an attachment"
	case strings.HasPrefix(h.Get("Content-Type"), "text/html"):
		return "it is HTML"
	}
	return ""
}

// TestFilenameIsRefused checks that invalid names are rejected, and that the import then
// still awaits its file.
func TestFilenameIsRefused(t *testing.T) {
	each(t, func(c client) {
		for _, name := range badNames() {
			c.refused(inline(people(), m{"original_filename": name}), 400, "original_filename")
			for _, place := range namePlaces()[1:] {
				c.refusedName(place, name)
			}
		}
		for _, name := range []any{7, true, m{}, []any{}} {
			c.refused(inline(people(), m{"original_filename": name}), 400, "original_filename")
		}
		made := c.create(inline(people()))
		for _, header := range []string{"%00", "a%00b", "%ff", "%", "%zz", "a%0d%0ab"} {
			if got := c.PutFile(made.String("upload"), "email\n", "X-File-Name", header); got.Status != 400 {
				c.T.Errorf("X-File-Name %q: status %d", header, got.Status)
			}
		}
		c.checkAwaits(made.String("id"))
	})
}

func (c client) refusedName(place namePlace, name string) {
	c.T.Helper()
	id, reply := place.send(c, name)
	if reply.Status != http.StatusBadRequest {
		c.T.Errorf("%s: %.40q: status %d: %s", place.name, name, reply.Status, reply.Body)
		return
	}
	c.checkAwaits(id)
}

// checkAwaits checks that the import still awaits its file and accepts one.
func (c client) checkAwaits(id string) {
	c.T.Helper()
	doc := c.get(id).WantStatus(http.StatusOK).Object()
	if doc["status"] != "AWAITING_UPLOAD" || doc["result_metadata"] != nil || doc["import_errors"] != nil {
		c.T.Errorf("after a rejected upload the import is %s", show(doc))
		return
	}
	c.PutFile(doc["upload"].(string), "email\na@example.org\n").WantStatus(http.StatusOK)
	c.await(id).want("SUCCESSFUL")
}

// TestFilenameOfBodyWins checks that a name in the request body overrides the name in the form.
func TestFilenameOfBodyWins(t *testing.T) {
	each(t, func(c client) {
		const file = "email\na@example.org\n"
		for _, given := range []struct{ body, form, want any }{{"body.csv", "form.csv", "body.csv"}, {"", "form.csv", "form.csv"}, {nil, "form.csv", "form.csv"}, {nil, "", ""}} {
			made := c.create(inline(people(), m{"original_filename": given.body}))
			c.post(made.String("upload"), "file", given.form.(string), file).WantStatus(http.StatusOK)
			if e := c.await(made.String("id")); e.doc["original_filename"] != given.want {
				c.T.Errorf("%v and %v give %v", given.body, given.form, e.doc["original_filename"])
			}
		}
	})
}

// TestFilenameIsNoPath checks that no file is created at a path given as a file name.
func TestFilenameIsNoPath(t *testing.T) {
	eachFresh(t, func(c client) {
		for _, name := range []string{"../escaped-1", "/escaped-2", "..\\escaped-3", "escaped-4\\..\\x"} {
			for _, place := range namePlaces() {
				id, _ := place.send(c, name)
				c.await(id)
			}
		}
		above := filepath.Dir(filepath.Dir(c.Site.DataDir()))
		err := filepath.WalkDir(above, func(path string, _ os.DirEntry, err error) error {
			if strings.Contains(filepath.Base(path), "escaped") {
				c.T.Errorf("a name created the file %s", path)
			}
			return nil
		})
		if err != nil {
			c.T.Fatal(err)
		}
	})
}
