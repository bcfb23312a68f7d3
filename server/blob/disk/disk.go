// Package disk keeps blobs as files below one folder of the local machine.
//
// The root is that folder: it holds "blobs", where every file is a finished
// blob, and "tmp", where every file is an unfinished one. Drafts are the folder
// in "tmp" that belongs to one open Store. A blob is written there, flushed, and
// moved to its place, so that a crash leaves unfinished files only, which the
// next Open sweeps away.
//
// The package does not spread blobs over machines, does not count what is used,
// and does not hide its files: whoever may read the folder may read the blobs.
package disk

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/intraydata/intray/server/blob"
)

const (
	blobsFolder = "blobs"
	tempFolder  = "tmp"
	folderMode  = 0o700
	fileMode    = 0o600
	// maxPart leaves room for folderMark in the 255 bytes that file systems
	// give to a name.
	maxPart = 254
	// folderMark ends the name of every folder below "blobs". No key holds it,
	// so the blobs "a" and "a/b" can both be there.
	folderMark = "+"
)

// Config holds the choices of a Store. The zero Config works.
type Config struct {
	// Log is told what Open swept away. Default: nobody is told.
	Log *slog.Logger
	// NoSync says that the blobs need not outlive the machine: nothing is
	// flushed to the disk. For a folder that goes with the process that made it.
	NoSync bool
}

// Store is a blob.Store on the local disk. One part of a key may be 254 bytes
// long; a longer one is an error.
type Store struct {
	root   *os.Root
	lock   *os.File
	drafts string
	names  atomic.Int64
	// noSync is Config.Fleeting.
	noSync bool

	// commitMu is shared by commits and held alone by deletions: a commit must
	// not lose a folder between making it and moving its file there.
	commitMu sync.RWMutex

	writersMu sync.Mutex
	writers   map[*writer]struct{}
}

var (
	_ blob.Store  = (*Store)(nil)
	_ blob.Lister = (*Store)(nil)
)

// Open gives the store below root, makes the folder where there is none, and
// removes the unfinished files of processes that are gone. Several processes
// may have the same root open; one that deletes can then make a commit of
// another fail, never harm a blob.
func Open(root string, cfg Config) (*Store, error) {
	if err := os.MkdirAll(root, folderMode); err != nil {
		return nil, fmt.Errorf("making the blob folder: %w", err)
	}
	r, err := os.OpenRoot(root)
	if err != nil {
		return nil, fmt.Errorf("opening the blob folder: %w", err)
	}
	s := &Store{root: r, noSync: cfg.NoSync, writers: map[*writer]struct{}{}}
	if err := s.initialize(cfg.Log); err != nil {
		return nil, errors.Join(fmt.Errorf("opening the blob folder %s: %w", root, err), r.Close())
	}
	return s, nil
}

// Close gives the folder back. Blobs that are still being written are lost.
func (s *Store) Close() error {
	// Only an empty folder goes; a full one is left to the next Open.
	_ = s.root.Remove(s.drafts)
	return errors.Join(s.lock.Close(), s.root.Close())
}

// Create begins a blob.
func (s *Store) Create(ctx context.Context, key string) (blob.Writer, error) {
	if _, err := checkedFileName(ctx, key); err != nil {
		return nil, fmt.Errorf("creating a blob: %w", err)
	}
	temp := s.tempName()
	file, err := s.root.OpenFile(temp, os.O_WRONLY|os.O_CREATE|os.O_EXCL, fileMode)
	if err != nil {
		return nil, fmt.Errorf("creating blob %s: %w", key, err)
	}
	w := &writer{store: s, key: key, temp: temp, file: file}
	s.writersMu.Lock()
	defer s.writersMu.Unlock()
	s.writers[w] = struct{}{}
	return w, nil
}

// Open gives a blob for reading. What it gives stays whole when the blob is
// deleted or replaced.
func (s *Store) Open(ctx context.Context, key string) (blob.Reader, error) {
	name, err := checkedFileName(ctx, key)
	if err != nil {
		return nil, fmt.Errorf("opening a blob: %w", err)
	}
	file, err := s.root.Open(name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("opening blob %s: %w", key, blob.ErrNotFound)
	}
	if err != nil {
		return nil, fmt.Errorf("opening blob %s: %w", key, err)
	}
	stat, err := file.Stat()
	if err == nil && !stat.Mode().IsRegular() {
		err = errors.New("it is not an ordinary file")
	}
	if err != nil {
		return nil, errors.Join(fmt.Errorf("opening blob %s: %w", key, err), file.Close())
	}
	return &reader{File: file, size: stat.Size()}, nil
}

