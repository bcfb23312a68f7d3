package value

import (
	"bytes"

	"github.com/intraydata/intray"
)

// checkbox is the type checkbox: the words of no are false, all else is true.
type checkbox struct{}

func newCheckbox(intray.Field, options) (Parser, error) { return checkbox{}, nil }

// falseWords mean no, in any case.
var falseWords = [...]string{"0", "off", "n", "no", "false", "disabled"}

func (checkbox) Parse(c Cell, scratch []byte) Result {
	word := bytes.TrimSpace(c.Raw)
	if c.Kind == intray.CellBool {
		word = c.Typed
	}
	if len(word) == 0 {
		return Result{State: Empty}
	}
	for _, no := range falseWords {
		if bytes.EqualFold(word, []byte(no)) {
			return outcome(c.Raw, append(scratch, "false"...))
		}
	}
	return outcome(c.Raw, append(scratch, "true"...))
}
