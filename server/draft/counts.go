package draft

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"sync"

	"github.com/RoaringBitmap/roaring/v2"

	"github.com/intraydata/intray"
	"github.com/intraydata/intray/validate"
)

// Count is the number of rows with problems of one kind.
type Count struct {
	Kind
	Rows int64
	// Text is the message of one of these problems.
	Text intray.Message
}

// Totals holds the number of rows and, for each level, the number of rows with a problem of
// that level.
type Totals struct {
	Rows, Errors, Warnings, Infos int64
}

// Totals returns the row counts of the draft.
func (d *Draft) Totals() Totals {
	s := d.now.Load()
	n := func(rows *roaring.Bitmap) int64 { return int64(rows.GetCardinality()) }
	return Totals{n(s.live), n(s.levels[0]), n(s.levels[1]), n(s.levels[2])}
}

// exampleTexts caches one message per kind of problem.
type exampleTexts struct {
	mu sync.Mutex
	of map[Kind]exampleText
}

// exampleText is the message of a problem in one version of a row.
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

// maxExamples is the maximum number of kinds for which Counts returns a message.
// Each message can cost one read.
const maxExamples = 1000

// Counts returns the number of rows for each kind of problem. Problems of whole rows
// come first, followed by those of the fields in order.
func (d *Draft) Counts(ctx context.Context) ([]Count, error) {
	s, done := d.beginRead()
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
	out := make([]Count, 0, len(all))
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

// example sets c.Text to the message of one of the problems that c counts.
func (d *Draft) example(ctx context.Context, s *snapshot, c *Count, rows *roaring.Bitmap) error {
	if at := d.rulesOf(c.Kind); len(at) > 0 {
		c.Text = d.rules[at[0]].problem.Text
		return nil
	}
	one, known := d.texts.get(c.Kind)
	if !known || !rows.Contains(one.row) || s.version(one.row) != one.version {
		one.row = rows.Minimum()
		one.version = s.version(one.row)
		b, err := d.readRows(ctx, s, []uint32{one.row})
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

// Distinct lists the distinct raw values of a field.
type Distinct struct {
	// Values are the most frequent values in descending order of frequency. Equally
	// frequent values are in row order.
	Values []Value
	// More is the number of distinct values that are not in Values.
	More int64
}

// Value is a raw value, the number of cells that contain it, and the first row that contains it.
type Value struct {
	Text  string
	Cells int64
	Row   int64
}

// maxValues is the maximum number of values that Distinct returns.
const maxValues = 100_000

// Distinct counts the raw values of a field in the rows of a query, including empty
// cells. It returns the n most frequent values, at most 100,000.
func (d *Draft) Distinct(ctx context.Context, field int, q Query, n int) (Distinct, error) {
	if field < 0 || field >= len(d.cfg.Fields) {
		return Distinct{}, &RefusedError{Text: noField(field)}
	}
	s, done := d.beginRead()
	defer done()
	_, rows, err := d.resolveQuery(ctx, s, q, nil)
	if err != nil {
		return Distinct{}, fmt.Errorf("filter rows: %w", err)
	}
	n = min(max(n, 0), maxValues)
	out, few, err := d.countInMemory(ctx, s, rows.set, field, n)
	if err == nil && !few {
		out, err = d.countOnDisk(ctx, s, rows.set, field, n)
	}
	if err != nil {
		return Distinct{}, fmt.Errorf("count the values of field %q: %w", d.cfg.Fields[field].Key, err)
	}
	return out, nil
}

// eachText calls the function do for each cell of a field in some rows. It uses several
// goroutines and calls newCounter, which returns do and end, once in each of them. It calls the
// function end after each span.
func (d *Draft) eachText(ctx context.Context, s *snapshot, rows *roaring.Bitmap, field int, newCounter func() (do func(text []byte, row uint32), end func() error)) error {
	fields := []int{field}
	return d.eachSpan(ctx, rows, nil, func() spanWork {
		l := d.newFieldReader(s, fields, nil)
		do, end := newCounter()
		return func(ctx context.Context, at span) error {
			pieces, err := l.readSpan(ctx, at, rows)
			if err != nil {
				return err
			}
			for _, p := range pieces {
				for i, row := range p.rows {
					err := d.eachCell(p.batch, field, p.at[i], func(_ int, text []byte) { do(text, row) })
					if err != nil {
						return fmt.Errorf("row %d: %w", row, err)
					}
				}
			}
			return end()
		}
	})
}

// errTooManyTexts means that there are too many distinct values to count in memory.
var errTooManyTexts = errors.New("too many distinct texts")

// countInMemory counts the distinct values in memory. It returns false if there are
// too many of them.
func (d *Draft) countInMemory(ctx context.Context, s *snapshot, rows *roaring.Bitmap, field, n int) (Distinct, bool, error) {
	var mu sync.Mutex
	var parts []map[string]*Value
	err := d.eachText(ctx, s, rows, field, func() (func([]byte, uint32), func() error) {
		counts := map[string]*Value{}
		mu.Lock()
		parts = append(parts, counts)
		mu.Unlock()
		count := func(text []byte, row uint32) {
			v := counts[string(text)]
			if v == nil {
				v = &Value{Text: string(text), Row: int64(row)}
				counts[v.Text] = v
			}
			v.Cells, v.Row = v.Cells+1, min(v.Row, int64(row))
		}
		return count, func() error {
			if len(counts) > d.cfg.limits.counted {
				return errTooManyTexts
			}
			return nil
		}
	})
	if errors.Is(err, errTooManyTexts) {
		return Distinct{}, false, nil
	}
	all := map[string]*Value{}
	for _, counts := range parts {
		for text, v := range counts {
			if sum := all[text]; sum != nil {
				sum.Cells, sum.Row = sum.Cells+v.Cells, min(sum.Row, v.Row)
			} else {
				all[text] = v
			}
		}
	}
	list := slices.SortedFunc(maps.Values(all), func(a, b *Value) int {
		return cmp.Or(cmp.Compare(b.Cells, a.Cells), cmp.Compare(a.Row, b.Row), cmp.Compare(a.Text, b.Text))
	})
	out := Distinct{More: int64(max(0, len(list)-n))}
	for _, v := range list[:min(n, len(list))] {
		out.Values = append(out.Values, *v)
	}
	return out, true, err
}

// countOnDisk counts the distinct values in a temporary file.
func (d *Draft) countOnDisk(ctx context.Context, s *snapshot, rows *roaring.Bitmap, field, n int) (Distinct, error) {
	t := validate.NewValueCounts(d.cfg.Temp)
	defer func() { _ = t.Close() }()
	err := d.eachText(ctx, s, rows, field, func() (func([]byte, uint32), func() error) {
		c := t.Counter()
		return c.QueueText, c.Flush
	})
	if err != nil {
		return Distinct{}, err
	}
	most, different, err := t.MostFrequent(n)
	if err != nil {
		return Distinct{}, err
	}
	out := Distinct{More: different - int64(len(most))}
	texts, err := d.loadTexts(ctx, s, field, t, most)
	for _, m := range most {
		out.Values = append(out.Values, Value{texts[m.Hash], m.Count, int64(m.Row)})
	}
	return out, err
}

// loadTexts reads each counted value from the first row that contains it.
func (d *Draft) loadTexts(ctx context.Context, s *snapshot, field int, t *validate.ValueCounts, most []validate.ValueCount) (map[validate.Hash]string, error) {
	texts := make(map[validate.Hash]string, len(most))
	rows := roaring.New()
	for _, m := range most {
		texts[m.Hash] = ""
		rows.Add(m.Row)
	}
	var mu sync.Mutex
	err := d.eachText(ctx, s, rows, field, func() (func([]byte, uint32), func() error) {
		return func(text []byte, _ uint32) {
			mu.Lock()
			defer mu.Unlock()
			if _, wanted := texts[t.Hash(text)]; wanted {
				texts[t.Hash(text)] = string(text)
			}
		}, func() error { return nil }
	})
	return texts, err
}
