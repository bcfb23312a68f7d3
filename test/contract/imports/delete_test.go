package imports_test

import (
	"bytes"
	"fmt"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/intraydata/intray/test/apitest"
)

// blobs returns the files of the site that belong to an import. The path of such a file
// contains the id of the import, or its content contains one of the marks.
func (c client) blobs(id string, marks ...string) []string {
	c.T.Helper()
	var found []string
	// entry is nil if the file was deleted during the walk.
	for _, folder := range c.Site.Folders() {
		err := filepath.WalkDir(folder, func(path string, entry fs.DirEntry, _ error) error {
			if entry == nil || entry.IsDir() || strings.Contains(entry.Name(), ".db") {
				return nil
			}
			if strings.Contains(path, id) || holds(path, marks) {
				found = append(found, path)
			}
			return nil
		})
		if err != nil {
			c.T.Fatal(err)
		}
	}
	return found
}

func holds(path string, marks []string) bool {
	if len(marks) == 0 {
		return false
	}
	content, err := os.ReadFile(path)
	for _, mark := range marks {
		if err == nil && bytes.Contains(content, []byte(mark)) {
			return true
		}
	}
	return false
}

// TestDelete checks that deleting an import deletes all data that belongs to it, in each state
// in which the import is not running.
func TestDelete(t *testing.T) {
	each(t, func(c client) {
		c.checkDelete(c.create(inline(people())).Object())
		for status, file := range map[string]string{"SUCCESSFUL": goodFile, "FAILED": "%PDF-1.7\n", "NEEDS_REVIEW": "phone\n1\n"} {
			c.checkDelete(c.run(inline(people()), file).want(status).doc)
		}
		blocked := inline(people(), settings(m{"invalidDataBehavior": "BLOCK_SUBMIT"}))
		c.checkDelete(c.run(blocked, "email\nnobody\n").want("NEEDS_REVIEW").doc)
		rows := c.create(withRows(people(), `[{"email":"a@example.org"}]`))
		c.checkDelete(c.await(rows.String("id")).want("SUCCESSFUL").doc)
	})
}

// checkDelete deletes an import and checks that each of its URLs returns an error.
func (c client) checkDelete(doc m) {
	c.T.Helper()
	id := doc["id"].(string)
	reads := c.leadsTo(doc)
	reply := c.Call("DELETE", importsPath+id+"/", nil).WantStatus(http.StatusNoContent)
	if len(reply.Body) != 0 {
		c.T.Errorf("the response to a deletion has a body: %s", reply.Body)
	}
	for _, address := range reads {
		if got := c.Call("GET", address, nil); got.Status != http.StatusNotFound {
			c.T.Errorf("%s, GET %s: status %d: %.200s", doc["status"], address, got.Status, got.Body)
		}
	}
	c.Call("DELETE", importsPath+id+"/", nil).WantStatus(http.StatusNotFound)
	if got := c.PutFile(doc["upload"].(string), goodFile); got.Status != http.StatusNotFound {
		c.T.Errorf("an upload for a deleted import: status %d", got.Status)
	}
	if got := c.openReview(id, c.address(doc["review_url"]).Fragment); got.Status != http.StatusNotFound {
		c.T.Errorf("the review of a deleted import: status %d", got.Status)
	}
	if len(c.blobs(id)) > 0 {
		apitest.Eventually(c.T, "nothing is stored of "+id, func() bool { return len(c.blobs(id)) == 0 })
	}
}

// leadsTo returns all URLs that return data of an import.
func (c client) leadsTo(doc m) []string {
	c.T.Helper()
	id := doc["id"].(string)
	list := []string{importsPath + id + "/", importsPath + id + "/url/", schemasPath + doc["schema_id"].(string) + "/"}
	metadata, _ := doc["result_metadata"].(m)
	if metadata == nil {
		return list
	}
	upload := uploadPath + metadata["id"].(string)
	list = append(list, upload+"/metadata/", upload+"/url/")
	raw := c.Call("GET", upload+"/metadata/", nil).WantStatus(http.StatusOK).Object()["raw_upload"].(m)
	list = append(list, raw["download_url"].(string))
	if doc["status"] == "SUCCESSFUL" {
		for _, format := range []string{"json", "csv"} {
			reply := c.Call("GET", importsPath+id+"/url/?format="+format, nil).WantStatus(http.StatusOK)
			list = append(list, reply.String("presigned_url"))
		}
	}
	return list
}

// TestDeleteWhileRunning deletes imports that are pending or running. They must stop, and
// all their stored data must be deleted within a minute.
func TestDeleteWhileRunning(t *testing.T) {
	eachFresh(t, func(c client) {
		const mark = "mark-of-the-large-file"
		file := "email,name\n" + strings.Repeat("a@example.org,"+mark+strings.Repeat("x", 1000)+"\n", 60_000)
		var made []m
		for range 3 {
			doc := c.create(inline(people())).Object()
			c.PutFile(doc["upload"].(string), file).WantStatus(http.StatusOK)
			made = append(made, doc)
		}
		seen := ""
		apitest.Eventually(c.T, "an import runs", func() bool {
			seen = c.status(made[0]["id"].(string))
			return seen != "PENDING"
		})
		c.T.Logf("the first import is %s, the last %s", seen, c.status(made[2]["id"].(string)))
		for _, doc := range made {
			c.checkDelete(doc)
		}
		apitest.Eventually(c.T, "nothing is stored of the file", func() bool { return len(c.blobs("none", mark)) == 0 })
		c.run(inline(people()), goodFile).want("SUCCESSFUL")
	})
}

// TestDeleteStopsAnUpload checks that deleting an import while its file is being uploaded
// makes the upload fail and leaves no data.
func TestDeleteStopsAnUpload(t *testing.T) {
	eachFresh(t, func(c client) {
		const mark = "mark-of-the-file-under-way"
		half := strings.Repeat(mark, 9_000_000/len(mark)) // S3 receives parts of 8 MiB
		doc := c.create(inline(people())).Object()
		w := c.dial("PUT", doc["upload"].(string), fmt.Sprintf("Content-Length: %d", 2*len(half)))
		w.send(half)
		apitest.Eventually(c.T, "the file arrives", func() bool { return len(c.blobs("none", mark)) > 0 })
		c.Call("DELETE", importsPath+doc["id"].(string)+"/", nil).WantStatus(http.StatusNoContent)
		w.send(half)
		w.want(404)
		apitest.Eventually(c.T, "nothing is stored", func() bool { return len(c.blobs(doc["id"].(string), mark)) == 0 })
	})
}

// TestURLBeforeTheEnd checks that requesting a result that does not exist returns 409.
func TestURLBeforeTheEnd(t *testing.T) {
	each(t, func(c client) {
		ids := []string{
			c.create(inline(people())).String("id"),
			c.run(inline(people()), "phone\n1\n").want("NEEDS_REVIEW").id,
			c.run(inline(people()), "").want("FAILED").id,
		}
		for _, id := range ids {
			for _, query := range []string{"", "?format=csv"} {
				c.Call("GET", importsPath+id+"/url/"+query, nil).WantStatus(http.StatusConflict)
			}
			c.Call("GET", importsPath+id+"/url/?format=xml", nil).WantStatus(http.StatusBadRequest)
		}
	})
}
