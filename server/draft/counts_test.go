package draft

import (
	"slices"
	"testing"
)

// TestCountsCoverLiveRows checks that the message for a kind of problem comes from a
// row that has such a problem.
func TestCountsCoverLiveRows(t *testing.T) {
	rows := similarRows(6)
	rows[1][fName], rows[4][fName] = "odd A", "odd B"
	u := newTestDraft(t, t.TempDir(), rows, 4, limits{})
	defer u.close(t)
	for i, want := range []string{"odd A is odd", "odd B is odd", "odd C is odd"} {
		counts, err := u.draft.Counts(t.Context())
		if err != nil || len(counts) == 0 || counts[slices.IndexFunc(counts, func(c Count) bool { return c.Code == "odd" })].Text.String() != want {
			t.Fatalf("%+v, %v; want %q", counts, err, want)
		}
		u.change(t, []Operation{
			Fill{Where: Selector{Numbers: []int64{1}, Fields: []int{fName}}, Text: "fine"},
			Fill{Where: Selector{Numbers: []int64{4}, Fields: []int{fName}}, Text: "odd C"}, Delete{},
		}[i])
	}
}
