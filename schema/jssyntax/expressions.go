package jssyntax

import (
	"strings"

	"github.com/intraydata/intray"
)

// parseExpression reads expressions with commas between them. Without in, the word
// in ends it, as in the head of a loop.
func (p *parser) parseExpression(in bool) kind {
	k := p.parseAssign(in)
	for p.accept(",") {
		p.parseAssign(in)
		k = 0
	}
	return k
}

const assignments = " = += -= *= /= %= **= <<= >>= >>>= &= |= ^= &&= ||= ??= "

func containsToken(list string, t token) bool {
	return (t.kind == tokenSign || t.kind == tokenName) && strings.Contains(list, " "+t.text+" ")
}

// parseAssign reads one expression without commas.
func (p *parser) parseAssign(in bool) kind {
	p.enter()
	defer p.leave()
	if p.scope.generator && p.tok.is("yield") {
		p.parseYield(in)
		return 0
	}
	if k, ok := p.parseAsyncArrow(in); ok {
		return k
	}
	at := p.tok.pos
	k := p.parseConditional(in)
	switch {
	case p.tok.is("=>"):
		return p.parseArrow(k, in)
	case p.tok.is("="):
		return p.parsePlainAssign(k, at, in)
	case containsToken(assignments, p.tok):
		if !k.has(isTarget) {
			p.fail(at, intray.NewMessage("javascript.not_assignable", nil))
		}
		p.next()
		p.parseAssign(in)
		return 0
	}
	return k
}

func (p *parser) parsePlainAssign(k kind, at int, in bool) kind {
	if !k.has(isTarget | isPattern) {
		p.fail(at, intray.NewMessage("javascript.not_assignable", nil))
	}
	if k.has(isPattern) {
		p.cover = 0
	}
	p.next()
	p.parseAssign(in)
	return k & (isElement | isBinding)
}

func (p *parser) parseYield(in bool) {
	p.next()
	if p.tok.newline || p.tok.kind == tokenEnd || containsToken(" ) ] } , ; : in of ", p.tok) {
		return
	}
	p.accept("*")
	p.parseAssign(in)
}

// parseAsyncArrow reads async x => … .
func (p *parser) parseAsyncArrow(in bool) (kind, bool) {
	if !p.tok.is("async") {
		return 0, false
	}
	l := p.lex
	param, sign := l.next(), l.next()
	if param.kind != tokenName || param.newline || !sign.is("=>") || p.isReserved(param.text) {
		return 0, false
	}
	p.next()
	p.next()
	return p.parseArrow(isHead|isAsync, in), true
}

// parseArrow reads => and the body behind what may be its parameters.
func (p *parser) parseArrow(head kind, in bool) kind {
	if !head.has(isIdent|isHead) || p.tok.newline {
		p.unexpected()
		return 0
	}
	p.cover = 0
	p.next()
	s := scope{async: head.has(isHead) && head.has(isAsync), method: p.scope.method}
	if p.tok.is("{") {
		p.parseBody(s)
		return isFunc
	}
	outer := p.scope
	p.scope = s
	p.parseAssign(in)
	p.scope = outer
	return isFunc
}

func (p *parser) parseConditional(in bool) kind {
	k := p.parseBinary(in)
	if !p.accept("?") {
		return k
	}
	p.parseAssign(true)
	p.expect(":")
	p.parseAssign(in)
	return 0
}

const operators = " || && ?? | ^ & == != === !== < > <= >= instanceof in << >> >>> + - * / % ** "

// parseBinary reads operands and operators; their order of binding does not matter
// to a recognizer.
func (p *parser) parseBinary(in bool) kind {
	k := p.parseUnary()
	for containsToken(operators, p.tok) && (in || !p.tok.is("in")) {
		p.next()
		p.parseUnary()
		k = 0
	}
	return k
}

const prefixes = " delete void typeof + - ~ ! ++ -- "

func (p *parser) parseUnary() kind {
	prefix := ""
	for containsToken(prefixes, p.tok) || p.scope.async && p.tok.is("await") {
		prefix = p.tok.text
		p.next()
	}
	at := p.tok.pos
	k := p.parseSuffixed()
	postfix := (p.tok.is("++") || p.tok.is("--")) && !p.tok.newline
	if (postfix || prefix == "++" || prefix == "--") && !k.has(isTarget) {
		p.fail(at, intray.NewMessage("javascript.not_incrementable", nil))
	}
	if postfix {
		p.next()
	}
	if postfix || prefix != "" {
		return 0
	}
	return k
}

