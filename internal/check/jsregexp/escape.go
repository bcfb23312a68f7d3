package jsregexp

import (
	"strings"

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
