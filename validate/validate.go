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
	// overlap reports whether two rules of a field can report the same empty cell.
	overlap bool
	// unique holds the keys that must be unique.
	unique []uniqueKey
	// works is a pool of work records, and sorters is a pool of problem sorters, for reuse.
	works, sorters sync.Pool
}

// rule is a validator and the columns that it checks, as indexes in Batch.Fields.
type rule struct {
	columns []int
	check   check
	// cost is the number of steps for each cell.
	cost int
}

// check checks all cells of one column.
type check func(b *intray.Batch, column int, w *work)

// compiler compiles the validators of a schema.
type compiler struct {
	fields []intray.Field
	// byKey maps the keys of fields to their indexes.
	byKey       map[string]int
	expressions *regexCache
}

// Compile returns the rules of a schema. It returns an error if a validator is unknown.
func Compile(fields []intray.Field) (*Rules, error) { return CompileColumns(fields, nil) }

// CompileColumns is like Compile, but the validators of field i check the columns columns[i] of
// a batch instead of column i. Conditions on other fields always refer to the columns of these
// fields. If columns is nil, each field has its own column only.
func CompileColumns(fields []intray.Field, columns [][]int) (*Rules, error) {
	r := &Rules{works: sync.Pool{New: func() any { return new(work) }}, sorters: sync.Pool{New: func() any { return new(problemSorter) }}}
	if columns == nil {
		for i := range fields {
			columns = append(columns, []int{i})
		}
	}
	c := &compiler{fields: fields, byKey: make(map[string]int, len(fields)), expressions: newRegexCache()}
	for i, f := range slices.Backward(fields) {
		c.byKey[f.Key] = i
	}
	for i, f := range fields {
		for _, v := range f.Validators {
			compiled, err := c.compileRule(v)
			var missing *MissingFieldError
			if errors.As(err, &missing) {
				missing.Field = f.Key
				return nil, missing
			}
			if err != nil {
				return nil, fmt.Errorf("field %q: %w", f.Key, err)
			}
			if compiled.check != nil && len(columns[i]) > 0 {
				compiled.columns = columns[i]
				r.rules = append(r.rules, compiled)
			}
		}
		r.overlap = r.overlap || canOverlap(f.Validators)
	}
	r.unique = uniqueKeys(fields, columns)
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

// ruleCost is the number of steps of a rule for each cell.
const ruleCost = 4

// compileRule returns the rule of a validator, or the zero rule if the validator compares all
// rows of the table.
func (c *compiler) compileRule(v intray.Validator) (r rule, err error) {
	r.cost = ruleCost
	switch v.Rule {
	case "required":
		r.check = requiredRule(v)
	case "regex_match", "regex_exclude":
		r.check, err = c.expressions.regexRule(v)
	case "length":
		r.check = lengthRule(v)
	case "alphabetical":
		r.check = alphabeticalRule(v)
	case "unique", "unique_case_insensitive", "unique_with":
	case "require_with", "require_without", "require_with_all", "require_without_all",
		"require_with_values", "require_without_values", "require_with_all_values", "require_without_all_values":
		return c.requireWith(v)
	default:
		err = fmt.Errorf("the validator %q is not supported by this version", v.Rule)
	}
	return r, err
}

// MaxRowProblems returns the maximum number of problems that the rules report for one row.
func (r *Rules) MaxRowProblems() int {
	n := 0
	for _, one := range r.rules {
		n += len(one.columns)
	}
	for _, k := range r.unique {
		n += len(k.problems)
	}
	return n
}

// Apply checks a batch. It adds the problems that it finds, and sorts all
// problems of the batch by row and field. An empty cell of a required field violates only the
// rule that requires it. If the budget is exhausted, Apply returns [ErrTooMuchWork]. If a row has more problems than the budget allows, it
// returns [ErrTooManyProblems].
func (r *Rules) Apply(b *intray.Batch, budget *Budget) error {
	w := r.works.Get().(*work)
	defer r.works.Put(w)
	w.reset(b.Rows(), budget)
	for _, one := range r.rules {
		for _, column := range one.columns {
			w.steps += int64(one.cost * b.Rows())
			one.check(b, column, w)
			if err := cmp.Or(budget.spend(w), budget.checkProblems(b)); err != nil {
				return err
			}
		}
	}
	a := r.sorters.Get().(*problemSorter)
	defer r.sorters.Put(a)
	a.sort(b.Problems, b.Rows())
	if r.overlap {
		b.Problems = dropRepeatedEmptyCells(b.Problems)
	}
	return nil
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
