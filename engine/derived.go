package engine

import (
	"bytes"
	"context"
	"errors"
	"io"
	"slices"
	"strings"

	"github.com/intraydata/intray"
	"github.com/intraydata/intray/celltype"
	"github.com/intraydata/intray/celltype/date"
	"github.com/intraydata/intray/internal/textedit"
	"github.com/intraydata/intray/source"
)

// derivedReader adds the columns of a person to the table of a file.
type derivedReader struct {
	source.Reader
	added   []derivedColumn
	columns []intray.Column
	// raw is a batch of the file. While it is pending, its records from at on are still to be returned. end is
	// the error that follows them.
	raw     intray.Records
	pending bool
	at      int
	end     error
	text    []byte
}

// openTable opens the table that was chosen, with the columns that a person added.
func (p *importRun) openTable(ctx context.Context) (source.Reader, error) {
	reader, err := p.table.open(ctx, p.book)
	answer := p.imp.Answers[intray.AnswerDerived]
	if err != nil || answer == "" {
		return reader, err
	}
	added, ok := intray.ParseDerivedColumns(answer, len(reader.Columns()))
	if !ok || len(added) == 0 {
		return reader, nil
	}
	p.out.Derived = len(added)
	d := addColumns(reader, added)
	d.sample(ctx)
	return d, nil
}

// reportNotAdded reports columns that a person added to a table with more columns than the one that was opened. A
// hook may have chosen a different header row.
func (p *importRun) reportNotAdded() {
	if list, _ := intray.ParseDerivedColumns(p.imp.Answers[intray.AnswerDerived], -1); len(list) > 0 && p.out.Derived == 0 {
		p.out.addNotice(intray.Notice{Type: intray.ColumnConflict, Level: intray.LevelWarning, Text: intray.NewMessage("file.columns_not_added", nil)})
	}
}

func addColumns(reader source.Reader, added []intray.DerivedColumn) *derivedReader {
	own := reader.Columns()
	d := &derivedReader{Reader: reader, columns: slices.Clone(own)}
	for i, c := range added {
		d.added = append(d.added, newDerivedColumn(c))
		d.columns = append(d.columns, intray.Column{Index: len(own) + i, Header: c.Name})
	}
	return d
}

// PreviewDerived returns the cells of columns that a person may add, for at most limit rows of the table that the
// answers of the import select. Columns that were added earlier have no effect. It returns no rows if a question
// about the sheets is open. ok is false if columns does not fit the table. Errors are like those of Preview.
func (e *Engine) PreviewDerived(ctx context.Context, imp Import, columns string, limit int) (rows [][]string, ok bool, err error) {
	opt := e.tableOptions(imp)
	book, err := source.Open(ctx, imp.Input, e.cfg.Formats, opt)
	if err != nil {
		return nil, false, err
	}
	defer book.Close()
	table, question, err := chooseSheet(ctx, book, opt.Work, imp.Answers, &Outcome{})
	if err != nil || question != nil {
		return nil, true, err
	}
	reader, err := table.open(ctx, book)
	if err != nil {
		return nil, false, err
	}
	defer reader.Close()
	added, ok := intray.ParseDerivedColumns(columns, len(reader.Columns()))
	if !ok {
		return nil, false, nil
	}
	d := addColumns(reader, added)
	recs := intray.Records{Width: len(d.columns)}
	for len(rows) < limit {
		if err := d.Next(ctx, &recs); err != nil && !errors.Is(err, io.EOF) {
			return nil, true, err
		} else if recs.Len() == 0 && err != nil {
			break
		}
		for row := range min(recs.Len(), limit-len(rows)) {
			cells := make([]string, len(added))
			for n := range added {
				cells[n] = string(recs.Cell(row, len(d.columns)-len(added)+n))
			}
			rows = append(rows, cells)
		}
	}
	return rows, true, nil
}

// maxSamples is the maximum number of samples of a column.
const maxSamples = 20

// sample reads the first batch of the file for the samples of the columns that were added. Next returns the
// batch, and the error that follows it.
func (d *derivedReader) sample(ctx context.Context) {
	d.read(ctx, len(d.columns))
	first := len(d.columns) - len(d.added)
	for row := range d.raw.Len() {
		for n := range d.added {
			c := &d.columns[first+n]
			if len(c.Samples) == maxSamples {
				continue
			}
			if text := d.added[n].append(d.text[:0], d.cellsOf(row)); len(text) > 0 {
				c.Samples = append(c.Samples, string(text))
			}
		}
	}
}

// read reads a batch of the file.
func (d *derivedReader) read(ctx context.Context, width int) {
	d.raw.Width = width
	d.end = d.Reader.Next(ctx, &d.raw)
	d.pending, d.at = true, 0
}

// cellsOf returns a function that returns the cells of a row of the batch. Cells that the row does not have are
// empty.
func (d *derivedReader) cellsOf(row int) func(column int) celltype.Cell {
	return func(column int) (cell celltype.Cell) {
		if column < d.raw.NumCells(row) {
			cell.Raw = d.raw.Cell(row, column)
			cell.Kind, cell.Typed = d.raw.TypedCell(row, column)
		}
		return cell
	}
}

