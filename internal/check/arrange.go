package check

import (
	"cmp"
	"slices"

	"github.com/intraydata/intray"
)

// arranger brings problems into order by counting: they come field by field,
// and where many are wrong, comparing takes far longer than all else.
type arranger struct {
	// next is where the next problem of each row goes.
	next []uint32
	// places are where the problems go.
	places []uint32
}

func byRow(x, y intray.Problem) int {
	return cmp.Or(cmp.Compare(x.Row, y.Row), cmp.Compare(x.Field, y.Field))
}

func byField(x, y intray.Problem) int { return cmp.Compare(x.Field, y.Field) }

// arrange sorts by row and field; equal ones keep their order.
func (a *arranger) arrange(problems []intray.Problem, rows int) {
	if slices.IsSortedFunc(problems, byRow) {
		return
	}
	a.place(problems, rows)
	for i := range problems {
		for to := a.places[i]; to != uint32(i); to = a.places[i] {
			problems[i], problems[to] = problems[to], problems[i]
			a.places[i], a.places[to] = a.places[to], to
		}
	}
	// By now next is where each row ends.
	from := uint32(0)
	for _, end := range a.next[:rows] {
		if row := problems[from:end]; !slices.IsSortedFunc(row, byField) {
			slices.SortStableFunc(row, byField)
		}
		from = end
	}
}

// place finds where each problem goes: to those of its row, behind those that
// came before it.
func (a *arranger) place(problems []intray.Problem, rows int) {
	a.next = append(a.next[:0], make([]uint32, rows+1)...)
	for i := range problems {
		a.next[problems[i].Row+1]++
	}
	for row := range rows {
		a.next[row+1] += a.next[row]
	}
	a.places = a.places[:0]
	for i := range problems {
		row := problems[i].Row
		a.places = append(a.places, a.next[row])
		a.next[row]++
	}
}
