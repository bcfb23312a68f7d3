package value

import (
	"github.com/intraydata/intray"
	"github.com/intraydata/intray/internal/value/number"
)

// checkbox is the type checkbox: the words of no are false, all else is true. Of a
// number the value counts, and not how it is displayed.
type checkbox struct{}

func newCheckbox(intray.Field, options) (Parser, error) { return checkbox{}, nil }

func (checkbox) Parse(c Cell, _ []byte) Result {
	word := trimmed(c.Raw)
	if c.Kind == intray.CellBool {
		word = c.Typed
	}
	switch {
	case len(word) == 0:
		return Result{State: Empty}
	case c.Kind == intray.CellNumber && zero(c.Typed), c.Kind != intray.CellNumber && saysNo(word):
		return outcome(c.Raw, falseText)
	}
	return outcome(c.Raw, trueText)
}

// zero says whether a number is 0, however it is written.
func zero(text []byte) bool {
	var room [usualKey]byte
	value, ok := number.Canonical(room[:0], text)
	return ok && string(value) == "0"
}

var trueText, falseText = []byte("true"), []byte("false")

// saysNo knows the words that mean no, in any case.
func saysNo(word []byte) bool {
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
