// Package disk stores blobs as files in a local folder.
//
// The folder has two subfolders: "blobs" has the finished blobs, and "tmp" has one drafts
// folder for each open Store, with its unfinished blobs. A blob is written to the drafts,
// flushed, and renamed, so that a crash leaves only unfinished files. The next Open deletes
// them.
//
// The package does not replicate blobs, does not limit their size, and does not encrypt them.
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
	// maxPart is the maximum length of a part of a key, in bytes. With folderMark it has the
	// 255 bytes that file systems accept.
	maxPart = 254
	// folderMark ends the name of every folder below "blobs". Keys cannot contain it, so that
	// the blobs "a" and "a/b" can both exist.
	folderMark = "+"
)

// Config configures a Store. The zero Config works.
type Config struct {
	// Log logs which unfinished files Open deleted. Default: no logging.
	Log *slog.Logger
	// NoSync skips flushing to the disk, for a folder that is deleted with its process.
	// Blobs may then be lost if the machine crashes.
	NoSync bool
}

// Store is a [blob.Store] on the local disk. Parts of keys may have at most 254 bytes.
type Store struct {
	root   *os.Root
	lock   *os.File
	drafts string
	names  atomic.Int64
	noSync bool

	// commitMu is locked for reading by commits and for writing by deletions: no folder may
	// be deleted after a commit created it and before its file is there.
	commitMu sync.RWMutex

	writersMu sync.Mutex
	writers   map[*writer]struct{}
}

var (
	_ blob.Store  = (*Store)(nil)
	_ blob.Lister = (*Store)(nil)
)

// Open opens the store in the folder root. It creates a missing folder and deletes the
// unfinished files of ended processes. Several processes may open the same folder. A deletion
// in one can then make a commit in another fail, but never damages a blob.
func Open(root string, cfg Config) (*Store, error) {
	if err := os.MkdirAll(root, folderMode); err != nil {
		return nil, fmt.Errorf("create the blob folder: %w", err)
	}
	r, err := os.OpenRoot(root)
	if err != nil {
		return nil, fmt.Errorf("open the blob folder: %w", err)
	}
	s := &Store{root: r, noSync: cfg.NoSync, writers: map[*writer]struct{}{}}
	if err := s.initialize(cfg.Log); err != nil {
		return nil, errors.Join(fmt.Errorf("open the blob folder %s: %w", root, err), r.Close())
	}
	return s, nil
}

// Close closes the store. Unfinished blobs are lost.
func (s *Store) Close() error {
	// This deletes the folder only if it is empty. Otherwise, the next Open does.
	_ = s.root.Remove(s.drafts)
	return errors.Join(s.lock.Close(), s.root.Close())
}

// Create begins a blob.
func (s *Store) Create(ctx context.Context, key string) (blob.Writer, error) {
	if _, err := checkedFileName(ctx, key); err != nil {
		return nil, fmt.Errorf("create a blob: %w", err)
	}
	temp := s.tempName()
	file, err := s.root.OpenFile(temp, os.O_WRONLY|os.O_CREATE|os.O_EXCL, fileMode)
	if err != nil {
		return nil, fmt.Errorf("create blob %s: %w", key, err)
	}
	w := &writer{store: s, key: key, temp: temp, file: file}
	s.writersMu.Lock()
	defer s.writersMu.Unlock()
	s.writers[w] = struct{}{}
	return w, nil
}

// Open opens a blob for reading. The reader remains valid after the blob is deleted or
// replaced.
func (s *Store) Open(ctx context.Context, key string) (blob.Reader, error) {
	name, err := checkedFileName(ctx, key)
	if err != nil {
		return nil, fmt.Errorf("open a blob: %w", err)
	}
	file, err := s.root.Open(name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("open blob %s: %w", key, blob.ErrNotFound)
	}
	if err != nil {
		return nil, fmt.Errorf("open blob %s: %w", key, err)
	}
	stat, err := file.Stat()
	if err == nil && !stat.Mode().IsRegular() {
		err = errors.New("not a regular file")
	}
	if err != nil {
		return nil, errors.Join(fmt.Errorf("open blob %s: %w", key, err), file.Close())
	}
	return &reader{File: file, size: stat.Size()}, nil
}

// Delete deletes a blob. When it returns nil, the deletion survives a crash.
func (s *Store) Delete(ctx context.Context, key string) error {
	name, err := checkedFileName(ctx, key)
	if err != nil {
		return fmt.Errorf("delete a blob: %w", err)
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
		return fmt.Errorf("delete blob %s: %w", key, err)
	}
	return nil
}

// DeleteAll deletes all blobs below prefix at once: after a crash, all of them or none exist.
func (s *Store) DeleteAll(ctx context.Context, prefix string) error {
	name, err := checkedFileName(ctx, prefix)
	if err != nil {
		return fmt.Errorf("delete blobs: %w", err)
	}
	trash, err := s.moveToTrash(prefix, name+folderMark)
	if err == nil && trash != "" {
		err = s.root.RemoveAll(trash)
	}
	if err != nil {
		return fmt.Errorf("delete the blobs below %s: %w", prefix, err)
	}
	return nil
}

// CheckWritable writes, flushes and deletes a small file.
func (s *Store) CheckWritable(ctx context.Context) error {
	if err := ctx.Err(); err != nil {
		return fmt.Errorf("check the blob folder: %w", err)
	}
	name := s.tempName()
	err := s.writeProbe(name)
	if err = errors.Join(err, s.root.Remove(name)); err != nil {
		return fmt.Errorf("check the blob folder: %w", err)
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

// fileName returns the path of a blob's file, relative to the root.
func fileName(key string) (string, error) {
	if !blob.ValidKey(key) {
		return "", fmt.Errorf("%q is not a blob key", key)
	}
	parts := strings.Split(key, "/")
	for _, part := range parts {
		if len(part) > maxPart {
			return "", fmt.Errorf("a part of the blob key has %d bytes, but the maximum is %d", len(part), maxPart)
		}
	}
	return blobsFolder + "/" + strings.Join(parts, folderMark+"/"), nil
}

var errDropped = errors.New("deleted while it was written")

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
		return 0, fmt.Errorf("write blob %s: %w", w.key, err)
	}
	n, err := w.file.Write(p)
	if err != nil {
		// The file may be incomplete and must not be committed.
		w.failed = err
		return n, fmt.Errorf("write blob %s: %w", w.key, err)
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

// Commit flushes the file, renames it and flushes the folders.
func (w *writer) Commit() error {
	if err := w.checkOpen(); err != nil {
		return fmt.Errorf("commit blob %s: %w", w.key, err)
	}
	defer w.Abort()
	if err := w.store.flush(w.file); err != nil {
		return fmt.Errorf("flush blob %s: %w", w.key, err)
	}
	if err := w.rename(); err != nil {
		return fmt.Errorf("commit blob %s: %w", w.key, err)
	}
	return nil
}

func (w *writer) rename() error {
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

// Abort discards the blob.
func (w *writer) Abort() {
	if w.closed {
		return
	}
	w.closed = true
	_ = w.file.Close()
	// After a commit, the file does not exist. If it cannot be deleted, the next Open does.
	_ = w.store.root.Remove(w.temp)
	w.store.writersMu.Lock()
	defer w.store.writersMu.Unlock()
	delete(w.store.writers, w)
}

// reader is an open file, which remains readable after its deletion.
type reader struct {
	*os.File
	size int64
}

var _ blob.Reader = (*reader)(nil)

func (r *reader) Size() int64 { return r.size }
