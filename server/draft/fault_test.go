package draft

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/intraydata/intray"
	"github.com/intraydata/intray/server/blob"
	"github.com/intraydata/intray/server/blob/blobtest"
	"github.com/intraydata/intray/server/staging"
)

// faultLimits makes every change large and every count use a temporary file.
var faultLimits = limits{rows: 1, bytes: 1, body: 1, moves: 3, moved: 3, counted: 1}

// newFaultTest returns a closed draft with one large change.
func newFaultTest(t *testing.T) *testDraft {
	t.Helper()
	rows := similarRows(30)
	rows[4][fName], rows[5][fName], rows[20][fMail] = "bad", "odd", "m1"
	u := newTestDraft(t, t.TempDir(), rows, 6, faultLimits)
	u.change(t, Fill{Where: Selector{Numbers: []int64{2, 11, 29}, Fields: []int{fCode}}, Text: "same"})
	u.change(t, Add{[][]Typed{{{Field: fName, Text: "New"}}, {{Field: fName, Text: "bad"}}}})
	u.close(t)
	return u
}

// openFaulty opens the draft and its stage in the given store.
func (u *testDraft) openFaulty(store blob.Store) (d *Draft, closeAll func(), err error) {
	stage, err := staging.Open(context.Background(), store, "import/stage")
	if err != nil {
		return nil, nil, err
	}
	cfg := u.cfg
	cfg.Stage, cfg.Blobs, cfg.Revisions, cfg.Undone = stage, store, slices.Clone(u.stored), u.undone
	if d, err = Open(context.Background(), cfg); err != nil {
		return nil, nil, errors.Join(err, stage.Close())
	}
	return d, func() { _ = errors.Join(d.Close(), stage.Close()) }, nil
}

// faultStep returns the distance, counted in calls to the store, from one failing call to the
// next. In short mode, only 1 call in 3 fails.
func faultStep() int {
	if testing.Short() {
		return 3
	}
	return 1
}

// TestReadsFail makes each call to the store fail while a draft is being opened and read. Every
// read must return the error.
func TestReadsFail(t *testing.T) {
	u := newFaultTest(t)
	ctx := context.Background()
	for name, read := range map[string]func(d *Draft) (any, error){
		"window": func(d *Draft) (any, error) { w, err := d.Window(ctx, Query{}, 0, 100); return w.Rows, err },
		"search": func(d *Draft) (any, error) {
			v, err := d.OpenView(ctx, Filter{Search: "same"}, nil)
			return v.Rows, err
		},
		"row": func(d *Draft) (any, error) { r, _, err := d.Row(ctx, 30); return r, err },
		"next": func(d *Draft) (any, error) {
			at, _, err := d.Next(ctx, Query{Filter: Filter{Search: "bad"}}, Filter{}, -1, false)
			return at, err
		},
		"counts":   func(d *Draft) (any, error) { return d.Counts(ctx) },
		"distinct": func(d *Draft) (any, error) { return d.Distinct(ctx, fMail, Query{}, 3) },
		"prepare":  func(d *Draft) (any, error) { return nil, d.Prepare(ctx) },
		"versions": func(d *Draft) (any, error) { return d.RowsAtVersions(ctx, map[int64]int64{2: 0, 11: 1, 3: 0}) },
		"batches": func(d *Draft) (any, error) {
			var lines []int64
			for b, err := range d.Batches(ctx) {
				if err != nil {
					return nil, err
				}
				lines = append(lines, b.Lines...)
			}
			return lines, nil
		},
		"preview": func(d *Draft) (any, error) {
			return d.Preview(ctx, Fill{Where: Selector{Fields: []int{fMail}}, Text: "x"}, nil)
		},
		"preview of one row": func(d *Draft) (any, error) {
			return d.Preview(ctx, Fill{Where: Selector{Numbers: []int64{20}, Fields: []int{fMail}}, Text: "m3"}, nil)
		},
		"preview of a deletion": func(d *Draft) (any, error) {
			return d.Preview(ctx, Delete{Selector{Numbers: []int64{1, 31}}}, nil)
		},
	} {
		t.Run(name, func(t *testing.T) {
			run := func(store *blobtest.FaultyStore) (any, error) {
				store.Store, store.Room = u.store, -1
				d, closeAll, err := u.openFaulty(store)
				if err != nil {
					return nil, err
				}
				defer closeAll()
				return read(d)
			}
			all := &blobtest.FaultyStore{FailAt: -1}
			want, err := run(all)
			if err != nil {
				t.Fatal(err)
			}
			for i := 0; i < all.Calls(); i += faultStep() {
				// A pooled cursor may already hold a row group. The number of calls therefore
				// varies.
				store := &blobtest.FaultyStore{FailAt: i}
				got, err := run(store)
				// While one goroutine reports that there are too many values to count in memory,
				// a read in another goroutine may fail. In that case, the values are read again.
				retried := name == "distinct" && err == nil && cmp.Equal(want, got)
				if !errors.Is(err, blobtest.ErrFault) && store.Calls() > i && !retried {
					t.Errorf("call %d of %d: got %v, %v, want an error", i, all.Calls(), got, err)
				}
				got, err = run(&blobtest.FaultyStore{FailAt: i, Short: true})
				if diff := cmp.Diff(want, got); err == nil && diff != "" {
					t.Errorf("call %d of %d is short: %s", i, all.Calls(), diff)
				}
			}
		})
	}
}

