package filesys_test

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"github.com/intraydata/intray/internal/filesys"
)

func open(t *testing.T, name string) *os.File {
	t.Helper()
	file, err := os.OpenFile(name, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = file.Close() })
	return file
}

func tryLock(t *testing.T, file *os.File, want bool) {
	t.Helper()
	if got, err := filesys.TryLock(file); got != want || err != nil {
		t.Errorf("TryLock: %v, %v; want %v", got, err, want)
	}
}

func TestLock(t *testing.T) {
	name := filepath.Join(t.TempDir(), "file")
	first, second := open(t, name), open(t, name)
	if err := filesys.Lock(first); err != nil {
		t.Fatal(err)
	}
	tryLock(t, second, false)
	if _, err := second.WriteString("written without the lock"); err != nil {
		t.Errorf("write a locked file: %v", err)
	}
	if content, err := os.ReadFile(name); string(content) != "written without the lock" || err != nil {
		t.Errorf("read a locked file: %q, %v", content, err)
	}

	locked := make(chan error, 1)
	go func() { locked <- filesys.Lock(second) }()
	if err := first.Close(); err != nil {
		t.Fatal(err)
	}
	if err := <-locked; err != nil {
		t.Fatalf("Lock after the first file was closed: %v", err)
	}
	tryLock(t, open(t, name), false)
}

func TestSharedLock(t *testing.T) {
	name := filepath.Join(t.TempDir(), "file")
	first, second, exclusive := open(t, name), open(t, name), open(t, name)
	for _, file := range []*os.File{first, second} {
		if free, err := filesys.TryLockShared(file); !free || err != nil {
			t.Errorf("TryLockShared: %v, %v", free, err)
		}
	}
	tryLock(t, exclusive, false)
	if err := errors.Join(first.Close(), second.Close()); err != nil {
		t.Fatal(err)
	}
	tryLock(t, exclusive, true)
	if free, err := filesys.TryLockShared(open(t, name)); free || err != nil {
		t.Errorf("TryLockShared of a locked file: %v, %v", free, err)
	}
}

func TestFolderLock(t *testing.T) {
	folder := t.TempDir()
	root, err := os.OpenRoot(folder)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = root.Close() })
	if err := root.Mkdir("drafts", 0o700); err != nil {
		t.Fatal(err)
	}
	var locks [2]*os.File
	for i := range locks {
		if locks[i], err = filesys.OpenFolderLock(root, "drafts"); err != nil {
			t.Fatal(err)
		}
		defer func() { _ = locks[i].Close() }()
	}
	tryLock(t, locks[0], true)
	tryLock(t, locks[1], false)
	for _, lock := range locks {
		if err := lock.Close(); err != nil {
			t.Fatal(err)
		}
	}
	// Without the lock file, the folder is empty and can be removed.
	if err := filesys.RemoveFolderLock(root, "drafts"); err != nil {
		t.Error(err)
	}
	if err := root.Remove("drafts"); err != nil {
		t.Error(err)
	}
}

func TestSyncFolder(t *testing.T) {
	folder := t.TempDir()
	if err := filesys.SyncFolder(folder); err != nil {
		t.Error(err)
	}
	if err := filesys.SyncFolder(filepath.Join(folder, "missing")); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("SyncFolder of a missing folder: %v", err)
	}
}
