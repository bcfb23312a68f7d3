package api

import (
	"bytes"
	"fmt"
	"io"
	"os"
)

// keepInMemory is how much of a body or an answer waits in memory; more waits
// in a file.
const keepInMemory = 16 << 10

// spool keeps bytes till they are read: few of them in memory and many in a
// file, so that a slow sender or reader costs next to no memory.
type spool struct {
	dir string
	// most is how much is taken, and over says so; 0 means no limit.
	most int64
	over error

	size   int64
	memory []byte
	file   *os.File
}

func (a *API) newSpool(most int64, over error) *spool {
	return &spool{dir: a.cfg.TempDir, most: most, over: over}
}

func (s *spool) Write(p []byte) (int, error) {
	if s.size += int64(len(p)); s.most > 0 && s.size > s.most {
		return 0, s.over
	}
	if s.file == nil && s.size <= keepInMemory {
		s.memory = append(s.memory, p...)
		return len(p), nil
	}
	if s.file == nil {
		if err := s.toFile(); err != nil {
			return 0, err
		}
	}
	n, err := s.file.Write(p)
	return n, spoolFault(err)
}

// toFile moves what is in memory to a file without a name, which is gone with
// its last handle.
func (s *spool) toFile() error {
	file, err := os.CreateTemp(s.dir, "spool-*")
	if err != nil {
		return spoolFault(err)
	}
	s.file = file
	if err := os.Remove(file.Name()); err != nil {
		return spoolFault(err)
	}
	_, err = file.Write(s.memory)
	s.memory = nil
	return spoolFault(err)
}

// reader reads everything from the beginning.
func (s *spool) reader() (io.Reader, error) {
	if s.file == nil {
		return bytes.NewReader(s.memory), nil
	}
	_, err := s.file.Seek(0, io.SeekStart)
	return s.file, spoolFault(err)
}

// bytes gives everything at once.
func (s *spool) bytes() ([]byte, error) {
	from, err := s.reader()
	if err != nil {
		return nil, err
	}
	all := make([]byte, s.size)
	_, err = io.ReadFull(from, all)
	return all, spoolFault(err)
}

// stream writes everything, once, and closes the spool.
func (s *spool) stream(w io.Writer) error {
	defer s.close()
	from, err := s.reader()
	if err != nil {
		return err
	}
	_, err = io.Copy(w, onlyReader{from})
	return err
}

func (s *spool) close() {
	s.memory = nil
	if s.file != nil {
		_ = s.file.Close()
	}
}

// spoolError is a failure to keep a body or an answer for a while. It is never
// the sender's.
type spoolError struct{ cause error }

func (e *spoolError) Error() string {
	return fmt.Sprintf("keep a body or an answer in the temporary folder: %v", e.cause)
}
func (e *spoolError) Unwrap() error { return e.cause }

func spoolFault(err error) error {
	if err == nil {
		return nil
	}
	return &spoolError{err}
}
