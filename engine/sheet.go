package engine

import (
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/intraydata/intray"
	"github.com/intraydata/intray/source"
)

// EachSheet reads the sheets of a file, whose first row is the header, and hands over
// their records; the columns are those of the sheet. What cannot be read is a
// [source.UnreadableError], a [source.LimitError] or [source.ErrEmpty].
func (e *Engine) EachSheet(ctx context.Context, in source.Input, use func(columns []intray.Column, recs *intray.Records) error) error {
	opt := e.cfg.Options
	opt.HeaderRow = 1
	book, err := source.Open(ctx, in, e.cfg.Formats, opt)
	if err != nil {
		return err
	}
	defer book.Close()
	for i := range book.Sheets() {
		if err := eachRecord(ctx, book, i, use); err != nil {
			return fmt.Errorf("read sheet %d: %w", i+1, err)
		}
	}
	return nil
}

func eachRecord(ctx context.Context, book source.Book, sheet int, use func([]intray.Column, *intray.Records) error) error {
	reader, err := book.Open(ctx, sheet)
	if err != nil {
		return err
	}
	defer reader.Close()
	columns := reader.Columns()
	var recs intray.Records
	for {
		recs.Reset()
		if err := reader.Next(ctx, &recs); errors.Is(err, io.EOF) {
			return nil
		} else if err != nil {
			return err
		}
		if err := use(columns, &recs); err != nil {
			return err
		}
	}
}
