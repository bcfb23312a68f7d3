package jsruntime

import (
	"slices"
	"strings"
)

// words returns a set of the words of a text.
func words(text string) map[string]bool {
	set := map[string]bool{}
	for word := range strings.FieldsSeq(text) {
		set[word] = true
	}
	return set
}

// firstNames returns the names in sets of names and members, such as Math in Math.max.
func firstNames(sets ...map[string]bool) map[string]bool {
	names := map[string]bool{}
	for _, set := range sets {
		for name := range set {
			name, _, _ = strings.Cut(name, ".")
			names[name] = true
		}
	}
	return names
}

var (
	// reservedWords cannot be names, or have a meaning that the parser does not know.
	reservedWords = strings.Fields(`arguments async await break case catch class const continue debugger default delete do else enum eval export
		extends false finally for function get if implements import in instanceof interface let new null of package private protected
		public return set static super switch this throw true try typeof var void while with yield`)
	// pureMethods are built-in methods that do not change anything but their receiver, and return primitives or new
	// objects if they receive no functions. numberMethods are those that return a number, true, false or undefined.
	pureMethods = words(`at charAt concat endsWith exec fill flat includes indexOf isWellFormed join lastIndexOf match normalize padEnd padStart
		pop push repeat replace replaceAll reverse search shift slice sort split splice startsWith substr substring test toFixed
		toLowerCase toPrecision toString toUpperCase toWellFormed trim trimEnd trimStart unshift charCodeAt codePointAt`)
	numberMethods = words(`charCodeAt codePointAt endsWith includes indexOf lastIndexOf push search startsWith test unshift`)
	// pureFunctions are the built-in functions that hooks may call. numberFunctions are those that return a number,
	// true or false, in addition to all functions of Math.
	pureFunctions = words(`Boolean Number String decodeURI decodeURIComponent encodeURI encodeURIComponent isFinite isNaN parseFloat parseInt
		Array.isArray Array.of Math.abs Math.acos Math.asin Math.atan Math.atan2 Math.cbrt Math.ceil Math.cos Math.exp Math.floor Math.hypot
		Math.log Math.log10 Math.log2 Math.max Math.min Math.pow Math.round Math.sign Math.sin Math.sqrt Math.tan Math.trunc
		Number.isFinite Number.isInteger Number.isNaN Number.isSafeInteger Number.parseFloat Number.parseInt
		Object.keys Object.values Object.entries String.fromCharCode String.fromCodePoint`)
	numberFunctions = words(`Boolean Number isFinite isNaN parseFloat parseInt Array.isArray Number.isFinite Number.isInteger Number.isNaN
		Number.isSafeInteger Number.parseFloat Number.parseInt`)
	// constants are global names and properties whose values are numbers or undefined.
	constants = words(`undefined NaN Infinity Math.E Math.LN10 Math.LN2 Math.LOG10E Math.LOG2E Math.PI Math.SQRT1_2 Math.SQRT2
		Number.EPSILON Number.MAX_SAFE_INTEGER Number.MAX_VALUE Number.MIN_SAFE_INTEGER Number.MIN_VALUE`)
	// globalNames are the names of the built-in objects, functions and constants that hooks may use.
	globalNames = firstNames(pureFunctions, constants, words("Array Error TypeError RangeError"))
	// inheritedNames are the properties of built-in prototypes that are functions or other objects. caller, callee, arguments
	// and stack depend on the calls of a function.
	inheritedNames = words(`__defineGetter__ __defineSetter__ __lookupGetter__ __lookupSetter__ __proto__ anchor apply arguments at big bind
		blink bold call callee caller catch charAt charCodeAt codePointAt compile concat constructor copyWithin description drop endsWith
		entries every exec fill filter finally find findIndex findLast findLastIndex fixed flat flatMap fontcolor fontsize forEach
		hasOwnProperty includes indexOf isPrototypeOf isWellFormed italics join keys lastIndexOf link localeCompare map match matchAll next
		normalize padEnd padStart pop prototype push propertyIsEnumerable raw reduce reduceRight repeat replace replaceAll return reverse search shift
		slice small some sort splice split stack startsWith strike sub substr substring sup take test then throw toArray toExponential toFixed
		toJSON toLocaleLowerCase toLocaleString toLocaleUpperCase toLowerCase toPrecision toReversed toSorted toSpliced toString toUpperCase
		toWellFormed trim trimEnd trimLeft trimRight trimStart unshift valueOf values with`)
)

