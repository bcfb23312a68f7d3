package number

import (
	"bytes"
	"fmt"
)

// Sign is a separator within a number.
type Sign byte

// These are the signs. Space and Apostrophe include all characters of their
// kind.
const (
	Undecided  Sign = 0
	Point      Sign = '.'
	Comma      Sign = ','
	Space      Sign = ' '
	Apostrophe Sign = '\''
)

// The signs of Arabic script have only one meaning each, so they are never
// ambiguous.
const (
	arabicDecimal Sign = 'd'
	arabicGroup   Sign = 'g'
)

// String returns the name of the sign, such as point.
func (s Sign) String() string {
	switch s {
	case Point:
		return "point"
	case Comma:
		return "comma"
	case Space:
		return "space"
	case Apostrophe:
		return "apostrophe"
	}
	return "undecided"
}

// opposite returns Comma for Point, and Point for Comma.
func (s Sign) opposite() Sign {
	if s == Point {
		return Comma
	}
	return Point
}

// Style describes how to read ambiguous cells of a column. The zero Style reads
// only unambiguous cells.
type Style struct {
	// Decimal is the decimal sign: Point, Comma or Undecided.
	Decimal Sign
	// Group is the thousands separator: any Sign except Decimal. Undecided
	// accepts all of them.
	Group Sign
}

// String returns the output of MarshalText.
func (s Style) String() string { return "decimal=" + s.Decimal.String() + " group=" + s.Group.String() }

// MarshalText returns the style as text, such as "decimal=comma group=point".
func (s Style) MarshalText() ([]byte, error) { return []byte(s.String()), nil }

// UnmarshalText parses the output of MarshalText. If it returns an error, it
// does not change the style.
func (s *Style) UnmarshalText(text []byte) error {
	for _, decimal := range []Sign{Undecided, Point, Comma} {
		for _, group := range []Sign{Undecided, Point, Comma, Space, Apostrophe} {
			style := Style{decimal, group}
			if (decimal != group || decimal == Undecided) && bytes.Equal(text, []byte(style.String())) {
				*s = style
				return nil
			}
		}
	}
	return fmt.Errorf("parse style %.80q: want a style such as %q", text, Style{Comma, Point}.String())
}
