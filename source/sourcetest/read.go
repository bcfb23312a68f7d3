package sourcetest

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"

	"github.com/intraydata/intray"
	"github.com/intraydata/intray/source"
)

// ReadAll opens a file and reads all its sheets. It returns an error if the format
// violates the contract of source.Reader.
func ReadAll(ctx context.Context, format source.Format, in source.Input, opt source.Options) (sheets []Sheet, err error) {
	book, err := format.Open(ctx, in, opt)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, book.Close()) }()
	if len(book.Sheets()) == 0 || len(book.Evidence()) == 0 {
		return nil, errors.New("the book has no sheets or no evidence")
	}
	for i := range book.Sheets() {
		sheet, err := readSheet(ctx, book, i)
		if err != nil {
			return nil, err
		}
		sheets = append(sheets, sheet)
	}
	return sheets, nil
}

// readSheet reads the sheet with index i to its end.
func readSheet(ctx context.Context, book source.Book, i int) (sheet Sheet, err error) {
	reader, err := book.Open(ctx, i)
	if err != nil {
		return Sheet{}, err
	}
	defer func() { err = errors.Join(err, reader.Close()) }()
	sheet = Sheet{Name: book.Sheets()[i].Name}
	if err := sheet.setColumns(reader); err != nil {
		return Sheet{}, err
	}
	batch := dirtyBatch()
	for {
		err := reader.Next(ctx, batch)
		if errors.Is(err, io.EOF) {
			return sheet, checkEnd(ctx, reader, batch)
		}
		if err != nil {
			return Sheet{}, err
		}
		if batch.Len() == 0 {
			return Sheet{}, errors.New("a batch is empty before the end")
		}
		if err := sheet.addRecords(batch); err != nil {
			return Sheet{}, err
		}
	}
}

// setColumns sets the headers of the sheet to those of the reader, and checks the reader's
// columns and evidence.
func (s *Sheet) setColumns(reader source.Reader) error {
	if len(reader.Evidence()) == 0 {
		return errors.New("the sheet has no evidence")
	}
	for i, c := range reader.Columns() {
		if c.Index != i {
			return fmt.Errorf("column %d has index %d", i, c.Index)
		}
		if len(c.Samples) > 20 || slices.Contains(c.Samples, "") {
			return fmt.Errorf("column %d has samples %q", i, c.Samples)
		}
		s.Headers = append(s.Headers, c.Header)
	}
	return nil
}

// addRecords appends the records of a batch and checks the batch.
func (s *Sheet) addRecords(batch *intray.Records) error {
	if batch.First != int64(len(s.Records)) {
		return fmt.Errorf("a batch starts with record %d after %d records", batch.First, len(s.Records))
	}
	if err := checkSize(batch); err != nil {
		return err
	}
	for i := range batch.Len() {
		cells := make([]string, batch.NumCells(i))
		for c := range cells {
			cells[c] = string(batch.Cell(i, c))
		}
		s.Records = append(s.Records, cells)
		if batch.Lines[i] < 1 {
			return fmt.Errorf("record %d: line %d", len(s.Records)-1, batch.Lines[i])
		}
	}
	s.Lines = append(s.Lines, batch.Lines...)
	return nil
}

// checkSize checks that a batch without its last record is below the limits of a batch.
func checkSize(batch *intray.Records) error {
	last := batch.Len() - 1
	if last < 0 || len(batch.Lines) != batch.Len() {
		return fmt.Errorf("a batch has %d records and %d lines", batch.Len(), len(batch.Lines))
	}
	bytes := batch.Bytes()
	for c := range batch.NumCells(last) {
		bytes -= len(batch.Cell(last, c))
	}
	cells := countCells(batch) - batch.NumCells(last)
	if last >= intray.BatchRows || bytes >= intray.BatchBytes || cells >= intray.BatchCells {
		return fmt.Errorf("a batch of %d records exceeds its limits", batch.Len())
	}
	return nil
}

func countCells(batch *intray.Records) int {
	cells := 0
	for i := range batch.Len() {
		cells += batch.NumCells(i)
	}
	return cells
}

