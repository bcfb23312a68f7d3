package jssyntax

import (
	"slices"

	"github.com/intraydata/intray"
)

// parseStatements reads statements up to a closing brace.
func (p *parser) parseStatements() {
	for p.isBefore("}") {
		p.parseStatement()
	}
}

func (p *parser) parseBlock() {
	p.expect("{")
	p.parseStatements()
	p.expect("}")
}

func (p *parser) parseStatement() {
	p.enter()
	defer p.leave()
	switch {
	case p.tok.is("{"):
		p.parseBlock()
	case p.accept(";"):
	case p.isDeclaration():
		p.parseDeclaration()
	case p.tok.kind == tokenName && p.parseControl():
	case p.isLabel():
		p.next()
		p.next()
		p.parseStatement()
	default:
		p.parseExpression(true)
		p.checkCover()
		p.parseSemicolon()
	}
}

func (p *parser) isLabel() bool {
	return p.tok.kind == tokenName && !p.isReserved(p.tok.text) && p.peek().is(":")
}

// parseSemicolon goes over the end of a statement, which a line's end may be.
func (p *parser) parseSemicolon() {
	if p.accept(";") || p.tok.is("}") || p.tok.kind == tokenEnd || p.tok.newline {
		return
	}
	p.unexpected()
}

func (p *parser) isDeclaration() bool {
	switch {
	case containsToken(" var const class function ", p.tok):
		return true
	case p.tok.is("let"):
		t := p.peek()
		return t.is("[") || t.is("{") || t.kind == tokenName && !p.isReserved(t.text)
	case p.tok.is("async"):
		t := p.peek()
		return t.is("function") && !t.newline
	}
	return false
}

func (p *parser) parseDeclaration() {
	switch p.tok.text {
	case "class":
		p.checkDeclaredName("{", "extends")
		p.parseClass()
	case "async":
		p.next()
		p.checkDeclaredName("(")
		p.parseFunction(true)
	case "function":
		p.checkDeclaredName("(")
		p.parseFunction(false)
	default:
		p.parseVariables(true)
		p.checkCover()
		p.parseSemicolon()
	}
}

