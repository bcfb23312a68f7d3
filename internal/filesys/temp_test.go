package filesys

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"testing"
)

func TestCreateTemp(t *testing.T) {
	folder := t.TempDir()
	file, err := CreateTemp(folder, "rows-*")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := file.WriteString("some rows"); err != nil {
		t.Fatal(err)
	}
	got := make([]byte, 4)
	if _, err := file.ReadAt(got, 5); err != nil && !errors.Is(err, io.EOF) || string(got) != "rows" {
		t.Errorf("%q, %v", got, err)
	}
	if err := file.Close(); err != nil {
		t.Error(err)
	}
	if err := file.Close(); !errors.Is(err, os.ErrClosed) {
		t.Errorf("a second Close: %v", err)
	}
	// A system that cannot remove open files keeps the name until Close.
	named, err := os.Create(filepath.Join(folder, "named"))
	if err != nil {
		t.Fatal(err)
	}
	if err := (&TempFile{named, true}).Close(); err != nil {
		t.Error(err)
	}
	if left, err := os.ReadDir(folder); err != nil || len(left) > 0 {
		t.Errorf("%d files remain, %v", len(left), err)
	}
	if _, err := CreateTemp(filepath.Join(folder, "missing"), "rows-*"); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("in a missing folder: %v", err)
	}
}
