package jsregexp

import (
	"errors"
	"fmt"
	"strings"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/intraydata/intray"
)

const (
	// maxSource is the longest source that is taken, in bytes.
	maxSource = 128 << 10
	// maxDepth is how deep groups may stand in each other.
	maxDepth = 200
	// maxSpans is how many ranges of characters all classes may have together.
	maxSpans = 200_000
)

// parser reads the pattern grammar of ECMAScript 2024, with the older forms of
// its annex B where the u flag is not set. Without the flag the source is read
// as UTF-16 code units, as the language does.
type parser struct {
	folding
	flags Flags
	src   []rune
	pos   int
	depth int
	// groups counts the capturing groups of the whole source, and names are
	// those of them that have one.
	groups int
	names  map[string]int
	// properties are those of \p found so far, for some are slow to find.
	properties map[string]set
	// spans counts the ranges of characters in the nodes made.
	spans int
	// opened counts the capturing groups read so far.
	opened int
}

var errTooLarge = &intray.MessageError{Message: intray.NewMessage("regexp.too_large", nil)}

// parse reads a source, and gives its root.
func parse(source string, f Flags) (root *node, err error) {
	if len(source) > maxSource {
		return nil, &SyntaxError{Character: utf8.RuneCountInString(source[:maxSource]),
			Reason: intray.NewMessage("regexp.too_long", intray.Params{"n": maxSource})}
	}
	defer func() {
		switch r := recover().(type) {
		case nil:
		case *SyntaxError:
			err = r
		case error:
			if !errors.Is(r, errTooLarge) {
				panic(r)
			}
			err = r
		default:
			panic(r)
		}
	}()
	p := &parser{folding: folding{on: f.IgnoreCase, unicode: f.Unicode}, flags: f, properties: map[string]set{}}
	p.src = unitsOf(source, f.Unicode)
	p.countGroups()
	root = p.disjunction()
	if p.pos < len(p.src) {
		p.fail(p.pos, intray.NewMessage("regexp.group_not_open", intray.Params{"character": ")", "escaped": `\)`}))
	}
	return root, nil
}

// unitsOf gives the code points of a text, or its UTF-16 code units.
func unitsOf(s string, points bool) []rune {
	units := make([]rune, 0, len(s))
	for _, r := range s {
		if hi, lo := utf16.EncodeRune(r); !points && hi != utf8.RuneError {
			units = append(units, hi, lo)
			continue
		}
		units = append(units, r)
	}
	return units
}

func isPair(hi, lo rune) bool {
	return hi >= firstSur && hi < 0xDC00 && lo >= 0xDC00 && lo <= lastSur
}

// more says whether there is something left to read.
func (p *parser) more() bool { return p.pos < len(p.src) }

// ahead gives the unit i places on, or -1.
func (p *parser) ahead(i int) rune {
	if p.pos+i < len(p.src) {
		return p.src[p.pos+i]
	}
	return -1
}

// take reads a text of ASCII, if it comes next.
func (p *parser) take(text string) bool {
	for i, r := range text {
		if p.ahead(i) != r {
			return false
		}
	}
	p.pos += len(text)
	return true
}

func (p *parser) disjunction() *node {
	first := p.alternative()
	if p.ahead(0) != '|' {
		return first
	}
	alt := &node{kind: isAlt, kids: []*node{first}, at: p.pos}
	for p.take("|") {
		alt.kids = append(alt.kids, p.alternative())
	}
	return alt
}

func (p *parser) alternative() *node {
	s := seq()
	s.at = p.pos
	for p.more() && p.ahead(0) != '|' && p.ahead(0) != ')' {
		s.kids = append(s.kids, p.term())
	}
	return s
}

// term reads an assertion, or an atom with its quantifier.
func (p *parser) term() *node {
	start := p.pos
	n, quantifiable := p.assertion()
	if n == nil {
		n, quantifiable = p.atom(), true
	}
	n.at = start
	if !quantifiable {
		return n
	}
	return p.quantified(n)
}

func (p *parser) assertion() (n *node, quantifiable bool) {
	switch {
	case p.take("^"):
		return &node{kind: p.byLine(isStart, isLineStart)}, false
	case p.take("$"):
		return &node{kind: p.byLine(isEnd, isLineEnd)}, false
	case p.take(`\b`):
		return &node{kind: isWordEdge}, false
	case p.take(`\B`):
		return &node{kind: isWordEdge, negated: true}, false
	case p.take("(?="):
		return p.look(node{}), !p.unicode
	case p.take("(?!"):
		return p.look(node{negated: true}), !p.unicode
	case p.take("(?<="):
		return p.look(node{behind: true}), false
	case p.take("(?<!"):
		return p.look(node{behind: true, negated: true}), false
	}
	return nil, false
}

