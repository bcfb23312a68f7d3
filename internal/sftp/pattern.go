package sftp

import (
	"errors"
	"fmt"
	"regexp"
	"regexp/syntax"
	"unicode/utf8"
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
		return Pattern{}, fmt.Errorf("the pattern has %d bytes, it may have up to %d", len(text), maxPattern)
	}
	if !utf8.ValidString(text) {
		return Pattern{}, errors.New("the pattern is not valid UTF-8")
	}
	tree, err := syntax.Parse(text, syntax.Perl)
	if err != nil {
		return Pattern{}, fmt.Errorf("the pattern is not a regular expression: %w", ownWords(err))
	}
	// What is counted out here is unrolled when it is compiled.
	if steps(tree) > maxSteps {
		return Pattern{}, fmt.Errorf("the pattern comes to more than %d steps; repeat less in it, \\d+ takes as many as \\d{8}", maxSteps)
	}
	exp, err := regexp.Compile(text)
	if err != nil {
		return Pattern{}, fmt.Errorf("the pattern is not a regular expression: %w", ownWords(err))
	}
	return Pattern{exp}, nil
}

// Fits tells whether the pattern takes the name.
func (p Pattern) Fits(name string) bool { return p.exp == nil || p.exp.MatchString(name) }

// ownWords leaves out how the library calls itself.
func ownWords(err error) error {
	var bad *syntax.Error
	if errors.As(err, &bad) {
		return fmt.Errorf("%s: %s", bad.Code, quoted(bad.Expr))
	}
	return err
}

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
