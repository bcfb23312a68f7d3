package rowplan

import (
	"bytes"
	"slices"
	"sync/atomic"

	"github.com/intraydata/intray"
)

// twinColumns are the columns that fit a field as well as its own column.
type twinColumns struct {
	columns []int
	// different counts the rows in which they have other values than the field's column.
	different atomic.Int64
}

func (t *twinColumns) compare(recs *intray.Records, column int) {
	t.different.Add(DifferentRows(recs, column, t.columns))
}

// DifferentRows returns the number of records in which one of the other columns has other text than a
// column, apart from surrounding white space.
func DifferentRows(recs *intray.Records, column int, others []int) (n int64) {
	for row := range recs.Len() {
		own := bytes.TrimSpace(cellAt(recs, row, column))
		if slices.ContainsFunc(others, func(other int) bool { return !bytes.Equal(bytes.TrimSpace(cellAt(recs, row, other)), own) }) {
			n++
		}
	}
	return n
}

// DifferentTwins returns the number of rows in which another column that fits a field equally well has
// another value than the field's column.
func (p *Plan) DifferentTwins(field int) int64 {
	if t := p.Fields[field].twins; t != nil {
		return t.different.Load()
	}
	return 0
}
