package imports_test

import (
	"net/http"
	"strconv"
	"testing"

	"github.com/intraydata/intray/test/livetest"
)

// TestResumableUpload checks that a file arrives in several requests by the tus protocol, and that
// wrong and repeated requests change nothing.
func TestResumableUpload(t *testing.T) {
	each(t, func(c client) {
		made := c.create(inline(people()))
		upload, id := made.String("upload"), made.String("id")
		version := []string{"Tus-Resumable", "1.0.0"}
		created := c.WithoutKey().Call("POST", upload, nil, append(version, "Upload-Length", strconv.Itoa(len(goodFile)))...).WantStatus(http.StatusCreated)
		address := created.Header.Get("Location")
		patch := func(offset int, body string) *livetest.Reply {
			return c.WithoutKey().Call("PATCH", address, body, append(version, "Content-Type", "application/offset+octet-stream", "Upload-Offset", strconv.Itoa(offset))...)
		}
		wantOffset := func(want int) {
			c.T.Helper()
			reply := c.WithoutKey().Call("HEAD", address, nil, version...).WantStatus(http.StatusOK)
			if got := reply.Header.Get("Upload-Offset"); got != strconv.Itoa(want) {
				c.T.Fatalf("the offset is %s, want %d", got, want)
			}
		}
		wantOffset(0)
		patch(0, goodFile[:8]).WantStatus(http.StatusNoContent)
		patch(0, goodFile).WantStatus(http.StatusConflict)
		patch(8, goodFile).WantStatus(http.StatusRequestEntityTooLarge)
		c.WithoutKey().Call("PATCH", address, "x").WantStatus(http.StatusPreconditionFailed)
		wantOffset(8)
		if status := c.status(id); status != "AWAITING_UPLOAD" {
			c.T.Errorf("the import is %s before its file is complete", status)
		}
		patch(8, goodFile[8:]).WantStatus(http.StatusNoContent)
		wantOffset(len(goodFile))
		patch(8, goodFile[8:]).WantStatus(http.StatusConflict)
		c.await(id).want("SUCCESSFUL")
		wantOffset(len(goodFile))
	})
}
