package draft

import (
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// TestReplaceNames checks replacements, by name and by raw value, in cells that display a name.
func TestReplaceNames(t *testing.T) {
	names := map[string]string{"DE": "Germany", "FR": "France", "MK": "North Macedonia", "X": "Macedonia", "active": "active"}
	others := map[string]string{"DE": "Deutschland", "FR": "Frankreich"}
	german := map[int]map[string]string{fName: others, fMany: others}
	for name, c := range map[string]struct {
		text string
		o    Replace
		want string
	}{
		"by name":                   {"DE", Replace{Find: "Germany", With: "France"}, "FR"},
		"whole":                     {"DE", Replace{Find: "germany", With: "France", Whole: true}, "FR"},
		"exact case":                {"DE", Replace{Find: "germany", With: "France", MatchCase: true}, "DE"},
		"by another text":           {"DE", Replace{Find: "Germany", With: "Frankreich"}, "Frankreich"},
		"by nothing":                {"DE", Replace{Find: "Germany", With: ""}, ""},
		"partial, to a name":        {"MK", Replace{Find: "north ", With: ""}, "X"},
		"partial, to no name":       {"DE", Replace{Find: "man", With: "x"}, "DE"},
		"expression":                {"DE", Replace{Find: "(Fra|Ger)m.*", With: "France", Expression: true}, "FR"},
		"groups":                    {"DE", Replace{Find: "(Ger)m.*", With: "${1}x", Expression: true, Whole: true}, "Gerx"},
		"by text":                   {"DE", Replace{Find: "DE", With: "FR"}, "FR"},
		"text by name":              {"DE", Replace{Find: "DE", With: "France"}, "FR"},
		"part of the text":          {"DE", Replace{Find: "E", With: "x"}, "DE"},
		"to itself":                 {"DE", Replace{Find: "Germany", With: "DE"}, "DE"},
		"name equals text":          {"active", Replace{Find: "act", With: "deact"}, "deactive"},
		"text without name":         {"Germny", Replace{Find: "Germny", With: "Germany"}, "Germany"},
		"part of text without name": {"Germny", Replace{Find: "ny", With: "any"}, "Germany"},
		"name entered as text":      {"Germany", Replace{Find: "Germany", With: "France"}, "France"},
		"own names":                 {"DE", Replace{Find: "Deutschland", With: "Frankreich", Names: german}, "FR"},
		"names of the draft":        {"DE", Replace{Find: "Germany", With: "Frankreich", Names: german}, "DE"},
		"absent name":               {"FR", Replace{Find: "Germany", With: "France"}, "FR"},
	} {
		t.Run(name, func(t *testing.T) {
			rows := similarRows(2)
			rows[1][fName] = c.text
			rows[1][fMany] = manyRaw([]string{c.text, "2"})
			u := newTestDraft(t, t.TempDir(), rows, 10, limits{})
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

// TestLongReplacements checks that a replacement does not make a raw value grow beyond the
// maximum length.
func TestLongReplacements(t *testing.T) {
	long := strings.Repeat("x", maxText)
	for name, c := range map[string]struct {
		text, find, with string
		want             bool
	}{
		"at the limit":               {"a", "a", long, true},
		"above the limit":            {"a", "a", long + "x", false},
		"shorter, above the limit":   {long + "abcd", "ab", "y", true},
		"same size, above the limit": {long + "ab", "ab", "cd", true},
		"longer, above the limit":    {long + "ab", "ab", "cde", false},
	} {
		for _, matchCase := range []bool{false, true} {
			change, err := Replace{Find: c.find, With: c.with, MatchCase: matchCase}.newReplacer()
			if err != nil {
				t.Fatal(err)
			}
			to, changed := change(nil, []byte(c.text))
			if changed != c.want || changed && string(to) != strings.Replace(c.text, c.find, c.with, 1) {
				t.Errorf("%s, match case %v: changed %v to %d bytes", name, matchCase, changed, len(to))
			}
		}
	}
}

// TestExactReplacer compares exact replacements with those of the standard library.
func TestExactReplacer(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		letters := rapid.StringOfN(rapid.SampledFrom([]rune("aab")), 0, 12, -1)
		text, o := letters.Draw(t, "text"), Replace{Find: "a" + letters.Draw(t, "find"), With: letters.Draw(t, "with"), MatchCase: true}
		change, err := o.newReplacer()
		if err != nil {
			t.Fatal(err)
		}
		want := strings.ReplaceAll(text, o.Find, o.With)
		if got, changes := change([]byte("dst"), []byte(text)); changes != (want != text) || changes && string(got) != "dst"+want {
			t.Fatalf("%q: %q, %t, want %q", text, got, changes, want)
		}
	})
}
