package number

import (
	"bytes"
	"fmt"
)

// Sign is what stands between the digits of a number.
type Sign byte

// The signs. Space and Apostrophe stand for all of their kind.
const (
	Undecided  Sign = 0
	Point      Sign = '.'
	Comma      Sign = ','
	Space      Sign = ' '
	Apostrophe Sign = '\''
)

// The signs of Arabic script have one meaning each, and need no decision.
const (
	arabicDecimal Sign = 'd'
	arabicGroup   Sign = 'g'
)

// String is the sign's name, such as point.
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

// opposite is the other one of point and comma.
func (s Sign) opposite() Sign {
	if s == Point {
		return Comma
	}
	return Point
}

// Style says how a column writes its numbers where a cell alone does not tell.
// The zero Style reads only what can be read in one way.
type Style struct {
	// Decimal stands before the fraction: Point, Comma or Undecided.
	Decimal Sign
	// Group stands between the thousands: any Sign but Decimal. Undecided takes
	// every one.
	Group Sign
}

// String is the style as MarshalText writes it.
func (s Style) String() string { return "decimal=" + s.Decimal.String() + " group=" + s.Group.String() }

// MarshalText writes the style like decimal=comma group=point.
func (s Style) MarshalText() ([]byte, error) { return []byte(s.String()), nil }

// UnmarshalText reads what MarshalText wrote. Anything else is an error, and
// leaves the style as it was.
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
	return fmt.Errorf("read the style %.80q: it is not like %s", text, Style{Comma, Point})
}
