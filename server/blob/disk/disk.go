// Package disk stores blobs as files in a local folder.
//
// The folder has two subfolders. "blobs" contains the finished blobs. "tmp" contains
// a drafts folder for each open Store, with its unfinished blobs. A blob is written
// to the drafts folder, flushed, and renamed. A crash therefore leaves only
// unfinished files, which the next Open deletes. A blob that is written in several steps is in
// "blobs" from the start, and is locked while it is written. The lock on the file "hold" suspends
// deletions.
//
// The package does not replicate or encrypt blobs, and does not limit their size.
package disk

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/intraydata/intray/internal/filesys"
	"github.com/intraydata/intray/server/blob"
	"github.com/intraydata/intray/server/blob/unfinished"
)

const (
	blobsFolder = "blobs"
	tempFolder  = "tmp"
	folderMode  = 0o700
	fileMode    = 0o600
	// maxPart is the maximum length of a part of a key, in bytes. With folderMark added, a
	// part then has at most 255 bytes, the maximum that file systems accept.
	maxPart = 254
	// folderMark is the suffix of the name of every folder in "blobs". Keys cannot contain it.
	// Therefore, the blobs "a" and "a/b" can both exist.
	folderMark = "+"
)

// Config configures a Store. The zero value uses the defaults.
type Config struct {
	// Log reports the unfinished files that Open deletes. By default, nothing is logged.
	Log *slog.Logger
	// NoSync skips flushing to the disk. Use it for a folder that is deleted when its
	// process ends. If the machine crashes, blobs may be lost.
	NoSync bool
}

// Store is a [blob.Store] on the local disk. Each part of a key can have at most 254 bytes.
type Store struct {
	root   *os.Root
	lock   *os.File
	drafts string
	names  atomic.Int64
	noSync bool

	// Commits hold commitMu for reading, and deletions hold it for writing. This prevents a
	// deletion from removing a folder after a commit has created it and before the commit has
	// moved its file there.
	commitMu sync.RWMutex

	links links
	// onFlush is called with the name of each file or folder before it is flushed. Tests set it.
	onFlush func(name string)

	open unfinished.Set
}

var (
	_ blob.Store   = (*Store)(nil)
	_ blob.Lister  = (*Store)(nil)
	_ blob.Batcher = (*Store)(nil)
)

// Open opens the store in the folder with the path root. It creates the folder if it does not
// exist, and deletes the unfinished files of ended processes. Several processes can open the
// same folder. A deletion in one process can then make a commit in another process fail, but
// never damages a blob.
func Open(root string, cfg Config) (*Store, error) {
	_, missing := os.Stat(root)
	if err := os.MkdirAll(root, folderMode); err != nil {
		return nil, fmt.Errorf("create the blob folder: %w", err)
	}
	r, err := os.OpenRoot(root)
	if err != nil {
		return nil, fmt.Errorf("open the blob folder: %w", err)
	}
	s := &Store{root: r, noSync: cfg.NoSync}
	if missing != nil {
		err = s.inheritRootOwner()
	}
	if err == nil {
		err = s.initialize(cfg.Log)
	}
	if err != nil {
		return nil, errors.Join(fmt.Errorf("open the blob folder %s: %w", root, err), r.Close())
	}
	return s, nil
}

// inheritRootOwner changes the owner of the new folder of the store to that of its parent.
func (s *Store) inheritRootOwner() error {
	folder, err := s.root.Open(".")
	if err != nil {
		return err
	}
	filesys.InheritOwner(folder, filepath.Dir(s.root.Name()))
	return folder.Close()
}

// Close closes the store and discards unfinished blobs.
func (s *Store) Close() error {
	err := s.lock.Close()
	_ = filesys.RemoveFolderLock(s.root, s.drafts)
	// This deletes the folder only if it is empty. Otherwise, the next Open deletes it.
	_ = s.root.Remove(s.drafts)
	return errors.Join(err, s.root.Close())
}

// Create starts writing a blob.
func (s *Store) Create(ctx context.Context, key string) (blob.Writer, error) {
	return s.create(ctx, key, nil)
}

func (s *Store) create(ctx context.Context, key string, b *batch) (blob.Writer, error) {
	if _, err := checkedFileName(ctx, key); err != nil {
		return nil, fmt.Errorf("create a blob: %w", err)
	}
	temp := s.tempName()
	file, err := s.root.OpenFile(temp, os.O_WRONLY|os.O_CREATE|os.O_EXCL, fileMode)
	if err != nil {
		return nil, fmt.Errorf("create blob %s: %w", key, err)
	}
	filesys.InheritFolderOwner(s.root, temp)
	w := &writer{store: s, Blob: unfinished.Blob{Key: key}, temp: temp, file: file, batch: b}
	// If this fails, the file is deleted by Abort or when the store is opened again.
	w.OnDrop = func() { _ = s.root.Remove(temp) }
	s.open.Add(&w.Blob, false)
	return w, nil
}

