package disk

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"sync/atomic"

	"github.com/intraydata/intray/internal/blob"
)

var errDropped = errors.New("it was deleted while it was being written")

// writer is a blob being written. It belongs to one goroutine.
type writer struct {
	store   *Store
	key     string
	temp    string
	file    *os.File
	closed  bool
	failed  error
	dropped atomic.Bool
}

var _ blob.Writer = (*writer)(nil)

func (w *writer) Write(p []byte) (int, error) {
	if err := w.usable(); err != nil {
		return 0, fmt.Errorf("writing blob %s: %w", w.key, err)
	}
	n, err := w.file.Write(p)
	if err != nil {
		// After a short write the file has a hole in its story: no Commit.
		w.failed = err
		return n, fmt.Errorf("writing blob %s: %w", w.key, err)
	}
	return n, nil
}

func (w *writer) usable() error {
	if w.closed {
		return fs.ErrClosed
	}
	if w.dropped.Load() {
		return errDropped
	}
	return w.failed
}

// Commit flushes the file, moves it to its place and flushes the folders.
func (w *writer) Commit() error {
	if err := w.usable(); err != nil {
		return fmt.Errorf("committing blob %s: %w", w.key, err)
	}
	defer w.Abort()
	if err := w.store.flush(w.file); err != nil {
		return fmt.Errorf("flushing blob %s: %w", w.key, err)
	}
	if err := w.place(); err != nil {
		return fmt.Errorf("committing blob %s: %w", w.key, err)
	}
	return nil
}

func (w *writer) place() error {
	s := w.store
	name, err := nameOf(w.key)
	if err != nil {
		return err
	}
	s.placing.RLock()
	defer s.placing.RUnlock()
	if w.dropped.Load() {
		return errDropped
	}
	if err := s.root.MkdirAll(path.Dir(name), folderMode); err != nil {
		return err
	}
	if err := s.root.Rename(w.temp, name); err != nil {
		return err
	}
	return s.syncUp(path.Dir(name))
}

// Abort drops what was written.
func (w *writer) Abort() {
	if w.closed {
		return
	}
	w.closed = true
	_ = w.file.Close()
	// After a commit there is no such file; what cannot be removed is swept by
	// the next Open.
	_ = w.store.root.Remove(w.temp)
	w.store.writing.Lock()
	defer w.store.writing.Unlock()
	delete(w.store.writers, w)
}

// reader is the open file: it outlives the deletion of its name.
type reader struct {
	*os.File
	size int64
}

var _ blob.Reader = (*reader)(nil)

func (r *reader) Size() int64 { return r.size }
