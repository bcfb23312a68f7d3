// Package blobtest holds the one suite that every blob.Store must pass.
//
// It asks only for what the contract promises. What a store does beyond that,
// such as surviving a crash, is tested beside the store.
package blobtest

import (
	"bytes"
	"context"
	"errors"
	"io"
	"testing"

	"github.com/intraydata/intray/internal/blob"
)

// Run runs the suite. Every call of open gives an empty store of its own, and
// registers with t whatever must be closed.
func Run(t *testing.T, open func(t *testing.T) blob.Store) {
	cases := []struct {
		name string
		test func(t *testing.T, s blob.Store)
	}{
		{"what is written is read", writtenIsRead},
		{"a blob appears at commit", appearsAtCommit},
		{"abort leaves nothing", abortLeavesNothing},
		{"a finished writer is finished", finishedWriter},
		{"commit replaces", commitReplaces},
		{"a reader outlives its blob", readerOutlives},
		{"what is not there is not found", notFound},
		{"a key beside a longer one", keyBesideLonger},
		{"delete", deleteOne},
		{"delete all below a prefix", deleteAll},
		{"delete all drops unfinished blobs", deleteAllUnfinished},
		{"bad keys are refused", badKeys},
		{"long keys are taken", longKeys},
		{"a cancelled context is refused", cancelled},
		{"check", check},
		{"many writers, one key", manyWriters},
		{"many readers, one blob", manyReaders},
		{"writers against deletion", writersAgainstDeletion},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) { c.test(t, open(t)) })
	}
}

func put(t *testing.T, s blob.Store, key string, content []byte) {
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
		t.Fatalf("Write gave %d, %v, want %d, nil", n, err, len(content))
	}
}

func get(t *testing.T, s blob.Store, key string) blob.Reader {
	t.Helper()
	r, err := s.Open(context.Background(), key)
	if err != nil {
		t.Fatalf("Open(%s): %v", key, err)
	}
	t.Cleanup(func() { _ = r.Close() })
	return r
}

func all(t *testing.T, r blob.Reader) []byte {
	t.Helper()
	content, err := io.ReadAll(io.NewSectionReader(r, 0, r.Size()))
	if err != nil {
		t.Fatalf("reading: %v", err)
	}
	return content
}

func wantBlob(t *testing.T, s blob.Store, key string, want []byte) {
	t.Helper()
	if got := all(t, get(t, s, key)); !bytes.Equal(got, want) {
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
			t.Fatalf("Open(%s) gave %v, want ErrNotFound", key, err)
		}
	}
}
