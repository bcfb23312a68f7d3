package date

import (
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func TestStyleText(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := Style{Pivot: rapid.Uint8Range(0, 100).Draw(t, "pivot"), Autofix: rapid.Bool().Draw(t, "autofix")}
		for f := range s.Orders {
			s.Orders[f] = rapid.SampledFrom(append([]Order{Undecided}, Pattern(f).orders()...)).Draw(t, "order")
		}
		s.Languages = Languages(rapid.Uint64Range(0, 1<<40).Draw(t, "languages"))
		text, err := s.MarshalText()
		if err != nil {
			t.Fatal(err)
		}
		var back Style
		if err := back.UnmarshalText(text); err != nil || back != s {
			t.Fatalf("%q: %+v %v, want %+v", text, back, err, s)
		}
	})
}

func TestStyleTextRefused(t *testing.T) {
	for text, want := range map[string]string{
		"slash=YDM": "not an order of a pattern", "slashes=DMY": "not an order of a pattern", "nonsense": "not an order of a pattern",
		"pivot=101": "not a number from 0 to 100", "pivot=x": "not a number from 0 to 100", "names=xx": "unknown language", "names=": "unknown language",
	} {
		s := Style{Pivot: 7}
		if err := s.UnmarshalText([]byte("dash=DMY " + text)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %s", text, err, want)
		}
		if s != (Style{Pivot: 7}) {
			t.Errorf("%q changed the style to %+v", text, s)
		}
	}
}

func TestStyleOfTwoDigitYears(t *testing.T) {
	for _, c := range []struct {
		pivot uint8
		year  string
		want  int16
	}{{0, "49", 2049}, {0, "50", 1950}, {30, "29", 2029}, {30, "30", 1930}, {100, "99", 2099}, {1, "00", 2000}} {
		s := Style{Pivot: c.pivot, Orders: [patternCount]Order{ShortSlash: DMY}}
		if got := s.Read([]byte("04/03/"+c.year), WantDate); got.Year != c.want {
			t.Errorf("pivot %d: %s is %d, want %d", c.pivot, c.year, got.Year, c.want)
		}
	}
}

func TestReasonsHaveTexts(t *testing.T) {
	codes := map[string]bool{}
	for r := Read; r <= TwoMonths; r++ {
		if r.Code() == "" || codes[r.Code()] {
			t.Errorf("reason %d: %q", r, r.Code())
		}
		codes[r.Code()] = true
		for want := WantDate; want <= WantTime; want++ {
			m := r.Message(want)
			if text := m.String(); !m.IsZero() && (text == m.Code || !strings.HasSuffix(text, ".")) {
				t.Errorf("%s: %q", m.Code, text)
			}
			if m.IsZero() && reasonOf(r, want) {
				t.Errorf("%s in a field of kind %d has no message", r.Code(), want)
			}
		}
	}
}

// reasonOf reports whether r is a possible reason in a field with this Want. Reasons about days
// do not occur in fields that store a time of day, and NoTime occurs only in these fields.
func reasonOf(r Reason, want Want) bool {
	switch r {
	case Read:
		return false
	case NotUnderstood, TooLong, NoSuchTime:
		return true
	case NoTime:
		return want == WantTime
	}
	return want != WantTime
}

// TestOneOrderAlone checks that the zero Style reads unambiguous cells and rejects all others.
func TestOneOrderAlone(t *testing.T) {
	reads{
		{"25/12/2021", "2021-12-25"},
		{"12/25/2021", "2021-12-25"},
		{"05/05/2021", "2021-05-05"},
		{"04/03/2021", "two_orders"},
		{"04.03.2021", "two_orders"},
		{"25/12/19", "two_orders"},
		{"25/12/99", "1999-12-25"},
		{"99-12-25", "1999-12-25"},
		{"04-Mar-21", "two_orders"},
		{"32-Mar-21", "2032-03-21"},
		{"31-Apr-05", "no_such_day"},
		{"31/04/05", "no_such_day"},
		{"Thu 04/03/2021", "2021-03-04"},
		{"Mon 04/03/2021", "wrong_weekday"},
		{"2021-25-12", "other_order"},
	}.check(t, Style{}, WantDate)
}
