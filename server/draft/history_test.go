package draft

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestRowsAtVersions checks every version of some rows from small and large revisions, before
// and after the draft is reopened.
func TestRowsAtVersions(t *testing.T) {
	for name, l := range map[string]limits{"small": {}, "large": {rows: 1, bytes: 1}} {
		t.Run(name, func(t *testing.T) {
			u := newTestDraft(t, t.TempDir(), similarRows(9), 4, l)
			defer func() { u.close(t) }()
			fill := func(text string, rows ...int64) int64 {
				t.Helper()
				return u.change(t, Fill{Where: Selector{Numbers: rows, Fields: []int{fName}}, Text: text}).Seq
			}
			undo := func() {
				t.Helper()
				if _, err := u.draft.Undo(t.Context(), func(context.Context, int64) error { u.undone++; return nil }); err != nil {
					t.Fatal(err)
				}
			}
			textAt := func(row, version int64) string {
				t.Helper()
				list, err := u.draft.RowsAtVersions(t.Context(), map[int64]int64{row: version})
				if err != nil || len(list) > 1 {
					t.Fatalf("row %d: %d rows, %v", row, len(list), err)
				}
				if len(list) == 0 {
					return "deleted"
				}
				if one := list[0]; !one.Known {
					return "unknown"
				} else if one.Then.Number != row || one.Then.Version != version || one.Now.Number != row {
					t.Errorf("row %d at version %d: %+v", row, version, one)
				}
				return list[0].Then.Cells[fName].Raw
			}
			one := fill("Ben", 1, 2, 6)
			two := fill("Cy", 2, 3)
			added := u.change(t, Add{[][]Typed{{{Field: fName, Text: "New"}}}}).Seq
			u.change(t, Delete{Selector{Numbers: []int64{7}}})
			later := fill("Di", 2, 9)
			undo()
			for range 2 {
				for _, c := range []struct {
					row, version int64
					want         string
				}{
					{0, 0, "Ann"}, {1, 0, "Ann"}, {1, one, "Ben"}, {2, 0, "Ann"}, {2, one, "Ben"}, {2, two, "Cy"}, {2, later, "Di"}, {9, added, "New"}, {9, later, "Di"},
					{7, 0, "deleted"}, {1, two, "unknown"}, {9, 0, "unknown"}, {2, 99, "unknown"}, {2, -1, "unknown"}, {99, 0, "deleted"}, {-1, 0, "deleted"},
				} {
					if got := textAt(c.row, c.version); got != c.want {
						t.Errorf("row %d at version %d: %s, want %s", c.row, c.version, got, c.want)
					}
				}
				u.close(t)
				u.open(t)
			}
			// This change replaces the undone one.
			fill("Eve", 2)
			if got := textAt(2, later) + textAt(9, later) + textAt(2, two); got != "unknownunknownCy" {
				t.Errorf("after another change: %s", got)
			}
			list, err := u.draft.RowsAtVersions(t.Context(), map[int64]int64{6: one, 0: 0, 2: 0, 8: 5})
			if got := fmt.Sprint(currentNumbers(list)); err != nil || got != "[0 2 6 8]" {
				t.Errorf("rows %s, %v", got, err)
			}
		})
	}
}

// TestRowsAtVersionsDuringChanges checks that versions of rows can be read while the changes
// that created them are being undone and deleted.
func TestRowsAtVersionsDuringChanges(t *testing.T) {
	u := newTestDraft(t, t.TempDir(), similarRows(9), 4, limits{rows: 1, bytes: 1})
	defer func() { u.close(t) }()
	stop := make(chan struct{})
	var all sync.WaitGroup
	for range 2 {
		all.Go(func() {
			for version := int64(0); ; version++ {
				select {
				case <-stop:
					return
				default:
				}
				list, err := u.draft.RowsAtVersions(context.Background(), map[int64]int64{1: version % 40, 5: 0})
				if err != nil || len(list) != 2 || !list[1].Known || list[1].Then.Cells[fName].Raw != "Ann" {
					t.Errorf("version %d: %+v, %v", version, list, err)
				}
			}
		})
	}
	for range 40 {
		u.change(t, Fill{Where: Selector{Fields: []int{fName}}, Text: "Ben"})
		if _, err := u.draft.Undo(t.Context(), func(context.Context, int64) error { u.undone++; return nil }); err != nil {
			t.Fatal(err)
		}
	}
	close(stop)
	all.Wait()
}

