package number

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/intraydata/intray"
)

func survey(cells ...string) *Sniffer {
	var s Sniffer
	for _, c := range cells {
		s.Observe([]byte(c))
	}
	return &s
}

func times(n int, cells ...string) (all []string) {
	for range n {
		all = append(all, cells...)
	}
	return all
}

func TestDecide(t *testing.T) {
	for name, c := range map[string]struct {
		cells    []string
		want     string
		question bool
	}{
		"nothing":                           {nil, "decimal=undecided group=undecided", false},
		"whole numbers":                     {[]string{"1", "22", "333", "4444", "-5"}, "decimal=undecided group=undecided", false},
		"points":                            {[]string{"1.5", "2.25", "1.234"}, "decimal=point group=undecided", false},
		"commas":                            {[]string{"1,5", "2,25", "1,234"}, "decimal=comma group=undecided", false},
		"commas, then points as thousands":  {[]string{"1,5", "1.234", "12.345"}, "decimal=comma group=point", false},
		"both signs":                        {[]string{"1.234,567", "1.234"}, "decimal=comma group=point", false},
		"thousands repeated":                {[]string{"1,234,567", "1,234"}, "decimal=point group=comma", false},
		"lakhs":                             {[]string{"12,34,567", "1,234"}, "decimal=point group=comma", false},
		"a long whole part":                 {[]string{"1234.567", "1.234"}, "decimal=point group=undecided", false},
		"a leading zero":                    {[]string{"0,123", "1,234"}, "decimal=comma group=undecided", false},
		"an exponent":                       {[]string{"1.234e5", "1.234"}, "decimal=point group=undecided", false},
		"spaces before the sign":            {[]string{"1 234,567", "1,234"}, "decimal=comma group=space", false},
		"spaces elsewhere":                  {[]string{"12 345", "1,234"}, "decimal=comma group=space", false},
		"apostrophes elsewhere":             {[]string{"12'345", "1.234"}, "decimal=point group=apostrophe", false},
		"small numbers and zeros":           {[]string{"950", "12", "7", "1.500", "2.000", "3.750"}, "decimal=comma group=point", false},
		"money":                             {[]string{"$950", "$1,500", "$12,345"}, "decimal=point group=comma", false},
		"three digits only":                 {[]string{"1.234", "12.345"}, "decimal=undecided group=undecided", true},
		"three digits, commas":              {[]string{"1,234", "12,345", "950"}, "decimal=undecided group=undecided", true},
		"three digits, both signs":          {[]string{"1,234", "1.234"}, "decimal=undecided group=undecided", true},
		"zeros next to large numbers":       {[]string{"950", "12", "7", "1.500", "2.000", "3.750", "5000"}, "decimal=undecided group=undecided", true},
		"a contradiction":                   {[]string{"1.5", "1,5", "1.234"}, "decimal=undecided group=undecided", true},
		"a contradiction without a doubt":   {[]string{"1.5", "1,5"}, "decimal=undecided group=undecided", false},
		"one against three":                 {[]string{"1.5", "1.6", "1.7", "1,5", "1.234"}, "decimal=undecided group=undecided", true},
		"one against four":                  {[]string{"1.5", "1.6", "1.7", "1.8", "1,5", "1.234"}, "decimal=point group=undecided", false},
		"one against many":                  {append(times(20, "1.5", "1.234"), "1,5"), "decimal=point group=undecided", false},
		"one clear cell among too many":     {append(times(1000, "1.234"), "1,5"), "decimal=undecided group=undecided", true},
		"one clear space among too many":    {append(times(1000, "1.234"), "1 234"), "decimal=undecided group=space", true},
		"one clear cell among two hundred":  {append(times(200, "1.234"), "1,5"), "decimal=comma group=point", false},
		"text between":                      {[]string{"n/a", "1,5", "-", "", "1.234"}, "decimal=comma group=point", false},
		"arabic signs decide nothing":       {[]string{"1.234٫5", "1.234"}, "decimal=undecided group=undecided", true},
		"nothing behind the sign is silent": {[]string{"5.", "1.234"}, "decimal=undecided group=undecided", true},
	} {
		t.Run(name, func(t *testing.T) {
			d := survey(c.cells...).Decide(Hints{})
			if d.Style.String() != c.want || (len(d.Ambiguity.Choices) > 0) != c.question || d.Ambiguity.Text.IsZero() == c.question {
				t.Errorf("%v, question %q; want %s, question %v", d.Style, d.Ambiguity.Text, c.want, c.question)
			}
			if _, r := d.Style.Append(nil, []byte("1.234")); d.Style.Decimal != Undecided && r.Reason == TwoWays {
				t.Errorf("%v leaves 1.234 open", d.Style)
			}
		})
	}
}

