package sourcetest

import (
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/intraydata/intray"
	"github.com/intraydata/intray/source"
)

// ErrStore is the error that failing stores return.
var ErrStore = errors.New("the store failed")

// FailingStore is a store that cannot read the bytes of a file from offset From to the end.
type FailingStore struct {
	io.ReaderAt
	From int64
	// Err is the error to return for these bytes.
	Err error
	// Reached is true if any of these bytes was requested.
	Reached atomic.Bool
}

// ReadAt implements [io.ReaderAt]. It reads only the bytes before From.
func (f *FailingStore) ReadAt(p []byte, at int64) (int, error) {
	if at+int64(len(p)) <= f.From {
		return f.ReaderAt.ReadAt(p, at)
	}
	f.Reached.Store(true)
	n := max(f.From-at, 0)
	if _, err := f.ReaderAt.ReadAt(p[:n], at); err != nil && err != io.EOF {
		return 0, err
	}
	return int(n), f.Err
}

// StoreFunc is a store that calls a function before each read.
type StoreFunc struct {
	io.ReaderAt
	BeforeRead func()
}

// ReadAt implements [io.ReaderAt].
func (s StoreFunc) ReadAt(p []byte, at int64) (int, error) {
	s.BeforeRead()
	return s.ReaderAt.ReadAt(p, at)
}

// failingRead is a store that fails after a given number of successful reads.
type failingRead struct {
	io.ReaderAt
	left atomic.Int64
	err  error
	// full makes failing reads return the requested number of bytes, but wrong ones.
	full bool
}

func (f *failingRead) ReadAt(p []byte, at int64) (int, error) {
	if f.left.Add(-1) < 0 {
		if f.full {
			clear(p)
			return len(p), f.err
		}
		return 0, f.err
	}
	return f.ReaderAt.ReadAt(p, at)
}

// FailEachRead calls read with a file whose store fails at its first and all later reads, then
// with one that fails at its second and all later reads, and so on, until no read fails. For
// each failure, read must return an error that is not typed. If the store fails with ErrStore,
// that error must be ErrStore.
func FailEachRead(t testing.TB, in source.Input, read func(in source.Input) error) {
	t.Helper()
	for n := int64(0); ; n++ {
		for _, store := range []*failingRead{{err: ErrStore}, {err: ErrStore, full: true}, {err: io.EOF}} {
			store.ReaderAt = in.ReaderAt
			store.left.Store(n)
			broken := in
			broken.ReaderAt = store
			err := read(broken)
			if store.left.Load() >= 0 {
				if err != nil {
					t.Errorf("without a failure: %v", err)
				}
				if n == 0 {
					t.Errorf("the store was not read")
				}
				return
			}
			if err == nil || IsTyped(err) || errors.Is(store.err, ErrStore) && !errors.Is(err, ErrStore) {
				t.Errorf("%v from read %d on (full: %t): error %v", store.err, n+1, store.full, err)
			}
		}
	}
}

// IsTyped reports whether err is a *source.UnreadableError or a *source.LimitError,
// which have a reason written for users.
func IsTyped(err error) bool {
	var unreadable *source.UnreadableError
	var limit *source.LimitError
	return errors.As(err, &unreadable) || errors.As(err, &limit)
}

// Outline returns the codes and parameters of an error's message, such as
// workbook.damaged(problem: xml.empty()). It returns "" for an error that is not typed.
// The result does not change when a message is reworded.
func Outline(err error) string {
	var unreadable *source.UnreadableError
	var limit *source.LimitError
	switch {
	case errors.As(err, &unreadable):
		return outline(unreadable.Reason)
	case errors.As(err, &limit):
		return outline(limit.Reason)
	}
	return ""
}

func outline(value any) string {
	m, ok := value.(intray.Message)
	if !ok {
		return fmt.Sprint(value)
	}
	params := m.Params()
	var list []string
	for _, name := range slices.Sorted(maps.Keys(params)) {
		list = append(list, name+": "+outline(params[name]))
	}
	return m.Code + "(" + strings.Join(list, ", ") + ")"
}
