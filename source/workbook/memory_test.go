package workbook

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"strings"
	"testing"

	"github.com/intraydata/intray"
	"github.com/intraydata/intray/source"
)

// memory is a workbook in memory that has one sheet. Each line of text is a row whose
// cells are separated by tabs. Line ends, tabs and backslashes in cells are escaped. A
// line that starts with ~ is a hidden row.
type memory struct {
	text   string
	sheet  Sheet
	ranges []Range
	hidden map[int]bool
	// fails is the error to return after the last row instead of io.EOF.
	fails error
}

func (memory) Evidence() []intray.Evidence {
	return []intray.Evidence{{Choice: "version", Value: "memory", Reason: intray.Literal("it is in memory")}}
}

func (m memory) Sheets() []Sheet { return []Sheet{m.sheet} }
func (memory) Close() error      { return nil }

func (m memory) Rows(context.Context, int) (Rows, error) { return m.rows(), nil }

func (m memory) rows() *memoryRows {
	lines := strings.Split(m.text, "\n")
	if m.text == "" {
		lines = nil
	}
	return &memoryRows{memory: m, lines: lines}
}

var (
	escapes   = strings.NewReplacer("\\", `\\`, "\n", `\n`, "\t", `\t`)
	unescapes = strings.NewReplacer(`\\`, "\\", `\n`, "\n", `\t`, "\t")
)

// sheetOf encodes rows as the text of a memory workbook.
func sheetOf(rows [][]string) string {
	var lines []string
	for _, row := range rows {
		var cells []string
		for _, cell := range row {
			cells = append(cells, escapes.Replace(cell))
		}
		lines = append(lines, strings.Join(cells, "\t"))
	}
	return strings.Join(lines, "\n")
}

type memoryRows struct {
	memory
	lines  []string
	number int64
	closed bool
	// scratch is reused for each row, as in real formats.
	scratch []byte
}

func (r *memoryRows) Next(ctx context.Context) (Row, error) {
	if err := ctx.Err(); err != nil {
		return Row{}, err
	}
	if r.closed {
		return Row{}, fs.ErrClosed
	}
	for int(r.number) < len(r.lines) {
		r.number++
		if row := r.row(r.lines[r.number-1]); len(row.Cells) > 0 {
			return row, nil
		}
	}
	if r.fails != nil {
		return Row{}, r.fails
	}
	return Row{}, io.EOF
}

func (r *memoryRows) row(line string) Row {
	line, hidden := strings.CutPrefix(line, "~")
	row := Row{Number: r.number, Hidden: hidden}
	r.scratch = r.scratch[:0]
	for c, cell := range strings.Split(line, "\t") {
		if cell == "" {
			continue
		}
		from := len(r.scratch)
		r.scratch = append(r.scratch, unescapes.Replace(cell)...)
		row.Cells = append(row.Cells, Cell{Column: c, Value: r.scratch[from:len(r.scratch):len(r.scratch)]})
	}
	return row
}

func (r *memoryRows) Close() error {
	r.closed = true
	return nil
}

func (r *memoryRows) ColumnHidden(column int) bool { return r.hidden[column] }

// early is a workbook that reports each merged range together with its first row.
type early struct{ memory }

func (e early) Rows(context.Context, int) (Rows, error) {
	return &earlyRows{memoryRows: e.rows()}, nil
}

type earlyRows struct {
	*memoryRows
	reported map[Range]bool
}

func (r *earlyRows) PendingMerges() (found []Range) {
	if r.reported == nil {
		r.reported = map[Range]bool{}
	}
	for _, g := range r.ranges {
		if g.FirstRow <= r.number && !r.reported[g] {
			r.reported[g] = true
			found = append(found, g)
		}
	}
	return found
}

// late is a workbook that reports all merged ranges after the last row.
type late struct{ memory }

func (l late) Rows(context.Context, int) (Rows, error) { return &lateRows{memoryRows: l.rows()}, nil }

func (l late) MergedRanges(context.Context, int) ([]Range, error) { return l.ranges, nil }

type lateRows struct {
	*memoryRows
	reported bool
}

func (r *lateRows) PendingMerges() []Range {
	if int(r.number) < len(r.lines) || r.reported {
		return nil
	}
	r.reported = true
	return r.ranges
}

// memoryFormat reads the text of a file as a sheet.
type memoryFormat struct{}

func (memoryFormat) Name() string { return "memory" }

func (memoryFormat) Detect(source.Input, []byte) (float64, intray.Message) {
	return 0.5, intray.Literal("any text")
}

func (memoryFormat) Open(ctx context.Context, in source.Input, opt source.Options) (source.Book, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	text, err := io.ReadAll(io.NewSectionReader(in, 0, in.Size))
	if err == nil && int64(len(text)) < in.Size {
		err = io.ErrUnexpectedEOF
	}
	if err != nil {
		return nil, fmt.Errorf("read the file: %w", err)
	}
	return NewBook(memory{text: string(text)}, opt)
}

// outcome is the result of reading a sheet: evidence in the format "choice: value", the
// header, the records with their row numbers, and the notices.
type outcome struct {
	evidence, records, notices []string
}

func readBook(t testing.TB, w Workbook, opt source.Options) (out outcome, err error) {
	t.Helper()
	book, err := NewBook(w, opt)
	if err != nil {
		return out, err
	}
	reader, err := book.Open(t.Context(), 0)
	if err != nil {
		return out, err
	}
	defer func() { err = errors.Join(err, reader.Close(), book.Close()) }()
	var header []string
	for _, c := range reader.Columns() {
		header = append(header, c.Header)
	}
	out.records = append(out.records, strings.Join(header, "|"))
	for _, e := range reader.Evidence() {
		out.evidence = append(out.evidence, e.Choice+": "+e.Value)
		if e.Reason.IsZero() {
			t.Errorf("%v has no reason", e)
		}
	}
	for batch := new(intray.Records); ; {
		err := reader.Next(t.Context(), batch)
		for _, n := range batch.Notices {
			out.notices = append(out.notices, n.Text.String())
		}
		if errors.Is(err, io.EOF) {
			return out, nil
		}
		if err != nil {
			return out, err
		}
		for i := range batch.Len() {
			var cells []string
			for c := range batch.NumCells(i) {
				cells = append(cells, string(batch.Cell(i, c)))
			}
			out.records = append(out.records, fmt.Sprintf("%d:%s", batch.Lines[i], strings.Join(cells, "|")))
		}
	}
}
