package jsregexp

import (
	"unicode"

	"github.com/intraydata/intray"
)

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
