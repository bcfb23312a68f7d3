package jsruntime

import "slices"

// A pure hook returns equal results for rows with equal cells, whatever it was called with before,
// and nothing else can tell how often it was called. Its caller may therefore call it once for all
// rows with equal cells. [PureRowHooks] recognizes a subset of pure hooks.
//
// The functions below parse a part of JavaScript in which the following holds for every expression:
// its value is a primitive, or an object that was created during the same call and whose properties
// hold such values. Functions occur only where they are called. By induction over the grammar:
//
//   - Names are local variables, parameters and constants such as undefined. There is no
//     assignment to any other name, no this and no arguments. Every name must be declared before it
//     is used, in an enclosing block. No declaration has the name of a constant or of a built-in
//     object, because a variable that is declared with var also exists outside of its block and
//     before its declaration, where the parser would read its name as that of the constant.
//   - The record is only used to read value and resultValue of cells. These are primitives; the
//     caller must not use this for columns with lists. The index and the ID of a row cannot be read.
//   - Literals, templates, operators and regular expressions create new values. A regular
//     expression starts at lastIndex 0 each time, because it is created during the call.
//   - There are no functions within the hook. Therefore, no object has a getter, a toString, a
//     Symbol.toPrimitive, an iterator or a then method of its own, and no built-in method calls back.
//   - A property that is read is not one that a built-in prototype has (inheritedNames), such as
//     constructor, and __proto__ cannot be set. Reading it yields a value of an object of the call, or
//     undefined. A computed key is a literal or a number, so it cannot be the name of such a property
//     either. To know that x.length is a number, no property of the name length can be set.
//   - A method is one of pureMethods, and a function one of pureFunctions. They change at most their
//     receiver, and return primitives or new objects. Math.random, Date and console are not among them.
//
// Assignments change only local variables and objects of the call, and nothing of it remains after
// the call except the result. A hook of another kind in the same process could replace the
// built-in methods, so a hook counts as pure only if all hooks of the process are pure.
//
// If the parser does not know a construct, the hook is not pure, so the parser need not know the
// rest of the language. It must only not misread the part that it accepts.

// PureRowHooks reports whether all hooks are row hooks whose result depends only on value and
// resultValue of cells, and whose calls have no other effect.
func PureRowHooks(hooks []Hook) bool {
	for _, hook := range hooks {
		if hook.Kind != HookRow || !isPure(hook.Source) {
			return false
		}
	}
	return true
}

// maxPureSource is the maximum length, in bytes, of a source that is checked for purity. maxPureDepth
// limits nesting, and maxPurePasses how often a source is parsed.
const (
	maxPureSource = 64 << 10
	maxPureDepth  = 200
	maxPurePasses = 20
)

// isPure reports whether a row hook is pure, provided that the built-in objects are unchanged.
func isPure(source string) bool {
	if len(source) > maxPureSource {
		return false
	}
	// Whether a variable always holds a number is known only at the end, so a variable that does not
	// is parsed again as one that may hold anything.
	other := map[int]bool{}
	for range maxPurePasses {
		known := len(other)
		p := &pureParser{pureLexer: pureLexer{source: source}, vars: map[string]binding{}, other: other}
		p.next()
		p.parseHook()
		if p.failed || len(other) == known {
			return !p.failed
		}
	}
	return false
}

// bindingKind is the kind of thing that a name denotes.
type bindingKind uint8

const (
	bindVariable bindingKind = iota
	bindRecord
	bindRow
)

// binding is a declared name. at is the offset of its declaration.
type binding struct {
	kind bindingKind
	at   int
}

// pureParser parses a pure hook.
type pureParser struct {
	pureLexer
	scopes []map[string]binding
	// vars contains the variables that are declared with var.
	vars  map[string]binding
	depth int
	// other contains the offsets of the declarations of variables that may hold other values than
	// those that are safe keys.
	other map[int]bool
}

// pureExpr describes an expression.
type pureExpr struct {
	// isKey reports that the value is a number, true, false, null or undefined. As a key, it is not the
	// name of an inherited property.
	isKey bool
	// variable is the variable that the expression names, if isVariable is set. isMember reports that
	// the expression names a property that may be assigned.
	isVariable, isMember bool
	variable             binding
}

func (p *pureParser) enter() { p.scopes = append(p.scopes, map[string]binding{}) }
func (p *pureParser) leave() { p.scopes = p.scopes[:len(p.scopes)-1] }

// declare declares the current token as a name in the innermost block.
func (p *pureParser) declare(kind bindingKind) binding {
	b := binding{kind: kind, at: p.tok.at}
	if p.tok.kind != tokenName || slices.Contains(reservedWords, p.tok.text) || globalNames[p.tok.text] {
		p.fail()
		return b
	}
	p.scopes[len(p.scopes)-1][p.tok.text] = b
	p.next()
	return b
}

func (p *pureParser) lookup(name string) (b binding, found bool) {
	for _, scope := range slices.Backward(p.scopes) {
		if b, found = scope[name]; found {
			return b, true
		}
	}
	return b, false
}

// store records that a variable receives a value.
func (p *pureParser) store(b binding, isKey bool) {
	if b.kind != bindVariable {
		p.fail()
	}
	if !isKey {
		p.other[b.at] = true
	}
}

// nest counts the depth of nesting until the function that it returns is called.
func (p *pureParser) nest() func() {
	if p.depth++; p.depth > maxPureDepth {
		p.fail()
	}
	return func() { p.depth-- }
}

