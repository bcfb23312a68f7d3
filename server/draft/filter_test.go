package draft

import (
	"slices"
	"testing"
	"unicode"

	"github.com/intraydata/intray"
)

// TestFoldCase checks that foldCase folds letters in the same way as case-insensitive regular
// expressions.
func TestFoldCase(t *testing.T) {
	for r := range unicode.MaxRune {
		other := unicode.SimpleFold(r)
		if a, b := foldCase([]byte(string(r)), nil), foldCase([]byte(string(other)), nil); string(a) != string(b) {
			t.Errorf("%q and %q fold to %q and %q", r, other, a, b)
		}
	}
}

// TestSearchNames checks that a search finds displayed names and raw values, before
// and after a change.
func TestSearchNames(t *testing.T) {
	rows := similarRows(6)
	for i, text := range []string{"DE", "Germany", "FR", "de", "Deutschland", " DE"} {
		rows[i][fName] = text
	}
	rows[2][fMany] = `["x","DE"]`
	u := newTestDraft(t, t.TempDir(), rows, 2, limits{})
	defer func() { u.close(t) }()
	u.close(t)
	names := map[string]string{"DE": "Germany", "FR": "France"}
	u.cfg.Names = []map[string]string{fName: names, fMany: names, fHidden: nil}
	u.open(t)
	many, field := fMany, fName
	found := func(f Filter) []int64 {
		t.Helper()
		w, err := u.draft.Window(t.Context(), Query{Filter: f}, 0, 100)
		if err != nil {
			t.Fatal(err)
		}
		return numbersOf(w.Rows)
	}
	for _, c := range []struct {
		f    Filter
		want []int64
	}{
		{Filter{Search: "gERMan"}, []int64{0, 1, 2}}, {Filter{Search: "germany", In: &field}, []int64{0, 1}}, {Filter{Search: "germany", In: &many}, []int64{2}},
		{Filter{Search: "DE", In: &field}, []int64{0, 3, 4, 5}}, {Filter{Search: "France"}, []int64{2}}, {Filter{Search: "Fr", In: &field}, []int64{2}},
		{Filter{Search: "tschl", Also: map[int][]string{fName: {"DE", "x"}}}, []int64{0, 4}}, {Filter{Search: "tschl", Also: map[int][]string{fName: {"FR"}}}, []int64{2, 4}},
		{Filter{Search: "tschl", Also: map[int][]string{fMany: {"DE"}, fHidden: {"hidden"}}}, []int64{2, 4}}, {Filter{Search: "tschl", In: &many, Also: map[int][]string{fName: {"DE"}}}, nil},
	} {
		if got := found(c.f); !slices.Equal(got, c.want) {
			t.Errorf("%+v: %v, want %v", c.f, got, c.want)
		}
	}
	u.change(t, Set{[]Typed{{Row: 5, Field: fName, Text: "DE", Seen: " DE"}, {Row: 0, Field: fName, Text: "FR", Seen: "DE"}}})
	if got := found(Filter{Search: "germany", In: &field}); !slices.Equal(got, []int64{1, 5}) {
		t.Errorf("after a change: %v", got)
	}
}

// TestSearchLists checks that a search finds list elements but not JSON syntax.
func TestSearchLists(t *testing.T) {
	rows := similarRows(6)
	for i, list := range []string{`["5\" pipe","a\\b"]`, `["two\nlines","x,y"]`, `["[z]","\u003cb\u003e"]`, `["plain","Käse"]`, "", `["1","true"]`} {
		rows[i][fMany] = list
	}
	rows[3][fName], rows[4][fName], rows[5][fName] = `say "x", y`, `["p","q"]`, "new"
	u := newTestDraft(t, t.TempDir(), rows, 2, limits{})
	defer func() { u.close(t) }()
	u.close(t)
	u.cfg.Fields = slices.Clone(u.cfg.Fields)
	u.cfg.Fields[fName].Type.Name = intray.TypeMultiSelect
	u.cfg.Names = []map[string]string{fName: {"p": "Paper"}, fMany: nil}
	u.open(t)
	many, name := fMany, fName
	for _, c := range []struct {
		f    Filter
		want []int64
	}{
		{Filter{Search: `5" PIPE`, In: &many}, []int64{0}}, {Filter{Search: `"`, In: &many}, []int64{0}}, {Filter{Search: `a\b`, In: &many}, []int64{0}},
		{Filter{Search: "two\nlines", In: &many}, []int64{1}}, {Filter{Search: ",", In: &many}, []int64{1}}, {Filter{Search: "[", In: &many}, []int64{2}},
		{Filter{Search: "<B>", In: &many}, []int64{2}}, {Filter{Search: "kÄSE", In: &many}, []int64{3}}, {Filter{Search: "u003", In: &many}, nil},
		{Filter{Search: `","`}, []int64{4}}, {Filter{Search: `"x"`, In: &name}, []int64{3}},
		{Filter{Search: "shown", In: &name, Also: map[int][]string{fName: {"q"}}}, []int64{4}},
		{Filter{Search: "paper"}, []int64{4}},
		{Filter{Search: "KÄSE", Whole: true, In: &many}, []int64{3}}, {Filter{Search: "KÄ", Whole: true, In: &many}, nil}, {Filter{Search: "paper", Whole: true}, nil},
	} {
		w, err := u.draft.Window(t.Context(), Query{Filter: c.f}, 0, 100)
		if err != nil {
			t.Fatal(err)
		}
		if got := numbersOf(w.Rows); !slices.Equal(got, c.want) {
			t.Errorf("%q: %v, want %v", c.f.Search, got, c.want)
		}
	}
}