// TestChangesFail makes each call to the store fail while a draft is being changed. A change
// that returns an error must have no effect and leave no blobs. The draft must contain exactly
// the successful changes, even after it is reopened.
func TestChangesFail(t *testing.T) {
	u := newFaultTest(t)
	ctx := context.Background()
	field := func(f int, numbers ...int64) Selector { return Selector{Numbers: numbers, Fields: []int{f}} }
	for name, o := range map[string]Operation{
		"one row":   Fill{Where: field(fMail, 7), Text: "m3"},
		"many rows": Fill{Where: Selector{Fields: []int{fMail}}, Text: "x"},
		"deletion":  Delete{Selector{Numbers: []int64{1, 2, 30}}},
		"addition":  Add{[][]Typed{{{Field: fMail, Text: "m3"}}}},
		"typed":     Set{[]Typed{{Row: 7, Field: fMail, Text: "m3", Seen: "m7"}, {Row: 2, Field: fCode, Text: "c", Version: 1, Seen: "same"}}},
	} {
		t.Run(name, func(t *testing.T) {
			keys := u.store.existingKeys(t)
			run := func(store *blobtest.FaultyStore) (ok, opened bool) {
				store.Store, store.Room = u.store, -1
				d, closeAll, err := u.openFaulty(store)
				if err != nil {
					return false, false
				}
				before := d.now.Load()
				var saved []StoredRevision
				_, err = d.Change(ctx, o, ChangeOptions{Save: func(_ context.Context, k StoredRevision, _ ChangeResult) error {
					saved = append(slices.Clone(u.stored), k)
					return nil
				}})
				if err != nil {
					if !errors.Is(err, blobtest.ErrFault) || d.now.Load() != before || saved != nil {
						t.Errorf("failed change: saved %d revisions, %v", len(saved), err)
					}
					closeAll()
					if diff := cmp.Diff(keys, u.store.existingKeys(t)); diff != "" {
						t.Errorf("blobs of a failed change remain: %s", diff)
					}
					return false, true
				}
				got := d.Totals()
				closeAll()
				stored := u.stored
				u.stored = saved
				again, closeAgain, err := u.openFaulty(u.store)
				u.stored = stored
				if err != nil {
					t.Fatal(err)
				}
				defer closeAgain()
				if diff := cmp.Diff(got, again.Totals()); diff != "" {
					t.Errorf("reopened: %s", diff)
				}
				if _, err := again.Undo(ctx, nil); err != nil {
					t.Fatal(err)
				}
				again.gone, again.undone = append(again.gone, again.undone...), nil
				return true, true
			}
			all := &blobtest.FaultyStore{FailAt: -1}
			if ok, _ := run(all); !ok {
				t.Fatal("the change fails without faults")
			}
			failed := 0
			for i := 0; i < all.Calls(); i += faultStep() {
				store := &blobtest.FaultyStore{FailAt: i}
				if ok, opened := run(store); ok && store.Calls() > i {
					t.Errorf("call %d of %d: the change ignores the error", i, all.Calls())
				} else if opened {
					failed++
				}
			}
			if failed == 0 {
				t.Error("no fault happened during the change")
			}
		})
	}
}

