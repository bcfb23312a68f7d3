package intray_test

import (
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/intraydata/intray"
)

// TestTextColumn compares columns with and without codes with lists of strings.
func TestTextColumn(t *testing.T) {
	text := rapid.SampledFrom([]string{"", "a", "bc"})
	draw := func(t *rapid.T, name string) (c intray.TextColumn, want []string) {
		want = rapid.SliceOfN(text, 0, 8).Draw(t, name)
		if rapid.Bool().Draw(t, "codes") {
			for _, s := range []string{"bc", "", "a"} {
				c.Texts.AppendString(s)
			}
			for _, s := range want {
				c.Codes = append(c.Codes, int32(slices.Index([]string{"bc", "", "a"}, s)))
			}
			if len(want) == 0 {
				c.Texts.Reset()
			}
			return c, want
		}
		for _, s := range want {
			c.Append([]byte(s))
		}
		return c, want
	}
	rapid.Check(t, func(t *rapid.T) {
		c, want := draw(t, "column")
		other, more := draw(t, "other column")
		check := func() {
			t.Helper()
			size := 0
			var got []string
			for i := range c.Len() {
				got = append(got, string(c.At(i)))
				size += len(c.At(i))
			}
			if !slices.Equal(got, want) || c.Bytes() != size {
				t.Fatalf("%q with %d bytes, want %q", got, c.Bytes(), want)
			}
		}
		check()
		if same := slices.Equal(want, more); c.Equal(other) != same {
			t.Fatalf("%q and %q are equal: %v", want, more, !same)
		}
		from := rapid.IntRange(0, len(more)).Draw(t, "from")
		to := rapid.IntRange(from, len(more)).Draw(t, "to")
		end := rapid.IntRange(to, len(more)).Draw(t, "end")
		c.AppendRanges(&other, intray.RowRange{From: from, To: to}, intray.RowRange{From: end, To: len(more)})
		want = slices.Concat(want, more[from:to], more[end:])
		check()
		c.Append([]byte("new"))
		want = append(want, "new")
		check()
		if len(c.Codes) > 0 {
			t.Fatal("a column with a new string has codes")
		}
	})
}
