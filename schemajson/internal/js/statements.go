package js

import (
	"slices"

	"github.com/intraydata/intray"
)

// statements reads statements up to a closing brace.
func (p *parser) statements() {
	for p.until("}") {
		p.statement()
	}
}

func (p *parser) block() {
	p.expect("{")
	p.statements()
	p.expect("}")
}

func (p *parser) statement() {
	p.enter()
	defer p.leave()
	switch {
	case p.tok.is("{"):
		p.block()
	case p.accept(";"):
	case p.isDeclaration():
		p.declaration()
	case p.tok.kind == tokenName && p.control():
	case p.isLabel():
		p.next()
		p.next()
		p.statement()
	default:
		p.expression(true)
		p.noCover()
		p.semicolon()
	}
}

func (p *parser) isLabel() bool {
	return p.tok.kind == tokenName && !p.isReserved(p.tok.text) && p.ahead().is(":")
}

// semicolon goes over the end of a statement, which a line's end may be.
func (p *parser) semicolon() {
	if p.accept(";") || p.tok.is("}") || p.tok.kind == tokenEnd || p.tok.newline {
		return
	}
	p.unexpected()
}

func (p *parser) isDeclaration() bool {
	switch {
	case oneOf(" var const class function ", p.tok):
		return true
	case p.tok.is("let"):
		t := p.ahead()
		return t.is("[") || t.is("{") || t.kind == tokenName && !p.isReserved(t.text)
	case p.tok.is("async"):
		t := p.ahead()
		return t.is("function") && !t.newline
	}
	return false
}

func (p *parser) declaration() {
	switch p.tok.text {
	case "class":
		p.named("{", "extends")
		p.class()
	case "async":
		p.next()
		p.named("(")
		p.functionExpression(true)
	case "function":
		p.named("(")
		p.functionExpression(false)
	default:
		p.variables(true)
		p.noCover()
		p.semicolon()
	}
}

// named refuses a declaration whose name is missing: what follows the word is
// already what should follow the name.
func (p *parser) named(after ...string) {
	l := p.lex
	t := l.next()
	if t.is("*") {
		t = l.next()
	}
	if slices.Contains(after, t.text) {
		p.next()
		p.fail(t.pos, intray.NewMessage("javascript.name_missing", nil))
	}
}

// variables reads var, let or const and what they declare. In the head of a
// loop, where in is not an operator, a lone variable needs no value.
func (p *parser) variables(in bool) {
	isConst := p.tok.is("const")
	p.next()
	for {
		isPattern := p.tok.is("[") || p.tok.is("{")
		p.binding()
		switch {
		case p.accept("="):
			p.assign(in)
		case !in && oneOf(" in of ", p.tok):
			return
		case isConst || isPattern:
			p.fail(p.tok.pos, intray.NewMessage("javascript.value_missing", nil))
		}
		if !p.accept(",") {
			return
		}
	}
}

// control reads a statement that begins with a word of its own.
func (p *parser) control() bool {
	word := p.tok.text
	switch word {
	case "if", "while", "with", "for", "do":
		p.next()
		p.branch(word)
	case "return", "throw", "break", "continue", "debugger":
		p.leaving(word)
	case "try":
		p.next()
		p.try()
	case "switch":
		p.next()
		p.cases()
	default:
		return false
	}
	return true
}

func (p *parser) branch(word string) {
	switch word {
	case "for":
		p.loopHead()
		p.loopBody()
	case "do":
		p.loopBody()
		p.expect("while")
		p.condition()
		p.accept(";")
	case "while":
		p.condition()
		p.loopBody()
	case "with":
		p.condition()
		p.statement()
	default:
		p.condition()
		p.statement()
		if p.accept("else") {
			p.statement()
		}
	}
}

func (p *parser) condition() {
	p.expect("(")
	p.expression(true)
	p.noCover()
	p.expect(")")
}

func (p *parser) loopBody() {
	p.in.loops++
	p.statement()
	p.in.loops--
}

// loopHead reads what stands in parentheses behind for.
func (p *parser) loopHead() {
	if p.in.async {
		p.accept("await")
	}
	p.expect("(")
	if p.loopStart() {
		p.next()
		p.expression(true)
		p.expect(")")
		return
	}
	p.expect(";")
	if !p.tok.is(";") {
		p.expression(true)
	}
	p.expect(";")
	if !p.tok.is(")") {
		p.expression(true)
	}
	p.noCover()
	p.expect(")")
}

// loopStart reads the first part of the head and says whether in or of follows.
func (p *parser) loopStart() bool {
	switch {
	case p.tok.is(";"):
		return false
	case p.isDeclaration() && oneOf(" var let const ", p.tok):
		p.variables(false)
		return oneOf(" in of ", p.tok)
	}
	at := p.tok.pos
	k := p.expression(false)
	if !oneOf(" in of ", p.tok) {
		p.noCover()
		return false
	}
	if !k.has(isTarget | isPattern) {
		p.fail(at, intray.NewMessage("javascript.not_assignable", nil))
	}
	p.cover = 0
	return true
}

