package grid

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"strconv"
	"strings"

	"github.com/intraydata/intray"
	"github.com/intraydata/intray/source"
	"github.com/intraydata/intray/source/table"
)

const (
	// sampleRows is how many rows of a sheet are looked at before its records
	// are read.
	sampleRows = 300
	// sampleCells is how many cells a column shows.
	sampleCells = 20
	// maxGap is the most empty rows in a row that are handed on where every row
	// is read as found.
	maxGap = 10_000
	// maxHeld is the most rows that are held back because they may stand below
	// the table.
	maxHeld = 20
)

// Book makes a book of a workbook, which it closes with itself. A workbook
// without a worksheet is closed at once and cannot be read.
func Book(w Workbook, opt source.Options) (source.Book, error) {
	if len(w.Sheets()) == 0 {
		return nil, errors.Join(&source.UnreadableError{Reason: "the workbook has no worksheet"}, w.Close())
	}
	opt.Limits = opt.Limits.WithDefaults()
	return &book{w, opt}, nil
}

type book struct {
	workbook Workbook
	opt      source.Options
}

func (b *book) Evidence() []intray.Evidence { return b.workbook.Evidence() }

func (b *book) Sheets() (sheets []source.Sheet) {
	for _, s := range b.workbook.Sheets() {
		sheets = append(sheets, source.Sheet{Name: s.Name, Hidden: s.Hidden})
	}
	return sheets
}

func (b *book) Close() error { return b.workbook.Close() }

func (b *book) Open(ctx context.Context, sheet int) (source.Reader, error) {
	if sheet < 0 || sheet >= len(b.workbook.Sheets()) {
		return nil, fmt.Errorf("open sheet %d of %d", sheet, len(b.workbook.Sheets()))
	}
	rows, err := b.workbook.Rows(ctx, sheet)
	if err != nil {
		return nil, err
	}
	r := &reader{rows: rows, opt: b.opt}
	if err := r.begin(ctx, b.workbook.Sheets()[sheet]); err != nil {
		return nil, errors.Join(err, rows.Close())
	}
	return r, nil
}

// kept is a row that was read ahead.
type kept struct {
	number int64
	cells  []Cell
}

func keep(row Row) kept {
	k := kept{number: row.Number, cells: make([]Cell, len(row.Cells))}
	for i, c := range row.Cells {
		c.Value, c.Shown = append([]byte(nil), c.Value...), append([]byte(nil), c.Shown...)
		k.cells[i] = c
	}
	return k
}

// shown is what the application displays.
func (c Cell) shown() []byte {
	if c.Shown == nil {
		return c.Value
	}
	return c.Shown
}

// texts gives the cells of a row by their columns.
func (k kept) texts() []string {
	var texts []string
	for _, c := range k.cells {
		for len(texts) <= c.Column {
			texts = append(texts, "")
		}
		texts[c.Column] = string(c.shown())
	}
	return texts
}

// reader pulls the records of a sheet.
type reader struct {
	rows     Rows
	opt      source.Options
	columns  []intray.Column
	evidence []intray.Evidence

	// ahead are rows that were read and not handed on.
	ahead []kept
	ended bool
	// held are rows that may stand below the table.
	held []kept
	// last is the number of the row handed on last, or of the header.
	last         int64
	count, cells int64
	failed       error
}

func (r *reader) Columns() []intray.Column    { return r.columns }
func (r *reader) Evidence() []intray.Evidence { return r.evidence }

func (r *reader) Close() error {
	r.failed = fmt.Errorf("read a closed sheet: %w", fs.ErrClosed)
	return r.rows.Close()
}

// begin reads the first rows and finds the table in them.
func (r *reader) begin(ctx context.Context, sheet Sheet) error {
	for len(r.ahead) < sampleRows && !r.ended {
		row, err := r.rows.Next(ctx)
		switch {
		case errors.Is(err, io.EOF):
			r.ended = true
		case err != nil:
			return err
		default:
			r.ahead = append(r.ahead, keep(row))
		}
	}
	if sheet.Hidden {
		r.evidence = append(r.evidence, intray.Evidence{Choice: "sheet", Value: sheet.Name, Reason: "the sheet is hidden in the workbook; it is read all the same"})
	}
	if r.opt.AsIs {
		r.asIs()
		return nil
	}
	return r.findTable()
}

// asIs takes every row for a record.
func (r *reader) asIs() {
	width := 0
	for _, k := range r.ahead {
		width = max(width, len(k.texts()))
	}
	r.columns = make([]intray.Column, width)
	for i := range r.columns {
		r.columns[i].Index = i
	}
	r.samples(r.ahead)
	r.evidence = append(r.evidence, intray.Evidence{Choice: "header row", Value: "none", Reason: "every row is read as found"})
}

// findTable finds the header among the rows read ahead, and drops it and what
// stands above it.
func (r *reader) findTable() error {
	texts, at := r.withBlanks()
	layout := table.Find(texts, 0)
	if n := r.opt.HeaderRow; n > 0 {
		layout = table.Layout{Width: layout.Width, First: min(n-1, len(texts)), Headers: min(1, max(0, len(texts)-n+1)), Reason: "it was asked for"}
	}
	names := layout.Names(texts)
	if layout.Headers == 0 {
		names = make([]string, layout.Width)
	}
	total := 0
	for i, name := range names {
		total += len(name)
		if over := r.opt.Limits.OverHeader(i+1, len(name), total); over != "" {
			return &source.LimitError{Line: int64(layout.First + 1), Reason: over}
		}
		r.columns = append(r.columns, intray.Column{Index: i, Header: name})
	}
	value := "none"
	if layout.Headers > 0 {
		value = strconv.Itoa(layout.First + 1)
		if layout.Headers > 1 {
			value += "–" + strconv.Itoa(layout.Body())
		}
	}
	if len(texts) == 0 {
		layout.Reason = "the sheet has no cells"
	}
	r.evidence = append(r.evidence, intray.Evidence{Choice: "header row", Value: value, Reason: layout.Reason})
	first := len(r.ahead)
	if layout.Body() < len(at) {
		first = at[layout.Body()]
	}
	r.ahead = r.ahead[first:]
	r.last = int64(layout.Body())
	r.samples(r.ahead)
	return nil
}

