package draft

import (
	"errors"
	"slices"
	"testing"

	"github.com/intraydata/intray"
	"github.com/intraydata/intray/server/staging"
)

// hookedCells are cells whose values hooks have set: each is a value and a raw value. Each list is a batch.
var hookedCells = [][][2]string{
	{{"needle", "other"}, {"plain", "plain"}, {"hay", "hay"}},
	{{"hay", "a needle"}, {"hay", "hay"}, {"", "needles"}},
	{{"hay", "hay"}, {"hay", "straw"}, {"", ""}},
	{{"needle", "needle"}, {"Needle", "a"}, {"", "b"}},
}

// stageHooked stages hookedCells as the names of rows without other cells.
func stageHooked(t *testing.T, u *testDraft) {
	t.Helper()
	ctx := t.Context()
	layout := staging.Layout{Unmapped: []int{9}}
	for _, f := range testFields() {
		layout.Fields = append(layout.Fields, f.Key)
	}
	w := staging.NewWriter(ctx, u.store, "import/hooked", layout, staging.Config{SegmentRows: 3})
	first := int64(0)
	for _, cells := range hookedCells {
		b := testRevalidator{}.BlankRows(first, len(cells))
		b.Fields[fName] = intray.Cells{}
		for _, c := range cells {
			switch value, raw := []byte(c[0]), []byte(c[1]); {
			case len(value) == 0:
				b.Fields[fName].AppendNull(raw)
			case c[0] == c[1]:
				b.Fields[fName].AppendValue(value)
			default:
				b.Fields[fName].AppendParsed(value, raw)
			}
		}
		commit, err := w.StageBatch(b)
		if err == nil {
			err = commit()
		}
		if err != nil {
			t.Fatal(err)
		}
		first += int64(len(cells))
	}
	if _, err := w.Close(ctx); err != nil {
		t.Fatal(err)
	}
	var err error
	if u.cfg.Stage, err = staging.Open(ctx, u.store, "import/hooked"); err != nil {
		t.Fatal(err)
	}
}

// TestSearchAndReplaceHookedValues checks that a search finds values and raw values, that a replacement
// changes only raw values, and that both fail if a row group that they read is damaged.
func TestSearchAndReplaceHookedValues(t *testing.T) {
	u := newTestDraft(t, t.TempDir(), nil, 3, limits{})
	u.close(t)
	stageHooked(t, u)
	u.cfg.Fields = slices.Clone(u.cfg.Fields)
	for i := range u.cfg.Fields {
		u.cfg.Fields[i].Validators = nil
	}
	u.open(t)
	found := func(text string) []int64 {
		t.Helper()
		w, err := u.draft.Window(t.Context(), Query{Filter: Filter{Search: text}}, 0, 100)
		if err != nil {
			t.Fatal(err)
		}
		return numbersOf(w.Rows)
	}
	for text, want := range map[string][]int64{"nEEdle": {0, 3, 5, 9, 10}, "straw": {7}, "absent": nil} {
		if got := found(text); !slices.Equal(got, want) {
			t.Errorf("%q is in %v, want %v", text, got, want)
		}
	}
	v, err := u.draft.Change(t.Context(), Replace{Where: Selector{Fields: []int{fName, fName + 1}}, Find: "needle", With: "pin"}, u.saveOptions())
	if err != nil || v.Cells != 3 || v.Rows != 3 {
		t.Fatalf("%+v, %v", v, err)
	}
	for row, want := range map[int64]string{0: "other", 3: "a pin", 5: "pins", 9: "pin", 10: "a"} {
		if r, _, err := u.draft.Row(t.Context(), row); err != nil || r.Cells[fName].Raw != want {
			t.Errorf("row %d: %+v, %v, want %q", row, r.Cells[fName], err, want)
		}
	}
	if got := found("needle"); !slices.Equal(got, []int64{0, 10}) {
		t.Errorf("after the replacement, the text is in %v", got)
	}
	if got := found("pin"); !slices.Equal(got, []int64{3, 5, 9}) {
		t.Errorf("after the replacement, the new text is in %v", got)
	}
	u.close(t)
	s := u.cfg.Stage.Manifest().Segments[2]
	key := "import/hooked/" + s.Name
	writeBlob(t, u.store, key, withFlippedBit(readBlob(t, u.store, key), int(s.Groups[0].Offset)+3))
	damaged := u.cfg
	damaged.Revisions, damaged.Undone = nil, 0
	if damaged.Stage, err = staging.Open(t.Context(), u.store, "import/hooked"); err != nil {
		t.Fatal(err)
	}
	defer damaged.Stage.Close()
	d, err := Open(t.Context(), damaged)
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	if _, err := d.Window(t.Context(), Query{Filter: Filter{Search: "absent"}}, 0, 10); !errors.Is(err, staging.ErrDamaged) {
		t.Errorf("a search over a damaged row group returns %v", err)
	}
	if _, err := d.Change(t.Context(), Replace{Find: "needle", With: "pin"}, ChangeOptions{}); !errors.Is(err, staging.ErrDamaged) {
		t.Errorf("a replacement over a damaged row group returns %v", err)
	}
	if w, err := d.Window(t.Context(), Query{}, 0, 6); err != nil || len(w.Rows) != 6 {
		t.Errorf("rows of other row groups: %d, %v", len(w.Rows), err)
	}
}
