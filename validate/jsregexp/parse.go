package jsregexp

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/intraydata/intray"
)

const (
	// maxSource is the maximum length of a source, in bytes.
	maxSource = 128 << 10
	// maxDepth is the maximum nesting depth of groups.
	maxDepth = 200
	// maxSpans is the maximum number of character ranges in all classes together.
	maxSpans = 200_000
	// maxFoldSteps is the maximum number of steps for folding a range. Only few characters of
	// large ranges have a case.
	maxFoldSteps = 64
)

// parser parses the pattern grammar of ECMAScript 2024. If the u flag is not set, it includes
// annex B and reads the source as UTF-16 code units, as JavaScript does.
type parser struct {
	folding
	flags Flags
	src   []rune
	pos   int
	depth int
	// groups is the number of capturing groups in the whole source. names holds
	// the groups that have a name.
	groups int
	names  map[string]int
	// properties caches the sets of \p, because some are slow to compute.
	properties map[string]set
	// spans is the number of character ranges in all nodes.
	spans int
	// steps is the number of steps that are left for case folding.
	steps *int
	// opened is the number of capturing groups parsed so far.
	opened int
}

var errTooLarge = &intray.MessageError{Message: intray.NewMessage("regexp.too_large", nil)}

// parse parses a source and returns the root node.
func parse(source string, f Flags) (root *node, err error) {
	steps := math.MaxInt
	return parseWithin(source, f, &steps)
}

// parseWithin is like parse, but subtracts the number of steps that case folding takes from
// steps. It returns errTooLarge if too few steps are left.
func parseWithin(source string, f Flags, steps *int) (root *node, err error) {
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
	p := &parser{folding: folding{on: f.IgnoreCase, unicode: f.Unicode}, flags: f, properties: map[string]set{}, steps: steps}
	p.src = decodeUnits(source, f.Unicode)
	p.countGroups()
	root = p.parseDisjunction()
	if p.pos < len(p.src) {
		p.failAt(p.pos, intray.NewMessage("regexp.group_not_open", intray.Params{"character": ")", "escaped": `\)`}))
	}
	return root, nil
}

// decodeUnits returns the code points of s or, if points is false, its UTF-16 code units.
func decodeUnits(s string, points bool) []rune {
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
	return hi >= firstSurrogate && hi < 0xDC00 && lo >= 0xDC00 && lo <= lastSurrogate
}

// hasMore reports whether any source remains to be parsed.
func (p *parser) hasMore() bool { return p.pos < len(p.src) }

// peek returns the unit i positions ahead, or -1 at the end of the source.
func (p *parser) peek(i int) rune {
	if p.pos+i < len(p.src) {
		return p.src[p.pos+i]
	}
	return -1
}

// accept skips text if the source continues with it, and reports whether it
// did. text must be ASCII.
func (p *parser) accept(text string) bool {
	for i, r := range text {
		if p.peek(i) != r {
			return false
		}
	}
	p.pos += len(text)
	return true
}

func (p *parser) parseDisjunction() *node {
	first := p.parseAlternative()
	if p.peek(0) != '|' {
		return first
	}
	alt := &node{kind: kindAlternation, children: []*node{first}, at: p.pos}
	for p.accept("|") {
		alt.children = append(alt.children, p.parseAlternative())
	}
	return alt
}

func (p *parser) parseAlternative() *node {
	s := newSequence()
	s.at = p.pos
	for p.hasMore() && p.peek(0) != '|' && p.peek(0) != ')' {
		s.children = append(s.children, p.parseTerm())
	}
	return s
}

// parseTerm parses an assertion, or an atom with its quantifier.
func (p *parser) parseTerm() *node {
	start := p.pos
	n, quantifiable := p.parseAssertion()
	if n == nil {
		n, quantifiable = p.parseAtom(), true
	}
	n.at = start
	if !quantifiable {
		return n
	}
	least, most, ok := p.parseQuantifier()
	if !ok {
		return n
	}
	if most < least {
		p.failAt(n.at, intray.NewMessage("regexp.counts_out_of_order", intray.Params{"counts": fmt.Sprintf("{%d,%d}", least, most)}))
	}
	r := &node{kind: kindRepeat, children: []*node{n}, min: least, max: most, at: n.at}
	r.lazy = p.accept("?")
	return r
}

