package jsonrows

import "github.com/go-json-experiment/json/jsontext"

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

// expected says what every element has to be.
func (p part) expected() string {
	if p.rows {
		return "an array of arrays, or one array per line,"
	}
	return "an array of objects, or one object per line,"
}
