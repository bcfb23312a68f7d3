package disk

import (
	"bytes"
	"context"
	"errors"
	"io"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/intraydata/intray/server/blob"
	"github.com/intraydata/intray/server/blob/blobtest"
)

func TestStore(t *testing.T) {
	blobtest.Run(t, func(t *testing.T) blob.Store { return openStore(t, t.TempDir()) })
}

func TestSharedStore(t *testing.T) {
	blobtest.RunShared(t, func(t *testing.T) (first, second blob.Store) {
		root := t.TempDir()
		return openStore(t, root), openStore(t, root)
	})
}

func TestStoreWithoutSync(t *testing.T) {
	blobtest.Run(t, func(t *testing.T) blob.Store {
		s, err := Open(t.TempDir(), Config{NoSync: true})
		if err != nil {
			t.Fatalf("Open: %v", err)
		}
		t.Cleanup(func() { _ = s.Close() })
		return s
	})
}

func openStore(t *testing.T, root string) *Store {
	t.Helper()
	s, err := Open(root, Config{})
	if err != nil {
		t.Fatalf("Open: %v", err)
	}
	t.Cleanup(func() { _ = s.Close() })
	return s
}

func createBlob(t *testing.T, s *Store, key, text string) blob.Writer {
	t.Helper()
	w, err := s.Create(context.Background(), key)
	if err != nil {
		t.Fatalf("Create: %v", err)
	}
	if _, err := io.WriteString(w, text); err != nil {
		t.Fatalf("Write: %v", err)
	}
	return w
}

func putBlob(t *testing.T, s *Store, key, text string) {
	t.Helper()
	if err := createBlob(t, s, key, text).Commit(); err != nil {
		t.Fatalf("Commit: %v", err)
	}
}

func TestHasOtherBlobs(t *testing.T) {
	root := filepath.Join(t.TempDir(), "store")
	wantOthers := func(want bool, when string) {
		t.Helper()
		if got, err := HasOtherBlobs(root, "anchor"); got != want || err != nil {
			t.Errorf("%s: HasOtherBlobs returned %v, %v, want %v", when, got, err, want)
		}
	}
	wantOthers(false, "without a folder")
	if _, err := os.Stat(root); err == nil {
		t.Error("HasOtherBlobs created the folder")
	}
	s := openStore(t, root)
	putBlob(t, s, "anchor", "text")
	unfinished := createBlob(t, s, "a/b", "text")
	wantOthers(false, "with the anchor and an unfinished blob")
	putBlob(t, s, "a/anchor", "text")
	wantOthers(true, "with another blob")
	if err := s.DeleteAll(t.Context(), "a"); err != nil {
		t.Fatal(err)
	}
	wantOthers(false, "after its deletion")
	unfinished.Abort()
	if _, err := HasOtherBlobs(root, "../a"); err == nil {
		t.Error("HasOtherBlobs accepted an invalid key")
	}
}

