// Package validate implements the validators: the rules that the schema sets
// for the cells of a row.
//
// [Rules] are compiled once from a schema and applied to each [intray.Batch], one field at a
// time. Each violation becomes an [intray.Problem]. A [UniqueChecker] collects the values of all
// batches and reports duplicate values, which are known only after the last row. The package
// does not parse cells. It reads their values and raw text.
package validate

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"sync"

	"github.com/intraydata/intray"
)

// Rules are the validators of a schema. They are safe for concurrent use, with
// a different batch per goroutine.
type Rules struct {
	rules []rule
	// unique holds the keys that must be unique.
	unique []uniqueKey
	// sorters is a pool of problem sorters for reuse.
	sorters sync.Pool
}

// rule checks all cells of one field.
type rule func(b *intray.Batch)

// Compile returns the rules of a schema. It returns an error if a validator is unknown.
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

// MissingFieldError reports a validator that refers to a field that is not in the schema.
type MissingFieldError struct {
	// Field is the key of the field that has the validator. Rule is the name of the validator.
	Field, Rule string
	// Missing is the key of the missing field.
	Missing string
}

// Error returns a message with the names of the validator and the missing field.
func (e *MissingFieldError) Error() string {
	return fmt.Sprintf("field %q: the validator %q names the field %q, which is not there", e.Field, e.Rule, e.Missing)
}

// compileRule returns the rule of a validator, or nil if the validator compares
// all rows of the table.
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

// Len returns the number of rules, where all unique_with rules with the same uniqueKey count as
// one.
func (r *Rules) Len() int { return len(r.rules) + len(r.unique) }

// Apply checks a batch. It adds the problems that it finds, and sorts all
// problems of the batch by row and field.
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

// rowRules are the rules that check each row on its own.
var rowRules = []string{
	"required", "regex_match", "regex_exclude", "length", "alphabetical",
	"require_with", "require_without", "require_with_all", "require_without_all",
	"require_with_values", "require_without_values", "require_with_all_values", "require_without_all_values",
}

// IsRule reports whether the code of a problem is the name of a rule, and
// whether that rule compares all rows of the table.
func IsRule(code string) (rule, allRows bool) {
	allRows = slices.Contains(tableRules, code)
	return allRows || slices.Contains(rowRules, code), allRows
}

// problemSorter sorts problems with a counting sort. Problems are found field by field. If there
// are many, a comparison sort would take longer than the validation.
type problemSorter struct {
	// next holds, for each row, the new index of its next problem.
	next []uint32
	// targets holds the new index of each problem.
	targets []uint32
}

func compareRow(x, y intray.Problem) int {
	return cmp.Or(cmp.Compare(x.Row, y.Row), cmp.Compare(x.Field, y.Field))
}

func compareField(x, y intray.Problem) int { return cmp.Compare(x.Field, y.Field) }

// sort sorts problems by row and field. It is stable.
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
	// Each element of next is now the index after the last problem of its row.
	from := uint32(0)
	for _, end := range a.next[:rows] {
		if row := problems[from:end]; !slices.IsSortedFunc(row, compareField) {
			slices.SortStableFunc(row, compareField)
		}
		from = end
	}
}

// computeTargets computes the new index of each problem: within its row, after
// the problems that precede it.
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
