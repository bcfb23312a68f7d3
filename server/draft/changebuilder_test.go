package draft

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/intraydata/intray"
)

// similarRows returns rows that differ only in the fields with cross-row validators.
func similarRows(n int) (rows [][]string) {
	for i := range n {
		rows = append(rows, []string{"Ann", fmt.Sprintf("m%d", i), fmt.Sprintf("c%d", i), fmt.Sprintf("l%d", i), fmt.Sprintf("r%d", i), "locked", "hidden", `["1","2"]`})
	}
	return rows
}

// TestCellConflict checks that editing a cell fails if the cell has changed since
// the reviewer saw it.
func TestCellConflict(t *testing.T) {
	u := newTestDraft(t, t.TempDir(), similarRows(9), 4, limits{})
	defer u.close(t)
	typed := func(row int64, field int, text, seen string) Typed {
		return Typed{Row: row, Field: field, Text: text, Seen: seen}
	}
	u.change(t, Set{[]Typed{typed(1, fName, "Ben", "Ann"), typed(6, fName, "Bea", "Ann")}})
	u.change(t, Delete{Selector{Numbers: []int64{7}}})
	late := Set{[]Typed{typed(0, fName, "Cy", "Ann"), typed(1, fName, "Cy", "Ann"), typed(6, fName, "Cy", "Ann"), typed(7, fName, "Cy", "Ann")}}
	for kind, do := range map[string]func() error{
		"preview": func() error { _, err := u.draft.Preview(t.Context(), late, nil); return err },
		"change":  func() error { _, err := u.draft.Change(t.Context(), late, u.saveOptions()); return err },
	} {
		var conflict *ConflictError
		if err := do(); !errors.As(err, &conflict) {
			t.Fatalf("%s: %v", kind, err)
		}
		want := []CellConflict{
			{Row: 1, Field: fName, Version: 1, Seen: "Ann", Now: "Ben"}, {Row: 6, Field: fName, Version: 1, Seen: "Ann", Now: "Bea"},
			{Row: 7, Field: fName, Gone: true, Seen: "Ann"},
		}
		if diff := cmp.Diff(want, conflict.Cells, cmpopts.SortSlices(func(a, b CellConflict) bool { return a.Row < b.Row })); diff != "" {
			t.Errorf("%s: %s", kind, diff)
		}
		if !strings.Contains(conflict.Error(), "3 of these cells") || !strings.Contains((&ConflictError{make([]CellConflict, 1)}).Error(), "1 of these cells") {
			t.Error(conflict)
		}
	}
	if r, _, err := u.draft.Row(t.Context(), 0); err != nil || r.Cells[fName].Raw != "Ann" {
		t.Errorf("the change was applied partially: %+v, %v", r, err)
	}
	// An edit does not conflict if only a different cell of the row has changed, or if
	// it is based on the current version.
	v := u.change(t, Set{[]Typed{typed(1, fMail, "new", "m1"), {Row: 6, Field: fName, Text: "Cy", Seen: "Ann", Version: 1}}})
	if v.Rows != 2 || v.Seq != 3 {
		t.Errorf("change: got %+v, want 2 rows and number 3", v)
	}
	if _, there, err := u.draft.Row(t.Context(), 7); there || err != nil {
		t.Errorf("the deleted row still exists: %v", err)
	}
}

