package celltype

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// optionName is a name of an option, prepared for fuzzy matching.
type optionName struct {
	name, significant []rune
	option            *choice
}

const (
	// keyBufferSize is the length in bytes up to which a value is compared without an allocation.
	keyBufferSize = 96
	// maxFuzzyLength is the maximum length, in bytes, of a value that is
	// compared with the options.
	maxFuzzyLength = 256
	// maxEdits is the maximum number of edits between a value and its option.
	// In addition, only one edit per editShare characters is allowed.
	maxEdits, editShare = 2, 4
	// minLead is the minimum number of additional edits that every other option must need.
	minLead = 2
)

// closestOption returns the option whose name is closest to the text. That name differs by at
// most maxEdits edits, and at most one per editShare characters; the names of all other
// options must differ by at least minLead more. Digits, signs and a negation at the start are
// never treated as typos: an option that differs in these does not match. The text must not be
// the normalized name of exactly one option.
func (p *optionMatcher) closestOption(text []rune) *choice {
	most := min(maxEdits, len(text)/editShare)
	if most == 0 {
		return nil
	}
	s := p.index().newSearch(text)
	defer func() { p.budget.spend(s.steps) }()
	var near []nearName
	best, tied := maxEdits+1, false
	s.within(func(n nearName) bool {
		// If two options are at most maxEdits edits away, the lead of the closer one is too small.
		tied = len(near) > 0 && near[0].name.option != n.name.option
		near, best = append(near, n), min(best, n.distance)
		return !tied
	})
	if tied || best > most || !hasSameSignificantRunes(near, text) {
		return nil
	}
	found := near[0].name.option
	if last := best + minLead - 1; last > maxEdits {
		s.scan(last, func(n nearName) bool {
			tied = n.name.option != found
			return !tied
		})
	}
	if tied {
		return nil
	}
	return found
}

// hasSameSignificantRunes reports whether one of the names that are close to the text has the
// same digits and signs, and none of these names means the opposite.
func hasSameSignificantRunes(near []nearName, text []rune) bool {
	want, matched := significantRunes(text), false
	for _, n := range near {
		if isNegationOf(text, n.name.name) || isNegationOf(n.name.name, text) {
			return false
		}
		matched = matched || slices.Equal(n.name.significant, want)
	}
	return matched
}

// negations are prefixes that reverse the meaning of a word.
var negations = [...]string{"un", "in", "im", "ir", "il", "dis", "non", "anti", "a"}

// isNegationOf reports whether a is b with a negation in front. One typo is allowed.
func isNegationOf(a, b []rune) bool {
	whole := editDistance(a, b, maxEdits+1)
	for _, n := range negations {
		if len(a) <= len(n) || string(a[:len(n)]) != n {
			continue
		}
		rest := a[len(n):]
		if rest[0] == ' ' || rest[0] == '-' {
			rest = rest[1:]
		}
		if d := editDistance(rest, b, maxEdits+1); d+len(a)-len(rest) <= whole {
			return true
		}
	}
	return false
}

// nameBufferSize is the length in characters up to which a name is compared
// without an allocation.
const nameBufferSize = 48

// editDistance returns the edit distance of two strings (optimal string alignment: a
// transposition is one edit). If the distance is limit or more, it returns limit.
func editDistance(a, b []rune, limit int) int {
	if len(a)-len(b) >= limit || len(b)-len(a) >= limit {
		return limit
	}
	var room [3 * (nameBufferSize + 1)]uint16
	cells, width := room[:], len(b)+1
	if width > nameBufferSize+1 {
		cells = make([]uint16, 3*width)
	}
	rows := [3][]uint16{cells[:width], cells[width : 2*width], cells[2*width : 3*width]}
	for j := range rows[1] {
		rows[1][j] = uint16(j)
	}
	near := true // the previous row has a number below limit
	for i := range a {
		least := fillDistanceRow(rows[i%3], rows[(i+1)%3], rows[(i+2)%3], a, b, i, limit)
		if !near && least >= limit {
			return limit
		}
		near = least < limit
	}
	return min(limit, int(rows[(len(a)+1)%3][len(b)]))
}

