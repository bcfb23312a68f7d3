package disk

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"

	"github.com/intraydata/intray/internal/filesys"
	"github.com/intraydata/intray/server/blob"
	"github.com/intraydata/intray/server/blob/unfinished"
)

// Append opens a blob for writing at its end. The operating system locks the file, so that only
// one process writes it, and releases the lock when the process ends.
func (s *Store) Append(ctx context.Context, key string) (blob.Appender, error) {
	name, err := checkedFileName(ctx, key)
	if err != nil {
		return nil, fmt.Errorf("append to a blob: %w", err)
	}
	s.commitMu.RLock() // a deletion must not remove the folder before the file is in it
	defer s.commitMu.RUnlock()
	w, err := s.openAppender(key, name)
	if err != nil {
		return nil, fmt.Errorf("append to blob %s: %w", key, err)
	}
	s.open.Add(&w.Blob, false)
	return w, nil
}

func (s *Store) openAppender(key, name string) (*appender, error) {
	if err := s.makeFolder(path.Dir(name)); err != nil {
		return nil, err
	}
	file, err := s.root.OpenFile(name, os.O_RDWR|os.O_CREATE, fileMode)
	if err != nil {
		return nil, err
	}
	filesys.InheritFolderOwner(s.root, name)
	w := &appender{Blob: unfinished.Blob{Key: key, Visible: true}, store: s, file: file, name: name}
	if err := w.lock(); err != nil {
		return nil, errors.Join(err, file.Close())
	}
	return w, nil
}

// appender writes a file at its final path.
type appender struct {
	unfinished.Blob
	store *Store
	file  *os.File
	name  string
	size  int64
	// linked means that the folders of the file were flushed.
	linked bool
}

var _ blob.Appender = (*appender)(nil)

// lock locks the file and reads its size.
func (w *appender) lock() error {
	locked, err := filesys.TryLock(w.file)
	if err != nil {
		return err
	}
	if !locked {
		return blob.ErrInUse
	}
	if err := w.checkLinked(); err != nil {
		return err
	}
	w.size, err = w.file.Seek(0, io.SeekEnd)
	return err
}

// checkLinked returns an error if the file was deleted, which another process may have done.
func (w *appender) checkLinked() error {
	own, err := w.file.Stat()
	if err != nil {
		return err
	}
	named, err := w.store.root.Stat(w.name)
	if errors.Is(err, fs.ErrNotExist) || err == nil && !os.SameFile(own, named) {
		return unfinished.ErrDropped
	}
	return err
}

func (w *appender) Write(p []byte) (int, error) {
	err := w.Err()
	n := 0
	if err == nil {
		n, err = w.file.Write(p)
		w.size += int64(n)
	}
	if err != nil {
		return n, fmt.Errorf("append to blob %s: %w", w.Key, err)
	}
	return n, nil
}

func (w *appender) ReadAt(p []byte, off int64) (int, error) { return w.file.ReadAt(p, off) }

func (w *appender) Size() int64 { return w.size }

func (w *appender) Truncate(size int64) error {
	err := w.Err()
	if err == nil {
		err = w.file.Truncate(size)
	}
	if err == nil {
		w.size, err = w.file.Seek(0, io.SeekEnd)
	}
	if err != nil {
		return fmt.Errorf("truncate blob %s: %w", w.Key, err)
	}
	return nil
}

// Sync flushes the file and, the first time, its folders.
func (w *appender) Sync() error {
	err := w.Err()
	if err == nil {
		err = w.store.flush(w.file)
	}
	if err == nil {
		err = w.flushLink()
	}
	if err != nil {
		return fmt.Errorf("flush blob %s: %w", w.Key, err)
	}
	return nil
}

// flushLink flushes the folders of the file, unless it did so before, and checks that the file was
// not deleted.
func (w *appender) flushLink() error {
	w.store.commitMu.RLock()
	defer w.store.commitMu.RUnlock()
	if w.Dropped() {
		return unfinished.ErrDropped
	}
	if !w.linked {
		if err := w.store.flushFolders(path.Dir(w.name)); err != nil {
			return err
		}
		w.linked = true
	}
	return w.checkLinked()
}

func (w *appender) Close() error {
	if !w.store.open.Close(&w.Blob) {
		return nil
	}
	return w.file.Close()
}
