package disk

import (
	"errors"
	"testing"

	"github.com/intraydata/intray/server/blob"
)

// TestHold checks that blobs cannot be deleted through any Store while one of them holds them.
func TestHold(t *testing.T) {
	folder := t.TempDir()
	holding, other := openStore(t, folder), openStore(t, folder)
	putBlob(t, other, "imports/a/raw", "text")
	putBlob(t, other, "imports/b/raw", "text")
	release, err := holding.Hold(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for _, store := range []*Store{holding, other} {
		if err := store.Delete(t.Context(), "imports/a/raw"); !errors.Is(err, blob.ErrHeld) {
			t.Errorf("Delete: %v, want ErrHeld", err)
		}
		if err := store.DeleteAll(t.Context(), "imports/a"); !errors.Is(err, blob.ErrHeld) {
			t.Errorf("DeleteAll: %v, want ErrHeld", err)
		}
	}
	putBlob(t, other, "imports/c/raw", "text") // writing is not affected
	for _, key := range []string{"imports/a/raw", "imports/b/raw", "imports/c/raw"} {
		r, err := other.Open(t.Context(), key)
		if err != nil {
			t.Fatal(err)
		}
		_ = r.Close()
	}
	if err := release(); err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(other.Delete(t.Context(), "imports/a/raw"), other.DeleteAll(t.Context(), "imports/b")); err != nil {
		t.Errorf("after the release: %v", err)
	}
	for _, key := range []string{"imports/a/raw", "imports/b/raw"} {
		if _, err := other.Open(t.Context(), key); !errors.Is(err, blob.ErrNotFound) {
			t.Errorf("Open %s: %v, want ErrNotFound", key, err)
		}
	}
}
