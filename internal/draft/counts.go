package draft

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"sync"

	"github.com/RoaringBitmap/roaring/v2"

	"github.com/intraydata/intray"
)

// Count says how many rows have problems of a kind.
type Count struct {
	Kind
	Rows int64
	// Text is that of one of the problems.
	Text intray.Message
}

// Totals say how many rows there are, and how many have a problem of each level.
type Totals struct {
	Rows, Errors, Warnings, Infos int64
}

// Totals gives those of the draft.
func (d *Draft) Totals() Totals {
	s := d.now.Load()
	n := func(rows *roaring.Bitmap) int64 { return int64(rows.GetCardinality()) }
	return Totals{n(s.live), n(s.levels[0]), n(s.levels[1]), n(s.levels[2])}
}

// exampleTexts are one problem of each kind, once it was read.
type exampleTexts struct {
	mu sync.Mutex
	of map[Kind]exampleText
}

// exampleText is the text of a problem that a version of a row has.
type exampleText struct {
	row     uint32
	version int64
	text    intray.Message
}

func (e *exampleTexts) get(k Kind) (exampleText, bool) {
	e.mu.Lock()
	defer e.mu.Unlock()
	one, known := e.of[k]
	return one, known
}

func (e *exampleTexts) set(k Kind, one exampleText) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.of == nil {
		e.of = map[Kind]exampleText{}
	}
	e.of[k] = one
}

// maxExamples is how many kinds are told with a text: one read each.
const maxExamples = 1000

// Counts gives the kinds of problems that there are, the first fields first, those
// of whole rows before them.
func (d *Draft) Counts(ctx context.Context) ([]Count, error) {
	s, done := d.read()
	defer done()
	all := map[Kind]*roaring.Bitmap{}
	for k, rows := range s.kinds {
		all[k] = rows
	}
	for i, k := range d.ruleKinds {
		if rows := s.rules[i]; all[k] != nil {
			all[k] = roaring.Or(all[k], rows)
		} else if !rows.IsEmpty() {
			all[k] = rows
		}
	}
	var out []Count
	for k, rows := range all {
		out = append(out, Count{Kind: k, Rows: int64(rows.GetCardinality())})
	}
	slices.SortFunc(out, func(a, b Count) int {
		return cmp.Or(cmp.Compare(a.Field, b.Field), cmp.Compare(a.Code, b.Code), cmp.Compare(a.Level, b.Level))
	})
	for i := range out[:min(len(out), maxExamples)] {
		if err := d.example(ctx, s, &out[i], all[out[i].Kind]); err != nil {
			return nil, fmt.Errorf("count problems: %w", err)
		}
	}
	return out, nil
}

// example reads the text of one of the problems.
func (d *Draft) example(ctx context.Context, s *snapshot, c *Count, rows *roaring.Bitmap) error {
	if at := d.rulesOf(c.Kind); len(at) > 0 {
		c.Text = d.rules[at[0]].problem.Text
		return nil
	}
	one, known := d.texts.get(c.Kind)
	if !known || !rows.Contains(one.row) || s.version(one.row) != one.version {
		one.row = rows.Minimum()
		one.version = s.version(one.row)
		b, err := d.gather(ctx, s, []uint32{one.row})
		if err != nil {
			return err
		}
		at := slices.IndexFunc(b.Problems, func(p intray.Problem) bool { return kindOf(&p) == c.Kind })
		if one.text = (intray.Message{}); at >= 0 {
			one.text = b.Problems[at].Text
		}
		d.texts.set(c.Kind, one)
	}
	c.Text = one.text
	return nil
}
