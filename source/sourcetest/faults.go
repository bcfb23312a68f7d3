package sourcetest

import (
	"context"
	"errors"
	"fmt"
	"io"
	"sync/atomic"

	"github.com/intraydata/intray/source"
)

// A sample is cut at every byte up to this length, and at a few places where it
// is longer.
const cuts = 4 << 10

// survivesCuts reads what is left of a sample whose end is missing.
func survivesCuts(ctx context.Context, format source.Format, s Sample) error {
	step := 1
	if len(s.Text) > cuts {
		step = len(s.Text)/7 + 1
	}
	for end := 0; end < len(s.Text); end += step {
		_, err := ReadAll(ctx, format, Input(s.Name, s.Text[:end:end]), s.Options)
		if err != nil && !isTyped(err) {
			return fmt.Errorf("cut to %d bytes: %w", end, err)
		}
	}
	return nil
}

func isTyped(err error) bool {
	var unreadable *source.UnreadableError
	var limit *source.LimitError
	return errors.As(err, &unreadable) || errors.As(err, &limit)
}

// errBroken is what a broken store answers.
var errBroken = errors.New("the store is broken")

// brokenStore holds a file whose bytes are gone from a place on.
type brokenStore struct {
	io.ReaderAt
	from int64
	err  error
	// met says that somebody asked for one of the bytes that are gone.
	met *atomic.Bool
}

func (b brokenStore) ReadAt(p []byte, at int64) (int, error) {
	if at+int64(len(p)) <= b.from {
		return b.ReaderAt.ReadAt(p, at)
	}
	b.met.Store(true)
	n := max(b.from-at, 0)
	if _, err := b.ReaderAt.ReadAt(p[:n], at); err != nil && err != io.EOF {
		return 0, err
	}
	return int(n), b.err
}

// tellsFailure reads a sample from stores that fail at its beginning, in its
// middle and at its end: one with an error, one that ends before the size it
// has told. Bytes that nobody asks for may be gone.
func tellsFailure(ctx context.Context, format source.Format, s Sample) error {
	for _, from := range []int{0, len(s.Text) / 2, len(s.Text) - 1} {
		for _, fault := range []error{errBroken, io.EOF} {
			in := Input(s.Name, s.Text)
			met := &atomic.Bool{}
			in.ReaderAt = brokenStore{in.ReaderAt, int64(from), fault, met}
			_, err := ReadAll(ctx, format, in, s.Options)
			if met.Load() && (err == nil || isTyped(err)) {
				return fmt.Errorf("%w at byte %d of %d: the error is %w", fault, from, in.Size, err)
			}
		}
	}
	return nil
}
