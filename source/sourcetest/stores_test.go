package sourcetest

import (
	"errors"
	"fmt"
	"io"
	"testing"

	"github.com/intraydata/intray"
	"github.com/intraydata/intray/source"
)

// recorder is a test that records its errors.
type recorder struct {
	testing.TB
	errs []string
}

func (r *recorder) Helper() {}

func (r *recorder) Errorf(format string, args ...any) {
	r.errs = append(r.errs, fmt.Sprintf(format, args...))
}

func TestFailEachRead(t *testing.T) {
	in := NewInput("", []byte("0123456789"))
	read := func(in source.Input) error {
		for at := range in.Size / 4 {
			p := make([]byte, 4)
			if _, err := in.ReadAt(p, 4*at); err != nil {
				if errors.Is(err, io.EOF) {
					err = io.ErrUnexpectedEOF
				}
				return fmt.Errorf("read: %w", err)
			}
		}
		return nil
	}
	for name, test := range map[string]struct {
		read func(in source.Input) error
		errs int
	}{
		"correct":            {read, 0},
		"reads nothing":      {func(source.Input) error { return nil }, 1},
		"swallows the error": {func(in source.Input) error { _ = read(in); return nil }, 6},
		"changes the error": {func(in source.Input) error {
			if read(in) != nil {
				return errors.New("something")
			}
			return nil
		}, 4},
		"reports damage": {func(in source.Input) error {
			if read(in) != nil {
				return &source.UnreadableError{}
			}
			return nil
		}, 6},
		"fails without a reason": {func(in source.Input) error { return errors.Join(read(in), ErrStore) }, 1},
	} {
		var r recorder
		FailEachRead(&r, in, test.read)
		if len(r.errs) != test.errs {
			t.Errorf("%s: %d errors, want %d: %q", name, len(r.errs), test.errs, r.errs)
		}
	}
}

func TestIsTyped(t *testing.T) {
	for err, want := range map[error]bool{
		&source.UnreadableError{}: true, fmt.Errorf("read: %w", &source.LimitError{}): true, source.ErrEmpty: true, io.EOF: false, nil: false,
	} {
		if IsTyped(err) != want {
			t.Errorf("%v", err)
		}
	}
}

func TestOutline(t *testing.T) {
	inner := intray.NewMessage("xml.other_encoding", intray.Params{"encoding": "x"})
	for want, err := range map[string]error{
		"": io.EOF,
		"workbook.part(part: a, problem: xml.other_encoding(encoding: x))": &source.UnreadableError{Line: 3, Reason: intray.NewMessage("workbook.part", intray.Params{"part": "a", "problem": inner})},
		"workbook.too_deep(limit: 1024)":                                   fmt.Errorf("read: %w", &source.LimitError{Reason: intray.NewMessage("workbook.too_deep", intray.Params{"limit": 1024})}),
	} {
		if got := Outline(err); got != want {
			t.Errorf("%s, want %s", got, want)
		}
	}
}

func TestFailingStore(t *testing.T) {
	store := &FailingStore{ReaderAt: NewInput("", []byte("0123456789")), From: 4, Err: ErrStore}
	p := make([]byte, 4)
	if n, err := store.ReadAt(p, 0); n != 4 || err != nil || store.Reached.Load() {
		t.Errorf("%d bytes, error %v", n, err)
	}
	if n, err := store.ReadAt(p, 1); n != 3 || !errors.Is(err, ErrStore) || string(p[:n]) != "123" || !store.Reached.Load() {
		t.Errorf("%d bytes, error %v", n, err)
	}
	if n, err := store.ReadAt(p, 8); n != 0 || !errors.Is(err, ErrStore) {
		t.Errorf("%d bytes, error %v", n, err)
	}
}
