package xlsx

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/intraydata/intray"
	"github.com/intraydata/intray/source"
	"github.com/intraydata/intray/source/grid"
)

// rows pulls the rows of one sheet.
type rows struct {
	book    *book
	styles  *shown
	strings *table
	sheet   listed
	part    *part
	scan    *scanner
	hidden  *[maxColumns]bool
	// merged are the ranges that were found and not given.
	merged []grid.Range

	row   grid.Row
	cells []grid.Cell
	// memory holds the texts of the row's cells.
	memory []byte
	// raw is the value of the cell at hand, in the scanner's buffer or scratch.
	raw, scratch []byte
	// given counts the bytes of the row's texts, all those of the sheet.
	given    int
	givenAll int64
	// column is that of the last cell; mixed says that cells of the row came in
	// another order than their columns.
	column int
	mixed  bool
	// named says that the number of the row is known, not counted.
	named bool
	err   error
}

// openRows reads a sheet up to its first row.
func openRows(ctx context.Context, b *book, shared *table, sheet listed) (*rows, error) {
	p, err := b.arc.open(ctx, sheet.part)
	if err != nil {
		return nil, err
	}
	r := &rows{book: b, styles: b.styles.reader(), strings: shared, sheet: sheet, part: p, memory: make([]byte, 0, 1<<10)}
	if r.scan, err = newScanner(p, sheet.part, b.arc.limits); err == nil {
		err = r.preamble()
	}
	if err != nil {
		p.end()
		return nil, stopped(ctx, err)
	}
	return r, nil
}

// preamble reads what stands in front of the cells.
func (r *rows) preamble() error {
	if err := r.scan.root("worksheet"); err != nil {
		return err
	}
	for {
		more, err := r.scan.child()
		if err != nil {
			return err
		}
		if !more {
			r.err = io.EOF
			return nil
		}
		switch string(r.scan.name) {
		case "sheetData":
			return nil
		case "cols":
			err = r.columns()
		default:
			err = r.scan.skip()
		}
		if err != nil {
			return err
		}
	}
}

// columns notes which are hidden.
func (r *rows) columns() error {
	for {
		more, err := r.scan.child()
		if err != nil || !more {
			return err
		}
		if string(r.scan.name) == "col" && r.scan.attrTrue("hidden") {
			from, known := parseRow(r.scan.attr("min"))
			to, also := parseRow(r.scan.attr("max"))
			if known && also {
				r.hide(from, to)
			}
		}
		if err := r.scan.skip(); err != nil {
			return err
		}
	}
}

func (r *rows) hide(from, to int64) {
	if r.hidden == nil {
		r.hidden = &[maxColumns]bool{}
	}
	for c := from; c <= min(to, maxColumns); c++ {
		r.hidden[c-1] = true
	}
}

// Hides says whether a column is hidden.
func (r *rows) Hides(column int) bool {
	return r.hidden != nil && column < maxColumns && r.hidden[column]
}

// Next gives the next row that holds cells.
func (r *rows) Next(ctx context.Context) (grid.Row, error) {
	if err := ctx.Err(); err != nil {
		return grid.Row{}, context.Cause(ctx)
	}
	r.part.stop = ctx.Done()
	for r.err == nil {
		r.err = stopped(ctx, r.readRow())
		if r.err == nil && len(r.cells) > 0 {
			return r.row, nil
		}
	}
	return grid.Row{}, r.err
}

// Close ends reading.
func (r *rows) Close() error {
	if r.err == nil {
		r.err = errors.New("the rows are closed")
	}
	r.part.end()
	return nil
}

// readRow reads the next element of the sheet's cells: mostly a row.
func (r *rows) readRow() error {
	more, err := r.scan.child()
	if err != nil {
		return err
	}
	r.cells, r.memory, r.given = r.cells[:0], r.memory[:0], 0
	if !more {
		return r.readRest()
	}
	if string(r.scan.name) != "row" {
		return r.scan.skip()
	}
	if err := r.startRow(); err != nil {
		return err
	}
	if err := r.readCells(); err != nil {
		return err
	}
	return r.endRow()
}

// startRow reads the attributes of a row. A row without a number is the one
// behind the last, unless its first cell tells another.
func (r *rows) startRow() error {
	last := r.row.Number
	r.row = grid.Row{Number: last + 1, Hidden: r.scan.attrTrue("hidden")}
	r.column, r.mixed, r.named = -1, false, false
	text := r.scan.attr("r")
	if text == nil {
		return nil
	}
	number, ok := parseRow(text)
	if !ok {
		return r.unreadable(intray.NewMessage("xlsx.bad_row_number", intray.Params{"number": source.Excerpt(string(text))}))
	}
	return r.setNumber(last, number)
}

// setNumber places the row behind the last one. Rows in another order would
// have to be sorted before the first is given: all of them in memory.
func (r *rows) setNumber(last, number int64) error {
	r.named = true
	if number <= last {
		r.row.Number = number
		return r.unreadable(intray.NewMessage("workbook.rows_out_of_order", intray.Params{"row": number, "previous": last}))
	}
	r.row.Number = number
	return nil
}

func (r *rows) readCells() error {
	for {
		more, err := r.scan.child()
		if err != nil || !more {
			return err
		}
		if string(r.scan.name) == "c" {
			err = r.readCell()
		} else {
			err = r.scan.skip()
		}
		if err != nil {
			return err
		}
	}
}

// endRow puts the cells in order and keeps the limits.
func (r *rows) endRow() error {
	if limit := r.book.arc.limits.Rows; r.row.Number > limit {
		return r.limit(intray.NewMessage("sheet.too_many_rows", intray.Params{"limit": limit}))
	}
	if r.mixed {
		slices.SortStableFunc(r.cells, func(a, b grid.Cell) int { return cmp.Compare(a.Column, b.Column) })
		for i := 1; i < len(r.cells); i++ {
			if r.cells[i].Column == r.cells[i-1].Column {
				return r.unreadable(intray.NewMessage("xlsx.duplicate_cell", intray.Params{"cell": r.reference(r.cells[i].Column)}))
			}
		}
	}
	r.givenAll += int64(r.given)
	if limit := r.book.arc.limits.SheetBytes; r.givenAll > limit {
		return r.limit(intray.NewMessage("sheet.texts_too_long", intray.Params{"limit": limit}))
	}
	r.row.Cells = r.cells
	return nil
}

// reference names a cell of the row.
func (r *rows) reference(column int) string {
	return fmt.Sprintf("%s%d", appendColumn(nil, column), r.row.Number)
}

func (r *rows) unreadable(problem intray.Message) error {
	return &source.UnreadableError{Line: r.row.Number, Reason: r.inSheet(problem)}
}

func (r *rows) limit(problem intray.Message) error {
	return &source.LimitError{Line: r.row.Number, Reason: r.inSheet(problem)}
}

func (r *rows) inSheet(problem intray.Message) intray.Message {
	return intray.NewMessage("workbook.sheet_unreadable", intray.Params{"sheet": source.Excerpt(r.sheet.name), "problem": problem})
}

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