// unreachable is greater than any edit distance.
const unreachable = 1 << 15

// fillDistanceRow computes the row for character i of the string a, in the columns whose
// distance from the diagonal does not exceed most, and returns the smallest number in the row.
func fillDistanceRow(before, above, row []uint16, a, b []rune, i, most int) (least int) {
	from, to := max(0, i-most), min(len(b), i+most+1)
	if row[from] = unreachable; from == 0 {
		row[0] = uint16(i + 1)
	}
	smallest := row[from]
	for j := from; j < to; j++ {
		cost := uint16(1)
		if a[i] == b[j] {
			cost = 0
		}
		row[j+1] = min(above[j+1]+1, row[j]+1, above[j]+cost)
		if i > 0 && j > 0 && a[i] == b[j-1] && a[i-1] == b[j] {
			row[j+1] = min(row[j+1], before[j-1]+1)
		}
		smallest = min(smallest, row[j+1])
	}
	if to < len(b) {
		row[to+1] = unreachable
	}
	return int(smallest)
}

// separators are treated as spaces. A dash is one too, except at the end of a
// name, as in A-, and before a number.
const separators = "_/.,;:'’`\"()"

// significantSigns change the meaning of a name: C, C++ and C# are different
// names.
const significantSigns = "-+#*<>=%$€£°"

// significantRunes returns the digits and significant signs of a name.
func significantRunes(name []rune) (list []rune) {
	for _, r := range name {
		if unicode.IsDigit(r) || strings.ContainsRune(significantSigns, r) {
			list = append(list, r)
		}
	}
	return list
}

// normalizeName returns a name in lower case, without accents, with single
// spaces between words. It preserves significant signs.
func normalizeName(name string) string { return string(appendNormalizedName(nil, []byte(name))) }

func appendNormalizedName(dst, name []byte) []byte {
	for _, c := range name {
		if c >= utf8.RuneSelf {
			name = []byte(norm.NFKD.String(strings.ToLower(string(name))))
			break
		}
	}
	from, gap := len(dst), false
	for at := 0; at < len(name); {
		r, size := rune(name[at]), 1
		if r >= utf8.RuneSelf {
			r, size = utf8.DecodeRune(name[at:])
		}
		rest := name[at+size:]
		at += size
		switch r = unicode.ToLower(r); {
		case isAccent(r):
		case isDash(r) && !isSignificantDash(len(dst) == from, gap, rest), unicode.IsSpace(r), strings.ContainsRune(separators, r):
			gap = len(dst) > from
		default:
			if isDash(r) {
				r = '-'
			}
			if gap && (r == '-' && len(rest) > 0 || !strings.ContainsRune(significantSigns, r)) {
				dst = append(dst, ' ')
			}
			gap = false
			dst = utf8.AppendRune(dst, r)
		}
	}
	return dst
}

// isSignificantDash reports whether a dash is significant: as the last
// character of a name, or as the minus sign of a number.
func isSignificantDash(first, gap bool, rest []byte) bool {
	for at, c := range rest {
		if c != ' ' && c != '-' {
			return (first || gap && at == 0) && c-'0' < 10
		}
	}
	return true
}

func isDash(r rune) bool {
	return r == '-' || r >= 0x2010 && r <= 0x2015 || r == 0x2212
}

// isAccent reports whether r is an optional mark: an accent of a letter, or a
// vowel point of Hebrew or Arabic. Marks of other scripts are part of their
// letters.
func isAccent(r rune) bool {
	return r >= 0x300 && r <= 0x36F || r >= 0x591 && r <= 0x5C7 && unicode.Is(unicode.Mn, r) || r >= 0x64B && r <= 0x65F
}
