package lexicon_test

import (
	"strings"
	"testing"
)

func TestOpposed(t *testing.T) {
	l, err := parse("apart\n  en old, former | new\napart\n  en in, opt in, both | out, opt out, both\nconcept a: text\n  en Aaa\n")
	if err != nil {
		t.Fatal(err)
	}
	for pair, want := range map[string]bool{
		"Old price/New price": true, "former/NEW": true, "oldPrice/newPrice": true, "Opt-in/Opt-out": true,
		"old/former": false, "old/price": false, "old and new/new": false, "old/older": false, "opt/out": false,
		"old/out": false, "both/out": false, "both/both": false, "/new": false,
	} {
		a, b, _ := strings.Cut(pair, "/")
		if l.Sides(a).Opposed(l.Sides(b)) != want || l.Sides(b).Opposed(l.Sides(a)) != want {
			t.Errorf("%q and %q: want %v", a, b, want)
		}
	}
	for _, text := range []string{"apart\n  en old\n", "apart\n  english old | new\n", "apart\n  en old | -\n", "apart\n  en\n"} {
		if _, err := parse(text); err == nil {
			t.Errorf("%q is taken", text)
		}
	}
}
