package output

import (
	"encoding/json"
	"fmt"

	"github.com/intraydata/intray"
	"github.com/intraydata/intray/internal/value"
)

// shape is how a field's values are written.
type shape int

const (
	// text is written as a JSON string.
	text shape = iota
	// number and truth are written as they are.
	number
	truth
	// list is a JSON array and written as it is.
	list
)

// field is what writing needs to know of a field.
type field struct {
	key   string
	shape shape
	// many says that several columns feed the field: its shape is list.
	many bool
	// stringField says that empty text is a value.
	stringField bool
	// write writes a value in the field's own format; nil where it stands as it is.
	write func(dst, canonical []byte) []byte
}

func compile(schema *intray.Schema) ([]field, error) {
	fields := make([]field, 0, len(schema.Fields))
	for _, f := range schema.Fields {
		if f.Key == unmappedKey && schema.Settings.PassThroughUnmappedColumns {
			return nil, fmt.Errorf("a field has the key %s, and unmapped columns are passed through under it", unmappedKey)
		}
		write, err := value.Writer(f)
		if err != nil {
			return nil, fmt.Errorf("field %q: %w", f.Key, err)
		}
		made := field{key: f.Key, shape: shapeOf(f), many: f.ManyToOne, stringField: f.Type.Name == intray.TypeString && !f.ManyToOne, write: write}
		if write != nil && !f.ManyToOne {
			made.shape = text
		}
		fields = append(fields, made)
	}
	return fields, nil
}

func shapeOf(f intray.Field) shape {
	if f.ManyToOne {
		return list
	}
	switch f.Type.Name {
	case intray.TypeNumber:
		return number
	case intray.TypeCheckbox:
		return truth
	case intray.TypeMultiSelect:
		return list
	}
	return text
}

// literal says whether a value may stand in JSON as it is. A value that does
// not keep its type's form must not get there: it could forge further fields.
func (s shape) literal(v []byte) bool {
	switch s {
	case number:
		return isNumber(v)
	case truth:
		return string(v) == "true" || string(v) == "false"
	case list:
		return len(v) > 0 && v[0] == '[' && json.Valid(v)
	}
	return false
}

// isNumber says whether v is a number as JSON writes it.
func isNumber(v []byte) bool {
	if len(v) > 0 && v[0] == '-' {
		v = v[1:]
	}
	whole := digits(v)
	if whole == 0 || whole > 1 && v[0] == '0' {
		return false
	}
	v = v[whole:]
	if len(v) > 0 && v[0] == '.' {
		n := digits(v[1:])
		if n == 0 {
			return false
		}
		v = v[1+n:]
	}
	return len(v) == 0 || isExponent(v)
}

func isExponent(v []byte) bool {
	if v[0] != 'e' && v[0] != 'E' {
		return false
	}
	v = v[1:]
	if len(v) > 0 && (v[0] == '+' || v[0] == '-') {
		v = v[1:]
	}
	return len(v) > 0 && digits(v) == len(v)
}

// digits is the number of digits that v begins with.
func digits(v []byte) int {
	n := 0
	for n < len(v) && v[n] >= '0' && v[n] <= '9' {
		n++
	}
	return n
}
