package imports_test

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/intraydata/intray/test/apitest"
	"github.com/intraydata/intray/test/livetest"
)

// onS3 runs a test on PostgreSQL with files in S3.
func onS3(t *testing.T, test func(s *apitest.Site, c client)) {
	t.Parallel()
	s := apitest.Shared(t, apitest.PostgreSQLS3)
	test(s, backend(t, s))
}

// directUpload is a direct upload that was created.
type directUpload struct {
	client
	url, commitURL string
	headers        m
}

// createDirect creates a direct upload for the import in a response.
func (c client) createDirect(made *livetest.Reply, size int) directUpload {
	c.T.Helper()
	reply := c.WithoutKey().Call("POST", made.String("direct_upload"), m{"size": size}).WantStatus(http.StatusCreated)
	return directUpload{c, reply.String("url"), reply.String("commit"), reply.Object()["headers"].(m)}
}

// send sends a file to the bucket, and returns the status and the ETag.
func (d directUpload) send(file string) (status int, etag string) {
	d.T.Helper()
	r, err := http.NewRequest(http.MethodPut, d.url, strings.NewReader(file))
	if err != nil {
		d.T.Fatal(err)
	}
	for name, value := range d.headers {
		r.Header.Set(name, value.(string))
	}
	response, err := http.DefaultClient.Do(r)
	if err != nil {
		d.T.Fatal(err)
	}
	_, err = io.Copy(io.Discard, response.Body)
	if err := errors.Join(err, response.Body.Close()); err != nil {
		d.T.Fatal(err)
	}
	return response.StatusCode, response.Header.Get("ETag")
}

func (d directUpload) mustSend(file string) (etag string) {
	d.T.Helper()
	status, etag := d.send(file)
	if status != http.StatusOK || etag == "" {
		d.T.Fatalf("the bucket returned status %d and the ETag %q", status, etag)
	}
	return etag
}

func (d directUpload) commit(etag string) *livetest.Reply {
	d.T.Helper()
	return d.WithoutKey().Call("POST", d.commitURL, m{"etag": etag})
}

func (d directUpload) wantRefusal(reply *livetest.Reply, status int, code string) {
	d.T.Helper()
	if reply.WantStatus(status); reply.String("code") != code {
		d.T.Errorf("the code is %s, want %s", reply.String("code"), code)
	}
}

// TestDirectUpload sends a file to the bucket and commits it in another process. Requests that are
// repeated or wrong change nothing.
func TestDirectUpload(t *testing.T) {
	onS3(t, func(s *apitest.Site, c client) {
		made := c.create(inline(people()))
		id := made.String("id")
		d := c.createDirect(made, len(goodFile))
		if strings.HasPrefix(d.url, c.Site.URL) || d.headers["If-None-Match"] != "*" {
			t.Errorf("the file is sent to %s with %v", d.url, d.headers)
		}
		d.wantRefusal(d.commit(`"x"`), http.StatusConflict, "not_stored")
		if status, _ := d.send(goodFile + "x"); status != http.StatusForbidden {
			t.Errorf("the bucket accepts another size: %d", status)
		}
		etag := d.mustSend(goodFile)
		other := strings.ReplaceAll(goodFile, "a", "b")
		for range 2 {
			if status, _ := d.send(other); status != http.StatusPreconditionFailed {
				t.Errorf("the file can be replaced: %d", status)
			}
			d.wantRefusal(d.commit(`"x"`), http.StatusConflict, "wrong_etag")
		}
		if status := c.status(id); status != "AWAITING_UPLOAD" {
			t.Errorf("the import is %s before the commit", status)
		}
		s.Replica(t).Call(t, "POST", strings.TrimPrefix(d.commitURL, s.URL), m{"etag": etag}).WantStatus(http.StatusNoContent)
		d.commit(etag).WantStatus(http.StatusNoContent)
		done := c.await(id).want("SUCCESSFUL")
		sum := sha256.Sum256([]byte(goodFile))
		metadata := done.doc["result_metadata"].(m)
		if metadata["sha256"] != hex.EncodeToString(sum[:]) {
			t.Errorf("the SHA-256 is %v", metadata["sha256"])
		}
		// The request is sent again after the import has ended.
		if status, _ := d.send(other); status != http.StatusPreconditionFailed {
			t.Errorf("the file can be replaced: %d", status)
		}
		d.commit(etag).WantStatus(http.StatusNoContent)
		raw := c.Call("GET", uploadPath+metadata["id"].(string)+"/metadata/", nil).WantStatus(http.StatusOK).Object()["raw_upload"].(m)
		if got := c.WithoutKey().Call("GET", raw["download_url"].(string), nil).WantStatus(http.StatusOK).Text(); got != goodFile {
			t.Errorf("the received file is %q", got)
		}
		d.wantRefusal(c.WithoutKey().Call("POST", made.String("direct_upload"), m{"size": 5}), http.StatusConflict, "already_uploaded")
	})
}

