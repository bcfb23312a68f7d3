package draft

import (
	"slices"
	"testing"

	"github.com/intraydata/intray"
)

// TestNames replaces texts that are shown as something else: by what is shown, and by
// what they are.
func TestNames(t *testing.T) {
	names := map[string]string{"DE": "Germany", "FR": "France", "MK": "North Macedonia", "X": "Macedonia", "active": "active"}
	others := map[string]string{"DE": "Deutschland", "FR": "Frankreich"}
	german := map[int]map[string]string{fName: others, fMany: others}
	for name, c := range map[string]struct {
		text string
		o    Replace
		want string
	}{
		"by name":             {"DE", Replace{Find: "Germany", With: "France"}, "FR"},
		"whole":               {"DE", Replace{Find: "germany", With: "France", Whole: true}, "FR"},
		"in its case":         {"DE", Replace{Find: "germany", With: "France", MatchCase: true}, "DE"},
		"by another text":     {"DE", Replace{Find: "Germany", With: "Frankreich"}, "Frankreich"},
		"by nothing":          {"DE", Replace{Find: "Germany", With: ""}, ""},
		"part to a name":      {"MK", Replace{Find: "north ", With: ""}, "X"},
		"part to no name":     {"DE", Replace{Find: "man", With: "x"}, "DE"},
		"expression":          {"DE", Replace{Find: "(Fra|Ger)m.*", With: "France", Expression: true}, "FR"},
		"groups":              {"DE", Replace{Find: "(Ger)m.*", With: "${1}x", Expression: true, Whole: true}, "Gerx"},
		"by text":             {"DE", Replace{Find: "DE", With: "FR"}, "FR"},
		"text by name":        {"DE", Replace{Find: "DE", With: "France"}, "FR"},
		"part of the text":    {"DE", Replace{Find: "E", With: "x"}, "DE"},
		"to itself":           {"DE", Replace{Find: "Germany", With: "DE"}, "DE"},
		"shown as it is":      {"active", Replace{Find: "act", With: "deact"}, "deactive"},
		"no name":             {"Germny", Replace{Find: "Germny", With: "Germany"}, "Germany"},
		"part of no name":     {"Germny", Replace{Find: "ny", With: "any"}, "Germany"},
		"the name, typed":     {"Germany", Replace{Find: "Germany", With: "France"}, "France"},
		"as this person sees": {"DE", Replace{Find: "Deutschland", With: "Frankreich", Names: german}, "FR"},
		"not as others see":   {"DE", Replace{Find: "Germany", With: "Frankreich", Names: german}, "DE"},
		"not in this field":   {"FR", Replace{Find: "Germany", With: "France"}, "FR"},
	} {
		t.Run(name, func(t *testing.T) {
			rows := sameRows(2)
			rows[1][fName] = c.text
			rows[1][fMany] = manyRaw([]string{c.text, "2"})
			u := newUnder(t, t.TempDir(), rows, 10, limits{})
			defer func() { u.close(t) }()
			u.close(t)
			u.cfg.Names = []map[string]string{fName: names, fMany: names}
			u.open(t)
			for _, fields := range [][]int{{fName}, {fMany}} {
				c.o.Where = Selector{Fields: fields}
				v := u.change(t, c.o)
				row, _, err := u.draft.Row(t.Context(), 1)
				got := row.Cells[fields[0]].Raw
				if fields[0] == fMany {
					got = row.Cells[fMany].RawPart(0)
				}
				if err != nil || got != c.want || (v.Cells == 1) != (c.want != c.text) {
					t.Errorf("%q became %q (%+v, %v), want %q", c.text, got, v, err, c.want)
				}
			}
		})
	}
}

// TestSearchesNames finds rows by what they show, and by what they hold, also after
// they changed.
func TestSearchesNames(t *testing.T) {
	rows := sameRows(6)
	for i, text := range []string{"DE", "Germany", "FR", "de", "Deutschland", " DE"} {
		rows[i][fName] = text
	}
	rows[2][fMany] = `["x","DE"]`
	u := newUnder(t, t.TempDir(), rows, 2, limits{})
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

// TestSearchesLists finds what stands in the texts of lists, and nothing of how the
// lists are written.
func TestSearchesLists(t *testing.T) {
	rows := sameRows(6)
	for i, list := range []string{`["5\" pipe","a\\b"]`, `["two\nlines","x,y"]`, `["[z]","\u003cb\u003e"]`, `["plain","Käse"]`, "", `["1","true"]`} {
		rows[i][fMany] = list
	}
	rows[3][fName], rows[4][fName], rows[5][fName] = `say "x", y`, `["p","q"]`, "new"
	u := newUnder(t, t.TempDir(), rows, 2, limits{})
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
