package xls

import (
	"errors"
	"fmt"
	"io"
	"sort"

	"github.com/intraydata/intray"
	"github.com/intraydata/intray/source"
)

// run is a part of a stream that lies in one piece in the file.
type run struct {
	// start is where it begins in the stream, at where in the file.
	start, at int64
}

// stream is a named sequence of bytes inside a container.
type stream struct {
	in   io.ReaderAt
	runs []run
	// size is how many bytes there are; declared how many there should be.
	size, declared int64
}

// whole is a file that is one stream.
func whole(in source.Input) *stream {
	s := &stream{in: in, declared: in.Size}
	s.append(0, in.Size)
	return s
}

// append adds a piece of the file.
func (s *stream) append(at, length int64) {
	if last := len(s.runs) - 1; last < 0 || s.runs[last].at+s.size-s.runs[last].start != at {
		s.runs = append(s.runs, run{start: s.size, at: at})
	}
	s.size += length
}

// cut says that bytes at the end are missing.
func (s *stream) cut() bool { return s.size < s.declared }

// place gives where in the file a byte of the stream is, and how many follow
// it there.
func (s *stream) place(off int64) (at, length int64) {
	i := sort.Search(len(s.runs), func(i int) bool { return s.runs[i].start > off }) - 1
	end := s.size
	if i+1 < len(s.runs) {
		end = s.runs[i+1].start
	}
	return s.runs[i].at + off - s.runs[i].start, end - off
}

// readAt fills p, all of which must be inside the stream.
func (s *stream) readAt(p []byte, off int64) error {
	for len(p) > 0 {
		at, length := s.place(off)
		n := min(int64(len(p)), length)
		if err := readFull(s.in, p[:n], at); err != nil {
			return err
		}
		p, off = p[n:], off+n
	}
	return nil
}

// readFull reads bytes that the file must have.
func readFull(in io.ReaderAt, p []byte, at int64) error {
	n, err := in.ReadAt(p, at)
	if n == len(p) {
		return nil
	}
	if err == nil || errors.Is(err, io.EOF) {
		err = io.ErrUnexpectedEOF
	}
	return fmt.Errorf("read %d bytes at %d: %w", len(p), at, err)
}

// unreadable says why a file cannot be read.
func unreadable(reason intray.Message) error {
	return &source.UnreadableError{Reason: reason}
}

// broken says what of a workbook is damaged.
func broken(problem intray.Message) error {
	return unreadable(intray.NewMessage("workbook.damaged", intray.Params{"problem": problem}))
}
