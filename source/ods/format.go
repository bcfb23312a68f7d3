package ods

import (
	"context"

	"github.com/intraydata/intray"
	"github.com/intraydata/intray/source"
	"github.com/intraydata/intray/source/grid"
)

// Format is the format "ods". The zero value is ready.
type Format struct{}

// Name is "ods".
func (Format) Name() string { return "ods" }

// Detect is described at [source.Format].
func (Format) Detect(in source.Input, head []byte) (score float64, reason intray.Message) {
	return Detect(in, head)
}

// Open lists the sheets.
func (Format) Open(ctx context.Context, in source.Input, opt source.Options) (source.Book, error) {
	limits := Limits{Columns: opt.Limits.Columns, CellBytes: opt.Limits.CellBytes, RowBytes: opt.Limits.RecordBytes}
	workbook, err := Open(ctx, in, limits)
	if err != nil {
		return nil, err
	}
	return grid.Book(workbook, opt)
}