// TestUndoFails makes each call to the store fail during an undo and a redo. The key
// index may ignore the error, but later changes must still find all duplicates.
func TestUndoFails(t *testing.T) {
	u := newFaultTest(t)
	ctx := context.Background()
	run := func(store *blobtest.FaultyStore) (results []string, opened bool, err error) {
		store.Store, store.Room = u.store, -1
		d, closeAll, err := u.openFaulty(store)
		if err != nil {
			return nil, false, err
		}
		defer closeAll()
		if err := d.Prepare(ctx); err != nil {
			return nil, false, err
		}
		for range 2 {
			if _, err := d.Undo(ctx, nil); err != nil {
				return nil, true, err
			}
		}
		if _, err := d.Redo(ctx, nil); err != nil {
			return nil, true, err
		}
		for _, text := range []string{"m3", "m4"} {
			r, err := d.Preview(ctx, Fill{Where: Selector{Numbers: []int64{11}, Fields: []int{fMail}}, Text: text}, nil)
			if err != nil {
				return nil, true, err
			}
			results = append(results, fmt.Sprint(r.Valid, r.Invalid, r.Cells))
		}
		return results, true, nil
	}
	all := &blobtest.FaultyStore{FailAt: -1}
	want, _, err := run(all)
	if err != nil {
		t.Fatal(err)
	}
	for i := 0; i < all.Calls(); i += faultStep() {
		got, _, err := run(&blobtest.FaultyStore{FailAt: i})
		if diff := cmp.Diff(want, got); err == nil && diff != "" || err != nil && !errors.Is(err, blobtest.ErrFault) {
			t.Errorf("call %d of %d: %v, %s", i, all.Calls(), err, diff)
		}
	}
}

// TestRevisionOrder checks that swapped, repeated and renumbered revisions are rejected,
// and that gaps between their numbers are accepted.
func TestRevisionOrder(t *testing.T) {
	for name, l := range map[string]limits{"small": {}, "large": faultLimits} {
		t.Run(name, func(t *testing.T) {
			u := newTestDraft(t, t.TempDir(), similarRows(12), 5, l)
			for _, text := range []string{"a", "b", "c"} {
				u.change(t, Fill{Where: Selector{Fields: []int{fName}}, Text: text})
			}
			u.close(t)
			stored := u.stored
			for _, order := range [][]int{{1, 0}, {0, 0}, {0, 2, 1}, {0, 1, 1}, {0, 1, 0}} {
				for undone := range 2 {
					u.stored, u.cfg.Undone = nil, undone
					for _, i := range order {
						u.stored = append(u.stored, stored[i])
					}
					u.cfg.Revisions = u.stored
					if d, err := Open(t.Context(), u.cfg); !errors.Is(err, staging.ErrDamaged) || d != nil {
						t.Errorf("order %v, %d undone: got %v, want ErrDamaged", order, undone, err)
					}
				}
			}
			u.cfg.Revisions, u.cfg.Undone = []StoredRevision{{Seq: 2, Body: stored[0].Body}}, 0
			if _, err := Open(t.Context(), u.cfg); !errors.Is(err, staging.ErrDamaged) {
				t.Errorf("body of another change: got %v, want ErrDamaged", err)
			}
			// There may be gaps in the numbers, because a change can replace an undone one.
			u.stored = []StoredRevision{stored[0], stored[2]}
			if n, err := u.readAll(); n != 12 || err != nil {
				t.Errorf("one revision less: %d rows, %v", n, err)
			}
		})
	}
}

