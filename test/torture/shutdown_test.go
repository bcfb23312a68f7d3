package torture

import (
	"net/http"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/intraydata/intray/test/livetest"
)

// TestShutdown sends SIGTERM during a large import. The server must exit within 10 s with
// status 0, and the next start must finish the import.
func TestShutdown(t *testing.T) {
	stores(t, func(t *testing.T, args []string) {
		const rows = 1500000
		server := livetest.Start(t, livetest.Config{Args: args})
		id, address := server.CreateImport(t, schema)
		server.Upload(t, address, table(0, rows)).WantStatus(http.StatusOK)
		for server.Call(t, "GET", "/api/v1/headless/imports/"+id+"/", nil).String("status") != "RUNNING" {
			time.Sleep(5 * time.Millisecond)
		}
		began := time.Now()
		server.Signal(syscall.SIGTERM)
		if status := server.Wait(); status != 0 {
			t.Fatalf("exit status %d: %s", status, server.Stderr())
		}
		if took := time.Since(began); took > 10*time.Second {
			t.Fatalf("the shutdown took %s", took)
		}
		server.Restart()
		if got := server.AwaitImport(t, id); got.String("status") != "SUCCESSFUL" {
			t.Fatalf("%s", got.Body)
		}
		checkUploads(t, server, 1)
	})
}

// TestOneServerAFolder checks that two processes cannot use the same data folder.
func TestOneServerAFolder(t *testing.T) {
	server := livetest.Start(t, livetest.Config{})
	_, stderr, status := livetest.Run(t, t.TempDir(), nil, "serve", "--data", server.DataDir(), "--listen", "127.0.0.1:0")
	if status == 0 || !strings.Contains(stderr, "another intray serves from") {
		t.Fatalf("status %d: %s", status, stderr)
	}
}
