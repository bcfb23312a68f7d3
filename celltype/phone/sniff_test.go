package phone

import (
	"strings"
	"testing"
)

func TestConventions(t *testing.T) {
	for _, c := range []struct {
		title, country, cells string
		convention            Convention
		// number is the value of cell under the convention, or "" if cell is invalid.
		cell, number string
	}{
		{"alone", "DE", "491712345678", NoConvention, "491712345678", ""},
		{"others with the code", "DE", "491712345678|49 89 123456|4930123456", WithCode, "491712345678", "+491712345678"},
		{"others with the prefix", "DE", "491712345678|0171 2345678|030 12345678", WithCode, "491712345678", "+491712345678"},
		{"others with neither", "DE", "491712345678|171 2345678|30 12345678", WithoutCode, "491712345678", "+49491712345678"},
		{"others with a plus", "DE", "491712345678|+49 89 123456|0049 30 12345678", NoConvention, "491712345678", ""},
		{"others of all kinds", "DE", "491712345678|0171 2345678|171 2345678", NoConvention, "491712345678", ""},
		{"no numbers", "DE", "491712345678|n/a|", NoConvention, "491712345678", ""},
		{"nothing depends on it", "DE", "0171 2345678|030 12345678", NoConvention, "0171 2345678", "+491712345678"},
		{"few tell of many", "DE", strings.Repeat("491712345678|", 30) + "0171 2345678", NoConvention, "491712345678", ""},
		{"a country without doubt", "US", "1 201 555 0123|201 555 0124", NoConvention, "1 201 555 0123", "+12015550123"},
		{"no country", "", "491712345678", NoConvention, "491712345678", ""},
	} {
		r, err := New(Config{Country: c.country})
		if err != nil {
			t.Fatal(err)
		}
		var s Sniffer
		for _, cell := range strings.Split(c.cells, "|") {
			r.Observe(&s, []byte(cell))
		}
		convention, why := s.Decide()
		if convention != c.convention || why.IsZero() != (convention == NoConvention) {
			t.Errorf("%s: the convention is %d, want %d: %s", c.title, convention, c.convention, why)
		}
		got, problem := r.WithConvention(convention).Append(nil, []byte(c.cell))
		if string(got) != c.number || problem.Invalid() != (c.number == "") {
			t.Errorf("%s: %q is %q (%s), want %q", c.title, c.cell, got, problem.Code, c.number)
		}
	}
}

// TestConventionExample checks that the reason shows the first ambiguous number.
func TestConventionExample(t *testing.T) {
	r, err := New(Config{Country: "DE"})
	if err != nil {
		t.Fatal(err)
	}
	var s Sniffer
	for _, cell := range []string{"0171 2345678", "491712345678", "491712345679", "491712345670"} {
		r.Observe(&s, []byte(cell))
	}
	if _, why := s.Decide(); why.Params()["example"] != "491712345678" || why.Params()["n"] != int64(3) {
		t.Errorf("%s: %v", why.Code, why.Params())
	}
}

// TestAmbiguousCountries checks that numbers can be ambiguous in Germany but not in the United
// States, and in at most half of all regions.
func TestAmbiguousCountries(t *testing.T) {
	ambiguous := 0
	for i := range metadata.regions {
		name := metadata.regions[i].name
		if len(name) != 2 {
			continue
		}
		r, err := New(Config{Country: name})
		if err != nil {
			t.Fatal(err)
		}
		if r.HasAmbiguous() {
			ambiguous++
		}
	}
	de, _ := New(Config{Country: "DE"})
	us, _ := New(Config{Country: "US"})
	if !de.HasAmbiguous() || us.HasAmbiguous() || ambiguous > len(metadata.regions)/2 {
		t.Errorf("ambiguous are Germany %v, the United States %v, and %d of %d in all", de.HasAmbiguous(), us.HasAmbiguous(), ambiguous, len(metadata.regions))
	}
}
