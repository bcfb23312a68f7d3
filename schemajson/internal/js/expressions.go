package js

import (
	"strings"

	"github.com/intraydata/intray"
)

// expression reads expressions with commas between them. Without in, the word
// in ends it, as in the head of a loop.
func (p *parser) expression(in bool) kind {
	k := p.assign(in)
	for p.accept(",") {
		p.assign(in)
		k = 0
	}
	return k
}

const assignments = " = += -= *= /= %= **= <<= >>= >>>= &= |= ^= &&= ||= ??= "

func oneOf(list string, t token) bool {
	return (t.kind == tokenSign || t.kind == tokenName) && strings.Contains(list, " "+t.text+" ")
}

// assign reads one expression without commas.
func (p *parser) assign(in bool) kind {
	p.enter()
	defer p.leave()
	if p.in.generator && p.tok.is("yield") {
		p.yield(in)
		return 0
	}
	if k, ok := p.asyncArrow(in); ok {
		return k
	}
	at := p.tok.pos
	k := p.conditional(in)
	switch {
	case p.tok.is("=>"):
		return p.arrow(k, in)
	case p.tok.is("="):
		return p.assignment(k, at, in)
	case oneOf(assignments, p.tok):
		if !k.has(isTarget) {
			p.fail(at, intray.NewMessage("javascript.not_assignable", nil))
		}
		p.next()
		p.assign(in)
		return 0
	}
	return k
}

func (p *parser) assignment(k kind, at int, in bool) kind {
	if !k.has(isTarget | isPattern) {
		p.fail(at, intray.NewMessage("javascript.not_assignable", nil))
	}
	if k.has(isPattern) {
		p.cover = 0
	}
	p.next()
	p.assign(in)
	return k & (isElement | isBinding)
}

func (p *parser) yield(in bool) {
	p.next()
	if p.tok.newline || p.tok.kind == tokenEnd || oneOf(" ) ] } , ; : in of ", p.tok) {
		return
	}
	p.accept("*")
	p.assign(in)
}

// asyncArrow reads async x => … .
func (p *parser) asyncArrow(in bool) (kind, bool) {
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
	return p.arrow(isHead|isAsync, in), true
}

// arrow reads => and the body behind what may be its parameters.
func (p *parser) arrow(head kind, in bool) kind {
	if !head.has(isIdent|isHead) || p.tok.newline {
		p.unexpected()
		return 0
	}
	p.cover = 0
	p.next()
	s := scope{async: head.has(isHead) && head.has(isAsync), method: p.in.method}
	if p.tok.is("{") {
		p.body(s)
		return isFunc
	}
	outer := p.in
	p.in = s
	p.assign(in)
	p.in = outer
	return isFunc
}

func (p *parser) conditional(in bool) kind {
	k := p.binary(in)
	if !p.accept("?") {
		return k
	}
	p.assign(true)
	p.expect(":")
	p.assign(in)
	return 0
}

const operators = " || && ?? | ^ & == != === !== < > <= >= instanceof in << >> >>> + - * / % ** "

// binary reads operands and operators; their order of binding does not matter
// to a recognizer.
func (p *parser) binary(in bool) kind {
	k := p.unary()
	for oneOf(operators, p.tok) && (in || !p.tok.is("in")) {
		p.next()
		p.unary()
		k = 0
	}
	return k
}

const prefixes = " delete void typeof + - ~ ! ++ -- "

