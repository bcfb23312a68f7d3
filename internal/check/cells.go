package check

import (
	"unicode/utf8"

	"github.com/intraydata/intray"
	"github.com/intraydata/intray/internal/value"
)

// onValues makes a rule that looks at each value by itself and passes over cells
// that are empty or could not be read.
func onValues(field int, problem intray.Problem, keeps func(value []byte) bool) rule {
	return func(b *intray.Batch) {
		cells := &b.Fields[field]
		null := 0
		for row := range b.Rows() {
			if null < len(cells.Nulls) && cells.Nulls[null] == uint32(row) {
				null++
				continue
			}
			if text := cells.Values.At(row); len(text) > 0 && !value.Blank(text) && !keeps(text) {
				found := problem
				found.Row = row
				b.Problems = append(b.Problems, found)
			}
		}
	}
}

// length wants so many characters, counted as code points.
func length(field int, v intray.Validator) rule {
	least, hasLeast := number(v.Options["min"])
	most, hasMost := number(v.Options["max"])
	problem := problemOf(field, v, lengthMessage(least, most, hasLeast, hasMost))
	return onValues(field, problem, func(value []byte) bool {
		n := len(value)
		if hasLeast && n >= least && (!hasMost || n <= most) && n < 2*max(least, 1) && ascii(value) {
			return true // the usual case, without counting
		}
		n = utf8.RuneCount(value)
		return (!hasLeast || n >= least) && (!hasMost || n <= most)
	})
}

func ascii(text []byte) bool {
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

// alphabetical wants nothing but the letters a to z and A to Z.
func alphabetical(field int, v intray.Validator) rule {
	problem := problemOf(field, v, intray.NewMessage("alphabetical.other_characters", nil))
	return onValues(field, problem, func(value []byte) bool {
		for _, c := range value {
			if (c < 'a' || c > 'z') && (c < 'A' || c > 'Z') {
				return false
			}
		}
		return true
	})
}

// problemOf is the problem of a rule, with the message of the schema where it has
// one.
func problemOf(field int, v intray.Validator, text intray.Message) intray.Problem {
	if v.Message != "" {
		text = intray.Literal(v.Message)
	}
	return intray.Problem{Field: field, Code: v.Rule, Level: v.Level, Text: text}
}
