package disk

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"path"
	"slices"
	"strings"
	"sync"

	"github.com/intraydata/intray/internal/filesys"
	"github.com/intraydata/intray/server/blob"
)

// links records which folders are durable, so that a commit flushes only folders that have changed. The
// zero value is ready to use.
//
// A folder that a different process deletes and creates again counts as durable although its parent may
// not be flushed yet. That process flushes the parent when it commits its own blob.
type links struct {
	mu sync.Mutex
	// durable contains the folders whose entries in their parents this process has flushed. With a
	// folder, it contains all folders above it.
	durable map[string]bool
}

// maxLinks is the maximum number of folders in links.durable.
const maxLinks = 2000

// forget removes a folder and everything below it, because it was deleted or is new.
func (l *links) forget(folder string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if !l.durable[folder] { // then nothing below it is in the map either
		return
	}
	below := folder + "/"
	maps.DeleteFunc(l.durable, func(name string, _ bool) bool { return name == folder || strings.HasPrefix(name, below) })
}

// toFlush returns the folders to flush so that the entries in the given folders are durable, and the
// folders that are durable afterwards.
func (l *links) toFlush(folders []string) (flush, durable []string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	changed := map[string]bool{}
	for _, folder := range folders {
		changed[folder] = true
		for ; folder != blobsFolder && !l.durable[folder]; folder = path.Dir(folder) {
			changed[path.Dir(folder)] = true
			durable = append(durable, folder)
		}
	}
	return slices.Sorted(maps.Keys(changed)), durable
}

func (l *links) add(durable []string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if len(l.durable)+len(durable) > maxLinks {
		l.durable = nil
		return // parents of these folders are no longer in the map, see durable
	}
	if l.durable == nil {
		l.durable = map[string]bool{}
	}
	for _, folder := range durable {
		l.durable[folder] = true
	}
}

// makeFolder creates a folder and its parents if they do not exist.
func (s *Store) makeFolder(folder string) error {
	err := s.root.Mkdir(folder, folderMode)
	if errors.Is(err, fs.ErrNotExist) {
		if err := s.makeFolder(path.Dir(folder)); err != nil {
			return err
		}
		err = s.root.Mkdir(folder, folderMode)
	}
	if errors.Is(err, fs.ErrExist) {
		return nil
	}
	if err == nil {
		filesys.InheritFolderOwner(s.root, folder)
		s.links.forget(folder)
	}
	return err
}

// flushFolders makes the entries in folders durable. The caller must hold commitMu.
func (s *Store) flushFolders(folders ...string) error {
	flush, durable := s.links.toFlush(folders)
	for _, folder := range flush {
		if err := s.syncDir(folder); err != nil {
			return err
		}
	}
	s.links.add(durable)
	return nil
}

// batch is a view of a Store whose writers leave their folders unflushed until flush is called.
type batch struct {
	*Store
	mu      sync.Mutex
	folders map[string]bool
}

// Batch implements [blob.Batcher]. Files are flushed when they are committed, but each of their
// folders only once.
func (s *Store) Batch() (blob.Store, func() error) {
	b := &batch{Store: s, folders: map[string]bool{}}
	return b, b.flush
}

func (b *batch) Create(ctx context.Context, key string) (blob.Writer, error) {
	return b.create(ctx, key, b)
}

func (b *batch) add(folder string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.folders[folder] = true
}

// flush flushes the folders of the blobs that were committed. Those of deleted blobs may be missing.
func (b *batch) flush() error {
	b.commitMu.RLock() // before mu, as in rename
	defer b.commitMu.RUnlock()
	b.mu.Lock()
	defer b.mu.Unlock()
	maps.DeleteFunc(b.folders, func(folder string, _ bool) bool {
		_, err := b.root.Stat(folder)
		return errors.Is(err, fs.ErrNotExist)
	})
	if err := b.flushFolders(slices.Collect(maps.Keys(b.folders))...); err != nil {
		return fmt.Errorf("flush the folders of blobs: %w", err)
	}
	clear(b.folders)
	return nil
}
