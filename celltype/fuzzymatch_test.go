package celltype

import (
	"testing"

	"pgregory.net/rapid"
)

// plainEdits computes the edit distance directly from its definition.
func plainEdits(a, b []rune) int {
	switch {
	case len(a) == 0:
		return len(b)
	case len(b) == 0:
		return len(a)
	}
	d := min(plainEdits(a[1:], b)+1, plainEdits(a, b[1:])+1)
	if a[0] == b[0] {
		d = min(d, plainEdits(a[1:], b[1:]))
	} else {
		d = min(d, plainEdits(a[1:], b[1:])+1)
	}
	if len(a) > 1 && len(b) > 1 && a[0] == b[1] && a[1] == b[0] {
		d = min(d, plainEdits(a[2:], b[2:])+1)
	}
	return d
}

func TestEditsAreThoseOfTheDefinition(t *testing.T) {
	text := rapid.SliceOfN(rapid.SampledFrom([]rune("abc")), 0, 6)
	rapid.Check(t, func(t *rapid.T) {
		a, b := text.Draw(t, "a"), text.Draw(t, "b")
		most := rapid.IntRange(1, 5).Draw(t, "most")
		if got, want := editDistance(a, b, most), min(most, plainEdits(a, b)); got != want {
			t.Fatalf("%q and %q: %d edits, want %d", string(a), string(b), got, want)
		}
	})
}

func TestEditsOfLongNames(t *testing.T) {
	long := make([]rune, 200)
	other := make([]rune, 200)
	for i := range long {
		long[i], other[i] = rune('a'+i%26), rune('a'+i%26)
	}
	other[100], other[7] = '!', '!'
	if got := editDistance(long, other, 4); got != 2 {
		t.Errorf("%d edits", got)
	}
	if got := editDistance(long, other[:199], 4); got != 3 {
		t.Errorf("%d edits", got)
	}
}
