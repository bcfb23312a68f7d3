// Package re2 explains errors in regular expressions in Go's syntax (RE2) to users. It does not
// compile or run expressions.
package re2

import (
	"errors"
	"regexp/syntax"

	"github.com/intraydata/intray"
)

// problems maps the error codes of package syntax to messages.
var problems = map[syntax.ErrorCode]intray.Message{
	syntax.ErrInvalidCharClass:      intray.NewMessage("re2.invalid_character_class", nil),
	syntax.ErrInvalidCharRange:      intray.NewMessage("re2.invalid_character_range", nil),
	syntax.ErrInvalidEscape:         intray.NewMessage("re2.invalid_escape", nil),
	syntax.ErrInvalidNamedCapture:   intray.NewMessage("re2.invalid_named_capture", nil),
	syntax.ErrInvalidPerlOp:         intray.NewMessage("re2.invalid_perl_syntax", nil),
	syntax.ErrInvalidRepeatOp:       intray.NewMessage("re2.nested_repetition", nil),
	syntax.ErrInvalidRepeatSize:     intray.NewMessage("re2.invalid_repeat_count", nil),
	syntax.ErrInvalidUTF8:           intray.NewMessage("re2.invalid_utf8", nil),
	syntax.ErrMissingBracket:        intray.NewMessage("re2.missing_bracket", nil),
	syntax.ErrMissingParen:          intray.NewMessage("re2.missing_parenthesis", nil),
	syntax.ErrMissingRepeatArgument: intray.NewMessage("re2.nothing_to_repeat", nil),
	syntax.ErrTrailingBackslash:     intray.NewMessage("re2.trailing_backslash", nil),
	syntax.ErrUnexpectedParen:       intray.NewMessage("re2.unexpected_parenthesis", nil),
	syntax.ErrNestingDepth:          intray.NewMessage("re2.too_deep", nil),
	syntax.ErrLarge:                 intray.NewMessage("re2.too_large", nil),
}

// maxShown is the maximum number of characters of an expression that a message shows.
const maxShown = 200

// Describe returns a message for an error of regexp.Compile or syntax.Parse. The message
// has no subject and no period.
func Describe(err error) intray.Message {
	var wrong *syntax.Error
	if !errors.As(err, &wrong) || problems[wrong.Code].IsZero() {
		return intray.NewMessage("re2.invalid", nil)
	}
	part := []rune(wrong.Expr)
	if len(part) > maxShown {
		part = append(part[:maxShown:maxShown], '…')
	}
	return intray.NewMessage("re2.problem", intray.Params{"problem": problems[wrong.Code], "expression": string(part)})
}
