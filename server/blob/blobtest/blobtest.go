// Package blobtest provides a conformance suite for implementations of [blob.Store].
//
// It tests the contract of the interface. Each implementation tests its other
// properties, such as surviving a crash, in its own package.
package blobtest

import (
	"bytes"
	"context"
	"errors"
	"io"
	"strings"
	"testing"

	"github.com/intraydata/intray/server/blob"
)

// Run runs the suite. Each call to open must return a new empty store and register
// its cleanup with t.
func Run(t *testing.T, open func(t *testing.T) blob.Store) {
	cases := []struct {
		name string
		test func(t *testing.T, s blob.Store)
	}{
		{"read what was written", readsWhatWasWritten},
		{"commit makes a blob visible", commitMakesVisible},
		{"abort discards", abortDiscards},
		{"use of a writer after its end", useAfterEnd},
		{"commit replaces", commitReplaces},
		{"a reader reads nothing else after the deletion of its blob", readerAfterDeletion},
		{"missing blobs", missingBlobs},
		{"keys with a common prefix", keysWithCommonPrefix},
		{"delete", deleteOne},
		{"delete all below a prefix", deleteAll},
		{"delete all drops unfinished blobs", deleteAllUnfinished},
		{"invalid keys", invalidKeys},
		{"long keys", longKeys},
		{"canceled context", canceledContext},
		{"check writable", checkWritable},
		{"many writers, one key", manyWriters},
		{"many readers, one blob", manyReaders},
		{"writers against deletion", writersAgainstDeletion},
		{"append in several steps", appendsInSteps},
		{"append again after truncation", appendsAfterTruncation},
		{"one appender at a time", oneAppender},
		{"append to a deleted blob", appendToDeleted},
		{"append against deletion", appendsAgainstDeletion},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) { c.test(t, open(t)) })
	}
}

func putBlob(t *testing.T, s blob.Store, key string, content []byte) {
	t.Helper()
	w := create(t, s, key)
	write(t, w, content)
	if err := w.Commit(); err != nil {
		t.Fatalf("Commit of %s: %v", key, err)
	}
}

func create(t *testing.T, s blob.Store, key string) blob.Writer {
	t.Helper()
	w, err := s.Create(context.Background(), key)
	if err != nil {
		t.Fatalf("Create(%s): %v", key, err)
	}
	t.Cleanup(w.Abort)
	return w
}

func write(t *testing.T, w io.Writer, content []byte) {
	t.Helper()
	if n, err := w.Write(content); err != nil || n != len(content) {
		t.Fatalf("Write returned %d, %v, want %d, nil", n, err, len(content))
	}
}

func openBlob(t *testing.T, s blob.Store, key string) blob.Reader {
	t.Helper()
	r, err := s.Open(context.Background(), key)
	if err != nil {
		t.Fatalf("Open(%s): %v", key, err)
	}
	t.Cleanup(func() { _ = r.Close() })
	return r
}

func readAll(t *testing.T, r blob.Reader) []byte {
	t.Helper()
	content, err := io.ReadAll(io.NewSectionReader(r, 0, r.Size()))
	if err != nil {
		t.Fatalf("read: %v", err)
	}
	return content
}

func wantBlob(t *testing.T, s blob.Store, key string, want []byte) {
	t.Helper()
	if got := readAll(t, openBlob(t, s, key)); !bytes.Equal(got, want) {
		t.Fatalf("%s holds %d bytes (%.20q), want %d bytes (%.20q)", key, len(got), got, len(want), want)
	}
}

func wantNone(t *testing.T, s blob.Store, keys ...string) {
	t.Helper()
	for _, key := range keys {
		r, err := s.Open(context.Background(), key)
		if err == nil {
			_ = r.Close()
		}
		if !errors.Is(err, blob.ErrNotFound) {
			t.Fatalf("Open(%s) returned %v, want ErrNotFound", key, err)
		}
	}
}

// keyMethods returns all methods that take a key.
func keyMethods(s blob.Store) map[string]func(ctx context.Context, key string) error {
	return map[string]func(context.Context, string) error{
		"Create": func(ctx context.Context, key string) error {
			w, err := s.Create(ctx, key)
			if err == nil {
				w.Abort()
			}
			return err
		},
		"Open": func(ctx context.Context, key string) error {
			r, err := s.Open(ctx, key)
			if err == nil {
				_ = r.Close()
			}
			return err
		},
		"Append": func(ctx context.Context, key string) error {
			w, err := s.Append(ctx, key)
			if err == nil {
				err = w.Close()
			}
			return err
		},
		"Delete":    s.Delete,
		"DeleteAll": s.DeleteAll,
	}
}

func invalidKeys(t *testing.T, s blob.Store) {
	putBlob(t, s, "a/b", []byte("remains"))
	keys := []string{
		"", "/", ".", "..", "/a", "a/", "a//b", "a/./b", "a/../b", "../a", "a/..",
		".hidden", "a/.hidden", "A", "ä", "a b", "a\x00b", "a\\b", "a+", "a:b", "a\n", "~",
		strings.Repeat("a", 513), strings.Repeat("a/", 256) + "a",
	}
	for name, call := range keyMethods(s) {
		for _, key := range keys {
			err := call(context.Background(), key)
			if err == nil || errors.Is(err, blob.ErrNotFound) {
				t.Errorf("%s(%.20q) returned %v, want another error", name, key, err)
			}
		}
	}
	wantBlob(t, s, "a/b", []byte("remains"))
}

func canceledContext(t *testing.T, s blob.Store) {
	putBlob(t, s, "a/b", []byte("remains"))
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	for name, call := range keyMethods(s) {
		for _, key := range []string{"a", "a/b"} {
			if err := call(ctx, key); !errors.Is(err, context.Canceled) {
				t.Errorf("%s(%s) returned %v, want Canceled", name, key, err)
			}
		}
	}
	if err := s.CheckWritable(ctx); !errors.Is(err, context.Canceled) {
		t.Errorf("CheckWritable returned %v, want Canceled", err)
	}
	wantBlob(t, s, "a/b", []byte("remains"))
}

func checkWritable(t *testing.T, s blob.Store) {
	for range 3 {
		if err := s.CheckWritable(context.Background()); err != nil {
			t.Fatalf("CheckWritable: %v", err)
		}
	}
}
