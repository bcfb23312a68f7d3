package jsonrows

import (
	"encoding/binary"
	"math/bits"
	"strings"
)

// notFound is returned in place of an offset if a token is missing or invalid.
const notFound = -1

// A token is a name, a string, a number, or one of true, false and null. The functions in this
// file find the ends of tokens and values. They accept exactly the grammar of RFC 8259, but do
// not check for valid UTF-8. The functions for tokens and values return the offset after the
// token or value that starts at text[at], or notFound.

// stringStop returns the offset of the first quote, backslash or control character at or after
// text[at], or the end of text. It examines 16 bytes at a time.
func stringStop(text []byte, at int) int {
	for ; at+16 <= len(text); at += 16 {
		sixteen := text[at : at+16 : at+16]
		hits, next := stops(binary.LittleEndian.Uint64(sixteen)), stops(binary.LittleEndian.Uint64(sixteen[8:]))
		if hits|next != 0 {
			from := at
			if hits == 0 {
				hits, from = next, at+8
			}
			return from + bits.TrailingZeros64(hits)/8
		}
	}
	for at < len(text) && text[at] != '"' && text[at] != '\\' && text[at] >= ' ' {
		at++
	}
	return at
}

// quoteIn16 returns the index of the first quote or control character in 16 bytes, or 16 if there is none.
func quoteIn16(text []byte) int {
	low := bits.TrailingZeros64(quoteStops(binary.LittleEndian.Uint64(text))) / 8
	high := bits.TrailingZeros64(quoteStops(binary.LittleEndian.Uint64(text[8:]))) / 8
	return low + high&-(low>>3) // low is 8 if the first half has none
}

// stops returns a word in which the high bit of the lowest byte of word that is a quote, a backslash or a
// control character is set. Higher bits are not reliable.
func stops(word uint64) uint64 { return quoteStops(word) | zeroBytes(word^slashes) }

// quoteStops is like stops, but ignores backslashes. After the exclusive OR with 2, only quotes and control
// characters are less than 33.
func quoteStops(word uint64) uint64 {
	low := word ^ 2*ones
	return (low - 33*ones) &^ low & highs
}

// stringToken reads the string whose opening quote is at text[at].
func stringToken(text []byte, at int) int {
	for at = stringStop(text, at+1); at < len(text); at = stringStop(text, at) {
		switch text[at] {
		case '"':
			return at + 1
		case '\\':
			if at = escapeToken(text, at); at == notFound {
				return notFound
			}
		default:
			return notFound
		}
	}
	return notFound
}

// escapeToken reads the escape sequence at text[at].
func escapeToken(text []byte, at int) int {
	if at+1 >= len(text) {
		return notFound
	}
	if text[at+1] != 'u' {
		if strings.IndexByte(`"\/bfnrt`, text[at+1]) < 0 {
			return notFound
		}
		return at + 2
	}
	if _, fine := parseHex4(text, at+2); !fine {
		return notFound
	}
	return at + 6
}

// parseHex4 parses four hexadecimal digits.
func parseHex4(text []byte, at int) (char rune, fine bool) {
	if at+4 > len(text) {
		return 0, false
	}
	for _, c := range text[at : at+4] {
		switch {
		case c >= '0' && c <= '9':
			c -= '0'
		case c|0x20 >= 'a' && c|0x20 <= 'f':
			c = c | 0x20 - 'a' + 10
		default:
			return 0, false
		}
		char = char<<4 | rune(c)
	}
	return char, true
}

// numberToken reads a number.
func numberToken(text []byte, at int) int {
	if at < len(text) && text[at] == '-' {
		at++
	}
	whole := skipDigits(text, at)
	if whole == at || text[at] == '0' && whole > at+1 {
		return notFound
	}
	at = whole
	if at < len(text) && text[at] == '.' {
		from := at + 1
		if at = skipDigits(text, from); at == from {
			return notFound
		}
	}
	if at < len(text) && text[at]|0x20 == 'e' {
		if at++; at < len(text) && (text[at] == '+' || text[at] == '-') {
			at++
		}
		from := at
		if at = skipDigits(text, from); at == from {
			return notFound
		}
	}
	return at
}

