package lexicon

import "testing"

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
