package schemajson

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// maxNames is how many different names a hook may use. The engine's time to
// read a function grows with the square of the names in it: 30,000 take many
// seconds, this many at most about one.
const maxNames = 4_000

// nameCount is at least the number of names that a source declares. It counts
// different words, but not those directly beside a quote, which no name can be:
// large tables of strings are made of them. It stops counting above maxNames.
func nameCount(source string) int {
	// An escape in braces breaks a name into words, and white space beyond
	// ASCII seems to join two names, so that each counts as one more.
	n := strings.Count(source, `\u{`) + strings.Count(source, "\ufeff")
	for _, r := range source {
		if r >= utf8.RuneSelf && unicode.IsSpace(r) {
			n++
		}
	}
	seen := map[string]bool{}
	for at := 0; at < len(source) && n+len(seen) <= maxNames; {
		if !isNameByte(source[at]) {
			at++
			continue
		}
		end := wordEnd(source, at)
		if !isQuoted(source, at, end) {
			seen[source[at:end]] = true
		}
		at = end
	}
	return n + len(seen)
}

func wordEnd(source string, at int) int {
	for at < len(source) && isNameByte(source[at]) {
		at++
	}
	return at
}

func isQuoted(source string, at, end int) bool {
	before := at > 0 && strings.IndexByte(`"'`, source[at-1]) >= 0
	after := end < len(source) && strings.IndexByte(`"'`, source[end]) >= 0
	return before || after
}

// mentions says whether a source has a word, anywhere.
func mentions(source, word string) bool {
	for at := 0; at < len(source); {
		end := wordEnd(source, at)
		if source[at:end] == word {
			return true
		}
		at = max(end, at+1)
	}
	return false
}

// isNameByte says whether a byte may be a part of a name. Bytes beyond ASCII
// and the backslash of an escape may.
func isNameByte(b byte) bool {
	return b == '_' || b == '$' || b == '\\' || b >= 0x80 ||
		'0' <= b && b <= '9' || 'a' <= b && b <= 'z' || 'A' <= b && b <= 'Z'
}
