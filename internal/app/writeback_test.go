package app

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"
)

// TestWriteBack writes more than the system is asked about at a time, in pieces
// of many sizes, and wants every byte in its place.
func TestWriteBack(t *testing.T) {
	name := filepath.Join(t.TempDir(), "file")
	file, err := os.Create(name)
	if err != nil {
		t.Fatal(err)
	}
	w := &writeBack{file: file}
	var want bytes.Buffer
	for size := 1; want.Len() < 3*writeBackBytes; size = size*3 + 1 {
		piece := bytes.Repeat([]byte{byte(size)}, min(size, 5<<20))
		want.Write(piece)
		if n, err := w.Write(piece); err != nil || n != len(piece) {
			t.Fatalf("%d bytes of %d, %v", n, len(piece), err)
		}
	}
	if err := file.Close(); err != nil {
		t.Fatal(err)
	}
	if got, err := os.ReadFile(name); err != nil || !bytes.Equal(got, want.Bytes()) {
		t.Errorf("other bytes than were written: %v", err)
	}
	if w.asked == 0 || w.end != int64(want.Len()) {
		t.Errorf("asked up to %d of %d", w.asked, w.end)
	}
	if _, err := w.Write([]byte("x")); err == nil {
		t.Error("a closed file was written to")
	}
}
