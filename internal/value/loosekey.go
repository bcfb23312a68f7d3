package value

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

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
