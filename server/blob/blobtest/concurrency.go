package blobtest

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"sync"
	"testing"

	"github.com/intraydata/intray/server/blob"
)

const concurrency = 8

// runConcurrently runs work in goroutines and fails the test with what they return.
func runConcurrently(t *testing.T, work func(i int) error) {
	t.Helper()
	var wait sync.WaitGroup
	for i := range concurrency {
		wait.Go(func() {
			if err := work(i); err != nil {
				t.Error(err)
			}
		})
	}
	wait.Wait()
	if t.Failed() {
		t.FailNow()
	}
}

func replace(s blob.Store, key string, content []byte) error {
	w, err := s.Create(context.Background(), key)
	if err != nil {
		return err
	}
	defer w.Abort()
	half := len(content) / 2
	for _, part := range [][]byte{content[:half], content[half:]} {
		if _, err := w.Write(part); err != nil {
			return err
		}
	}
	return w.Commit()
}

// checkIntact says whether the blob is one of the contents that writers put there.
func checkIntact(s blob.Store, key string) error {
	r, err := s.Open(context.Background(), key)
	if err != nil {
		return err
	}
	defer func() { _ = r.Close() }()
	got, err := io.ReadAll(io.NewSectionReader(r, 0, r.Size()))
	if err != nil {
		return err
	}
	for i := range concurrency {
		if bytes.Equal(got, contentOfWriter(i)) {
			return nil
		}
	}
	return fmt.Errorf("the blob of %d bytes is not what any one writer wrote", len(got))
}

func contentOfWriter(i int) []byte { return pattern(10_000+i*1_000, byte(i)) }

func manyWriters(t *testing.T, s blob.Store) {
	putBlob(t, s, "a/b/c", contentOfWriter(0))
	runConcurrently(t, func(i int) error {
		for range 5 {
			if err := replace(s, "a/b/c", contentOfWriter(i)); err != nil {
				return err
			}
			if err := checkIntact(s, "a/b/c"); err != nil {
				return err
			}
		}
		return nil
	})
	if err := checkIntact(s, "a/b/c"); err != nil {
		t.Fatal(err)
	}
	putBlob(t, s, "a/b/c", []byte("the last"))
	wantBlob(t, s, "a/b/c", []byte("the last"))
}

func manyReaders(t *testing.T, s blob.Store) {
	want := pattern(300_000, 3)
	putBlob(t, s, "a", want)
	r := openBlob(t, s, "a")
	runConcurrently(t, func(i int) error {
		buf := make([]byte, 1_000)
		for off := i * 100; off+len(buf) <= len(want); off += 7_000 {
			if _, err := r.ReadAt(buf, int64(off)); err != nil {
				return err
			}
			if !bytes.Equal(buf, want[off:off+len(buf)]) {
				return fmt.Errorf("wrong bytes at %d", off)
			}
		}
		return nil
	})
}

// writersAgainstDeletion commits while others delete. A commit may fail because
// its blob was deleted, but then nothing is there; other failures, such as a
// folder that vanished, are the store's fault.
func writersAgainstDeletion(t *testing.T, s blob.Store) {
	runConcurrently(t, func(i int) error {
		key := fmt.Sprintf("a/%d/c", i/2)
		for range 10 {
			if i%2 == 0 {
				if err := replace(s, key, contentOfWriter(i)); err != nil {
					return err
				}
				continue
			}
			if err := s.Delete(context.Background(), key); err != nil {
				return err
			}
			if err := checkIntact(s, key); err != nil && !errors.Is(err, blob.ErrNotFound) {
				return err
			}
		}
		return nil
	})
	runConcurrently(t, func(i int) error {
		if i%2 == 1 {
			return s.DeleteAll(context.Background(), "a")
		}
		_ = replace(s, fmt.Sprintf("a/%d/d", i), contentOfWriter(i))
		return nil
	})
	if err := s.DeleteAll(context.Background(), "a"); err != nil {
		t.Fatal(err)
	}
	wantNone(t, s, "a/0/c", "a/0/d", "a/2/d", "a/4/d", "a/6/d")
}
