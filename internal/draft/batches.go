package draft

import (
	"cmp"
	"context"
	"fmt"
	"iter"
	"slices"

	"github.com/intraydata/intray"
)

// Batches gives all rows that are there, in order, those that were added last. A
// batch is gone with the next step. After an error nothing follows. First is the
// number of a batch's first row.
func (d *Draft) Batches(ctx context.Context) iter.Seq2[*intray.Batch, error] {
	return func(yield func(*intray.Batch, error) bool) {
		s, done := d.read()
		defer done()
		for b, err := range d.cfg.Stage.Batches(ctx) {
			if err == nil {
				b, err = d.current(ctx, s, b)
			}
			if err != nil {
				yield(nil, fmt.Errorf("read all rows: %w", err))
				return
			}
			if b.Rows() > 0 && !yield(b, nil) {
				return
			}
		}
		d.addedBatches(ctx, s, yield)
	}
}

// addedBatches gives the rows behind those of the stage.
func (d *Draft) addedBatches(ctx context.Context, s *snapshot, yield func(*intray.Batch, error) bool) {
	for next := s.live.NextValue(d.staged); next >= 0; {
		var rows []uint32
		for it := from(s.live, uint32(next)); it.HasNext() && len(rows) < addedAtOnce; {
			rows = append(rows, it.Next())
		}
		b, err := d.gather(ctx, s, rows)
		if err != nil {
			yield(nil, fmt.Errorf("read added rows: %w", err))
			return
		}
		d.ruled(s, b, rows)
		if !yield(b, nil) || rows[len(rows)-1] == 1<<32-1 {
			return
		}
		next = s.live.NextValue(rows[len(rows)-1] + 1)
	}
}

// current makes a batch of the stage hold what its rows are by now.
func (d *Draft) current(ctx context.Context, s *snapshot, b *intray.Batch) (*intray.Batch, error) {
	first, end := uint32(b.First), uint32(b.First)+uint32(b.Rows())
	var rows, changed []uint32
	for it := from(s.live, first); it.HasNext(); {
		row := it.Next()
		if row >= end {
			break
		}
		rows = append(rows, row)
		if s.touched.Contains(row) {
			changed = append(changed, row)
		}
	}
	if len(d.rules) > 0 {
		dropProblems(b, d.ofRule)
	}
	if len(changed) > 0 || len(rows) < b.Rows() {
		over, err := d.gather(ctx, s, changed)
		if err != nil {
			return nil, err
		}
		b = overlaid(b, over, rows, changed)
	}
	d.ruled(s, b, rows)
	return b, nil
}

// overlaid gives rows of a batch of the stage, with those that changed from
// another.
func overlaid(b, over *intray.Batch, rows, changed []uint32) *intray.Batch {
	out := blankOf(b)
	if len(rows) > 0 {
		out.First = int64(rows[0])
	}
	next := 0
	for i := 0; i < len(rows); {
		if next < len(changed) && changed[next] == rows[i] {
			take(out, over, next)
			next++
			i++
			continue
		}
		run := i + 1
		for run < len(rows) && rows[run] == rows[run-1]+1 && (next >= len(changed) || rows[run] < changed[next]) {
			run++
		}
		at := int(int64(rows[i]) - b.First)
		takeRun(out, b, at, at+run-i)
		i = run
	}
	return out
}

// ruled adds the problems of rules about all rows.
func (d *Draft) ruled(s *snapshot, b *intray.Batch, rows []uint32) {
	known := len(b.Problems)
	if len(rows) == 0 {
		return
	}
	for at, rule := range d.rules {
		if !s.rules[at].IntersectsWithInterval(uint64(rows[0]), uint64(rows[len(rows)-1])+1) {
			continue
		}
		for i, row := range rows {
			if s.rules[at].Contains(row) {
				p := rule.problem
				p.Row = i
				b.Problems = append(b.Problems, p)
			}
		}
	}
	if len(b.Problems) > known {
		slices.SortStableFunc(b.Problems, func(x, y intray.Problem) int {
			return cmp.Or(cmp.Compare(x.Row, y.Row), cmp.Compare(x.Field, y.Field))
		})
	}
}

// ErrorRows gives the numbers of the first n rows with an error.
func (d *Draft) ErrorRows(n int) []int64 {
	s, done := d.read()
	defer done()
	return wide(slice(s.errors(), 0, n))
}
