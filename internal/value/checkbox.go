package value

import (
	"github.com/intraydata/intray"
)

// checkbox is the type checkbox: the words of no are false, all else is true.
type checkbox struct{}

func newCheckbox(intray.Field, options) (Parser, error) { return checkbox{}, nil }

func (checkbox) Parse(c Cell, _ []byte) Result {
	word := trimmed(c.Raw)
	if c.Kind == intray.CellBool {
		word = c.Typed
	}
	if len(word) == 0 {
		return Result{State: Empty}
	}
	if saysNo(word) {
		return outcome(c.Raw, falseText)
	}
	return outcome(c.Raw, trueText)
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