// Delete removes a blob; when it returns nil a crash does not bring it back.
func (s *Store) Delete(ctx context.Context, key string) error {
	name, err := checkedFileName(ctx, key)
	if err != nil {
		return fmt.Errorf("deleting a blob: %w", err)
	}
	s.commitMu.Lock()
	defer s.commitMu.Unlock()
	err = s.root.Remove(name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err == nil {
		err = s.pruneEmpty(path.Dir(name))
	}
	if err != nil {
		return fmt.Errorf("deleting blob %s: %w", key, err)
	}
	return nil
}

// DeleteAll removes every blob below prefix. They vanish together; a crash
// brings all of them back or none.
func (s *Store) DeleteAll(ctx context.Context, prefix string) error {
	name, err := checkedFileName(ctx, prefix)
	if err != nil {
		return fmt.Errorf("deleting blobs: %w", err)
	}
	trash, err := s.moveToTrash(prefix, name+folderMark)
	if err == nil && trash != "" {
		err = s.root.RemoveAll(trash)
	}
	if err != nil {
		return fmt.Errorf("deleting the blobs below %s: %w", prefix, err)
	}
	return nil
}

// CheckWritable writes, flushes and removes a small file.
func (s *Store) CheckWritable(ctx context.Context) error {
	if err := ctx.Err(); err != nil {
		return fmt.Errorf("checking the blob folder: %w", err)
	}
	name := s.tempName()
	err := s.writeProbe(name)
	if err = errors.Join(err, s.root.Remove(name)); err != nil {
		return fmt.Errorf("checking the blob folder: %w", err)
	}
	return nil
}

func (s *Store) writeProbe(name string) error {
	file, err := s.root.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, fileMode)
	if err != nil {
		return err
	}
	_, err = file.WriteString("ready?")
	return errors.Join(err, s.flush(file), file.Close())
}

func (s *Store) tempName() string {
	return path.Join(s.drafts, strconv.FormatInt(s.names.Add(1), 36))
}

func checkedFileName(ctx context.Context, key string) (string, error) {
	if err := ctx.Err(); err != nil {
		return "", err
	}
	return fileName(key)
}

// fileName gives the name of the blob's file below the root.
func fileName(key string) (string, error) {
	if !blob.ValidKey(key) {
		return "", fmt.Errorf("%q is not a blob key", key)
	}
	parts := strings.Split(key, "/")
	for _, part := range parts {
		if len(part) > maxPart {
			return "", fmt.Errorf("a part of the blob key is %d bytes long, the disk takes %d", len(part), maxPart)
		}
	}
	return blobsFolder + "/" + strings.Join(parts, folderMark+"/"), nil
}

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
	if err := w.checkOpen(); err != nil {
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

func (w *writer) checkOpen() error {
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
	if err := w.checkOpen(); err != nil {
		return fmt.Errorf("committing blob %s: %w", w.key, err)
	}
	defer w.Abort()
	if err := w.store.flush(w.file); err != nil {
		return fmt.Errorf("flushing blob %s: %w", w.key, err)
	}
	if err := w.moveIntoPlace(); err != nil {
		return fmt.Errorf("committing blob %s: %w", w.key, err)
	}
	return nil
}

func (w *writer) moveIntoPlace() error {
	s := w.store
	name, err := fileName(w.key)
	if err != nil {
		return err
	}
	s.commitMu.RLock()
	defer s.commitMu.RUnlock()
	if w.dropped.Load() {
		return errDropped
	}
	if err := s.root.MkdirAll(path.Dir(name), folderMode); err != nil {
		return err
	}
	if err := s.root.Rename(w.temp, name); err != nil {
		return err
	}
	return s.syncParents(path.Dir(name))
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
	w.store.writersMu.Lock()
	defer w.store.writersMu.Unlock()
	delete(w.store.writers, w)
}

// reader is the open file: it outlives the deletion of its name.
type reader struct {
	*os.File
	size int64
}

var _ blob.Reader = (*reader)(nil)

func (r *reader) Size() int64 { return r.size }
