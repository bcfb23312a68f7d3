package imports_test

import (
	"crypto/md5"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"io"
	"net/http"
	"strings"
	"sync"
	"testing"

	"github.com/intraydata/intray/test/livetest"
)

const goodFile = "email,name\na@example.org,A\n"

// TestUploadTakesAnyContentType checks that a file is accepted with any Content-Type.
func TestUploadTakesAnyContentType(t *testing.T) {
	each(t, func(c client) {
		for _, contentType := range []string{"", "text/csv", "application/json", "application/octet-stream", "image/png", "no type at all",
			"application/x-www-form-urlencoded", "multipart/form-data; boundary=x"} {
			made := c.create(inline(people()))
			reply := c.PutFile(made.String("upload"), goodFile, "Content-Type", contentType).WantStatus(http.StatusOK)
			sum := md5.Sum([]byte(goodFile))
			if etag := reply.Header.Get("ETag"); etag != `"`+hex.EncodeToString(sum[:])+`"` {
				c.T.Errorf("%q: ETag %q", contentType, etag)
			}
			c.await(made.String("id")).want("SUCCESSFUL")
		}
		chunked := c.create(inline(people()))
		c.PutFile(chunked.String("upload"), io.MultiReader(strings.NewReader(goodFile))).WantStatus(http.StatusOK)
		c.await(chunked.String("id")).want("SUCCESSFUL")
	})
}

// formHead is the beginning of a form with the boundary "b", up to the content of the file.
const formHead = "--b\r\nContent-Disposition: form-data; name=\"file\"; filename=\"x.csv\"\r\n\r\n"

// TestUploadForm checks that malformed forms are rejected and a complete one is accepted.
func TestUploadForm(t *testing.T) {
	broken := []string{
		"", "--b--\r\n", formHead[:40], formHead + goodFile, formHead + goodFile + "\r\n--b", formHead + goodFile + "\r\n--b\r\nContent-",
		"no form at all", "--b\r\n\r\n" + goodFile + "\r\n--b--\r\n",
		strings.Replace(formHead, `"file"`, `"upload"`, 1) + goodFile + "\r\n--b--\r\n",
	}
	each(t, func(c client) {
		for _, body := range broken {
			made := c.create(inline(people()))
			if got := c.form(made.String("upload"), body, "multipart/form-data; boundary=b"); got.Status != 400 {
				c.T.Errorf("the form %q: status %d: %s", body, got.Status, got.Body)
			}
		}
		made := c.create(inline(people()))
		for _, contentType := range []string{"", "text/csv", "application/json", "multipart/form-data", "multipart/mixed; boundary=b"} {
			if got := c.form(made.String("upload"), formHead+goodFile+"\r\n--b--\r\n", contentType).Status; got != 415 {
				c.T.Errorf("a form of type %q: status %d", contentType, got)
			}
		}
		if got := c.post(made.String("upload"), "file", "form.csv", goodFile); got.Status != 200 || got.Header.Get("ETag") == "" {
			c.T.Fatalf("a complete form: %d %s", got.Status, got.Body)
		}
		if e := c.await(made.String("id")).want("SUCCESSFUL"); e.doc["original_filename"] != "form.csv" {
			c.T.Errorf("the name is %v", e.doc["original_filename"])
		}
	})
}

func (c client) form(address, body, contentType string) *livetest.Reply {
	c.T.Helper()
	return c.WithoutKey().Call("POST", address, body, "Content-Type", contentType)
}

// TestUploadDigests checks that a file is accepted with a matching digest and rejected with
// any other.
func TestUploadDigests(t *testing.T) {
	md, sha := md5.Sum([]byte(goodFile)), sha256.Sum256([]byte(goodFile))
	other := sha256.Sum256([]byte("other"))
	text := base64.StdEncoding.EncodeToString
	right := [][2]string{
		{"Content-MD5", text(md[:])},
		{"Repr-Digest", "sha-256=:" + text(sha[:]) + ":"},
		{"Repr-Digest", "sha-512=:AAAA:, sha-256=:" + text(sha[:]) + ":"},
	}
	wrong := [][2]string{
		{"Content-MD5", text(other[:16])}, {"Content-MD5", hex.EncodeToString(md[:])}, {"Content-MD5", "x"},
		{"Content-MD5", strings.TrimRight(text(md[:]), "=")},
		{"Repr-Digest", "sha-256=:" + text(other[:]) + ":"}, {"Repr-Digest", "sha-256=:x:"}, {"Repr-Digest", "sha-256=" + text(sha[:])},
		{"Repr-Digest", "sha-256=:" + text(sha[:16]) + ":"},
	}
	each(t, func(c client) {
		made := c.create(inline(people()))
		for _, header := range wrong {
			if got := c.PutFile(made.String("upload"), goodFile, header[0], header[1]); got.Status != 400 {
				c.T.Errorf("%s: %s: status %d", header[0], header[1], got.Status)
			}
		}
		c.checkAwaits(made.String("id"))
		for _, header := range right {
			again := c.create(inline(people()))
			c.PutFile(again.String("upload"), goodFile, header[0], header[1]).WantStatus(http.StatusOK)
		}
	})
}

