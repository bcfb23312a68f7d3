package number

import (
	"unicode"
	"unicode/utf8"
)

// zeros are the first digits of the scripts whose digits are read.
var zeros = [...]rune{
	'0', '٠', '۰', '߀', '०', '০', '੦', '૦', '୦', '௦', '౦', '೦', '൦', '๐', '໐', '༠', '၀', '០', '᠐', '０',
}

// digit gives the value of a digit and the zero of its script.
func digit(r rune) (value byte, zero rune, ok bool) {
	if r < utf8.RuneSelf {
		return byte(r - '0'), '0', '0' <= r && r <= '9'
	}
	for _, zero := range zeros[1:] {
		if r >= zero && r <= zero+9 {
			return byte(r - zero), zero, true
		}
	}
	return 0, 0, false
}

// separator gives the sign that a character between digits is, or Undecided.
func separator(r rune) Sign {
	switch r {
	case '.', '．':
		return Point
	case ',', '，':
		return Comma
	case ' ', '\u00a0', '\u202f', '\u2009', '\u2007', '\u2008', '\u2005', '\u2006', '\u3000':
		return Space
	case '\'', '’', '‘', 'ʼ', '＇':
		return Apostrophe
	case '٫':
		return arabicDecimal
	case '٬':
		return arabicGroup
	}
	return Undecided
}

func isMinus(r rune) bool {
	switch r {
	case '-', '−', '–', '‐', '‑', '‒', '﹣', '－':
		return true
	}
	return false
}

func isPlus(r rune) bool { return r == '+' || r == '＋' }

// perHundred gives the places that a percent or per mille sign moves, or 0.
func perHundred(r rune) uint8 {
	switch r {
	case '%', '％', '﹪', '٪':
		return 2
	case '‰', '؉':
		return 3
	}
	return 0
}

// isBlank says whether a character beside a number means nothing: white space,
// and marks that only steer the direction of writing.
func isBlank(r rune) bool {
	switch {
	case r == ' ' || r >= '\t' && r <= '\r':
		return true
	case r < utf8.RuneSelf:
		return false
	case r >= '\u200b' && r <= '\u200f', r >= '\u202a' && r <= '\u202e', r >= '\u2060' && r <= '\u2069':
		return true
	}
	return r == '\ufeff' || r == '\u061c' || unicode.IsSpace(r)
}