// Columns returns the columns of the file and those that were added.
func (d *derivedReader) Columns() []intray.Column { return d.columns }

// maxAddedText is the maximum length of the added cells of a row, in bytes.
const maxAddedText = 1 << 20

// Next reads records and adds cells to them. Added cells can be much longer than the records of the file,
// so one batch of the file may become several ones.
func (d *derivedReader) Next(ctx context.Context, recs *intray.Records) error {
	recs.Reset()
	if !d.pending {
		if d.end != nil {
			return d.end
		}
		d.read(ctx, recs.Width)
	}
	if d.at == 0 {
		recs.Notices = append(recs.Notices, d.raw.Notices...)
	}
	recs.First = d.raw.First + int64(d.at)
	for ; d.at < d.raw.Len() && !recs.IsFull(); d.at++ {
		if err := d.appendRecord(recs); err != nil {
			return err
		}
	}
	if d.at < d.raw.Len() {
		return nil
	}
	d.pending = false
	return d.end
}

// appendRecord appends the next record of the file with the added cells.
func (d *derivedReader) appendRecord(recs *intray.Records) error {
	cell := d.cellsOf(d.at)
	most := recs.Bytes() + maxAddedText + d.raw.Bytes()
	recs.AppendDerived(&d.raw, d.at, len(d.columns)-len(d.added), len(d.added), func(n int) []byte {
		if recs.Bytes() > most {
			return nil // refused below
		}
		d.text = d.added[n].append(d.text[:0], cell)
		return d.text
	})
	if recs.Bytes() > most {
		return &source.LimitError{Line: d.raw.Lines[d.at], Reason: intray.NewMessage("cell.too_long", intray.Params{"limit": maxAddedText})}
	}
	return nil
}

// derivedColumn is a column that a person added.
type derivedColumn struct {
	intray.DerivedColumn
	// dates and layout are set if the column has dates in a different format.
	dates  date.Style
	layout *date.Layout
}

func newDerivedColumn(c intray.DerivedColumn) derivedColumn {
	d := derivedColumn{DerivedColumn: c}
	if c.Change != nil && c.Change.Dates != nil {
		d.dates = date.StyleOf(c.Change.Dates.Order)
		d.layout, _ = date.CompileLayout(c.Change.Dates.Format, "", date.WantDate, false) // each of intray.DateFormats compiles
	}
	return d
}

// append appends the text of a cell of the column to dst. cell returns a cell of the same row.
func (d *derivedColumn) append(dst []byte, cell func(column int) celltype.Cell) []byte {
	switch {
	case d.Constant != nil:
		return append(dst, *d.Constant...)
	case d.Join != nil:
		return appendJoined(dst, d.Join, cell)
	case d.Split != nil:
		return append(dst, partOf(string(cell(d.Split.Column).Raw), d.Split)...)
	case d.Change != nil:
		return append(dst, d.changed(cell(d.Change.Column))...)
	}
	return dst
}

func appendJoined(dst []byte, j *intray.JoinedColumns, cell func(column int) celltype.Cell) []byte {
	empty := len(dst)
	for _, column := range j.Columns {
		text := bytes.TrimSpace(cell(column).Raw)
		if len(text) == 0 {
			continue
		}
		if len(dst) > empty {
			dst = append(dst, j.With...)
		}
		dst = append(dst, text...)
	}
	return dst
}

func partOf(text string, s *intray.SplitColumn) string {
	for range s.Part {
		var found bool
		if _, text, found = strings.Cut(text, s.At); !found {
			return ""
		}
	}
	if !s.Rest {
		text, _, _ = strings.Cut(text, s.At)
	}
	return strings.TrimSpace(text)
}

// maxGrown is the maximum length of a text that a replacement makes longer, in bytes. A text that would be
// longer is not replaced.
const maxGrown = 1 << 20

func (d *derivedColumn) changed(cell celltype.Cell) string {
	text, c := string(cell.Raw), d.Change
	if c.Find != "" {
		grown := len(text) + strings.Count(text, c.Find)*(len(c.With)-len(c.Find))
		if grown <= max(maxGrown, len(text)) {
			text = strings.ReplaceAll(text, c.Find, c.With)
		}
	}
	if c.Dates != nil {
		text = d.rewriteDate(text, cell)
	}
	if c.Trim {
		text = textedit.Trim(text, true)
	}
	if c.Case != "" {
		text = textedit.Casing(c.Case).Apply(text)
	}
	return text
}

// rewriteDate writes a date in the format of the column. text is the text of the cell after a
// replacement. A date of a workbook is read from its stored value, which has only one meaning,
// unless the replacement changed it.
func (d *derivedColumn) rewriteDate(text string, cell celltype.Cell) string {
	raw := []byte(text)
	if text == string(cell.Raw) && (cell.Kind == intray.CellDate || cell.Kind == intray.CellDateTime) {
		raw = cell.Typed
	}
	if r := d.dates.Read(raw, date.WantDate); r.Reason == date.Read {
		return string(d.layout.Append(nil, r.Timestamp))
	}
	return text
}
