// Package grid turns workbooks into books of records.
//
// A [Workbook] has sheets; a [Sheet] is a grid of cells, most of them empty; a
// [Row] holds those of one row that are not. Formats of workbooks (xlsx, xls,
// ods) give rows, and this package finds the table in them. It does not read
// files and does not know how a number format is displayed.
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
