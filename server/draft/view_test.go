package draft

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/RoaringBitmap/roaring/v2"
	"github.com/google/go-cmp/cmp"
)

func numbersOf(rows []Row) (out []int64) {
	for _, r := range rows {
		out = append(out, r.Number)
	}
	return out
}

// TestView checks that a row that was fixed stays in the view until a new view is opened.
func TestView(t *testing.T) {
	rows := similarRows(20)
	for _, i := range []int{2, 9, 10, 17} {
		rows[i][fName] = "bad"
	}
	u := newTestDraft(t, t.TempDir(), rows, 6, limits{})
	defer u.close(t)
	field := fName
	f := Filter{Field: &field}
	v, err := u.draft.OpenView(t.Context(), f, nil)
	if err != nil || v.Rows != 4 {
		t.Fatalf("%+v, %v", v, err)
	}
	window := func(q Query) (Window, []int64) {
		w, err := u.draft.Window(t.Context(), q, 1, 10)
		if err != nil {
			t.Fatal(err)
		}
		return w, numbersOf(w.Rows)
	}
	u.change(t, Fill{Where: Selector{Numbers: []int64{9}, Fields: []int{fName}}, Text: "fine"})
	u.change(t, Delete{Selector{Numbers: []int64{10}}})
	w, numbers := window(Query{Token: v.Token, Filter: f})
	if diff := cmp.Diff([]int64{9, 17}, numbers); diff != "" || w.View != (View{v.Token, 3}) || w.First != 1 {
		t.Errorf("got view %+v: %s", w.View, diff)
	}
	if r := w.Rows[0]; r.Version != 1 || r.Line != 11 || r.Cells[fName].Value != "fine" || len(r.Cells[fName].Problems) > 0 {
		t.Errorf("fixed row: %+v", r)
	}
	if position, there, err := u.draft.Next(t.Context(), Query{Token: v.Token}, f, 2, false); err != nil || !there || position != (RowPosition{17, 2}) {
		t.Errorf("next: got %+v, %v, %v", position, there, err)
	}
	if got := u.change(t, Fill{Where: Selector{Token: v.Token, Fields: []int{fCode}}, Text: "all in view"}); got.Rows != 3 {
		t.Errorf("changed %d rows of the view, want 3", got.Rows)
	}
	if w, numbers = window(Query{Filter: f}); w.View.Token == v.Token || len(numbers) != 1 || w.View.Rows != 2 {
		t.Errorf("new view: rows %v, %+v", numbers, w.View)
	}
}

// TestExpiredView checks that reading a view that has expired opens a new view with the same
// filter.
func TestExpiredView(t *testing.T) {
	rows := similarRows(20)
	rows[2][fName] = "bad"
	u := newTestDraft(t, t.TempDir(), rows, 6, limits{})
	defer u.close(t)
	field := fName
	f := Filter{Field: &field}
	v, err := u.draft.OpenView(t.Context(), f, nil)
	if err != nil {
		t.Fatal(err)
	}
	u.change(t, Fill{Where: Selector{Numbers: []int64{2}, Fields: []int{fName}}, Text: "fine"})
	var reported []int64
	for i := range maxViews {
		if _, err := u.draft.OpenView(t.Context(), Filter{Search: fmt.Sprint("m", i)}, func(done, total int64) { reported = append(reported, done, total) }); err != nil {
			t.Fatal(err)
		}
	}
	if w, err := u.draft.Window(t.Context(), Query{Token: v.Token, Filter: f}, 0, 5); err != nil || w.View.Token == v.Token || w.View.Rows != 0 {
		t.Errorf("window of an expired view: %+v, %v", w.View, err)
	}
	if len(reported) == 0 || reported[len(reported)-2] != reported[len(reported)-1] {
		t.Errorf("progress of the search: %v", reported)
	}
}

// TestWindowBounds checks that a window with a negative position or size is refused, and that a
// window that starts after the last row is empty.
func TestWindowBounds(t *testing.T) {
	u := newTestDraft(t, t.TempDir(), similarRows(3), 6, limits{})
	defer u.close(t)
	for _, at := range [][2]int{{-1, 1}, {0, -1}} {
		if _, err := u.draft.Window(t.Context(), Query{}, int64(at[0]), at[1]); err == nil {
			t.Errorf("window %v: want an error", at)
		}
	}
	if w, err := u.draft.Window(t.Context(), Query{}, 1<<40, 5); err != nil || len(w.Rows) > 0 {
		t.Errorf("after the last row: %+v, %v", w, err)
	}
}

