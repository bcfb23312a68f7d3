package xls

import (
	"context"

	"github.com/intraydata/intray"
	"github.com/intraydata/intray/source"
	"github.com/intraydata/intray/source/grid"
)

// Format is the format "xls". The zero value is ready.
type Format struct{}

// Name is "xls".
func (Format) Name() string { return "xls" }

// Detect is described at [source.Format].
func (Format) Detect(in source.Input, head []byte) (score float64, reason intray.Message) {
	return Detect(in, head)
}

// Open lists the worksheets.
func (Format) Open(ctx context.Context, in source.Input, opt source.Options) (source.Book, error) {
	workbook, err := Open(ctx, in, within(opt.Limits))
	if err != nil {
		return nil, err
	}
	return grid.Book(workbook, opt)
}

// within gives the limits that a caller has set. Those that the format has
// itself are not widened.
func within(l source.Limits) Limits {
	var own Limits
	own = own.WithDefaults()
	return Limits{
		Columns: min(l.Columns, own.Columns), Cells: min(l.Cells, own.Cells),
		CellBytes: l.CellBytes, RowBytes: l.RecordBytes,
	}
}
