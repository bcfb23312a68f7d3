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
	// errDirectoryTooLarge says that the directory of the archive is larger than
	// allowed.
	errDirectoryTooLarge = errors.New("the directory of the archive is too large")
	// errOutsideFile says that an entry claims to begin in front of the file.
	errOutsideFile = errors.New("an entry lies outside of the file")
	// errCanceled says that the context ended.
	errCanceled = errors.New("reading was stopped")
	// errProtected says that only a password opens the workbook.
	errProtected = &source.UnreadableError{Reason: intray.NewMessage("workbook.password", nil)}
)

// trackedInput is an input that remembers why reading it failed: an error of the
// store must not pass for a damaged file.
type trackedInput struct {
	source.Input

	mu sync.Mutex
	// err is the error of the store, nil as long as there is none.
	err error
}

// ReadAt reads from the input.
func (w *trackedInput) ReadAt(p []byte, at int64) (int, error) {
	if at < 0 { // a damaged directory asks for this; it is no fault of the store
		return 0, errOutsideFile
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
	w.err = err
	return n, err
}

// storeErr gives the error of the store, where it has failed.
func (w *trackedInput) storeErr() error {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.err
}

// wrapErr says what an error means that came of reading: the store failed, or
// the file has a problem.
func (w *trackedInput) wrapErr(action string, err error, problem intray.Message) error {
	if failed := w.storeErr(); failed != nil {
		return fmt.Errorf("%s: %w", action, failed)
	}
	if isSourceError(err) {
		return err
	}
	return &source.UnreadableError{Reason: intray.NewMessage("workbook.damaged", intray.Params{"problem": problem})}
}

// isSourceError says whether an error says already what is wrong with the file.
func isSourceError(err error) bool {
	var unreadable *source.UnreadableError
	var limit *source.LimitError
	return errors.As(err, &unreadable) || errors.As(err, &limit)
}

// causeIfCanceled gives the error of the context where that is what ended reading.
func causeIfCanceled(ctx context.Context, err error) error {
	if errors.Is(err, errCanceled) {
		return context.Cause(ctx)
	}
	return err
}

// limitedReaderAt allows a number of bytes to be read: what a directory declares
// about its size is not believed.
type limitedReaderAt struct {
	src *trackedInput
	// remaining is how many bytes may still be read; nil where any number may.
	remaining *int64
}

// ReadAt reads as long as there is something left.
func (r *limitedReaderAt) ReadAt(p []byte, at int64) (int, error) {
	if r.remaining != nil {
		if *r.remaining -= int64(len(p)); *r.remaining < 0 {
			return 0, errDirectoryTooLarge
		}
	}
	return r.src.ReadAt(p, at)
}