// parseSuffixed reads an operand with the members, calls and templates behind it.
func (p *parser) parseSuffixed() kind {
	isNew := p.skipNew()
	k, chained := p.parseOperand(), false
	for {
		switch {
		case p.tok.is("."):
			p.next()
			p.parseMember()
			k = isTarget | isElement
		case p.tok.is("?."):
			p.parseOptionalChain()
			k, chained = 0, true
		case p.tok.is("["):
			p.next()
			p.parseExpression(true)
			p.expect("]")
			k = isTarget | isElement
		case p.tok.is("("):
			k, isNew = p.parseCall(k), false
		case p.tok.kind == tokenTemplate && p.tok.text[0] == '`':
			p.parseTemplate()
			k = 0
		default:
			if chained || isNew {
				return 0
			}
			return k
		}
	}
}

// skipNew goes over the words new in front of an operand.
func (p *parser) skipNew() bool {
	found := false
	for p.tok.is("new") && !p.peek().is(".") {
		p.next()
		found = true
	}
	return found
}

func (p *parser) parseMember() {
	if p.tok.kind != tokenName && p.tok.kind != tokenPrivate {
		p.unexpected()
		return
	}
	p.next()
}

func (p *parser) parseOptionalChain() {
	p.next()
	switch {
	case p.tok.is("("):
		p.parseArguments()
	case p.tok.is("["):
		p.next()
		p.parseExpression(true)
		p.expect("]")
	default:
		p.parseMember()
	}
}

// parseCall reads arguments. Behind the word async they may turn out to be the
// parameters of an arrow function.
func (p *parser) parseCall(callee kind) kind {
	mayBeHead := callee.has(isAsync) && callee.has(isIdent) && !p.tok.newline
	bindings := p.parseArguments()
	if mayBeHead && bindings && p.tok.is("=>") {
		return isHead | isAsync
	}
	return 0
}

func (p *parser) parseArguments() (bindings bool) {
	bindings = true
	p.expect("(")
	for p.isBefore(")") {
		p.accept("...")
		bindings = p.parseAssign(true).has(isBinding) && bindings
		if !p.accept(",") {
			break
		}
	}
	p.expect(")")
	return bindings
}

// parseTemplate reads a template to its end.
func (p *parser) parseTemplate() {
	for p.tok.kind == tokenTemplate && strings.HasSuffix(p.tok.text, "${") {
		p.next()
		p.parseExpression(true)
		if !p.tok.is("}") {
			p.expect("}")
			return
		}
		p.setToken(p.lex.resumeTemplate(p.tok))
	}
	if p.tok.kind == tokenTemplate {
		p.next()
	}
}

// parseOperand reads a literal, a name, a group, a function or a class.
func (p *parser) parseOperand() kind {
	p.enter()
	defer p.leave()
	switch p.tok.kind {
	case tokenNumber, tokenString:
		p.next()
	case tokenTemplate:
		p.parseTemplate()
	case tokenPrivate:
		if !p.peek().is("in") {
			p.unexpected()
		}
		p.next()
	case tokenName:
		return p.parseWord()
	case tokenSign:
		return p.parseSigned()
	default:
		p.unexpected()
	}
	return 0
}

func (p *parser) parseSigned() kind {
	switch p.tok.text {
	case "(":
		return p.parseGroup()
	case "[":
		return p.parseArray()
	case "{":
		return p.parseObject()
	case "/", "/=":
		p.setToken(p.lex.scanRegexp(p.tok))
		if p.tok.kind == tokenRegex {
			p.next()
		}
		return 0
	}
	p.unexpected()
	return 0
}

func (p *parser) parseWord() kind {
	switch p.tok.text {
	case "function":
		return p.parseFunction(false)
	case "class":
		p.parseClass()
		return 0
	case "this", "null", "true", "false":
		p.next()
		return 0
	case "new", "import", "super":
		p.parseSpecial()
		return 0
	case "async":
		if t := p.peek(); t.is("function") && !t.newline {
			p.next()
			return p.parseFunction(true)
		}
		p.next()
		return isIdent | isTarget | isElement | isBinding | isAsync
	}
	p.parseIdentifier()
	return isIdent | isTarget | isElement | isBinding
}

// parseSpecial reads new.target, import(…) and super with what must follow it.
func (p *parser) parseSpecial() {
	word := p.tok.text
	p.next()
	switch {
	case word == "new":
		p.expect(".")
		p.expect("target")
	case word == "import" && !p.tok.is("("):
		p.fail(p.tok.pos, intray.NewMessage("javascript.import_not_called", nil))
	case word == "super" && (!p.scope.method || !containsToken(" ( . [ ", p.tok)):
		p.fail(p.tok.pos, intray.NewMessage("javascript.super_outside_method", nil))
	}
}

