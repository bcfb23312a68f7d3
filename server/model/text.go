package model

import (
	"strings"
	"unicode/utf8"
)

// MaxLabel is the maximum length of a name in a request, in characters.
const MaxLabel = 255

// IsPrintable reports whether text is valid UTF-8 without control characters. Such
// text is safe in a header or a log line.
func IsPrintable(text string) bool {
	return utf8.ValidString(text) && !strings.ContainsFunc(text, func(r rune) bool { return r < ' ' || r == 0x7f || r >= 0x80 && r < 0xa0 || r == 0x2028 || r == 0x2029 })
}

// Truncate shortens text from a request to 100 characters, for use in an error
// message.
func Truncate(text string) string {
	const most = 100
	if runes := []rune(text); len(runes) > most {
		return string(runes[:most-1]) + "…"
	}
	return text
}
