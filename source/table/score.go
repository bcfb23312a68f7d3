package table

import (
	"strings"
	"unicode/utf8"

	"github.com/intraydata/intray"
)

// grounds are what speaks for a row being the header, and against it.
type grounds struct {
	// names says that the row could be one of names at all.
	names bool
	// differs counts its cells that are text above values of another kind, same
	// those that look like the values below.
	differs, same int
}

// reason says it for a table of so many columns.
func (g grounds) reason(width int) intray.Message {
	if !g.names {
		return intray.NewMessage("header.usual", nil)
	}
	reason := intray.NewMessage("header.names_columns", nil)
	if g.differs > 0 {
		reason = intray.NewMessage("header.text_above_values", intray.Params{"count": g.differs, "total": width})
	}
	if g.same > 0 {
		reason = intray.JoinMessages(reason, intray.NewMessage("header.cells_like_below", intray.Params{"n": g.same}))
	}
	return reason
}

// headerScore says how well a row serves as the header of the rows below it: by
// how many columns it differs from in what they hold, and how far it names them.
func (f *finder) headerScore(at int) (score float64, why grounds) {
	row, filled := f.rows[at], f.filled[at]
	if filled == 0 || 2*filled < f.width || f.width > 1 && extent(row) > 2*f.width {
		return 0, grounds{}
	}
	seen := map[string]bool{}
	why.names = true
	from := at + 1
	for from < len(f.rows) && f.same[from] == f.same[at] {
		from++ // the header, printed twice
	}
	from = max(from, f.bodyOf(at))
	for c, cell := range row {
		cell = strings.ToLower(strings.TrimSpace(cell))
		if cell == "" {
			continue
		}
		if seen[cell] {
			score -= 0.5
		}
		seen[cell] = true
		points := f.cellScore(at, body{c, from, f.same[at]}, cell)
		score += points
		switch {
		case points >= 1:
			why.differs++
		case points < 0 && at < f.last:
			why.same++
		}
	}
	score += 0.4 * (float64(filled) - float64(f.width))
	// A row further down has to be the better header by far: data is above it.
	for i := f.first; i < at; i++ {
		if 2*f.filled[i] > f.width && !f.beside(i) {
			score -= 0.75 * float64(f.width)
		}
	}
	return score, why
}

// aYear is what a year says that stands above other numbers.
const aYear = 0.3

// cellScore compares a cell of the row at with its column.
func (f *finder) cellScore(at int, below body, cell string) float64 {
	l := f.looks[at][below.column]
	col := f.column(below)
	switch {
	case l.kind.Typed():
		return f.typedScore(at, l.kind, col, cell)
	case col.filled == 0:
		return 0.3 + named(cell)
	case l.kind != Empty && f.has(below, l, cell):
		return -1
	case col.kind.Typed() && col.share >= 0.7:
		return col.share + named(cell)
	case col.kind == Code && l.kind != Code && col.share >= 0.8:
		return 0.6 + named(cell)
	}
	points := named(cell)
	if n := float64(utf8.RuneCountInString(cell)); col.length > 3*n || col.length > 40 && n < 30 {
		points += 0.3
	}
	if at == f.first && l.kind != Empty && f.repeats(below) { // and never this cell, which was looked for above
		points += 0.5
	}
	return min(points, 0.9) // less than what a column of another kind says
}

// typedScore is cellScore for a cell that is hardly ever a name.
func (f *finder) typedScore(at int, kind Kind, col column, cell string) float64 {
	switch {
	case col.filled == 0 && at >= f.last && f.width > 1 && !isYear(cell):
		return -1 // no row below tells more
	case col.filled == 0:
		return 0
	case kind == Integer && isYear(cell) && !isYear(col.any):
		return aYear
	case kind == col.kind:
		return -2
	}
	return 0
}

// isYear says whether a cell is a year of our time: those are names of columns
// more often than other numbers.
func isYear(cell string) bool { return len(cell) == 4 && cell >= "1900" && cell <= "2100" }