// checkDeclaredName refuses a declaration whose name is missing: what follows the word is
// already what should follow the name.
func (p *parser) checkDeclaredName(after ...string) {
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

// parseVariables reads var, let or const and what they declare. In the head of a
// loop, where in is not an operator, a lone variable needs no value.
func (p *parser) parseVariables(in bool) {
	isConst := p.tok.is("const")
	p.next()
	for {
		isPattern := p.tok.is("[") || p.tok.is("{")
		p.parseBinding()
		switch {
		case p.accept("="):
			p.parseAssign(in)
		case !in && containsToken(" in of ", p.tok):
			return
		case isConst || isPattern:
			p.fail(p.tok.pos, intray.NewMessage("javascript.value_missing", nil))
		}
		if !p.accept(",") {
			return
		}
	}
}

// parseControl reads a statement that begins with a word of its own.
func (p *parser) parseControl() bool {
	word := p.tok.text
	switch word {
	case "if", "while", "with", "for", "do":
		p.next()
		p.parseBranch(word)
	case "return", "throw", "break", "continue", "debugger":
		p.parseJump(word)
	case "try":
		p.next()
		p.parseTry()
	case "switch":
		p.next()
		p.parseSwitch()
	default:
		return false
	}
	return true
}

func (p *parser) parseBranch(word string) {
	switch word {
	case "for":
		p.parseLoopHead()
		p.parseLoopBody()
	case "do":
		p.parseLoopBody()
		p.expect("while")
		p.parseCondition()
		p.accept(";")
	case "while":
		p.parseCondition()
		p.parseLoopBody()
	case "with":
		p.parseCondition()
		p.parseStatement()
	default:
		p.parseCondition()
		p.parseStatement()
		if p.accept("else") {
			p.parseStatement()
		}
	}
}

func (p *parser) parseCondition() {
	p.expect("(")
	p.parseExpression(true)
	p.checkCover()
	p.expect(")")
}

func (p *parser) parseLoopBody() {
	p.scope.loops++
	p.parseStatement()
	p.scope.loops--
}

// parseLoopHead reads what stands in parentheses behind for.
func (p *parser) parseLoopHead() {
	if p.scope.async {
		p.accept("await")
	}
	p.expect("(")
	if p.parseLoopStart() {
		p.next()
		p.parseExpression(true)
		p.expect(")")
		return
	}
	p.expect(";")
	if !p.tok.is(";") {
		p.parseExpression(true)
	}
	p.expect(";")
	if !p.tok.is(")") {
		p.parseExpression(true)
	}
	p.checkCover()
	p.expect(")")
}

// parseLoopStart reads the first part of the head and says whether in or of follows.
func (p *parser) parseLoopStart() bool {
	switch {
	case p.tok.is(";"):
		return false
	case p.isDeclaration() && containsToken(" var let const ", p.tok):
		p.parseVariables(false)
		return containsToken(" in of ", p.tok)
	}
	at := p.tok.pos
	k := p.parseExpression(false)
	if !containsToken(" in of ", p.tok) {
		p.checkCover()
		return false
	}
	if !k.has(isTarget | isPattern) {
		p.fail(at, intray.NewMessage("javascript.not_assignable", nil))
	}
	p.cover = 0
	return true
}

// parseJump reads a statement that goes elsewhere.
func (p *parser) parseJump(word string) {
	at := p.tok.pos
	p.next()
	ends := p.tok.newline || p.tok.kind == tokenEnd || p.tok.is(";") || p.tok.is("}")
	switch {
	case word == "throw" && ends:
		p.fail(at, intray.NewMessage("javascript.throw_without_value", nil))
	case ends:
		p.checkJump(at, word)
	case word == "return" || word == "throw":
		p.parseExpression(true)
		p.checkCover()
	case word != "debugger":
		p.parseIdentifier()
	}
	p.parseSemicolon()
}

// checkJump refuses a jump without a label where there is nothing to leave.
func (p *parser) checkJump(at int, word string) {
	if word == "continue" && p.scope.loops == 0 || word == "break" && p.scope.loops+p.scope.switches == 0 {
		p.fail(at, intray.NewMessage("javascript.outside_loop", intray.Params{"word": word}))
	}
}

func (p *parser) parseTry() {
	p.parseBlock()
	caught := p.accept("catch")
	if caught {
		if p.accept("(") {
			p.parseBinding()
			p.expect(")")
		}
		p.parseBlock()
	}
	if p.accept("finally") {
		p.parseBlock()
	} else if !caught {
		p.unexpected()
	}
}

func (p *parser) parseSwitch() {
	p.parseCondition()
	p.expect("{")
	p.scope.switches++
	for p.isBefore("}") {
		if p.accept("case") {
			p.parseExpression(true)
		} else {
			p.expect("default")
		}
		p.expect(":")
		for p.isBefore("}") && !containsToken(" case default ", p.tok) {
			p.parseStatement()
		}
	}
	p.scope.switches--
	p.expect("}")
}

// parseFunction reads a function from the word function on.
func (p *parser) parseFunction(async bool) kind {
	generator := p.parseFunctionHead(async)
	p.parseParametersAndBody(scope{async: async, generator: generator})
	if generator {
		return 0
	}
	return isFunc
}

// parseFunctionHead goes to the parameters.
func (p *parser) parseFunctionHead(async bool) (generator bool) {
	p.next()
	generator = p.accept("*")
	if !p.tok.is("(") {
		outer := p.scope
		p.scope.async, p.scope.generator = async, generator
		p.parseIdentifier()
		p.scope = outer
	}
	return generator
}

func (p *parser) parseMethod(m modifiers) {
	p.parseParametersAndBody(scope{async: m.async, generator: m.generator, method: true})
}

// parseParametersAndBody reads parameters and body.
func (p *parser) parseParametersAndBody(s scope) {
	outer, cover := p.scope, p.cover
	p.scope, p.cover = s, 0
	p.parseParameters()
	p.scope, p.cover = outer, cover
	p.parseBody(s)
}

func (p *parser) parseParameters() {
	p.expect("(")
	for p.isBefore(")") {
		if p.accept("...") {
			p.parseBinding()
			break
		}
		p.parseBindingElement()
		if !p.accept(",") {
			break
		}
	}
	p.expect(")")
}

// parseBody reads statements in braces, as the body of a function.
func (p *parser) parseBody(s scope) {
	outer, cover := p.scope, p.cover
	p.scope, p.cover = s, 0
	p.expect("{")
	p.parseStatements()
	p.scope, p.cover = outer, cover
	p.expect("}")
}

// parseBinding reads a name or a pattern that declares names.
func (p *parser) parseBinding() {
	p.enter()
	defer p.leave()
	switch {
	case p.tok.is("["):
		p.parseArrayBinding()
	case p.tok.is("{"):
		p.parseObjectBinding()
	default:
		p.parseIdentifier()
	}
}

func (p *parser) parseBindingElement() {
	p.parseBinding()
	if p.accept("=") {
		p.parseAssign(true)
	}
}

func (p *parser) parseArrayBinding() {
	p.next()
	for p.isBefore("]") {
		if p.accept(",") {
			continue
		}
		if p.accept("...") {
			p.parseBinding()
			break
		}
		p.parseBindingElement()
		if !p.tok.is("]") {
			p.expect(",")
		}
	}
	p.expect("]")
}

func (p *parser) parseObjectBinding() {
	p.next()
	for p.isBefore("}") {
		p.parsePropertyBinding()
		if !p.tok.is("}") {
			p.expect(",")
		}
	}
	p.expect("}")
}

func (p *parser) parsePropertyBinding() {
	if p.accept("...") {
		p.parseIdentifier()
		return
	}
	isName := p.tok.kind == tokenName && !p.isReserved(p.tok.text)
	p.parseKey()
	switch {
	case p.accept(":"):
		p.parseBindingElement()
	case !isName:
		p.unexpected()
	case p.accept("="):
		p.parseAssign(true)
	}
}

// parseClass reads a class from the word class on.
func (p *parser) parseClass() {
	p.next()
	if !p.tok.is("{") && !p.tok.is("extends") {
		p.parseIdentifier()
	}
	if p.accept("extends") {
		p.parseSuffixed()
	}
	p.expect("{")
	for p.isBefore("}") {
		if !p.accept(";") {
			p.parseClassElement()
		}
	}
	p.expect("}")
}

func (p *parser) parseClassElement() {
	if p.tok.is("static") && !containsToken(" ( = ; } ", p.peek()) {
		p.next()
		if p.tok.is("{") {
			p.parseBody(scope{method: true})
			return
		}
	}
	m := p.parseModifiers()
	p.parseClassKey()
	if p.tok.is("(") {
		p.parseMethod(m)
		return
	}
	if m.async || m.generator {
		p.unexpected()
	}
	p.parseFieldValue()
}

func (p *parser) parseClassKey() {
	if p.tok.kind == tokenPrivate {
		p.next()
		return
	}
	p.parseKey()
}

// parseFieldValue reads the value of a class's field.
func (p *parser) parseFieldValue() {
	if p.accept("=") {
		outer := p.scope
		p.scope = scope{method: true}
		p.parseAssign(true)
		p.scope = outer
	}
	p.parseSemicolon()
}
