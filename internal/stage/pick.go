package stage

import (
	"context"
	"fmt"
	"slices"
	"sort"

	"github.com/intraydata/intray"
)

// Rows gives the rows with these indexes, which ascend, as a batch of their own
// with their problems: row i of the batch is row rows[i] of the stage. It costs
// one ranged read for each batch that has any of the rows, and one or two for
// the problems of each.
func (s *Stage) Rows(ctx context.Context, rows []int64) (*intray.Batch, error) {
	for i, row := range rows {
		if row < 0 || row >= s.manifest.Rows || i > 0 && row <= rows[i-1] {
			return nil, fmt.Errorf("read staged rows: row %d is not there, or out of order", row)
		}
	}
	first := int64(0)
	if len(rows) > 0 {
		first = rows[0]
	}
	out := s.blank(first)
	c := s.cursors.Get().(*cursor)
	defer s.cursors.Put(c)
	if err := c.pick(ctx, out, rows); err != nil {
		return nil, fmt.Errorf("read %d staged rows from %d on: %w", len(rows), first, err)
	}
	return out, nil
}

// pick adds the rows to out.
func (c *cursor) pick(ctx context.Context, out *intray.Batch, rows []int64) error {
	for i := 0; i < len(rows); {
		segment, g := c.stage.groupOf(rows[i])
		if err := c.rows(ctx, segment, g); err != nil {
			return err
		}
		for i < len(rows) && rows[i] < g.First+g.Rows {
			run := i + 1
			for run < len(rows) && rows[run] == rows[run-1]+1 && rows[run] < g.First+g.Rows {
				run++
			}
			appendRows(out, &c.current, int(rows[i]-g.First), int(rows[run-1]-g.First)+1)
			i = run
		}
	}
	m := c.stage.manifest
	if err := c.pickProblems(ctx, out, rows, &c.early, m.ProblemGroups); err != nil {
		return err
	}
	early := len(out.Problems)
	if err := c.pickProblems(ctx, out, rows, &c.late, m.LateGroups); err != nil {
		return err
	}
	arrange(out.Problems, early)
	return nil
}

// pickProblems adds the problems of the rows that are among the groups.
func (c *cursor) pickProblems(ctx context.Context, out *intray.Batch, rows []int64, in *loadedProblems, groups []ProblemGroup) error {
	for i := 0; i < len(rows); {
		at := sort.Search(len(groups), func(k int) bool { return groups[k].Last >= rows[i] })
		if at == len(groups) {
			return nil
		}
		// The problems of one row may be in several groups.
		for ; at < len(groups) && groups[at].First <= rows[i]; at++ {
			if err := c.loadProblems(ctx, in, groups, at); err != nil {
				return err
			}
			if err := c.appendProblems(out, &in.table, rows[i], rows[i]+1, i); err != nil {
				return err
			}
		}
		i++
	}
	return nil
}

// appendProblems adds the problems of the rows [from, to), the first of which is
// row at of the batch.
func (c *cursor) appendProblems(out *intray.Batch, t *problemTable, from, to int64, at int) error {
	first, _ := slices.BinarySearch(t.rows, from)
	end, _ := slices.BinarySearch(t.rows, to)
	for i := first; i < end; i++ {
		p, err := c.problem(t, i)
		if err != nil {
			return err
		}
		p.Row += at - int(from)
		out.Problems = append(out.Problems, p)
	}
	return nil
}
