// Package check holds the validators: the rules that a schema's fields put on
// the cells of a row.
//
// [Rules] are compiled once from a schema and applied to a [intray.Batch],
// field by field; what breaks a rule becomes a [intray.Problem]. The package
// does not parse: it sees values, and beside them the raw text.
package check

import (
	"fmt"
	"sync"

	"github.com/intraydata/intray"
	"github.com/intraydata/intray/internal/value"
)

// Rules are the validators of a schema. They may be applied from several
// goroutines, to one batch each.
type Rules struct {
	fields []rule
	// arrangers are used again from batch to batch.
	arrangers sync.Pool
}

// rule looks at all cells of one field.
type rule func(b *intray.Batch)

// Compile makes the rules of a schema. Validators that this version does not
// know are an error.
func Compile(fields []intray.Field) (*Rules, error) {
	r := &Rules{arrangers: sync.Pool{New: func() any { return new(arranger) }}}
	for i, f := range fields {
		for _, v := range f.Validators {
			compiled, err := compile(i, f, v)
			if err != nil {
				return nil, err
			}
			r.fields = append(r.fields, compiled)
		}
	}
	return r, nil
}

func compile(field int, f intray.Field, v intray.Validator) (rule, error) {
	if v.Rule == "required" {
		return required(field, v), nil
	}
	return nil, fmt.Errorf("field %q: the validator %q is not supported by this version", f.Key, v.Rule)
}

// Len is the number of rules, and so the most problems that they find in a row.
func (r *Rules) Len() int { return len(r.fields) }

// Apply adds to the batch the problems that the rules find, and brings all its
// problems into the order of the rows, and in a row into that of the fields.
func (r *Rules) Apply(b *intray.Batch) {
	for _, apply := range r.fields {
		apply(b)
	}
	a := r.arrangers.Get().(*arranger)
	defer r.arrangers.Put(a)
	a.arrange(b.Problems, b.Rows())
}

// required wants every cell to hold something other than white space. A cell
// whose text could not be read is not empty: it has a problem of its own.
func required(field int, v intray.Validator) rule {
	problem := intray.Problem{Field: field, Code: "required", Level: v.Level, Text: v.Message}
	if problem.Text == "" {
		problem.Text = "This cell is empty and must not be. Fill it in."
	}
	return func(b *intray.Batch) {
		cells, found := &b.Fields[field], problem
		for row := range b.Rows() {
			if len(cells.Values.At(row)) > 0 && !value.Blank(cells.Values.At(row)) {
				continue
			}
			if !value.Blank(cells.Raw(row)) {
				continue
			}
			found.Row = row
			b.Problems = append(b.Problems, found)
		}
	}
}
