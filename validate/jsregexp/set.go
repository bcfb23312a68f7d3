package jsregexp

import (
	"slices"
	"unicode"
)

// span is an inclusive range of characters.
type span struct{ lo, hi rune }

// set is a set of characters: spans in ascending order that neither overlap nor are adjacent.
// Characters are code points if the u flag is set, and UTF-16 code units otherwise.
type set []span

const (
	maxCodeUnit    = 0xFFFF
	maxCodePoint   = unicode.MaxRune
	firstSurrogate = 0xD800
	lastSurrogate  = 0xDFFF
)

// newSet returns the set of the given spans, which may be in any order. It may
// modify its argument.
func newSet(spans ...span) set {
	slices.SortFunc(spans, func(a, b span) int { return int(a.lo - b.lo) })
	s := slices.Grow(set(nil), len(spans))
	for _, p := range spans {
		if n := len(s); n > 0 && p.lo <= s[n-1].hi+1 {
			s[n-1].hi = max(s[n-1].hi, p.hi)
			continue
		}
		s = append(s, p)
	}
	return s
}

// newSetFromTable returns the characters in a table of package unicode.
func newSetFromTable(t *unicode.RangeTable) set {
	var spans []span
	add := func(lo, hi, stride rune) {
		if stride == 1 {
			spans = append(spans, span{lo, hi})
			return
		}
		for r := lo; r <= hi; r += stride {
			spans = append(spans, span{r, r})
		}
	}
	for _, r := range t.R16 {
		add(rune(r.Lo), rune(r.Hi), rune(r.Stride))
	}
	for _, r := range t.R32 {
		add(rune(r.Lo), rune(r.Hi), rune(r.Stride))
	}
	return newSet(spans...)
}

func (s set) contains(r rune) bool {
	_, found := slices.BinarySearchFunc(s, r, func(p span, r rune) int {
		switch {
		case p.hi < r:
			return -1
		case p.lo > r:
			return 1
		}
		return 0
	})
	return found
}

// complement returns the characters that are not in s, up to and including last.
func (s set) complement(last rune) set {
	var out set
	next := rune(0)
	for _, p := range s {
		if p.lo > next {
			out = append(out, span{next, p.lo - 1})
		}
		next = p.hi + 1
	}
	if next <= last {
		out = append(out, span{next, last})
	}
	return out
}

func (s set) union(t set) set {
	return newSet(slices.Concat(s, t)...)
}

// overlaps reports whether the sets have a character in common.
func (s set) overlaps(t set) bool {
	for i, j := 0, 0; i < len(s) && j < len(t); {
		switch {
		case s[i].hi < t[j].lo:
			i++
		case t[j].hi < s[i].lo:
			j++
		default:
			return true
		}
	}
	return false
}

// single returns the character of a set that contains exactly one. It reports
// false for any other set.
func (s set) single() (rune, bool) {
	if len(s) == 1 && s[0].lo == s[0].hi {
		return s[0].lo, true
	}
	return 0, false
}

// surrogateShift is added to surrogates to encode code units in UTF-8, which cannot represent
// surrogates. The result is on plane 16, which never occurs in sets of code units.
const surrogateShift = 0x100000

// encodeSurrogates returns the set in the encoding that the engines use. It
// shifts surrogates if units is true. Otherwise, it drops them, because text
// that is decoded to code points never contains any.
func (s set) encodeSurrogates(units bool) set {
	if !s.overlaps(set{{firstSurrogate, lastSurrogate}}) {
		return s
	}
	var spans []span
	for _, p := range s {
		if lo, hi := max(p.lo, firstSurrogate), min(p.hi, lastSurrogate); units && lo <= hi {
			spans = append(spans, span{lo + surrogateShift, hi + surrogateShift})
		}
		if p.lo < firstSurrogate {
			spans = append(spans, span{p.lo, min(p.hi, firstSurrogate-1)})
		}
		if p.hi > lastSurrogate {
			spans = append(spans, span{max(p.lo, lastSurrogate+1), p.hi})
		}
	}
	return newSet(spans...)
}

// folding is the case folding of the i flag: ECMA-262, 22.2.2.7.3 Canonicalize.
// Two characters are equal if they fold to the same character.
type folding struct{ on, unicode bool }

