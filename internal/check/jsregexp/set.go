package jsregexp

import (
	"slices"
	"unicode"
)

// span is a range of characters, both ends within.
type span struct{ lo, hi rune }

// set is a set of characters: spans in order that neither overlap nor touch.
// Under the u flag the characters are code points, else UTF-16 code units.
type set []span

const (
	lastUnit = 0xFFFF
	highest  = unicode.MaxRune
	firstSur = 0xD800
	lastSur  = 0xDFFF
)

// setOf brings spans of any order into a set. It may change the slice given.
func setOf(spans ...span) set {
	slices.SortFunc(spans, func(a, b span) int { return int(a.lo - b.lo) })
	var s set
	for _, p := range spans {
		if n := len(s); n > 0 && p.lo <= s[n-1].hi+1 {
			s[n-1].hi = max(s[n-1].hi, p.hi)
			continue
		}
		s = append(s, p)
	}
	return s
}

// setOfTable gives the characters of a table of package unicode.
func setOfTable(t *unicode.RangeTable) set {
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
	return setOf(spans...)
}

func (s set) has(r rune) bool {
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

// without gives the characters up to last that are not in s.
func (s set) without(last rune) set {
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
	return setOf(slices.Concat(s, t)...)
}

// overlaps says whether a character is in both sets.
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

// single gives the only character of a set that has just one.
func (s set) single() (rune, bool) {
	if len(s) == 1 && s[0].lo == s[0].hi {
		return s[0].lo, true
	}
	return 0, false
}

// surrogateShift is added to a surrogate where code units stand as characters
// in UTF-8, which has no surrogates. It lies on plane 16, which a set of code
// units never reaches.
const surrogateShift = 0x100000

// carried gives the set as the engines see it: surrogates are moved where code
// units are matched, and dropped where code points are, for no text holds one.
func (s set) carried(units bool) set {
	if !s.overlaps(set{{firstSur, lastSur}}) {
		return s
	}
	var spans []span
	for _, p := range s {
		if lo, hi := max(p.lo, firstSur), min(p.hi, lastSur); units && lo <= hi {
			spans = append(spans, span{lo + surrogateShift, hi + surrogateShift})
		}
		if p.lo < firstSur {
			spans = append(spans, span{p.lo, min(p.hi, firstSur-1)})
		}
		if p.hi > lastSur {
			spans = append(spans, span{max(p.lo, lastSur+1), p.hi})
		}
	}
	return setOf(spans...)
}
