package filesys

import (
	"errors"
	"fmt"
	"os"
)

// TempFile is a temporary file. Close removes it.
type TempFile struct {
	*os.File
	// named means that the system could not remove the open file.
	named bool
}

// CreateTemp creates a temporary file, as os.CreateTemp does. Where the system can remove open files,
// the file has no name, so that nothing remains after a crash.
func CreateTemp(folder, pattern string) (*TempFile, error) {
	file, err := os.CreateTemp(folder, pattern)
	if err != nil {
		return nil, err
	}
	return &TempFile{file, os.Remove(file.Name()) != nil}, nil
}

// Close closes the file and removes it if it still has a name. A second call returns os.ErrClosed.
func (f *TempFile) Close() error {
	err := f.File.Close()
	if f.named {
		f.named = false
		if gone := os.Remove(f.Name()); gone != nil && !errors.Is(gone, os.ErrNotExist) {
			err = errors.Join(err, fmt.Errorf("remove a temporary file: %w", gone))
		}
	}
	return err
}
