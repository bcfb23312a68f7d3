package jsregexp

import (
	"testing"
	"unicode"
)

// cased gives all characters that fold.
func cased() []rune {
	var list []rune
	for r := rune(0); r <= highest; r++ {
		if unicode.SimpleFold(r) != r {
			list = append(list, r)
		}
	}
	return list
}

// TestFoldingOfRanges wants a range to be closed as its characters are.
func TestFoldingOfRanges(t *testing.T) {
	for _, f := range []folding{{on: true}, {on: true, unicode: true}} {
		all := cased()
		if len(all) < 2000 {
			t.Fatalf("only %d characters fold", len(all))
		}
		for _, r := range all {
			if !f.unicode && r > lastUnit {
				break
			}
			ranged := f.close(set{{r, r + 1}})
			for _, p := range f.orbit(nil, r) {
				if !ranged.has(p.lo) {
					t.Errorf("%+v: the range from %U lacks %U", f, r, p.lo)
				}
			}
		}
	}
}

// TestFoldingLive compares the folding of each character with node's.
func TestFoldingLive(t *testing.T) {
	o := newOracle(t)
	for _, r := range cased() {
		q := question{P: "^" + string(r) + "$", T: []string{string(r), string(unicode.ToUpper(r)), string(unicode.ToLower(r))}}
		for x := unicode.SimpleFold(r); x != r; x = unicode.SimpleFold(x) {
			q.T = append(q.T, string(x))
		}
		for _, q.F = range []string{"i", "iu"} {
			o.ask(t, &q)
			compare(t, q)
		}
	}
}
