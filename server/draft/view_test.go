package draft

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func numbersOf(rows []Row) (out []int64) {
	for _, r := range rows {
		out = append(out, r.Number)
	}
	return out
}

// TestView keeps a row in view that was repaired, until another view is made.
func TestView(t *testing.T) {
	rows := sameRows(20)
	for _, i := range []int{2, 9, 10, 17} {
		rows[i][fName] = "bad"
	}
	u := newUnder(t, t.TempDir(), rows, 6, limits{})
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
		t.Errorf("the view is %+v: %s", w.View, diff)
	}
	if r := w.Rows[0]; r.Version != 1 || r.Line != 11 || r.Cells[fName].Value != "fine" || len(r.Cells[fName].Problems) > 0 {
		t.Errorf("the repaired row is %+v", r)
	}
	if spot, there, err := u.draft.Next(t.Context(), Query{Token: v.Token}, f, 2, false); err != nil || !there || spot != (RowPosition{17, 2}) {
		t.Errorf("next is %+v, %v, %v", spot, there, err)
	}
	if got := u.change(t, Fill{Where: Selector{Token: v.Token, Fields: []int{fCode}}, Text: "all in view"}); got.Rows != 3 {
		t.Errorf("%d rows of the view were changed", got.Rows)
	}
	if w, numbers = window(Query{Filter: f}); w.View.Token == v.Token || len(numbers) != 1 || w.View.Rows != 2 {
		t.Errorf("a new view has %v: %+v", numbers, w.View)
	}
}

// TestForgottenView makes a view anew that was forgotten.
func TestForgottenView(t *testing.T) {
	rows := sameRows(20)
	rows[2][fName] = "bad"
	u := newUnder(t, t.TempDir(), rows, 6, limits{})
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
		t.Errorf("the forgotten view is %+v, %v", w.View, err)
	}
	if len(reported) == 0 || reported[len(reported)-2] != reported[len(reported)-1] {
		t.Errorf("of the search was told %v", reported)
	}
}

// TestWindowBounds asks for rows that are not there.
func TestWindowBounds(t *testing.T) {
	u := newUnder(t, t.TempDir(), sameRows(3), 6, limits{})
	defer u.close(t)
	for _, at := range [][2]int{{-1, 1}, {0, -1}} {
		if _, err := u.draft.Window(t.Context(), Query{}, int64(at[0]), at[1]); err == nil {
			t.Errorf("rows %v were given", at)
		}
	}
	if w, err := u.draft.Window(t.Context(), Query{}, 1<<40, 5); err != nil || len(w.Rows) > 0 {
		t.Errorf("behind the last row: %+v, %v", w, err)
	}
}

// TestRowCache wants rows that lie far apart to be the same from the shelf as from the
// stage, also when they changed.
func TestRowCache(t *testing.T) {
	rows := sameRows(400)
	for i := 3; i < 400; i += 20 {
		rows[i][fCode] = "bad"
	}
	u := newUnder(t, t.TempDir(), rows, 5, limits{})
	defer u.close(t)
	field := fCode
	q := Query{Filter: Filter{Field: &field}}
	read := func() []Row {
		w, err := u.draft.Window(t.Context(), q, 0, 100)
		if err != nil {
			t.Fatal(err)
		}
		return w.Rows
	}
	u.draft.background.Wait()
	cached := u.draft.caches.problems.Load()
	if cached == nil || !cached.rows.Contains(23) {
		t.Fatal("the rows with problems are on no shelf")
	}
	for range 2 {
		got := read()
		u.draft.caches.problems.Store(nil)
		if diff := cmp.Diff(read(), got); diff != "" || len(got) == 0 {
			t.Errorf("from the stage (-) and from the shelf (+):\n%s", diff)
		}
		u.draft.caches.problems.Store(cached)
		u.change(t, Fill{Where: Selector{Numbers: []int64{23, 63, 64}, Fields: []int{fCode}}, Text: "odd, bad"})
	}
	q = Query{Filter: Filter{Search: "m10"}} // rows 10 and 100 to 109
	read()
	u.draft.background.Wait()
	if u.draft.caches.search.Load() != nil {
		t.Error("what lies close by is on a shelf")
	}
	q = Query{Filter: Filter{Search: "BAD"}}
	want := read()
	u.draft.background.Wait()
	if u.draft.caches.search.Load() == nil {
		t.Error("what was found is on no shelf")
	}
	if diff := cmp.Diff(want, read()); diff != "" {
		t.Error(diff)
	}
}

