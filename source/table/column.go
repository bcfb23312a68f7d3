package table

import (
	"iter"
	"strings"
)

// look is what is known of a cell.
type look struct {
	kind Kind
	// sum is that of its text without case, runes its length.
	sum, runes uint32
}

// body is a column from some row on, without the rows that repeat the header.
type body struct {
	column, from int
	// header is finder.same of the header, or noRow.
	header int
}

// noRow is the header of a body that has none.
const noRow = -1

// column is what the cells of a body are like.
type column struct {
	kind   Kind
	share  float64
	filled int
	length float64
	// any is the first of them, without case.
	any string
}

// bodyRows is how many rows below a header are looked at.
const bodyRows = 200

// cells gives the rows in which a body has cells that are not empty.
func (f *finder) cells(b body) iter.Seq[int] {
	return func(yield func(int) bool) {
		for i := b.from; i < min(len(f.rows), b.from+bodyRows); i++ {
			if b.column >= len(f.looks[i]) || f.looks[i][b.column].kind == Empty || f.same[i] == b.header {
				continue
			}
			if !yield(i) {
				return
			}
		}
	}
}

func (f *finder) column(b body) (col column) {
	var counts [Kinds]int
	total := uint64(0)
	for i := range f.cells(b) {
		l := f.looks[i][b.column]
		if col.filled == 0 {
			col.any = f.text(i, b.column)
		}
		counts[l.kind]++
		col.filled++
		total += uint64(l.runes)
	}
	counts[Number] += counts[Integer]
	if counts[Number] == counts[Integer] {
		counts[Number] = 0
	}
	for k, n := range counts {
		if n > counts[col.kind] {
			col.kind = Kind(k)
		}
	}
	if col.filled > 0 {
		col.share = float64(counts[col.kind]) / float64(col.filled)
		col.length = float64(total) / float64(col.filled)
	}
	return col
}

// has says whether one of the cells of a body has the text of another.
func (f *finder) has(b body, l look, text string) bool {
	for i := range f.cells(b) {
		if f.looks[i][b.column].sum == l.sum && f.text(i, b.column) == text {
			return true
		}
	}
	return false
}

// fewestRepeats is how many cells a column must have to show that it repeats few
// values.
const fewestRepeats = 4

// repeats says whether a body repeats few values, each twice in the mean.
func (f *finder) repeats(b body) bool {
	values := map[uint32]bool{}
	filled := 0
	for i := range f.cells(b) {
		values[f.looks[i][b.column].sum] = true
		filled++
	}
	return filled >= fewestRepeats && 2*len(values) <= filled
}

// text is that of a cell, without case.
func (f *finder) text(row, column int) string {
	return strings.ToLower(strings.TrimSpace(f.rows[row][column]))
}
