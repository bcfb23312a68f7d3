package phone

import (
	"slices"
	"testing"

	"github.com/nyaruka/phonenumbers"
)

// TestRegions wants the regions and codes of the library, no more and no fewer.
func TestRegions(t *testing.T) {
	var names []string
	for _, r := range metadata.regions {
		if len(r.name) == 2 {
			names = append(names, r.name)
		}
		if r.plan.main.plan != r.plan || r.general == 0 {
			t.Errorf("%s: main region %s, bit %b", r.name, r.plan.main.name, r.general)
		}
		if code := phonenumbers.GetCountryCodeForRegion(r.name); len(r.name) == 2 && code != r.plan.code {
			t.Errorf("%s: code %d, want %d", r.name, r.plan.code, code)
		}
	}
	slices.Sort(names)
	if want := regionNames(); !slices.Equal(names, want) {
		t.Errorf("%d regions, want %d", len(names), len(want))
	}
	for _, p := range metadata.plans {
		if got := phonenumbers.GetRegionCodeForCountryCode(p.code); got != p.main.name {
			t.Errorf("%s: main region %s, want %s", p.text, p.main.name, got)
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
