package ods

import (
	"github.com/intraydata/intray"
	"github.com/intraydata/intray/source"
	"github.com/intraydata/intray/source/grid"
)

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