func (p *parser) parseAssertion() (n *node, quantifiable bool) {
	switch {
	case p.accept("^"):
		return &node{kind: p.anchorKind(kindStart, kindLineStart)}, false
	case p.accept("$"):
		return &node{kind: p.anchorKind(kindEnd, kindLineEnd)}, false
	case p.accept(`\b`):
		return &node{kind: kindWordEdge}, false
	case p.accept(`\B`):
		return &node{kind: kindWordEdge, negated: true}, false
	case p.accept("(?="):
		return p.parseLookaround(node{}), !p.unicode
	case p.accept("(?!"):
		return p.parseLookaround(node{negated: true}), !p.unicode
	case p.accept("(?<="):
		return p.parseLookaround(node{lookbehind: true}), false
	case p.accept("(?<!"):
		return p.parseLookaround(node{lookbehind: true, negated: true}), false
	}
	return nil, false
}

func (p *parser) anchorKind(whole, line nodeKind) nodeKind {
	if p.flags.Multiline {
		return line
	}
	return whole
}

func (p *parser) parseLookaround(n node) *node {
	n.kind = kindLookaround
	n.children = []*node{p.parseGroupBody(p.pos)}
	return &n
}

// parseGroupBody parses the content of a group and the closing parenthesis.
// start is the offset of the content.
func (p *parser) parseGroupBody(start int) *node {
	if p.depth++; p.depth > maxDepth {
		p.failAt(start, intray.NewMessage("regexp.too_deep", intray.Params{"n": maxDepth}))
	}
	body := p.parseDisjunction()
	if !p.accept(")") {
		p.failAt(start-1, intray.NewMessage("regexp.group_not_closed", intray.Params{"missing": ")"}))
	}
	p.depth--
	return body
}

func (p *parser) parseQuantifier() (least, most int, ok bool) {
	switch {
	case p.accept("*"):
		return 0, unbounded, true
	case p.accept("+"):
		return 1, unbounded, true
	case p.accept("?"):
		return 0, 1, true
	case p.peek(0) == '{':
		least, most, ok = p.parseCounts()
		if !ok && p.unicode {
			p.failAt(p.pos, intray.NewMessage("regexp.invalid_brace", intray.Params{"character": "{", "example": "{2,5}", "escaped": `\{`}))
		}
		return least, most, ok
	}
	return 0, 0, false
}

// parseCounts parses {n}, {n,} or {n,m}. If the source continues with anything else, it consumes
// nothing.
func (p *parser) parseCounts() (least, most int, ok bool) {
	start := p.pos
	p.pos++
	least, ok = p.parseNumber()
	most = least
	if ok && p.accept(",") {
		if most, ok = p.parseNumber(); !ok {
			most, ok = unbounded, true
		}
	}
	if !ok || !p.accept("}") {
		p.pos = start
		return 0, 0, false
	}
	return least, most, true
}

// parseNumber parses a decimal number.
func (p *parser) parseNumber() (n int, ok bool) {
	for ; isDigit(p.peek(0)); p.pos++ {
		n, ok = min(n*10+int(p.peek(0)-'0'), unbounded), true
	}
	return n, ok
}

func isDigit(r rune) bool { return r >= '0' && r <= '9' }