// TestDirectUploadFallsBack checks that a client can send the file to the server after a direct upload
// has failed, and that the direct upload can then not be committed.
func TestDirectUploadFallsBack(t *testing.T) {
	onS3(t, func(_ *apitest.Site, c client) {
		for _, ending := range []string{"PUT", "tus"} {
			made := c.create(inline(people()))
			d := c.createDirect(made, len(goodFile))
			etag := d.mustSend(strings.ReplaceAll(goodFile, "a", "b"))
			if ending == "PUT" {
				c.PutFile(made.String("upload"), goodFile).WantStatus(http.StatusOK)
			} else {
				created := c.WithoutKey().Call("POST", made.String("upload"), nil, "Tus-Resumable", "1.0.0", "Upload-Length", "5").WantStatus(http.StatusCreated)
				d.wantRefusal(d.commit(etag), http.StatusNotFound, "not_found")
				address := created.Header.Get("Location")
				c.WithoutKey().Call("PATCH", address, goodFile[:5], "Tus-Resumable", "1.0.0", "Upload-Offset", "0", "Content-Type", "application/offset+octet-stream").WantStatus(http.StatusNoContent)
			}
			d.wantRefusal(d.commit(etag), http.StatusConflict, "already_uploaded")
		}
	})
}

// TestDirectUploadOfDeletedImport checks that a commit after the deletion of the import changes nothing.
func TestDirectUploadOfDeletedImport(t *testing.T) {
	onS3(t, func(_ *apitest.Site, c client) {
		made := c.create(inline(people()))
		d := c.createDirect(made, len(goodFile))
		etag := d.mustSend(goodFile)
		c.Call("DELETE", importsPath+made.String("id")+"/", nil).WantStatus(http.StatusNoContent)
		d.wantRefusal(d.commit(etag), http.StatusNotFound, "not_found")
		d.mustSend(goodFile) // the server deletes it later
		d.wantRefusal(d.commit(etag), http.StatusNotFound, "not_found")
	})
}

// TestLargeDirectUpload sends a file that the server reads in several requests.
func TestLargeDirectUpload(t *testing.T) {
	onS3(t, func(_ *apitest.Site, c client) {
		var file bytes.Buffer
		file.WriteString(goodFile)
		for file.Len() < 20<<20 {
			file.WriteString(goodFile[strings.Index(goodFile, "\n")+1:])
		}
		made := c.create(inline(people()))
		d := c.createDirect(made, file.Len())
		d.commit(d.mustSend(file.String())).WantStatus(http.StatusNoContent)
		c.await(made.String("id")).want("SUCCESSFUL")
	})
}

// TestDirectUploadsAreOptional checks that imports do not have the property if files are not in a bucket.
func TestDirectUploadsAreOptional(t *testing.T) {
	c := onSQLite(t)
	made := c.create(inline(people()))
	if _, has := made.Object()["direct_upload"]; has {
		t.Errorf("the import is %s", made.Body)
	}
	reply := c.WithoutKey().Call("POST", strings.Replace(made.String("upload"), "?", "/direct/?", 1), m{"size": 5}).WantStatus(http.StatusConflict)
	if reply.String("code") != "no_direct_uploads" {
		t.Errorf("the error is %s", reply.Body)
	}
}
