package server

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"testing"
)

// TestLongFile writes pieces of many sizes and compares the file with them, with
// and without support for direct I/O.
func TestLongFile(t *testing.T) {
	folders := map[string]string{"disk": t.TempDir()}
	if memory, err := os.MkdirTemp("/dev/shm", "intray"); err == nil {
		t.Cleanup(func() { _ = os.RemoveAll(memory) })
		folders["memory"] = memory
	}
	for where, folder := range folders {
		for _, most := range []int{10, blockSize - 1, blockSize, blockSize + 1, 3*blockSize + 77} {
			name := filepath.Join(folder, "file")
			want := writeLong(t, name, most)
			if got, err := os.ReadFile(name); err != nil || !bytes.Equal(got, want) {
				t.Errorf("%s, %d bytes: the content differs from what was written: %v", where, most, err)
			}
		}
	}
}

func writeLong(t *testing.T, name string, most int) []byte {
	t.Helper()
	file, err := os.Create(name)
	if err != nil {
		t.Fatal(err)
	}
	l := newDirectFile(file)
	var want bytes.Buffer
	for size := 1; want.Len() < most; size = size*3 + 1 {
		piece := bytes.Repeat([]byte{byte(size)}, min(size, most-want.Len()))
		want.Write(piece)
		if n, err := l.Write(piece); err != nil || n != len(piece) {
			t.Fatalf("%d bytes of %d, %v", n, len(piece), err)
		}
	}
	if err := l.Flush(); err != nil {
		t.Fatal(err)
	}
	// After a flush, more can be written.
	want.WriteString("end")
	if _, err := l.Write([]byte("end")); err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(l.Flush(), file.Close()); err != nil {
		t.Fatal(err)
	}
	if _, err := l.Write(make([]byte, blockSize)); err == nil {
		t.Error("a write to a closed file succeeded")
	}
	return want.Bytes()
}