// Open opens a blob for reading. The reader remains valid after the blob is deleted or replaced.
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

// Delete deletes a blob. If it returns nil, the deletion survives a crash.
func (s *Store) Delete(ctx context.Context, key string) error {
	name, err := checkedFileName(ctx, key)
	if err != nil {
		return fmt.Errorf("delete a blob: %w", err)
	}
	end, err := s.beginDeletion()
	if err != nil {
		return fmt.Errorf("delete blob %s: %w", key, err)
	}
	defer func() { _ = end() }()
	s.commitMu.Lock()
	defer s.commitMu.Unlock()
	s.open.Drop(func(b *unfinished.Blob) bool { return b.Key == key && b.Visible })
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

// DeleteAll deletes all blobs whose keys begin with prefix + "/". The deletion is atomic: after
// a crash, either all of them or none of them exist.
func (s *Store) DeleteAll(ctx context.Context, prefix string) error {
	name, err := checkedFileName(ctx, prefix)
	if err != nil {
		return fmt.Errorf("delete blobs: %w", err)
	}
	end, err := s.beginDeletion()
	if err != nil {
		return fmt.Errorf("delete the blobs below %s: %w", prefix, err)
	}
	defer func() { _ = end() }()
	trash, err := s.moveToTrash(prefix, name+folderMark)
	if err == nil && trash != "" {
		err = s.root.RemoveAll(trash)
	}
	if err != nil {
		return fmt.Errorf("delete the blobs below %s: %w", prefix, err)
	}
	return nil
}

// SetModified sets the time at which a blob was written.
func (s *Store) SetModified(key string, modified time.Time) error {
	name, err := fileName(key)
	if err == nil {
		err = s.root.Chtimes(name, modified, modified)
	}
	if err != nil {
		return fmt.Errorf("set the time of blob %s: %w", key, err)
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

// fileName returns the path of the file of a blob, relative to the root.
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

// writer writes a blob. It must not be used concurrently.
type writer struct {
	unfinished.Blob
	store *Store
	// temp is the path of the file until it is complete.
	temp   string
	file   *os.File
	failed error
	// batch flushes the folder. If it is nil, Commit does so.
	batch *batch
}

var _ blob.Writer = (*writer)(nil)

func (w *writer) Write(p []byte) (int, error) {
	if err := w.checkOpen(); err != nil {
		return 0, fmt.Errorf("write blob %s: %w", w.Key, err)
	}
	n, err := w.file.Write(p)
	if err != nil {
		// The file may be incomplete and must not be committed.
		w.failed = err
		return n, fmt.Errorf("write blob %s: %w", w.Key, err)
	}
	return n, nil
}

// checkOpen returns an error if the blob cannot be written or committed.
func (w *writer) checkOpen() error {
	if err := w.Err(); err != nil {
		return err
	}
	return w.failed
}

// Commit flushes the file, renames it, and flushes its folder and all parents that are new.
func (w *writer) Commit() error {
	if err := w.checkOpen(); err != nil {
		return fmt.Errorf("commit blob %s: %w", w.Key, err)
	}
	defer w.Abort()
	if err := w.store.flush(w.file); err != nil {
		return fmt.Errorf("flush blob %s: %w", w.Key, err)
	}
	if err := w.rename(); err != nil {
		return fmt.Errorf("commit blob %s: %w", w.Key, err)
	}
	return nil
}

func (w *writer) rename() error {
	s := w.store
	name, err := fileName(w.Key)
	if err != nil {
		return err
	}
	s.commitMu.RLock()
	defer s.commitMu.RUnlock()
	if w.Dropped() {
		return unfinished.ErrDropped
	}
	if err := s.makeFolder(path.Dir(name)); err != nil {
		return err
	}
	if err := s.root.Rename(w.temp, name); err != nil {
		return err
	}
	if w.batch != nil {
		w.batch.add(path.Dir(name))
		return nil
	}
	return s.flushFolders(path.Dir(name))
}

// Abort discards the blob.
func (w *writer) Abort() {
	if !w.store.open.Close(&w.Blob) {
		return
	}
	_ = w.file.Close()
	// After a commit, there is no temporary file to delete. A file that cannot be deleted now is
	// deleted when the store is opened again.
	_ = w.store.root.Remove(w.temp)
}

// reader is an open file. It remains readable after the file is deleted.
type reader struct {
	*os.File
	size int64
}

var _ blob.Reader = (*reader)(nil)

func (r *reader) Size() int64 { return r.size }
