package jsregexp

import (
	"slices"
	"unicode/utf16"
	"unicode/utf8"
)

// table is a deterministic automaton over the characters of a text. It says
// whether the program it was made of matches, with one step for a character.
// It does not change once it is made.
type table struct {
	alphabet
	// next gives the state after each state and letter. A state is the place of
	// its row.
	next []uint32
	// atEnd says of each row whether the text may end there.
	atEnd []bool
	start uint32
	// accepted is the row from which every text matches; the row 0 is that from
	// which none does.
	accepted uint32
	units    bool
}

// alphabet sorts the characters into letters: those that the program never
// tells apart are one letter.
type alphabet struct {
	ascii [utf8.RuneSelf]uint8
	// starts are the first characters of the ranges of equal characters, and
	// letterOf gives the letter of each.
	starts   []rune
	letterOf []uint8
	letters  int
}

func (a *alphabet) letter(r rune) uint32 {
	if r < utf8.RuneSelf {
		return uint32(a.ascii[r])
	}
	i, found := slices.BinarySearch(a.starts, r)
	if !found {
		i--
	}
	return uint32(a.letterOf[i])
}

// match runs over a text. It is the hot path of all translated expressions.
func (t *table) match(text []byte) bool {
	state := t.start
	for i := 0; i < len(text) && state > t.accepted; {
		if b := text[i]; b < utf8.RuneSelf {
			state = t.next[state+uint32(t.ascii[b])]
			i++
			continue
		}
		r, size := utf8.DecodeRune(text[i:])
		i += size
		if r > lastUnit && t.units {
			hi, lo := utf16.EncodeRune(r)
			state = t.next[state+t.letter(hi+surrogateShift)]
			r = lo + surrogateShift
		}
		state = t.next[state+t.letter(r)]
	}
	if state <= t.accepted {
		return state == t.accepted
	}
	return t.atEnd[state/uint32(t.letters)]
}
