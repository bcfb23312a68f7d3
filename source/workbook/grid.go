// Package workbook converts workbooks into books of records.
//
// A [Workbook] has sheets. A [Sheet] is a grid of cells, most of them empty, and a [Row] holds
// the cells of one row that are not empty. A [Range] is a rectangle of merged cells, of which
// only the first has a value. Workbook formats such as xlsx, xls and ods provide rows. This
// package finds the table in these rows, fills merged ranges on request, and reports hidden
// sheets, rows and columns. It does not read files and does not apply number formats.
//
// Formats that provide merged ranges or hidden columns, or that read damaged sheets, implement
// optional interfaces: [MergeReporter], [MergePreloader], [ColumnHider] and [RepairReporter].
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
	// Value is the value in the format of its kind, or the text itself if the kind is CellText.
	Value []byte
	// Formatted is the text that the application displays, or nil if it is the same as Value.
	Formatted []byte
}

// Row is a row with at least one cell.
type Row struct {
	// Number counts from 1.
	Number int64
	// Hidden is true if the source application hides the row. Hidden rows are read like
	// all other rows.
	Hidden bool
	// Renumbered is true if the file gives the row another number, because its rows are out of
	// order. Merged ranges are not filled in such rows.
	Renumbered bool
	// Cells are sorted by column, with at most one cell per column. They are valid
	// until the next row is read.
	Cells []Cell
}

// Rows returns the rows of a sheet that have cells, in ascending order.
type Rows interface {
	// Next returns io.EOF after the last row. Other errors are a
	// *source.UnreadableError, a *source.LimitError, or an error from ctx or from
	// reading the file.
	Next(ctx context.Context) (Row, error)
	io.Closer
}

// Range is a rectangle of cells. Rows are counted from 1 and columns from 0. The first
// and last row and column are part of the range.
type Range struct {
	FirstRow, LastRow       int64
	FirstColumn, LastColumn int
}

// MergeReporter is implemented by [Rows] of formats that have merged cells.
type MergeReporter interface {
	// PendingMerges returns the merged ranges found since the last call, in any order. The
	// slice is valid until the next call to Next. The caller calls it before the first call to
	// Next and after each call, including the one that returns io.EOF. A range can be filled
	// only if it is returned no later than the row in which it starts. A Workbook whose Rows
	// find ranges later must also implement MergePreloader.
	PendingMerges() []Range
}

// MergePreloader is implemented by a [Workbook] of a format that stores the merged
// ranges after the rows.
type MergePreloader interface {
	// MergedRanges returns all merged ranges of the sheet with the given index in Sheets, in any
	// order. It is called before Rows if ranges are to be filled, and while the first rows are
	// read if they may contain a merged header, because it may take as long as reading the
	// sheet. It returns the same errors as Rows.
	MergedRanges(ctx context.Context, sheet int) ([]Range, error)
}

// ColumnHider is implemented by [Rows] of formats that can hide columns.
type ColumnHider interface {
	// ColumnHidden reports whether a column, counted from 0, is hidden. The caller
	// calls it after reading the first rows, and only for columns of the table.
	ColumnHidden(column int) bool
}

// Sheet is one worksheet.
type Sheet struct {
	Name   string
	Hidden bool
}

// Workbook is an opened workbook.
type Workbook interface {
	// Evidence returns facts about the file as a whole, such as its date system and the
	// parts that are not read (charts, macros).
	Evidence() []intray.Evidence
	// Sheets returns the worksheets in workbook order. It includes hidden worksheets,
	// but not chart and macro sheets.
	Sheets() []Sheet
	// Rows starts to read the sheet with the given index in Sheets. Several sheets may
	// be read, one after the other.
	Rows(ctx context.Context, sheet int) (Rows, error)
	io.Closer
}

// AtRow adds a row number to an UnreadableError or LimitError that has none. It returns
// other errors unchanged.
func AtRow(err error, row int64) error {
	if err == nil { // return early: formats call AtRow for each row, and the variables below are allocated
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

// NewBook returns a book that reads w and closes it. If the workbook has no worksheets,
// NewBook closes it and returns a *source.UnreadableError.
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
	if preloader, ok := b.workbook.(MergePreloader); ok && !merges.preloaded {
		r.preload = func(ctx context.Context) ([]Range, error) { return preloader.MergedRanges(ctx, sheet) }
	}
	if err := r.begin(ctx, b.workbook.Sheets()[sheet]); err != nil {
		return nil, errors.Join(err, rows.Close())
	}
	return r, nil
}

// preloadMerges reads the merged ranges before the rows if the option FillMerged is set.
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
	texts := make([]byte, 0, row.size())
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

// displayText returns the text that the source application displays.
func (c Cell) displayText() []byte {
	if c.Formatted == nil {
		return c.Value
	}
	return c.Formatted
}

// size returns the length of all text in the row, in bytes.
func (r Row) size() int {
	size := 0
	for _, c := range r.Cells {
		size += c.size()
	}
	return size
}

// columnCount returns the index of the last cell's column plus 1.
func (r Row) columnCount() int {
	if len(r.Cells) == 0 {
		return 0
	}
	return r.Cells[len(r.Cells)-1].Column + 1
}

// maxDisplayBytes is the maximum length of a cell in displayTexts, in bytes. No header, note or
// total is that long.
const maxDisplayBytes = 64 << 10

// displayTexts returns the displayed text of each cell in the row, indexed by column, truncated to
// maxDisplayBytes.
func (r Row) displayTexts() []string {
	texts := make([]string, r.columnCount())
	for _, c := range r.Cells {
		shown := c.displayText()
		texts[c.Column] = string(shown[:min(len(shown), maxDisplayBytes)])
	}
	return texts
}

// countFilled returns the number of cells with text, and the text of the first of them. It stops
// counting at the limit given by most.
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