// TestPreview checks the previews of a change that fixes rows and of a change that breaks rows.
func TestPreview(t *testing.T) {
	rows := similarRows(60)
	for i := range rows {
		if i%2 == 0 {
			rows[i][fName] = "bad"
		}
	}
	u := newTestDraft(t, t.TempDir(), rows, 7, limits{})
	defer u.close(t)
	got, err := u.draft.Preview(t.Context(), Replace{Where: Selector{Fields: []int{fName}}, Find: "bad", With: "good"}, nil)
	if err != nil {
		t.Fatal(err)
	}
	for i, s := range got.Samples {
		if s.Row != int64(2*i) || s.Before.Raw != "bad" || !s.Before.Null || len(s.Before.Problems) != 1 || s.After.Value != "good" || len(s.After.Problems) > 0 {
			t.Errorf("sample %d is %+v", i, s)
		}
	}
	if len(got.Samples) != 20 {
		t.Errorf("got %d samples, want 20", len(got.Samples))
	}
	if diff := cmp.Diff(ChangeResult{Cells: 30, Rows: 30, Valid: 30}, got, cmpopts.IgnoreFields(ChangeResult{}, "Samples")); diff != "" {
		t.Error(diff)
	}
	// After the change, all rows have the same mail value and violate the rule. Before
	// it, 45 of them already had an error.
	got, err = u.draft.Preview(t.Context(), Fill{Where: Selector{Fields: []int{fMail}}, Text: "one"}, nil)
	if err != nil || got.Invalid != 15 || got.Valid != 0 || got.Rows != 60 {
		t.Errorf("%+v, %v", got, err)
	}
}

// TestFailedChange checks that a change has no effect and leaves no blobs if it
// fails or is canceled.
func TestFailedChange(t *testing.T) {
	u := newTestDraft(t, t.TempDir(), similarRows(40), 4, limits{rows: 3, moves: 3})
	defer func() { u.close(t) }()
	before, keys := u.draft.now.Load(), u.store.existingKeys(t)
	full := errors.New("log full")
	all := Fill{Where: Selector{Fields: []int{fMail}}, Text: "x"}
	stopped, stop := context.WithCancel(t.Context())
	for name, do := range []func() error{
		func() error {
			_, err := u.draft.Change(stopped, all, ChangeOptions{Progress: func(done, _ int64) {
				if done > 10 {
					stop()
				}
			}})
			return err
		},
		func() (err error) {
			for range 20 { // repeated calls block if a lock is not released
				_, err = u.draft.Preview(stopped, all, nil)
			}
			return err
		},
	} {
		err := do()
		if !errors.Is(err, context.Canceled) {
			t.Errorf("%d: %v", name, err)
		}
		if u.draft.now.Load() != before {
			t.Errorf("%d: rows changed", name)
		}
		if diff := cmp.Diff(keys, u.store.existingKeys(t)); diff != "" {
			t.Errorf("%d: blobs remain: %s", name, diff)
		}
	}
	// Save may fail although the revision was stored. The blobs of the revision must remain
	// usable.
	if _, err := u.draft.Change(t.Context(), all, ChangeOptions{Save: func(ctx context.Context, k StoredRevision, v ChangeResult) error {
		return errors.Join(full, u.saveOptions().Save(ctx, k, v))
	}}); !errors.Is(err, full) || u.draft.now.Load() != before {
		t.Errorf("Save failed: %v", err)
	}
	u.close(t)
	if n, err := u.readAll(); n != 40 || err != nil {
		t.Errorf("stored although Save failed: %d rows, %v", n, err)
	}
	u.stored = nil
	u.open(t)
	if len(u.store.keys) <= len(keys) {
		t.Errorf("too few blobs were created: %v", u.store.keys)
	}
	if v, err := u.draft.Change(t.Context(), all, u.saveOptions()); err != nil || v.Seq != 1 || v.Rows != 40 {
		t.Errorf("next change: %+v, %v", v, err)
	}
	if _, err := u.draft.Undo(t.Context(), func(context.Context, int64) error { return full }); !errors.Is(err, full) || u.draft.now.Load().live == nil || len(u.draft.now.Load().revisions) != 1 {
		t.Errorf("undo: %v", err)
	}
}