// withBlanks gives the texts of the rows read ahead with the empty rows between
// them, as far as those are few, and for each the place of the next row that is
// not empty.
func (r *reader) withBlanks() (texts [][]string, at []int) {
	for i, k := range r.ahead {
		for int64(len(texts)) < k.number-1 && len(texts) < 2*sampleRows {
			texts, at = append(texts, nil), append(at, i)
		}
		if int64(len(texts)) == k.number-1 {
			texts, at = append(texts, k.texts()), append(at, i)
		}
	}
	return texts, at
}

func (r *reader) samples(rows []kept) {
	for _, k := range rows {
		for _, c := range k.cells {
			if c.Column < len(r.columns) && len(c.shown()) > 0 && len(r.columns[c.Column].Samples) < sampleCells {
				column := &r.columns[c.Column]
				column.Samples = append(column.Samples, string(c.shown()))
			}
		}
	}
}

func (r *reader) Next(ctx context.Context, batch *intray.Records) error {
	batch.Reset()
	if r.failed != nil {
		return r.failed
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	batch.First = r.count
	var err error
	for err == nil && !batch.Full() {
		err = r.step(ctx, batch)
	}
	r.count += int64(batch.Len())
	if err != nil && ctx.Err() == nil {
		r.failed = err
	}
	if batch.Len() > 0 {
		return nil
	}
	return err
}

// step hands on one row, or holds it back.
func (r *reader) step(ctx context.Context, batch *intray.Records) error {
	k, err := r.pull(ctx)
	if err != nil {
		if errors.Is(err, io.EOF) {
			r.settle(batch, true)
		}
		return err
	}
	if r.opt.AsIs {
		r.gap(batch, k.number)
		return r.hand(batch, k)
	}
	texts := k.texts()
	switch filled := table.Filled(texts); {
	case filled == 0:
		return nil
	case r.mayEnd(k, texts, filled):
		r.held = append(r.held, k)
		return nil
	}
	r.settle(batch, false)
	return r.hand(batch, k)
}

// mayEnd says whether a row may stand below the table: a row of totals, or a
// remark.
func (r *reader) mayEnd(k kept, texts []string, filled int) bool {
	if len(r.columns) < 2 || len(r.held) >= maxHeld {
		return false
	}
	behind := k.number > r.last+1+int64(len(r.held))
	return table.IsTotal(texts) || table.IsNote(texts, behind) || len(r.held) > 0 && 2*filled <= len(r.columns)
}

// settle decides about the rows held back.
func (r *reader) settle(batch *intray.Records, end bool) {
	for _, k := range r.held {
		if !end {
			_ = r.hand(batch, k) // the row behind it meets the limit again
			continue
		}
		raw := strings.Join(strings.Fields(strings.Join(k.texts(), " ")), " ")
		batch.Notices = append(batch.Notices, intray.Notice{Type: intray.OtherTables, Level: intray.LevelInfo, Value: &raw,
			Text: fmt.Sprintf("Row %d stands below the table and is left out.", k.number)})
	}
	r.held = r.held[:0]
}

func (r *reader) pull(ctx context.Context) (kept, error) {
	if len(r.ahead) > 0 {
		k := r.ahead[0]
		r.ahead = r.ahead[1:]
		return k, nil
	}
	if r.ended {
		return kept{}, io.EOF
	}
	row, err := r.rows.Next(ctx)
	if err != nil {
		r.ended = true
		return kept{}, err
	}
	return keep(row), nil
}

// gap hands on the empty rows above a row.
func (r *reader) gap(batch *intray.Records, number int64) {
	missing := number - r.last - 1
	if missing > maxGap {
		batch.Notices = append(batch.Notices, intray.Notice{Type: intray.OtherTables, Level: intray.LevelWarning,
			Text: fmt.Sprintf("%d empty rows above row %d are left out.", missing, number)})
		missing = 0
	}
	for i := range missing {
		batch.AppendCell(nil)
		batch.EndRecord(number - missing + i)
	}
}

// hand appends a row.
func (r *reader) hand(batch *intray.Records, k kept) error {
	column := 0
	for _, c := range k.cells {
		for ; column < c.Column; column++ {
			batch.AppendTyped(nil, intray.CellText, nil)
		}
		kind := c.Kind
		if r.opt.Typed && kind != intray.CellText {
			batch.AppendTyped(c.Value, kind, c.Value)
		} else {
			batch.AppendTyped(c.shown(), kind, c.Value)
		}
		column++
	}
	for ; column < len(r.columns) && !r.opt.AsIs; column++ {
		batch.AppendTyped(nil, intray.CellText, nil)
	}
	batch.EndRecord(k.number)
	r.last = k.number
	r.cells += int64(column)
	if column > r.opt.Limits.Columns {
		return &source.LimitError{Line: k.number, Reason: fmt.Sprintf("a row has more than %d cells", r.opt.Limits.Columns)}
	}
	if r.cells > r.opt.Limits.Cells {
		return &source.LimitError{Line: k.number, Reason: fmt.Sprintf("the sheet has more than %d cells", r.opt.Limits.Cells)}
	}
	return nil
}
