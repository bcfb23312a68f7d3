package zipfile

import (
	"bytes"
	"context"
	"errors"
	"io"
	"testing"

	"github.com/intraydata/intray"
	"github.com/intraydata/intray/source"
	"github.com/intraydata/intray/source/sourcetest"
)

// answers is a store that returns the same result for every read.
type answers struct {
	n   int
	err error
}

func (a answers) ReadAt([]byte, int64) (int, error) { return a.n, a.err }

func TestReadAt(t *testing.T) {
	for name, test := range map[string]struct {
		store   answers
		at      int64
		n       int
		err     error
		failure error
	}{
		"whole":                     {answers{4, nil}, 0, 4, nil, nil},
		"whole, with the end":       {answers{4, io.EOF}, 6, 4, nil, nil},
		"whole, with an error":      {answers{4, sourcetest.ErrStore}, 0, 0, sourcetest.ErrStore, sourcetest.ErrStore},
		"the end":                   {answers{2, io.EOF}, 8, 2, io.EOF, nil},
		"after the end":             {answers{0, io.EOF}, 10, 0, io.EOF, nil},
		"the end too early":         {answers{2, io.EOF}, 7, 2, io.ErrUnexpectedEOF, io.ErrUnexpectedEOF},
		"too little, without error": {answers{2, nil}, 0, 2, io.ErrUnexpectedEOF, io.ErrUnexpectedEOF},
		"a failure":                 {answers{1, sourcetest.ErrStore}, 0, 1, sourcetest.ErrStore, sourcetest.ErrStore},
		"before the beginning":      {answers{4, nil}, -1, 0, ErrOutside, nil},
	} {
		in := NewInput(source.Input{ReaderAt: test.store, Size: 10})
		n, err := in.ReadAt(make([]byte, 4), test.at)
		if n != test.n || !errors.Is(err, test.err) || !errors.Is(in.Failure(), test.failure) || in.BytesRead() != int64(test.n) {
			t.Errorf("%s: %d bytes, error %v; the store has failed with %v after %d bytes", name, n, err, in.Failure(), in.BytesRead())
		}
	}
}

func TestDecoded(t *testing.T) {
	in := NewInput(sourcetest.NewInput("a.xlsx", []byte("0123456789")))
	decoded := in.Decoded(bytes.NewReader([]byte("abc")), 5)
	if decoded.Name != "a.xlsx" || decoded.Size != 5 {
		t.Errorf("%q of %d bytes", decoded.Name, decoded.Size)
	}
	if _, err := decoded.ReadAt(make([]byte, 5), 0); !errors.Is(err, io.ErrUnexpectedEOF) || decoded.Failure() != nil {
		t.Errorf("error %v, failure %v", err, decoded.Failure())
	}
	in.err = sourcetest.ErrStore
	if !errors.Is(decoded.Failure(), sourcetest.ErrStore) {
		t.Errorf("failure %v", decoded.Failure())
	}
}

func TestExplain(t *testing.T) {
	problem := intray.NewMessage("workbook.directory_unreadable", nil)
	unreadable, limit := &source.UnreadableError{Line: 3, Reason: intray.NewMessage("xml.empty", nil)}, &source.LimitError{Line: 4}
	in := NewInput(source.Input{})
	for _, err := range []error{unreadable, limit} {
		if got := in.Explain("read it", err, problem); !errors.Is(got, err) {
			t.Errorf("%v becomes %v", err, got)
		}
	}
	got := in.Explain("read it", io.ErrUnexpectedEOF, problem)
	if want := "workbook.damaged(problem: workbook.directory_unreadable())"; sourcetest.Outline(got) != want {
		t.Errorf("%v, want %s", got, want)
	}
	in.err = sourcetest.ErrStore
	got = in.Explain("read it", unreadable, problem)
	if !errors.Is(got, sourcetest.ErrStore) || got.Error() != "read it: the store failed" {
		t.Errorf("a failure of the store becomes %v", got)
	}
}

func TestCause(t *testing.T) {
	cause := errors.New("the server stops")
	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(cause)
	if err := Cause(ctx, errCanceled); !errors.Is(err, cause) {
		t.Errorf("%v", err)
	}
	if err := Cause(ctx, io.ErrUnexpectedEOF); !errors.Is(err, io.ErrUnexpectedEOF) {
		t.Errorf("%v", err)
	}
}
