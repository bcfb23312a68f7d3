package archive

import (
	"archive/zip"
	"errors"
	"fmt"
	"io"
	"os"
	"sync"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"

	"github.com/intraydata/intray"
	"github.com/intraydata/intray/source"
)

// trackedInput counts what is read of the archive, and remembers why reading has
// failed: an error of the store must not pass for a damaged file. It is for one
// goroutine.
type trackedInput struct {
	source.Input
	bytesRead int64
	failed    error
	// budget is how many bytes may still be read; nil where any number may.
	budget *int64
}

// fault is a cause of damage that the libraries do not know.
type fault struct{ problem intray.Message }

func (f *fault) Error() string { return f.problem.String() }

var (
	errDirectory = &fault{intray.NewMessage("archive.directory_too_large", nil)}
	errOutside   = &fault{intray.NewMessage("archive.entry_outside", nil)}
)

// ReadAt reads from the archive.
func (w *trackedInput) ReadAt(p []byte, at int64) (int, error) {
	if w.budget != nil {
		if *w.budget -= int64(len(p)); *w.budget < 0 {
			return 0, errDirectory
		}
	}
	if at < 0 { // a damaged directory asks for this; it is no fault of the store
		return 0, errOutside
	}
	n, err := w.Input.ReadAt(p, at)
	w.bytesRead += int64(n)
	if n == len(p) {
		return n, nil
	}
	if errors.Is(err, io.EOF) && at+int64(n) < w.Size {
		err = io.ErrUnexpectedEOF
	}
	if err != nil && !errors.Is(err, io.EOF) {
		w.failed = err
	}
	return n, err
}

// reader reads the archive from its beginning to its end.
func (w *trackedInput) reader() io.Reader { return io.NewSectionReader(w, 0, w.Size) }

// readError says what an error means that came of reading: the store failed, or
// what is damaged.
func (w *trackedInput) readError(what intray.Message, err error) error {
	var limit *source.LimitError
	switch {
	case w.failed != nil:
		return fmt.Errorf("read %s: %w", what, w.failed)
	case errors.As(err, &limit):
		return &source.LimitError{Reason: within(what, limit.Reason)}
	case errors.Is(err, io.ErrUnexpectedEOF), errors.Is(err, io.EOF):
		return &source.UnreadableError{Reason: intray.NewMessage("archive.cut_short", intray.Params{"what": what})}
	}
	return &source.UnreadableError{Reason: intray.NewMessage("archive.damaged", intray.Params{"what": what, "problem": problemOf(err)})}
}

// problemOf says what an error of a library means.
func problemOf(err error) intray.Message {
	var f *fault
	switch {
	case errors.As(err, &f):
		return f.problem
	case errors.Is(err, zip.ErrFormat):
		return intray.NewMessage("archive.no_directory", nil)
	case errors.Is(err, zip.ErrChecksum), errors.Is(err, gzip.ErrChecksum), errors.Is(err, zstd.ErrCRCMismatch):
		return intray.NewMessage("archive.wrong_checksum", nil)
	}
	return intray.NewMessage("archive.invalid_bytes", nil)
}

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

func (s *spool) write(text []byte) error {
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
