package sourcetest

import (
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/intraydata/intray"
	"github.com/intraydata/intray/source"
)

// Table is a text of one sheet without a name, and what it must give.
type Table struct {
	Name    string
	Text    string
	AsIs    bool
	Headers []string
	Records [][]string
	Lines   []int64
}

// Sample is the table as the suite takes it.
func (t Table) Sample() Sample {
	return Sample{
		Name: t.Name, Text: []byte(t.Text), Options: source.Options{AsIs: t.AsIs},
		Sheets: []Sheet{{Headers: t.Headers, Records: t.Records, Lines: append([]int64{}, t.Lines...)}},
	}
}

// Large gives tables beyond the bounds of a batch, to be written in a format:
// tall has more records than two batches, wide more empty cells than one and
// next to no text, heavy longer cells than what is read at once.
func Large() []Table {
	tall := Table{Name: "tall", Headers: []string{"n"}}
	for n := range 2*intray.BatchRows + 5 {
		tall.Records = append(tall.Records, []string{fmt.Sprint(n)})
	}
	wide := Table{Name: "wide"}
	for n := range 8000 {
		wide.Headers = append(wide.Headers, fmt.Sprint(n))
	}
	for range intray.BatchCells/8000 + 3 {
		wide.Records = append(wide.Records, make([]string, 8000))
	}
	heavy := Table{Name: "heavy", Headers: []string{"n", "text"}}
	for n := range 9 {
		heavy.Records = append(heavy.Records, []string{fmt.Sprint(n), strings.Repeat("\n\"é", 30_000*n)})
	}
	return []Table{tall, wide, heavy}
}

// Read reads a text of one sheet.
func Read(t testing.TB, format source.Format, text string, opt source.Options) (Sheet, error) {
	t.Helper()
	sheets, err := ReadAll(t.Context(), format, Input("", []byte(text)), opt)
	if err != nil {
		return Sheet{}, err
	}
	return sheets[0], nil
}

// Refuse reads a text and wants the error of the type, at the line and with the
// words of want, an *source.UnreadableError or a *source.LimitError; nil wants
// the text to be read.
func Refuse(t testing.TB, format source.Format, text string, opt source.Options, want error) {
	t.Helper()
	_, err := Read(t, format, text, opt)
	if !alike(err, want) {
		t.Errorf("%.60q: got %v, want %v", text, err, want)
	}
}

func alike(got, want error) bool {
	var wantUnreadable, unreadable *source.UnreadableError
	var wantLimit, limit *source.LimitError
	switch {
	case errors.As(want, &wantUnreadable):
		return errors.As(got, &unreadable) && unreadable.Line == wantUnreadable.Line && strings.Contains(unreadable.Reason.String(), wantUnreadable.Reason.String())
	case errors.As(want, &wantLimit):
		return errors.As(got, &limit) && limit.Line == wantLimit.Line && strings.Contains(limit.Reason.String(), wantLimit.Reason.String())
	}
	return got == nil && want == nil
}

// Open opens the one sheet of a text for the rest of the test, and gives all
// evidence, by choice.
func Open(t testing.TB, format source.Format, text string, opt source.Options) (source.Reader, map[string]string) {
	t.Helper()
	book, err := format.Open(t.Context(), Input("", []byte(text)), opt)
	if err != nil {
		t.Fatalf("%.60q: %v", text, err)
	}
	reader, err := book.Open(t.Context(), 0)
	if err != nil {
		t.Fatalf("%.60q: %v", text, err)
	}
	t.Cleanup(func() {
		if err := errors.Join(reader.Close(), book.Close()); err != nil {
			t.Error(err)
		}
	})
	evidence := map[string]string{}
	for _, e := range append(book.Evidence(), reader.Evidence()...) {
		if e.Reason.IsZero() {
			t.Errorf("%.60q: no reason for %s", text, e.Choice)
		}
		evidence[e.Choice] = e.Value
	}
	return reader, evidence
}

// Drain reads a text to its end, keeps nothing and counts the records.
func Drain(t testing.TB, format source.Format, text []byte) (records int) {
	t.Helper()
	book, err := format.Open(t.Context(), Input("", text), source.Options{})
	if err != nil {
		t.Fatal(err)
	}
	reader, err := book.Open(t.Context(), 0)
	if err != nil {
		t.Fatal(err)
	}
	for batch := new(intray.Records); ; records += batch.Len() {
		err := reader.Next(t.Context(), batch)
		if errors.Is(err, io.EOF) {
			return records
		}
		if err != nil {
			t.Fatal(err)
		}
	}
}

// Score wants a file that begins with head to be recognized so surely, for a
// reason.
func Score(t testing.TB, format source.Format, name, head string, low, high float64) {
	t.Helper()
	score, reason := format.Detect(Input(name, []byte(head)), []byte(head))
	if score < low || score > high || (score > 0) == reason.IsZero() {
		t.Errorf("%s %q: score %v, reason %q", name, head, score, reason)
	}
}