// checkEnd checks that Next returns io.EOF again after the end of the sheet.
func checkEnd(ctx context.Context, reader source.Reader, batch *intray.Records) error {
	if batch.Len() != 0 {
		return errors.New("the batch has records at the end")
	}
	batch.AppendCell([]byte("left over"))
	batch.EndRecord(7)
	if err := reader.Next(ctx, batch); !errors.Is(err, io.EOF) || batch.Len() != 0 {
		return fmt.Errorf("after the end: %d records and error %w", batch.Len(), err)
	}
	return nil
}

// dirtyBatch returns a batch with content that Next must discard.
func dirtyBatch() *intray.Records {
	batch := &intray.Records{First: 99}
	batch.AppendCell([]byte("left over"))
	batch.EndRecord(7)
	return batch
}

// Table is a file with one unnamed sheet, and the expected content of the sheet.
type Table struct {
	Name    string
	Text    string
	AsIs    bool
	Headers []string
	Records [][]string
	Lines   []int64
}

// Sample returns the table as a sample.
func (t Table) Sample() Sample {
	return Sample{
		Name: t.Name, Text: []byte(t.Text), Options: source.Options{AsIs: t.AsIs},
		Sheets: []Sheet{{Headers: t.Headers, Records: t.Records, Lines: append([]int64{}, t.Lines...)}},
	}
}

// LargeTables returns tables that are larger than a batch. Their Text is empty, so that each
// format can encode them. The table "tall" has more records than fit into two batches. The table
// "wide" has more cells than fit into a batch, nearly all of them empty. The table "heavy" has cells
// that are longer than a read buffer.
func LargeTables() []Table {
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
	wide.Records[len(wide.Records)-1][7999] = "end" // text formats drop empty rows at the end
	heavy := Table{Name: "heavy", Headers: []string{"n", "text"}}
	for n := range 9 {
		heavy.Records = append(heavy.Records, []string{fmt.Sprint(n), strings.Repeat("\n\"é", 30_000*n)})
	}
	return []Table{tall, wide, heavy}
}

// Read opens text as a file and returns its first sheet.
func Read(t testing.TB, format source.Format, text string, opt source.Options) (Sheet, error) {
	t.Helper()
	sheets, err := ReadAll(t.Context(), format, NewInput("", []byte(text)), opt)
	if err != nil {
		return Sheet{}, err
	}
	return sheets[0], nil
}

// RequireError reads text and requires an error with the type and line of want and a
// reason that contains the reason of want. want is a *source.UnreadableError, a
// *source.LimitError, or nil for no error.
func RequireError(t testing.TB, format source.Format, text string, opt source.Options, want error) {
	t.Helper()
	_, err := Read(t, format, text, opt)
	if !sameError(err, want) {
		t.Errorf("%.60q: got %v, want %v", text, err, want)
	}
}

func sameError(got, want error) bool {
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

// CloseAfter closes a book or a reader at the end of the test. It reports an error of Close.
func CloseAfter(t testing.TB, c io.Closer) {
	t.Helper()
	t.Cleanup(func() {
		if err := c.Close(); err != nil {
			t.Error(err)
		}
	})
}

// Open opens text as a file and its first sheet, and closes both at the end of the test. It
// returns the values of all evidence, keyed by choice.
func Open(t testing.TB, format source.Format, text string, opt source.Options) (source.Reader, map[string]string) {
	t.Helper()
	book, err := format.Open(t.Context(), NewInput("", []byte(text)), opt)
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

// CountRecords reads the first sheet of text to its end and returns the number of records.
func CountRecords(t testing.TB, format source.Format, text []byte) (records int) {
	t.Helper()
	book, err := format.Open(t.Context(), NewInput("", text), source.Options{})
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

// RequireScore requires Detect to return a score between low and high, and a reason unless the
// score is 0.
func RequireScore(t testing.TB, format source.Format, name, head string, low, high float64) {
	t.Helper()
	score, reason := format.Detect(NewInput(name, []byte(head)), []byte(head))
	if score < low || score > high || (score > 0) == reason.IsZero() {
		t.Errorf("%s %q: score %v, reason %q", name, head, score, reason)
	}
}
