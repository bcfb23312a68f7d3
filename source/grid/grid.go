// Package grid turns workbooks into books of records.
//
// A [Workbook] has sheets; a [Sheet] is a grid of cells, most of them empty; a
// [Row] holds those of one row that are not. A [Range] of cells may be merged:
// its first cell has the value, the others have none. Formats of workbooks
// (xlsx, xls, ods) give rows, and this package finds the table in them, fills
// merged ranges where that is asked for, and tells what the application hides.
// It does not read files and does not know how a number format is displayed.
//
// What only some formats know is told by interfaces beside [Workbook] and
// [Rows]: [Merged], [Foretold] and [Hiding]. A format has those that it can
// keep; nothing else changes for it.
package grid

import (
	"context"
	"io"

	"github.com/intraydata/intray"
)

// Cell is a cell that holds something.
type Cell struct {
	// Column counts from 0.
	Column int
	Kind   intray.CellKind
	// Value is the value in the form of its kind; for text, the text.
	Value []byte
	// Shown is what the application displays; nil where that is Value.
	Shown []byte
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

// Merged is what Rows may be besides, in formats that have merged cells.
type Merged interface {
	// Merged gives the merged ranges that were found since it was last called,
	// in any order; the slice is gone with the next Next. It is asked before the
	// first Next and behind each, also behind the one that gives io.EOF. A
	// range that is known no later than the row where it begins can be filled.
	// Formats that learn of ranges later are Foretold besides.
	Merged() []Range
}

// Foretold is what a Workbook may be besides, in formats that write the merged
// ranges behind the rows.
type Foretold interface {
	// MergedRanges reads all merged ranges of a sheet, by its place in Sheets,
	// in any order. It is asked only where ranges are to be filled, before Rows:
	// it may cost as much as reading the sheet. Errors are those of Rows.
	MergedRanges(ctx context.Context, sheet int) ([]Range, error)
}

// Hiding is what Rows may be besides, in formats that can hide columns.
type Hiding interface {
	// Hides says whether a column, counted from 0, is hidden. It is asked
	// behind the first rows, and only for columns that the table has.
	Hides(column int) bool
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