func (p *pureParser) parseExpression() pureExpr {
	e := p.parseAssignment()
	for p.accept(",") {
		e = pureExpr{isKey: p.parseAssignment().isKey}
	}
	return e
}

// assignments are the assignment operators.
var assignments = words(`= += -= *= /= %= **= <<= >>= >>>= &= |= ^= &&= ||= ??=`)

func (p *pureParser) parseAssignment() pureExpr {
	defer p.nest()()
	left := p.parseConditional()
	operator := p.tok.text
	if p.tok.kind != tokenSign || !assignments[operator] {
		return left
	}
	p.next()
	isKey := p.parseAssignment().isKey
	switch operator {
	case "=":
	case "+=", "&&=", "||=", "??=":
		isKey = isKey && left.isKey
	default:
		isKey = true
	}
	switch {
	case left.isVariable:
		p.store(left.variable, isKey)
	case !left.isMember:
		p.fail()
	}
	return pureExpr{isKey: isKey}
}

func (p *pureParser) parseConditional() pureExpr {
	e := p.parseBinary(0)
	if !p.accept("?") {
		return e
	}
	yes := p.parseAssignment()
	p.expect(":")
	no := p.parseAssignment()
	return pureExpr{isKey: yes.isKey && no.isKey}
}

// precedences are the binary operators and their precedences. Operators that return one of their operands
// have a precedence of at most lastLogical.
var precedences = map[string]int{
	"??": 1, "||": 1, "&&": 2, "|": 3, "^": 4, "&": 5, "==": 6, "!=": 6, "===": 6, "!==": 6, "<": 7, ">": 7, "<=": 7, ">=": 7,
	"<<": 8, ">>": 8, ">>>": 8, "+": 9, "-": 9, "*": 10, "/": 10, "%": 10, "**": 11,
}

const lastLogical = 2

func (p *pureParser) parseBinary(least int) pureExpr {
	defer p.nest()()
	left := p.parseUnary()
	for !p.failed && p.tok.kind == tokenSign {
		operator := p.tok.text
		precedence := precedences[operator]
		if precedence == 0 || precedence <= least {
			break
		}
		p.next()
		right := p.parseBinary(precedence)
		// All other operators return numbers, true or false.
		isKey := precedence > lastLogical && operator != "+" || left.isKey && right.isKey
		left = pureExpr{isKey: isKey}
	}
	return left
}

func (p *pureParser) parseUnary() pureExpr {
	defer p.nest()()
	switch {
	case p.accept("++"), p.accept("--"):
		p.increment(p.parseUnary())
		return pureExpr{isKey: true}
	case p.accept("!"), p.accept("+"), p.accept("-"), p.accept("~"), p.accept("void"):
		p.parseUnary()
		return pureExpr{isKey: true}
	case p.accept("typeof"):
		p.parseUnary()
		return pureExpr{}
	}
	e := p.parseMember(p.parsePrimary())
	if (p.is("++") || p.is("--")) && !p.tok.afterLine {
		p.next()
		p.increment(e)
		return pureExpr{isKey: true}
	}
	return e
}

// increment checks the operand of ++ or --, whose new value is a number.
func (p *pureParser) increment(e pureExpr) {
	if !e.isVariable && !e.isMember || e.isVariable && e.variable.kind != bindVariable {
		p.fail()
	}
}

// parseMember parses properties and method calls after an expression.
func (p *pureParser) parseMember(e pureExpr) pureExpr {
	isChain := false // after ?., the value may also be undefined
	for !p.failed {
		switch {
		case p.is(".") || p.is("?."):
			isChain = isChain || p.is("?.")
			if p.next(); p.is("[") {
				e = p.parseKey()
			} else {
				e = p.parseName()
			}
		case p.is("["):
			e = p.parseKey()
		case p.is("(") || p.tok.kind == tokenTemplate:
			p.fail()
		default:
			return e
		}
		e.isMember = e.isMember && !isChain
	}
	return e
}

// parseName parses the name of a property, and the arguments if it is called.
func (p *pureParser) parseName() pureExpr {
	name := p.tok.text
	if p.tok.kind != tokenName {
		p.fail()
	}
	p.next()
	switch {
	case p.is("("):
		if !pureMethods[name] {
			p.fail()
		}
		p.parseArguments()
		return pureExpr{isKey: numberMethods[name]}
	case inheritedNames[name]:
		p.fail()
	case name == "length":
		return pureExpr{isKey: true}
	}
	return pureExpr{isMember: true}
}

