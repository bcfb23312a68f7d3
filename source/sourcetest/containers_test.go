package sourcetest

import (
	"archive/zip"
	"bytes"
	"fmt"
	"testing"
)

func TestZip(t *testing.T) {
	raw := Zip(t, File("a", "text"), File("mimetype", "text"), Stored("b", ""), Entry{zip.FileHeader{Name: "c", Method: ZipZstd}, "text"})
	dir, err := zip.NewReader(bytes.NewReader(raw), int64(len(raw)))
	if err != nil {
		t.Fatal(err)
	}
	got := ""
	for _, f := range dir.File {
		got += fmt.Sprintf("%s by %d, %d bytes; ", f.Name, f.Method, f.UncompressedSize64)
	}
	if got != "a by 8, 4 bytes; mimetype by 0, 4 bytes; b by 0, 0 bytes; c by 93, 4 bytes; " {
		t.Error(got)
	}
}

func TestUTF16LE(t *testing.T) {
	if got := string(UTF16LE("aŁ\U0001F600")); got != "a\x00\x41\x01\x3D\xD8\x00\xDE" {
		t.Errorf("%x", got)
	}
}
