package draft

import (
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/RoaringBitmap/roaring/v2"
	"github.com/google/go-cmp/cmp"

	"github.com/intraydata/intray/internal/filesys"
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
	if cached == nil || !cached.holds(23) || cached.holds(24) {
		t.Fatal("the rows with problems are not cached")
	}
	for range 2 {
		got := read()
		u.draft.caches.problems.Swap(nil)
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
	if !u.draft.caches.search.Load().holds(43) {
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
	if cached == nil || !cached.holds(1999) || cached.rows.GetCardinality() != 1998 {
		t.Fatal("the rows of the sorted view are not cached")
	}
	if diff := cmp.Diff(want, read(1000)); diff != "" {
		t.Errorf("from the stage (-) and from the cache (+):\n%s", diff)
	}
}

// TestRowCacheCopies checks that rows are complete if the cache holds only some of them, has been replaced or
// closed, or cannot be read or created.
func TestRowCacheCopies(t *testing.T) {
	sorted := Query{Sort: &Sort{Field: fMail}}
	window := func(u *testDraft, first int64) []Row {
		w, err := u.draft.Window(t.Context(), sorted, first, 700)
		if err != nil {
			t.Fatal(err)
		}
		return w.Rows
	}
	open := func(temp string, l limits) (*testDraft, *rowCache) {
		u := newTestDraft(t, temp, similarRows(2000), 150, l)
		t.Cleanup(func() { u.close(t) })
		window(u, 0)
		u.draft.background.Wait()
		return u, u.draft.caches.search.Load()
	}
	reference, whole := open(t.TempDir(), limits{})
	if !whole.holds(0) || !whole.holds(1999) || whole.holds(2000) {
		t.Fatal("not all rows are cached")
	}
	want := window(reference, 900)

	for name, damage := range map[string]func(u *testDraft, c *rowCache){
		"closed":  func(_ *testDraft, c *rowCache) { c.close() },
		"damaged": func(_ *testDraft, c *rowCache) { c.file.WriteAt([]byte("damaged"), c.ends[40]) },
		"cut":     func(_ *testDraft, c *rowCache) { c.file.Truncate(c.ends[40]) },
		"replaced": func(u *testDraft, _ *rowCache) {
			u.draft.cacheRows(&u.draft.caches.search, roaring.BitmapOf(3, 17, 1999))
			u.draft.background.Wait()
		},
	} {
		u, c := open(t.TempDir(), limits{})
		rows := toUint32(want)
		damage(u, c)
		read, err := u.draft.cached(c)(t.Context(), rows)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		staged, err := u.draft.readStaged(t.Context(), rows)
		if diff := cmp.Diff(u.draft.visibleRows(u.draft.now.Load(), rows, staged), u.draft.visibleRows(u.draft.now.Load(), rows, read)); err != nil || diff != "" {
			t.Errorf("%s: %v\n%s", name, err, diff)
		}
		if diff := cmp.Diff(want, window(u, 900)); diff != "" {
			t.Errorf("%s:\n%s", name, diff)
		}
	}

	u, partial := open(t.TempDir(), limits{cached: whole.ends[50]})
	if !partial.holds(0) || partial.holds(51*blockRows) {
		t.Errorf("%d rows are cached in %d bytes", partial.filled.Load(), whole.ends[50])
	}
	if partial.covers(partial.rows) || !partial.covers(roaring.BitmapOf(0, 1)) {
		t.Error("a cache without space for all rows covers others than those in it")
	}
	if diff := cmp.Diff(want, window(u, 900)); diff != "" {
		t.Errorf("partly cached:\n%s", diff)
	}
	if _, known := filesys.FreeSpace(t.TempDir()); known {
		u, full := open(t.TempDir(), limits{free: 1 << 62})
		if full != nil {
			t.Error("the disk is full, and the file remains")
		}
		if diff := cmp.Diff(want, window(u, 900)); diff != "" {
			t.Errorf("full disk:\n%s", diff)
		}
	}
	u = newTestDraft(t, t.TempDir(), similarRows(2000), 150, limits{})
	defer u.close(t)
	u.draft.cfg.Temp = filepath.Join(t.TempDir(), "missing")
	window(u, 0)
	u.draft.background.Wait()
	if u.draft.caches.search.Load() != nil {
		t.Error("a cache exists in a missing folder")
	}
	if diff := cmp.Diff(want, window(u, 900)); diff != "" {
		t.Errorf("not cached:\n%s", diff)
	}
}

// TestCacheSpace checks that drafts share the space for copies and give it back.
func TestCacheSpace(t *testing.T) {
	space := NewCacheSpace(100_000)
	sorted := Query{Sort: &Sort{Field: fMail}}
	open := func() (*Draft, *rowCache) {
		u := newTestDraft(t, t.TempDir(), similarRows(2000), 150, limits{})
		u.close(t)
		u.cfg.CacheSpace = space
		u.open(t)
		if _, err := u.draft.Window(t.Context(), sorted, 0, 10); err != nil {
			t.Fatal(err)
		}
		u.draft.background.Wait()
		return u.draft, u.draft.caches.search.Load()
	}
	first, c := open()
	second, other := open()
	if c.taken == 0 || c.taken+other.taken > 100_000 || !other.stopped.Load() {
		t.Errorf("two caches take %d and %d of 100,000 bytes", c.taken, other.taken)
	}
	for _, d := range []*Draft{first, second} {
		if err := d.Close(); err != nil {
			t.Error(err)
		}
	}
	if free := space.free.Load(); free != 100_000 {
		t.Errorf("%d bytes are free after all drafts are closed", free)
	}
}

// toUint32 returns the numbers of rows in ascending order.
func toUint32(rows []Row) (list []uint32) {
	for _, r := range rows {
		list = append(list, uint32(r.Number))
	}
	slices.Sort(list)
	return list
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
