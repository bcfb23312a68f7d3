// Package js reads the source of hooks without running it.
//
// A hook is one JavaScript function as an expression. [Check] says whether a
// source is one and where it is not. It is a recognizer: it builds no tree,
// works in one pass, in memory that does not grow with the source, and refuses
// nesting over [MaxDepth], so that no source can use up a stack, a memory or a
// minute.
//
// The grammar is that of ECMAScript 2024 scripts in sloppy mode. What only an
// engine finds, such as a name declared twice or a pattern inside a regular
// expression, is left to the engine that runs the hook.
package js

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/intraydata/intray"
)

// MaxDepth is how many expressions, operands, statements and patterns may stand
// inside each other. Each pair of parentheses counts twice. The engine that runs
// hooks gives up at about the same depth.
const MaxDepth = 3000

// Error is the first syntax error of a source.
type Error struct {
	// Line and Column count from 1; columns count code points.
	Line, Column int
	// Reason is a sentence without a full stop.
	Reason intray.Message
}

func (e *Error) Error() string {
	return fmt.Sprintf("line %d, column %d: %s", e.Line, e.Column, e.Reason)
}

// Check says whether the source is one expression, and whether that expression
// is a function: an arrow function, or a function expression that is no
// generator, sync or async, and in parentheses or not. The error is an *Error.
func Check(source string) (isFunction bool, err error) {
	p := &parser{lex: lexer{src: source}}
	p.next()
	k := p.assign(true)
	if p.tok.kind != tokenEnd {
		p.unexpected()
	}
	p.noCover()
	if p.err != nil {
		return false, p.err
	}
	return k.has(isFunc), nil
}

// newError places an error by its offset in bytes.
func newError(source string, at int, reason intray.Message) *Error {
	before := lineEnds().Replace(source[:at])
	return &Error{
		Line:   1 + strings.Count(before, "\n"),
		Column: 1 + utf8.RuneCountInString(before[strings.LastIndexByte(before, '\n')+1:]),
		Reason: reason,
	}
}

func lineEnds() *strings.Replacer {
	return strings.NewReplacer("\r\n", "\n", "\r", "\n", "\u2028", "\n", "\u2029", "\n")
}
