package mapping

import (
	"fmt"
	"strings"
	"unicode"

	"github.com/intraydata/intray"
)

// fit says how well a header fits a field.
type fit struct {
	score  float64
	reason string
}

// grade is one degree of closeness. Grades are tried in order.
type grade struct {
	fits func(field intray.Field, header string) (fit, bool)
}

var grades = []grade{{exactName}, {exactAlternate}, {sameName}, {sameAlternate}}

func exactName(f intray.Field, header string) (fit, bool) {
	switch header {
	case "":
		return fit{}, false
	case f.Key:
		return fit{1, fmt.Sprintf("the header is the field's key %q", f.Key)}, true
	case f.Label:
		return fit{1, fmt.Sprintf("the header is the field's label %q", f.Label)}, true
	}
	return fit{}, false
}

func exactAlternate(f intray.Field, header string) (fit, bool) {
	for _, name := range f.AlternateMatches {
		if name != "" && name == header {
			return fit{1, fmt.Sprintf("the header is the alternate name %q", name)}, true
		}
	}
	return fit{}, false
}

func sameName(f intray.Field, header string) (fit, bool) {
	h := Normalize(header)
	switch {
	case h == "":
		return fit{}, false
	case h == Normalize(f.Key):
		return fit{0.95, fmt.Sprintf("the header %q is the field's key %q, written otherwise", header, f.Key)}, true
	case h == Normalize(f.Label):
		return fit{0.95, fmt.Sprintf("the header %q is the field's label %q, written otherwise", header, f.Label)}, true
	}
	return fit{}, false
}

func sameAlternate(f intray.Field, header string) (fit, bool) {
	h := Normalize(header)
	for _, name := range f.AlternateMatches {
		if h != "" && h == Normalize(name) {
			return fit{0.9, fmt.Sprintf("the header %q is the alternate name %q, written otherwise", header, name)}, true
		}
	}
	return fit{}, false
}

// Normalize brings the spellings of one name together: lower case, without
// spaces and punctuation. "First Name", "first_name", "firstName" and
// "FIRST-NAME" are one name. Letters keep their accents, and signs that are
// neither letters nor digits but carry meaning (# % & + $ € £) stay, so that
// "Amount" and "Amount %" remain two.
func Normalize(name string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case unicode.IsLetter(r), unicode.IsDigit(r), unicode.IsMark(r):
			return unicode.ToLower(r)
		case strings.ContainsRune("#%&+$€£", r):
			return r
		}
		return -1
	}, name)
}
