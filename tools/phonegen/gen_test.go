package main

import (
	"math/rand/v2"
	"regexp"
	"testing"

	"github.com/nyaruka/phonenumbers"
)

func format(pattern, text, rule string) *phonenumbers.NumberFormat {
	return &phonenumbers.NumberFormat{Pattern: new(pattern), Format: new(text), NationalPrefixFormattingRule: new(rule)}
}

func TestLayout(t *testing.T) {
	for _, c := range []struct {
		format *phonenumbers.NumberFormat
		digits int
		want   [2]string
	}{
		{format(`(\d{3})(\d{3})(\d{4})`, "$1-$2-$3", "($1)"), 10, [2]string{"(xxx)-xxx-xxxx", "xxx-xxx-xxxx"}},
		{format(`(\d{2})(\d{3,13})`, "$1 $2", "0$1"), 8, [2]string{"0xx xxxxxx", "xx xxxxxx"}},
		{format(`(\d)(\d{2})(\d{4})(\d{4})`, "$2 15-$3-$4", "0$1"), 11, [2]string{"0!xx 15-xxxx-xxxx", "!xx 15-xxxx-xxxx"}},
		{format(`(\d{2,3})(\d{2,3})(\d{2})`, "$1 $2 $3", ""), 7, [2]string{"xxx xx xx", "xxx xx xx"}},
		{format(`(\d{3,6})`, "$1", "0$1"), 4, [2]string{"0xxxx", "xxxx"}},
	} {
		for i, national := range []bool{true, false} {
			l, err := newLayout(c.format, national)
			if err != nil {
				t.Fatal(err)
			}
			if got := l.text(c.digits); got != c.want[i] {
				t.Errorf("%v national %v: %q, want %q", c.format, national, got, c.want[i])
			}
		}
	}
	if _, err := newLayout(format(`(\d+)`, "$1", ""), false); err == nil {
		t.Error("a pattern of groups without a length makes a layout")
	}
}

// TestPatterns checks that patterns match the same text as package regexp.
func TestPatterns(t *testing.T) {
	random := rand.New(rand.NewPCG(7, 8))
	matched := 0
	for _, text := range []string{`[2-9]\d{3}`, `0|1(?:2|3[4-6])?`, `(?:12|123)4{0,2}`, `1\d{2,4}|2`, ``, `NA`} {
		whole, err := newPattern(text, false)
		if err != nil {
			t.Fatal(err)
		}
		begin, err := newPattern(text, true)
		if err != nil {
			t.Fatal(err)
		}
		for range 2000 {
			number := make([]byte, random.IntN(6))
			for i := range number {
				number[i] = byte('0' + random.IntN(5))
			}
			for p, expression := range map[*pattern]string{whole: "^(?:" + text + ")$", begin: "^(?:" + text + ")"} {
				at := p.start()
				for _, digit := range number {
					at = p.nextState(at, int(digit-'0'))
				}
				want := regexp.MustCompile(expression).Match(number)
				if got := p.states[at].accepted; got != want {
					t.Fatalf("%s with %s: %v, want %v", expression, number, got, want)
				}
				if want {
					matched++
				}
			}
		}
	}
	if matched == 0 {
		t.Error("no pattern matched")
	}
}

func TestBadPatterns(t *testing.T) {
	if _, err := newPattern("(", false); err == nil {
		t.Error("an open group makes a pattern")
	}
	var p programs
	for _, text := range []string{"(", `^0`} {
		if _, _, err := p.compile(text); err == nil {
			t.Errorf("%q makes a program", text)
		}
	}
	short := textTable{size: 4}
	if _, err := short.intern("long"); err == nil {
		t.Error("a text without room is kept")
	}
}

// TestPlans checks that all plans of the library are read, each with its main region first.
func TestPlans(t *testing.T) {
	plans, err := readPlans()
	if err != nil {
		t.Fatal(err)
	}
	if len(plans) != len(phonenumbers.GetSupportedCallingCodes()) {
		t.Errorf("%d plans, want %d", len(plans), len(phonenumbers.GetSupportedCallingCodes()))
	}
	for _, p := range plans {
		if got, want := p.regions[0].GetId(), phonenumbers.GetRegionCodeForCountryCode(p.code); got != want {
			t.Errorf("+%d: main region %s, want %s", p.code, got, want)
		}
	}
}
