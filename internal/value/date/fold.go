package date

import (
	"sync"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// cellBytes is the longest text that is looked at. The longest date and time of
// all locales is a Thai one of 157 bytes. Folded, a text has at most half as many
// bytes more, which the places of tokens must be able to count.
const cellBytes = 160

// accented is where letters with accents of the Latin, Greek and Cyrillic
// scripts end.
const accented = 0x530

// plain holds the small letter without accents of each letter below accented,
// and of those from 1E00 to 1FFF.
var plain = sync.OnceValue(func() *[accented + 0x200]rune {
	table := new([accented + 0x200]rune)
	for i := range table {
		table[i] = plainLetter(rune(i + max(0, i/accented*(0x1E00-accented))))
	}
	return table
})

func plainLetter(r rune) rune {
	if r == 'İ' || r == 'ı' {
		return 'i'
	}
	decomposed := norm.NFD.AppendString(nil, string(unicode.ToLower(r)))
	first, _ := utf8.DecodeRune(decomposed)
	return unicode.ToLower(first)
}

// foldRune gives the letter, digit or sign by which r is compared; 0 where r
// counts for nothing.
func foldRune(r rune, table *[accented + 0x200]rune) rune {
	switch {
	case r >= 0x300 && r < 0x370: // accents of their own
		return 0
	case r == 0xA0 || r == 0xB7:
		return ' '
	case r < accented:
		return table[r]
	case r >= 0x1E00 && r < 0x2000:
		return table[r-0x1E00+accented]
	case r >= 0x2000 && r < 0x2070:
		return foldPunctuation(r)
	case r >= 0xFF01 && r <= 0xFF5E: // full-width
		return unicode.ToLower(r - 0xFEE0)
	}
	return foldOther(r)
}

func foldPunctuation(r rune) rune {
	switch {
	case r <= 0x200A || r == 0x202F || r == 0x205F:
		return ' '
	case r >= 0x2010 && r <= 0x2015:
		return '-'
	case r == 0x2018 || r == 0x2019 || r == 0x2032:
		return '\''
	case r == 0x2024:
		return '.'
	case r == 0x2044:
		return '/'
	case r <= 0x200F || r >= 0x2028 && r < 0x202F || r >= 0x2060:
		return 0
	}
	return r
}

func foldOther(r rune) rune {
	switch r {
	case 0x5F3, 0x5F4, 0x61C, 0x640, 0xFEFF: // geresh, marks of direction, tatweel
		return 0
	case 0x3000, 0x30FB, 0x1680:
		return ' '
	case 0x60C, 0x3001, 0x3002:
		return ','
	case 0x2212:
		return '-'
	case 0x2215:
		return '/'
	}
	for _, zero := range digitZeros {
		if r >= zero && r < zero+10 {
			return '0' + r - zero
		}
	}
	return r
}

// digitZeros are the zeros of the digits that are read beside 0 to 9 and their
// full-width forms: Arabic-Indic, Persian, Devanagari, Bengali, Thai, Myanmar.
var digitZeros = [...]rune{0x660, 0x6F0, 0x966, 0x9E6, 0xE50, 0x1040}

// appendFolded appends text in the form in which texts are compared: small
// letters without accents, digits 0 to 9, plain spaces and dashes. It stops
// where dst is full; bytes that are no UTF-8 become question marks.
func appendFolded(dst, text []byte) []byte {
	table := plain()
	for len(text) > 0 && len(dst)+utf8.UTFMax <= cap(dst) {
		c := text[0]
		if c < utf8.RuneSelf {
			dst = append(dst, foldASCII(c))
			text = text[1:]
			continue
		}
		r, size := utf8.DecodeRune(text)
		text = text[size:]
		if r == utf8.RuneError {
			dst = append(dst, '?')
		} else if r = foldRune(r, table); r != 0 {
			dst = utf8.AppendRune(dst, r)
		}
	}
	return dst
}

func foldASCII(c byte) byte {
	switch {
	case c-'A' < 26:
		return c + 'a' - 'A'
	case c-'\t' < 5:
		return ' '
	}
	return c
}

// wordKey is the form of a name in the dictionary: folded, and only its letters
// and digits.
func wordKey(name string) string {
	folded := appendFolded(make([]byte, 0, 4*len(name)+utf8.UTFMax), []byte(name))
	key := folded[:0]
	for _, c := range folded {
		if isLetter(c) || isDigit(c) {
			key = append(key, c)
		}
	}
	return string(key)
}

func isDigit(c byte) bool { return c-'0' < 10 }

func isLetter(c byte) bool { return c-'a' < 26 || c >= utf8.RuneSelf }
