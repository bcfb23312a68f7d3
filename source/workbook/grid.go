// Package workbook turns workbooks into books of records.
//
// A [Workbook] has sheets. A [Sheet] is a grid of cells, most of them empty, and a
// [Row] holds the cells of one row that are not empty. A [Range] of cells may be
// merged: only its first cell has a value. Workbook formats (xlsx, xls, ods and others)
// provide rows. This package finds the table in them, fills merged ranges on request,
// and reports what the application hides. It does not read files and does not know how
// number formats display values.
//
// Formats that know more implement optional interfaces: [MergeReporter],
// [MergePreloader] and [ColumnHider].
package workbook

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/intraydata/intray"
	"github.com/intraydata/intray/source"
)

// Cell is a cell that has a value.
type Cell struct {
	// Column counts from 0.
	Column int
	Kind   intray.CellKind
	// Value is the value in the format of its kind. For text, it is the text.
	Value []byte
	// Formatted is the text that the application displays, or nil if that is Value.
	Formatted []byte
}

// Row is a row with at least one cell.
type Row struct {
	// Number counts from 1.
	Number int64
	// Hidden is set for a row that is not displayed. It is read like all others.
	Hidden bool
	// Cells are sorted by column, at most one for each. They are valid until the next
	// row is read.
	Cells []Cell
}

// Rows returns the rows of a sheet that have cells, in ascending order.
type Rows interface {
	// Next returns io.EOF after the last row. Any other error is an
	// *source.UnreadableError, a *source.LimitError, or an error of ctx or of the file.
	Next(ctx context.Context) (Row, error)
	io.Closer
}

// Range is a rectangle of cells. Rows count from 1, columns from 0, and both ends are
// included.
type Range struct {
	FirstRow, LastRow       int64
	FirstColumn, LastColumn int
}

// MergeReporter is implemented by Rows of formats that have merged cells.
type MergeReporter interface {
	// PendingMerges returns the merged ranges found since the last call, in any order.
	// The slice is valid until the next call of Next. It is called before the first
	// Next and after each one, including the one that returns io.EOF. A range can be
	// filled only if it is returned no later than the row in which it starts. Workbooks
	// that find ranges later implement MergePreloader as well.
	PendingMerges() []Range
}

// MergePreloader is implemented by a Workbook of a format that stores the merged ranges
// after the rows.
type MergePreloader interface {
	// MergedRanges returns all merged ranges of a sheet, by its index in Sheets, in any
	// order. It is called before Rows, and only to fill ranges, because it may cost as
	// much as reading the sheet. Errors are those of Rows.
	MergedRanges(ctx context.Context, sheet int) ([]Range, error)
}

// ColumnHider is implemented by Rows of formats that can hide columns.
type ColumnHider interface {
	// ColumnHidden reports whether a column, counted from 0, is hidden. It is called
	// after the first rows, and only for columns of the table.
	ColumnHidden(column int) bool
}

// Sheet is one worksheet.
type Sheet struct {
	Name   string
	Hidden bool
}

// Workbook is an opened workbook.
type Workbook interface {
	// Evidence returns what was detected about the file as a whole, such as the date
	// system and the parts that are not read (charts, macros).
	Evidence() []intray.Evidence
	// Sheets lists the worksheets in the order of the workbook, including hidden ones,
	// without chart and macro sheets.
	Sheets() []Sheet
	// Rows starts to read a sheet, by its index in Sheets. Several sheets may be read,
	// one after the other.
	Rows(ctx context.Context, sheet int) (Rows, error)
	io.Closer
}

// AtRow adds the number of a row to an error of the file that has no row yet. It
// returns other errors unchanged.
func AtRow(err error, row int64) error {
	if err == nil { // formats call it for each row, and the variables below are allocated
		return nil
	}
	var unreadable *source.UnreadableError
	var limit *source.LimitError
	switch {
	case errors.As(err, &unreadable) && unreadable.Line == 0:
		return &source.UnreadableError{Line: row, Reason: unreadable.Reason}
	case errors.As(err, &limit) && limit.Line == 0:
		return &source.LimitError{Line: row, Reason: limit.Reason}
	}
	return err
}

// NewBook returns a book that reads a workbook and closes it. It closes a workbook
// without a worksheet and returns an *source.UnreadableError.
func NewBook(w Workbook, opt source.Options) (source.Book, error) {
	if len(w.Sheets()) == 0 {
		return nil, errors.Join(&source.UnreadableError{Reason: intray.NewMessage("workbook.no_worksheet", nil)}, w.Close())
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
	merges, err := b.preloadMerges(ctx, sheet)
	if err != nil {
		return nil, err
	}
	rows, err := b.workbook.Rows(ctx, sheet)
	if err != nil {
		return nil, err
	}
	r := &reader{rows: rows, opt: b.opt, merges: merges}
	if err := r.begin(ctx, b.workbook.Sheets()[sheet]); err != nil {
		return nil, errors.Join(err, rows.Close())
	}
	return r, nil
}

// preloadMerges reads the merged ranges before the rows if they are to be filled.
func (b *book) preloadMerges(ctx context.Context, sheet int) (mergeTracker, error) {
	m := mergeTracker{limits: b.opt.Limits, enabled: b.opt.FillMerged}
	preloader, ok := b.workbook.(MergePreloader)
	if !b.opt.FillMerged || !ok {
		return m, nil
	}
	ranges, err := preloader.MergedRanges(ctx, sheet)
	if err != nil {
		return m, err
	}
	m.preloaded = true
	m.addRanges(ranges)
	return m, nil
}

// cloneRow copies a row that is read ahead, because the next row overwrites it.
func cloneRow(row Row) Row {
	size := 0
	for _, c := range row.Cells {
		size += len(c.Value) + len(c.Formatted)
	}
	texts := make([]byte, 0, size)
	copied := func(text []byte) []byte {
		if text == nil {
			return nil
		}
		texts = append(texts, text...)
		return texts[len(texts)-len(text) : len(texts) : len(texts)]
	}
	row.Cells = slices.Clone(row.Cells)
	for i, c := range row.Cells {
		row.Cells[i].Value, row.Cells[i].Formatted = copied(c.Value), copied(c.Formatted)
	}
	return row
}

// displayText returns the text that the application displays.
func (c Cell) displayText() []byte {
	if c.Formatted == nil {
		return c.Value
	}
	return c.Formatted
}

// columnCount returns the index after the last cell.
func (r Row) columnCount() int {
	if len(r.Cells) == 0 {
		return 0
	}
	return r.Cells[len(r.Cells)-1].Column + 1
}

// displayTexts returns the displayed texts of a row by column.
func (r Row) displayTexts() []string {
	texts := make([]string, r.columnCount())
	for _, c := range r.Cells {
		texts[c.Column] = string(c.displayText())
	}
	return texts
}

// countFilled counts the cells with text, up to most, and returns the first text.
func (r Row) countFilled(most int) (n int, first []byte) {
	for _, c := range r.Cells {
		text := bytes.TrimSpace(c.displayText())
		if len(text) == 0 {
			continue
		}
		if n++; n == 1 {
			first = text
		}
		if n == most {
			break
		}
	}
	return n, first
}