// TestWindowLimit checks that a window contains no more than the maximum number of rows.
func TestWindowLimit(t *testing.T) {
	u := newTestDraft(t, t.TempDir(), similarRows(maxWindow+2), 4000, limits{})
	defer u.close(t)
	for first, want := range map[int64]int{0: maxWindow, 1: maxWindow, 2: maxWindow, 3: maxWindow - 1, maxWindow + 1: 1, maxWindow + 2: 0} {
		w, err := u.draft.Window(t.Context(), Query{}, first, 1<<30)
		if err != nil || len(w.Rows) != want || want > 0 && w.Rows[0].Number != first {
			t.Errorf("from row %d: got %d rows, %v, want %d", first, len(w.Rows), err, want)
		}
	}
	list := rowsAt(roaring.BitmapOf(3, 5, 9), 1, 1)
	if !slices.Equal(list, []uint32{5}) || rowsAt(roaring.BitmapOf(3), 0, 0) != nil || rowsAt(roaring.BitmapOf(3), 1, 1) != nil {
		t.Errorf("one row: %v", list)
	}
}

// TestRememberedViews checks that a view or search is dropped only after the maximum number of
// others have been used since.
func TestRememberedViews(t *testing.T) {
	u := newTestDraft(t, t.TempDir(), similarRows(3), 6, limits{})
	defer u.close(t)
	open := func(text string) string {
		v, err := u.draft.OpenView(t.Context(), Filter{Search: text}, nil)
		if err != nil {
			t.Fatal(err)
		}
		return v.Token
	}
	s := u.draft.now.Load()
	first := open("first")
	for i := range maxViews - 1 {
		open(fmt.Sprint("other ", i))
	}
	if rows, listed := u.draft.views.rows(first, s, nil); rows.set == nil || !listed {
		t.Errorf("forgotten after %d other views", maxViews-1)
	}
	open("one more") // first was used, so the second view is dropped
	if rows, _ := u.draft.views.rows(first, s, nil); rows.set == nil {
		t.Error("the view used last is forgotten")
	}
	for i := range maxViews {
		open(fmt.Sprint("another ", i))
	}
	if rows, listed := u.draft.views.rows(first, s, nil); rows.set != nil || listed {
		t.Errorf("remembered after %d other views", maxViews)
	}
	var all searches
	one := all.lookup(searchKey{text: "one"})
	for i := range maxSearches - 1 {
		all.lookup(searchKey{field: i})
	}
	if all.lookup(searchKey{text: "one"}) != one {
		t.Error("a cached search is forgotten too early")
	}
	for i := range maxSearches {
		all.lookup(searchKey{field: 100 + i})
	}
	if len(all.all) != maxSearches || all.lookup(searchKey{text: "one"}) == one {
		t.Errorf("%d searches are cached", len(all.all))
	}
}

// TestNeighbor checks the rows before and after a given row, up to the lowest and highest row
// numbers.
func TestNeighbor(t *testing.T) {
	rows := roaring.BitmapOf(0, 7, 1<<32-1)
	for _, c := range []struct {
		row, next, previous int64
	}{{-5, 0, -1}, {-1, 0, -1}, {0, 7, -1}, {1, 7, 0}, {7, 1<<32 - 1, 0}, {8, 1<<32 - 1, 7}, {1<<32 - 1, -1, 7}, {1 << 32, -1, 1<<32 - 1}, {1 << 40, -1, 1<<32 - 1}} {
		if next, previous := neighbor(rows, c.row, false), neighbor(rows, c.row, true); next != c.next || previous != c.previous {
			t.Errorf("row %d: next %d, previous %d, want %d and %d", c.row, next, previous, c.next, c.previous)
		}
	}
	if neighbor(roaring.New(), 0, false) != -1 || neighbor(roaring.New(), 5, true) != -1 {
		t.Error("an empty bitmap has a neighbor")
	}
}

// sortedRows are names whose order differs from that of their rows.
var sortedRows = []string{"b", "", "B2", "a", "bad", "a", "", "Z", "ä", "c"}

func newSortedDraft(t *testing.T) *testDraft {
	rows := similarRows(len(sortedRows))
	for i, text := range sortedRows {
		rows[i][fName] = text
	}
	u := newTestDraft(t, t.TempDir(), rows, 3, limits{})
	t.Cleanup(func() { u.close(t) })
	return u
}

// window returns the token of a view, and the numbers of up to 100 of its rows from a position on.
func (u *testDraft) window(t *testing.T, q Query, first int64) (token string, numbers []int64) {
	t.Helper()
	w, err := u.draft.Window(t.Context(), q, first, 100)
	if err != nil {
		t.Fatal(err)
	}
	return w.View.Token, numbersOf(w.Rows)
}

