package model

import (
	"strings"
	"unicode/utf8"
)

// MaxLabel is the most characters that a name in a request may have.
const MaxLabel = 255

// IsPrintable says whether text is UTF-8 and free of control characters, so that it can
// stand in a header or a log line.
func IsPrintable(text string) bool {
	return utf8.ValidString(text) && !strings.ContainsFunc(text, func(r rune) bool { return r < ' ' || r == 0x7f || r >= 0x80 && r < 0xa0 || r == 0x2028 || r == 0x2029 })
}

// Truncate shortens what a request holds for a sentence about it.
func Truncate(text string) string {
	const most = 100
	if runes := []rune(text); len(runes) > most {
		return string(runes[:most-1]) + "…"
	}
	return text
}