// parseGroup reads parentheses: expressions, or the parameters of an arrow function.
func (p *parser) parseGroup() kind {
	p.next()
	list := groupList{bindings: true}
	for p.isBefore(")") {
		p.parseGroupElement(&list)
		if !p.tok.is(",") {
			break
		}
		comma := p.tok.pos
		p.next()
		if p.tok.is(")") {
			list.headOnly, list.at = true, comma
		}
	}
	end := p.tok.pos
	p.expect(")")
	isArrow := p.tok.is("=>")
	switch {
	case isArrow && !list.bindings:
		p.unexpected()
	case isArrow:
		return isHead
	case list.count == 0:
		p.fail(end, unexpected(")"))
	case list.headOnly:
		p.fail(list.at, intray.NewMessage("javascript.sign_in_parentheses", nil))
	case list.count == 1:
		return list.last.parenthesized()
	}
	return 0
}

// parenthesized is what an expression may be once parentheses stand around it.
func (k kind) parenthesized() kind {
	if k.has(isTarget) {
		return isTarget | isElement
	}
	return k & isFunc
}

// groupList is what stands in parentheses.
type groupList struct {
	count    int
	last     kind
	bindings bool
	// headOnly says that only parameters can be written so, because of the
	// sign at at.
	headOnly bool
	at       int
}

func (p *parser) parseGroupElement(list *groupList) {
	list.count++
	if p.tok.is("...") {
		list.headOnly, list.at = true, p.tok.pos
		p.next()
		p.parseBinding()
		list.last = 0
		return
	}
	list.last = p.parseAssign(true)
	list.bindings = list.bindings && list.last.has(isBinding)
}

// literalKind folds the kinds of elements into that of their array or object.
func literalKind(all kind) kind {
	k := all & isBinding
	if all.has(isElement) {
		k |= isPattern | isElement
	}
	return k
}

func (p *parser) parseArray() kind {
	all := isElement | isBinding
	p.next()
	for p.isBefore("]") {
		if p.accept(",") {
			continue
		}
		p.accept("...")
		all &= p.parseAssign(true)
		if !p.tok.is("]") {
			p.expect(",")
		}
	}
	p.expect("]")
	return literalKind(all)
}

func (p *parser) parseObject() kind {
	all := isElement | isBinding
	p.next()
	for p.isBefore("}") {
		all &= p.parseProperty()
		if !p.tok.is("}") {
			p.expect(",")
		}
	}
	p.expect("}")
	return literalKind(all)
}

// parseProperty reads one property of an object.
func (p *parser) parseProperty() kind {
	if p.accept("...") {
		return p.parseAssign(true)
	}
	first := p.tok
	m := p.parseModifiers()
	isName := !m.isSet() && first.kind == tokenName && !p.isReserved(first.text)
	p.parseKey()
	switch {
	case p.tok.is("("):
		p.parseMethod(m)
		return 0
	case m.isSet():
		p.unexpected()
		return 0
	case p.accept(":"):
		return p.parseAssign(true)
	case isName && p.tok.is("="):
		p.cover = p.tok.pos + 1
		p.next()
		p.parseAssign(true)
		return isElement | isBinding
	case isName && (p.tok.is(",") || p.tok.is("}")):
		return isElement | isBinding
	}
	p.unexpected()
	return 0
}

// modifiers are the words and signs in front of a method's name.
type modifiers struct{ async, generator, accessor bool }

func (m modifiers) isSet() bool { return m.async || m.generator || m.accessor }

// parseModifiers reads them. A word before the end of a key is a key itself.
func (p *parser) parseModifiers() modifiers {
	var m modifiers
	if containsToken(" get set async ", p.tok) {
		t := p.peek()
		isKey := containsToken(" ( , : = ; } ", t) || t.kind == tokenEnd || p.tok.is("async") && t.newline || t.is("*") && !p.tok.is("async")
		if !isKey {
			m.async = p.tok.is("async")
			m.accessor = !m.async
			p.next()
		}
	}
	if p.tok.is("*") {
		p.next()
		m.generator = true
	}
	return m
}

// parseKey reads the name of a property.
func (p *parser) parseKey() {
	switch {
	case p.accept("["):
		p.parseAssign(true)
		p.expect("]")
	case p.tok.kind == tokenName, p.tok.kind == tokenString, p.tok.kind == tokenNumber:
		p.next()
	default:
		p.unexpected()
	}
}
