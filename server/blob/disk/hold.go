package disk

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"

	"github.com/intraydata/intray/internal/filesys"
	"github.com/intraydata/intray/server/blob"
)

// holdFile is a file in the root. A process that suspends deletions has an exclusive lock on it, and each
// deletion has a shared one.
const holdFile = "hold"

var _ blob.Holder = (*Store)(nil)

// Hold suspends deletions until release is called.
func (s *Store) Hold(ctx context.Context) (release func() error, err error) {
	if err := ctx.Err(); err != nil {
		return nil, fmt.Errorf("suspend deletions: %w", err)
	}
	file, err := s.openHold()
	if err != nil {
		return nil, err
	}
	if err := filesys.Lock(file); err != nil {
		return nil, errors.Join(fmt.Errorf("suspend deletions: %w", err), file.Close())
	}
	return file.Close, nil
}

// beginDeletion returns blob.ErrHeld while deletions are suspended. Otherwise, Hold waits until end is
// called.
func (s *Store) beginDeletion() (end func() error, err error) {
	file, err := s.openHold()
	if err != nil {
		return nil, err
	}
	free, err := filesys.TryLockShared(file)
	if err == nil && !free {
		err = blob.ErrHeld
	}
	if err != nil {
		return nil, errors.Join(err, file.Close())
	}
	return file.Close, nil
}

// createHold creates the file, if it does not exist.
func (s *Store) createHold() error {
	file, err := s.root.OpenFile(holdFile, os.O_CREATE|os.O_EXCL|os.O_RDWR, fileMode)
	if errors.Is(err, fs.ErrExist) {
		return nil
	}
	if err != nil {
		return err
	}
	filesys.InheritFolderOwner(s.root, holdFile)
	return file.Close()
}

func (s *Store) openHold() (*os.File, error) {
	return s.root.OpenFile(holdFile, os.O_RDWR, fileMode)
}
