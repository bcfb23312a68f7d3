package blobtest

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync"
	"testing"

	"github.com/intraydata/intray/server/blob"
)

// pattern returns n bytes that repeat only every 64 KiB. The first byte is seed.
func pattern(n int, seed byte) []byte {
	content := make([]byte, n)
	for i := range content {
		content[i] = byte(i>>8) ^ byte(i)*31 ^ seed
	}
	return content
}

func readsWhatWasWritten(t *testing.T, s blob.Store) {
	for _, size := range []int{0, 1, 4095, 4096, 3<<20 + 7} {
		want := pattern(size, 1)
		w := create(t, s, "files/one")
		for rest := want; len(rest) > 0; {
			n := min(len(rest), 100_003)
			write(t, w, rest[:n])
			rest = rest[n:]
		}
		if err := w.Commit(); err != nil {
			t.Fatalf("Commit: %v", err)
		}
		r := openBlob(t, s, "files/one")
		if r.Size() != int64(size) {
			t.Fatalf("Size is %d, want %d", r.Size(), size)
		}
		if !bytes.Equal(readAll(t, r), want) {
			t.Fatalf("%d bytes were read differently", size)
		}
		checkReadAtEdges(t, r, want)
	}
}

func checkReadAtEdges(t *testing.T, r blob.Reader, want []byte) {
	t.Helper()
	end := int64(len(want))
	buf := make([]byte, 10)
	for _, off := range []int64{end, end + 1, end + 1<<20} {
		if n, err := r.ReadAt(buf, off); n != 0 || !errors.Is(err, io.EOF) {
			t.Fatalf("ReadAt(%d) of %d bytes returned %d, %v, want 0, EOF", off, end, n, err)
		}
	}
	if n, err := r.ReadAt(buf, -1); n != 0 || err == nil || errors.Is(err, io.EOF) {
		t.Fatalf("ReadAt(-1) returned %d, %v, want an error", n, err)
	}
	if end < 10 {
		return
	}
	n, err := r.ReadAt(buf, end-4)
	if n != 4 || !errors.Is(err, io.EOF) || !bytes.Equal(buf[:n], want[end-4:]) {
		t.Fatalf("ReadAt over the end returned %d, %v, want the last 4 bytes and EOF", n, err)
	}
}

func commitMakesVisible(t *testing.T, s blob.Store) {
	w := create(t, s, "a/b")
	wantNone(t, s, "a/b")
	write(t, w, []byte("half"))
	wantNone(t, s, "a/b")
	write(t, w, []byte(" and half"))
	if err := w.Commit(); err != nil {
		t.Fatalf("Commit: %v", err)
	}
	wantBlob(t, s, "a/b", []byte("half and half"))
}

func abortDiscards(t *testing.T, s blob.Store) {
	w := create(t, s, "a/b")
	write(t, w, []byte("half"))
	w.Abort()
	w.Abort()
	wantNone(t, s, "a/b", "a")

	putBlob(t, s, "a/b", []byte("first"))
	w = create(t, s, "a/b")
	write(t, w, []byte("second"))
	w.Abort()
	wantBlob(t, s, "a/b", []byte("first"))
}

func useAfterEnd(t *testing.T, s blob.Store) {
	ends := map[string]func(blob.Writer){
		"commit": func(w blob.Writer) { _ = w.Commit() },
		"abort":  func(w blob.Writer) { w.Abort() },
	}
	for name, end := range ends {
		w := create(t, s, name)
		write(t, w, []byte("text"))
		end(w)
		if n, err := w.Write([]byte("more")); n != 0 || err == nil {
			t.Errorf("Write after %s returned %d, %v, want an error", name, n, err)
		}
		if err := w.Commit(); err == nil {
			t.Errorf("Commit after %s returned nil, want an error", name)
		}
		w.Abort()
	}
	wantBlob(t, s, "commit", []byte("text"))
	wantNone(t, s, "abort")
}

func commitReplaces(t *testing.T, s blob.Store) {
	putBlob(t, s, "a", []byte("a long first content"))
	before := openBlob(t, s, "a")
	putBlob(t, s, "a", []byte("short"))
	wantBlob(t, s, "a", []byte("short"))
	if got := readAll(t, before); string(got) != "a long first content" {
		t.Errorf("the earlier reader now reads %q", got)
	}
}

func readerAfterDeletion(t *testing.T, s blob.Store) {
	want := pattern(200_000, 9)
	deletions := map[string]func() error{
		"Delete":    func() error { return s.Delete(context.Background(), "a/b/c") },
		"DeleteAll": func() error { return s.DeleteAll(context.Background(), "a") },
	}
	for name, deletion := range deletions {
		putBlob(t, s, "a/b/c", want)
		r := openBlob(t, s, "a/b/c")
		if err := deletion(); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		wantNone(t, s, "a/b/c")
		got, err := io.ReadAll(io.NewSectionReader(r, 0, r.Size()))
		if err == nil && !bytes.Equal(got, want) || r.Size() != int64(len(want)) {
			t.Errorf("after %s, the open reader reads something else", name)
		}
	}
}

