package draft

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// TestRowCache checks that cached rows equal staged rows, before and after changes.
func TestRowCache(t *testing.T) {
	rows := similarRows(400)
	for i := 3; i < 400; i += 20 {
		rows[i][fCode] = "bad"
	}
	u := newTestDraft(t, t.TempDir(), rows, 5, limits{})
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
		t.Fatal("the rows with problems are not cached")
	}
	for range 2 {
		got := read()
		u.draft.caches.problems.Store(nil)
		if diff := cmp.Diff(read(), got); diff != "" || len(got) == 0 {
			t.Errorf("from the stage (-) and from the cache (+):\n%s", diff)
		}
		u.draft.caches.problems.Store(cached)
		u.change(t, Fill{Where: Selector{Numbers: []int64{23, 63, 64}, Fields: []int{fCode}}, Text: "odd, bad"})
	}
	q = Query{Filter: Filter{Search: "m10"}} // matches rows 10 and 100 to 109
	read()
	u.draft.background.Wait()
	if u.draft.caches.search.Load() != nil {
		t.Error("rows in few row groups are cached")
	}
	q = Query{Filter: Filter{Search: "BAD"}}
	want := read()
	u.draft.background.Wait()
	if u.draft.caches.search.Load() == nil {
		t.Error("the search hits are not cached")
	}
	if diff := cmp.Diff(want, read()); diff != "" {
		t.Error(diff)
	}
}

// TestSortedRowCache checks that the rows of a sorted view are cached although they are in neighboring rows.
func TestSortedRowCache(t *testing.T) {
	u := newTestDraft(t, t.TempDir(), similarRows(2000), 200, limits{})
	defer u.close(t)
	u.change(t, Fill{Where: Selector{Numbers: []int64{7, 1500}, Fields: []int{fCode}}, Text: "odd"})
	q := Query{Sort: &Sort{Field: fMail, Descending: true}}
	read := func(first int64) []Row {
		w, err := u.draft.Window(t.Context(), q, first, 100)
		if err != nil {
			t.Fatal(err)
		}
		return w.Rows
	}
	want := read(1000)
	u.draft.background.Wait()
	cached := u.draft.caches.search.Load()
	if cached == nil || cached.rows.GetCardinality() != 2000 {
		t.Fatal("the rows of the sorted view are not cached")
	}
	if diff := cmp.Diff(want, read(1000)); diff != "" {
		t.Errorf("from the stage (-) and from the cache (+):\n%s", diff)
	}
}

func TestRowCacheYields(t *testing.T) {
	var c callTracker
	if c.isBusy() {
		t.Error("busy before the first call")
	}
	c.begin()
	if !c.isBusy() {
		t.Error("idle during a call")
	}
	c.end()
	if !c.isBusy() {
		t.Error("idle immediately after a call")
	}
	c.last.Store(time.Now().Add(-idleDelay).UnixNano())
	if c.isBusy() {
		t.Error("busy after the idle delay")
	}
}
