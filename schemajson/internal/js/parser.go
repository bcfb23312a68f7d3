package js

import (
	"fmt"
	"strconv"
	"strings"
)

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
	in    scope
	// cover is 1 and the place of a {name = value}, which only a pattern may
	// be; 0 where none waits for the sign that makes it one.
	cover int
}

func (p *parser) next() {
	p.take(p.lex.next())
}

func (p *parser) take(t token) {
	p.tok = t
	if t.kind == tokenBad {
		p.fail(t.pos, "%s", t.text)
	}
}

// fail keeps the first error. From then on the source seems to be at its end,
// at which everything stops.
func (p *parser) fail(at int, format string, args ...any) {
	if p.err == nil {
		p.err = newError(p.lex.src, at, fmt.Sprintf(format, args...))
	}
	p.lex.at = len(p.lex.src)
	p.tok = token{pos: len(p.lex.src)}
}

func (p *parser) unexpected() {
	if p.tok.kind == tokenEnd {
		p.fail(p.tok.pos, "the source ends too early")
		return
	}
	p.fail(p.tok.pos, "unexpected %s", quote(p.tok.text))
}

// enter counts one level of nesting; leave must follow.
func (p *parser) enter() {
	if p.depth++; p.depth > MaxDepth {
		p.fail(p.tok.pos, "the source is nested more than %d levels deep", MaxDepth)
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
		p.fail(p.tok.pos, "the source ends too early; expected %s", quote(text))
		return
	}
	p.fail(p.tok.pos, "expected %s, not %s", quote(text), quote(p.tok.text))
}

// until says whether a list goes on: neither its closing sign nor the end is
// there.
func (p *parser) until(sign string) bool {
	return p.tok.kind != tokenEnd && !p.tok.is(sign)
}

// ahead looks at the token after this one.
func (p *parser) ahead() token {
	l := p.lex
	return l.next()
}

// noCover refuses a {name = value} that no pattern has taken up.
func (p *parser) noCover() {
	if p.cover > 0 {
		p.fail(p.cover-1, "unexpected \"=\" in an object; a property's value follows a colon")
	}
	p.cover = 0
}

const reserved = " break case catch class const continue debugger default delete do else enum export extends false" +
	" finally for function if import in instanceof new null return super switch this throw true try typeof var void while with "

// isReserved says whether a name cannot be an identifier here.
func (p *parser) isReserved(name string) bool {
	return name == "await" && p.in.async || name == "yield" && p.in.generator || strings.Contains(reserved, " "+name+" ")
}

func (p *parser) identifier() {
	if p.tok.kind != tokenName || p.isReserved(p.tok.text) {
		p.unexpected()
		return
	}
	p.next()
}

func quote(s string) string {
	if r := []rune(s); len(r) > 20 {
		s = string(r[:20]) + "…"
	}
	return strconv.Quote(s)
}