func missingBlobs(t *testing.T, s blob.Store) {
	wantNone(t, s, "a", "a/b", "a/b/c")
	putBlob(t, s, "a/b", nil)
	wantNone(t, s, "a", "a/bb", "a/b/c", "b", "b/a")
}

func keysWithCommonPrefix(t *testing.T, s blob.Store) {
	putBlob(t, s, "a/b/c", []byte("1"))
	putBlob(t, s, "a/bc", []byte("2"))
	putBlob(t, s, "a/b.d", []byte("dotted"))
	if err := s.Delete(context.Background(), "a/bc"); err != nil {
		t.Fatalf("Delete: %v", err)
	}
	wantNone(t, s, "a/bc")
	wantBlob(t, s, "a/b/c", []byte("1"))
	wantBlob(t, s, "a/b.d", []byte("dotted"))
}

func longKeys(t *testing.T, s blob.Store) {
	keys := []string{
		strings.Repeat("x", 254),
		strings.Repeat("x/", 255) + "yz",
		strings.Repeat("0123456789abcdef/", 29) + "a_b-c.parquet",
		"a..b/-c/_/0",
	}
	for i, key := range keys {
		putBlob(t, s, key, pattern(100, byte(i)))
	}
	for i, key := range keys {
		wantBlob(t, s, key, pattern(100, byte(i)))
	}
}

func deleteOne(t *testing.T, s blob.Store) {
	putBlob(t, s, "a/b", []byte("deleted"))
	putBlob(t, s, "a/c", []byte("remains"))
	for range 2 {
		if err := s.Delete(context.Background(), "a/b"); err != nil {
			t.Fatalf("Delete: %v", err)
		}
		wantNone(t, s, "a/b")
	}
	wantBlob(t, s, "a/c", []byte("remains"))
	putBlob(t, s, "a/b", []byte("back"))
	wantBlob(t, s, "a/b", []byte("back"))
}

func deleteAll(t *testing.T, s blob.Store) {
	deleted := []string{"a/b/c", "a/b/cd", "a/b/d/e/f"}
	remaining := []string{"a/bc", "a/b.c/d", "a/b-/d", "a/c/b", "b/a/b/c"}
	for _, key := range append(deleted, remaining...) {
		putBlob(t, s, key, []byte(key))
	}
	for range 2 {
		if err := s.DeleteAll(context.Background(), "a/b"); err != nil {
			t.Fatalf("DeleteAll: %v", err)
		}
		wantNone(t, s, deleted...)
		for _, key := range remaining {
			wantBlob(t, s, key, []byte(key))
		}
	}
	putBlob(t, s, "a/b/c", []byte("back"))
	wantBlob(t, s, "a/b/c", []byte("back"))
}

func deleteAllUnfinished(t *testing.T, s blob.Store) {
	fresh, written := create(t, s, "a/b/fresh"), create(t, s, "a/b/deep/written")
	write(t, written, []byte("half"))
	sibling := create(t, s, "a/bc")
	if err := s.DeleteAll(context.Background(), "a/b"); err != nil {
		t.Fatalf("DeleteAll: %v", err)
	}
	for _, w := range []blob.Writer{fresh, written} {
		if _, err := w.Write([]byte("more")); err == nil {
			t.Error("Write to a deleted blob returned nil, want an error")
		}
		if err := w.Commit(); err == nil {
			t.Error("Commit of a deleted blob returned nil, want an error")
		}
	}
	wantNone(t, s, "a/b/fresh", "a/b/deep/written")
	if err := sibling.Commit(); err != nil {
		t.Errorf("Commit of a blob outside the prefix: %v", err)
	}
	putBlob(t, s, "a/b/fresh", []byte("again"))
	wantBlob(t, s, "a/b/fresh", []byte("again"))
}

const concurrency = 8

// runConcurrently calls the function work in several goroutines. It fails the test if a call
// returns an error.
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

// checkIntact returns an error if the content of the blob was not written by a single writer.
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
	return fmt.Errorf("the blob of %d bytes has not the content of one writer", len(got))
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
	putBlob(t, s, "a/b/c", []byte("last"))
	wantBlob(t, s, "a/b/c", []byte("last"))
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

// writersAgainstDeletion commits and deletes blobs concurrently. Delete must not make a commit
// fail, for example because it removed a folder. DeleteAll may make a commit fail. After the
// last DeleteAll, no blob may remain.
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