func (p *parser) byLine(whole, line kind) kind {
	if p.flags.Multiline {
		return line
	}
	return whole
}

func (p *parser) look(n node) *node {
	n.kind = isLook
	n.kids = []*node{p.inParens(p.pos)}
	return &n
}

// inParens reads up to the ) of a group whose content starts at a place.
func (p *parser) inParens(start int) *node {
	if p.depth++; p.depth > maxDepth {
		p.fail(start, intray.NewMessage("regexp.too_deep", intray.Params{"n": maxDepth}))
	}
	body := p.disjunction()
	if !p.take(")") {
		p.fail(start-1, intray.NewMessage("regexp.group_not_closed", intray.Params{"missing": ")"}))
	}
	p.depth--
	return body
}

// quantified reads the quantifier of a node, if one follows.
func (p *parser) quantified(n *node) *node {
	least, most, ok := p.quantifier()
	if !ok {
		return n
	}
	if most < least {
		p.fail(n.at, intray.NewMessage("regexp.counts_out_of_order", intray.Params{"counts": fmt.Sprintf("{%d,%d}", least, most)}))
	}
	r := &node{kind: isRepeat, kids: []*node{n}, min: least, max: most, at: n.at}
	r.lazy = p.take("?")
	return r
}

func (p *parser) quantifier() (least, most int, ok bool) {
	switch {
	case p.take("*"):
		return 0, unbounded, true
	case p.take("+"):
		return 1, unbounded, true
	case p.take("?"):
		return 0, 1, true
	case p.ahead(0) == '{':
		least, most, ok = p.counts()
		if !ok && p.unicode {
			p.fail(p.pos, intray.NewMessage("regexp.invalid_brace", intray.Params{"character": "{", "example": "{2,5}", "escaped": `\{`}))
		}
		return least, most, ok
	}
	return 0, 0, false
}

// counts reads {n}, {n,} or {n,m}, or nothing at all.
func (p *parser) counts() (least, most int, ok bool) {
	start := p.pos
	p.pos++
	least, ok = p.number()
	most = least
	if ok && p.take(",") {
		if most, ok = p.number(); !ok {
			most, ok = unbounded, true
		}
	}
	if !ok || !p.take("}") {
		p.pos = start
		return 0, 0, false
	}
	return least, most, true
}

// number reads decimal digits.
func (p *parser) number() (n int, ok bool) {
	for ; isDigit(p.ahead(0)); p.pos++ {
		n, ok = min(n*10+int(p.ahead(0)-'0'), unbounded), true
	}
	return n, ok
}

func isDigit(r rune) bool { return r >= '0' && r <= '9' }