// parseKey parses a computed key, which must be a number or a string that is no inherited name.
func (p *pureParser) parseKey() pureExpr {
	p.expect("[")
	if text := p.tok.text; p.tok.kind == tokenString {
		if inheritedNames[text] || text == "length" || text == unknownText {
			p.fail()
		}
		p.next()
	} else if !p.parseExpression().isKey {
		p.fail()
	}
	p.expect("]")
	return pureExpr{isMember: true}
}

// parseArguments parses the arguments of a call.
func (p *pureParser) parseArguments() {
	p.expect("(")
	p.parseElements(")")
}

// parseElements parses expressions up to the end of a list.
func (p *pureParser) parseElements(end string) {
	for !p.failed && !p.accept(end) {
		if p.accept(",") {
			continue // a gap, or the comma after an element
		}
		p.accept("...")
		p.parseAssignment()
		if !p.is(end) && !p.is(",") {
			p.fail()
		}
	}
}

func (p *pureParser) parsePrimary() pureExpr {
	defer p.nest()()
	switch p.tok.kind {
	case tokenName:
		return p.parseIdentifier()
	case tokenNumber:
		p.next()
		return pureExpr{isKey: true}
	case tokenString:
		p.next()
		return pureExpr{}
	case tokenTemplate:
		p.parseTemplate()
		return pureExpr{}
	case tokenEnd, tokenSign:
	}
	switch {
	case p.is("/") || p.is("/="):
		p.skipRegexp()
	case p.accept("("):
		e := p.parseExpression()
		p.expect(")")
		e.isMember = false
		return e
	case p.accept("["):
		p.parseElements("]")
	case p.accept("{"):
		p.parseObject()
	default:
		p.fail()
	}
	return pureExpr{}
}

func (p *pureParser) parseTemplate() {
	for !p.failed && !p.skipTemplateText() {
		p.next()
		p.parseExpression()
		if !p.is("}") {
			p.fail()
		}
	}
	p.next()
}

// parseObject parses the properties of an object.
func (p *pureParser) parseObject() {
	for !p.failed && !p.accept("}") {
		if p.accept("...") {
			p.parseAssignment()
		} else {
			key := p.tok
			if key.kind != tokenName && key.kind != tokenString && key.kind != tokenNumber || key.text == "__proto__" || key.text == "length" || key.text == unknownText {
				p.fail()
			}
			if p.next(); p.accept(":") {
				p.parseAssignment()
			} else if b, found := p.lookup(key.text); !found || b.kind != bindVariable || key.kind != tokenName {
				p.fail()
			}
		}
		if !p.is("}") {
			p.expect(",")
		}
	}
}

// parseIdentifier parses a name in an expression.
func (p *pureParser) parseIdentifier() pureExpr {
	name := p.tok.text
	b, found := p.lookup(name)
	p.next()
	switch {
	case found && b.kind == bindVariable:
		return pureExpr{isVariable: true, variable: b, isKey: !p.other[b.at]}
	case found:
		return p.parseCell(b.kind)
	case name == "true" || name == "false" || name == "null":
		return pureExpr{isKey: true}
	case name == "new":
		return p.parseNewArray()
	case slices.Contains(reservedWords, name):
		p.fail()
		return pureExpr{}
	}
	if p.accept(".") {
		name += "." + p.tok.text
		p.next()
	}
	switch {
	case constants[name]:
		return pureExpr{isKey: true}
	case pureFunctions[name] && p.is("("):
		p.parseArguments()
		return pureExpr{isKey: numberFunctions[name] || strings.HasPrefix(name, "Math.")}
	}
	p.fail()
	return pureExpr{}
}

// parseNewArray parses new Array(…).
func (p *pureParser) parseNewArray() pureExpr {
	if p.isDeclared() || !p.accept("Array") || !p.is("(") {
		p.fail()
		return pureExpr{}
	}
	p.parseArguments()
	return pureExpr{}
}

// parseCell parses the rest of record.row.KEY.value or row.KEY.value.
func (p *pureParser) parseCell(kind bindingKind) pureExpr {
	if kind == bindRecord {
		p.expect(".")
		p.expect("row")
	}
	p.expect(".")
	if p.tok.kind != tokenName || inheritedNames[p.tok.text] {
		p.fail()
	}
	p.next()
	p.expect(".")
	if !p.accept("value") {
		p.expect("resultValue")
	}
	return pureExpr{}
}