func TestEvidence(t *testing.T) {
	cells := append(times(41, "1,5"), times(155, "12")...)
	cells = append(cells, "1.234,50", "2.5", "(3)", "4%")
	d := survey(append(cells, "x", "-", "€ 5", "$ 6", "€ 7")...).Decide(Hints{})
	var got []string
	for _, e := range d.Evidence {
		got = append(got, e.String())
	}
	want := []string{
		"in 41 of 205 cells, for example 1,5, a comma is not followed by exactly 3 digits",
		"in 1 of 205 cells, for example 1.234,50, a comma follows a period",
		"the decimal separator is a comma, but 1 cell uses a period that way",
		"in 1 cell, periods separate thousands",
		"cells that can only be read with a period as the decimal separator, such as 2.5, are read that way and flagged (cells: 1)",
		"1 of 205 cells has a percent or per mille sign: 12% is read as 0.12, but 12 without a sign is read as 12 (cells: 202)",
		"1 of 205 cells has parentheses or a trailing minus sign, so it is read as a negative number",
		"1 of 205 cells contains only a dash",
		"only the numbers are imported, without their currencies: € (2), $ (1)",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	if d.Cells != 205 || d.Unread != 1 || d.Dashes != 1 || d.Percent != 1 || len(d.Currencies) != 2 || d.Currencies[0].Cells != 2 {
		t.Errorf("%+v", d)
	}
}

func TestAmbiguity(t *testing.T) {
	question := survey("1.234", "12.345", "1.234").Decide(Hints{}).Ambiguity
	want := Ambiguity{
		Text: intray.NewMessage("number.question", intray.Params{
			"examples": []string{"1.234", "12.345"}, "reason": intray.NewMessage("number.cells_undecided", intray.Params{"n": 3}),
		}),
		Choices: []Choice{
			{Style{Point, Comma}, intray.NewMessage("number.decimal_point", nil), []intray.Reading{{Raw: "1.234", Value: "1.234"}, {Raw: "12.345", Value: "12.345"}}},
			{Style{Comma, Point}, intray.NewMessage("number.decimal_comma", nil), []intray.Reading{{Raw: "1.234", Value: "1234"}, {Raw: "12.345", Value: "12345"}}},
		},
	}
	if diff := cmp.Diff(want, question); diff != "" {
		t.Error(diff)
	}
	for cells, reason := range map[string]string{
		"1.5 1,5 1.234":                        "1 cell can only be read with a decimal point, but 1 only with a decimal comma.",
		"1,5" + strings.Repeat(" 1.234", 300):  "the decimal separator is clear in only 1 of 301 cells.",
		"1,5" + strings.Repeat(" 1.234", 1300): "the decimal separator is clear in only 1 of 1,301 cells.",
	} {
		if text := survey(strings.Fields(cells)...).Decide(Hints{}).Ambiguity.Text.String(); !strings.HasSuffix(text, reason) {
			t.Errorf("%s", text)
		}
	}
}

func TestHintsDecideAmbiguities(t *testing.T) {
	comma, point := Neighbor{"Price", german}, Neighbor{"Weight", english}
	for _, c := range []struct {
		cells string
		hints Hints
		want  Sign
		code  string
	}{
		{"1.234 12.345", Hints{Neighbors: []Neighbor{comma}}, Comma, "number.like_other_column"},
		{"1.234 12.345", Hints{Neighbors: []Neighbor{point, {"Sum", Style{}}, point}, Explicit: true}, Point, "number.like_other_column"},
		{"1.234 12.345", Hints{Explicit: true}, Point, "number.format_decides"},
		{"1.234 12.345", Hints{Neighbors: []Neighbor{comma, point}, Explicit: true}, Point, "number.format_decides"},
		{"1.234 12.345", Hints{Neighbors: []Neighbor{comma, point, comma}}, Undecided, ""},
		{"1.5 1.234", Hints{Neighbors: []Neighbor{comma}}, Point, "number.sign_without_three_digits"},
		{"1 22", Hints{Explicit: true}, Undecided, ""},
	} {
		d := survey(strings.Fields(c.cells)...).Decide(c.hints)
		code := ""
		if len(d.Evidence) > 0 {
			code = d.Evidence[0].Code
		}
		if d.Style.Decimal != c.want || code != c.code {
			t.Errorf("%s with %+v: %v by %q, want %v by %q", c.cells, c.hints, d.Style, code, c.want, c.code)
		}
	}
}

// TestReasonsForSigns checks that each reason for a decimal separator is reported for a column
// to which it applies.
func TestReasonsForSigns(t *testing.T) {
	for cells, code := range map[string]string{
		"1.5 / 1.234":       "number.sign_without_three_digits",
		"1,234.567 / 1.234": "number.sign_after_other_sign",
		"1,234,567 / 1.234": "number.other_sign_repeated",
		"1234.567 / 1.234":  "number.sign_not_at_thousands",
		"1 234,567 / 1,234": "number.sign_after_other_thousands",
	} {
		d := survey(strings.Split(cells, " / ")...).Decide(Hints{})
		reported := func(m intray.Message) bool { return m.Code == code }
		if !slices.ContainsFunc(d.Evidence, reported) {
			t.Errorf("%s: %v, want %s", cells, d.Evidence, code)
		}
	}
}

// TestChoicesReadTheColumn checks that all cells of an ambiguous column can be read with each
// choice.
func TestChoicesReadTheColumn(t *testing.T) {
	cells := []string{"1.234", "12,345", "-123.456", "950"}
	for _, choice := range survey(cells...).Decide(Hints{}).Ambiguity.Choices {
		for _, cell := range cells {
			if _, r := choice.Style.Append(nil, []byte(cell)); r.Reason != Read || r.Inconsistent {
				t.Errorf("%v leaves %s: %s", choice.Style, cell, r.Reason.Code())
			}
		}
	}
}

// TestPlainCellsCountAlike checks that a sniffer counts cells in the same way on the fast path
// and on the slow path. White space around a cell forces the slow path.
func TestPlainCellsCountAlike(t *testing.T) {
	for _, cell := range []string{"1", "-22", "333", "4444", "1.5", "-1,25", "0.1", "12345,6", "1234.5678", "0", "-0.00"} {
		short, long := survey(cell).Decide(Hints{}), survey(" "+cell).Decide(Hints{})
		if diff := cmp.Diff(long, short); diff != "" {
			t.Errorf("%q: %s", cell, diff)
		}
		if a, b := survey(cell), survey(cell+" "); a.small != b.small || a.large != b.large {
			t.Errorf("%q: %d small and %d large, want %d and %d", cell, a.small, a.large, b.small, b.large)
		}
	}
}

func TestSnifferIsBounded(t *testing.T) {
	var s Sniffer
	long := []byte(strings.Repeat("7", 390) + ".5")
	cells := make([][]byte, 1000)
	for i := range cells {
		cells[i] = fmt.Appendf(nil, "%d.%03d,5 €", i%900+1, i)
	}
	for range 3 {
		for _, c := range cells {
			s.Observe(c)
		}
		s.Observe(long)
	}
	if n := testing.AllocsPerRun(5, func() {
		s.Observe(cells[7])
		s.Observe(long)
	}); n > 0 {
		t.Errorf("%v allocations a cell", n)
	}
	for _, e := range s.decisive[signIndex(Comma)][reasonBoth].examples {
		if e == "" || len(e) > maxExample {
			t.Errorf("the example %q", e)
		}
	}
}
