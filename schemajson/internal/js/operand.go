package js

import "github.com/intraydata/intray"

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
