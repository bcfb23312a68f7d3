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

	"github.com/intraydata/intray/server/blob"
)

// initialize makes the two folders, sweeps, and makes the folder for drafts.
func (s *Store) initialize(log *slog.Logger) error {
	for _, folder := range []string{blobsFolder, tempFolder} {
		if err := s.root.MkdirAll(folder, folderMode); err != nil {
			return err
		}
	}
	if err := s.syncDir("."); err != nil {
		return err
	}
	// The root is locked while folders for drafts come and go: one exists for a
	// moment before its own lock is held.
	all, err := s.root.Open(".")
	if err != nil {
		return err
	}
	defer func() { _ = all.Close() }()
	if err := lockWait(all); err != nil {
		return fmt.Errorf("locking it: %w", err)
	}
	if err := s.removeStaleDrafts(log); err != nil {
		return fmt.Errorf("removing unfinished files: %w", err)
	}
	return s.createDrafts()
}

// HasOtherBlobs says whether the folder of a Store holds any finished blob but the
// one under key. It makes nothing; where there is no folder there is no blob.
func HasOtherBlobs(root, key string) (more bool, err error) {
	but, err := fileName(key)
	if err != nil {
		return false, err
	}
	err = filepath.WalkDir(filepath.Join(root, blobsFolder), func(name string, entry fs.DirEntry, err error) error {
		switch {
		case errors.Is(err, fs.ErrNotExist):
			return nil
		case err != nil:
			return fmt.Errorf("looking for blobs: %w", err)
		case entry.IsDir() || name == filepath.Join(root, but):
			return nil
		}
		more = true
		return fs.SkipAll
	})
	return more, err
}

func (s *Store) createDrafts() (err error) {
	s.drafts = path.Join(tempFolder, rand.Text())
	if err := s.root.Mkdir(s.drafts, folderMode); err != nil {
		return err
	}
	if s.lock, err = s.root.Open(s.drafts); err != nil {
		return err
	}
	taken, err := lockTry(s.lock)
	if err == nil && !taken {
		err = errors.New("its new folder for drafts is locked already")
	}
	if err != nil {
		return errors.Join(err, s.lock.Close())
	}
	return nil
}

// removeStaleDrafts removes the drafts of processes that are gone.
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
			log.Info("removed unfinished blobs", "folder", name)
		}
	}
	return nil
}

// draftsInUse says whether a process still holds the drafts.
func (s *Store) draftsInUse(drafts string) bool {
	file, err := s.root.Open(drafts)
	if err != nil {
		return true
	}
	defer func() { _ = file.Close() }()
	taken, err := lockTry(file)
	return err != nil || !taken
}

// moveToTrash takes the folder out of "blobs" in one step and gives its name among
// the drafts, or "" where there was none.
func (s *Store) moveToTrash(prefix, folder string) (string, error) {
	s.commitMu.Lock()
	defer s.commitMu.Unlock()
	s.dropWriters(prefix)
	trash := s.tempName()
	err := s.root.Rename(folder, trash)
	if errors.Is(err, fs.ErrNotExist) {
		return "", nil
	}
	if err != nil {
		return "", err
	}
	return trash, s.pruneEmpty(path.Dir(folder))
}

// dropWriters ends the writers below prefix.
func (s *Store) dropWriters(prefix string) {
	s.writersMu.Lock()
	defer s.writersMu.Unlock()
	for w := range s.writers {
		if strings.HasPrefix(w.key, prefix+"/") {
			w.dropped.Store(true)
			// What cannot be removed now is removed by Abort or by Open.
			_ = s.root.Remove(w.temp)
		}
	}
}

// pruneEmpty removes the folder and those above it as far as they are empty, and
// flushes the first that stays.
func (s *Store) pruneEmpty(folder string) error {
	for folder != blobsFolder && s.root.Remove(folder) == nil {
		folder = path.Dir(folder)
	}
	return s.syncDir(folder)
}

// syncParents flushes the folder and all above it. Those that were there before are
// flushed as well: whoever made them may not have come to it.
func (s *Store) syncParents(folder string) error {
	for ; folder != "."; folder = path.Dir(folder) {
		if err := s.syncDir(folder); err != nil {
			return err
		}
	}
	return nil
}

func (s *Store) syncDir(folder string) error {
	dir, err := s.root.Open(folder)
	if err != nil {
		return err
	}
	return errors.Join(s.flush(dir), dir.Close())
}

// flush brings a file or a folder to the disk, where blobs are to last.
func (s *Store) flush(f *os.File) error {
	if s.noSync {
		return nil
	}
	return f.Sync()
}

// List gives the finished blobs.
func (s *Store) List(ctx context.Context) iter.Seq2[blob.Entry, error] {
	return func(yield func(blob.Entry, error) bool) {
		err := fs.WalkDir(s.root.FS(), blobsFolder, func(name string, entry fs.DirEntry, err error) error {
			switch {
			case ctx.Err() != nil:
				return ctx.Err()
			case errors.Is(err, fs.ErrNotExist):
				return nil // it was deleted meanwhile
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
			yield(blob.Entry{}, fmt.Errorf("listing the blobs: %w", err))
		}
	}
}
