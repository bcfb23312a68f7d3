package source_test

import (
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/intraydata/intray"
	"github.com/intraydata/intray/source"
	"github.com/intraydata/intray/source/sourcetest"
)

func TestLimitsWithDefaults(t *testing.T) {
	want := source.Limits{Columns: 16384, CellBytes: 16 << 20, RecordBytes: 32 << 20, Cells: 1 << 31, HeaderBytes: 4096, HeadersBytes: 1 << 20}
	if diff := cmp.Diff(want, source.Limits{}.WithDefaults()); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	set := source.Limits{Columns: 1, CellBytes: 2, RecordBytes: 3, Cells: 4, HeaderBytes: 5, HeadersBytes: 6}
	if diff := cmp.Diff(set, set.WithDefaults()); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestHeaderLimitReason(t *testing.T) {
	limits := source.Limits{HeaderBytes: 4, HeadersBytes: 9}
	for _, c := range []struct {
		size, total int
		want        string
	}{{4, 9, ""}, {5, 9, "the header of column 3 is longer than 4 bytes"}, {4, 10, "the headers up to column 3 are longer than 9 bytes in total"}} {
		if got := limits.HeaderLimitReason(3, c.size, c.total).String(); got != c.want {
			t.Errorf("%d of %d bytes: %q, want %q", c.size, c.total, got, c.want)
		}
	}
}

func TestErrorsDescribe(t *testing.T) {
	reason := intray.Literal("it is torn")
	for want, err := range map[string]error{
		"it is torn":            &source.UnreadableError{Reason: reason},
		"on line 1, it is torn": &source.UnreadableError{Line: 1, Reason: reason},
		"on line 7, it is torn": &source.LimitError{Line: 7, Reason: reason},
	} {
		if err.Error() != want {
			t.Errorf("%q, want %q", err, want)
		}
	}
	if got := (&source.LimitError{Line: -1, Reason: reason}).Describe(); got != reason {
		t.Errorf("an unknown line: %v", got)
	}
}

func TestExcerpt(t *testing.T) {
	exact := strings.Repeat("é", 100)
	for text, want := range map[string]string{"": "", "short": "short", exact: exact, exact + "x": exact + "…"} {
		if got := source.Excerpt(text); got != want {
			t.Errorf("%q: %q", text, got)
		}
	}
}

// fakeFormat recognizes every file with the given score.
type fakeFormat struct {
	name  string
	score float64
	err   error
}

func (f fakeFormat) Name() string { return f.name }

func (f fakeFormat) Detect(_ source.Input, head []byte) (float64, intray.Message) {
	return f.score, intray.Literal(f.name + " of " + string(head[:min(len(head), 3)]))
}

func (f fakeFormat) Open(context.Context, source.Input, source.Options) (source.Book, error) {
	if f.err != nil {
		return nil, f.err
	}
	return fakeBook{}, nil
}

type fakeBook struct{ source.Book }

func (fakeBook) Evidence() []intray.Evidence { return []intray.Evidence{{Choice: "own"}} }

func TestOpen(t *testing.T) {
	broken := errors.New("broken")
	low, high, second, none := fakeFormat{"low", 0.1, nil}, fakeFormat{"high", 0.5, nil}, fakeFormat{"second", 0.5, nil}, fakeFormat{"none", 0, nil}
	for _, c := range []struct {
		formats []source.Format
		text    string
		want    string
		err     error
	}{
		{[]source.Format{low, high, second}, "text", "high", nil},
		{[]source.Format{none, low}, "t", "low", nil},
		{[]source.Format{fakeFormat{"broken", 1, broken}}, "text", "", broken},
		{[]source.Format{low}, "", "", source.ErrEmpty},
	} {
		book, err := source.Open(t.Context(), sourcetest.NewInput("a", []byte(c.text)), c.formats, source.Options{})
		if c.err != nil {
			if !errors.Is(err, c.err) || book != nil {
				t.Errorf("%q: error %v, want %v", c.text, err, c.err)
			}
			continue
		}
		if err != nil {
			t.Fatal(err)
		}
		reason := intray.Literal(c.want + " of " + c.text[:min(len(c.text), 3)])
		want := []intray.Evidence{{Choice: "format", Value: c.want, Reason: reason}, {Choice: "own"}}
		if diff := cmp.Diff(want, book.Evidence()); diff != "" {
			t.Errorf("%q (-want +got):\n%s", c.text, diff)
		}
	}
	var unreadable *source.UnreadableError
	_, err := source.Open(t.Context(), sourcetest.NewInput("", []byte("x")), []source.Format{none}, source.Options{})
	if !errors.As(err, &unreadable) || unreadable.Reason.Code != "file.unknown_format" {
		t.Errorf("unknown format: %v", err)
	}
	in := sourcetest.NewInput("", make([]byte, source.HeadBytes+1))
	in.ReaderAt = &sourcetest.FailingStore{ReaderAt: in.ReaderAt, From: source.HeadBytes, Err: sourcetest.ErrStore}
	if _, err := source.Open(t.Context(), in, []source.Format{low}, source.Options{}); err != nil {
		t.Errorf("a failure after the head: %v", err)
	}
	in.ReaderAt = &sourcetest.FailingStore{ReaderAt: in.ReaderAt, From: source.HeadBytes - 1, Err: sourcetest.ErrStore}
	if _, err := source.Open(t.Context(), in, []source.Format{low}, source.Options{}); !errors.Is(err, sourcetest.ErrStore) || !strings.HasPrefix(err.Error(), "read the beginning of the file: ") {
		t.Errorf("a failure in the head: %v", err)
	}
}

func TestOpenFile(t *testing.T) {
	folder := t.TempDir()
	name := filepath.Join(folder, "a.csv")
	if err := os.WriteFile(name, []byte("text"), 0o600); err != nil {
		t.Fatal(err)
	}
	file, err := source.OpenFile(name)
	if err != nil {
		t.Fatal(err)
	}
	text, err := io.ReadAll(io.NewSectionReader(file, 0, file.Size))
	if err != nil || file.Name != "a.csv" || string(text) != "text" {
		t.Errorf("%q: %q, error %v", file.Name, text, err)
	}
	if err := file.Close(); err != nil {
		t.Error(err)
	}
	if _, err := file.ReadAt(text, 0); !errors.Is(err, os.ErrClosed) {
		t.Errorf("closed file: %v", err)
	}
	if _, err := source.OpenFile(name + "x"); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("missing file: %v", err)
	}
	if _, err := source.OpenFile(folder); err == nil || !strings.HasSuffix(err.Error(), "is not an ordinary file") {
		t.Errorf("a directory: %v", err)
	}
}
