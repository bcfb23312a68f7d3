package main

import (
	"bytes"
	"context"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/intraydata/intray/server"
	"github.com/intraydata/intray/server/blob/disk"
	"github.com/intraydata/intray/test/livetest"
)

// serveOnce starts a server on a data folder and stops it.
func serveOnce(t *testing.T, data, database string) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	err := server.Serve(ctx, server.Config{
		Data: data, DatabaseURL: database, MasterKey: os.Getenv("INTRAY_MASTER_KEY"), Listen: "127.0.0.1:0", MaxFileSize: 1 << 20,
		Out: io.Discard, Log: slog.New(slog.DiscardHandler), Serving: func(string) { cancel() },
	})
	if err != nil {
		t.Fatal(err)
	}
}

// addOrphan stores a file to which no database refers, and returns its path.
func addOrphan(t *testing.T, data string) string {
	t.Helper()
	blobs, err := disk.Open(filepath.Join(data, "blobs"), disk.Config{})
	if err != nil {
		t.Fatal(err)
	}
	w, err := blobs.Create(t.Context(), "imports/left-behind/raw")
	if err == nil {
		err = w.Commit()
	}
	if err != nil {
		t.Fatal(err)
	}
	if err := blobs.Close(); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(data, "blobs", "blobs", "imports+", "left-behind+", "raw")
	if err := os.Chtimes(path, time.Time{}, time.Now().Add(-48*time.Hour)); err != nil {
		t.Fatal(err)
	}
	return path
}

// runGC runs intray gc and returns its exit status and its output.
func runGC(t *testing.T, args ...string) (status int, out, messages string) {
	t.Helper()
	var stdout, stderr bytes.Buffer
	status = run(t.Context(), append([]string{"gc"}, args...), streams{strings.NewReader(""), &stdout, &stderr})
	return status, stdout.String(), stderr.String()
}

// TestGC checks that gc deletes orphaned files of its own database, and refuses to do anything with
// the files of a different one.
func TestGC(t *testing.T) {
	t.Setenv("INTRAY_MASTER_KEY", "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=")
	t.Run("sqlite", func(t *testing.T) {
		mine, other := filepath.Join(t.TempDir(), "mine"), filepath.Join(t.TempDir(), "other")
		serveOnce(t, mine, "")
		serveOnce(t, other, "")
		// The database of one folder with the files of another one.
		mixed := filepath.Join(t.TempDir(), "mixed")
		if err := os.CopyFS(mixed, os.DirFS(mine)); err != nil {
			t.Fatal(err)
		}
		copyFile(t, filepath.Join(other, "intray.db"), filepath.Join(mixed, "intray.db"))
		checkGC(t, []string{"--data", mine}, mine, []string{"--data", mixed}, mixed, "does not contain the files of this database")
	})
	t.Run("postgres", func(t *testing.T) {
		mine, other := livetest.Postgres(t), livetest.Postgres(t)
		data := filepath.Join(t.TempDir(), "mine")
		serveOnce(t, data, mine)
		serveOnce(t, filepath.Join(t.TempDir(), "other"), other)
		checkGC(t, []string{"--data", data, "--database-url", mine}, data, []string{"--data", data, "--database-url", other}, data, "this database stores its files elsewhere")
	})
}

func copyFile(t *testing.T, from, to string) {
	t.Helper()
	content, err := os.ReadFile(from)
	if err == nil {
		err = os.WriteFile(to, content, 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
}

// checkGC runs gc with the arguments wrong, whose database is not that of the files in the folder
// mixed, so that the error contains reason, and then with the arguments right, whose files are in the folder data.
func checkGC(t *testing.T, right []string, data string, wrong []string, mixed, reason string) {
	orphan := addOrphan(t, mixed)
	for _, args := range [][]string{wrong, append([]string{"--dry-run"}, wrong...)} {
		status, out, messages := runGC(t, args...)
		if _, err := os.Stat(orphan); err != nil {
			t.Fatalf("gc %v deleted a file of a different database", args)
		}
		if status != exitFault || out != "" || !strings.Contains(messages, reason) {
			t.Errorf("gc %v: exit status %d, output %q, messages %q", args, status, out, messages)
		}
	}
	orphan = addOrphan(t, data)
	status, out, messages := runGC(t, append([]string{"--json", "--dry-run"}, right...)...)
	want := `{
  "dryRun": true,
  "expiredParts": 0,
  "orphanedFolders": [
    "imports/left-behind"
  ]
}
`
	if status != exitDone || out != want || messages != "" {
		t.Errorf("--dry-run: exit status %d, output %q, messages %q", status, out, messages)
	}
	if _, err := os.Stat(orphan); err != nil {
		t.Fatal("--dry-run deleted the file")
	}
	status, out, messages = runGC(t, right...)
	if status != exitDone || out != "imports/left-behind\n" || messages != "Deleted 0 expired parts of imports and 1 orphaned folder.\n" {
		t.Errorf("exit status %d, output %q, messages %q", status, out, messages)
	}
	if _, err := os.Stat(orphan); err == nil {
		t.Error("the orphaned file remains")
	}
}
