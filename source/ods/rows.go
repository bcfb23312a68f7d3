package ods

import (
	"context"
	"errors"
	"io"

	"github.com/intraydata/intray"
	"github.com/intraydata/intray/source"
	"github.com/intraydata/intray/source/grid"
)

// errClosed says that rows are read which are closed.
var errClosed = errors.New("the rows are closed")

// rows pulls the rows of one sheet.
type rows struct {
	book   *book
	in     *content
	scan   *scanner
	limits Limits
	name   string

	// groups are the groups of rows or columns that are open, each with whether
	// it is hidden.
	groups []bool
	// columns counts those that were declared, hidden are some of them.
	columns int64
	hidden  []columns
	// spans are the merged cells of the row at hand, merged the ranges that
	// nobody has asked for yet, ranges counts all of them.
	spans  []span
	merged []grid.Range
	ranges int
	row    grid.Row
	cells  []grid.Cell
	// memory holds the texts of the row's cells.
	memory []byte
	// number is that of the last row that was passed or given, left how often
	// the row at hand is still to be given.
	number, left int64
	// column is that of the next cell.
	column int64
	// given counts the bytes of the row's texts, all those of the sheet,
	// repeated what came of counts.
	given, all, repeated int64
	err                  error
}

func newRows(b *book, c *content, name string) *rows {
	return &rows{book: b, in: c, scan: c.scan, limits: b.pack.limits, name: name}
}

// Next gives the next row that holds cells.
func (r *rows) Next(ctx context.Context) (grid.Row, error) {
	if err := ctx.Err(); err != nil {
		return grid.Row{}, context.Cause(ctx)
	}
	if r.err == nil && r.left > 0 {
		r.err = r.again()
		return r.current()
	}
	if r.in != nil {
		r.in.part.stop = ctx.Done()
	}
	for r.err == nil {
		r.cells = r.cells[:0]
		if r.err = stopped(ctx, r.readElement()); r.err == nil && len(r.cells) > 0 {
			break
		}
	}
	return r.current()
}

func (r *rows) current() (grid.Row, error) {
	if r.err != nil {
		return grid.Row{}, r.err
	}
	return r.row, nil
}

// Close ends reading.
func (r *rows) Close() error {
	if r.in == nil {
		return nil
	}
	if r.err == nil || errors.Is(r.err, io.EOF) {
		r.book.park(r.in)
	} else {
		r.in.end()
	}
	r.in, r.scan, r.err = nil, nil, errClosed
	return nil
}

// readElement reads the next element of the sheet: mostly a row.
func (r *rows) readElement() error {
	s := r.scan
	more, err := s.child()
	if err != nil {
		return err
	}
	if !more {
		if len(r.groups) == 0 {
			r.in.depth = 0
			return io.EOF
		}
		r.groups = r.groups[:len(r.groups)-1]
		return nil
	}
	if s.space(s.prefix) != spaceTable {
		return s.skip()
	}
	switch string(s.local) {
	case "table-row":
		if err := r.readRow(); err != nil {
			return r.place(err)
		}
		return nil
	case "table-column":
		return r.readColumn()
	case "table-rows", "table-header-rows", "table-row-group", "table-columns", "table-header-columns", "table-column-group":
		r.groups = append(r.groups, r.inHidden() || string(s.attr(spaceTable, "display")) == "false")
		return nil
	}
	return s.skip()
}

// inHidden says whether the groups that are open are hidden.
func (r *rows) inHidden() bool { return len(r.groups) > 0 && r.groups[len(r.groups)-1] }

// readRow reads the row that has just started. One without cells is passed,
// however often it counts.
func (r *rows) readRow() error {
	times, err := r.times(r.scan.attr(spaceTable, "number-rows-repeated"))
	if err != nil {
		return err
	}
	r.row.Hidden = r.inHidden() || isHidden(r.scan.attr(spaceTable, "visibility"))
	r.memory, r.spans, r.given, r.column = r.memory[:0], r.spans[:0], 0, 0
	if err := r.readCells(); err != nil {
		return err
	}
	if len(r.cells) == 0 {
		err := r.merge(r.number + 1)
		r.number += times
		return err
	}
	r.left = times
	return r.give()
}

func (r *rows) readCells() error {
	s := r.scan
	for {
		more, err := s.child()
		if err != nil || !more {
			return err
		}
		switch {
		case s.is(spaceTable, "table-cell"):
			err = r.readCell()
		case s.is(spaceTable, "covered-table-cell"):
			err = r.readCovered()
		default:
			err = s.skip()
		}
		if err != nil {
			return err
		}
	}
}

// give makes the cells at hand those of the next row.
func (r *rows) give() error {
	if r.number >= r.limits.Rows {
		return r.limit(intray.NewMessage("sheet.too_many_rows", intray.Params{"limit": r.limits.Rows}))
	}
	if r.all += r.given; r.all > r.limits.SheetBytes {
		return r.limit(intray.NewMessage("sheet.texts_too_long", intray.Params{"limit": r.limits.SheetBytes}))
	}
	r.left--
	r.number++
	r.row.Number, r.row.Cells = r.number, r.cells
	return r.merge(r.number)
}

