// Package workbook turns workbooks into books of records.
//
// A [Workbook] has sheets; a [Sheet] is a grid of cells, most of them empty; a
// [Row] holds those of one row that are not. A [Range] of cells may be merged:
// its first cell has the value, the others have none. Formats of workbooks
// (xlsx, xls, ods) give rows, and this package finds the table in them, fills
// merged ranges where that is asked for, and tells what the application hides.
// It does not read files and does not know how a number format is displayed.
//
// What only some formats know is told by interfaces beside [Workbook] and
// [Rows]: [MergeReporter], [MergePreloader] and [ColumnHider]. A format has those that it can
// keep; nothing else changes for it.
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

// Cell is a cell that holds something.
type Cell struct {
	// Column counts from 0.
	Column int
	Kind   intray.CellKind
	// Value is the value in the form of its kind; for text, the text.
	Value []byte
	// Formatted is what the application displays; nil where that is Value.
	Formatted []byte
}

// Row is a row that holds cells.
type Row struct {
	// Number counts from 1.
	Number int64
	// Hidden rows are not displayed. They are read like all others, and told.
	Hidden bool
	// Cells come in the order of their columns, each column once. They are
	// gone with the next row.
	Cells []Cell
}

// Rows pulls the rows of a sheet that hold cells, in the order of their numbers.
type Rows interface {
	// Next gives io.EOF when there are no more; any other error is an
	// *source.UnreadableError, a *source.LimitError, one of ctx or one of the
	// file.
	Next(ctx context.Context) (Row, error)
	io.Closer
}

// Range is a rectangle of cells. Rows count from 1, columns from 0, and all four
// borders belong to it.
type Range struct {
	FirstRow, LastRow       int64
	FirstColumn, LastColumn int
}

// MergeReporter is what Rows may be besides, in formats that have merged cells.
type MergeReporter interface {
	// PendingMerges gives the merged ranges that were found since it was last called,
	// in any order; the slice is gone with the next Next. It is asked before the
	// first Next and behind each, also behind the one that gives io.EOF. A
	// range that is known no later than the row where it begins can be filled.
	// Formats that learn of ranges later are Foretold besides.
	PendingMerges() []Range
}

// MergePreloader is what a Workbook may be besides, in formats that write the merged
// ranges behind the rows.
type MergePreloader interface {
	// MergedRanges reads all merged ranges of a sheet, by its place in Sheets,
	// in any order. It is asked only where ranges are to be filled, before Rows:
	// it may cost as much as reading the sheet. Errors are those of Rows.
	MergedRanges(ctx context.Context, sheet int) ([]Range, error)
}

// ColumnHider is what Rows may be besides, in formats that can hide columns.
type ColumnHider interface {
	// ColumnHidden says whether a column, counted from 0, is hidden. It is asked
	// behind the first rows, and only for columns that the table has.
	ColumnHidden(column int) bool
}

// Sheet is one worksheet.
type Sheet struct {
	Name   string
	Hidden bool
}

// Workbook is an opened workbook.
type Workbook interface {
	// Evidence tells what was found out about the file as a whole: which date
	// system it uses, what of it is not read (charts, macros).
	Evidence() []intray.Evidence
	// Sheets lists the worksheets in the order of the workbook, hidden ones
	// too, chart and macro sheets not.
	Sheets() []Sheet
	// Rows begins to read a sheet, by its place in Sheets. Several may be read,
	// one after the other.
	Rows(ctx context.Context, sheet int) (Rows, error)
	io.Closer
}

// AtRow returns an error with the number of its row, if it is one of the file and
// names no row yet.
func AtRow(err error, row int64) error {
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

// NewBook makes a book of a workbook, which it closes with itself. A workbook
// without a worksheet is closed at once and cannot be read.
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

// preloadMerges asks for the merged ranges before the rows where they are to be filled.
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

// cloneRow copies a row that is read ahead.
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

// displayText is what the application displays.
func (c Cell) displayText() []byte {
	if c.Formatted == nil {
		return c.Value
	}
	return c.Formatted
}

// columnCount is the place behind the last cell.
func (r Row) columnCount() int {
	if len(r.Cells) == 0 {
		return 0
	}
	return r.Cells[len(r.Cells)-1].Column + 1
}

// displayTexts gives the cells of a row by their columns.
func (r Row) displayTexts() []string {
	texts := make([]string, r.columnCount())
	for _, c := range r.Cells {
		texts[c.Column] = string(c.displayText())
	}
	return texts
}

// countFilled counts the cells with text, up to most, and gives the first of them.
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
