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
	"github.com/intraydata/intray/validate/jsregexp"
)

// valueRule returns a rule that checks each value on its own. It skips cells
// that are empty or could not be parsed.
func valueRule(field int, problem intray.Problem, keeps func(value []byte) bool) rule {
	return func(b *intray.Batch) {
		cells := &b.Fields[field]
		null := 0
		for row := range b.Rows() {
			if null < len(cells.Nulls) && cells.Nulls[null] == uint32(row) {
				null++
				continue
			}
			if text := cells.Values.At(row); len(text) > 0 && !celltype.IsBlank(text) && !keeps(text) {
				found := problem
				found.Row = row
				b.Problems = append(b.Problems, found)
			}
		}
	}
}

// lengthRule requires the length of each value, in code points, to be within the limits that the
// options set.
func lengthRule(field int, v intray.Validator) rule {
	least, hasLeast := intOption(v.Options["min"])
	most, hasMost := intOption(v.Options["max"])
	problem := newProblem(field, v, lengthMessage(least, most, hasLeast, hasMost))
	return valueRule(field, problem, func(value []byte) bool {
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
func alphabeticalRule(field int, v intray.Validator) rule {
	problem := newProblem(field, v, intray.NewMessage("alphabetical.other_characters", nil))
	return valueRule(field, problem, func(value []byte) bool {
		for _, c := range value {
			if (c < 'a' || c > 'z') && (c < 'A' || c > 'Z') {
				return false
			}
		}
		return true
	})
}

// newProblem returns the problem that a rule reports. A message that the schema sets for the
// rule replaces text.
func newProblem(field int, v intray.Validator, text intray.Message) intray.Problem {
	if v.Message != "" {
		text = intray.Literal(v.Message)
	}
	return intray.Problem{Field: field, Code: v.Rule, Level: v.Level, Text: text}
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
func requiredRule(field int, v intray.Validator) rule {
	return requireIf(field, newProblem(field, v, intray.NewMessage("required.empty", nil)),
		func(*intray.Batch, int) bool { return true })
}

// requireIf requires the cell of a field to be nonempty in the rows that satisfy the given
// predicate.
func requireIf(field int, problem intray.Problem, applies func(b *intray.Batch, row int) bool) rule {
	return func(b *intray.Batch) {
		cells := &b.Fields[field]
		for row := range b.Rows() {
			if !isEmptyCell(cells, row) || !applies(b, row) {
				continue
			}
			found := problem
			found.Row = row
			b.Problems = append(b.Problems, found)
		}
	}
}

// condition tests another cell of the row.
type condition func(b *intray.Batch, row int) bool

// requireWith returns one of the eight rules that depend on other fields. These
// rules test any or all of the other fields. They test for emptiness or for a
// value, and can be negated ("without").
func requireWith(field int, fields []intray.Field, v intray.Validator) (rule, error) {
	name, byValue := strings.CutSuffix(v.Rule, "_values")
	name, all := strings.CutSuffix(name, "_all")
	without := name == "require_without"
	conditions, conditionTexts, err := compileConditions(fields, v, byValue, without)
	if err != nil {
		return nil, err
	}
	problem := newProblem(field, v, requireMessage(conditionTexts, all, byValue, without))
	return requireIf(field, problem, func(b *intray.Batch, row int) bool {
		for _, holds := range conditions {
			if holds(b, row) != all {
				return !all
			}
		}
		return all
	}), nil
}

// compileConditions returns the condition for each field that the rule lists,
// and the description of each condition.
func compileConditions(fields []intray.Field, v intray.Validator, byValue, without bool) (list []condition, conditionTexts []intray.Message, err error) {
	wanted, _ := v.Options["fieldValues"].(map[string]any)
	keys := stringList(v.Options["fields"])
	if byValue {
		keys = slices.Sorted(maps.Keys(wanted))
	}
	for _, key := range keys {
		at := slices.IndexFunc(fields, func(f intray.Field) bool { return f.Key == key })
		if at < 0 {
			return nil, nil, &MissingFieldError{Rule: v.Rule, Missing: key}
		}
		if !byValue {
			list = append(list, func(b *intray.Batch, row int) bool { return isEmptyCell(&b.Fields[at], row) == without })
			conditionTexts = append(conditionTexts, quoted(fields[at].Label))
			continue
		}
		text := canonicalText(wanted[key])
		list = append(list, func(b *intray.Batch, row int) bool { return equalsValue(&b.Fields[at], row, text) != without })
		conditionTexts = append(conditionTexts, intray.NewMessage("required.field_is", intray.Params{"field": fields[at].Label, "value": string(text)}))
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

// maxTimeouts is the number of cells per batch and expression that may time out. After that, the
// expression is not matched against the other cells of the batch.
const maxTimeouts = 3

// regexCache holds the compiled regular expressions of a schema.
type regexCache map[string]*jsregexp.Expr

func (e regexCache) compile(source string, f jsregexp.Flags) (*jsregexp.Expr, error) {
	key := f.String() + "/" + source
	if made := e[key]; made != nil {
		return made, nil
	}
	made, err := jsregexp.Compile(source, f)
	if err == nil {
		e[key] = made
	}
	return made, err
}

// regexRule returns the rule regex_match or regex_exclude. regex_match requires a match of the
// expression in the cell, and regex_exclude requires that there is none. Both rules also check
// empty cells. They skip cells that could not be parsed, because these already have a problem.
func (e regexCache) regexRule(field int, v intray.Validator) (rule, error) {
	flags, _ := v.Options["regexOptions"].(map[string]any)
	on := func(name string) bool { set, _ := flags[name].(bool); return set }
	source, _ := v.Options["regex"].(string)
	expr, err := e.compile(source, jsregexp.Flags{
		IgnoreCase: on("ignoreCase"), DotAll: on("dotAll"), Multiline: on("multiline"), Unicode: on("unicode"),
	})
	if err != nil {
		return nil, fmt.Errorf("the regular expression of %s: %w", v.Rule, err)
	}
	want := v.Rule == "regex_match"
	text := intray.NewMessage("regex.no_match", nil)
	if !want {
		text = intray.NewMessage("regex.excluded", nil)
	}
	problem := newProblem(field, v, text)
	slow := problem
	slow.Level, slow.Text = intray.LevelError, intray.NewMessage("regex.too_slow", nil)
	return func(b *intray.Batch) {
		cells := &b.Fields[field]
		late := 0
		for row := range b.Rows() {
			text := cells.Values.At(row)
			if len(text) == 0 && !celltype.IsBlank(cells.Raw(row)) {
				continue // could not be parsed
			}
			found := problem
			switch matched, err := matchUnlessSlow(expr, text, &late); {
			case err != nil:
				found = slow
			case matched == want:
				continue
			}
			found.Row = row
			b.Problems = append(b.Problems, found)
		}
	}, nil
}

// matchUnlessSlow matches text against expr. After maxTimeouts timeouts, it
// returns ErrTimeout without matching.
func matchUnlessSlow(expr *jsregexp.Expr, text []byte, timeouts *int) (bool, error) {
	if *timeouts >= maxTimeouts {
		return false, jsregexp.ErrTimeout
	}
	matched, err := expr.Match(text)
	if err != nil {
		*timeouts++
	}
	return matched, err
}
