package jsregexp

import (
	"slices"
	"unicode"
)

// folding is what the i flag does to characters: ECMA-262, 22.2.2.7.3
// Canonicalize. Two characters are equal when they fold to the same one.
type folding struct{ on, unicode bool }

// legacy gives the character that r becomes without the u flag: its capital,
// unless that is more than one unit long, or would bring a character into
// ASCII.
func legacy(r rune) rune {
	if growsAsCapital(r) {
		return r
	}
	c := unicode.ToUpper(r)
	if c > lastUnit || r >= 0x80 && c < 0x80 {
		return r
	}
	return c
}

// growsAsCapital tells of the characters whose full capital is longer than one
// character, though a simple one exists (Unicode, SpecialCasing.txt).
func growsAsCapital(r rune) bool {
	switch {
	case r < 0x1F80 || r > 0x1FF3:
		return false
	case r <= 0x1FAF:
		return r&0xF < 8
	}
	return r == 0x1FB3 || r == 0x1FC3 || r == 0x1FF3
}

// equal says whether a text's character r is taken for the expression's q.
// Both are of one orbit of unicode.SimpleFold, which is all of Unicode's simple
// case folding; without the u flag the orbits fall apart into smaller ones.
func (f folding) equal(q, r rune) bool {
	return f.unicode || r <= lastUnit && legacy(q) == legacy(r)
}

// close adds to a set the characters that are equal to one of it.
func (f folding) close(s set) set {
	if !f.on {
		return s
	}
	var extra []span
	for _, p := range s {
		extra = f.closeSpan(extra, p)
	}
	if len(extra) == 0 {
		return s
	}
	return s.union(extra)
}

func (f folding) closeSpan(extra []span, p span) []span {
	if p.lo == p.hi {
		return f.orbit(extra, p.lo)
	}
	first, _ := slices.BinarySearchFunc(unicode.CaseRanges, p.lo, func(c unicode.CaseRange, r rune) int { return int(c.Hi) - int(r) })
	for _, c := range unicode.CaseRanges[first:] {
		if rune(c.Lo) > p.hi {
			break
		}
		for r := max(p.lo, rune(c.Lo)); r <= min(p.hi, rune(c.Hi)); r++ {
			extra = f.orbit(extra, r)
		}
	}
	// The sharp s folds, though it has no simple capital.
	if p.lo <= 'ß' && 'ß' <= p.hi {
		extra = f.orbit(extra, 'ß')
	}
	return extra
}

func (f folding) orbit(extra []span, r rune) []span {
	for x := unicode.SimpleFold(r); x != r; x = unicode.SimpleFold(x) {
		if f.equal(r, x) {
			extra = append(extra, span{x, x})
		}
	}
	return extra
}
