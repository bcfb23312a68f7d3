package xlsx

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/intraydata/intray"
	"github.com/intraydata/intray/source"
	"github.com/intraydata/intray/source/grid"
)

// MergedRanges reads the merged ranges of a sheet, which stand behind its cells.
func (b *book) MergedRanges(ctx context.Context, sheet int) ([]grid.Range, error) {
	if sheet < 0 || sheet >= len(b.catalog.sheets) {
		return nil, fmt.Errorf("open sheet %d of a workbook with %d", sheet, len(b.catalog.sheets))
	}
	r, err := openRows(ctx, b, nil, b.catalog.sheets[sheet])
	if err != nil {
		return nil, err
	}
	defer func() { _ = r.Close() }()
	if r.err == nil { // the cells begin here
		err = r.scan.skip()
	}
	if err == nil && r.err == nil {
		err = r.findMerged()
	}
	return r.merged, stopped(ctx, err)
}

// Merged gives the merged ranges, once the rows have ended.
func (r *rows) Merged() []grid.Range {
	found := r.merged
	r.merged = nil
	return found
}

// readRest reads what stands behind the cells, and gives io.EOF. All rows have
// been given by then: what is wrong with the XML behind them costs no more than
// the merged ranges. What is wrong with the part itself comes again.
func (r *rows) readRest() error {
	err := r.findMerged()
	var broken *source.UnreadableError
	var limit *source.LimitError
	if err != nil && !errors.As(err, &broken) && !errors.As(err, &limit) {
		return err
	}
	if err := r.part.drain(); err != nil {
		return err
	}
	return io.EOF
}

// findMerged goes on to the merged ranges, which come behind the cells.
func (r *rows) findMerged() error {
	for {
		more, err := r.scan.child()
		if err != nil || !more {
			return err
		}
		if string(r.scan.name) == "mergeCells" {
			return r.readMerged()
		}
		if err := r.scan.skip(); err != nil {
			return err
		}
	}
}

func (r *rows) readMerged() error {
	for {
		more, err := r.scan.child()
		if err != nil || !more {
			return err
		}
		if limit := r.book.arc.limits.Merges; len(r.merged) >= limit {
			return r.limit(intray.NewMessage("sheet.too_many_merged_ranges", intray.Params{"limit": limit}))
		}
		if g, ok := parseRange(r.scan.attr("ref")); ok && string(r.scan.name) == "mergeCell" {
			r.merged = append(r.merged, g)
		}
		if err := r.scan.skip(); err != nil {
			return err
		}
	}
}

// parseRange reads a range as B2:C5.
func parseRange(text []byte) (g grid.Range, ok bool) {
	first, last, _ := bytes.Cut(text, []byte(":"))
	column, row, ok := parseRef(first)
	toColumn, toRow, also := parseRef(last)
	return grid.Range{FirstRow: row, LastRow: toRow, FirstColumn: column, LastColumn: toColumn}, ok && also
}