func currentNumbers(list []RowAtVersion) (out []int64) {
	for _, one := range list {
		out = append(out, one.Now.Number)
	}
	return out
}

// TestHistory checks that numbers of changes and rows are never reused.
func TestHistory(t *testing.T) {
	u := newTestDraft(t, t.TempDir(), similarRows(2), 5, limits{})
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
		t.Errorf("got change %d, want 4", v.Seq)
	}
	u.close(t)
	u.open(t)
	check(History{Done: []int64{1, 4}})
	w, err := u.draft.Window(t.Context(), Query{}, 0, 10)
	if diff := cmp.Diff([]int64{0, 1, 2, 5}, numbersOf(w.Rows)); diff != "" || err != nil {
		t.Error(diff, err)
	}
}

// TestUndoAndRedoNumbers checks the numbers that Undo and Redo return. After an error,
// the number is 0 and the history is unchanged.
func TestUndoAndRedoNumbers(t *testing.T) {
	u := newTestDraft(t, t.TempDir(), similarRows(2), 5, limits{})
	defer func() { u.close(t) }()
	add := Add{[][]Typed{{{Field: fName, Text: "New"}}}}
	u.change(t, add)
	u.change(t, add)
	canceled, cancel := context.WithCancel(t.Context())
	cancel()
	errSave := errors.New("disk full")
	type save = func(context.Context, int64) error
	undo, redo := u.draft.Undo, u.draft.Redo
	for i, c := range []struct {
		ctx     context.Context
		call    func(context.Context, save) (int64, error)
		saveErr error
		wantSeq int64
		wantErr error
		want    History
	}{
		{t.Context(), redo, nil, 0, ErrNothing, History{Done: []int64{1, 2}}},
		{canceled, undo, nil, 0, context.Canceled, History{Done: []int64{1, 2}}},
		{t.Context(), undo, errSave, 0, errSave, History{Done: []int64{1, 2}}},
		{t.Context(), undo, nil, 2, nil, History{Done: []int64{1}, Undone: []int64{2}}},
		{t.Context(), undo, nil, 1, nil, History{Undone: []int64{1, 2}}},
		{t.Context(), undo, nil, 0, ErrNothing, History{Undone: []int64{1, 2}}},
		{canceled, redo, nil, 0, context.Canceled, History{Undone: []int64{1, 2}}},
		{t.Context(), redo, errSave, 0, errSave, History{Undone: []int64{1, 2}}},
		{t.Context(), redo, nil, 1, nil, History{Done: []int64{1}, Undone: []int64{2}}},
		{t.Context(), redo, nil, 2, nil, History{Done: []int64{1, 2}}},
	} {
		var saved int64
		seq, err := c.call(c.ctx, func(_ context.Context, seq int64) error { saved = seq; return c.saveErr })
		if seq != c.wantSeq || !errors.Is(err, c.wantErr) || err == nil && saved != seq {
			t.Errorf("call %d: change %d, saved as %d, %v; want change %d, %v", i, seq, saved, err, c.wantSeq, c.wantErr)
		}
		h, err := u.draft.History(t.Context())
		if diff := cmp.Diff(c.want, h); diff != "" || err != nil {
			t.Errorf("the history after call %d: %v\n%s", i, err, diff)
		}
	}
	h, err := u.draft.History(canceled)
	if diff := cmp.Diff(History{}, h); diff != "" || !errors.Is(err, context.Canceled) {
		t.Errorf("the history after the end of ctx: %v\n%s", err, diff)
	}
}
