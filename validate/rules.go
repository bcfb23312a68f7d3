package validate

import (
	"fmt"
	"iter"
	"strconv"
	"unicode/utf8"

	"github.com/intraydata/intray"
	"github.com/intraydata/intray/celltype"
)

// valueRule returns a rule that checks each value on its own. It skips cells
// that are empty or could not be parsed.
func valueRule(problem intray.Problem, keeps func(value []byte) bool) check {
	return func(b *intray.Batch, column int, w *work) {
		values := &b.Fields[column].Values // a cell that could not be parsed has the value ""
		violates := func(i int) bool {
			text := values.Texts.At(i)
			return len(text) > 0 && !celltype.IsBlank(text) && !keeps(text)
		}
		for row := range w.rowsWhere(b, values, violates) {
			found := problem
			found.Row, found.Field = row, column
			b.Problems = append(b.Problems, found)
		}
	}
}

// rowsWhere returns the rows of a column whose string has a property. holds reports whether the string with
// the given index in Texts has it, and is called once for each.
func (w *work) rowsWhere(b *intray.Batch, c *intray.TextColumn, holds func(i int) bool) iter.Seq[int] {
	return func(yield func(row int) bool) {
		if len(c.Codes) == 0 {
			for row := range b.Rows() {
				if holds(row) && !yield(row) {
					return
				}
			}
			return
		}
		w.codes = append(w.codes[:0], make([]bool, c.Texts.Len())...)
		found := false
		for code := range w.codes {
			w.codes[code] = holds(code)
			found = found || w.codes[code]
		}
		if !found {
			return
		}
		for row, code := range c.Codes {
			if w.codes[code] && !yield(row) {
				return
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

// intOption returns an option as an integer. It accepts every Go type to which
// a JSON number can be decoded.
func intOption(v any) (int, bool) {
	n, err := strconv.Atoi(fmt.Sprint(v))
	return n, err == nil
}
