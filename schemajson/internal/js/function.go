package js

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
