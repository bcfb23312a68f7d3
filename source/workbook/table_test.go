package workbook

import "testing"

// TestTextsWithBlanks checks that the rows of a sample include the empty rows between them, but
// not those after twice the number of rows in a sample.
func TestTextsWithBlanks(t *testing.T) {
	for _, c := range []struct {
		last  int64
		texts int
	}{
		{2, 2},
		{4, 4},
		{2 * sampleRows, 2 * sampleRows},
		{2*sampleRows + 1, 2*sampleRows + 1},
		{2*sampleRows + 2, 2 * sampleRows},
		{1 << 40, 2 * sampleRows},
	} {
		r := &reader{ahead: []Row{{Number: 1}, {Number: c.last}}}
		texts, at := r.textsWithBlanks(0)
		if len(texts) != c.texts || len(at) != c.texts {
			t.Errorf("a last row %d: %d texts and %d indexes, want %d", c.last, len(texts), len(at), c.texts)
		}
	}
}
