package draft

import (
	"sort"

	"github.com/intraydata/intray"
	"github.com/intraydata/intray/internal/stage"
)

// blankOf is a batch of no rows with the shape of another.
func blankOf(b *intray.Batch) *intray.Batch {
	out := &intray.Batch{Fields: make([]intray.Cells, len(b.Fields))}
	for _, u := range b.Unmapped {
		out.Unmapped = append(out.Unmapped, intray.UnmappedCells{Column: u.Column})
	}
	return out
}

// problemsOf gives the problems of a row, which are ordered by row.
func problemsOf(problems []intray.Problem, row int) []intray.Problem {
	from := sort.Search(len(problems), func(i int) bool { return problems[i].Row >= row })
	to := from
	for to < len(problems) && problems[to].Row == row {
		to++
	}
	return problems[from:to]
}

// take adds a row of another batch with its problems.
func take(to, from *intray.Batch, row int) {
	takeRun(to, from, row, row+1)
}

// takeRun adds the rows [first, end) of another batch with their problems.
func takeRun(to, from *intray.Batch, first, end int) {
	shift := to.Rows() - first
	stage.AppendRows(to, from, first, end)
	at := sort.Search(len(from.Problems), func(i int) bool { return from.Problems[i].Row >= first })
	for ; at < len(from.Problems) && from.Problems[at].Row < end; at++ {
		p := from.Problems[at]
		p.Row += shift
		to.Problems = append(to.Problems, p)
	}
}

// pick gives the rows at these places, which ascend, as a batch of their own.
func pick(from *intray.Batch, places []int64) *intray.Batch {
	out := blankOf(from)
	for i := 0; i < len(places); {
		run := i + 1
		for run < len(places) && places[run] == places[run-1]+1 {
			run++
		}
		takeRun(out, from, int(places[i]), int(places[run-1])+1)
		i = run
	}
	return out
}

// dropProblems takes the problems away that are told of.
func dropProblems(b *intray.Batch, told func(p *intray.Problem) bool) {
	kept := b.Problems[:0]
	for i := range b.Problems {
		if !told(&b.Problems[i]) {
			kept = append(kept, b.Problems[i])
		}
	}
	b.Problems = kept
}

// sizeOf is about how many bytes a batch has.
func sizeOf(b *intray.Batch) int {
	n := 8 * b.Rows()
	for i := range b.Fields {
		c := &b.Fields[i]
		n += len(c.Values.Arena) + 4*c.Values.Len() + len(c.Raws.Arena) + 8*len(c.RawRows)
	}
	for i := range b.Unmapped {
		n += len(b.Unmapped[i].Cells.Arena) + 4*b.Unmapped[i].Cells.Len()
	}
	for i := range b.Problems {
		n += b.Problems[i].Text.Size() + 40
	}
	return n
}
