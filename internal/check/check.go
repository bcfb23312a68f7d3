// Package check holds the validators: the rules that a schema's fields put on
// the cells of a row.
//
// [Rules] are compiled once from a schema and applied to a [intray.Batch],
// field by field; what breaks a rule becomes a [intray.Problem]. [Uniques] take
// the values of all batches and find those that are in several rows: what breaks
// such a rule shows only when all rows are known. The package does not parse: it
// sees values, and beside them the raw text.
package check

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"sync"

	"github.com/intraydata/intray"
)

// Rules are the validators of a schema. They may be applied from several
// goroutines, to one batch each.
type Rules struct {
	fields []rule
	// unique is what all rows of the table are compared by.
	unique []uniqueKey
	// arrangers are used again from batch to batch.
	arrangers sync.Pool
}

// rule looks at all cells of one field.
type rule func(b *intray.Batch)

// Compile makes the rules of a schema. Validators that this version does not
// know are an error.
func Compile(fields []intray.Field) (*Rules, error) {
	r := &Rules{arrangers: sync.Pool{New: func() any { return new(arranger) }}}
	made := expressions{}
	for i, f := range fields {
		for _, v := range f.Validators {
			compiled, err := compile(i, fields, v, made)
			var missing *MissingFieldError
			if errors.As(err, &missing) {
				missing.Field = f.Key
				return nil, missing
			}
			if err != nil {
				return nil, fmt.Errorf("field %q: %w", f.Key, err)
			}
			if compiled != nil {
				r.fields = append(r.fields, compiled)
			}
		}
	}
	r.unique = uniqueKeys(fields)
	return r, nil
}

// MissingFieldError is the error of a validator that names a field which the
// schema does not have.
type MissingFieldError struct {
	// Field is the key of the validator's field, and Rule the validator's name.
	Field, Rule string
	// Missing is the key that it names.
	Missing string
}

// Error says which validator names which field.
func (e *MissingFieldError) Error() string {
	return fmt.Sprintf("field %q: the validator %q names the field %q, which is not there", e.Field, e.Rule, e.Missing)
}

// compile gives nil for a rule about all rows of the table.
func compile(field int, fields []intray.Field, v intray.Validator, made expressions) (rule, error) {
	switch v.Rule {
	case "required":
		return required(field, v), nil
	case "regex_match", "regex_exclude":
		return made.regex(field, v)
	case "length":
		return length(field, v), nil
	case "alphabetical":
		return alphabetical(field, v), nil
	case "unique", "unique_case_insensitive", "unique_with":
		return nil, nil
	case "require_with", "require_without", "require_with_all", "require_without_all",
		"require_with_values", "require_without_values", "require_with_all_values", "require_without_all_values":
		return requireWith(field, fields, v)
	}
	return nil, fmt.Errorf("the validator %q is not supported by this version", v.Rule)
}

// Len is the number of rules, and so the most problems that they find in a row.
func (r *Rules) Len() int { return len(r.fields) + len(r.unique) }

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

// aboutAll are the rules that compare all rows of a table.
var aboutAll = []string{"unique", "unique_case_insensitive", "unique_with"}

// names are the rules about a row by itself.
var names = []string{
	"required", "regex_match", "regex_exclude", "length", "alphabetical",
	"require_with", "require_without", "require_with_all", "require_without_all",
	"require_with_values", "require_without_values", "require_with_all_values", "require_without_all_values",
}

// IsRule says whether a code of a problem is the name of a rule, and whether of
// one about all rows of the table.
func IsRule(code string) (rule, allRows bool) {
	allRows = slices.Contains(aboutAll, code)
	return allRows || slices.Contains(names, code), allRows
}

// arranger brings problems into order by counting: they come field by field,
// and where many are wrong, comparing takes far longer than all else.
type arranger struct {
	// next is where the next problem of each row goes.
	next []uint32
	// places are where the problems go.
	places []uint32
}

func byRow(x, y intray.Problem) int {
	return cmp.Or(cmp.Compare(x.Row, y.Row), cmp.Compare(x.Field, y.Field))
}

func byField(x, y intray.Problem) int { return cmp.Compare(x.Field, y.Field) }

// arrange sorts by row and field; equal ones keep their order.
func (a *arranger) arrange(problems []intray.Problem, rows int) {
	if slices.IsSortedFunc(problems, byRow) {
		return
	}
	a.place(problems, rows)
	for i := range problems {
		for to := a.places[i]; to != uint32(i); to = a.places[i] {
			problems[i], problems[to] = problems[to], problems[i]
			a.places[i], a.places[to] = a.places[to], to
		}
	}
	// By now next is where each row ends.
	from := uint32(0)
	for _, end := range a.next[:rows] {
		if row := problems[from:end]; !slices.IsSortedFunc(row, byField) {
			slices.SortStableFunc(row, byField)
		}
		from = end
	}
}

// place finds where each problem goes: to those of its row, behind those that
// came before it.
func (a *arranger) place(problems []intray.Problem, rows int) {
	a.next = append(a.next[:0], make([]uint32, rows+1)...)
	for i := range problems {
		a.next[problems[i].Row+1]++
	}
	for row := range rows {
		a.next[row+1] += a.next[row]
	}
	a.places = a.places[:0]
	for i := range problems {
		row := problems[i].Row
		a.places = append(a.places, a.next[row])
		a.next[row]++
	}
}
