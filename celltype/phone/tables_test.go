package phone

import (
	"os"
	"strconv"
	"strings"
	"testing"
)

// libraryRegion is a region in libphonenumber: its calling code, the main
// region of that code, and the regular expressions of its two prefixes.
type libraryRegion struct {
	name, main                          string
	code                                int
	internationalPrefix, nationalPrefix string
}

// libraryRegions reads testdata/regions.tsv. The tests of tools/phonegen
// compare that file with libphonenumber.
func libraryRegions(t *testing.T) (list []libraryRegion) {
	t.Helper()
	text, err := os.ReadFile("testdata/regions.tsv")
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(text)) {
		columns := strings.Split(strings.TrimSuffix(line, "\n"), "\t")
		code, err := strconv.Atoi(columns[1])
		if err != nil || len(columns) != 4 {
			t.Fatalf("line %q: %v", line, err)
		}
		r := libraryRegion{columns[0], columns[0], code, columns[2], columns[3]}
		if n := len(list); n > 0 && list[n-1].code == code {
			r.main = list[n-1].main
		}
		list = append(list, r)
	}
	return list
}

// TestRegions checks that the tables have exactly the regions of
// libphonenumber, with the same calling codes and main regions.
func TestRegions(t *testing.T) {
	want := libraryRegions(t)
	if len(metadata.regions) != len(want) || len(want) < 240 {
		t.Fatalf("%d regions, want %d", len(metadata.regions), len(want))
	}
	for i, w := range want {
		r := &metadata.regions[i]
		if r.name != w.name || r.plan.code != w.code || r.plan.main.name != w.main {
			t.Errorf("region %d: %s +%d, main region %s, want %v", i, r.name, r.plan.code, r.plan.main.name, w)
		}
		if r.plan.main.plan != r.plan || r.general == 0 {
			t.Errorf("%s: main region %s, bit %b", r.name, r.plan.main.name, r.general)
		}
	}
}

func TestPlanOf(t *testing.T) {
	for _, c := range []struct{ digits, code, rest string }{
		{"4989", "+49", "89"},
		{"12015550123", "+1", "2015550123"},
		{"35212", "+352", "12"},
		{"999123", "", ""},
		{"0491", "", ""},
		{"35", "", ""},
		{"", "", ""},
	} {
		p, rest := metadata.planOf([]byte(c.digits))
		code := ""
		if p != nil {
			code = p.text
		}
		if code != c.code || string(rest) != c.rest {
			t.Errorf("%s: %s %s, want %s %s", c.digits, code, rest, c.code, c.rest)
		}
	}
}

func TestFit(t *testing.T) {
	r := region{lengths: 1<<8 | 1<<10, local: 1 << 6}
	for length, want := range map[int]lengthFit{5: lengthTooShort, 6: lengthLocalOnly, 7: lengthTooShort, 8: lengthFits, 9: lengthImpossible, 10: lengthFits, 11: lengthTooLong, 40: lengthTooLong} {
		if got := r.fitLength(length); got != want {
			t.Errorf("length %d: %d, want %d", length, got, want)
		}
	}
	empty := region{lengths: noNumbersBit}
	if got := empty.fitLength(8); got != lengthImpossible {
		t.Errorf("a region without numbers: %d", got)
	}
}

func TestWrite(t *testing.T) {
	for _, c := range []struct{ layout, digits, text, bare string }{
		{"", "123", "123", "123"},
		{"(0xx) xx-xx", "891234", "(089) 12-34", "0891234"},
		{"0!xx 15-xx", "91123", "011 15-23", "0111523"},
	} {
		if got := string(appendLayout([]byte("a1"), c.layout, []byte(c.digits))); got != "a1"+c.text {
			t.Errorf("%q: %q, want %q", c.layout, got, c.text)
		}
		if got := string(appendDigits([]byte("a1"), c.layout, []byte(c.digits))); got != "a1"+c.bare {
			t.Errorf("%q: %q, want %q", c.layout, got, c.bare)
		}
	}
}
