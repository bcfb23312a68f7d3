// Package doubleencoding repairs text that was encoded twice.
//
// A program that reads UTF-8 as if it were in an older encoding and saves it as UTF-8 turns each
// character beyond ASCII into two or more: "Müller" becomes "MÃ¼ller". The mistake can be reversed,
// because such text consists of sequences that hardly occur otherwise. The package repairs a text
// only if all of it can be reversed and the result is plausible. It does not decide what to do with
// text that is damaged further.
package doubleencoding

import (
	"bytes"
	"encoding/binary"
	"sync"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/encoding/charmap"
)

// page is an older encoding with one byte per character.
type page struct {
	name    string
	charmap *charmap.Charmap
	// sequences is the minimum number of sequences in a text that is repaired. It is higher if
	// letters of the encoding can form a sequence by chance.
	sequences int
}

var pages = []page{
	{"windows-1252", charmap.Windows1252, 1},
	{"ISO-8859-1", charmap.ISO8859_1, 1},
	{"windows-1251", charmap.Windows1251, 2},
	{"macintosh", charmap.Macintosh, 1},
	{"IBM850", charmap.CodePage850, 1},
	{"IBM437", charmap.CodePage437, 1},
	{"windows-1250", charmap.Windows1250, 1},
}

// maxTimes is the maximum number of times that a text is reversed.
const maxTimes = 3

// Repair returns the text that was encoded twice or more often, and the name of the encoding as
// which it was read. ok is false if text is not double-encoded for certain.
func Repair(text []byte) (repaired []byte, encoding string, ok bool) {
	for range maxTimes {
		next, name, reversed := reverse(text)
		if !reversed {
			break
		}
		text, encoding, ok = next, name, true
	}
	if !ok {
		return nil, "", false
	}
	return text, encoding, true
}

// Possible reports whether a part of text can be double-encoded. It is much faster than Repair, and false
// for most text with letters beyond ASCII.
func Possible(text []byte) bool {
	const high = 0x8080808080808080
	for len(text) > 0 {
		if len(text) >= 8 && binary.LittleEndian.Uint64(text)&high == 0 {
			text = text[8:]
			continue
		}
		if text[0] < utf8.RuneSelf {
			text = text[1:]
			continue
		}
		first, size := utf8.DecodeRune(text)
		text = text[size:]
		if len(text) > 0 && text[0] >= utf8.RuneSelf && first < signRunes && signs().leads[first] != 0 {
			if second, _ := utf8.DecodeRune(text); second < signRunes && signs().leads[first]&signs().continuations[second] != 0 {
				return true
			}
		}
	}
	return false
}

// reverse reverses one encoding. It does nothing if two pages lead to different texts.
func reverse(text []byte) (reversed []byte, encoding string, ok bool) {
	candidates := candidatePages(text)
	for i := range pages {
		if candidates&(1<<i) == 0 {
			continue
		}
		one := pages[i].encode(text)
		switch {
		case one == nil || !isPlausible(one, pages[i].sequences):
		case !ok:
			reversed, encoding, ok = one, pages[i].name, true
		case !bytes.Equal(one, reversed):
			return nil, "", false
		}
	}
	return reversed, encoding, ok
}

// candidatePages returns a set with a bit for each page in which the first two characters beyond
// ASCII are the first two bytes of a UTF-8 sequence. It is empty for nearly all text that was encoded
// once.
func candidatePages(text []byte) uint8 {
	at := 0
	for at < len(text) && text[at] < utf8.RuneSelf {
		at++
	}
	if at == len(text) {
		return 0
	}
	first, size := utf8.DecodeRune(text[at:])
	second, _ := utf8.DecodeRune(text[at+size:])
	if first >= signRunes || second >= signRunes || second < utf8.RuneSelf {
		return 0
	}
	t := signs()
	return t.leads[first] & t.continuations[second]
}

// signRunes is the upper bound of the characters of all pages.
const signRunes = 0x2600

// signTable holds, for each character, the set of pages in which it is the first byte of a UTF-8
// sequence, and in which it is one of the other bytes.
type signTable struct{ leads, continuations [signRunes]uint8 }

