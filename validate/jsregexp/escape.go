package jsregexp

import (
	"strings"
	"unicode"

	"github.com/dlclark/regexp2/v2/syntax"

	"github.com/intraydata/intray"
)

// syntaxCharacters are the characters that may be escaped if the u flag is set.
const syntaxCharacters = `^$\.*+?()[]{}|/`

// parseCharEscape parses an escape that represents one character. start is the
// offset of its backslash.
func (p *parser) parseCharEscape(start int, inClass bool) rune {
	r := p.peek(0)
	p.pos++
	switch r {
	case 'f':
		return '\f'
	case 'n':
		return '\n'
	case 'r':
		return '\r'
	case 't':
		return '\t'
	case 'v':
		return '\v'
	case 'c':
		return p.parseControlEscape(start, inClass)
	case 'x':
		return p.parseHexOrLiteral(start, 2)
	case 'u':
		return p.parseUnicodeEscape(start)
	}
	if isDigit(r) {
		return p.parseDigitEscape(start, r)
	}
	return p.identityEscape(start, inClass, r)
}

// identityEscape returns the character of an escape such as \/, which stands
// for the character itself.
func (p *parser) identityEscape(start int, inClass bool, r rune) rune {
	switch {
	case p.unicode && (strings.ContainsRune(syntaxCharacters, r) || inClass && r == '-'):
		return r
	case p.unicode:
		p.failAt(start, intray.NewMessage("regexp.unknown_escape", intray.Params{"escape": `\` + string(r)}))
	case r == 'k' && len(p.names) > 0:
		p.failAt(start, intray.NewMessage("regexp.expected_reference", intray.Params{"escape": `\k`}))
	}
	return r
}

// parseControlEscape parses the letter of \cX. If the letter is missing and the
// u flag is not set, the backslash is literal, and the c is parsed again.
func (p *parser) parseControlEscape(start int, inClass bool) rune {
	r := p.peek(0)
	if isLetter(r) || inClass && !p.unicode && (isDigit(r) || r == '_') {
		p.pos++
		return r % 32
	}
	if p.unicode {
		p.failAt(start, intray.NewMessage("regexp.expected_control_letter", intray.Params{"escape": `\c`}))
	}
	p.pos = start + 1
	return '\\'
}

func isLetter(r rune) bool { return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' }

// parseHexOrLiteral parses hexadecimal digits. count is the required number of digits. If they
// are missing and the u flag is not set, the letter before them is literal.
func (p *parser) parseHexOrLiteral(start, count int) rune {
	if r, ok := p.parseHex(count); ok {
		return r
	}
	if p.unicode {
		p.failAt(start, intray.NewMessage("regexp.expected_hexadecimal_digits", intray.Params{"escape": `\` + string(p.src[start+1]), "count": count}))
	}
	return p.src[start+1]
}

// parseHex parses hexadecimal digits. count is the exact number of digits. If there are fewer,
// it consumes nothing.
func (p *parser) parseHex(count int) (value rune, ok bool) {
	for i := range count {
		d := hexDigit(p.peek(i))
		if d < 0 {
			return 0, false
		}
		value = value<<4 | d
	}
	p.pos += count
	return value, true
}

func hexDigit(r rune) rune {
	switch {
	case isDigit(r):
		return r - '0'
	case r >= 'a' && r <= 'f':
		return r - 'a' + 10
	case r >= 'A' && r <= 'F':
		return r - 'A' + 10
	}
	return -1
}

// parseUnicodeEscape parses the rest of an escape after \u. If the u flag is
// set, two escapes that form a surrogate pair are one character.
func (p *parser) parseUnicodeEscape(start int) rune {
	if !p.unicode {
		return p.parseHexOrLiteral(start, 4)
	}
	if p.accept("{") {
		return p.parseCodePoint(start)
	}
	return p.joinSurrogates(p.parseHexOrLiteral(start, 4))
}

func (p *parser) joinSurrogates(hi rune) rune {
	back := p.pos
	if hi >= firstSurrogate && hi < 0xDC00 && p.accept(`\u`) {
		if lo, ok := p.parseHex(4); ok && isPair(hi, lo) {
			return (hi-firstSurrogate)<<10 + (lo - 0xDC00) + 0x10000
		}
		p.pos = back
	}
	return hi
}

// parseCodePoint parses the digits and the closing brace of \u{...}.
func (p *parser) parseCodePoint(start int) (value rune) {
	digits := p.pos
	for ; hexDigit(p.peek(0)) >= 0; p.pos++ {
		value = min(value<<4|hexDigit(p.peek(0)), maxCodePoint+1)
	}
	if p.pos == digits || !p.accept("}") || value > maxCodePoint {
		p.failAt(start, intray.NewMessage("regexp.expected_code_point", intray.Params{"escape": `\u{`, "limit": "10FFFF", "end": "}"}))
	}
	return value
}

// parseDigitEscape parses \0. If the u flag is not set, it also parses octal
// escapes of up to three digits, with values up to 255.
func (p *parser) parseDigitEscape(start int, first rune) rune {
	if p.unicode {
		if first != '0' || isDigit(p.peek(0)) {
			p.failAt(start, intray.NewMessage("regexp.numeric_escape", intray.Params{"escape": `\0`}))
		}
		return 0
	}
	if first > '7' {
		return first
	}
	value := first - '0'
	for p.peek(0) >= '0' && p.peek(0) <= '7' && value < 32 && p.pos-start < 4 {
		value = value<<3 | (p.peek(0) - '0')
		p.pos++
	}
	return value
}

// parseClass parses a character class in brackets.
func (p *parser) parseClass() *node {
	start := p.pos
	p.pos++
	negated := p.accept("^")
	var spans []span
	for p.peek(0) != ']' {
		if !p.hasMore() {
			p.failAt(start, intray.NewMessage("regexp.class_not_closed", intray.Params{"missing": "]"}))
		}
		spans = append(spans, p.parseClassRange()...)
	}
	p.pos++
	s := p.fold(newSet(spans...))
	if negated {
		s = s.complement(p.maxChar())
	}
	return p.charNode(s)
}

// parseClassRange parses one member or one range of a character class.
func (p *parser) parseClassRange() set {
	start := p.pos
	from := p.parseClassAtom()
	if p.peek(0) != '-' || p.peek(1) == ']' || p.peek(1) == -1 {
		return from.set
	}
	p.pos++
	to := p.parseClassAtom()
	if from.named || to.named {
		if p.unicode {
			p.failAt(start, intray.NewMessage("regexp.class_as_range_end", intray.Params{"class": `\d`, "dash": "-"}))
		}
		return set{{'-', '-'}}.union(from.set).union(to.set)
	}
	a, b := from.set[0].lo, to.set[0].lo
	if a > b {
		p.failAt(start, intray.NewMessage("regexp.range_out_of_order", intray.Params{"first": string(a), "last": string(b)}))
	}
	return set{{a, b}}
}

// member is a character or a class escape in a character class.
type member struct {
	set   set
	named bool
}

func (p *parser) parseClassAtom() member {
	start := p.pos
	r := p.peek(0)
	p.pos++
	if r != '\\' {
		return member{set: set{{r, r}}}
	}
	if !p.hasMore() {
		p.failAt(start, trailingBackslash)
	}
	if p.accept("b") {
		return member{set: set{{'\b', '\b'}}}
	}
	if s, ok := p.parseSetEscape(); ok {
		return member{set: s, named: true}
	}
	c := p.parseCharEscape(start, true)
	return member{set: set{{c, c}}}
}

// parseProperty parses the braces of \p{...} and returns the characters with the property.
func (p *parser) parseProperty(negated bool) set {
	start := p.pos - 2
	begin := p.pos + 1
	if !p.accept("{") {
		p.failAt(start, intray.NewMessage("regexp.expected_property", intray.Params{"escape": `\p`, "braces": "{ }"}))
	}
	for p.hasMore() && p.peek(0) != '}' {
		p.pos++
	}
	name := string(p.src[min(begin, len(p.src)):p.pos])
	s, ok := p.properties[name]
	if !ok {
		s, ok = propertyChars(name)
		p.properties[name] = s
	}
	if !ok || !p.accept("}") {
		p.failAt(start, intray.NewMessage("regexp.unknown_property", intray.Params{"name": name}))
	}
	if negated {
		return s.complement(maxCodePoint)
	}
	return s
}

// propertyChars returns the characters with a property. Package unicode provides general
// categories and the long names of scripts. For any other property, propertyChars queries
// regexp2 for each character, because regexp2 does not export its tables.
func propertyChars(name string) (set, bool) {
	if t := unicodeTable(name); t != nil {
		return newSetFromTable(t), true
	}
	if name == "" || strings.ContainsFunc(name, isNoPropertyName) {
		return nil, false
	}
	tree, err := syntax.Parse(`\p{`+name+`}`, syntax.ParseOptions{RegexOptions: syntax.ECMAScript | syntax.Unicode})
	if err != nil {
		return nil, false
	}
	return classMembers(tree.Root), true
}

// unicodeTable returns the table in package unicode for the full name of a property, or nil.
func unicodeTable(name string) *unicode.RangeTable {
	property, value, paired := strings.Cut(name, "=")
	if !paired {
		property, value = "gc", name
	}
	switch property {
	case "gc", "General_Category":
		if short, ok := unicode.CategoryAliases[value]; ok {
			value = short
		}
		return unicode.Categories[value]
	case "sc", "Script":
		return unicode.Scripts[value]
	}
	return nil
}

func isNoPropertyName(r rune) bool {
	return r != '_' && r != '=' && !isDigit(r) && !isLetter(r)
}

// classMembers returns the characters of the first class in a syntax tree.
func classMembers(n *syntax.RegexNode) set {
	for n.Set == nil {
		if len(n.Children) == 0 {
			return nil
		}
		n = n.Children[0]
	}
	var spans []span
	for r := rune(0); r <= maxCodePoint; {
		last := lastAlike(r)
		if n.Set.Contains(r) {
			spans = append(spans, span{r, last})
		}
		r = last + 1
	}
	return newSet(spans...)
}

// lastAlike returns the last character of the range that starts at r and in which all characters
// are known to have the same properties. Planes 4 to 13 are unassigned. Planes 15 and 16 are
// private, except for the two noncharacters at the end of each.
func lastAlike(r rune) rune {
	plane := r >> 16
	if r&0xFFFF == 0 && plane >= 4 && plane != 14 {
		return r + 0xFFFD
	}
	return r
}
