package ods

import (
	"context"
	"errors"
	"fmt"
	"io"
	"sync"

	"github.com/intraydata/intray"
	"github.com/intraydata/intray/source"
)

var (
	// errDirectory says that the directory of the archive is larger than
	// allowed.
	errDirectory = errors.New("the directory of the archive is too large")
	// errOutside says that an entry claims to begin in front of the file.
	errOutside = errors.New("an entry lies outside of the file")
	// errStopped says that the context ended.
	errStopped = errors.New("reading was stopped")
	// errProtected says that only a password opens the workbook.
	errProtected = &source.UnreadableError{Reason: intray.NewMessage("workbook.password", nil)}
)

// watched is an input that remembers why reading it failed: an error of the
// store must not pass for a damaged file.
type watched struct {
	source.Input

	mu sync.Mutex
	// failure is the error of the store, nil as long as there is none.
	failure error
}

// ReadAt reads from the input.
func (w *watched) ReadAt(p []byte, at int64) (int, error) {
	if at < 0 { // a damaged directory asks for this; it is no fault of the store
		return 0, errOutside
	}
	n, err := w.Input.ReadAt(p, at)
	if n == len(p) {
		return n, nil
	}
	early := at+int64(n) < w.Size
	switch {
	case err == nil, early && errors.Is(err, io.EOF):
		err = io.ErrUnexpectedEOF
	case errors.Is(err, io.EOF):
		return n, io.EOF
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.failure = err
	return n, err
}

// failed gives the error of the store, where it has failed.
func (w *watched) failed() error {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.failure
}

// explain says what an error means that came of reading: the store failed, or
// the file has a problem.
func (w *watched) explain(doing string, err error, problem intray.Message) error {
	if failed := w.failed(); failed != nil {
		return fmt.Errorf("%s: %w", doing, failed)
	}
	if isNamed(err) {
		return err
	}
	return &source.UnreadableError{Reason: intray.NewMessage("workbook.damaged", intray.Params{"problem": problem})}
}

// isNamed says whether an error says already what is wrong with the file.
func isNamed(err error) bool {
	var unreadable *source.UnreadableError
	var limit *source.LimitError
	return errors.As(err, &unreadable) || errors.As(err, &limit)
}

// stopped gives the error of the context where that is what ended reading.
func stopped(ctx context.Context, err error) error {
	if errors.Is(err, errStopped) {
		return context.Cause(ctx)
	}
	return err
}

// rationed allows a number of bytes to be read: what a directory declares
// about its size is not believed.
type rationed struct {
	from *watched
	// left is how many bytes may still be read; nil where any number may.
	left *int64
}

// ReadAt reads as long as there is something left.
func (r *rationed) ReadAt(p []byte, at int64) (int, error) {
	if r.left != nil {
		if *r.left -= int64(len(p)); *r.left < 0 {
			return 0, errDirectory
		}
	}
	return r.from.ReadAt(p, at)
}
