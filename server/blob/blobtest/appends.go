package blobtest

import (
	"bytes"
	"context"
	"errors"
	"testing"

	"github.com/intraydata/intray/server/blob"
)

func appendTo(t *testing.T, s blob.Store, key string) blob.Appender {
	t.Helper()
	w, err := s.Append(context.Background(), key)
	if err != nil {
		t.Fatalf("Append(%s): %v", key, err)
	}
	t.Cleanup(func() { _ = w.Close() })
	return w
}

func wantSize(t *testing.T, w blob.Appender, want int) {
	t.Helper()
	if got := w.Size(); got != int64(want) {
		t.Fatalf("Size is %d, want %d", got, want)
	}
}

// mustDo fails the test if one of the calls has returned an error.
func mustDo(t *testing.T, what string, errs ...error) {
	t.Helper()
	if err := errors.Join(errs...); err != nil {
		t.Fatalf("%s: %v", what, err)
	}
}

func appendsInSteps(t *testing.T, s blob.Store) {
	want := pattern(300_000, 7)
	for from := 0; from < len(want); from += 100_000 {
		w := appendTo(t, s, "a/b")
		wantSize(t, w, from)
		write(t, w, want[from:from+60_000])
		write(t, w, want[from+60_000:from+100_000])
		wantSize(t, w, from+100_000)
		mustDo(t, "Sync and Close", w.Sync(), w.Close(), w.Close())
		if n, err := w.Write([]byte("more")); n != 0 || err == nil {
			t.Errorf("Write after Close returned %d, %v, want an error", n, err)
		}
	}
	wantBlob(t, s, "a/b", want)
	w := appendTo(t, s, "a/b")
	runConcurrently(t, func(i int) error {
		got, from := make([]byte, 1_000), 30_000*i+456
		if _, err := w.ReadAt(got, int64(from)); err != nil || !bytes.Equal(got, want[from:from+1000]) {
			t.Errorf("ReadAt(%d) reads something else, %v", from, err)
		}
		return nil
	})
}

func appendsAfterTruncation(t *testing.T, s blob.Store) {
	w := appendTo(t, s, "a")
	write(t, w, []byte("right wrong"))
	mustDo(t, "Truncate", w.Truncate(6))
	wantSize(t, w, 6)
	write(t, w, []byte("right"))
	mustDo(t, "Sync and Close", w.Sync(), w.Close())
	wantBlob(t, s, "a", []byte("right right"))
}

func oneAppender(t *testing.T, s blob.Store) {
	first := appendTo(t, s, "a/b")
	if _, err := s.Append(context.Background(), "a/b"); !errors.Is(err, blob.ErrInUse) {
		t.Fatalf("a second Append returned %v, want ErrInUse", err)
	}
	write(t, appendTo(t, s, "a/c"), []byte("another blob"))
	write(t, first, []byte("text"))
	mustDo(t, "Close", first.Close())
	wantSize(t, appendTo(t, s, "a/b"), 4)
}

func appendToDeleted(t *testing.T, s blob.Store) {
	deletions := map[string]func() error{
		"Delete":    func() error { return s.Delete(context.Background(), "a/b") },
		"DeleteAll": func() error { return s.DeleteAll(context.Background(), "a") },
	}
	for name, deletion := range deletions {
		w := appendTo(t, s, "a/b")
		write(t, w, []byte("half"))
		mustDo(t, "Sync", w.Sync())
		mustDo(t, name, deletion())
		wantNone(t, s, "a/b")
		if _, err := w.Write([]byte(" and half")); err == nil {
			t.Errorf("Write after %s returned nil, want an error", name)
		}
		if err := w.Sync(); err == nil {
			t.Errorf("Sync after %s returned nil, want an error", name)
		}
		again := appendTo(t, s, "a/b")
		wantSize(t, again, 0)
		mustDo(t, "Close", w.Close(), again.Close(), deletion())
	}
}

// appendsAgainstDeletion deletes a blob while an appender writes it. The blob must not come back.
func appendsAgainstDeletion(t *testing.T, s blob.Store) {
	for range 20 {
		w := appendTo(t, s, "a/b")
		write(t, w, []byte("text"))
		mustDo(t, "Sync", w.Sync())
		ended := make(chan struct{})
		go func() {
			defer close(ended)
			for {
				if _, err := w.Write([]byte(" and more text")); err != nil || w.Sync() != nil {
					return
				}
			}
		}()
		mustDo(t, "Delete", s.Delete(context.Background(), "a/b"))
		<-ended
		wantNone(t, s, "a/b")
		mustDo(t, "Close", w.Close())
		wantNone(t, s, "a/b")
	}
}
