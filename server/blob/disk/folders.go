package disk

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"iter"
	"log/slog"
	"os"
	"path"
	"path/filepath"
	"strings"

	"github.com/intraydata/intray/internal/filesys"
	"github.com/intraydata/intray/server/blob"
	"github.com/intraydata/intray/server/blob/unfinished"
)

// initialize creates the folders and deletes drafts of ended processes.
func (s *Store) initialize(log *slog.Logger) error {
	for _, folder := range []string{blobsFolder, tempFolder} {
		if err := s.makeFolder(folder); err != nil {
			return err
		}
	}
	if err := s.createHold(); err != nil {
		return err
	}
	if err := s.syncDir("."); err != nil {
		return err
	}
	// The root is locked while drafts folders are being created and deleted, because a new
	// drafts folder is not locked from the start.
	all, err := filesys.OpenFolderLock(s.root, ".")
	if err != nil {
		return err
	}
	defer func() { _ = all.Close() }()
	if err := filesys.Lock(all); err != nil {
		return fmt.Errorf("lock: %w", err)
	}
	if err := s.removeStaleDrafts(log); err != nil {
		return fmt.Errorf("delete unfinished files: %w", err)
	}
	return s.createDrafts()
}

// HasOtherBlobs reports whether the folder of a Store contains finished blobs other than the one
// with the given key. It does not create the folder. A missing folder contains no blobs.
func HasOtherBlobs(root, key string) (more bool, err error) {
	ignored, err := fileName(key)
	if err != nil {
		return false, err
	}
	err = filepath.WalkDir(filepath.Join(root, blobsFolder), func(name string, entry fs.DirEntry, err error) error {
		switch {
		case errors.Is(err, fs.ErrNotExist):
			return nil
		case err != nil:
			return fmt.Errorf("look for blobs: %w", err)
		case entry.IsDir() || name == filepath.Join(root, ignored):
			return nil
		}
		more = true
		return fs.SkipAll
	})
	return more, err
}

func (s *Store) createDrafts() (err error) {
	s.drafts = path.Join(tempFolder, rand.Text())
	if err := s.makeFolder(s.drafts); err != nil {
		return err
	}
	if s.lock, err = filesys.OpenFolderLock(s.root, s.drafts); err != nil {
		return err
	}
	locked, err := filesys.TryLock(s.lock)
	if err == nil && !locked {
		err = errors.New("the new drafts folder is already locked")
	}
	if err != nil {
		return errors.Join(err, s.lock.Close())
	}
	return nil
}

// removeStaleDrafts deletes the drafts folders of ended processes.
func (s *Store) removeStaleDrafts(log *slog.Logger) error {
	entries, err := fs.ReadDir(s.root.FS(), tempFolder)
	if err != nil {
		return err
	}
	for _, entry := range entries {
		name := path.Join(tempFolder, entry.Name())
		if entry.IsDir() && s.draftsInUse(name) {
			continue
		}
		if err := s.root.RemoveAll(name); err != nil {
			return err
		}
		if log != nil {
			log.Info("unfinished blobs deleted", "folder", name)
		}
	}
	return nil
}

// draftsInUse reports whether a process has locked a drafts folder. If this cannot
// be determined, it returns true.
func (s *Store) draftsInUse(drafts string) bool {
	file, err := filesys.OpenFolderLock(s.root, drafts)
	if err != nil {
		return true
	}
	defer func() { _ = file.Close() }()
	locked, err := filesys.TryLock(file)
	return err != nil || !locked
}

// moveToTrash moves a folder from "blobs" to the drafts folder and returns its new
// name. If the folder does not exist, it returns "".
func (s *Store) moveToTrash(prefix, folder string) (string, error) {
	s.commitMu.Lock()
	defer s.commitMu.Unlock()
	s.open.Drop(func(b *unfinished.Blob) bool { return strings.HasPrefix(b.Key, prefix+"/") })
	trash := s.tempName()
	s.links.forget(folder)
	err := s.root.Rename(folder, trash)
	if errors.Is(err, fs.ErrNotExist) {
		return "", nil
	}
	if err != nil {
		return "", err
	}
	return trash, s.pruneEmpty(path.Dir(folder))
}

// pruneEmpty deletes the folder if it is empty, and then its parents in the same way. It flushes
// the first folder that it does not delete.
func (s *Store) pruneEmpty(folder string) error {
	for folder != blobsFolder && s.root.Remove(folder) == nil {
		s.links.forget(folder)
		folder = path.Dir(folder)
	}
	return s.syncDir(folder)
}

func (s *Store) syncDir(folder string) error {
	dir, err := s.root.Open(folder)
	if err != nil {
		return err
	}
	return errors.Join(s.flushWith(filesys.SyncOpenFolder, dir), dir.Close())
}

// flush writes a file to the disk, unless NoSync is set.
func (s *Store) flush(f *os.File) error { return s.flushWith((*os.File).Sync, f) }

func (s *Store) flushWith(sync func(*os.File) error, f *os.File) error {
	if s.onFlush != nil {
		s.onFlush(f.Name())
	}
	if s.noSync {
		return nil
	}
	return sync(f)
}

// List yields the finished blobs.
func (s *Store) List(ctx context.Context) iter.Seq2[blob.Entry, error] {
	return func(yield func(blob.Entry, error) bool) {
		err := fs.WalkDir(s.root.FS(), blobsFolder, func(name string, entry fs.DirEntry, err error) error {
			switch {
			case ctx.Err() != nil:
				return ctx.Err()
			case errors.Is(err, fs.ErrNotExist):
				return nil // deleted in the meantime
			case err != nil:
				return err
			case entry.IsDir():
				return nil
			}
			stat, err := entry.Info()
			if errors.Is(err, fs.ErrNotExist) {
				return nil
			}
			if err != nil {
				return err
			}
			key := strings.ReplaceAll(strings.TrimPrefix(name, blobsFolder+"/"), folderMark+"/", "/")
			if !yield(blob.Entry{Key: key, Size: stat.Size(), Modified: stat.ModTime()}, nil) {
				return fs.SkipAll
			}
			return nil
		})
		if err != nil {
			yield(blob.Entry{}, fmt.Errorf("list the blobs: %w", err))
		}
	}
}

// OpenToRead opens an existing store for reading only. Unlike Open, it creates no folders and deletes no
// unfinished files.
func OpenToRead(root string) (*Store, error) {
	r, err := os.OpenRoot(root)
	if err != nil {
		return nil, fmt.Errorf("open the blob folder: %w", err)
	}
	lock, err := r.Open(".") // for Close; it is not locked
	if err != nil {
		return nil, errors.Join(fmt.Errorf("open the blob folder: %w", err), r.Close())
	}
	return &Store{root: r, lock: lock}, nil
}
