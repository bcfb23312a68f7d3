package lint

import (
	"github.com/intraydata/intray"
)

// form is what texts have in common: all values of a type, or all that an
// expression fits. It is about texts that are not empty.
type form struct {
	// least and most bound the characters; most is negative without end.
	least, most int
	// first are the characters that they begin with, as pairs of first and last;
	// nil for any.
	first []rune
}

// anything is the form of texts of which nothing is known.
func anything() form { return form{least: 1, most: -1} }

var (
	digits  = []rune("09")
	capital = []rune("AZ")
	letters = []rune("AZaz")
	hex     = []rune("09AFaf")
	numeral = []rune("09--")
)

// fixed is a form of so many characters.
func fixed(n int, first []rune) form { return form{n, n, first} }

// formOf gives the form of the values of a field.
func formOf(f intray.Field) form {
	switch f.Type.Name {
	case intray.TypeState:
		return fixed(2, capital)
	case intray.TypeCountry:
		if f.Type.Options["format"] == "3-letter" {
			return fixed(3, capital)
		}
		return fixed(2, capital)
	case intray.TypeZIP:
		if f.Type.Options["format"] == "9-digit" {
			return digital(flag(f, "outputDash"), 9, 10)
		}
		return fixed(5, digits)
	case intray.TypeSSN:
		return digital(flag(f, "outputDash"), 9, 11)
	case intray.TypeUUID:
		return fixed(36, hex)
	case intray.TypeNumber:
		return form{1, -1, numeral}
	case intray.TypeDate:
		return fixed(10, digits)
	case intray.TypeDatetime:
		return digital(flag(f, "withSeconds"), 16, 19)
	case intray.TypeTime:
		return digital(flag(f, "withSeconds"), 5, 8)
	case intray.TypeEmail, intray.TypeDomain, intray.TypePhone, intray.TypeURL:
		return form{3, -1, nil}
	}
	return anything()
}

// digital is a form that begins with a digit, of so many characters without an
// option and so many with it.
func digital(on bool, without, with int) form {
	if on {
		return fixed(with, digits)
	}
	return fixed(without, digits)
}

// forms gives the forms of texts that an expression fits; false where they may
// be any. Without forms no text fits that is not empty.
func (p *pattern) forms() (list []form, known bool) {
	if p.branches == nil {
		return nil, false
	}
	for _, b := range p.branches {
		if b.never || b.start && b.end && b.most == 0 {
			continue
		}
		f := anything()
		f.least = max(1, b.least)
		if b.beyond && !p.flags.Unicode {
			f.least = max(1, (b.least+1)/2)
		}
		if b.start && b.end {
			f.most = b.most
		}
		if b.start && (b.end || b.least > 0) {
			f.first = b.first
		}
		list = append(list, f)
	}
	return list, true
}

// apart says whether no text has both forms.
func (f form) apart(g form) bool {
	return f.most >= 0 && f.most < g.least || g.most >= 0 && g.most < f.least || f.first != nil && g.first != nil && !overlap(f.first, g.first)
}

func overlap(a, b []rune) bool {
	for i := 0; i+1 < len(a); i += 2 {
		for j := 0; j+1 < len(b); j += 2 {
			if a[i] <= b[j+1] && b[j] <= a[i+1] {
				return true
			}
		}
	}
	return false
}

// allApart says whether no text has a form of both lists.
func allApart(a, b []form) bool {
	for _, f := range a {
		for _, g := range b {
			if !f.apart(g) {
				return false
			}
		}
	}
	return true
}
