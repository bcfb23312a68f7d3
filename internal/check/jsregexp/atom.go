package jsregexp

import (
	"strings"

	"github.com/intraydata/intray"
)

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