// TestUploadOnce checks that a second file is rejected, both before and after the import
// has ended.
func TestUploadOnce(t *testing.T) {
	each(t, func(c client) {
		made := c.create(inline(people()))
		id := made.String("id")
		c.PutFile(made.String("upload"), goodFile).WantStatus(http.StatusOK)
		c.PutFile(made.String("upload"), goodFile).WantStatus(http.StatusConflict)
		e := c.await(id).want("SUCCESSFUL")
		fresh, ok := e.doc["upload"].(string)
		if !ok {
			c.T.Fatal("upload is not a text after the end of the import")
		}
		c.PutFile(fresh, "email\nb@example.org\n").WantStatus(http.StatusConflict)
		c.post(fresh, "file", "x.csv", goodFile).WantStatus(http.StatusConflict)
		if got := c.await(id).rows(); !strings.Contains(got, "a@example.org") {
			c.T.Errorf("the result has changed: %s", got)
		}
	})
}

// TestUploadInParallel sends several files to one import concurrently. Exactly one must be
// accepted.
func TestUploadInParallel(t *testing.T) {
	each(t, func(c client) {
		made := c.create(inline(people()))
		const senders = 12
		statuses := make([]int, senders)
		var all sync.WaitGroup
		for i := range senders {
			all.Go(func() {
				file := "email,name\na@example.org," + strings.Repeat(string(rune('A'+i)), 1<<16) + "\n"
				request := c.Site.Request(c.T, "PUT", made.String("upload"), file, "X-Service-License-Key", "")
				if reply, err := c.Site.TryDo(c.T, request); err == nil {
					statuses[i] = reply.Status
				}
			})
		}
		all.Wait()
		winner := -1
		for i, status := range statuses {
			switch {
			case status == http.StatusOK && winner < 0:
				winner = i
			case status != http.StatusConflict:
				c.T.Errorf("the statuses are %v, want 200 once and otherwise 409", statuses)
			}
		}
		if winner < 0 {
			c.T.Fatal("no upload was accepted")
		}
		rows := c.await(made.String("id")).rows()
		if want := `"name":"` + strings.Repeat(string(rune('A'+winner)), 1<<16) + `"`; !strings.Contains(rows, want) {
			c.T.Errorf("the result is not that of the accepted upload: %.100s", rows)
		}
	})
}

// TestUploadSizeLimit checks that a file may have maxFileSize bytes, but not one more.
func TestUploadSizeLimit(t *testing.T) {
	file := goodFile + strings.Repeat("b@example.org,B\n", 100)
	each(t, func(c client) {
		limit := settings(m{"maxFileSize": len(file)})
		made := c.create(inline(people(), limit))
		address, over := made.String("upload"), file+"x"
		sends := map[string]func() *livetest.Reply{
			"declared": func() *livetest.Reply { return c.PutFile(address, over) },
			"chunked":  func() *livetest.Reply { return c.PutFile(address, io.MultiReader(strings.NewReader(over))) },
			"form":     func() *livetest.Reply { return c.post(address, "file", "x.csv", over) },
			"far over": func() *livetest.Reply { return c.PutFile(address, strings.Repeat(over, 5000)) },
			"large form": func() *livetest.Reply {
				return c.post(address, "file", "x.csv", strings.Repeat(over, 2000))
			},
			"far over, chunked": func() *livetest.Reply {
				return c.PutFile(address, io.MultiReader(strings.NewReader(strings.Repeat(over, 5000))))
			},
		}
		for name, send := range sends {
			if got := send(); got.Status != http.StatusRequestEntityTooLarge {
				c.T.Errorf("%s: status %d: %s", name, got.Status, got.Body)
			}
		}
		if status := c.status(made.String("id")); status != "AWAITING_UPLOAD" {
			c.T.Errorf("the import is %s", status)
		}
		c.PutFile(address, file).WantStatus(http.StatusOK)
		c.await(made.String("id")).want("SUCCESSFUL")
		form := c.create(inline(people(), limit))
		c.post(form.String("upload"), "file", "x.csv", file).WantStatus(http.StatusOK)
	})
}

// TestUploadOfNothing checks that empty files are accepted, and that their imports fail.
func TestUploadOfNothing(t *testing.T) {
	each(t, func(c client) {
		for _, file := range []string{"", " ", "\r\n\r\n", "\uFEFF", strings.Repeat(" \t\n", 1<<16)} {
			e := c.run(inline(people()), file).want("FAILED")
			if e.types() != "EMPTY_FILE" {
				c.T.Errorf("%.10q: %s", file, show(e.doc["import_errors"]))
			}
			sum := sha256.Sum256([]byte(file))
			if got := e.metadata()["sha256"]; got != hex.EncodeToString(sum[:]) {
				c.T.Errorf("%.10q: sha256 %v", file, got)
			}
		}
	})
}
