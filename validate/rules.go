package validate

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/intraydata/intray"
	"github.com/intraydata/intray/celltype"
)

// valueRule returns a rule that checks each value on its own. It skips cells
// that are empty or could not be parsed.
func valueRule(problem intray.Problem, keeps func(value []byte) bool) check {
	return func(b *intray.Batch, column int, _ *work) {
		cells := &b.Fields[column]
		null := 0
		for row := range b.Rows() {
			if null < len(cells.Nulls) && cells.Nulls[null] == uint32(row) {
				null++
				continue
			}
			if text := cells.Values.At(row); len(text) > 0 && !celltype.IsBlank(text) && !keeps(text) {
				found := problem
				found.Row, found.Field = row, column
				b.Problems = append(b.Problems, found)
			}
		}
	}
}

// lengthRule requires the length of each value, in code points, to be within the limits that the
// options set.
func lengthRule(v intray.Validator) check {
	least, hasLeast := intOption(v.Options["min"])
	most, hasMost := intOption(v.Options["max"])
	problem := newProblem(v, lengthMessage(least, most, hasLeast, hasMost))
	return valueRule(problem, func(value []byte) bool {
		n := len(value)
		if hasLeast && n >= least && (!hasMost || n <= most) && n < 2*max(least, 1) && isASCII(value) {
			return true // usually, the length in bytes is enough
		}
		n = utf8.RuneCount(value)
		return (!hasLeast || n >= least) && (!hasMost || n <= most)
	})
}

func isASCII(text []byte) bool {
	for _, c := range text {
		if c >= utf8.RuneSelf {
			return false
		}
	}
	return true
}

func lengthMessage(least, most int, hasLeast, hasMost bool) intray.Message {
	switch {
	case hasLeast && hasMost && least == most:
		return intray.NewMessage("length.exact", intray.Params{"n": least})
	case hasLeast && hasMost:
		return intray.NewMessage("length.range", intray.Params{"minimum": least, "n": most})
	case hasLeast:
		return intray.NewMessage("length.minimum", intray.Params{"n": least})
	}
	return intray.NewMessage("length.maximum", intray.Params{"n": most})
}

// alphabeticalRule requires values to consist of the letters a to z and A to Z.
func alphabeticalRule(v intray.Validator) check {
	problem := newProblem(v, intray.NewMessage("alphabetical.other_characters", nil))
	return valueRule(problem, func(value []byte) bool {
		for _, c := range value {
			if (c < 'a' || c > 'z') && (c < 'A' || c > 'Z') {
				return false
			}
		}
		return true
	})
}

// newProblem returns the problem that a rule reports, without its row and field. A message that
// the schema sets for the rule replaces text.
func newProblem(v intray.Validator, text intray.Message) intray.Problem {
	if v.Message != "" {
		text = intray.Literal(v.Message)
	}
	return intray.Problem{Code: v.Rule, Level: v.Level, Text: text}
}

// isEmptyCell reports whether a cell is empty or contains only white space. A
// cell that could not be parsed is not empty: it already has a problem.
func isEmptyCell(cells *intray.Cells, row int) bool {
	if text := cells.Values.At(row); len(text) > 0 && !celltype.IsBlank(text) {
		return false
	}
	return celltype.IsBlank(cells.Raw(row))
}

// requiredRule requires every cell to be nonempty.
func requiredRule(v intray.Validator) check {
	return requireIf(newProblem(v, intray.NewMessage("required.empty", nil)),
		func(*intray.Batch, int) bool { return true })
}

// requireIf requires the cells of a column to be nonempty in the rows that satisfy the given
// predicate.
func requireIf(problem intray.Problem, applies func(b *intray.Batch, row int) bool) check {
	return func(b *intray.Batch, column int, _ *work) {
		cells := &b.Fields[column]
		for row := range b.Rows() {
			if !isEmptyCell(cells, row) || !applies(b, row) {
				continue
			}
			found := problem
			found.Row, found.Field = row, column
			b.Problems = append(b.Problems, found)
		}
	}
}

// condition tests another cell of the row.
type condition func(b *intray.Batch, row int) bool

