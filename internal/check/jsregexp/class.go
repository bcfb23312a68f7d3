package jsregexp

import "github.com/intraydata/intray"

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
