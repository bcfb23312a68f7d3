package zipfile

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
	// ErrOutside reports a read before the beginning of the file, which only a damaged archive
	// causes.
	ErrOutside = errors.New("an entry lies outside of the file")
	// errCanceled reports that the context of a part was canceled.
	errCanceled = errors.New("reading was stopped")
)

// Input is a file that records read errors of its store. It is safe for concurrent use.
type Input struct {
	source.Input
	// store is the input from which this file is decoded, or nil. Only its failures count.
	store *Input

	mu   sync.Mutex
	err  error
	read int64
}

// NewInput returns an Input for a file.
func NewInput(in source.Input) *Input { return &Input{Input: in} }

// Decoded returns an Input for a file that is decoded from this one, for example by decryption.
// r reads the decoded bytes. Only failures of this Input count as failures of the store.
func (in *Input) Decoded(r io.ReaderAt, size int64) *Input {
	return &Input{Input: source.Input{Name: in.Name, ReaderAt: r, Size: size}, store: in}
}

// ReadAt reads from the file. If the store has fewer bytes than the file should have, ReadAt
// returns io.ErrUnexpectedEOF and records it as a failure of the store.
func (in *Input) ReadAt(p []byte, at int64) (int, error) {
	if at < 0 { // a damaged directory causes this; the store has not failed
		return 0, ErrOutside
	}
	n, err := in.Input.ReadAt(p, at)
	early := n < len(p) && at+int64(n) < in.Size
	switch {
	case n == len(p) && errors.Is(err, io.EOF):
		err = nil
	case n == len(p) && err != nil:
		n = 0 // io.ReadFull would ignore the error
	case err == nil && n < len(p), early && errors.Is(err, io.EOF):
		err = io.ErrUnexpectedEOF
	case errors.Is(err, io.EOF):
		err = io.EOF
	}
	in.mu.Lock()
	defer in.mu.Unlock()
	in.read += int64(n)
	if err != nil && !errors.Is(err, io.EOF) && in.store == nil {
		in.err = err
	}
	return n, err
}

// Failure returns the last error of the store, or nil if the store has not failed.
func (in *Input) Failure() error {
	if in.store != nil {
		return in.store.Failure()
	}
	in.mu.Lock()
	defer in.mu.Unlock()
	return in.err
}

// BytesRead returns the number of bytes read so far.
func (in *Input) BytesRead() int64 {
	in.mu.Lock()
	defer in.mu.Unlock()
	return in.read
}

// Explain converts an error from reading a workbook to the error to report. If the store has
// failed, Explain returns that failure, prefixed with the action. Otherwise it returns err if it
// is already an error of package source, or else a *source.UnreadableError with the problem.
func (in *Input) Explain(action string, err error, problem intray.Message) error {
	if failed := in.Failure(); failed != nil {
		return fmt.Errorf("%s: %w", action, failed)
	}
	var unreadable *source.UnreadableError
	var limit *source.LimitError
	if errors.As(err, &unreadable) || errors.As(err, &limit) {
		return err
	}
	return &source.UnreadableError{Reason: intray.NewMessage("workbook.damaged", intray.Params{"problem": problem})}
}

// Cause returns the cause of ctx if reading a part failed because ctx was canceled. Otherwise
// it returns err.
func Cause(ctx context.Context, err error) error {
	if errors.Is(err, errCanceled) {
		return context.Cause(ctx)
	}
	return err
}
