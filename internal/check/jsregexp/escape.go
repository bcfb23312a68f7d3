package jsregexp

import (
	"strings"
	"unicode"

	"github.com/dlclark/regexp2/v2/syntax"

	"github.com/intraydata/intray"
)

// syntaxCharacters are those that a backslash may stand before under the u
// flag.
const syntaxCharacters = `^$\.*+?()[]{}|/`

// charEscape reads an escape that stands for one character; start is the place
// of its backslash.
func (p *parser) charEscape(start int, inClass bool) rune {
	r := p.ahead(0)
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
		return p.control(start, inClass)
	case 'x':
		return p.hexOr(start, 2)
	case 'u':
		return p.unicodeEscape(start)
	}
	if isDigit(r) {
		return p.digitEscape(start, r)
	}
	return p.identity(start, inClass, r)
}

// identity is a character that stands for itself after a backslash.
func (p *parser) identity(start int, inClass bool, r rune) rune {
	switch {
	case p.unicode && (strings.ContainsRune(syntaxCharacters, r) || inClass && r == '-'):
		return r
	case p.unicode:
		p.fail(start, intray.NewMessage("regexp.unknown_escape", intray.Params{"escape": `\` + string(r)}))
	case r == 'k' && len(p.names) > 0:
		p.fail(start, intray.NewMessage("regexp.expected_reference", intray.Params{"escape": `\k`}))
	}
	return r
}

// control reads the letter of \cX. Without the u flag a backslash with no
// letter to it stands for itself, and the c is read again.
func (p *parser) control(start int, inClass bool) rune {
	r := p.ahead(0)
	if isLetter(r) || inClass && !p.unicode && (isDigit(r) || r == '_') {
		p.pos++
		return r % 32
	}
	if p.unicode {
		p.fail(start, intray.NewMessage("regexp.expected_control_letter", intray.Params{"escape": `\c`}))
	}
	p.pos = start + 1
	return '\\'
}

func isLetter(r rune) bool { return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' }

// hexOr reads hexadecimal digits. Without the u flag, where they are missing,
// the letter before them stands for itself.
func (p *parser) hexOr(start, count int) rune {
	if r, ok := p.hex(count); ok {
		return r
	}
	if p.unicode {
		p.fail(start, intray.NewMessage("regexp.expected_hexadecimal_digits", intray.Params{"escape": `\` + string(p.src[start+1]), "count": count}))
	}
	return p.src[start+1]
}

// hex reads just so many digits, or nothing.
func (p *parser) hex(count int) (value rune, ok bool) {
	for i := range count {
		d := hexDigit(p.ahead(i))
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

// unicodeEscape reads what follows \u. Under the u flag two escapes that make
// a pair of surrogates are one character.
func (p *parser) unicodeEscape(start int) rune {
	if !p.unicode {
		return p.hexOr(start, 4)
	}
	if p.take("{") {
		return p.codePoint(start)
	}
	return p.paired(p.hexOr(start, 4))
}

func (p *parser) paired(hi rune) rune {
	back := p.pos
	if hi >= firstSur && hi < 0xDC00 && p.take(`\u`) {
		if lo, ok := p.hex(4); ok && isPair(hi, lo) {
			return (hi-firstSur)<<10 + (lo - 0xDC00) + 0x10000
		}
		p.pos = back
	}
	return hi
}

// codePoint reads the digits and the } of \u{...}.
func (p *parser) codePoint(start int) (value rune) {
	digits := p.pos
	for ; hexDigit(p.ahead(0)) >= 0; p.pos++ {
		value = min(value<<4|hexDigit(p.ahead(0)), highest+1)
	}
	if p.pos == digits || !p.take("}") || value > highest {
		p.fail(start, intray.NewMessage("regexp.expected_code_point", intray.Params{"escape": `\u{`, "limit": "10FFFF", "end": "}"}))
	}
	return value
}

// digitEscape reads \0, and without the u flag octal escapes of up to three
// digits and 255.
func (p *parser) digitEscape(start int, first rune) rune {
	if p.unicode {
		if first != '0' || isDigit(p.ahead(0)) {
			p.fail(start, intray.NewMessage("regexp.numeric_escape", intray.Params{"escape": `\0`}))
		}
		return 0
	}
	if first > '7' {
		return first
	}
	value := first - '0'
	for p.ahead(0) >= '0' && p.ahead(0) <= '7' && value < 32 && p.pos-start < 4 {
		value = value<<3 | (p.ahead(0) - '0')
		p.pos++
	}
	return value
}

// class reads a class in brackets.
func (p *parser) class() *node {
	start := p.pos
	p.pos++
	negated := p.take("^")
	var spans []span
	for p.ahead(0) != ']' {
		if !p.more() {
			p.fail(start, intray.NewMessage("regexp.class_not_closed", intray.Params{"missing": "]"}))
		}
		spans = append(spans, p.classRange()...)
	}
	p.pos++
	s := p.close(setOf(spans...))
	if negated {
		s = s.without(p.last())
	}
	return p.taking(s)
}

// classRange reads one member of a class, or two with a dash between.
func (p *parser) classRange() set {
	start := p.pos
	from := p.classAtom()
	if p.ahead(0) != '-' || p.ahead(1) == ']' || p.ahead(1) == -1 {
		return from.set
	}
	p.pos++
	to := p.classAtom()
	if from.named || to.named {
		if p.unicode {
			p.fail(start, intray.NewMessage("regexp.class_as_range_end", intray.Params{"class": `\d`, "dash": "-"}))
		}
		return set{{'-', '-'}}.union(from.set).union(to.set)
	}
	a, b := from.set[0].lo, to.set[0].lo
	if a > b {
		p.fail(start, intray.NewMessage("regexp.range_out_of_order", intray.Params{"first": string(a), "last": string(b)}))
	}
	return set{{a, b}}
}

// member is one character of a class, or a class within it.
type member struct {
	set   set
	named bool
}

func (p *parser) classAtom() member {
	start := p.pos
	r := p.ahead(0)
	p.pos++
	if r != '\\' {
		return member{set: set{{r, r}}}
	}
	if !p.more() {
		p.fail(start, trailingBackslash)
	}
	if p.take("b") {
		return member{set: set{{'\b', '\b'}}}
	}
	if s, ok := p.setEscape(); ok {
		return member{set: s, named: true}
	}
	c := p.charEscape(start, true)
	return member{set: set{{c, c}}}
}

// property reads the braces of \p{...} and gives its characters.
func (p *parser) property(negated bool) set {
	start := p.pos - 2
	begin := p.pos + 1
	if !p.take("{") {
		p.fail(start, intray.NewMessage("regexp.expected_property", intray.Params{"escape": `\p`, "braces": "{ }"}))
	}
	for p.more() && p.ahead(0) != '}' {
		p.pos++
	}
	name := string(p.src[min(begin, len(p.src)):p.pos])
	s, ok := p.properties[name]
	if !ok {
		s, ok = charsWith(name)
		p.properties[name] = s
	}
	if !ok || !p.take("}") {
		p.fail(start, intray.NewMessage("regexp.unknown_property", intray.Params{"name": name}))
	}
	if negated {
		return s.without(highest)
	}
	return s
}

// charsWith gives the characters that have a property. The general categories
// and the scripts by their long names are Go's own; all others are asked of
// regexp2, character by character, for it does not hand out its tables.
func charsWith(name string) (set, bool) {
	if t := tableOf(name); t != nil {
		return setOfTable(t), true
	}
	if name == "" || strings.ContainsFunc(name, isNoPropertyName) {
		return nil, false
	}
	tree, err := syntax.Parse(`\p{`+name+`}`, syntax.ParseOptions{RegexOptions: syntax.ECMAScript | syntax.Unicode})
	if err != nil {
		return nil, false
	}
	return probe(tree.Root), true
}

// tableOf gives the table of package unicode for a property spelled out.
func tableOf(name string) *unicode.RangeTable {
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

// probe collects the characters of the first class in a tree. A tree without
// one takes nothing.
func probe(n *syntax.RegexNode) set {
	for n.Set == nil {
		if len(n.Children) == 0 {
			return nil
		}
		n = n.Children[0]
	}
	var spans []span
	for r := rune(0); r <= highest; {
		last := alike(r)
		if n.Set.Contains(r) {
			spans = append(spans, span{r, last})
		}
		r = last + 1
	}
	return setOf(spans...)
}

// alike gives the last character that has the properties of r for certain. The
// planes 4 to 13 are unassigned and 15 and 16 private, all but the two
// noncharacters at the end of each.
func alike(r rune) rune {
	plane := r >> 16
	if r&0xFFFF == 0 && plane >= 4 && plane != 14 {
		return r + 0xFFFD
	}
	return r
}
