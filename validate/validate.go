// Package validate holds the validators: the rules of a schema's fields about
// the cells of a row.
//
// [Rules] are compiled once from a schema and applied to an [intray.Batch],
// field by field; each violation becomes an [intray.Problem]. A [UniqueChecker]
// observes the values of all batches and finds those that are in several rows,
// which shows only after the last row. The package does not parse: it reads
// values, and the raw text next to them.
package validate

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
	rules []rule
	// unique holds the keys of the rules about all rows.
	unique []uniqueKey
	// sorters are free problem sorters.
	sorters sync.Pool
}

// rule checks all cells of one field.
type rule func(b *intray.Batch)

// Compile returns the rules of a schema. Unknown validators are an error.
func Compile(fields []intray.Field) (*Rules, error) {
	r := &Rules{sorters: sync.Pool{New: func() any { return new(problemSorter) }}}
	made := regexCache{}
	for i, f := range fields {
		for _, v := range f.Validators {
			compiled, err := compileRule(i, fields, v, made)
			var missing *MissingFieldError
			if errors.As(err, &missing) {
				missing.Field = f.Key
				return nil, missing
			}
			if err != nil {
				return nil, fmt.Errorf("field %q: %w", f.Key, err)
			}
			if compiled != nil {
				r.rules = append(r.rules, compiled)
			}
		}
	}
	r.unique = uniqueKeys(fields)
	return r, nil
}

// MissingFieldError reports a validator that names a field which the schema
// does not have.
type MissingFieldError struct {
	// Field is the key of the validator's field, and Rule the validator's name.
	Field, Rule string
	// Missing is the key of the missing field.
	Missing string
}

// Error names the validator and the missing field.
func (e *MissingFieldError) Error() string {
	return fmt.Sprintf("field %q: the validator %q names the field %q, which is not there", e.Field, e.Rule, e.Missing)
}

// compileRule returns nil for a rule about all rows of the table.
func compileRule(field int, fields []intray.Field, v intray.Validator, made regexCache) (rule, error) {
	switch v.Rule {
	case "required":
		return requiredRule(field, v), nil
	case "regex_match", "regex_exclude":
		return made.regexRule(field, v)
	case "length":
		return lengthRule(field, v), nil
	case "alphabetical":
		return alphabeticalRule(field, v), nil
	case "unique", "unique_case_insensitive", "unique_with":
		return nil, nil
	case "require_with", "require_without", "require_with_all", "require_without_all",
		"require_with_values", "require_without_values", "require_with_all_values", "require_without_all_values":
		return requireWith(field, fields, v)
	}
	return nil, fmt.Errorf("the validator %q is not supported by this version", v.Rule)
}

// Len returns the number of rules, which is the most problems that they find in
// a row.
func (r *Rules) Len() int { return len(r.rules) + len(r.unique) }

// Apply adds the problems that the rules find to the batch, and sorts all its
// problems by row and field.
func (r *Rules) Apply(b *intray.Batch) {
	for _, apply := range r.rules {
		apply(b)
	}
	a := r.sorters.Get().(*problemSorter)
	defer r.sorters.Put(a)
	a.sort(b.Problems, b.Rows())
}

// tableRules are the rules that compare all rows of a table.
var tableRules = []string{"unique", "unique_case_insensitive", "unique_with"}

// rowRules are the rules about single rows.
var rowRules = []string{
	"required", "regex_match", "regex_exclude", "length", "alphabetical",
	"require_with", "require_without", "require_with_all", "require_without_all",
	"require_with_values", "require_without_values", "require_with_all_values", "require_without_all_values",
}

// IsRule reports whether the code of a problem is the name of a rule, and
// whether that rule is about all rows of the table.
func IsRule(code string) (rule, allRows bool) {
	allRows = slices.Contains(tableRules, code)
	return allRows || slices.Contains(rowRules, code), allRows
}

// problemSorter sorts problems by counting. They arrive field by field, and
// with many problems, comparing would take longer than everything else.
type problemSorter struct {
	// next holds the index of the next problem of each row.
	next []uint32
	// targets are the new indexes of the problems.
	targets []uint32
}

func compareRow(x, y intray.Problem) int {
	return cmp.Or(cmp.Compare(x.Row, y.Row), cmp.Compare(x.Field, y.Field))
}

func compareField(x, y intray.Problem) int { return cmp.Compare(x.Field, y.Field) }

// sort sorts by row and field; it is stable.
func (a *problemSorter) sort(problems []intray.Problem, rows int) {
	if slices.IsSortedFunc(problems, compareRow) {
		return
	}
	a.computeTargets(problems, rows)
	for i := range problems {
		for to := a.targets[i]; to != uint32(i); to = a.targets[i] {
			problems[i], problems[to] = problems[to], problems[i]
			a.targets[i], a.targets[to] = a.targets[to], to
		}
	}
	// Now next holds where each row ends.
	from := uint32(0)
	for _, end := range a.next[:rows] {
		if row := problems[from:end]; !slices.IsSortedFunc(row, compareField) {
			slices.SortStableFunc(row, compareField)
		}
		from = end
	}
}

// computeTargets computes the new index of each problem, in its row after those
// that preceded it.
func (a *problemSorter) computeTargets(problems []intray.Problem, rows int) {
	a.next = append(a.next[:0], make([]uint32, rows+1)...)
	for i := range problems {
		a.next[problems[i].Row+1]++
	}
	for row := range rows {
		a.next[row+1] += a.next[row]
	}
	a.targets = a.targets[:0]
	for i := range problems {
		row := problems[i].Row
		a.targets = append(a.targets, a.next[row])
		a.next[row]++
	}
}
