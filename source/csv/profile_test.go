package csv

import (
	"math"
	"testing"
)

// TestScoreSpread checks that the spread of the scores is one plus their standard deviation.
func TestScoreSpread(t *testing.T) {
	rowOf := func(text string) rowFeatures { return rowFeatures{featuresOf(text, false), featuresOf("x", false)} }
	for name, c := range map[string]struct {
		rows []rowFeatures
		same bool
	}{
		"no rows":        {nil, true},
		"one row":        {[]rowFeatures{rowOf("1")}, true},
		"equal rows":     {[]rowFeatures{rowOf("1"), rowOf("1"), rowOf("1")}, true},
		"different rows": {[]rowFeatures{rowOf("1"), rowOf("2"), rowOf("3"), rowOf("a longer text")}, false},
	} {
		p := newTableProfile(2, c.rows)
		variance := 0.0
		for _, row := range c.rows {
			variance += math.Pow(p.rowScore(row)-p.meanScore, 2) / float64(len(c.rows))
		}
		if got, want := p.scoreSpread, 1+math.Sqrt(variance); math.Abs(got-want) > 1e-6 || (variance < 1e-9) != c.same {
			t.Errorf("%s: the spread is %g, want %g", name, got, want)
		}
	}
}
