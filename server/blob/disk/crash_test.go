package disk

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/intraydata/intray/server/blob"
)

// crashRoot is the environment variable that makes this test binary write blobs
// until it is killed. Its value is the root folder of the store.
const crashRoot = "INTRAY_TEST_CRASH_ROOT"

func TestCrashBetweenWriteAndCommit(t *testing.T) {
	root := t.TempDir()
	before := openStore(t, root)
	putBlob(t, before, "a/old", "old")
	createBlob(t, before, "a/new", "half")
	createBlob(t, before, "a/old", "half")
	// When a process ends, its files are closed without a call to Abort.
	if err := before.Close(); err != nil {
		t.Fatalf("Close: %v", err)
	}
	after := openStore(t, root)
	wantTree(t, root, "blobs/a+/old", after.drafts)
	if _, err := after.Open(context.Background(), "a/new"); !errors.Is(err, blob.ErrNotFound) {
		t.Errorf("Open of the unfinished blob returned %v, want ErrNotFound", err)
	}
	wantText(t, after, "a/old", "old")
}

func wantText(t *testing.T, s *Store, key, want string) {
	t.Helper()
	r, err := s.Open(context.Background(), key)
	if err != nil {
		t.Fatalf("Open(%s): %v", key, err)
	}
	defer func() { _ = r.Close() }()
	got, err := io.ReadAll(io.NewSectionReader(r, 0, r.Size()))
	if err != nil || string(got) != want {
		t.Errorf("%s has %d bytes, %v, want %d", key, len(got), err, len(want))
	}
}

func TestOpenKeepsDraftsInUse(t *testing.T) {
	root := t.TempDir()
	first := openStore(t, root)
	w := createBlob(t, first, "a", "half")
	// Stale drafts folders are deleted whether they sort before or after one that is in use.
	for _, stale := range []string{"0-stale", "zz-stale"} {
		if err := os.MkdirAll(filepath.Join(root, tempFolder, stale, "file"), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	second := openStore(t, root)
	if entries, err := os.ReadDir(filepath.Join(root, tempFolder)); err != nil || len(entries) != 2 {
		t.Errorf("tmp has %v, %v, want the drafts of two stores", entries, err)
	}
	if _, err := io.WriteString(w, " and half"); err != nil {
		t.Fatalf("Write: %v", err)
	}
	if err := w.Commit(); err != nil {
		t.Fatalf("Commit with a second store: %v", err)
	}
	wantText(t, second, "a", "half and half")
}

func TestKill(t *testing.T) {
	root := t.TempDir()
	for round := range 3 {
		done := killedAfter(t, root, 5+10*round)
		s := openStore(t, root)
		for _, key := range done {
			wantText(t, s, key, longText(key))
		}
		for _, name := range tree(t, root) {
			if file, ok := strings.CutPrefix(name, "blobs/run+/"); ok {
				wantText(t, s, "run/"+file, longText("run/"+file))
			}
		}
		inside, err := os.ReadDir(filepath.Join(root, tempFolder))
		if err != nil || len(inside) != 1 {
			t.Errorf("tmp has %v, %v, want one drafts folder", inside, err)
		}
		if err := s.Close(); err != nil {
			t.Errorf("Close: %v", err)
		}
	}
}

// killedAfter runs a process that commits blobs. It kills the process after n keys
// have been reported, and returns these keys.
func killedAfter(t *testing.T, root string, n int) []string {
	t.Helper()
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), crashRoot+"="+root)
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	var keys []string
	for lines := bufio.NewScanner(out); lines.Scan(); {
		key, ok := strings.CutPrefix(lines.Text(), "committed ")
		if !ok {
			continue
		}
		if keys = append(keys, key); len(keys) == n {
			if err := cmd.Process.Kill(); err != nil {
				t.Fatal(err)
			}
		}
	}
	if err := cmd.Wait(); err == nil || len(keys) < n {
		t.Fatalf("the process ended with %v after %d blobs, want it killed after %d", err, len(keys), n)
	}
	return keys
}

func longText(key string) string { return strings.Repeat(key+"\n", 20_000) }

// TestMain runs the tests. In the process that TestKill kills, TestMain writes blobs instead.
func TestMain(m *testing.M) {
	if root := os.Getenv(crashRoot); root != "" {
		fmt.Fprintln(os.Stderr, writeUntilKilled(root))
		os.Exit(1)
	}
	os.Exit(m.Run())
}

func writeUntilKilled(root string) error {
	s, err := Open(root, Config{})
	if err != nil {
		return err
	}
	for i := 0; ; i++ {
		key := fmt.Sprintf("run/%d", i%40)
		w, err := s.Create(context.Background(), key)
		if err != nil {
			return err
		}
		if _, err := io.WriteString(w, longText(key)); err != nil {
			return err
		}
		if err := w.Commit(); err != nil {
			return err
		}
		fmt.Println("committed", key)
	}
}

func BenchmarkCommit(b *testing.B) {
	s, err := Open(b.TempDir(), Config{})
	if err != nil {
		b.Fatal(err)
	}
	defer func() { _ = s.Close() }()
	content := []byte(strings.Repeat("x", 64<<10))
	b.SetBytes(int64(len(content)))
	for i := 0; b.Loop(); i++ {
		w, err := s.Create(context.Background(), fmt.Sprintf("imports/%d/segment", i%100))
		if err != nil {
			b.Fatal(err)
		}
		if _, err := w.Write(content); err != nil {
			b.Fatal(err)
		}
		if err := w.Commit(); err != nil {
			b.Fatal(err)
		}
	}
}