// leaving reads a statement that goes elsewhere.
func (p *parser) leaving(word string) {
	at := p.tok.pos
	p.next()
	ends := p.tok.newline || p.tok.kind == tokenEnd || p.tok.is(";") || p.tok.is("}")
	switch {
	case word == "throw" && ends:
		p.fail(at, intray.NewMessage("javascript.throw_without_value", nil))
	case ends:
		p.checkJump(at, word)
	case word == "return" || word == "throw":
		p.expression(true)
		p.noCover()
	case word != "debugger":
		p.identifier()
	}
	p.semicolon()
}

// checkJump refuses a jump without a label where there is nothing to leave.
func (p *parser) checkJump(at int, word string) {
	if word == "continue" && p.in.loops == 0 || word == "break" && p.in.loops+p.in.switches == 0 {
		p.fail(at, intray.NewMessage("javascript.outside_loop", intray.Params{"word": word}))
	}
}

func (p *parser) try() {
	p.block()
	caught := p.accept("catch")
	if caught {
		if p.accept("(") {
			p.binding()
			p.expect(")")
		}
		p.block()
	}
	if p.accept("finally") {
		p.block()
	} else if !caught {
		p.unexpected()
	}
}

func (p *parser) cases() {
	p.condition()
	p.expect("{")
	p.in.switches++
	for p.until("}") {
		if p.accept("case") {
			p.expression(true)
		} else {
			p.expect("default")
		}
		p.expect(":")
		for p.until("}") && !oneOf(" case default ", p.tok) {
			p.statement()
		}
	}
	p.in.switches--
	p.expect("}")
}

// functionExpression reads a function from the word function on.
func (p *parser) functionExpression(async bool) kind {
	generator := p.functionHead(async)
	p.code(scope{async: async, generator: generator})
	if generator {
		return 0
	}
	return isFunc
}

// functionHead goes to the parameters.
func (p *parser) functionHead(async bool) (generator bool) {
	p.next()
	generator = p.accept("*")
	if !p.tok.is("(") {
		outer := p.in
		p.in.async, p.in.generator = async, generator
		p.identifier()
		p.in = outer
	}
	return generator
}

func (p *parser) method(m modifiers) {
	p.code(scope{async: m.async, generator: m.generator, method: true})
}

// code reads parameters and body.
func (p *parser) code(s scope) {
	outer, cover := p.in, p.cover
	p.in, p.cover = s, 0
	p.parameters()
	p.in, p.cover = outer, cover
	p.body(s)
}

func (p *parser) parameters() {
	p.expect("(")
	for p.until(")") {
		if p.accept("...") {
			p.binding()
			break
		}
		p.bindingElement()
		if !p.accept(",") {
			break
		}
	}
	p.expect(")")
}

// body reads statements in braces, as the body of a function.
func (p *parser) body(s scope) {
	outer, cover := p.in, p.cover
	p.in, p.cover = s, 0
	p.expect("{")
	p.statements()
	p.in, p.cover = outer, cover
	p.expect("}")
}

// binding reads a name or a pattern that declares names.
func (p *parser) binding() {
	p.enter()
	defer p.leave()
	switch {
	case p.tok.is("["):
		p.arrayBinding()
	case p.tok.is("{"):
		p.objectBinding()
	default:
		p.identifier()
	}
}

func (p *parser) bindingElement() {
	p.binding()
	if p.accept("=") {
		p.assign(true)
	}
}

func (p *parser) arrayBinding() {
	p.next()
	for p.until("]") {
		if p.accept(",") {
			continue
		}
		if p.accept("...") {
			p.binding()
			break
		}
		p.bindingElement()
		if !p.tok.is("]") {
			p.expect(",")
		}
	}
	p.expect("]")
}

func (p *parser) objectBinding() {
	p.next()
	for p.until("}") {
		p.propertyBinding()
		if !p.tok.is("}") {
			p.expect(",")
		}
	}
	p.expect("}")
}

func (p *parser) propertyBinding() {
	if p.accept("...") {
		p.identifier()
		return
	}
	isName := p.tok.kind == tokenName && !p.isReserved(p.tok.text)
	p.key()
	switch {
	case p.accept(":"):
		p.bindingElement()
	case !isName:
		p.unexpected()
	case p.accept("="):
		p.assign(true)
	}
}

// class reads a class from the word class on.
func (p *parser) class() {
	p.next()
	if !p.tok.is("{") && !p.tok.is("extends") {
		p.identifier()
	}
	if p.accept("extends") {
		p.suffixed()
	}
	p.expect("{")
	for p.until("}") {
		if !p.accept(";") {
			p.classElement()
		}
	}
	p.expect("}")
}

func (p *parser) classElement() {
	if p.tok.is("static") && !oneOf(" ( = ; } ", p.ahead()) {
		p.next()
		if p.tok.is("{") {
			p.body(scope{method: true})
			return
		}
	}
	m := p.modifiers()
	p.classKey()
	if p.tok.is("(") {
		p.method(m)
		return
	}
	if m.async || m.generator {
		p.unexpected()
	}
	p.field()
}

func (p *parser) classKey() {
	if p.tok.kind == tokenPrivate {
		p.next()
		return
	}
	p.key()
}

// field reads the value of a class's field.
func (p *parser) field() {
	if p.accept("=") {
		outer := p.in
		p.in = scope{method: true}
		p.assign(true)
		p.in = outer
	}
	p.semicolon()
}
