// Package textedit changes the text of cells on behalf of people.
package textedit

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/cases"
	"golang.org/x/text/language"
)

// Casing is a letter case.
type Casing string

// The letter cases.
const (
	Upper Casing = "upper"
	Lower Casing = "lower"
	// Title capitalizes the first letter of each word and makes all others lowercase.
	Title Casing = "title"
)

var casers = map[Casing]func(language.Tag, ...cases.Option) cases.Caser{Upper: cases.Upper, Lower: cases.Lower, Title: cases.Title}

// IsValid reports whether c is one of the letter cases.
func (c Casing) IsValid() bool { return casers[c] != nil }

// Apply returns text in the letter case. It returns text that is not valid UTF-8 unchanged. Apply is safe
// for concurrent use.
func (c Casing) Apply(text string) string {
	if !utf8.ValidString(text) {
		return text
	}
	return casers[c](language.Und).String(text) // a Caser has state, so each call needs its own
}

// Trim removes spaces from both ends of text. If inner is set, it also replaces each run of spaces inside
// with one space. Line breaks, byte order marks and zero-width spaces are spaces, too.
func Trim(text string, inner bool) string {
	text = strings.TrimFunc(text, isSpace)
	if inner {
		text = strings.Join(strings.FieldsFunc(text, isSpace), " ")
	}
	return text
}

func isSpace(r rune) bool { return unicode.IsSpace(r) || r == '\ufeff' || r == '\u200b' }
