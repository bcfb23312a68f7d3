package archive

import (
	"archive/zip"
	"errors"
	"fmt"
	"io"

	"github.com/intraydata/intray"
	"github.com/intraydata/intray/source"
)

// watched counts what is read of the archive, and remembers why reading has
// failed: an error of the store must not pass for a damaged file. It is for one
// goroutine.
type watched struct {
	source.Input
	read   int64
	failed error
	// left is how many bytes may still be read; nil where any number may.
	left *int64
}

var (
	errDirectory = errors.New("the directory of the archive is too large")
	errOutside   = errors.New("an entry lies outside of the file")
)

// ReadAt reads from the archive.
func (w *watched) ReadAt(p []byte, at int64) (int, error) {
	if w.left != nil {
		if *w.left -= int64(len(p)); *w.left < 0 {
			return 0, errDirectory
		}
	}
	if at < 0 { // a damaged directory asks for this; it is no fault of the store
		return 0, errOutside
	}
	n, err := w.Input.ReadAt(p, at)
	w.read += int64(n)
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

// all reads the archive from its beginning to its end.
func (w *watched) all() io.Reader { return io.NewSectionReader(w, 0, w.Size) }

// explain says what an error means that came of reading: the store failed, or
// what is damaged.
func (w *watched) explain(what string, err error) error {
	var limit *source.LimitError
	switch {
	case w.failed != nil:
		return fmt.Errorf("read %s: %w", what, w.failed)
	case errors.As(err, &limit):
		return &source.LimitError{Reason: intray.Literal(what + ": " + limit.Reason.String())}
	case errors.Is(err, io.ErrUnexpectedEOF), errors.Is(err, io.EOF):
		return &source.UnreadableError{Reason: intray.Literal(what + " is cut short or damaged: its compressed bytes end too early; send it again")}
	}
	return &source.UnreadableError{Reason: intray.Literal(fmt.Sprintf("%s is damaged: %s; send it again", what, plain(err)))}
}

// plain is what a library says, without its name in front.
func plain(err error) string {
	switch {
	case errors.Is(err, zip.ErrFormat):
		return "its list of entries is not where it should be"
	case errors.Is(err, zip.ErrChecksum):
		return "its content does not fit its checksum"
	}
	return err.Error()
}
