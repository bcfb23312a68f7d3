package jsonrows

import (
	"encoding/binary"
	"math/bits"
)

// skipSpace is the place of the first character from text[at] on that is not
// white space, or the end.
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

// stringEnd is the place behind the string whose opening quote is at text[at].
// It says whether the string has escapes.
func stringEnd(text []byte, at int) (end int, escaped bool) {
	at = mark(text, at+1)
	for text[at] == '\\' {
		escaped = true
		at = mark(text, at+2)
	}
	return at + 1, escaped
}

// mark is the place of the first quote or backslash from text[at] on; there is
// one. It looks at eight bytes at a time.
func mark(text []byte, at int) int {
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
	blanks  = ' ' * ones
)

// zeroBytes sets the high bit of each byte that is zero. Bytes above the lowest
// zero may be set wrongly, so only the lowest counts.
func zeroBytes(word uint64) uint64 { return (word - ones) &^ word & highs }

// literalEnd is the place behind the number, true, false or null at text[at].
func literalEnd(text []byte, at int) int {
	for {
		switch text[at] {
		case ',', '}', ']', ' ', '\t', '\r', '\n':
			return at
		}
		at++
	}
}
