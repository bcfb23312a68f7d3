package draft

import (
	"bytes"
	"slices"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"pgregory.net/rapid"

	"github.com/intraydata/intray"
)

// drawCells draws texts from few letters, so that searches find some of them.
func drawCells(t *rapid.T, name string, most int) []string {
	letter := rapid.SampledFrom([]string{"a", "a", "A", "b", "k", "K", "s", "i", "I", " ", "0", "\x10", "@", "`", "ä", "Ä", "ß", "\u0131", "\u0130", "\u017f", "\u212a", "\xff", "aaaaaaaaaaaaaaaa"})
	text := rapid.Custom(func(t *rapid.T) string { return strings.Join(rapid.SliceOfN(letter, 0, 40).Draw(t, "letters"), "") })
	return rapid.SliceOfN(text, 1, most).Draw(t, name)
}

// TestFinder compares the rows that a finder marks with those whose folded text contains the folded needle.
func TestFinder(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		texts := drawCells(t, "texts", 30)
		search := drawCells(t, "search", 1)[0]
		if rapid.Bool().Draw(t, "existing") {
			text := rapid.SampledFrom(texts).Draw(t, "found")
			from := rapid.IntRange(0, len(text)).Draw(t, "from")
			search = text[from:rapid.IntRange(from, len(text)).Draw(t, "to")]
		}
		if search == "" {
			search = "a"
		}
		whole := rapid.Bool().Draw(t, "whole")
		b := &intray.Batch{Lines: make([]int64, len(texts)), Fields: make([]intray.Cells, 1)}
		want := make([]bool, len(texts))
		low := foldCase([]byte(search), nil)
		for i, text := range texts {
			b.Fields[0].AppendValue([]byte(text))
			folded := foldCase([]byte(text), nil)
			want[i] = bytes.Contains(folded, low)
			if whole {
				want[i] = bytes.Equal(folded, low)
			}
		}
		f := finder{needle: newNeedle(search), draft: &Draft{cfg: Config{Fields: make([]intray.Field, 1)}}}
		f.needle.whole = whole
		got := f.rows(b, []int{0})
		if !slices.Contains(want, true) {
			if got != nil {
				t.Fatalf("%q in %q: %v", search, texts, got)
			}
			return
		}
		if !slices.Equal(got, want) {
			t.Fatalf("%q in %q: %v, want %v", search, texts, got, want)
		}
		if !f.KeepTexts(0, slices.Concat([]byte("\x80\x05"), b.Fields[0].Values.Texts.Arena)) {
			t.Fatalf("%q in %q: the column is rejected", search, texts)
		}
	})
}

// TestFinderRepeats checks a search in which almost every position looks like a match.
func TestFinderRepeats(t *testing.T) {
	n := newNeedle(strings.Repeat("a", 300) + "b")
	text := []byte(strings.Repeat("A", 100_000) + "B" + strings.Repeat("a", 1000) + "b")
	o := occurrences{needle: n, text: text}
	var scratch []byte
	var found []int
	for at := o.next(0, &scratch); at >= 0; at = o.next(at+1, &scratch) {
		found = append(found, at)
	}
	if want := []int{99_700, 100_701}; !slices.Equal(found, want) {
		t.Errorf("found at %v, want %v", found, want)
	}
	if most := (maxWasted + 8) * len(text); o.wasted > most {
		t.Errorf("%d bytes were compared in vain, want at most %d", o.wasted, most)
	}
}

// TestASCIIFolds checks that asciiFolds lists all letters outside ASCII that fold to ASCII letters.
func TestASCIIFolds(t *testing.T) {
	for r := rune(utf8.RuneSelf); r <= unicode.MaxRune; r++ {
		folded := foldCase([]byte(string(r)), nil)
		listed := slices.ContainsFunc(asciiFolds, func(letter []byte) bool { return string(letter) == string(r) })
		if isASCII(folded) != listed {
			t.Errorf("%q folds to %q", r, folded)
		}
		if isASCII(folded) && !newNeedle(string(folded)).mayFold([]byte(string(r))) {
			t.Errorf("%q is not found in %q", folded, r)
		}
	}
}

// TestKeepValues checks for which searches the values of a field are read.
func TestKeepValues(t *testing.T) {
	fields := []intray.Field{{Type: intray.FieldType{Name: intray.TypeString}}, {Type: intray.FieldType{Name: intray.TypeNumber}}, {Type: intray.FieldType{Name: intray.TypeDatetime}}}
	for search, want := range map[string][]bool{
		"12":      {true, true, true},
		"-1.5E3":  {true, true, false},
		"31T12:0": {true, false, true},
		"12a":     {true, false, false},
		"1 2":     {true, false, false},
		"\u0661":  {true, false, false},
	} {
		f := finder{needle: newNeedle(search), draft: &Draft{cfg: Config{Fields: fields}}}
		for field := range fields {
			if got := f.KeepValues(field); got != want[field] {
				t.Errorf("%q in %s: %t, want %t", search, fields[field].Type.Name, got, want[field])
			}
		}
		f.nameMatches = textMatches{1: {}}
		if !f.KeepValues(1) {
			t.Errorf("%q: the values of a field that displays names are not read", search)
		}
	}
}