// legacyUpper returns the character to which r folds if the u flag is not set. That is its upper
// case, or r itself if the upper case is longer than one unit or if it is ASCII but r is not.
func legacyUpper(r rune) rune {
	if growsAsCapital(r) {
		return r
	}
	c := unicode.ToUpper(r)
	if c > maxCodeUnit || r >= 0x80 && c < 0x80 {
		return r
	}
	return c
}

// growsAsCapital reports whether the full upper case of a character is longer than one
// character, even though the character has a simple upper case (Unicode, SpecialCasing.txt).
func growsAsCapital(r rune) bool {
	switch {
	case r < 0x1F80 || r > 0x1FF3:
		return false
	case r <= 0x1FAF:
		return r&0xF < 8
	}
	return r == 0x1FB3 || r == 0x1FC3 || r == 0x1FF3
}

// equal reports whether the character r in the text matches the character q in the expression.
// Both must be in the same orbit of unicode.SimpleFold, which is Unicode's simple case folding.
// If the u flag is not set, an orbit is split into smaller ones.
func (f folding) equal(q, r rune) bool {
	return f.unicode || r <= maxCodeUnit && legacyUpper(q) == legacyUpper(r)
}

// closeOver returns s with all characters that are equal to one of its characters.
func (f folding) closeOver(s set) set {
	if !f.on {
		return s
	}
	var extra []span
	for _, p := range s {
		extra = f.closeOverSpan(extra, p)
	}
	if len(extra) == 0 {
		return s
	}
	return s.union(extra)
}

func (f folding) closeOverSpan(extra []span, p span) []span {
	if p.lo == p.hi {
		return f.addFoldOrbit(extra, p.lo)
	}
	first, _ := slices.BinarySearchFunc(unicode.CaseRanges, p.lo, func(c unicode.CaseRange, r rune) int { return int(c.Hi) - int(r) })
	for _, c := range unicode.CaseRanges[first:] {
		if rune(c.Lo) > p.hi {
			break
		}
		for r := max(p.lo, rune(c.Lo)); r <= min(p.hi, rune(c.Hi)); r++ {
			extra = f.addFoldOrbit(extra, r)
		}
	}
	// ß folds although it has no simple upper case.
	if p.lo <= 'ß' && 'ß' <= p.hi {
		extra = f.addFoldOrbit(extra, 'ß')
	}
	return extra
}

func (f folding) addFoldOrbit(extra []span, r rune) []span {
	for x := unicode.SimpleFold(r); x != r; x = unicode.SimpleFold(x) {
		if f.equal(r, x) {
			extra = append(extra, span{x, x})
		}
	}
	return extra
}

// The following functions return the sets that escapes such as \d and \w stand for.

func digitChars() set { return set{{'0', '9'}} }

// wordChars returns the characters that \w matches. With the flags u and i, they include the
// characters that fold to ASCII letters: the long s and the Kelvin sign.
func (f folding) wordChars() set {
	s := set{{'0', '9'}, {'A', 'Z'}, {'_', '_'}, {'a', 'z'}}
	if f.on && f.unicode {
		s = append(s, span{0x17F, 0x17F}, span{0x212A, 0x212A})
	}
	return s
}

// spaceChars returns JavaScript's white space and line terminators.
func spaceChars() set {
	return set{{'\t', '\r'}, {' ', ' '}, {0xA0, 0xA0}, {0x1680, 0x1680}, {0x2000, 0x200A},
		{0x2028, 0x2029}, {0x202F, 0x202F}, {0x205F, 0x205F}, {0x3000, 0x3000}, {0xFEFF, 0xFEFF}}
}

// lineTerminators returns JavaScript's line terminators.
func lineTerminators() set { return set{{'\n', '\n'}, {'\r', '\r'}, {0x2028, 0x2029}} }

// maxChar returns the largest character that the flags allow.
func (f folding) maxChar() rune {
	if f.unicode {
		return maxCodePoint
	}
	return maxCodeUnit
}

// classEscape returns the set of the class escape \d, \D, \s, \S, \w or \W.
func (f folding) classEscape(letter rune) (set, bool) {
	switch letter {
	case 'd':
		return digitChars(), true
	case 'D':
		return digitChars().complement(f.maxChar()), true
	case 's':
		return spaceChars(), true
	case 'S':
		return spaceChars().complement(f.maxChar()), true
	case 'w':
		return f.wordChars(), true
	case 'W':
		return f.wordChars().complement(f.maxChar()), true
	}
	return nil, false
}
