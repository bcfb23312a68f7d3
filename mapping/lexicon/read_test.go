package lexicon

import (
	"fmt"
	"testing"
)

// TestDistinct checks that distinct retains the cheapest reading of each meaning and that
// the cost of concepts in the head counts.
func TestDistinct(t *testing.T) {
	got := distinct([]Reading{
		{Head: "b", Cost: 2}, {Head: "a", Cost: 1, partCost: 4}, {Head: "a", Cost: 3, partCost: 1}, {Head: "a", Named: "n", Cost: 1, partCost: 2},
	})
	var order string
	for _, r := range got {
		order += r.Head + r.Named + " "
	}
	if order != "b an a " || got[2].Cost != 3 {
		t.Errorf("got %+v", got)
	}
}

// TestMergeUnknown checks that unknown parts are merged only with adjacent unknown parts.
func TestMergeUnknown(t *testing.T) {
	known := segment{senses: []sense{{}}, letters: 10}
	noise := segment{noise: true, letters: 20}
	unknown := func(letters int) segment { return segment{letters: letters} }
	letters := ""
	for _, s := range mergeUnknown([]segment{unknown(1), known, unknown(2), unknown(3), unknown(4), noise, unknown(5), known, known}) {
		letters += fmt.Sprint(s.letters, " ")
	}
	if want := "1 10 9 20 5 10 10 "; letters != want {
		t.Errorf("parts of %q letters, want %q", letters, want)
	}
}
