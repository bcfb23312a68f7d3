package distinct

import (
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// TestCode compares the codes with those of a map.
func TestCode(t *testing.T) {
	var table Table
	rapid.Check(t, func(t *rapid.T) {
		// Few letters and lengths around those of the words make texts that are almost equal.
		text := rapid.StringOfN(rapid.SampledFrom([]rune{'a', 'b', 0}), 0, 20, -1)
		texts := rapid.SliceOfN(text, 0, 600).Draw(t, "texts")
		table.Reset()
		codes := map[string]int32{}
		for _, text := range texts {
			for mark := range uint8(2) {
				key := fmt.Sprint(text, mark)
				want, known := codes[key]
				if !known {
					want = int32(len(codes))
					codes[key] = want
				}
				if got := table.Code([]byte(text), mark); got != want {
					t.Fatalf("the code of %q is %d, want %d", text, got, want)
				}
				if got := string(table.Texts.At(int(want))); got != text {
					t.Fatalf("the text of code %d is %q, want %q", want, got, text)
				}
			}
		}
		if table.Len() != len(codes) {
			t.Fatalf("%d codes, want %d", table.Len(), len(codes))
		}
	})
}

// TestPays checks for which columns numbering ends early.
func TestPays(t *testing.T) {
	cases := map[string]struct {
		text func(i int) string
		n    int
		want bool
		// tried is the number of texts that are numbered.
		tried int
	}{
		"too few texts": {func(int) string { return "a" }, minTexts - 1, false, 0},
		"one text":      {func(int) string { return "a" }, minTexts, true, minTexts},
		"all differ":    {func(i int) string { return fmt.Sprint(i) }, 16000, false, firstLook + 1},
		"most differ":   {func(i int) string { return fmt.Sprint(i * 87 / 100) }, 16000, false, secondLook + 1},
		"half differ":   {func(i int) string { return fmt.Sprint(i / 2) }, 16000, true, 16000},
		"too large":     {func(i int) string { return strings.Repeat("x", maxBytes/2) + fmt.Sprint(i/4) }, 16, false, 5},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			var table Table
			table.Reset()
			most, tried, pays := MaxCodes(c.n), 0, false
			if most > 0 {
				pays = true
				for i := 0; i < c.n && pays; i++ {
					table.Code([]byte(c.text(i)), 0)
					tried++
					pays = table.Pays(i, most)
				}
			}
			if pays != c.want || tried != c.tried {
				t.Errorf("%v after %d texts, want %v after %d", pays, tried, c.want, c.tried)
			}
		})
	}
}

func BenchmarkCode(b *testing.B) {
	texts := make([][]byte, 4096)
	for i := range texts {
		texts[i] = fmt.Append(nil, i*i%997)
	}
	var table Table
	for b.Loop() {
		table.Reset()
		for _, text := range texts {
			table.Code(text, 0)
		}
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*len(texts)), "ns/text")
}
