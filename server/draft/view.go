package draft

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"
	"sync"

	"github.com/RoaringBitmap/roaring/v2"

	"github.com/intraydata/intray"
)

// View is the rows of a filter as they were when it was made: those that no longer
// fit it stay in view until another is made; those that were deleted do not.
type View struct {
	// Token names the view. It is forgotten when many others were made since.
	Token string
	// Rows is how many rows are in view.
	Rows int64
}

// Query says which rows are wanted: those of the view with this token or, where
// there is none, those of a new view of the filter.
type Query struct {
	Token  string
	Filter Filter
}

// Window is some rows of a view.
type Window struct {
	// View is another than the one that was asked for where that was forgotten.
	View View
	// First is how many rows of the view are before them.
	First int64
	Rows  []Row
}

// Row is a row as a person sees it.
type Row struct {
	// Number is that of the row: it never changes, and no other row ever has it.
	Number int64
	// Version is the number of the change that last touched its cells, or 0.
	Version int64
	// Line is the line of the file where the row begins, or 0 for an added one.
	Line  int64
	Cells []Cell
	// Problems are those of the row as a whole.
	Problems []intray.Problem
}

// Cell is a cell of a field as a person sees it.
type Cell struct {
	// Value is the canonical text, and Null says that there is none.
	Value string
	Null  bool
	// Raw is the text that the value was read from.
	Raw string
	// Problems are in the order of the rules.
	Problems []intray.Problem
}

// maxWindow is the most rows of a window.
const maxWindow = 10_000

// maxViews is how many views are remembered.
const maxViews = 16

// view is one that is remembered, under its filter at a snapshot.
type view struct {
	token string
	rows  *roaring.Bitmap
	// now is what is left of it in the snapshot with this id, and stand the number of the
	// last change that took rows from it or brought some back.
	id         uint64
	now        *roaring.Bitmap
	liveChange int64
	// listed is the stand in which it was looked at, by how many rows it had then.
	listed map[int64]int64
}

// refresh gives what is left of it in a snapshot.
func (v *view) refresh(s *snapshot) *roaring.Bitmap {
	if v.id != s.id {
		v.id, v.now, v.liveChange = s.id, roaring.And(v.rows, s.live), s.lastLiveChange(v.rows)
	}
	return v.now
}

// rowCount is how many rows are left of it.
func (v *view) rowCount() int64 { return int64(v.now.GetCardinality()) }

// views are the last ones, the latest last.
type views struct {
	mu  sync.Mutex
	all []*view
}

// rows gives what is left of a view in a snapshot, and whether that are the rows that
// it was listed with when it had so many; nil is any number.
func (v *views) rows(token string, s *snapshot, total *int64) (rows *roaring.Bitmap, asListed bool) {
	v.mu.Lock()
	defer v.mu.Unlock()
	one := v.lookup(token)
	if one == nil {
		return nil, false
	}
	rows = one.refresh(s)
	stand, listed := one.listed[one.rowCount()]
	return rows, total == nil || *total == one.rowCount() && listed && stand == one.liveChange
}

// show gives what is left of a view in a snapshot to who looks at it. A view that was
// listed with as many other rows is forgotten: nobody could tell which ones were seen.
func (v *views) show(token string, s *snapshot) *roaring.Bitmap {
	v.mu.Lock()
	defer v.mu.Unlock()
	one := v.lookup(token)
	if one == nil {
		return nil
	}
	rows := one.refresh(s)
	if stand, listed := one.listed[one.rowCount()]; listed && stand != one.liveChange {
		v.all = v.all[:len(v.all)-1]
		return nil
	}
	one.listed[one.rowCount()] = one.liveChange
	return rows
}

// lookup gives a view, which is the latest from then on; nil where it is forgotten.
func (v *views) lookup(token string) *view {
	for i, one := range v.all {
		if one.token == token {
			v.all = append(slices.Delete(v.all, i, i+1), one)
			return one
		}
	}
	return nil
}

func (v *views) remember(token string, rows *roaring.Bitmap, s *snapshot) {
	v.mu.Lock()
	defer v.mu.Unlock()
	one := &view{token: token, rows: rows, listed: map[int64]int64{}}
	one.listed[int64(one.refresh(s).GetCardinality())] = one.liveChange
	v.all = append(v.all[max(0, len(v.all)+1-maxViews):], one)
}

// viewToken is the same for the same filter at the same snapshot.
func (d *Draft) viewToken(s *snapshot, f Filter) string {
	sum := sha256.Sum256(fmt.Appendf(nil, "%x %d %+v", d.nonce, s.id, f.key()))
	return hex.EncodeToString(sum[:12])
}

// resolveQuery gives the rows of a query in a snapshot, and the token of their view.
func (d *Draft) resolveQuery(ctx context.Context, s *snapshot, q Query, progress func(done, total int64)) (string, *roaring.Bitmap, error) {
	if q.Token != "" {
		if rows := d.views.show(q.Token, s); rows != nil {
			return q.Token, rows, nil
		}
	}
	token := d.viewToken(s, q.Filter)
	if rows := d.views.show(token, s); rows != nil {
		return token, rows, nil
	}
	rows, err := d.matchingRows(ctx, s, q.Filter, progress)
	if err != nil {
		return "", nil, err
	}
	d.views.remember(token, rows, s)
	return token, rows, nil
}