// parseAtom parses an expression that can have a quantifier and is not an assertion.
func (p *parser) parseAtom() *node {
	start := p.pos
	r := p.peek(0)
	switch r {
	case '.':
		p.pos++
		if p.flags.DotAll {
			return p.charNode(set{{0, p.maxChar()}})
		}
		return p.charNode(lineTerminators().complement(p.maxChar()))
	case '[':
		return p.parseClass()
	case '\\':
		return p.parseEscape()
	case '(':
		return p.parseGroup()
	case '*', '+', '?':
		p.failAt(start, intray.NewMessage("regexp.nothing_to_repeat", intray.Params{"character": string(r), "escaped": `\` + string(r)}))
	case '{':
		if _, _, ok := p.parseCounts(); ok {
			p.failAt(start, intray.NewMessage("regexp.nothing_to_repeat_by_count", intray.Params{"escaped": `\{`}))
		}
	}
	if p.unicode && strings.ContainsRune("{}]", r) {
		p.failAt(start, intray.NewMessage("regexp.must_be_escaped", intray.Params{"character": string(r), "escaped": `\` + string(r)}))
	}
	p.pos++
	return p.literalNode(r)
}

// literalNode returns a node that matches one character, regardless of case if the i flag is set.
func (p *parser) literalNode(r rune) *node { return p.foldedNode(set{{r, r}}) }

func (p *parser) foldedNode(s set) *node { return p.charNode(p.fold(s)) }

// fold returns s with all characters that fold to one of its characters.
func (p *parser) fold(s set) set {
	if !p.on {
		return s
	}
	for _, one := range s {
		*p.steps -= int(min(one.hi-one.lo, maxFoldSteps)) + 1
	}
	if *p.steps < 0 {
		panic(errTooLarge)
	}
	return p.closeOver(s)
}

// charNode returns the node of a set. It limits the total size of all sets.
func (p *parser) charNode(s set) *node {
	if p.spans += len(s); p.spans > maxSpans {
		panic(errTooLarge)
	}
	return &node{kind: kindChar, set: s}
}

// parseGroup parses a group that is not an assertion.
func (p *parser) parseGroup() *node {
	start := p.pos
	switch {
	case p.accept("(?:"):
		return p.parseGroupBody(p.pos)
	case p.accept("(?<"):
		name := p.parseGroupName(start)
		return p.parseCapture(name)
	case p.accept("(?"):
		p.failAt(start, intray.NewMessage("regexp.expected_group_syntax", intray.Params{"start": "(?", "choices": ": = ! <= <!"}))
	}
	p.pos++
	return p.parseCapture("")
}

func (p *parser) parseCapture(name string) *node {
	p.opened++
	n := &node{kind: kindGroup, group: p.opened, name: name}
	n.children = []*node{p.parseGroupBody(p.pos)}
	return n
}

// parseEscape parses an escape outside a character class.
func (p *parser) parseEscape() *node {
	start := p.pos
	p.pos++
	if !p.hasMore() {
		p.failAt(start, trailingBackslash)
	}
	r := p.peek(0)
	switch {
	case r >= '1' && r <= '9':
		if n := p.parseBackReference(start); n != nil {
			return n
		}
	case r == 'k' && (p.unicode || len(p.names) > 0):
		p.pos++
		return p.parseNamedReference(start)
	}
	if s, ok := p.parseSetEscape(); ok {
		return p.foldedNode(s)
	}
	return p.literalNode(p.parseCharEscape(start, false))
}

// parseBackReference parses the number of a group. If there is no such group
// and the u flag is not set, the number is an octal escape or literal.
func (p *parser) parseBackReference(start int) *node {
	digits := p.pos
	n, _ := p.parseNumber()
	if n <= p.groups {
		return &node{kind: kindBackReference, group: n}
	}
	if p.unicode {
		p.failAt(start, intray.NewMessage("regexp.no_such_group", intray.Params{"group": n}))
	}
	p.pos = digits
	return nil
}

func (p *parser) parseNamedReference(start int) *node {
	if !p.accept("<") {
		p.failAt(start, intray.NewMessage("regexp.expected_group_name", intray.Params{"escape": `\k`}))
	}
	name := p.parseGroupName(start)
	group, ok := p.names[name]
	if !ok {
		p.failAt(start, intray.NewMessage("regexp.no_such_group_name", intray.Params{"name": name}))
	}
	return &node{kind: kindBackReference, group: group, name: name}
}

// parseSetEscape parses an escape that represents a set: a class escape such as \d, or \p.
func (p *parser) parseSetEscape() (set, bool) {
	r := p.peek(0)
	if s, ok := p.classEscape(r); ok {
		p.pos++
		return s, true
	}
	if p.unicode && (r == 'p' || r == 'P') {
		p.pos++
		return p.parseProperty(r == 'P'), true
	}
	return nil, false
}

// countGroups counts the groups before the source is parsed, because the
// meaning of an escape depends on all groups, including later ones.
func (p *parser) countGroups() {
	p.names = map[string]int{}
	inClass := false
	for p.pos = 0; p.hasMore(); p.pos++ {
		switch r := p.peek(0); {
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
	if p.peek(1) != '?' {
		p.groups++
		return
	}
	if p.peek(2) != '<' || p.peek(3) == '=' || p.peek(3) == '!' {
		return
	}
	p.groups++
	start := p.pos
	p.pos += 3
	name := p.parseGroupName(start)
	p.pos--
	if _, twice := p.names[name]; twice {
		p.failAt(start, intray.NewMessage("regexp.duplicate_group_name", intray.Params{"name": name}))
	}
	p.names[name] = p.groups
}

// parseGroupName parses the name of a group and the closing >.
func (p *parser) parseGroupName(start int) string {
	var name []rune
	for !p.accept(">") {
		r := p.parseNameRune(start)
		if !isNameStart(r) && (len(name) == 0 || !isNamePart(r)) {
			p.failAt(start, intray.NewMessage("regexp.invalid_group_name", nil))
		}
		name = append(name, r)
	}
	if len(name) == 0 {
		p.failAt(start, intray.NewMessage("regexp.empty_group_name", nil))
	}
	return string(name)
}

// parseNameRune parses a character of a group name, which may be escaped.
// Whether or not the u flag is set, it is a whole code point.
func (p *parser) parseNameRune(start int) rune {
	r := p.peek(0)
	p.pos++
	if r == '\\' {
		if !p.accept("u") {
			return -1
		}
		if p.accept("{") {
			return p.parseCodePoint(start)
		}
		r, ok := p.parseHex(4)
		if !ok {
			return -1
		}
		return p.joinSurrogates(r)
	}
	if isPair(r, p.peek(0)) {
		r = (r-firstSurrogate)<<10 + (p.peek(0) - 0xDC00) + 0x10000
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

// nodeKind is the kind of a node of a parsed expression.
type nodeKind uint8

const (
	// kindChar matches one character in a set. Flags and escapes are already resolved.
	kindChar nodeKind = iota
	// kindSequence matches its children in order. Without children, it matches the empty string.
	kindSequence
	// kindAlternation matches any one of its children.
	kindAlternation
	// kindRepeat matches its child at least min and at most max times.
	kindRepeat
	// kindGroup matches its child and captures the match under the group's number.
	kindGroup
	// kindBackReference matches the text that the group with its number captured.
	kindBackReference
	// kindLookaround matches the empty string if its child matches after or before the current
	// position.
	kindLookaround
	kindStart
	kindEnd
	// kindLineStart and kindLineEnd are ^ and $ with the m flag.
	kindLineStart
	kindLineEnd
	kindWordEdge
)

// unbounded is the max of a repeat that has no maximum. Larger counts are
// reduced to it, because no text is that long.
const unbounded = 1<<31 - 1

// node is a part of a parsed expression.
type node struct {
	kind       nodeKind
	set        set
	children   []*node
	min, max   int
	group      int
	name       string
	lazy       bool
	negated    bool
	lookbehind bool
	at         int
}

// contains reports whether the node or one of its descendants satisfies the given predicate.
func (n *node) contains(is func(*node) bool) bool {
	if is(n) {
		return true
	}
	return slices.ContainsFunc(n.children, func(k *node) bool { return k.contains(is) })
}

func hasKind(kinds ...nodeKind) func(*node) bool {
	return func(n *node) bool { return slices.Contains(kinds, n.kind) }
}

// unwrapGroups returns the node without the groups around it, which do not affect matching.
func (n *node) unwrapGroups() *node {
	for n.kind == kindGroup || n.kind == kindSequence && len(n.children) == 1 {
		n = n.children[0]
	}
	return n
}

// flatten returns the parts of a node as one sequence. It removes groups that
// do not affect matching.
func (n *node) flatten() []*node {
	n = n.unwrapGroups()
	if n.kind != kindSequence {
		return []*node{n}
	}
	var list []*node
	for _, k := range n.children {
		list = append(list, k.flatten()...)
	}
	return list
}

func newSequence(kids ...*node) *node { return &node{kind: kindSequence, children: kids} }
