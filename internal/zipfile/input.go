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
	// ErrOutside reports that a damaged archive asked for bytes before its
	// beginning.
	ErrOutside = errors.New("an entry lies outside of the file")
	// errCanceled reports that the context of a part ended.
	errCanceled = errors.New("reading was stopped")
)

// Input is a file that remembers why reading it failed. It is safe for
// concurrent use.
type Input struct {
	source.Input
	// store is the input whose failures count, for a file that is decoded from the
	// bytes of another. Otherwise it is nil.
	store *Input

	mu   sync.Mutex
	err  error
	read int64
}

// NewInput returns an input that reads a file.
func NewInput(in source.Input) *Input { return &Input{Input: in} }

// Decoded returns an input for a file that r computes from the bytes of in, such
// as a decrypted one. Only failures of in count as failures of the store.
func (in *Input) Decoded(r io.ReaderAt, size int64) *Input {
	return &Input{Input: source.Input{Name: in.Name, ReaderAt: r, Size: size}, store: in}
}

// ReadAt reads from the file. A store that ends before the size of the file has
// failed with io.ErrUnexpectedEOF.
func (in *Input) ReadAt(p []byte, at int64) (int, error) {
	if at < 0 { // a damaged directory asks for this; the store has not failed
		return 0, ErrOutside
	}
	n, err := in.Input.ReadAt(p, at)
	early := n < len(p) && at+int64(n) < in.Size
	switch {
	case n == len(p):
		err = nil
	case err == nil, early && errors.Is(err, io.EOF):
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

// Failure returns the error of the store, and nil if it has not failed.
func (in *Input) Failure() error {
	if in.store != nil {
		return in.store.Failure()
	}
	in.mu.Lock()
	defer in.mu.Unlock()
	return in.err
}

// BytesRead returns the number of bytes that were read.
func (in *Input) BytesRead() int64 {
	in.mu.Lock()
	defer in.mu.Unlock()
	return in.read
}

// Explain returns the error to report for an error of reading a workbook. If the store
// has failed, that is its failure, wrapped with the action. Otherwise it is err if that
// already has a reason for people, or else an *source.UnreadableError for a workbook
// with the problem.
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

// Cause returns the cause of ctx if reading a part failed because ctx ended, and err
// otherwise.
func Cause(ctx context.Context, err error) error {
	if errors.Is(err, errCanceled) {
		return context.Cause(ctx)
	}
	return err
}
