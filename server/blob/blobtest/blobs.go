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

// pattern gives n bytes that differ from place to place.
func pattern(n int, seed byte) []byte {
	content := make([]byte, n)
	for i := range content {
		content[i] = byte(i>>8) ^ byte(i)*31 ^ seed
	}
	return content
}

func writtenIsRead(t *testing.T, s blob.Store) {
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
			t.Fatalf("%d bytes came back changed", size)
		}
		readsAtEdges(t, r, want)
	}
}

func readsAtEdges(t *testing.T, r blob.Reader, want []byte) {
	t.Helper()
	end := int64(len(want))
	buf := make([]byte, 10)
	for _, off := range []int64{end, end + 1, end + 1<<20} {
		if n, err := r.ReadAt(buf, off); n != 0 || !errors.Is(err, io.EOF) {
			t.Fatalf("ReadAt(%d) of %d bytes gave %d, %v, want 0, EOF", off, end, n, err)
		}
	}
	if n, err := r.ReadAt(buf, -1); n != 0 || err == nil || errors.Is(err, io.EOF) {
		t.Fatalf("ReadAt(-1) gave %d, %v, want an error", n, err)
	}
	if end < 10 {
		return
	}
	n, err := r.ReadAt(buf, end-4)
	if n != 4 || !errors.Is(err, io.EOF) || !bytes.Equal(buf[:n], want[end-4:]) {
		t.Fatalf("ReadAt over the end gave %d, %v, want the last 4 bytes and EOF", n, err)
	}
}

func appearsAtCommit(t *testing.T, s blob.Store) {
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

func abortLeavesNothing(t *testing.T, s blob.Store) {
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

func finishedWriter(t *testing.T, s blob.Store) {
	ends := map[string]func(blob.Writer){
		"commit": func(w blob.Writer) { _ = w.Commit() },
		"abort":  func(w blob.Writer) { w.Abort() },
	}
	for name, end := range ends {
		w := create(t, s, name)
		write(t, w, []byte("text"))
		end(w)
		if n, err := w.Write([]byte("more")); n != 0 || err == nil {
			t.Errorf("Write after %s gave %d, %v, want an error", name, n, err)
		}
		if err := w.Commit(); err == nil {
			t.Errorf("Commit after %s gave nil, want an error", name)
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
		t.Errorf("the reader from before now reads %q", got)
	}
}

func readerOutlives(t *testing.T, s blob.Store) {
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
		if !bytes.Equal(readAll(t, r), want) || r.Size() != int64(len(want)) {
			t.Errorf("after %s the open reader is no longer whole", name)
		}
	}
}

func notFound(t *testing.T, s blob.Store) {
	wantNone(t, s, "a", "a/b", "a/b/c")
	putBlob(t, s, "a/b", nil)
	wantNone(t, s, "a", "a/bb", "a/b/c", "b", "b/a")
}

func keyBesideLonger(t *testing.T, s blob.Store) {
	putBlob(t, s, "a/b/c", []byte("3"))
	putBlob(t, s, "a", []byte("1"))
	putBlob(t, s, "a/b", []byte("2"))
	putBlob(t, s, "a/b.d", []byte("dotted"))
	wantBlob(t, s, "a", []byte("1"))
	wantBlob(t, s, "a/b", []byte("2"))
	wantBlob(t, s, "a/b/c", []byte("3"))
	if err := s.Delete(context.Background(), "a/b"); err != nil {
		t.Fatalf("Delete: %v", err)
	}
	wantNone(t, s, "a/b")
	wantBlob(t, s, "a", []byte("1"))
	wantBlob(t, s, "a/b/c", []byte("3"))
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
	putBlob(t, s, "a/b", []byte("gone"))
	putBlob(t, s, "a/c", []byte("stays"))
	for range 2 {
		if err := s.Delete(context.Background(), "a/b"); err != nil {
			t.Fatalf("Delete: %v", err)
		}
		wantNone(t, s, "a/b")
	}
	wantBlob(t, s, "a/c", []byte("stays"))
	putBlob(t, s, "a/b", []byte("back"))
	wantBlob(t, s, "a/b", []byte("back"))
}

func deleteAll(t *testing.T, s blob.Store) {
	gone := []string{"a/b/c", "a/b/c/d", "a/b/d/e/f"}
	stay := []string{"a/b", "a/bc", "a/b.c/d", "a/b-/d", "a/c/b", "b/a/b/c"}
	for _, key := range append(gone, stay...) {
		putBlob(t, s, key, []byte(key))
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
	putBlob(t, s, "a/b/c", []byte("back"))
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
	putBlob(t, s, "a/b/fresh", []byte("anew"))
	wantBlob(t, s, "a/b/fresh", []byte("anew"))
}