// again gives a repeated row once more.
func (r *rows) again() error {
	if err := r.repeat(r.given + cellCost*int64(len(r.cells))); err != nil {
		return err
	}
	return r.give()
}

// cellCost is what a repeated cell counts beside its texts.
const cellCost = 16

// repeat counts bytes that come of a count.
func (r *rows) repeat(size int64) error {
	if r.repeated += size; r.repeated > r.limits.RepeatedBytes {
		return r.limit(intray.NewMessage("opendocument.repeated_too_large", intray.Params{"limit": r.limits.RepeatedBytes}))
	}
	return nil
}

// times reads how often something counts: once where nothing is said.
func (r *rows) times(raw []byte) (int64, error) {
	if raw == nil {
		return 1, nil
	}
	n, ok := count(raw)
	if !ok {
		return 0, r.unreadable(intray.NewMessage("opendocument.bad_repetition", intray.Params{"count": source.Excerpt(string(raw))}))
	}
	return n, nil
}

// count reads a number of at least 1. Without ok it is none.
func count(raw []byte) (n int64, ok bool) {
	const most = 1 << 30 // beyond all limits, and small enough to be summed up
	for _, c := range raw {
		if c < '0' || c > '9' {
			return 0, false
		}
		n = min(10*n+int64(c-'0'), most)
	}
	return n, n > 0
}

// place names the row where the XML is broken or too long.
func (r *rows) place(err error) error {
	var unreadable *source.UnreadableError
	var limit *source.LimitError
	switch {
	case errors.As(err, &unreadable) && unreadable.Line == 0:
		return &source.UnreadableError{Line: r.number + 1, Reason: unreadable.Reason}
	case errors.As(err, &limit) && limit.Line == 0:
		return &source.LimitError{Line: r.number + 1, Reason: limit.Reason}
	}
	return err
}

func (r *rows) unreadable(problem intray.Message) error {
	return &source.UnreadableError{Line: r.number + 1, Reason: r.inSheet(problem)}
}

func (r *rows) limit(problem intray.Message) error {
	return &source.LimitError{Line: r.number + 1, Reason: r.inSheet(problem)}
}

func (r *rows) inSheet(problem intray.Message) intray.Message {
	return intray.NewMessage("workbook.sheet_unreadable", intray.Params{"sheet": source.Excerpt(r.name), "problem": problem})
}

// span is a cell of the row at hand that is merged with others.
type span struct {
	column        int64
	width, height int64
}

// noteSpan keeps what a cell says of being merged, as far as it can be read: it
// changes no value.
func (r *rows) noteSpan(width, height []byte) {
	s := span{column: r.column, width: 1, height: 1}
	if n, ok := count(width); ok {
		s.width = n
	}
	if n, ok := count(height); ok {
		s.height = n
	}
	if s.width*s.height > 1 && s.column < int64(r.limits.Columns) {
		r.spans = append(r.spans, s)
	}
}

// merge makes ranges of the merged cells of the row at hand.
func (r *rows) merge(number int64) error {
	for _, s := range r.spans {
		if r.ranges++; r.ranges > r.limits.Merges {
			return &source.LimitError{Line: number, Reason: r.inSheet(intray.NewMessage("sheet.too_many_merged_ranges", intray.Params{"limit": r.limits.Merges}))}
		}
		r.merged = append(r.merged, grid.Range{
			FirstRow: number, LastRow: number + s.height - 1,
			FirstColumn: int(s.column), LastColumn: int(s.column + s.width - 1),
		})
	}
	return nil
}

// Merged gives the merged ranges of the rows that were read since it was last
// called. Of rows without cells that are repeated, it gives those of the first.
func (r *rows) Merged() []grid.Range {
	found := r.merged
	r.merged = r.merged[:0]
	return found
}

// columns are some that stand side by side: from the first up to the last.
type columns struct{ first, last int64 }

// readColumn reads the column, or the columns that are alike, that has just
// started.
func (r *rows) readColumn() error {
	s := r.scan
	times, err := r.times(s.attr(spaceTable, "number-columns-repeated"))
	if err != nil {
		return err
	}
	if shown := s.attr(spaceTable, "visibility"); r.inHidden() || isHidden(shown) {
		r.hide(columns{r.columns, r.columns + times - 1})
	}
	r.columns += times
	return s.skip()
}

// hide keeps which columns are hidden, as far as a sheet has columns.
func (r *rows) hide(c columns) {
	if c.first >= int64(r.limits.Columns) {
		return
	}
	if n := len(r.hidden); n > 0 && r.hidden[n-1].last+1 == c.first {
		r.hidden[n-1].last = c.last
		return
	}
	r.hidden = append(r.hidden, c)
}

// Hides says whether a column is hidden.
func (r *rows) Hides(column int) bool {
	for _, c := range r.hidden {
		if c.first <= int64(column) && int64(column) <= c.last {
			return true
		}
	}
	return false
}

// isHidden reads how a row or a column is shown.
func isHidden(visibility []byte) bool {
	return string(visibility) == "collapse" || string(visibility) == "filter"
}
