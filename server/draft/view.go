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

// View is a saved result of a filter. Rows that no longer match stay in the view.
// Deleted rows do not.
type View struct {
	// Token identifies the view. It expires after a number of other views have been used since
	// its last use.
	Token string
	// Rows is the number of rows in the view.
	Rows int64
}

// Query selects the rows of an existing view by its token. Without a token, it
// selects the rows of a new view of the filter.
type Query struct {
	Token  string
	Filter Filter
	// Sort is nil for rows in the order of the file.
	Sort *Sort
}

// Window is a range of the rows in a view.
type Window struct {
	// View is the requested view, or a new one if the requested view has expired.
	View View
	// First is the position of the first row in the view.
	First int64
	Rows  []Row
}

// Row is a row as a reviewer sees it.
type Row struct {
	// Number identifies the row. The number never changes and is never reused.
	Number int64
	// Version is the number of the change that last touched the cells of the row, or 0.
	Version int64
	// Line is the line of the file where the row begins, counted from 1. It is 0 for an
	// added row.
	Line  int64
	Cells []Cell
	// Problems are the problems of the row as a whole, not of its cells.
	Problems []intray.Problem
}

// Cell is a cell as a reviewer sees it.
type Cell struct {
	// Value is the canonical value. Null is set if there is no value.
	Value string
	Null  bool
	// Raw is the raw value.
	Raw string
	// Problems are the problems of the cell, in the order of the validators.
	Problems []intray.Problem
}

// maxWindow is the maximum number of rows in a Window.
const maxWindow = 10_000

// maxViews is the maximum number of views that a draft keeps.
const maxViews = 16

// view is the state that a draft keeps for a View: the rows that matched its filter.
type view struct {
	token string
	rows  *roaring.Bitmap
	// order lists the rows of a sorted view. It is nil if the rows are in the order of their numbers.
	order []uint32
	// now holds the rows that still exist in the snapshot with this id. liveChange is the number
	// of the last change that deleted or added any row of the view.
	id         uint64
	now        rowList
	liveChange int64
	// listed has an entry for each number of rows with which the view was listed. It maps that
	// number to the value of liveChange when the view was listed.
	listed map[int64]int64
}

// refresh returns the rows of the view that still exist in a snapshot.
func (v *view) refresh(s *snapshot) rowList {
	if v.id != s.id {
		v.id, v.now, v.liveChange = s.id, rowList{roaring.And(v.rows, s.live), v.order}, s.lastLiveChange(v.rows)
		if int64(len(v.order)) > v.now.count() {
			v.now.order = slices.DeleteFunc(slices.Clone(v.order), func(row uint32) bool { return !v.now.set.Contains(row) })
		}
	}
	return v.now
}

// rowCount returns the number of rows of the view that still exist.
func (v *view) rowCount() int64 { return v.now.count() }

// views holds the most recently used views, most recent last.
type views struct {
	mu  sync.Mutex
	all []*view
}

// rows returns the rows of a view that exist in a snapshot. asListed reports whether they are
// the same rows as when the view was listed with the given total. If total is nil, asListed is
// true unless the view has expired.
func (v *views) rows(token string, s *snapshot, total *int64) (rows rowList, asListed bool) {
	v.mu.Lock()
	defer v.mu.Unlock()
	one := v.lookup(token)
	if one == nil {
		return rowList{}, false
	}
	rows = one.refresh(s)
	change, listed := one.listed[one.rowCount()]
	return rows, total == nil || *total == one.rowCount() && listed && change == one.liveChange
}

// listedRows returns the rows of a view that exist in a snapshot, and records that
// they were listed. known is false if the view has expired. If the view was listed
// before with the same number of rows but different ones, the view expires, because
// total could not distinguish the two lists.
func (v *views) listedRows(token string, s *snapshot) (rows rowList, known bool) {
	v.mu.Lock()
	defer v.mu.Unlock()
	one := v.lookup(token)
	if one == nil {
		return rowList{}, false
	}
	rows = one.refresh(s)
	if change, listed := one.listed[one.rowCount()]; listed && change != one.liveChange {
		v.all = v.all[:len(v.all)-1]
		return rowList{}, false
	}
	one.listed[one.rowCount()] = one.liveChange
	return rows, true
}

// lookup returns a view and makes it the most recently used one. It returns nil if
// the view has expired.
func (v *views) lookup(token string) *view {
	for i, one := range v.all {
		if one.token == token {
			v.all = append(slices.Delete(v.all, i, i+1), one)
			return one
		}
	}
	return nil
}

func (v *views) remember(token string, rows rowList, s *snapshot) {
	v.mu.Lock()
	defer v.mu.Unlock()
	one := &view{token: token, rows: rows.set, order: rows.order, listed: map[int64]int64{}}
	one.listed[one.refresh(s).count()] = one.liveChange
	v.all = append(v.all[max(0, len(v.all)+1-maxViews):], one)
	v.dropOldOrders()
}

// maxSortedViews is the maximum number of sorted views that a draft keeps, because their orders take memory.
const maxSortedViews = 3

