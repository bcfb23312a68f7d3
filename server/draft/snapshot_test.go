package draft

import (
	"fmt"
	"testing"

	"github.com/RoaringBitmap/roaring/v2"
)

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
