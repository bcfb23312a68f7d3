package blobtest

import (
	"context"
	"testing"

	"github.com/intraydata/intray/internal/blob"
)

func deleteOne(t *testing.T, s blob.Store) {
	put(t, s, "a/b", []byte("gone"))
	put(t, s, "a/c", []byte("stays"))
	for range 2 {
		if err := s.Delete(context.Background(), "a/b"); err != nil {
			t.Fatalf("Delete: %v", err)
		}
		wantNone(t, s, "a/b")
	}
	wantBlob(t, s, "a/c", []byte("stays"))
	put(t, s, "a/b", []byte("back"))
	wantBlob(t, s, "a/b", []byte("back"))
}

func deleteAll(t *testing.T, s blob.Store) {
	gone := []string{"a/b/c", "a/b/c/d", "a/b/d/e/f"}
	stay := []string{"a/b", "a/bc", "a/b.c/d", "a/b-/d", "a/c/b", "b/a/b/c"}
	for _, key := range append(gone, stay...) {
		put(t, s, key, []byte(key))
	}
	for range 2 {
		if err := s.DeleteAll(context.Background(), "a/b"); err != nil {
			t.Fatalf("DeleteAll: %v", err)
		}
		wantNone(t, s, gone...)
		for _, key := range stay {
			wantBlob(t, s, key, []byte(key))
		}
	}
	put(t, s, "a/b/c", []byte("back"))
	wantBlob(t, s, "a/b/c", []byte("back"))
}

func deleteAllUnfinished(t *testing.T, s blob.Store) {
	fresh, written := create(t, s, "a/b/fresh"), create(t, s, "a/b/deep/written")
	write(t, written, []byte("half"))
	beside, itself := create(t, s, "a/bc"), create(t, s, "a/b")
	if err := s.DeleteAll(context.Background(), "a/b"); err != nil {
		t.Fatalf("DeleteAll: %v", err)
	}
	for _, w := range []blob.Writer{fresh, written} {
		if _, err := w.Write([]byte("more")); err == nil {
			t.Error("Write to a deleted blob gave nil, want an error")
		}
		if err := w.Commit(); err == nil {
			t.Error("Commit of a deleted blob gave nil, want an error")
		}
	}
	wantNone(t, s, "a/b/fresh", "a/b/deep/written")
	for _, w := range []blob.Writer{beside, itself} {
		if err := w.Commit(); err != nil {
			t.Errorf("Commit of a blob outside the prefix: %v", err)
		}
	}
	put(t, s, "a/b/fresh", []byte("anew"))
	wantBlob(t, s, "a/b/fresh", []byte("anew"))
}