// TestConcurrentReads checks that each read sees a single snapshot while changes and
// undos are running.
func TestConcurrentReads(t *testing.T) {
	u := newTestDraft(t, t.TempDir(), similarRows(60), 7, limits{rows: 5, moves: 4})
	defer u.close(t)
	var group sync.WaitGroup
	done := make(chan struct{})
	for range 3 {
		group.Go(func() {
			for n := 0; ; n++ {
				select {
				case <-done:
					return
				default:
				}
				w, err := u.draft.Window(context.Background(), Query{Filter: Filter{Search: "step"}}, 0, 100)
				if err != nil {
					t.Error(err)
					return
				}
				for _, r := range w.Rows {
					if r.Cells[fName].Raw != w.Rows[0].Cells[fName].Raw {
						t.Errorf("rows of two snapshots: %q and %q", r.Cells[fName].Raw, w.Rows[0].Cells[fName].Raw)
						return
					}
				}
				if _, err := u.draft.Distinct(context.Background(), fName, Query{}, 3); err != nil {
					t.Error(err)
				}
				for _, err := range u.draft.Batches(context.Background()) {
					if err != nil {
						t.Error(err)
					}
				}
			}
		})
	}
	for i := range 25 {
		if _, err := u.draft.Change(t.Context(), Fill{Where: Selector{Fields: []int{fName}}, Text: fmt.Sprint("step ", i)}, u.saveOptions()); err != nil {
			t.Error(err)
		}
		if i%3 == 0 {
			if _, err := u.draft.Undo(t.Context(), nil); err != nil {
				t.Error(err)
			}
		}
	}
	close(done)
	group.Wait()
}

// countingRevalidator records the number of rows in each call.
type countingRevalidator struct {
	testRevalidator
	mu    *sync.Mutex
	calls *[]int
}

func (d countingRevalidator) Change(ctx context.Context, b *intray.Batch, edits []Edit) error {
	d.mu.Lock()
	*d.calls = append(*d.calls, b.Rows())
	d.mu.Unlock()
	return d.testRevalidator.Change(ctx, b, edits)
}

// TestWholeChanges checks that the Revalidator receives all rows of a change in one call.
func TestWholeChanges(t *testing.T) {
	const many = stagedAtOnce + 1000
	u := newTestDraft(t, t.TempDir(), similarRows(many), 5000, limits{})
	defer func() { u.close(t) }()
	u.close(t)
	var calls []int
	u.cfg.Revalidator, u.cfg.Whole = countingRevalidator{mu: &sync.Mutex{}, calls: &calls}, true
	u.open(t)
	fill := Fill{Where: Selector{Fields: []int{fName}}, Text: "new"}
	v, err := u.draft.Change(t.Context(), fill, u.saveOptions())
	if err != nil || v.Rows != many || v.Cells != many || !slices.Equal(calls, []int{many}) {
		t.Fatalf("%d rows in calls %v: %v", v.Rows, calls, err)
	}
	u.close(t)
	u.open(t)
	if row, there, err := u.draft.Row(t.Context(), many-1); err != nil || !there || row.Cells[fName].Raw != "new" {
		t.Errorf("last row: %+v, %v", row, err)
	}
	if v, err = u.draft.Preview(t.Context(), fill, nil); err != nil || v.Rows != 0 || len(calls) != 1 {
		t.Errorf("without effect: %+v, calls %v, %v", v, calls, err)
	}
}