// parseHook parses an arrow function or a function expression, with a semicolon at the end.
func (p *pureParser) parseHook() {
	p.enter()
	isFunction := p.accept("function")
	switch {
	case isFunction && !p.is("("):
		p.declare(bindRecord) // the name of the function cannot be used either
		p.parseParameters()
	case p.tok.kind == tokenName:
		p.declare(bindRecord)
	default:
		p.parseParameters()
	}
	if !isFunction {
		p.expect("=>")
	}
	switch {
	case p.is("{"):
		p.parseBlock()
	case isFunction:
		p.fail()
	default:
		p.parseAssignment()
	}
	for p.accept(";") {
	}
	if p.tok.kind != tokenEnd {
		p.fail()
	}
}

// parseParameters parses the record or {row}, and the mode.
func (p *pureParser) parseParameters() {
	p.expect("(")
	switch {
	case p.accept("{"):
		if p.tok.text != "row" {
			p.fail()
		}
		p.declare(bindRow)
		p.accept(",")
		p.expect("}")
	case !p.is(")"):
		p.declare(bindRecord)
	}
	if p.accept(",") && !p.is(")") {
		p.store(p.declare(bindVariable), false)
	}
	p.expect(")")
}

func (p *pureParser) parseBlock() {
	defer p.nest()()
	p.enter()
	p.expect("{")
	for !p.failed && !p.is("}") {
		p.parseStatement()
	}
	p.expect("}")
	p.leave()
}

func (p *pureParser) parseStatement() {
	defer p.nest()()
	switch {
	case p.failed || p.accept(";"):
	case p.is("{"):
		p.parseBlock()
	case p.is("const") || p.is("let") || p.is("var"):
		p.parseDeclarations()
		p.endStatement()
	case p.accept("if"):
		p.parseCondition()
		p.parseBranch()
		if p.accept("else") {
			p.parseBranch()
		}
	case p.accept("while"):
		p.parseCondition()
		p.parseBranch()
	case p.accept("for"):
		p.parseFor()
	case p.accept("return"):
		if p.tok.afterLine && !p.is("}") {
			p.fail() // the value is a statement of its own, which is hardly meant
		}
		if !p.is(";") && !p.is("}") {
			p.parseExpression()
		}
		p.endStatement()
	case p.accept("throw"):
		p.parseThrow()
	case p.accept("break"), p.accept("continue"):
		p.endStatement()
	default:
		p.parseExpression()
		p.endStatement()
	}
}

// endStatement expects the end of a statement. A line break ends a statement only if the next token
// cannot continue it. The parser has already tried to continue it.
func (p *pureParser) endStatement() {
	if !p.accept(";") && !p.is("}") && !p.tok.afterLine {
		p.fail()
	}
}

func (p *pureParser) parseCondition() {
	p.expect("(")
	p.parseExpression()
	p.expect(")")
}

// parseBranch parses a statement that may be a block, but not a declaration. There, let at the end
// of a line is a variable, and the next line a statement that may assign to a global variable.
func (p *pureParser) parseBranch() {
	if p.is("let") || p.is("const") {
		p.fail()
	}
	p.enter()
	p.parseStatement()
	p.leave()
}

func (p *pureParser) parseThrow() {
	if p.tok.afterLine {
		p.fail()
	}
	if p.accept("new") {
		if !slices.Contains([]string{"Error", "TypeError", "RangeError"}, p.tok.text) || p.isDeclared() {
			p.fail()
		}
		p.next()
		p.parseArguments()
	} else {
		p.parseExpression()
	}
	p.endStatement()
}

func (p *pureParser) isDeclared() bool {
	_, found := p.lookup(p.tok.text)
	return found
}

// parseDeclarations parses variables. It stops before "of".
func (p *pureParser) parseDeclarations() {
	declare := p.declareVariable
	if p.is("var") {
		declare = p.declareVar
	}
	p.next()
	for {
		if p.accept("[") {
			p.parseArrayPattern(declare)
			if p.is("of") {
				return
			}
			p.expect("=")
			p.parseAssignment()
		} else {
			b := declare()
			if p.is("of") {
				return
			}
			if p.accept("=") {
				p.store(b, p.parseAssignment().isKey)
			}
		}
		if !p.accept(",") {
			return
		}
	}
}

func (p *pureParser) declareVariable() binding { return p.declare(bindVariable) }

// declareVar declares a variable of the whole function. Every declaration of the name means the same
// variable, even if it is a parameter.
func (p *pureParser) declareVar() binding {
	name := p.tok.text
	visible, isVisible := p.lookup(name)
	known, isKnown := p.vars[name]
	if isVisible && (!isKnown || visible != known) {
		p.fail()
	}
	b := p.declare(bindVariable)
	if isKnown {
		b = known
		p.scopes[len(p.scopes)-1][name] = b
	}
	p.vars[name] = b
	return b
}

func (p *pureParser) parseArrayPattern(declare func() binding) {
	for !p.failed && !p.accept("]") {
		if !p.accept(",") {
			p.store(declare(), false)
			if !p.is("]") {
				p.expect(",")
			}
		}
	}
}

func (p *pureParser) parseFor() {
	p.enter()
	p.expect("(")
	if p.is("const") || p.is("let") || p.is("var") {
		p.parseDeclarations()
		if p.accept("of") {
			for _, b := range p.scopes[len(p.scopes)-1] {
				p.store(b, false)
			}
			p.parseAssignment()
			p.expect(")")
			p.parseBranch()
			p.leave()
			return
		}
	} else if !p.is(";") {
		p.parseExpression()
	}
	p.expect(";")
	if !p.is(";") {
		p.parseExpression()
	}
	p.expect(";")
	if !p.is(")") {
		p.parseExpression()
	}
	p.expect(")")
	p.parseBranch()
	p.leave()
}
