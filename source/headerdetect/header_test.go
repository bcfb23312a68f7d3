package headerdetect

import (
	"slices"
	"strings"
	"testing"
)

// shareOfWords returns a function that returns the share of nonempty cells in a row that are
// among the given words.
func shareOfWords(words ...string) func([]string) float64 {
	return func(row []string) float64 {
		n, cells := 0.0, 0.0
		for _, cell := range row {
			if cell != "" {
				cells++
			}
			if slices.Contains(words, strings.ToLower(cell)) {
				n++
			}
		}
		if cells == 0 {
			return 0
		}
		return n / cells
	}
}

func table(text string) (rows [][]string) {
	for line := range strings.Lines(text) {
		rows = append(rows, strings.Split(strings.TrimSpace(line), ","))
	}
	return rows
}

// TestPlaceholders checks which cells of a table mark missing values, and which are numbers.
func TestPlaceholders(t *testing.T) {
	for kind, cells := range map[Kind]string{
		Empty:  "**|*|..|...|:|.|(D)|[c]|(NA)|suppressed|Suppressed *|n.a.|k.A.|not available|—|†|不明",
		Number: "<5|≥ 10|12*|1,250 †|34 [1]|~7",
		Text:   "Red|%|€|(thousand)|Report of May|x",
		Code:   "A12|Q1",
	} {
		for cell := range strings.SplitSeq(cells, "|") {
			want := kind
			if cell == "<5" || cell == "≥ 10" {
				want = Number
			}
			if got := kindOfCell(cell); got != want {
				t.Errorf("%q: kind %d, want %d", cell, got, want)
			}
		}
	}
}

func TestPrefer(t *testing.T) {
	for _, c := range []struct {
		name, text string
		found      Layout
		first      int
		headers    int
		sure       bool
	}{
		{"the row that was found", "a,b,c\n1,2,3\n", Layout{Width: 3, Headers: 1, Doubt: 1}, 0, 1, true},
		{"a row below it", "x,y,z\na,b,c\n1,2,3\n", Layout{Width: 3, Headers: 1, Doubt: 0.2}, 1, 1, true},
		{"a row above it", "a,b,c\nx,y,z\n1,2,3\n", Layout{Width: 3, First: 1, Headers: 1, Doubt: 0.2}, 0, 1, true},
		{"a row where none was found", "a,b,q\nx,y,z\n", Layout{Width: 3, Doubt: 0.2}, 0, 1, true},
		{"the lower one of two rows of a header", "x,y,z\na,b,c\n1,2,3\n", Layout{Width: 3, Headers: 2, Doubt: 1}, 1, 1, true},
		{"two rows that name as much", "a,b,c\nb,c,a\n1,2,3\n", Layout{Width: 3, Headers: 1, Doubt: 1}, 0, 1, false},
		{"a row that names too little", "a,x,y\n1,2,3\n", Layout{Width: 3, First: 1, Doubt: 1}, 1, 0, false},
		{"a title is not a header", "a,,\nx,y,z\n1,2,3\n", Layout{Width: 3, First: 1, Headers: 1, Doubt: 1}, 1, 1, false},
		{"a record above it", "1,2,z\na,b,c\n1,2,3\n", Layout{Width: 3, Doubt: 0.2}, 1, 1, false},
		{"a title with a day above it", "stand,2026-01-02,,,\nx,y,z,u,v\na,b,c,a,b\n1,2,3,4,5\n", Layout{Width: 5, First: 1, Headers: 1}, 2, 1, true},
		{"some of many columns", "x,y,z,u,v\na,b,q,r,s\n1,2,3,4,5\n", Layout{Width: 5, Headers: 1}, 1, 1, true},
		{"a row that is clearly ahead of one that was sure", "a,b,q,r\n\na,b,c,a\n1,2,3,4\n", Layout{Width: 4, Headers: 1}, 2, 1, true},
		{"nothing names anything", "x,y,z\n1,2,3\n", Layout{Width: 3, Headers: 1, Doubt: 1}, 0, 1, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := c.found.Prefer(table(c.text), shareOfWords("a", "b", "c"))
			if got.First != c.first || got.Headers != c.headers || (got.Doubt == 0) != c.sure {
				t.Errorf("%+v", got)
			}
		})
	}
	if got := (Layout{Width: 3, Headers: 1, Doubt: 1}).Prefer(table("a,b,c\n"), nil); got.Doubt != 1 {
		t.Errorf("without requested names: %+v", got)
	}
}