// TestRevisionSizes checks the size above which a revision is staged, and the size above which
// its body is stored in a blob.
func TestRevisionSizes(t *testing.T) {
	u := newTestDraft(t, t.TempDir(), similarRows(120), 50, limits{rows: 80, held: 1 << 40})
	defer func() { u.close(t) }()
	numbers := func(n int) (list []int64) {
		for i := range n {
			list = append(list, int64(i))
		}
		return list
	}
	last := func() *revision { return u.draft.now.Load().revisions[len(u.draft.now.Load().revisions)-1] }
	fill := func(n int, text string) *revision {
		t.Helper()
		u.change(t, Fill{Where: Selector{Numbers: numbers(n), Fields: []int{fName}}, Text: text})
		return last()
	}
	if r := fill(80, "a"); r.isStaged() || r.prefix != "" || r.size != sizeOf(r.content) {
		t.Errorf("80 rows: staged %v, size %d", r.isStaged(), r.size)
	}
	if r := fill(81, "b"); !r.isStaged() || r.content != nil || r.prefix == "" {
		t.Errorf("81 rows: staged %v", r.isStaged())
	}
	small := fill(10, "c")
	if held := u.draft.now.Load().held; held <= small.size {
		t.Errorf("small revisions have %d bytes", held)
	}
	for bytes, staged := range map[int]bool{small.size: false, small.size - 1: true} {
		u.draft.cfg.limits.bytes = bytes
		if r := fill(10, fmt.Sprint(len(u.stored)%10)); r.isStaged() != staged {
			t.Errorf("%d of %d bytes: staged %v", small.size, bytes, r.isStaged())
		}
	}
	u.draft.cfg.limits.bytes = 1 << 20
	u.draft.cfg.limits.held = u.draft.now.Load().held + 1
	if r := fill(3, "d"); r.isStaged() {
		t.Error("below the total size: staged")
	}
	for n, staged := range map[int]bool{2: false, 3: true} { // limits.rows / 40 is 2
		u.draft.cfg.limits.held = u.draft.now.Load().held
		if r := fill(n, fmt.Sprint("e", n)); r.isStaged() != staged {
			t.Errorf("%d rows at the total size: staged %v", n, r.isStaged())
		}
	}
	u.draft.cfg.limits.held = 1 << 40
	inline := fill(5, "f")
	size := len(u.stored[len(u.stored)-1].Body)
	if inline.prefix != "" {
		t.Errorf("a body of %d bytes is in a blob", size)
	}
	for limit, blob := range map[int]bool{size + 16: false, 16: true} {
		u.draft.cfg.limits.body = limit
		if r := fill(5, fmt.Sprint("g", limit%7)); (r.prefix != "") != blob || r.isStaged() {
			t.Errorf("body limit %d: prefix %q", limit, r.prefix)
		}
	}
	u.close(t)
	u.open(t)
	if r, _, err := u.draft.Row(t.Context(), 0); err != nil || !strings.HasPrefix(r.Cells[fName].Raw, "g") {
		t.Errorf("reopened: %+v, %v", r, err)
	}
}

// TestLastRowNumber checks that rows can be added only until all row numbers are used.
func TestLastRowNumber(t *testing.T) {
	u := newTestDraft(t, t.TempDir(), similarRows(3), 6, limits{})
	defer u.close(t)
	u.draft.next = maxRows - 2
	if _, err := u.draft.Change(t.Context(), Add{make([][]Typed, 3)}, ChangeOptions{}); refusalOf(t, err) != "review.no_room_for_rows" {
		t.Error(err)
	}
	if v, err := u.draft.Change(t.Context(), Add{make([][]Typed, 2)}, ChangeOptions{}); err != nil || v.Added != 2 {
		t.Fatalf("the last two rows: %+v, %v", v, err)
	}
	if _, err := u.draft.Change(t.Context(), Add{make([][]Typed, 1)}, ChangeOptions{}); refusalOf(t, err) != "review.no_room_for_rows" {
		t.Error(err)
	}
	rows := 0
	for b, err := range u.draft.Batches(t.Context()) {
		if err != nil {
			t.Fatal(err)
		}
		rows += b.Rows()
	}
	v, err := u.draft.Preview(t.Context(), Fill{Where: Selector{Fields: []int{fName}}, Text: "all"}, nil)
	if rows != 5 || err != nil || v.Rows != 5 {
		t.Errorf("%d rows, %+v, %v", rows, v, err)
	}
	at, ok, err := u.draft.Next(t.Context(), Query{}, Filter{}, maxRows, true)
	if err != nil || !ok || at.Row != maxRows-1 {
		t.Errorf("last row with a problem: %+v, %v, %v", at, ok, err)
	}
	for _, n := range []int64{-1, maxRows, 1 << 32} {
		if _, ok, err := u.draft.Row(t.Context(), n); ok || err != nil {
			t.Errorf("row %d: %v, %v", n, ok, err)
		}
	}
}