// requireWith returns one of the eight rules that depend on other fields. These
// rules test any or all of the other fields. They test for emptiness or for a
// value, and can be negated ("without").
func (c *compiler) requireWith(v intray.Validator) (rule, error) {
	name, byValue := strings.CutSuffix(v.Rule, "_values")
	name, all := strings.CutSuffix(name, "_all")
	without := name == "require_without"
	conditions, conditionTexts, err := c.compileConditions(v, byValue, without)
	if err != nil {
		return rule{}, err
	}
	problem := newProblem(v, requireMessage(conditionTexts, all, byValue, without))
	return rule{cost: ruleCost * (1 + len(conditions)), check: requireIf(problem, func(b *intray.Batch, row int) bool {
		for _, holds := range conditions {
			if holds(b, row) != all {
				return !all
			}
		}
		return all
	})}, nil
}

// compileConditions returns the condition for each field that the rule lists,
// and the description of each condition.
func (c *compiler) compileConditions(v intray.Validator, byValue, without bool) (list []condition, conditionTexts []intray.Message, err error) {
	wanted, _ := v.Options["fieldValues"].(map[string]any)
	keys := stringList(v.Options["fields"])
	if byValue {
		keys = slices.Sorted(maps.Keys(wanted))
	}
	for _, key := range keys {
		at, known := c.byKey[key]
		if !known {
			return nil, nil, &MissingFieldError{Rule: v.Rule, Missing: key}
		}
		if !byValue {
			list = append(list, func(b *intray.Batch, row int) bool { return isEmptyCell(&b.Fields[at], row) == without })
			conditionTexts = append(conditionTexts, quoted(c.fields[at].Label))
			continue
		}
		text := canonicalText(wanted[key])
		list = append(list, func(b *intray.Batch, row int) bool { return equalsValue(&b.Fields[at], row, text) != without })
		conditionTexts = append(conditionTexts, intray.NewMessage("required.field_is", intray.Params{"field": c.fields[at].Label, "value": string(text)}))
	}
	return list, conditionTexts, nil
}

// requireMessage returns the message that explains when the cell is required.
func requireMessage(conditions []intray.Message, all, byValue, without bool) intray.Message {
	switch {
	case byValue && without && all: // "unless" negates the conditions
		return intray.NewMessage("required.unless_any_value", intray.Params{"conditions": conditions})
	case byValue && without:
		return intray.NewMessage("required.unless_all_values", intray.Params{"conditions": conditions})
	case byValue && all:
		return intray.NewMessage("required.if_all_values", intray.Params{"conditions": conditions})
	case byValue:
		return intray.NewMessage("required.if_any_value", intray.Params{"conditions": conditions})
	}
	all = all && len(conditions) > 1
	switch {
	case without && all:
		return intray.NewMessage("required.if_all_empty", intray.Params{"fields": conditions})
	case without:
		return intray.NewMessage("required.if_any_empty", intray.Params{"fields": conditions})
	case all:
		return intray.NewMessage("required.if_all_filled", intray.Params{"fields": conditions})
	}
	return intray.NewMessage("required.if_any_filled", intray.Params{"fields": conditions})
}

// equalsValue reports whether the canonical value of a cell equals text. Empty
// text matches an empty cell.
func equalsValue(cells *intray.Cells, row int, text []byte) bool {
	if len(text) == 0 {
		return isEmptyCell(cells, row)
	}
	value, has := cells.Value(row)
	return has && bytes.Equal(value, text)
}

// canonicalText returns the canonical text of a JSON value.
func canonicalText(v any) []byte {
	switch v := v.(type) {
	case nil:
		return nil
	case string:
		return []byte(v)
	}
	text, err := json.Marshal(v)
	if err != nil {
		return nil
	}
	if number, is := celltype.CanonicalNumber(text); is {
		return number
	}
	return text
}

func stringList(v any) (list []string) {
	all, _ := v.([]any)
	for _, one := range all {
		if text, ok := one.(string); ok {
			list = append(list, text)
		}
	}
	return list
}

// intOption returns an option as an integer. It accepts every Go type to which
// a JSON number can be decoded.
func intOption(v any) (int, bool) {
	n, err := strconv.Atoi(fmt.Sprint(v))
	return n, err == nil
}
