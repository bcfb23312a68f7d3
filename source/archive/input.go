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
	"github.com/intraydata/intray/internal/zipfile"
	"github.com/intraydata/intray/source"
)

// fault reports damage that the decompression libraries do not detect.
type fault struct{ problem intray.Message }

func (f *fault) Error() string { return f.problem.String() }

// readError converts an error from reading the archive to the error to report. It returns the
// failure of the store if the store has failed, and otherwise an error that describes the
// damage. what names the damaged file.
func readError(in *zipfile.Input, what intray.Message, err error) error {
	var limit *source.LimitError
	failed := in.Failure()
	switch {
	case failed != nil:
		return fmt.Errorf("read %s: %w", what, failed)
	case errors.As(err, &limit):
		return &source.LimitError{Reason: within(what, limit.Reason)}
	case errors.Is(err, io.ErrUnexpectedEOF), errors.Is(err, io.EOF):
		return &source.UnreadableError{Reason: intray.NewMessage("archive.cut_short", intray.Params{"what": what})}
	}
	return &source.UnreadableError{Reason: intray.NewMessage("archive.damaged", intray.Params{"what": what, "problem": problemOf(err)})}
}

// problemOf returns the message for an error of a decompression library.
func problemOf(err error) intray.Message {
	var f *fault
	switch {
	case errors.As(err, &f):
		return f.problem
	case errors.Is(err, zipfile.ErrDirectoryTooLarge):
		return intray.NewMessage("archive.directory_too_large", nil)
	case errors.Is(err, zipfile.ErrOutside):
		return intray.NewMessage("archive.entry_outside", nil)
	case errors.Is(err, zip.ErrFormat):
		return intray.NewMessage("archive.no_directory", nil)
	case errors.Is(err, zip.ErrChecksum), errors.Is(err, gzip.ErrChecksum), errors.Is(err, zstd.ErrCRCMismatch):
		return intray.NewMessage("archive.wrong_checksum", nil)
	}
	return intray.NewMessage("archive.invalid_bytes", nil)
}

// spool is the temporary file that holds all inflated members in sequence. A file per member
// could exceed the limit on open files.
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
	// Unlink the file immediately where the system allows it, so that no file remains after a
	// crash. On other systems, Close removes it.
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

// rewind truncates the file to size bytes.
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

// Close removes the file. It can be called more than once.
func (s *spool) Close() error {
	s.once.Do(func() {
		s.closed = s.file.Close()
		if err := os.Remove(s.file.Name()); err != nil && !errors.Is(err, os.ErrNotExist) {
			s.closed = errors.Join(s.closed, fmt.Errorf("remove the temporary file of inflated bytes: %w", err))
		}
	})
	return s.closed
}
