package validate

import (
	"bytes"
	"encoding/json"
	"maps"
	"math/bits"
	"slices"
	"strings"

	"github.com/intraydata/intray"
	"github.com/intraydata/intray/celltype"
)

// rowSet is a set of rows of a batch, with one bit for each row.
type rowSet []uint64

// emptyRows returns the rows whose cell in a column is empty or contains only white space. A cell that could
// not be parsed is not empty: it already has a problem. It examines each column of a batch
// once, because any number of rules can depend on it. The caller must not change the result.
func (w *work) emptyRows(b *intray.Batch, column int) rowSet {
	if missing := column + 1 - len(w.empty); missing > 0 {
		w.empty = append(w.empty, make([]rowSet, missing)...)
	}
	if len(w.empty[column]) == 0 {
		cells := &b.Fields[column]
		w.empty[column] = w.empty[column].reset(b.Rows())
		// Few values are empty, so only their raw text is examined.
		isBlank := func(i int) bool { return celltype.IsBlank(cells.Values.Texts.At(i)) }
		for row := range w.rowsWhere(b, &cells.Values, isBlank) {
			if celltype.IsBlank(cells.Raw(row)) {
				w.empty[column][row/64] |= 1 << (row % 64)
			}
		}
	}
	return w.empty[column]
}

// reset returns an empty set for the given number of rows. It reuses the memory of s.
func (s rowSet) reset(rows int) rowSet {
	s = slices.Grow(s[:0], (rows+63)/64)[:(rows+63)/64]
	clear(s)
	return s
}

// addProblems adds a problem to each row of a set.
func (s rowSet) addProblems(b *intray.Batch, column int, problem intray.Problem) {
	for i, word := range s {
		for ; word != 0; word &= word - 1 {
			problem.Row, problem.Field = 64*i+bits.TrailingZeros64(word), column
			b.Problems = append(b.Problems, problem)
		}
	}
}

// requiredRule requires every cell to be nonempty.
func requiredRule(v intray.Validator) check {
	problem := newProblem(v, intray.NewMessage("required.empty", nil))
	return func(b *intray.Batch, column int, w *work) {
		w.emptyRows(b, column).addProblems(b, column, problem)
	}
}

// condition tests the cell of a field: whether it is empty, or, if value is not empty, whether it
// has this value. A negated condition holds if the test fails.
type condition struct {
	field   int
	value   []byte
	negated bool
}

// compareSteps is the number of steps of a comparison with a value.
const compareSteps = 16

// addRows adds the rows in which the condition holds to set. It may ignore rows outside of
// candidates.
func (c *condition) addRows(set, candidates rowSet, b *intray.Batch, w *work) {
	if len(c.value) == 0 {
		for i, empty := range w.emptyRows(b, c.field) {
			if c.negated {
				empty = ^empty
			}
			set[i] |= empty
		}
		return
	}
	cells := &b.Fields[c.field]
	for i := range candidates {
		word := candidates[i] &^ set[i]
		w.steps += int64(compareSteps * bits.OnesCount64(word))
		for ; word != 0; word &= word - 1 {
			row := bits.TrailingZeros64(word)
			value, has := cells.Value(64*i + row)
			if (has && bytes.Equal(value, c.value)) != c.negated {
				set[i] |= 1 << row
			}
		}
	}
}

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
	if all { // all conditions hold unless any of them fails
		for i := range conditions {
			conditions[i].negated = !conditions[i].negated
		}
	}
	problem := newProblem(v, requireMessage(conditionTexts, all, byValue, without))
	check := func(b *intray.Batch, column int, w *work) {
		empty := w.emptyRows(b, column)
		w.found = w.found.reset(b.Rows())
		for i := range conditions {
			if !w.canContinue() {
				return // Apply returns the error
			}
			conditions[i].addRows(w.found, empty, b, w)
		}
		for i := range w.found {
			if all {
				w.found[i] = ^w.found[i]
			}
			w.found[i] &= empty[i]
		}
		w.found.addProblems(b, column, problem)
	}
	return rule{cost: ruleCost + len(conditions)/8, check: check}, nil
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
			list = append(list, condition{field: at, negated: !without})
			conditionTexts = append(conditionTexts, quoted(c.fields[at].Label))
			continue
		}
		text := canonicalText(wanted[key])
		list = append(list, condition{field: at, value: text, negated: without})
		conditionTexts = append(conditionTexts, intray.NewMessage("required.field_is", intray.Params{"field": intray.Shorten(c.fields[at].Label), "value": intray.Shorten(string(text))}))
	}
	return list, conditionTexts, nil
}

// requireMessage returns the message that explains when the cell is required.
func requireMessage(conditions []intray.Message, all, byValue, without bool) intray.Message {
	and, or := intray.ShortAndList(conditions), intray.ShortOrList(conditions)
	switch {
	case byValue && without && all: // "unless" negates the conditions
		return intray.NewMessage("required.unless_any_value", intray.Params{"conditions": or})
	case byValue && without:
		return intray.NewMessage("required.unless_all_values", intray.Params{"conditions": and})
	case byValue && all:
		return intray.NewMessage("required.if_all_values", intray.Params{"conditions": and})
	case byValue:
		return intray.NewMessage("required.if_any_value", intray.Params{"conditions": or})
	}
	all = all && len(conditions) > 1
	switch {
	case without && all:
		return intray.NewMessage("required.if_all_empty", intray.Params{"fields": and})
	case without:
		return intray.NewMessage("required.if_any_empty", intray.Params{"fields": or})
	case all:
		return intray.NewMessage("required.if_all_filled", intray.Params{"fields": and})
	}
	return intray.NewMessage("required.if_any_filled", intray.Params{"fields": or})
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
