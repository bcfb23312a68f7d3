package engine

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"github.com/RoaringBitmap/roaring/v2"

	"github.com/intraydata/intray"
	"github.com/intraydata/intray/internal/check"
)

// late adds the problems that show only when all rows are known: values that
// several rows have.
func (b *belt) late(out *Outcome) error {
	if b.uniques == nil {
		return nil
	}
	found, err := b.uniques.Finish()
	if err != nil {
		return err
	}
	for i := range found {
		b.plan.foldProblem(&found[i].Problem)
		if err := b.addLate(out, found[i]); err != nil || b.trouble != nil {
			return err
		}
	}
	if len(found) > 0 {
		out.addLate(b.plan, found, b.errorRows)
	}
	return nil
}

// addLate adds a problem to rows that were committed.
func (b *belt) addLate(out *Outcome, d check.Duplicates) error {
	n := int64(d.Rows.GetCardinality())
	if b.over(out, n) {
		return nil
	}
	if sink, takes := b.sink.(LateSink); takes {
		if err := sink.Late(d.Problem, d.Rows); err != nil {
			return fmt.Errorf("stage late problems: %w", err)
		}
	}
	out.Problems += n
	if d.Problem.Level == intray.LevelError {
		b.errorRows.Or(d.Rows)
	}
	return nil
}

// over ends the run where so many more problems are too many.
func (b *belt) over(out *Outcome, more int64) bool {
	b.trouble = b.judge(out, account{problems: more})
	return b.trouble != nil
}

// addLate lists late problems among the others and counts the rows again.
func (o *Outcome) addLate(p *plan, found []check.Duplicates, errorRows *roaring.Bitmap) {
	for _, d := range found {
		rows := d.Rows.Iterator()
		for range min(d.Rows.GetCardinality(), MaxNotices) {
			row := int64(rows.Next())
			n := intray.Notice{Type: intray.Validation, Level: d.Problem.Level, Text: d.Problem.Text, Row: &row}
			p.place(&n, d.Problem.Field, d.Problem.Part)
			o.Listed = append(o.Listed, n)
		}
	}
	slices.SortStableFunc(o.Listed, func(a, b intray.Notice) int { return cmp.Compare(*a.Row, *b.Row) })
	o.Listed = o.Listed[:min(len(o.Listed), MaxNotices)]
	o.ErrorRows = int64(errorRows.GetCardinality())
	o.RowsWithError = o.RowsWithError[:0]
	rows := errorRows.Iterator()
	for range min(o.ErrorRows, MaxRowsWithError) {
		o.RowsWithError = append(o.RowsWithError, int64(rows.Next()))
	}
}

// LacksValues says whether a notice about a cell came without its raw text,
// because its row had gone already.
func (o *Outcome) LacksValues() bool {
	return slices.ContainsFunc(o.Listed, func(n intray.Notice) bool { return n.Field != "" && n.Value == nil })
}

// FillValues adds the raw text of cells to the notices that lack it. read gives the rows from first on, as a
// stage does.
func (o *Outcome) FillValues(ctx context.Context, fields []intray.Field, read func(ctx context.Context, first int64, n int) (*intray.Batch, error)) error {
	for i := range o.Listed {
		n := &o.Listed[i]
		field := slices.IndexFunc(fields, func(f intray.Field) bool { return f.Key == n.Field })
		if n.Value != nil || field < 0 {
			continue
		}
		b, err := read(ctx, *n.Row, 1)
		if err != nil {
			return fmt.Errorf("read a row again: %w", err)
		}
		n.Value = rawOf(b.Fields[field].Raw(0), n.Part)
	}
	return nil
}
