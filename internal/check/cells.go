package check

import (
	"fmt"
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
	problem := problemOf(field, v, lengthText(least, most, hasLeast, hasMost))
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

func lengthText(least, most int, hasLeast, hasMost bool) string {
	switch {
	case hasLeast && hasMost && least == most:
		return fmt.Sprintf("This text must have exactly %s.", characters(least))
	case hasLeast && hasMost:
		return fmt.Sprintf("This text must have %d to %s.", least, characters(most))
	case hasLeast:
		return fmt.Sprintf("This text must have at least %s.", characters(least))
	}
	return fmt.Sprintf("This text must have at most %s.", characters(most))
}

func characters(n int) string {
	if n == 1 {
		return "1 character"
	}
	return fmt.Sprintf("%d characters", n)
}

// alphabetical wants nothing but the letters a to z and A to Z.
func alphabetical(field int, v intray.Validator) rule {
	problem := problemOf(field, v, "This text must have nothing but the letters A to Z.")
	return onValues(field, problem, func(value []byte) bool {
		for _, c := range value {
			if (c < 'a' || c > 'z') && (c < 'A' || c > 'Z') {
				return false
			}
		}
		return true
	})
}

func problemOf(field int, v intray.Validator, text string) intray.Problem {
	if v.Message != "" {
		text = v.Message
	}
	return intray.Problem{Field: field, Code: v.Rule, Level: v.Level, Text: intray.Literal(text)}
}
