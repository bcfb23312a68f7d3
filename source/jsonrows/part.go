package jsonrows

import (
	"github.com/go-json-experiment/json/jsontext"

	"github.com/intraydata/intray"
)

// A part is where the elements of one sheet stand in a file.
type part struct {
	// name is the way to the array through the objects around it, joined by
	// dots.
	name string
	// start is the place of the array in the file, or of the first line.
	start int64
	// array says that the elements stand in one array, rather than one per line.
	array bool
	// rows says that the elements are arrays.
	rows bool
	// inside is the number of objects around the array.
	inside int
}

// kind is what each element is.
func (p part) kind() jsontext.Kind {
	if p.rows {
		return '['
	}
	return '{'
}

// outer is the number of levels around an element.
func (p part) outer() int {
	if p.array {
		return p.inside + 1
	}
	return 0
}

// form says how the elements stand in the file.
func (p part) form() string {
	switch {
	case p.array && p.rows:
		return "array of arrays"
	case p.array:
		return "array of objects"
	case p.rows:
		return "one array per line"
	}
	return "one object per line"
}

// unexpected says that an element is of another kind than every element has to
// be.
func (p part) unexpected(kind jsontext.Kind) intray.Message {
	params := intray.Params{"found": kindName(kind)}
	if p.rows {
		return intray.NewMessage("json_file.array_expected", params)
	}
	return intray.NewMessage("json_file.object_expected", params)
}