// dropOldOrders removes the sorted views except for those used last.
func (v *views) dropOldOrders() {
	var kept []*view
	sorted := 0
	for _, one := range slices.Backward(v.all) {
		if one.order != nil {
			sorted++
		}
		if one.order == nil || sorted <= maxSortedViews {
			kept = append(kept, one)
		}
	}
	slices.Reverse(kept)
	v.all = kept
}

// resolveQuery returns the token of a view and the rows that it contains in a snapshot.
func (d *Draft) resolveQuery(ctx context.Context, s *snapshot, q Query, progress func(done, total int64)) (string, rowList, error) {
	if q.Token != "" {
		if rows, known := d.views.listedRows(q.Token, s); known {
			return q.Token, rows, nil
		}
	}
	name := fmt.Appendf(nil, "%x %d %+v", d.nonce, s.id, q.Filter.key())
	if q.Sort != nil {
		name = fmt.Appendf(name, " by %+v", *q.Sort)
	}
	sum := sha256.Sum256(name)
	token := hex.EncodeToString(sum[:12])
	if rows, known := d.views.listedRows(token, s); known {
		return token, rows, nil
	}
	set, err := d.matchingRows(ctx, s, q.Filter, progress)
	if err != nil {
		return "", rowList{}, err
	}
	rows := rowList{set: set}
	if q.Sort != nil {
		if rows.order, err = d.sortRows(ctx, s, set, *q.Sort); err != nil {
			return "", rowList{}, err
		}
		d.cacheSorted(s, set)
	}
	d.views.remember(token, rows, s)
	return token, rows, nil
}

// OpenView opens a view of a filter. A search scans all rows once. progress may be nil. It is
// called in a different goroutine, with row counts.
func (d *Draft) OpenView(ctx context.Context, f Filter, progress func(done, total int64)) (View, error) {
	s, done := d.beginRead()
	defer done()
	token, rows, err := d.resolveQuery(ctx, s, Query{Filter: f}, progress)
	if err != nil {
		return View{}, fmt.Errorf("filter rows: %w", err)
	}
	return View{token, rows.count()}, nil
}

// Window returns the rows of a view starting at position first: at most n, and never more than
// 10,000.
func (d *Draft) Window(ctx context.Context, q Query, first int64, n int) (Window, error) {
	if first < 0 || n < 0 {
		return Window{}, &RefusedError{Text: intray.NewMessage("review.unknown_rows", intray.Params{"n": n, "row": first})}
	}
	s, done := d.beginRead()
	defer done()
	token, rows, err := d.resolveQuery(ctx, s, q, nil)
	if err != nil {
		return Window{}, fmt.Errorf("filter rows: %w", err)
	}
	w := Window{View: View{token, rows.count()}, First: first}
	list := rows.at(first, min(n, maxWindow))
	ascending := slices.Sorted(slices.Values(list))
	b, err := d.readWindow(ctx, s, ascending)
	if err != nil {
		return Window{}, err
	}
	w.Rows = d.visibleRows(s, ascending, b)
	if rows.order != nil {
		read := w.Rows
		w.Rows = make([]Row, len(list))
		for i, row := range list {
			at, _ := slices.BinarySearch(ascending, row)
			w.Rows[i] = read[at]
		}
	}
	return w, nil
}

// Row returns the row with the given number. It returns false if the row does not exist.
func (d *Draft) Row(ctx context.Context, number int64) (Row, bool, error) {
	s, done := d.beginRead()
	defer done()
	if number < 0 || number >= 1<<32 || !s.live.Contains(uint32(number)) {
		return Row{}, false, nil
	}
	list := []uint32{uint32(number)}
	b, err := d.readWindow(ctx, s, list)
	if err != nil {
		return Row{}, false, err
	}
	return d.visibleRows(s, list, b)[0], true, nil
}

// rowsAt returns up to n rows of a bitmap, starting at position first.
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

// visibleRows returns rows of a batch as a reviewer sees them.
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

// addProblem adds a problem to the row, or to the cell of its field.
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

// RowPosition is a row number and the position of the row in a view.
type RowPosition struct {
	Row      int64
	Position int64
}

// Next returns the first row of a view that follows the given row and has a problem that
// matches the filter near. If back is set, it returns the last such row before the given one.
// It returns false if there is none. row may be -1 and need not be in the view.
func (d *Draft) Next(ctx context.Context, q Query, near Filter, row int64, back bool) (RowPosition, bool, error) {
	s, done := d.beginRead()
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
	next, position := rows.next(roaring.And(rows.set, d.byProblem(s, near)), row, back)
	if next < 0 {
		return RowPosition{}, false, nil
	}
	return RowPosition{next, position}, true, nil
}

// neighbor returns the next row of a bitmap after row, or the previous one if back
// is set. It returns -1 if there is none.
func neighbor(rows *roaring.Bitmap, row int64, back bool) int64 {
	switch {
	case rows.IsEmpty() || back && row <= 0 || !back && row >= 1<<32-1:
		return -1
	case back:
		return rows.PreviousValue(uint32(min(row-1, 1<<32-1)))
	}
	return rows.NextValue(uint32(max(row+1, 0)))
}
