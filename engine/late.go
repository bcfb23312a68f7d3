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
// several rows have, and messages of the hooks of the last step.
func (b *belt) late(ctx context.Context, out *Outcome, post func(context.Context) ([]intray.Change, error)) error {
	var found []check.Duplicates
	if b.uniques != nil {
		var err error
		if found, err = b.uniques.Finish(); err != nil {
			return err
		}
	}
	if post != nil {
		infos, err := post(ctx)
		if err != nil {
			return err
		}
		found = append(found, b.messages(infos, out.DataRows)...)
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

// messages makes problems of what hooks say of cells, one for each text of a
// field. Rows that are not there are passed over.
func (b *belt) messages(infos []intray.Change, rows int64) (list []check.Duplicates) {
	places := map[intray.Problem]int{}
	for _, c := range infos {
		if c.Row < 0 || int64(c.Row) >= rows {
			continue
		}
		for _, info := range c.Infos {
			p := intray.Problem{Field: c.Field, Part: c.Part, Code: intray.HookCode, Level: info.Level, Text: info.Text}
			at, known := places[p]
			if !known {
				at = len(list)
				places[p] = at
				list = append(list, check.Duplicates{Problem: p, Rows: roaring.New()})
			}
			list[at].Rows.Add(uint32(c.Row))
		}
	}
	return list
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