var signs = sync.OnceValue(func() *signTable {
	t := &signTable{}
	for i, p := range pages {
		for b := 0x80; b <= 0xF4; b++ {
			r := p.decode(byte(b))
			switch {
			case r >= signRunes:
			case b < 0xC0:
				t.continuations[r] |= 1 << i
			case b >= 0xC2:
				t.leads[r] |= 1 << i
			}
		}
	}
	return t
})

// decode returns the character of a byte. Bytes without a character become control characters, as in
// browsers.
func (p *page) decode(b byte) rune {
	if r := p.charmap.DecodeByte(b); r != utf8.RuneError {
		return r
	}
	return rune(b)
}

// encode returns the bytes of text in the page, or nil if the page lacks a character of text.
func (p *page) encode(text []byte) []byte {
	encoded := make([]byte, 0, len(text))
	for len(text) > 0 {
		r, size := utf8.DecodeRune(text)
		text = text[size:]
		switch b, known := p.charmap.EncodeRune(r); {
		case r < utf8.RuneSelf:
			encoded = append(encoded, byte(r))
		case known && r != utf8.RuneError:
			encoded = append(encoded, b)
		case r < 0xA0 && p.decode(byte(r)) == r:
			encoded = append(encoded, byte(r))
		default:
			return nil
		}
	}
	return encoded
}

// firstOfThree is the first character that has three bytes in UTF-8.
const firstOfThree = 0x800

// isPlausible reports whether text is valid UTF-8 with at least the given number of characters beyond
// ASCII, and whether all of them are common. A single letter of a script whose bytes can be common
// letters or signs is not enough, such as "Ø±" and "äžž", and such scripts are not mixed.
func isPlausible(text []byte, sequences int) bool {
	if !utf8.Valid(text) {
		return false
	}
	n, alphabet := 0, noAlphabet
	for _, r := range string(text) {
		if r < utf8.RuneSelf {
			continue
		}
		own := alphabetOf(r)
		if own == noAlphabet && !isCommon(r) || own != noAlphabet && alphabet != noAlphabet && own != alphabet {
			return false
		}
		alphabet = max(alphabet, own)
		n++
	}
	return n >= sequences && (alphabet == noAlphabet || n > 1)
}

// The groups of letters of which a text contains at most one.
const (
	noAlphabet = iota
	cyrillic
	hebrew
	arabic
	asian
)

// alphabetOf returns the group of a letter that may be the encoding of other letters by chance.
func alphabetOf(r rune) int {
	switch {
	case unicode.Is(unicode.Cyrillic, r):
		return cyrillic
	case unicode.Is(unicode.Hebrew, r):
		return hebrew
	case unicode.Is(unicode.Arabic, r):
		return arabic
	case r >= firstOfThree && (unicode.IsLetter(r) || unicode.IsMark(r)) && isCommon(r) && !unicode.Is(unicode.Latin, r):
		return asian
	}
	return noAlphabet
}

// isCommon reports whether a character is common in tables: a letter of Europe or of a script with a
// large population, punctuation, or a symbol.
func isCommon(r rune) bool {
	switch {
	case r >= 0xA0 && r < 0x180, r >= 0x218 && r <= 0x21B, r == 0xFEFF, r == 0x2DC, r == 0x2C6, r == 0x192:
		return true
	case r >= 0x2010 && r < 0x2070, r >= 0x20A0 && r < 0x20D0, r >= 0x2100 && r < 0x27C0, r >= 0x3000 && r < 0x3040, r >= 0xFF00 && r < 0xFFF0, r >= 0x1F300 && r < 0x1FB00:
		return true
	case r >= 0x1E00 && r < 0x1F00: // Vietnamese and others
		return true
	case unicode.IsLetter(r) || unicode.IsMark(r):
		return unicode.In(r, unicode.Greek, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Hangul, unicode.Devanagari, unicode.Bengali, unicode.Tamil, unicode.Telugu, unicode.Gujarati, unicode.Thai, unicode.Armenian, unicode.Georgian)
	}
	return false
}