// TestHistory numbers changes, and never uses a number or a row twice.
func TestHistory(t *testing.T) {
	u := newUnder(t, t.TempDir(), sameRows(2), 5, limits{})
	defer func() { u.close(t) }()
	add := Add{[][]Typed{{{Field: fName, Text: "New"}}}}
	u.change(t, add)
	u.change(t, add)
	u.change(t, add)
	for range 2 {
		if _, err := u.draft.Undo(t.Context(), func(context.Context, int64) error { u.undone++; return nil }); err != nil {
			t.Fatal(err)
		}
	}
	check := func(want History) {
		t.Helper()
		h, err := u.draft.History(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, h); diff != "" {
			t.Error(diff)
		}
	}
	check(History{Done: []int64{1}, Undone: []int64{2, 3}})
	u.close(t)
	u.open(t)
	check(History{Done: []int64{1}, Undone: []int64{2, 3}})
	if v := u.change(t, add); v.Seq != 4 {
		t.Errorf("the change has number %d", v.Seq)
	}
	u.close(t)
	u.open(t)
	check(History{Done: []int64{1, 4}})
	w, err := u.draft.Window(t.Context(), Query{}, 0, 10)
	if diff := cmp.Diff([]int64{0, 1, 2, 5}, numbersOf(w.Rows)); diff != "" || err != nil {
		t.Error(diff, err)
	}
}

// TestStretch changes some places of a view.
func TestStretch(t *testing.T) {
	u := newUnder(t, t.TempDir(), sameRows(20), 6, limits{})
	defer u.close(t)
	view, err := u.draft.OpenView(t.Context(), Filter{}, nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		from, to int64
		want     int64
	}{{3, 6, 3}, {0, 1, 1}, {19, 25, 1}, {18, 0, 2}, {20, 30, 0}, {5, 5, 0}, {-1, 4, 0}} {
		v, err := u.draft.Preview(t.Context(), Fill{Where: Selector{Token: view.Token, From: c.from, To: c.to}, Texts: map[int]string{fName: "new", fCode: "other"}}, nil)
		if err != nil || v.Rows != c.want || v.Cells != 2*c.want {
			t.Errorf("places %d to %d: %d cells in %d rows, %v; want %d rows", c.from, c.to, v.Cells, v.Rows, err, c.want)
		}
	}
	u.change(t, Fill{Where: Selector{Token: view.Token, From: 4, To: 6}, Texts: map[int]string{fName: "new", fCode: "other"}})
	w, err := u.draft.Window(t.Context(), Query{Token: view.Token}, 3, 4)
	if err != nil {
		t.Fatal(err)
	}
	for i, r := range w.Rows {
		if changed := r.Cells[fName].Raw == "new" && r.Cells[fCode].Raw == "other"; changed != (i == 1 || i == 2) {
			t.Errorf("place %d holds %q and %q", 3+i, r.Cells[fName].Raw, r.Cells[fCode].Raw)
		}
	}
}

// TestPlacesOfOtherRows changes places of a view in which as many rows stand as were
// seen there, but others.
func TestPlacesOfOtherRows(t *testing.T) {
	u := newUnder(t, t.TempDir(), sameRows(9), 4, limits{})
	defer u.close(t)
	fill := func(token string, total int64) error {
		_, err := u.draft.Preview(t.Context(), Fill{Where: Selector{Token: token, From: 2, To: 4, Total: &total}, Texts: map[int]string{fName: "new"}}, nil)
		return err
	}
	window := func(token string) View {
		t.Helper()
		w, err := u.draft.Window(t.Context(), Query{Token: token}, 0, 2)
		if err != nil {
			t.Fatal(err)
		}
		return w.View
	}
	stale := func(err error) {
		t.Helper()
		if refusal := (*Refusal)(nil); !errors.As(err, &refusal) || !refusal.Stale {
			t.Errorf("it is not refused as stale: %v", err)
		}
	}
	undo := func() {
		t.Helper()
		if _, err := u.draft.Undo(t.Context(), nil); err != nil {
			t.Fatal(err)
		}
		u.undone++
	}
	first := window("")
	u.change(t, Delete{Selector{Numbers: []int64{0}}})
	stale(fill(first.Token, 8)) // nobody has seen it with 8 rows
	if seen := window(first.Token); seen != (View{first.Token, 8}) || fill(first.Token, 8) != nil {
		t.Fatalf("seen %+v, %v", seen, fill(first.Token, 8))
	}
	undo()
	if err := fill(first.Token, 9); err != nil {
		t.Errorf("as it was at first: %v", err)
	}
	u.change(t, Delete{Selector{Numbers: []int64{5}}})
	stale(fill(first.Token, 8))
	// Who looks now cannot be told from who looked then: it becomes another view.
	again := window(first.Token)
	if again.Token == first.Token || again.Rows != 8 {
		t.Errorf("looked at again: %+v", again)
	}
	stale(fill(first.Token, 8))
	if err := fill(again.Token, 8); err != nil {
		t.Errorf("the new view: %v", err)
	}
	u.change(t, Add{Rows: [][]Typed{{}}})
	if err := fill(again.Token, 8); err != nil || window(again.Token) != again {
		t.Errorf("with a row that it does not have: %v", err)
	}
}

func TestRowCacheYields(t *testing.T) {
	var c callTracker
	if c.isBusy() {
		t.Error("nobody has called yet")
	}
	c.begin()
	if !c.isBusy() {
		t.Error("somebody is calling")
	}
	c.end()
	if !c.isBusy() {
		t.Error("somebody called just now")
	}
	c.last.Store(time.Now().Add(-idleDelay).UnixNano())
	if c.isBusy() {
		t.Error("nobody has called for long enough")
	}
}
