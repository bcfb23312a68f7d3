package archive

import (
	"errors"
	"fmt"
	"os"
	"sync"
)

// spool is the temporary file that holds all inflated members, one behind the
// other: a file for each would use up the files a process may open.
type spool struct {
	file *os.File
	size int64

	once   sync.Once
	closed error
}

func newSpool(folder string) (*spool, error) {
	file, err := os.CreateTemp(folder, "intray-archive-*")
	if err != nil {
		return nil, fmt.Errorf("make a temporary file for inflated bytes: %w", err)
	}
	// Gone at once where the system allows it: nothing is left behind if the
	// program dies. Close removes it elsewhere.
	_ = os.Remove(file.Name())
	return &spool{file: file}, nil
}

func (s *spool) add(text []byte) error {
	n, err := s.file.WriteAt(text, s.size)
	s.size += int64(n)
	if err != nil {
		return fmt.Errorf("write inflated bytes to a temporary file: %w", err)
	}
	return nil
}

// rewind forgets everything behind a place.
func (s *spool) rewind(size int64) error {
	if s.size == size {
		return nil
	}
	s.size = size
	if err := s.file.Truncate(size); err != nil {
		return fmt.Errorf("shorten the temporary file of inflated bytes: %w", err)
	}
	return nil
}

// Close removes the file. It works twice.
func (s *spool) Close() error {
	s.once.Do(func() {
		s.closed = s.file.Close()
		if err := os.Remove(s.file.Name()); err != nil && !errors.Is(err, os.ErrNotExist) {
			s.closed = errors.Join(s.closed, fmt.Errorf("remove the temporary file of inflated bytes: %w", err))
		}
	})
	return s.closed
}