// OpenView makes a view of a filter. A search looks through all rows once; progress,
// which may be nil, is told of rows meanwhile, from another goroutine.
func (d *Draft) OpenView(ctx context.Context, f Filter, progress func(done, total int64)) (View, error) {
	s, done := d.read()
	defer done()
	token, rows, err := d.resolveQuery(ctx, s, Query{Filter: f}, progress)
	if err != nil {
		return View{}, fmt.Errorf("filter rows: %w", err)
	}
	return View{token, int64(rows.GetCardinality())}, nil
}

// Window gives rows of a view from a place of it on, at most n of them and never
// more than 10,000.
func (d *Draft) Window(ctx context.Context, q Query, first int64, n int) (Window, error) {
	if first < 0 || n < 0 {
		return Window{}, &Refusal{Text: intray.NewMessage("review.unknown_rows", intray.Params{"n": n, "row": first})}
	}
	s, done := d.read()
	defer done()
	token, rows, err := d.resolveQuery(ctx, s, q, nil)
	if err != nil {
		return Window{}, fmt.Errorf("filter rows: %w", err)
	}
	w := Window{View: View{token, int64(rows.GetCardinality())}, First: first}
	list := rowsAt(rows, first, min(n, maxWindow))
	b, err := d.gather(ctx, s, list)
	if err != nil {
		return Window{}, err
	}
	w.Rows = d.visibleRows(s, list, b)
	return w, nil
}

// Row gives one row by its number, and false where it is not there.
func (d *Draft) Row(ctx context.Context, number int64) (Row, bool, error) {
	s, done := d.read()
	defer done()
	if number < 0 || number >= 1<<32 || !s.live.Contains(uint32(number)) {
		return Row{}, false, nil
	}
	list := []uint32{uint32(number)}
	b, err := d.gather(ctx, s, list)
	if err != nil {
		return Row{}, false, err
	}
	return d.visibleRows(s, list, b)[0], true, nil
}

// rowsAt gives n rows of a bitmap from a place on.
func rowsAt(rows *roaring.Bitmap, first int64, n int) []uint32 {
	total := int64(rows.GetCardinality())
	if first >= total || n <= 0 {
		return nil
	}
	row, err := rows.Select(uint32(first))
	if err != nil {
		return nil
	}
	list := make([]uint32, 0, min(int64(n), total-first))
	for it := iterateFrom(rows, row); it.HasNext() && len(list) < n; {
		list = append(list, it.Next())
	}
	return list
}

// visibleRows gives rows as a person sees them.
func (d *Draft) visibleRows(s *snapshot, rows []uint32, b *intray.Batch) []Row {
	out := make([]Row, len(rows))
	for i, row := range rows {
		out[i] = batchRow(b, i, row, s.version(row))
	}
	for _, p := range b.Problems {
		out[p.Row].addProblem(p)
	}
	for at, rule := range d.rules {
		for i, row := range rows {
			if s.rules[at].Contains(row) {
				out[i].addProblem(rule.problem)
			}
		}
	}
	return out
}

// addProblem adds a problem where it belongs.
func (r *Row) addProblem(p intray.Problem) {
	p.Row = 0
	if p.Field < 0 {
		r.Problems = append(r.Problems, p)
		return
	}
	r.Cells[p.Field].Problems = append(r.Cells[p.Field].Problems, p)
}

func cellOf(c *intray.Cells, row int) Cell {
	v, there := c.Value(row)
	return Cell{Value: string(v), Null: !there, Raw: string(c.Raw(row))}
}

// RowPosition is a row of a view and its place there.
type RowPosition struct {
	Row      int64
	Position int64
}

// Next gives the first row of a view behind a row that has a problem which fits the
// filter near, or the last one before it; and false where there is none. The row
// itself, from -1 on, need not be in view.
func (d *Draft) Next(ctx context.Context, q Query, near Filter, row int64, back bool) (RowPosition, bool, error) {
	s, done := d.read()
	defer done()
	_, rows, err := d.resolveQuery(ctx, s, q, nil)
	if err == nil {
		err = d.checkFilter(near)
	}
	if err != nil {
		return RowPosition{}, false, fmt.Errorf("filter rows: %w", err)
	}
	if near.Show == All {
		near.Show = Problems
	}
	among := roaring.And(rows, d.byProblem(s, near))
	next := neighbour(among, row, back)
	if next < 0 {
		return RowPosition{}, false, nil
	}
	return RowPosition{next, int64(rows.Rank(uint32(next))) - 1}, true, nil
}

// neighbour is the row next to one, or -1.
func neighbour(rows *roaring.Bitmap, row int64, back bool) int64 {
	switch {
	case rows.IsEmpty() || back && row <= 0 || !back && row >= 1<<32-1:
		return -1
	case back:
		return rows.PreviousValue(uint32(min(row-1, 1<<32-1)))
	}
	return rows.NextValue(uint32(max(row+1, 0)))
}