// skipDigits returns the offset after the digits that start at text[at]. It examines eight bytes at a
// time. Only the lowest bit of others is reliable.
func skipDigits(text []byte, at int) int {
	for ; at+8 <= len(text); at += 8 {
		values := binary.LittleEndian.Uint64(text[at:]) ^ '0'*ones
		if others := (values + (0x80-10)*ones | values) & highs; others != 0 {
			return at + bits.TrailingZeros64(others)/8
		}
	}
	for at < len(text) && text[at]-'0' <= 9 {
		at++
	}
	return at
}

// literalToken reads true, false or null.
func literalToken(text []byte, at int) int {
	rest := text[at:]
	switch {
	case len(rest) >= 4 && (string(rest[:4]) == "true" || string(rest[:4]) == "null"):
		return at + 4
	case len(rest) >= 5 && string(rest[:5]) == "false":
		return at + 5
	}
	return notFound
}

// scalarToken reads a string, a number or a literal.
func scalarToken(text []byte, at int) int {
	switch c := text[at]; {
	case c == '"':
		return stringToken(text, at)
	case c == '-' || c-'0' <= 9:
		return numberToken(text, at)
	}
	return literalToken(text, at)
}

// valueToken reads any value. depth is its nesting depth, counted from 1.
func valueToken(text []byte, at, depth int) int {
	if at >= len(text) {
		return notFound
	}
	if text[at] != '{' && text[at] != '[' {
		return scalarToken(text, at)
	}
	if depth > MaxDepth {
		return notFound
	}
	shut := text[at] + 2 // in ASCII, ] and } come two after [ and {
	if at = skipSpace(text, at+1); at < len(text) && text[at] == shut {
		return at + 1
	}
	for {
		if shut == '}' {
			if at = nameToken(text, at); at == notFound {
				return notFound
			}
		}
		if at = valueToken(text, at, depth+1); at == notFound {
			return notFound
		}
		if at = skipSpace(text, at); at >= len(text) || text[at] != ',' && text[at] != shut {
			return notFound
		}
		if text[at] == shut {
			return at + 1
		}
		at = skipSpace(text, at+1)
	}
}

// nameToken reads a name and its colon, and returns the offset of the value.
func nameToken(text []byte, at int) int {
	if at >= len(text) || text[at] != '"' {
		return notFound
	}
	if at = stringToken(text, at); at == notFound {
		return notFound
	}
	if at = skipSpace(text, at); at >= len(text) || text[at] != ':' {
		return notFound
	}
	return skipSpace(text, at+1)
}

// skipSpace returns the offset of the first character at or after text[at] that is not white
// space, or the end of text.
func skipSpace(text []byte, at int) int {
	for at < len(text) {
		switch text[at] {
		case ' ', '\t', '\r', '\n':
			at++
		default:
			return at
		}
	}
	return at
}

// stringEnd returns the offset after the string whose opening quote is at text[at], and
// whether it contains escape sequences. The string must be valid.
func stringEnd(text []byte, at int) (end int, escaped bool) {
	at = findQuoteOrBackslash(text, at+1)
	for text[at] == '\\' {
		escaped = true
		at = findQuoteOrBackslash(text, at+2)
	}
	return at + 1, escaped
}

// findQuoteOrBackslash returns the offset of the first quote or backslash at or after
// text[at]. There must be one. It examines eight bytes at a time.
func findQuoteOrBackslash(text []byte, at int) int {
	for ; at+8 <= len(text); at += 8 {
		word := binary.LittleEndian.Uint64(text[at:])
		if hits := zeroBytes(word^quotes) | zeroBytes(word^slashes); hits != 0 {
			return at + bits.TrailingZeros64(hits)/8
		}
	}
	for text[at] != '"' && text[at] != '\\' {
		at++
	}
	return at
}

const (
	ones    = 0x0101010101010101
	highs   = 0x8080808080808080
	quotes  = '"' * ones
	slashes = '\\' * ones
)

// zeroBytes returns a word in which the high bit of each zero byte of word is set. Only the
// lowest such bit is reliable, because higher bits may be set wrongly.
func zeroBytes(word uint64) uint64 { return (word - ones) &^ word & highs }

// literalEnd returns the offset after the number, true, false or null at text[at], which must
// be valid.
func literalEnd(text []byte, at int) int {
	for {
		switch text[at] {
		case ',', '}', ']', ' ', '\t', '\r', '\n':
			return at
		}
		at++
	}
}
