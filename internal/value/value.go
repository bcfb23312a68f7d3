// Package value reads the raw text of a cell as the type of its field.
//
// A [Parser] belongs to one field and is compiled once. It gives a canonical
// text, or says what is wrong. It looks at one cell at a time: it knows neither
// rows nor validators, and an empty cell is never wrong to it.
package value

import (
	"bytes"
	"fmt"

	"github.com/intraydata/intray"
)

// Parser reads the cells of one field. It may be used from several goroutines.
type Parser interface {
	// Parse reads raw. It may write to scratch, which it returns grown as
	// Result.Value where the value differs from the raw text.
	Parse(raw, scratch []byte) Result
}

// Result is what a cell was read as.
type Result struct {
	State State
	// Value is the canonical text where State is Parsed.
	Value []byte
	// Problem is the text of the problem where State is Wrong.
	Problem string
}

// State says how a cell was read.
type State uint8

// The states of a cell.
const (
	// Same: the value is the raw text itself.
	Same State = iota
	// Parsed: the value is Result.Value.
	Parsed
	// Empty: the cell has no value, and nothing is wrong.
	Empty
	// Wrong: the raw text is no value of the type.
	Wrong
)

// Compile makes the parser of a field. Types that this version does not read
// are an error.
func Compile(f intray.Field) (Parser, error) {
	switch f.Type.Name {
	case intray.TypeString:
		return text{}, nil
	case intray.TypeEmail:
		return email{problem: orText(f.InvalidValueMessage,
			"This is not an e-mail address. Write it like name@example.org.")}, nil
	}
	return nil, fmt.Errorf("field %q: the type %q is not supported by this version", f.Key, f.Type.Name)
}

func orText(text, otherwise string) string {
	if text != "" {
		return text
	}
	return otherwise
}

// text is the type string: anything, unchanged. An empty cell is the empty
// text, which is a value.
type text struct{}

func (text) Parse(raw, _ []byte) Result { return Result{State: Same} }

// Blank says whether raw holds nothing but white space. Such a cell counts as
// empty, whatever the type.
func Blank(raw []byte) bool { return len(bytes.TrimSpace(raw)) == 0 }