// atom reads what a quantifier may follow, assertions apart.
func (p *parser) atom() *node {
	start := p.pos
	r := p.ahead(0)
	switch r {
	case '.':
		p.pos++
		return p.dot()
	case '[':
		return p.class()
	case '\\':
		return p.escape()
	case '(':
		return p.parens()
	case '*', '+', '?':
		p.fail(start, intray.NewMessage("regexp.nothing_to_repeat", intray.Params{"character": string(r), "escaped": `\` + string(r)}))
	case '{':
		if _, _, ok := p.counts(); ok {
			p.fail(start, intray.NewMessage("regexp.nothing_to_repeat_by_count", intray.Params{"escaped": `\{`}))
		}
	}
	if p.unicode && strings.ContainsRune("{}]", r) {
		p.fail(start, intray.NewMessage("regexp.must_be_escaped", intray.Params{"character": string(r), "escaped": `\` + string(r)}))
	}
	p.pos++
	return p.literal(r)
}

// literal takes one character, in the cases that the flags allow.
func (p *parser) literal(r rune) *node { return p.charOf(set{{r, r}}) }

func (p *parser) charOf(s set) *node { return p.taking(p.close(s)) }

// taking makes the node of a set, and keeps count of the room they take.
func (p *parser) taking(s set) *node {
	if p.spans += len(s); p.spans > maxSpans {
		panic(errTooLarge)
	}
	return &node{kind: isChar, set: s}
}

func (p *parser) dot() *node {
	if p.flags.DotAll {
		return p.taking(set{{0, p.last()}})
	}
	return p.taking(lineEnds().without(p.last()))
}

// parens reads a group that is no assertion.
func (p *parser) parens() *node {
	start := p.pos
	switch {
	case p.take("(?:"):
		return p.inParens(p.pos)
	case p.take("(?<"):
		name := p.groupName(start)
		return p.capture(name)
	case p.take("(?"):
		p.fail(start, intray.NewMessage("regexp.expected_group_syntax", intray.Params{"start": "(?", "choices": ": = ! <= <!"}))
	}
	p.pos++
	return p.capture("")
}

func (p *parser) capture(name string) *node {
	p.opened++
	n := &node{kind: isGroup, group: p.opened, name: name}
	n.kids = []*node{p.inParens(p.pos)}
	return n
}

// escape reads what a backslash begins outside of a class.
func (p *parser) escape() *node {
	start := p.pos
	p.pos++
	if !p.more() {
		p.fail(start, trailingBackslash)
	}
	r := p.ahead(0)
	switch {
	case r >= '1' && r <= '9':
		if n := p.backReference(start); n != nil {
			return n
		}
	case r == 'k' && (p.unicode || len(p.names) > 0):
		p.pos++
		return p.namedReference(start)
	}
	if s, ok := p.setEscape(); ok {
		return p.charOf(s)
	}
	return p.literal(p.charEscape(start, false))
}

// backReference reads the number of a group. Without the u flag a number that
// no group has is an octal escape, or stands for itself.
func (p *parser) backReference(start int) *node {
	digits := p.pos
	n, _ := p.number()
	if n <= p.groups {
		return &node{kind: isBack, group: n}
	}
	if p.unicode {
		p.fail(start, intray.NewMessage("regexp.no_such_group", intray.Params{"group": n}))
	}
	p.pos = digits
	return nil
}

func (p *parser) namedReference(start int) *node {
	if !p.take("<") {
		p.fail(start, intray.NewMessage("regexp.expected_group_name", intray.Params{"escape": `\k`}))
	}
	name := p.groupName(start)
	group, ok := p.names[name]
	if !ok {
		p.fail(start, intray.NewMessage("regexp.no_such_group_name", intray.Params{"name": name}))
	}
	return &node{kind: isBack, group: group, name: name}
}

// setEscape reads an escape that stands for a set: a named one or \p.
func (p *parser) setEscape() (set, bool) {
	r := p.ahead(0)
	if s, ok := p.named(r); ok {
		p.pos++
		return s, true
	}
	if p.unicode && (r == 'p' || r == 'P') {
		p.pos++
		return p.property(r == 'P'), true
	}
	return nil, false
}

// countGroups runs over the source once ahead of the reading: whether an
// escape refers to a group depends on all the groups there are, those behind
// it too.
func (p *parser) countGroups() {
	p.names = map[string]int{}
	inClass := false
	for p.pos = 0; p.more(); p.pos++ {
		switch r := p.ahead(0); {
		case r == '\\':
			p.pos++
		case r == '[':
			inClass = true
		case r == ']':
			inClass = false
		case r == '(' && !inClass:
			p.countGroup()
		}
	}
	p.pos = 0
}

func (p *parser) countGroup() {
	if p.ahead(1) != '?' {
		p.groups++
		return
	}
	if p.ahead(2) != '<' || p.ahead(3) == '=' || p.ahead(3) == '!' {
		return
	}
	p.groups++
	start := p.pos
	p.pos += 3
	name := p.groupName(start)
	p.pos--
	if _, twice := p.names[name]; twice {
		p.fail(start, intray.NewMessage("regexp.duplicate_group_name", intray.Params{"name": name}))
	}
	p.names[name] = p.groups
}

// groupName reads a name and its >.
func (p *parser) groupName(start int) string {
	var name []rune
	for !p.take(">") {
		r := p.nameCharacter(start)
		if !isNameStart(r) && (len(name) == 0 || !isNamePart(r)) {
			p.fail(start, intray.NewMessage("regexp.invalid_group_name", nil))
		}
		name = append(name, r)
	}
	if len(name) == 0 {
		p.fail(start, intray.NewMessage("regexp.empty_group_name", nil))
	}
	return string(name)
}

// nameCharacter reads a character of a name, which may be escaped. With and
// without the u flag it is a whole code point.
func (p *parser) nameCharacter(start int) rune {
	r := p.ahead(0)
	p.pos++
	if r == '\\' {
		if !p.take("u") {
			return -1
		}
		if p.take("{") {
			return p.codePoint(start)
		}
		r, ok := p.hex(4)
		if !ok {
			return -1
		}
		return p.paired(r)
	}
	if isPair(r, p.ahead(0)) {
		r = (r-firstSur)<<10 + (p.ahead(0) - 0xDC00) + 0x10000
		p.pos++
	}
	return r
}

func isNameStart(r rune) bool {
	return r == '$' || r == '_' || unicode.In(r, unicode.L, unicode.Nl, unicode.Other_ID_Start) &&
		!unicode.In(r, unicode.Pattern_Syntax, unicode.Pattern_White_Space)
}

func isNamePart(r rune) bool {
	return isNameStart(r) || r == rune(0x200C) || r == rune(0x200D) ||
		unicode.In(r, unicode.Mn, unicode.Mc, unicode.Nd, unicode.Pc, unicode.Other_ID_Continue)
}