func (p *parser) unary() kind {
	prefix := ""
	for oneOf(prefixes, p.tok) || p.in.async && p.tok.is("await") {
		prefix = p.tok.text
		p.next()
	}
	at := p.tok.pos
	k := p.suffixed()
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

// suffixed reads an operand with the members, calls and templates behind it.
func (p *parser) suffixed() kind {
	isNew := p.news()
	k, chained := p.operand(), false
	for {
		switch {
		case p.tok.is("."):
			p.next()
			p.member()
			k = isTarget | isElement
		case p.tok.is("?."):
			p.optional()
			k, chained = 0, true
		case p.tok.is("["):
			p.next()
			p.expression(true)
			p.expect("]")
			k = isTarget | isElement
		case p.tok.is("("):
			k, isNew = p.call(k), false
		case p.tok.kind == tokenTemplate && p.tok.text[0] == '`':
			p.template()
			k = 0
		default:
			if chained || isNew {
				return 0
			}
			return k
		}
	}
}

// news goes over the words new in front of an operand.
func (p *parser) news() bool {
	found := false
	for p.tok.is("new") && !p.ahead().is(".") {
		p.next()
		found = true
	}
	return found
}

func (p *parser) member() {
	if p.tok.kind != tokenName && p.tok.kind != tokenPrivate {
		p.unexpected()
		return
	}
	p.next()
}

func (p *parser) optional() {
	p.next()
	switch {
	case p.tok.is("("):
		p.arguments()
	case p.tok.is("["):
		p.next()
		p.expression(true)
		p.expect("]")
	default:
		p.member()
	}
}

// call reads arguments. Behind the word async they may turn out to be the
// parameters of an arrow function.
func (p *parser) call(callee kind) kind {
	mayBeHead := callee.has(isAsync) && callee.has(isIdent) && !p.tok.newline
	bindings := p.arguments()
	if mayBeHead && bindings && p.tok.is("=>") {
		return isHead | isAsync
	}
	return 0
}

func (p *parser) arguments() (bindings bool) {
	bindings = true
	p.expect("(")
	for p.until(")") {
		p.accept("...")
		bindings = p.assign(true).has(isBinding) && bindings
		if !p.accept(",") {
			break
		}
	}
	p.expect(")")
	return bindings
}

// template reads a template to its end.
func (p *parser) template() {
	for p.tok.kind == tokenTemplate && strings.HasSuffix(p.tok.text, "${") {
		p.next()
		p.expression(true)
		if !p.tok.is("}") {
			p.expect("}")
			return
		}
		p.take(p.lex.resume(p.tok))
	}
	if p.tok.kind == tokenTemplate {
		p.next()
	}
}

// operand reads a literal, a name, a group, a function or a class.
func (p *parser) operand() kind {
	p.enter()
	defer p.leave()
	switch p.tok.kind {
	case tokenNumber, tokenString:
		p.next()
	case tokenTemplate:
		p.template()
	case tokenPrivate:
		if !p.ahead().is("in") {
			p.unexpected()
		}
		p.next()
	case tokenName:
		return p.word()
	case tokenSign:
		return p.signed()
	default:
		p.unexpected()
	}
	return 0
}

func (p *parser) signed() kind {
	switch p.tok.text {
	case "(":
		return p.group()
	case "[":
		return p.array()
	case "{":
		return p.object()
	case "/", "/=":
		p.take(p.lex.regex(p.tok))
		if p.tok.kind == tokenRegex {
			p.next()
		}
		return 0
	}
	p.unexpected()
	return 0
}

func (p *parser) word() kind {
	switch p.tok.text {
	case "function":
		return p.functionExpression(false)
	case "class":
		p.class()
		return 0
	case "this", "null", "true", "false":
		p.next()
		return 0
	case "new", "import", "super":
		p.special()
		return 0
	case "async":
		if t := p.ahead(); t.is("function") && !t.newline {
			p.next()
			return p.functionExpression(true)
		}
		p.next()
		return isIdent | isTarget | isElement | isBinding | isAsync
	}
	p.identifier()
	return isIdent | isTarget | isElement | isBinding
}

// special reads new.target, import(…) and super with what must follow it.
func (p *parser) special() {
	word := p.tok.text
	p.next()
	switch {
	case word == "new":
		p.expect(".")
		p.expect("target")
	case word == "import" && !p.tok.is("("):
		p.fail(p.tok.pos, intray.NewMessage("javascript.import_not_called", nil))
	case word == "super" && (!p.in.method || !oneOf(" ( . [ ", p.tok)):
		p.fail(p.tok.pos, intray.NewMessage("javascript.super_outside_method", nil))
	}
}

// group reads parentheses: expressions, or the parameters of an arrow function.
func (p *parser) group() kind {
	p.next()
	list := groupList{bindings: true}
	for p.until(")") {
		p.groupElement(&list)
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
		return list.last.grouped()
	}
	return 0
}

// grouped is what an expression may be once parentheses stand around it.
func (k kind) grouped() kind {
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

func (p *parser) groupElement(list *groupList) {
	list.count++
	if p.tok.is("...") {
		list.headOnly, list.at = true, p.tok.pos
		p.next()
		p.binding()
		list.last = 0
		return
	}
	list.last = p.assign(true)
	list.bindings = list.bindings && list.last.has(isBinding)
}

// literal folds the kinds of elements into that of their array or object.
func literal(all kind) kind {
	k := all & isBinding
	if all.has(isElement) {
		k |= isPattern | isElement
	}
	return k
}

func (p *parser) array() kind {
	all := isElement | isBinding
	p.next()
	for p.until("]") {
		if p.accept(",") {
			continue
		}
		p.accept("...")
		all &= p.assign(true)
		if !p.tok.is("]") {
			p.expect(",")
		}
	}
	p.expect("]")
	return literal(all)
}

func (p *parser) object() kind {
	all := isElement | isBinding
	p.next()
	for p.until("}") {
		all &= p.property()
		if !p.tok.is("}") {
			p.expect(",")
		}
	}
	p.expect("}")
	return literal(all)
}

// property reads one property of an object.
func (p *parser) property() kind {
	if p.accept("...") {
		return p.assign(true)
	}
	first := p.tok
	m := p.modifiers()
	isName := !m.any() && first.kind == tokenName && !p.isReserved(first.text)
	p.key()
	switch {
	case p.tok.is("("):
		p.method(m)
		return 0
	case m.any():
		p.unexpected()
		return 0
	case p.accept(":"):
		return p.assign(true)
	case isName && p.tok.is("="):
		p.cover = p.tok.pos + 1
		p.next()
		p.assign(true)
		return isElement | isBinding
	case isName && (p.tok.is(",") || p.tok.is("}")):
		return isElement | isBinding
	}
	p.unexpected()
	return 0
}

// modifiers are the words and signs in front of a method's name.
type modifiers struct{ async, generator, accessor bool }

func (m modifiers) any() bool { return m.async || m.generator || m.accessor }

// modifiers reads them. A word before the end of a key is a key itself.
func (p *parser) modifiers() modifiers {
	var m modifiers
	if oneOf(" get set async ", p.tok) {
		t := p.ahead()
		isKey := oneOf(" ( , : = ; } ", t) || t.kind == tokenEnd || p.tok.is("async") && t.newline || t.is("*") && !p.tok.is("async")
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

// key reads the name of a property.
func (p *parser) key() {
	switch {
	case p.accept("["):
		p.assign(true)
		p.expect("]")
	case p.tok.kind == tokenName, p.tok.kind == tokenString, p.tok.kind == tokenNumber:
		p.next()
	default:
		p.unexpected()
	}
}
