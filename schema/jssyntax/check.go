// Package jssyntax reads the source of hooks without running it.
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
package jssyntax

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
	k := p.parseAssign(true)
	if p.tok.kind != tokenEnd {
		p.unexpected()
	}
	p.checkCover()
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

// kind says as what an expression may serve once it is seen what follows it.
type kind uint16

const (
	// isIdent is one identifier; it may be the parameter of an arrow function.
	isIdent kind = 1 << iota
	// isTarget may be assigned to with every operator.
	isTarget
	// isPattern may be assigned to with =.
	isPattern
	// isElement may stand in a pattern of an assignment.
	isElement
	// isBinding may stand in a pattern of parameters.
	isBinding
	// isHead is a list of parameters in parentheses.
	isHead
	// isAsync is the word async, or a call of it that may be a head.
	isAsync
	// isFunc is a function that may be a hook.
	isFunc
)

func (k kind) has(bits kind) bool { return k&bits != 0 }

// scope is what the function around allows.
type scope struct {
	async, generator, method bool
	loops, switches          int
}

type parser struct {
	lex   lexer
	tok   token
	err   error
	depth int
	scope scope
	// cover is 1 and the place of a {name = value}, which only a pattern may
	// be; 0 where none waits for the sign that makes it one.
	cover int
}

func (p *parser) next() {
	p.setToken(p.lex.next())
}

func (p *parser) setToken(t token) {
	p.tok = t
	if t.kind == tokenBad {
		p.fail(t.pos, t.wrong)
	}
}

// fail keeps the first error. From then on the source seems to be at its end,
// at which everything stops.
func (p *parser) fail(at int, reason intray.Message) {
	if p.err == nil {
		p.err = newError(p.lex.src, at, reason)
	}
	p.lex.pos = len(p.lex.src)
	p.tok = token{pos: len(p.lex.src)}
}

func (p *parser) unexpected() {
	if p.tok.kind == tokenEnd {
		p.fail(p.tok.pos, intray.NewMessage("javascript.ends_early", nil))
		return
	}
	p.fail(p.tok.pos, unexpected(p.tok.text))
}

// enter counts one level of nesting; leave must follow.
func (p *parser) enter() {
	if p.depth++; p.depth > MaxDepth {
		p.fail(p.tok.pos, intray.NewMessage("javascript.too_deep", intray.Params{"n": MaxDepth}))
	}
}

func (p *parser) leave() { p.depth-- }

// accept goes over a sign or word if it is there.
func (p *parser) accept(text string) bool {
	if !p.tok.is(text) {
		return false
	}
	p.next()
	return true
}

func (p *parser) expect(text string) {
	if p.accept(text) || p.err != nil {
		return
	}
	if p.tok.kind == tokenEnd {
		p.fail(p.tok.pos, intray.NewMessage("javascript.ends_before", intray.Params{"token": text}))
		return
	}
	p.fail(p.tok.pos, intray.NewMessage("javascript.expected", intray.Params{"token": text, "found": shorten(p.tok.text)}))
}

// isBefore says whether a list goes on: neither its closing sign nor the end is
// there.
func (p *parser) isBefore(sign string) bool {
	return p.tok.kind != tokenEnd && !p.tok.is(sign)
}

// peek looks at the token after this one.
func (p *parser) peek() token {
	l := p.lex
	return l.next()
}

// checkCover refuses a {name = value} that no pattern has taken up.
func (p *parser) checkCover() {
	if p.cover > 0 {
		p.fail(p.cover-1, intray.NewMessage("javascript.equals_in_object", nil))
	}
	p.cover = 0
}

const reserved = " break case catch class const continue debugger default delete do else enum export extends false" +
	" finally for function if import in instanceof new null return super switch this throw true try typeof var void while with "

// isReserved says whether a name cannot be an identifier here.
func (p *parser) isReserved(name string) bool {
	return name == "await" && p.scope.async || name == "yield" && p.scope.generator || strings.Contains(reserved, " "+name+" ")
}

func (p *parser) parseIdentifier() {
	if p.tok.kind != tokenName || p.isReserved(p.tok.text) {
		p.unexpected()
		return
	}
	p.next()
}

func unexpected(token string) intray.Message {
	return intray.NewMessage("javascript.unexpected", intray.Params{"token": shorten(token)})
}

// shorten leaves so much of a token as a message shows.
func shorten(token string) string {
	if r := []rune(token); len(r) > 20 {
		return string(r[:20]) + "…"
	}
	return token
}
