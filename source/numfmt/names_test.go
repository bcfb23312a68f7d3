package numfmt

import (
	"testing"
	"unicode/utf8"
)

// Every language has all its words, each different from the others.
func TestNamesAreWhole(t *testing.T) {
	for _, l := range languages {
		for _, words := range [][]string{l.names.months[:], l.names.days[:], l.names.shortMonths[:], l.names.shortDays[:]} {
			seen := map[string]bool{}
			for _, w := range words {
				if w == "" || seen[w] || !utf8.ValidString(w) {
					t.Errorf("%s: the word %q of %q is empty, double or broken", l.tag, w, words)
				}
				seen[w] = true
			}
		}
	}
}

func TestNamesByLanguage(t *testing.T) {
	for language, want := range map[uint16]*names{
		0x409: &english, 0x809: &english, 0: &english, 0x411: &english,
		0x407: &german, 0x807: &german, 0xc07: &german,
		0x40c: &french, 0x80c: &french,
		0x40a: &spanish, 0xc0a: &spanish, 0x80a: &spanish,
		0x410: &italian, 0x413: &dutch, 0x813: &dutch, 0x416: &portuguese, 0x816: &portuguese,
	} {
		if got := namesOf(language); got != want {
			t.Errorf("language %#x has the months %q", language, got.months)
		}
	}
}
