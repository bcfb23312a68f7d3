package stage

import (
	"container/heap"
	"fmt"

	"github.com/RoaringBitmap/roaring/v2"

	"github.com/intraydata/intray"
)

// late are the rows of one problem that showed when all rows were known.
type late struct {
	problem intray.Problem
	rows    *roaring.Bitmap
}

// Late adds a problem to rows that were committed, whatever its Row. It is
// called when every commit has returned, before Close; the bitmap must not be
// changed afterwards.
func (w *Writer) Late(problem intray.Problem, rows *roaring.Bitmap) error {
	if w.err != nil {
		return w.err
	}
	if rows.IsEmpty() {
		return nil
	}
	if problem.Field < intray.NoField || problem.Field >= len(w.manifest.Fields) || problem.Level > intray.LevelInfo || int64(rows.Maximum()) >= w.manifest.Rows {
		return fmt.Errorf("a late problem has field %d, level %d and row %d", problem.Field, uint8(problem.Level), rows.Maximum())
	}
	problem.Row = 0
	w.late = append(w.late, late{problem, rows})
	return w.kinds.addLate(problem, rows)
}

func (k *kinds) addLate(p intray.Problem, rows *roaring.Bitmap) error {
	t, err := k.tally(&p)
	if err != nil {
		return err
	}
	t.problems += int64(rows.GetCardinality())
	t.rows.Or(rows)
	if p.Level == intray.LevelError {
		k.errors.Or(rows)
	}
	k.problems += int64(rows.GetCardinality())
	return nil
}

// addLate writes the late problems behind all others, in the order of the rows.
func (f *problemFile) addLate(all []late) error {
	if len(f.table.rows) > 0 {
		if err := f.flush(); err != nil {
			return err
		}
	}
	f.lateFrom = len(f.groups)
	if len(all) == 0 {
		return nil
	}
	next := make(lateHeap, 0, len(all))
	for i, l := range all {
		next = append(next, lateRow{rows: l.rows.Iterator(), of: i, field: l.problem.Field})
	}
	heap.Init(&next)
	for len(next) > 0 {
		first := &next[0]
		p := &all[first.of].problem
		f.table.add(int64(first.rows.Next()), p)
		if first.rows.HasNext() {
			heap.Fix(&next, 0)
		} else {
			heap.Pop(&next)
		}
		if !f.full() {
			continue
		}
		if err := f.flush(); err != nil {
			return err
		}
	}
	return nil
}

// lateRow is the next row of a late problem; lateHeap has the one that is first
// in front.
type lateRow struct {
	rows      roaring.IntPeekable
	of, field int
}

type lateHeap []lateRow

func (h lateHeap) Len() int      { return len(h) }
func (h lateHeap) Swap(i, j int) { h[i], h[j] = h[j], h[i] }
func (h *lateHeap) Push(x any)   { *h = append(*h, x.(lateRow)) }

func (h lateHeap) Less(i, j int) bool {
	a, b := h[i].rows.PeekNext(), h[j].rows.PeekNext()
	return a < b || a == b && (h[i].field < h[j].field || h[i].field == h[j].field && h[i].of < h[j].of)
}

func (h *lateHeap) Pop() any {
	last := len(*h) - 1
	x := (*h)[last]
	*h = (*h)[:last]
	return x
}
