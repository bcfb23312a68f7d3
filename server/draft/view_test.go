package draft

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func numbersOf(rows []Row) (out []int64) {
	for _, r := range rows {
		out = append(out, r.Number)
	}
	return out
}

// TestView checks that a fixed row stays in view until another view is opened.
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

// TestExpiredView reads a view that has expired.
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

// TestWindowBounds reads rows outside the view.
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
