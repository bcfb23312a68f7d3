package sftp

import (
	"regexp"
	"regexp/syntax"
	"unicode/utf8"

	"github.com/intraydata/intray"
	"github.com/intraydata/intray/internal/re2"
)

// maxPattern is the longest pattern, in bytes; maxSteps is how many steps it may
// come to. Matching takes time in proportion to the steps, for each name.
const (
	maxPattern = 1000
	maxSteps   = 1000
)

// Pattern chooses files by their names. The zero Pattern takes all.
type Pattern struct{ exp *regexp.Regexp }

// ParsePattern reads a regular expression in Go's syntax (RE2). It fits a name
// when it fits any part of it, unless it says otherwise with ^ and $. The empty
// text takes all names. The error is a sentence for the person who wrote it.
func ParsePattern(text string) (Pattern, error) {
	if text == "" {
		return Pattern{}, nil
	}
	if len(text) > maxPattern {
		return Pattern{}, &intray.MessageError{Message: intray.NewMessage("sftp.pattern_too_long", intray.Params{"size": len(text), "n": maxPattern})}
	}
	if !utf8.ValidString(text) {
		return Pattern{}, &intray.MessageError{Message: intray.NewMessage("sftp.pattern_not_utf8", nil)}
	}
	tree, err := syntax.Parse(text, syntax.Perl)
	if err != nil {
		return Pattern{}, &intray.MessageError{Message: intray.NewMessage("sftp.invalid_pattern", intray.Params{"problem": re2.Describe(err)})}
	}
	// What is counted out here is unrolled when it is compiled.
	if steps(tree) > maxSteps {
		return Pattern{}, &intray.MessageError{Message: intray.NewMessage("sftp.pattern_too_slow", intray.Params{"n": maxSteps, "example": `\d+`, "example2": `\d{8}`})}
	}
	exp, err := regexp.Compile(text)
	if err != nil {
		return Pattern{}, &intray.MessageError{Message: intray.NewMessage("sftp.invalid_pattern", intray.Params{"problem": re2.Describe(err)})}
	}
	return Pattern{exp}, nil
}

// Fits tells whether the pattern takes the name.
func (p Pattern) Fits(name string) bool { return p.exp == nil || p.exp.MatchString(name) }

// steps estimates how long the compiled expression is.
func steps(tree *syntax.Regexp) int {
	sum := 1
	switch tree.Op {
	case syntax.OpLiteral:
		sum = len(tree.Rune)
	case syntax.OpRepeat:
		return max(tree.Min, tree.Max, 1) * min(steps(tree.Sub[0])+1, maxSteps+1)
	}
	for _, sub := range tree.Sub {
		sum += steps(sub)
		if sum > maxSteps {
			return maxSteps + 1
		}
	}
	return sum
}
