package jsregexp

import (
	"testing"
	"unicode"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// drawSet draws a set of characters with small code points, and returns the same set as a map.
func drawSet(t *rapid.T) (set, map[rune]bool) {
	members := map[rune]bool{}
	var spans []span
	for range rapid.IntRange(0, 5).Draw(t, "spans") {
		lo := rapid.Int32Range(0, 40).Draw(t, "lo")
		hi := rapid.Int32Range(lo, 40).Draw(t, "hi")
		spans = append(spans, span{lo, hi})
		for r := lo; r <= hi; r++ {
			members[r] = true
		}
	}
	return newSet(spans...), members
}

func TestSets(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a, inA := drawSet(t)
		b, inB := drawSet(t)
		both := false
		for r := rune(0); r <= 40; r++ {
			both = both || inA[r] && inB[r]
			if a.contains(r) != inA[r] || a.complement(40).contains(r) == inA[r] || a.union(b).contains(r) != (inA[r] || inB[r]) {
				t.Errorf("%v and %v at %d", a, b, r)
			}
		}
		if a.overlaps(b) != both {
			t.Errorf("%v and %v overlap: %t", a, b, !both)
		}
		if diff := cmp.Diff(a, a.complement(maxCodePoint).complement(maxCodePoint), cmp.AllowUnexported(span{})); diff != "" {
			t.Error(diff)
		}
	})
}

func TestCarried(t *testing.T) {
	every := set{{0, maxCodeUnit}}
	for units, want := range map[bool]set{
		true:  {{0, 0xD7FF}, {0xE000, 0xFFFF}, {0x10D800, 0x10DFFF}},
		false: {{0, 0xD7FF}, {0xE000, 0xFFFF}},
	} {
		if diff := cmp.Diff(want, every.encodeSurrogates(units), cmp.AllowUnexported(span{})); diff != "" {
			t.Errorf("units %t:\n%s", units, diff)
		}
	}
}

// cased returns all characters that are equal to another one under case folding.
func cased() []rune {
	var list []rune
	for r := rune(0); r <= maxCodePoint; r++ {
		if unicode.SimpleFold(r) != r {
			list = append(list, r)
		}
	}
	return list
}

// TestFoldingOfRanges checks that case folding of a range includes every character to which its
// first character folds.
func TestFoldingOfRanges(t *testing.T) {
	for _, f := range []folding{{on: true}, {on: true, unicode: true}} {
		all := cased()
		if len(all) < 2000 {
			t.Fatalf("only %d characters fold", len(all))
		}
		for _, r := range all {
			if !f.unicode && r > maxCodeUnit {
				break
			}
			ranged := f.closeOver(set{{r, r + 1}})
			for _, p := range f.addFoldOrbit(nil, r) {
				if !ranged.contains(p.lo) {
					t.Errorf("%+v: the range from %U lacks %U", f, r, p.lo)
				}
			}
		}
	}
}

// TestFoldingLive compares the folding of each cased character with that of Node. In short mode,
// it compares 1 character in 8.
func TestFoldingLive(t *testing.T) {
	o := newOracle(t)
	for i, r := range cased() {
		if testing.Short() && i%8 > 0 {
			continue
		}
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
