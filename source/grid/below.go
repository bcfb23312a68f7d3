package grid

import (
	"bytes"

	"github.com/intraydata/intray/source/table"
)

// standing is what a row is to the table.
type standing uint8

const (
	record standing = iota
	// below rows stand below the table where no record follows: totals and
	// remarks, and what is written behind those.
	below
	// blank rows have no text.
	blank
)

// maxHeld is the most rows that are held back because they may stand below the
// table.
const maxHeld = 20

// standing says what a row is to the table, behind so many rows that may stand
// below it.
func (r *reader) standing(row Row, held int) standing {
	if r.opt.AsIs {
		return record
	}
	filled, first := row.filled(max(2, len(r.columns)/2+1))
	switch {
	case filled == 0:
		return blank
	case len(r.columns) < 2 || held >= maxHeld:
		return record
	case held > 0 && 2*filled <= len(r.columns), isTotal(row, first):
		return below
	case filled == 1 && table.IsNote(row.texts(), row.Number > r.last+1+int64(held)):
		return below
	}
	return record
}

// isTotal says whether a row sums others up, by its first text.
func isTotal(row Row, first []byte) bool {
	if c := first[0]; c >= '0' && c <= '9' || c == '-' {
		return false // no word begins so; mostly there is no need to look further
	}
	if len(bytes.Trim(first, " \t:.*")) == 0 {
		return table.IsTotal(row.texts())
	}
	return table.IsTotal([]string{string(first)})
}
