package disk

import (
	"context"
	"errors"
	"io/fs"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/intraydata/intray/server/blob"
)

// flushed returns the folders that a call flushes, without the prefix that all have in common.
func flushed(t *testing.T, s *Store, call func() error) (folders []string) {
	t.Helper()
	s.onFlush = func(name string) {
		if name = strings.TrimPrefix(name, s.root.Name()); !strings.Contains(name, "/tmp/") {
			folders = append(folders, name)
		}
	}
	defer func() { s.onFlush = nil }()
	if err := call(); err != nil {
		t.Fatal(err)
	}
	return folders
}

func put(t *testing.T, s blob.Store, key string) func() error {
	return func() error {
		w, err := s.Create(t.Context(), key)
		if err != nil {
			return err
		}
		if _, err := w.Write([]byte("content")); err != nil {
			return err
		}
		return w.Commit()
	}
}

// TestFlushedFolders checks that a commit flushes the folder of its file and the parents of new
// folders, and nothing twice.
func TestFlushedFolders(t *testing.T) {
	s, err := Open(t.TempDir(), Config{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	want := func(name string, got []string, want ...string) {
		t.Helper()
		if !slices.Equal(got, want) {
			t.Errorf("%s flushes %v, want %v", name, got, want)
		}
	}
	want("the first blob", flushed(t, s, put(t, s, "a/b/c")), "/blobs", "/blobs/a+", "/blobs/a+/b+")
	want("a blob in the same folder", flushed(t, s, put(t, s, "a/b/d")), "/blobs/a+/b+")
	want("a blob in a new folder", flushed(t, s, put(t, s, "a/b2/c")), "/blobs/a+", "/blobs/a+/b2+")

	batch, flush := s.Batch()
	for _, key := range []string{"a/b3/run/stage/1", "a/b3/run/stage/2", "a/b3/run/result"} {
		want("a blob of a batch", flushed(t, s, put(t, batch, key)))
	}
	want("a batch", flushed(t, s, flush), "/blobs/a+", "/blobs/a+/b3+", "/blobs/a+/b3+/run+", "/blobs/a+/b3+/run+/stage+")
	want("an empty batch", flushed(t, s, flush))
	if r, err := batch.Open(t.Context(), "a/b3/run/result"); err != nil {
		t.Error(err)
	} else {
		_ = r.Close()
	}

	// A folder that is deleted and created again is new.
	if err := s.Delete(t.Context(), "a/b2/c"); err != nil {
		t.Fatal(err)
	}
	want("a blob after its folder was deleted", flushed(t, s, put(t, s, "a/b2/c")), "/blobs/a+", "/blobs/a+/b2+")
	if err := s.DeleteAll(t.Context(), "a/b3/run"); err != nil {
		t.Fatal(err)
	}
	want("a blob after the folders above were deleted", flushed(t, s, put(t, s, "a/b3/run/x")), "/blobs/a+", "/blobs/a+/b3+", "/blobs/a+/b3+/run+")

	other, err := Open(s.root.Name(), Config{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = other.Close() })
	want("a different process", flushed(t, other, put(t, other, "a/b/e")), "/blobs", "/blobs/a+", "/blobs/a+/b+")
	if err := other.DeleteAll(t.Context(), "a"); err != nil {
		t.Fatal(err)
	}
	want("a blob after a different process has deleted its folders", flushed(t, s, put(t, s, "a/b/f")), "/blobs", "/blobs/a+", "/blobs/a+/b+")
}

// TestBatchOfDeletedBlobs checks that the folders of blobs that were deleted do not make a batch fail.
func TestBatchOfDeletedBlobs(t *testing.T) {
	s, err := Open(t.TempDir(), Config{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	batch, flush := s.Batch()
	for _, key := range []string{"a/b", "c/d"} {
		if err := put(t, batch, key)(); err != nil {
			t.Fatal(err)
		}
	}
	if err := s.DeleteAll(t.Context(), "a"); err != nil {
		t.Fatal(err)
	}
	if err := flush(); err != nil {
		t.Errorf("flush: %v", err)
	}
	if _, err := s.Open(context.Background(), "a/b"); !errors.Is(err, blob.ErrNotFound) || errors.Is(err, fs.ErrClosed) {
		t.Errorf("the deleted blob: %v", err)
	}
}

// TestFlushDuringDeletion checks that the flush of a batch holds no lock while it waits for a deletion.
// Otherwise, a commit that the deletion waits for could wait for the flush, and none would continue.
func TestFlushDuringDeletion(t *testing.T) {
	s, err := Open(t.TempDir(), Config{NoSync: true})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	b := &batch{Store: s, folders: map[string]bool{}}
	s.commitMu.Lock() // a deletion
	flushed := make(chan error)
	go func() { flushed <- b.flush() }()
	for range 10_000 {
		if !b.mu.TryLock() {
			t.Error("flush holds the lock that commits need")
			break
		}
		b.mu.Unlock()
		runtime.Gosched()
	}
	s.commitMu.Unlock()
	if err := <-flushed; err != nil {
		t.Error(err)
	}
}

// TestFoldersDuringFlush checks that no deletion can remove and recreate a folder while it is being
// flushed. Otherwise, the new folder would count as durable.
func TestFoldersDuringFlush(t *testing.T) {
	s, err := Open(t.TempDir(), Config{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	batch, flush := s.Batch()
	if err := put(t, batch, "a/b")(); err != nil {
		t.Fatal(err)
	}
	w, err := s.Append(t.Context(), "c/d")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = w.Close() })
	for name, call := range map[string]func() error{"Commit": put(t, s, "e/f"), "flush": flush, "Sync": w.Sync} {
		folders := 0
		s.onFlush = func(file string) {
			if !strings.HasSuffix(file, folderMark) {
				return
			}
			folders++
			if s.commitMu.TryLock() {
				s.commitMu.Unlock()
				t.Errorf("%s flushes %s without the lock", name, file)
			}
		}
		if err := call(); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if folders == 0 {
			t.Errorf("%s flushes no folder", name)
		}
	}
}
