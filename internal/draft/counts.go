package draft

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"sync"

	"github.com/RoaringBitmap/roaring/v2"
)

// Count says how many rows have problems of a kind.
type Count struct {
	Kind
	Rows int64
	// Text is that of one of the problems.
	Text string
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

// exampleTexts are the text of one problem of each kind, once it was read.
type exampleTexts struct {
	mu sync.Mutex
	of map[Kind]string
}

func (e *exampleTexts) get(k Kind) (string, bool) {
	e.mu.Lock()
	defer e.mu.Unlock()
	text, known := e.of[k]
	return text, known
}

func (e *exampleTexts) set(k Kind, text string) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.of == nil {
		e.of = map[Kind]string{}
	}
	e.of[k] = text
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
		d.texts.set(k, d.rules[i].problem.Text)
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
	text, known := d.texts.get(c.Kind)
	if !known {
		b, err := d.gather(ctx, s, []uint32{rows.Minimum()})
		if err != nil {
			return err
		}
		for i := range b.Problems {
			if kindOf(&b.Problems[i]) == c.Kind {
				text = b.Problems[i].Text
				break
			}
		}
		d.texts.set(c.Kind, text)
	}
	c.Text = text
	return nil
}
