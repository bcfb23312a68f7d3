package draft

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/RoaringBitmap/roaring/v2"

	"github.com/intraydata/intray"
)

// TestTouchedAfterUndo checks that rows are touched until every change of them is undone.
func TestTouchedAfterUndo(t *testing.T) {
	u := newTestDraft(t, t.TempDir(), similarRows(4), 6, limits{})
	defer u.close(t)
	want := []*roaring.Bitmap{roaring.New()}
	for i, rows := range [][]int64{{0}, {0, 1}, {1, 2}, {0}} {
		u.change(t, Fill{Where: Selector{Numbers: rows, Fields: []int{fName}}, Text: fmt.Sprint(i)})
		want = append(want, u.draft.now.Load().touched)
	}
	for i := len(want) - 2; i >= 0; i-- {
		if _, err := u.draft.Undo(t.Context(), func(context.Context, int64) error { return nil }); err != nil {
			t.Fatal(err)
		}
		if got := u.draft.now.Load().touched; !got.Equals(want[i]) {
			t.Errorf("after %d changes, %v are touched, want %v", i, got, want[i])
		}
	}
}

// TestOpenRefuses checks the configurations with which no draft is opened.
func TestOpenRefuses(t *testing.T) {
	u := newTestDraft(t, t.TempDir(), similarRows(3), 6, limits{})
	defer u.close(t)
	for name, spoil := range map[string]func(*Config){
		"is not a valid blob key": func(c *Config) { c.Prefix = "../draft" },
		"fields, and the schema":  func(c *Config) { c.Fields = c.Fields[1:] },
		"open a draft: field \"name\"": func(c *Config) {
			c.Fields = slices.Clone(c.Fields)
			c.Fields[fName].Validators = []intray.Validator{{Rule: "absent"}}
		},
	} {
		cfg := u.cfg
		spoil(&cfg)
		if d, err := Open(t.Context(), cfg); err == nil || !strings.Contains(err.Error(), name) {
			t.Errorf("opened %v, error %v, want %q", d, err, name)
		}
	}
}

// TestChangedSince checks that a snapshot returns the rows that have changed since an earlier
// one until that one is too old.
func TestChangedSince(t *testing.T) {
	u := newTestDraft(t, t.TempDir(), similarRows(3), 6, limits{})
	defer u.close(t)
	first := u.draft.now.Load().id
	for i := range maxRecent + 1 {
		u.change(t, Fill{Where: Selector{Numbers: []int64{int64(i % 2)}, Fields: []int{fName}}, Text: fmt.Sprint(i)})
		s := u.draft.now.Load()
		rows, known := s.changedSince(first)
		if known != (i < maxRecent) || known && !rows.Equals(roaring.BitmapOf([]uint32{0, 1}[:min(i+1, 2)]...)) {
			t.Fatalf("after %d changes: %v, %v", i+1, rows, known)
		}
		if rows, known := s.changedSince(s.id); !known || !rows.IsEmpty() {
			t.Fatalf("since the snapshot itself: %v, %v", rows, known)
		}
		if _, known := s.changedSince(s.id + 1); known {
			t.Fatal("changes since a later snapshot are known")
		}
	}
}