func TestSortedView(t *testing.T) {
	u := newSortedDraft(t)
	up, down := Query{Sort: &Sort{Field: fName}}, Query{Sort: &Sort{Field: fName, Descending: true}}
	tokens := map[string]bool{}
	for _, c := range []struct {
		q     Query
		first int64
		want  []int64
	}{
		{up, 0, []int64{3, 5, 0, 2, 9, 7, 8, 4, 1, 6}}, {up, 8, []int64{1, 6}}, {up, 100, nil},
		{down, 0, []int64{8, 7, 9, 2, 0, 3, 5, 4, 1, 6}}, {Query{}, 7, []int64{7, 8, 9}},
	} {
		token, got := u.window(t, c.q, c.first)
		if !slices.Equal(got, c.want) {
			t.Errorf("%+v from %d on: %d, want %d", c.q.Sort, c.first, got, c.want)
		}
		tokens[token] = true
	}
	if len(tokens) != 3 {
		t.Errorf("3 views have %d tokens", len(tokens))
	}
	if _, err := u.draft.Window(t.Context(), Query{Sort: &Sort{Field: 99}}, 0, 1); err == nil {
		t.Error("an unknown field sorts rows")
	}
}

// TestNextInSortedView looks for rows with a problem of the field, which are rows 4, 1 and 6 at the end.
func TestNextInSortedView(t *testing.T) {
	u := newSortedDraft(t)
	field := fName
	for _, c := range []struct {
		row, want, position int64
		back                bool
	}{{-1, 4, 7, false}, {0, 4, 7, false}, {4, 1, 8, false}, {6, -1, 0, false}, {1 << 40, 6, 9, true}, {1, 4, 7, true}, {4, -1, 0, true}} {
		at, there, err := u.draft.Next(t.Context(), Query{Sort: &Sort{Field: fName}}, Filter{Field: &field}, c.row, c.back)
		if err != nil || there != (c.want >= 0) || there && at != (RowPosition{c.want, c.position}) {
			t.Errorf("after row %d (back: %v) is %v, %v, %v", c.row, c.back, at, there, err)
		}
	}
}

// TestChangedSortedView checks that positions refer to the order of the view, and that changed rows keep
// theirs until the rows are sorted again.
func TestChangedSortedView(t *testing.T) {
	u := newSortedDraft(t)
	by := Query{Sort: &Sort{Field: fName}}
	token, _ := u.window(t, by, 0)
	total := int64(len(sortedRows))
	u.change(t, Fill{Where: Selector{Token: token, From: 1, To: 3, Total: &total, Fields: []int{fMail}}, Text: "filled"})
	u.change(t, Set{[]Typed{{Row: 3, Field: fName, Text: "zzz", Seen: "a"}}})
	u.change(t, Delete{Selector{Numbers: []int64{9}}})
	w, err := u.draft.Window(t.Context(), Query{Token: token}, 0, 100)
	if want := []int64{3, 5, 0, 2, 7, 8, 4, 1, 6}; err != nil || !slices.Equal(numbersOf(w.Rows), want) {
		t.Errorf("after changes: %d, want %d, %v", numbersOf(w.Rows), want, err)
	}
	filled := numbersOf(slices.DeleteFunc(w.Rows, func(r Row) bool { return r.Cells[fMail].Raw != "filled" }))
	if !slices.Equal(filled, []int64{5, 0}) {
		t.Errorf("filled: %d", filled)
	}
	if _, got := u.window(t, by, 0); !slices.Equal(got, []int64{5, 0, 2, 7, 3, 8, 4, 1, 6}) {
		t.Errorf("sorted again: %d", got)
	}
}

func TestOrderedBits(t *testing.T) {
	numbers := []float64{math.Inf(-1), -1e9, -2, -1.5, 0, 1e-9, 1.5, 2, 1e9, math.Inf(1)}
	for i := range len(numbers) - 1 {
		if orderedBits(numbers[i]) >= orderedBits(numbers[i+1]) {
			t.Errorf("%v is not before %v", numbers[i], numbers[i+1])
		}
	}
}

// TestWholeSearch finds cells that are the text, and not those that contain it.
func TestWholeSearch(t *testing.T) {
	u := newSortedDraft(t)
	for text, want := range map[string][]int64{"b": {0}, "B2": {2}, "a": {3, 5}, "Ä": {8}, "ad": nil} {
		if _, got := u.window(t, Query{Filter: Filter{Search: text, Whole: true}}, 0); !slices.Equal(got, want) {
			t.Errorf("%s: %d, want %d", text, got, want)
		}
	}
}
