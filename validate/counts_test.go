package validate_test

import (
	"fmt"
	"sync"
	"testing"

	"github.com/intraydata/intray/validate"
)

// TestValueCounts compares the counts of few and of many values with those that a map contains.
func TestValueCounts(t *testing.T) {
	for _, c := range []struct{ texts, rows, most int }{{0, 0, 3}, {1, 5, 3}, {7, 100, 3}, {7, 100, 7}, {7, 100, 50}, {90_000, 260_000, 10}} {
		tally := validate.NewValueCounts(t.TempDir())
		counts, first := map[string]int64{}, map[string]uint32{}
		var group sync.WaitGroup
		for w := range 3 {
			group.Go(func() {
				counter := tally.Counter()
				for row := w; row < c.rows; row += 3 {
					counter.QueueText([]byte(repeatingText(row, c.texts)), uint32(row))
					if row%1000 == w || row+3 >= c.rows {
						if err := counter.Flush(); err != nil {
							t.Error(err)
						}
					}
				}
			})
		}
		for row := range c.rows {
			text := repeatingText(row, c.texts)
			if counts[text]++; counts[text] == 1 {
				first[text] = uint32(row)
			}
		}
		group.Wait()
		most, different, err := tally.MostFrequent(c.most)
		if err != nil || different != int64(len(counts)) || len(most) != min(c.most, len(counts)) {
			t.Fatalf("%+v: %d texts, the first %d, %v", c, different, len(most), err)
		}
		hash := func(text string) validate.Hash { return tally.Hash([]byte(text)) }
		byHash := map[validate.Hash]string{}
		for text := range counts {
			byHash[hash(text)] = text
		}
		sameTally(t, most, c.most, byHash, hash, counts, first)
		if err := tally.Close(); err != nil {
			t.Error(err)
		}
	}
}

// sameTally checks that the list most contains the values with the highest counts, and that the
// counts are correct.
func sameTally(t *testing.T, most []validate.ValueCount, asked int, byHash map[validate.Hash]string, hash func(string) validate.Hash, counts map[string]int64, first map[string]uint32) {
	t.Helper()
	for i, m := range most {
		text := byHash[m.Hash]
		if m.Count != counts[text] || m.Row != first[text] {
			t.Errorf("%q is there %d times from row %d on, want %d and %d", text, m.Count, m.Row, counts[text], first[text])
		}
		if i > 0 && (most[i-1].Count < m.Count || most[i-1].Count == m.Count && most[i-1].Row > m.Row) {
			t.Errorf("%+v is before %+v", most[i-1], m)
		}
	}
	for text, n := range counts {
		if len(most) == asked && n > most[len(most)-1].Count && !containsHash(most, hash(text)) {
			t.Errorf("%q is missing", text)
		}
	}
}

func containsHash(most []validate.ValueCount, h validate.Hash) bool {
	for _, m := range most {
		if m.Hash == h {
			return true
		}
	}
	return false
}

// repeatingText returns the value of a row. Values that occur earlier are repeated more often.
func repeatingText(row, texts int) string {
	return fmt.Sprint("text ", (row*row+row/7)%max(1, min(texts, row+1)))
}
