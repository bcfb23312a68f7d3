package value

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// near is a name of an option, for comparing.
type near struct {
	name, telling []rune
	choice        *choice
}

const (
	// usualKey is how many bytes of a text need no memory for comparing it.
	usualKey = 96
	// maxClose is the most bytes of a text that is compared with the options.
	maxClose = 256
	// maxEdits is the most edits between a text and the option it is taken for,
	// and at most one in editShare characters.
	maxEdits, editShare = 2, 4
	// farther is how many edits farther every other option must be.
	farther = 2
)

// closest gives the one option that is at most maxEdits away and at most a
// quarter of the text's length, where every other option is farther by two.
// Digits and signs are no slips of the pen, and neither is a negation in front:
// an option with others is none.
func (p *pick) closest(text []rune) *choice {
	most := min(maxEdits, len(text)/editShare)
	if most == 0 {
		return nil
	}
	best, second := most+farther, most+farther
	var found *choice
	for _, c := range p.close {
		d := edits(text, c.name, most+farther)
		switch {
		case d < best:
			if c.choice != found {
				second = best
			}
			best, found = d, c.choice
		case c.choice != found && d < second:
			second = d
		}
	}
	if best > most || second < best+farther || !p.tells(found, text) {
		return nil
	}
	return found
}

// tells says whether a name of the option that is close to the text has its digits
// and signs, and none of those means its opposite.
func (p *pick) tells(found *choice, text []rune) bool {
	want, told := telling(text), false
	for _, c := range p.close {
		if c.choice != found || edits(text, c.name, maxEdits+1) > maxEdits {
			continue
		}
		if opposite(text, c.name) || opposite(c.name, text) {
			return false
		}
		told = told || slices.Equal(c.telling, want)
	}
	return told
}

// negations turn a word round where they stand in front of it.
var negations = [...]string{"un", "in", "im", "ir", "il", "dis", "non", "anti", "a"}

// opposite says whether a is b, give or take a slip of the pen, with a negation in
// front.
func opposite(a, b []rune) bool {
	whole := edits(a, b, maxEdits+1)
	for _, n := range negations {
		if len(a) <= len(n) || string(a[:len(n)]) != n {
			continue
		}
		rest := a[len(n):]
		if rest[0] == ' ' || rest[0] == '-' {
			rest = rest[1:]
		}
		if d := edits(rest, b, maxEdits+1); d+len(a)-len(rest) <= whole {
			return true
		}
	}
	return false
}

// usualName is how many characters of a name cost no memory to compare.
const usualName = 48

// edits is the edit distance of two texts, with two neighbours that changed
// places as one edit (optimal string alignment); or most where it is no less.
func edits(a, b []rune, most int) int {
	if len(a)-len(b) >= most || len(b)-len(a) >= most {
		return most
	}
	var room [3 * (usualName + 1)]uint16
	cells, width := room[:], len(b)+1
	if width > usualName+1 {
		cells = make([]uint16, 3*width)
	}
	rows := [3][]uint16{cells[:width], cells[width : 2*width], cells[2*width : 3*width]}
	for j := range rows[1] {
		rows[1][j] = uint16(j)
	}
	near := true // the row above has a number below most
	for i := range a {
		least := nextRow(rows[i%3], rows[(i+1)%3], rows[(i+2)%3], a, b, i, most)
		if !near && least >= most {
			return most
		}
		near = least < most
	}
	return min(most, int(rows[(len(a)+1)%3][len(b)]))
}

// far is more than any distance.
const far = 1 << 15

// nextRow fills the row of a's character i, as far as most edits can lead from the
// middle, and gives its least number.
func nextRow(before, above, row []uint16, a, b []rune, i, most int) (least int) {
	from, to := max(0, i-most), min(len(b), i+most+1)
	if row[from] = far; from == 0 {
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
		row[to+1] = far
	}
	return int(smallest)
}

// separators count as blanks. Dashes are more than that at the end of a name, as
// in A-, and before a number.
const separators = "_/.,;:'’`\"()"

// tellingSigns change what a name means: C, C++ and C# are three things.
const tellingSigns = "-+#*<>=%$€£°"

// telling gives the digits and signs of a name.
func telling(name []rune) (list []rune) {
	for _, r := range name {
		if unicode.IsDigit(r) || strings.ContainsRune(tellingSigns, r) {
			list = append(list, r)
		}
	}
	return list
}

// looseKey is a text in lower case, without accents, its words joined by one
// blank. Signs that tell names apart stay.
func looseKey(name string) string { return string(appendLooseKey(nil, []byte(name))) }

func appendLooseKey(dst, name []byte) []byte {
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
		case isDash(r) && !dashTells(len(dst) == from, gap, rest), unicode.IsSpace(r), strings.ContainsRune(separators, r):
			gap = len(dst) > from
		default:
			if isDash(r) {
				r = '-'
			}
			if gap && (r == '-' && len(rest) > 0 || !strings.ContainsRune(tellingSigns, r)) {
				dst = append(dst, ' ')
			}
			gap = false
			dst = utf8.AppendRune(dst, r)
		}
	}
	return dst
}

// dashTells says whether a dash is more than a blank: as the last sign, or as the
// minus of a number.
func dashTells(first, gap bool, rest []byte) bool {
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

// isAccent says whether r is a mark that may be missing: the accents of letters,
// and the vowel points of Hebrew and Arabic. Marks of other scripts are letters.
func isAccent(r rune) bool {
	return r >= 0x300 && r <= 0x36F || r >= 0x591 && r <= 0x5C7 && unicode.Is(unicode.Mn, r) || r >= 0x64B && r <= 0x65F
}