// tree returns the paths of all files and empty folders in root, except the file that suspends deletions.
func tree(t *testing.T, root string) []string {
	t.Helper()
	var names []string
	err := filepath.WalkDir(root, func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() {
			inside, err := os.ReadDir(name)
			if err != nil || len(inside) > 0 {
				return err
			}
		}
		rel, err := filepath.Rel(root, name)
		if rel != holdFile {
			names = append(names, filepath.ToSlash(rel))
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return names
}

func wantTree(t *testing.T, root string, want ...string) {
	t.Helper()
	if diff := cmp.Diff(want, tree(t, root)); diff != "" {
		t.Fatalf("files below the root (-want +got):\n%s", diff)
	}
}

func TestFilesAndFolders(t *testing.T) {
	root := filepath.Join(t.TempDir(), "new", "folder")
	s := openStore(t, root)
	putBlob(t, s, "a/b/c.parquet", "1")
	putBlob(t, s, "a/b", "2")
	createBlob(t, s, "x/aborted", "3").Abort()
	if err := s.CheckWritable(context.Background()); err != nil {
		t.Fatalf("CheckWritable: %v", err)
	}
	wantTree(t, root, "blobs/a+/b", "blobs/a+/b+/c.parquet", s.drafts)
	modes := map[string]fs.FileMode{
		".": fs.ModeDir | 0o700, "blobs/a+/b+": fs.ModeDir | 0o700, "blobs/a+/b": 0o600,
	}
	for name, want := range modes {
		stat, err := os.Stat(filepath.Join(root, name))
		if err != nil || stat.Mode() != want {
			t.Errorf("%s has mode %v, %v, want %v", name, stat.Mode(), err, want)
		}
	}
}

func TestDeleteRemovesEmptyFolders(t *testing.T) {
	root := t.TempDir()
	s := openStore(t, root)
	ctx := context.Background()
	putBlob(t, s, "a/b/c/d", "1")
	putBlob(t, s, "a/e", "2")
	if err := s.Delete(ctx, "a/b/c/d"); err != nil {
		t.Fatalf("Delete: %v", err)
	}
	wantTree(t, root, "blobs/a+/e", s.drafts)
	putBlob(t, s, "a/b/c/d", "1")
	unfinished := createBlob(t, s, "a/b/unfinished", "3")
	defer unfinished.Abort()
	if err := s.DeleteAll(ctx, "a/b"); err != nil {
		t.Fatalf("DeleteAll: %v", err)
	}
	wantTree(t, root, "blobs/a+/e", s.drafts)
	if err := s.DeleteAll(ctx, "a"); err != nil {
		t.Fatalf("DeleteAll: %v", err)
	}
	wantTree(t, root, "blobs", s.drafts)
}

func TestCommitAfterFailedWrite(t *testing.T) {
	s := openStore(t, t.TempDir())
	w := createBlob(t, s, "a", "whole")
	file := w.(*writer).file
	if err := file.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := io.WriteString(w, "lost"); err == nil {
		t.Fatal("Write to a closed file returned nil, want an error")
	}
	if err := w.Commit(); err == nil || !strings.Contains(err.Error(), "commit blob a") {
		t.Fatalf("Commit after a failed Write returned %v, want an error", err)
	}
	w.Abort()
	wantTree(t, s.root.Name(), "blobs", s.drafts)
}

func TestPartTooLong(t *testing.T) {
	s := openStore(t, t.TempDir())
	_, err := s.Create(context.Background(), "a/"+strings.Repeat("b", 255))
	if err == nil || !strings.Contains(err.Error(), "has 255 bytes, but the maximum is 254") {
		t.Fatalf("Create returned %v, want an error with both lengths", err)
	}
}

func TestOpenOfAFile(t *testing.T) {
	name := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(name, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := Open(name, Config{}); err == nil {
		t.Fatal("Open of a file returned nil, want an error")
	}
}

func TestCheckWritableWithoutFolder(t *testing.T) {
	root := t.TempDir()
	s := openStore(t, root)
	if err := os.RemoveAll(filepath.Join(root, tempFolder)); err != nil {
		t.Fatal(err)
	}
	if err := s.CheckWritable(context.Background()); err == nil {
		t.Fatal("CheckWritable without a folder returned nil, want an error")
	}
}

func TestSymbolicLinks(t *testing.T) {
	outside, root := t.TempDir(), t.TempDir()
	secret := filepath.Join(outside, "secret")
	if err := os.WriteFile(secret, []byte("secret"), 0o600); err != nil {
		t.Fatal(err)
	}
	s := openStore(t, root)
	for name, target := range map[string]string{"folder+": outside, "file": secret, "up+": "../../.."} {
		if err := os.Symlink(target, filepath.Join(root, blobsFolder, name)); err != nil {
			t.Fatal(err)
		}
	}
	ctx := context.Background()
	for _, key := range []string{"folder/secret", "file", "up/x/secret"} {
		if r, err := s.Open(ctx, key); err == nil {
			_ = r.Close()
			t.Errorf("Open(%s) followed a link out of the root", key)
		}
	}
	for _, key := range []string{"folder/new", "up/new"} {
		if err := createBlob(t, s, key, "x").Commit(); err == nil {
			t.Errorf("Commit of %s followed a link out of the root", key)
		}
	}
	if err := s.Delete(ctx, "folder/secret"); err == nil {
		t.Error("Delete followed a link out of the root")
	}
	if err := s.DeleteAll(ctx, "folder"); err != nil {
		t.Errorf("DeleteAll of a link: %v", err)
	}
	putBlob(t, s, "file", "replaces the link")
	if got, err := os.ReadFile(secret); err != nil || string(got) != "secret" {
		t.Errorf("the file outside is now %q, %v", got, err)
	}
	wantTree(t, outside, "secret")
}

func TestStaleDraftsAreLogged(t *testing.T) {
	root := t.TempDir()
	stray := filepath.Join(root, tempFolder, "old-store", "4")
	if err := os.MkdirAll(filepath.Dir(stray), 0o700); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{stray, filepath.Join(root, tempFolder, "loose")} {
		if err := os.WriteFile(name, []byte("half"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	var logged bytes.Buffer
	s, err := Open(root, Config{Log: slog.New(slog.NewTextHandler(&logged, nil))})
	if err != nil {
		t.Fatalf("Open: %v", err)
	}
	defer func() { _ = s.Close() }()
	wantTree(t, root, "blobs", s.drafts)
	for _, name := range []string{"tmp/old-store", "tmp/loose"} {
		if !strings.Contains(logged.String(), name) {
			t.Errorf("the log does not name %s:\n%s", name, logged.String())
		}
	}
}

// TestReaderAfterDeletion checks that a reader still reads a blob after its deletion.
func TestReaderAfterDeletion(t *testing.T) {
	s := openStore(t, t.TempDir())
	putBlob(t, s, "a/b", "content")
	r, err := s.Open(t.Context(), "a/b")
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	if err := s.DeleteAll(t.Context(), "a"); err != nil {
		t.Fatal(err)
	}
	if got, err := io.ReadAll(io.NewSectionReader(r, 0, r.Size())); err != nil || string(got) != "content" {
		t.Errorf("read %q, %v", got, err)
	}
}

// TestKeysWithinKeys checks that a key can be the beginning of another one, which other stores do
// not support.
func TestKeysWithinKeys(t *testing.T) {
	s := openStore(t, t.TempDir())
	for _, key := range []string{"a/b/c", "a", "a/b", "a/b/c/d"} {
		putBlob(t, s, key, key)
	}
	want := func(key string) {
		t.Helper()
		r, err := s.Open(t.Context(), key)
		if err != nil {
			t.Fatal(err)
		}
		defer r.Close()
		if got, err := io.ReadAll(io.NewSectionReader(r, 0, r.Size())); err != nil || string(got) != key {
			t.Errorf("%s: %q, %v", key, got, err)
		}
	}
	wantMissing := func(keys ...string) {
		t.Helper()
		for _, key := range keys {
			if _, err := s.Open(t.Context(), key); !errors.Is(err, blob.ErrNotFound) {
				t.Errorf("%s: %v, want ErrNotFound", key, err)
			}
		}
	}
	if err := s.Delete(t.Context(), "a/b"); err != nil {
		t.Fatal(err)
	}
	wantMissing("a/b")
	want("a")
	want("a/b/c")
	want("a/b/c/d")
	same := createBlob(t, s, "a/b", "a/b")
	if err := s.DeleteAll(t.Context(), "a/b"); err != nil {
		t.Fatal(err)
	}
	wantMissing("a/b/c", "a/b/c/d")
	if err := same.Commit(); err != nil {
		t.Errorf("commit of a blob outside the prefix: %v", err)
	}
	want("a")
	want("a/b")
}
