package celltype

import (
	"github.com/intraydata/intray"
	"github.com/intraydata/intray/celltype/number"
)

// checkboxParser parses the type checkbox. Words that mean no are false; any other text is
// true. A number cell is read by its value, not by its displayed text.
type checkboxParser struct{}

func newCheckbox(intray.Field, options) (Parser, error) { return checkboxParser{}, nil }

func (checkboxParser) Parse(c Cell, _ []byte) Result {
	word := trimSpace(c.Raw)
	if c.Kind == intray.CellBool {
		word = c.Typed
	}
	switch {
	case len(word) == 0:
		return Result{State: Empty}
	case c.Kind == intray.CellNumber && isZero(c.Typed), c.Kind != intray.CellNumber && isFalseWord(word):
		return newResult(c.Raw, falseText)
	}
	return newResult(c.Raw, trueText)
}

// isZero reports whether a number is 0.
func isZero(text []byte) bool {
	var room [keyBufferSize]byte
	value, ok := number.Canonical(room[:0], text)
	return ok && string(value) == "0"
}

var trueText, falseText = []byte("true"), []byte("false")

// isFalseWord reports whether a word means no, in any case.
func isFalseWord(word []byte) bool {
	var no string
	switch lowerByte(word[0]) {
	case '0':
		return len(word) == 1
	case 'n':
		return len(word) == 1 || len(word) == 2 && lowerByte(word[1]) == 'o'
	case 'o':
		no = "off"
	case 'f':
		no = "false"
	case 'd':
		no = "disabled"
	}
	if len(word) != len(no) {
		return false
	}
	for i, b := range word {
		if lowerByte(b) != no[i] {
			return false
		}
	}
	return true
}

func lowerByte(b byte) byte {
	if b-'A' < 26 {
		return b + 'a' - 'A'
	}
	return b
}