// TestDamagedSegment checks that reading rows from distant row groups returns an error if one
// of the groups is damaged.
func TestDamagedSegment(t *testing.T) {
	u := newTestDraft(t, t.TempDir(), similarRows(60), 5, limits{})
	u.close(t)
	// If several cross-row validators had the same kind, opening the draft would read all rows.
	u.cfg.Fields = slices.Clone(u.cfg.Fields)
	for i := range u.cfg.Fields {
		u.cfg.Fields[i].Validators = nil
	}
	manifest := u.cfg.Stage.Manifest()
	for _, s := range manifest.Segments {
		key := "import/stage/" + s.Name
		whole := readBlob(t, u.store, key)
		writeBlob(t, u.store, key, withFlippedBit(whole, int(s.Groups[1].Offset)+3))
		d, closeAll, err := u.openFaulty(u.store)
		if err != nil {
			t.Fatal(err)
		}
		rows := []uint32{1, 7, 21, 22, 37, 38, 52, 53}
		if b, err := d.readStaged(t.Context(), rows); !errors.Is(err, staging.ErrDamaged) || b != nil {
			t.Errorf("%s is damaged: got %v", s.Name, err)
		}
		if _, err := d.Window(t.Context(), Query{}, 0, 60); !errors.Is(err, staging.ErrDamaged) {
			t.Errorf("%s is damaged: window returns %v", s.Name, err)
		}
		closeAll()
		writeBlob(t, u.store, key, whole)
	}
	d, closeAll, err := u.openFaulty(u.store)
	if err != nil {
		t.Fatal(err)
	}
	defer closeAll()
	b, err := d.readStaged(t.Context(), []uint32{1, 7, 21, 22, 37, 59})
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]int64{3, 9, 23, 24, 39, 61}, b.Lines); diff != "" {
		t.Error(diff)
	}
}

// failingRevalidator fails the call with the index failAt, counted from 0. If lose is set, the
// call drops a row instead.
type failingRevalidator struct {
	testRevalidator
	mu     *sync.Mutex
	calls  *int
	failAt int
	lose   bool
}

var errRevalidate = errors.New("no hooks")

func (d failingRevalidator) Change(ctx context.Context, b *intray.Batch, edits []Edit) error {
	d.mu.Lock()
	*d.calls++
	fails := *d.calls-1 == d.failAt
	d.mu.Unlock()
	if !fails {
		return d.testRevalidator.Change(ctx, b, edits)
	}
	if !d.lose {
		return errRevalidate
	}
	rows := pickRows(b, []int64{0})
	b.Lines, b.Fields, b.Unmapped, b.Problems = rows.Lines, rows.Fields, rows.Unmapped, rows.Problems
	return nil
}

// TestRevalidatorFails checks that a change fails if a call to the Revalidator fails
// or drops rows.
func TestRevalidatorFails(t *testing.T) {
	for name, o := range map[string]Operation{
		"fill": Fill{Where: Selector{Fields: []int{fName}}, Text: "x"},
		"add":  Add{[][]Typed{{{Field: fName, Text: "x"}}, {}}},
	} {
		for _, whole := range []bool{false, true} {
			u := newTestDraft(t, t.TempDir(), similarRows(12), 4, limits{})
			u.close(t)
			calls := 0
			u.cfg.Whole, u.cfg.Revalidator = whole, failingRevalidator{calls: &calls, failAt: -1, mu: &sync.Mutex{}}
			u.open(t)
			if _, err := u.draft.Preview(t.Context(), o, nil); err != nil || calls == 0 {
				t.Fatalf("%s, whole %v: %d calls, %v", name, whole, calls, err)
			}
			for i := range calls {
				for _, lose := range []bool{false, true} {
					calls = 0
					u.draft.cfg.Revalidator = failingRevalidator{calls: &calls, failAt: i, lose: lose, mu: &sync.Mutex{}}
					_, err := u.draft.Change(t.Context(), o, u.saveOptions())
					if err == nil || !lose && !errors.Is(err, errRevalidate) || len(u.stored) > 0 {
						t.Errorf("%s, whole %v, call %d, lose %v: %v", name, whole, i, lose, err)
					}
				}
			}
			if totals := u.draft.Totals(); totals.Rows != 12 {
				t.Errorf("%s, whole %v: %+v", name, whole, totals)
			}
			u.close(t)
		}
	}
}
