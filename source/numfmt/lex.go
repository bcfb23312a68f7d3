package numfmt

import (
	"strings"
	"unicode/utf8"
)

type tokenKind uint8

const (
	tokLiteral tokenKind = iota
	tokDigit             // 0 # ?
	tokPoint
	tokComma
	tokPercent
	tokSlash
	tokExponent
	tokGeneral
	tokText    // @
	tokElapsed // [h] [mm] [s]
	tokYear
	tokBuddhist
	tokEra
	tokMonth
	tokDay
	tokHour
	tokMinute
	tokSecond
	tokHalf   // AM/PM
	tokSubsec // .000 in a date
)

func (k tokenKind) isDay() bool {
	return k == tokYear || k == tokBuddhist || k == tokEra || k == tokMonth || k == tokDay
}

func (k tokenKind) isClock() bool {
	return k == tokElapsed || k >= tokHour
}

// token is one piece of a code. Text is what it shows as a literal; count is how
// often a date letter stands, or the fixed denominator behind a slash.
type token struct {
	kind  tokenKind
	text  string
	count int
}

// part is a section as it was read.
type part struct {
	tokens []token
	when   condition
	tag    localeTag
	hijri  bool
}

// isText says whether the section is one for text.
func (p part) isText() bool {
	at := false
	for _, t := range p.tokens {
		if t.kind == tokDigit || t.kind == tokGeneral || t.kind.isDay() || t.kind.isClock() {
			return false
		}
		at = at || t.kind == tokText
	}
	return at
}

// lex cuts a code into sections of tokens. It is not ok where a bracket does not
// end or holds a condition that is none.
func lex(code string) ([]part, bool) {
	parts := make([]part, 1, 4)
	if code == "" {
		parts[0].tokens = []token{{kind: tokGeneral}}
		return parts, true
	}
	for code != "" {
		p := &parts[len(parts)-1]
		switch code[0] {
		case ';':
			code = code[1:]
			parts = append(parts, part{})
		case '[':
			inside, rest, ok := strings.Cut(code[1:], "]")
			if !ok || !p.bracket(inside) {
				return nil, false
			}
			code = rest
		default:
			t, n := next(code)
			p.add(t, code[:n])
			code = code[n:]
		}
	}
	for i := range parts {
		parts[i].settleDates()
	}
	return parts, true
}

// add appends a token; B1 and B2 name a calendar and show nothing.
func (p *part) add(t token, source string) {
	switch {
	case source == "B1" || source == "b1":
	case source == "B2" || source == "b2":
		p.hijri = true
	case t.kind == tokLiteral && t.text == "":
	default:
		p.tokens = append(p.tokens, t)
	}
}

// next reads the token at the beginning of a code that is not empty, and its
// length.
func next(code string) (token, int) {
	switch code[0] {
	case '"':
		return quoted(code)
	case '\\':
		n := runeLen(code[1:])
		return token{text: code[1 : 1+n]}, 1 + n
	case '_': // the width of a letter; in text, a space
		return token{text: " "}, 1 + runeLen(code[1:])
	case '*': // fills the column; in text, nothing
		return token{}, 1 + runeLen(code[1:])
	case '/':
		return slash(code)
	}
	if kind, ok := sign(code[0]); ok {
		return token{kind: kind, text: code[:1]}, 1
	}
	if t, n := word(code); n > 0 {
		return t, n
	}
	n := runeLen(code)
	return token{text: code[:n]}, n
}

func runeLen(s string) int {
	_, n := utf8.DecodeRuneInString(s)
	return n
}

func quoted(code string) (token, int) {
	end := strings.IndexByte(code[1:], '"')
	if end < 0 {
		return token{text: code[1:]}, len(code)
	}
	return token{text: code[1 : 1+end]}, end + 2
}

// slash reads a slash with the denominator that may stand behind it.
func slash(code string) (token, int) {
	n, value := 1, 0
	for n < len(code) && n < 9 && code[n] >= '0' && code[n] <= '9' && (n > 1 || code[n] != '0') {
		value = value*10 + int(code[n]-'0')
		n++
	}
	return token{kind: tokSlash, text: code[:n], count: value}, n
}

func sign(c byte) (tokenKind, bool) {
	i := strings.IndexByte("0#?.,%@", c)
	if i < 0 {
		return 0, false
	}
	return [...]tokenKind{tokDigit, tokDigit, tokDigit, tokPoint, tokComma, tokPercent, tokText}[i], true
}

// word reads what begins with a letter that means something; n is 0 where it
// does not.
func word(code string) (t token, n int) {
	for _, w := range words {
		if len(code) >= len(w.spelled) && strings.EqualFold(code[:len(w.spelled)], w.spelled) {
			return token{kind: w.kind, text: code[:len(w.spelled)]}, len(w.spelled)
		}
	}
	kind, ok := letter(code[0])
	if !ok {
		return token{}, 0
	}
	n = run(code)
	if kind == tokDay && code[0]|0x20 == 'a' && n < 3 {
		return token{}, 0
	}
	if code[0]|0x20 == 'e' {
		return token{kind: tokYear, text: code[:n], count: 4}, n
	}
	return token{kind: kind, text: code[:n], count: n}, n
}

// words are read before single letters.
var words = [...]struct {
	spelled string
	kind    tokenKind
}{
	{"general", tokGeneral},
	{"am/pm", tokHalf},
	{"a/p", tokHalf},
	{"e+", tokExponent},
	{"e-", tokExponent},
	{"b1", tokLiteral},
	{"b2", tokLiteral},
}

// letter gives the meaning of a date letter; aaa and aaaa are days of the week
// too.
func letter(c byte) (tokenKind, bool) {
	i := strings.IndexByte("yebgmdahs", c|0x20)
	if i < 0 {
		return 0, false
	}
	return [...]tokenKind{tokYear, tokYear, tokBuddhist, tokEra, tokMonth, tokDay, tokDay, tokHour, tokSecond}[i], true
}

// run counts how often the first letter stands, in either case.
func run(code string) int {
	n := 1
	for n < len(code) && code[n]|0x20 == code[0]|0x20 {
		n++
	}
	return n
}

// settleDates gives the signs in a section with date letters their meaning
// there: m can be minutes, a point with zeros is a part of a second, and the
// other signs of numbers are literals.
func (p *part) settleDates() {
	if !p.isDate() {
		return
	}
	last := tokLiteral
	out := p.tokens[:0]
	for i := 0; i < len(p.tokens); i++ {
		t := p.tokens[i]
		if n := zeros(p.tokens[i+1:]); t.kind == tokPoint && n > 0 {
			t = token{kind: tokSubsec, count: n}
			i += n
		}
		out = append(out, inDate(t, last, p.tokens[i+1:]))
		last = lastClock(last, out[len(out)-1])
	}
	p.tokens = out
}

// inDate gives a token its meaning in a date, by what stands before and after.
func inDate(t token, last tokenKind, rest []token) token {
	switch t.kind {
	case tokMonth:
		if t.count <= 2 && (last == tokHour || nextClock(rest) == tokSecond) {
			t.kind = tokMinute
		}
	case tokPoint, tokComma, tokPercent, tokSlash, tokExponent:
		t.kind = tokLiteral
	}
	return t
}

func (p *part) isDate() bool {
	for _, t := range p.tokens {
		if t.kind.isDay() || t.kind.isClock() {
			return true
		}
	}
	return false
}

// clockKind is what a token means to an m near it: nothing, or its letter.
// Lengths of time are as their letters.
func (t token) clockKind() tokenKind {
	switch {
	case t.kind == tokElapsed:
		kind, _ := letter(t.text[0])
		return kind
	case t.kind.isDay() || t.kind.isClock() && t.kind != tokHalf:
		return t.kind
	}
	return tokLiteral
}

// lastClock remembers the letter that decides what an m behind it means.
func lastClock(last tokenKind, t token) tokenKind {
	if kind := t.clockKind(); kind != tokLiteral {
		return kind
	}
	return last
}

// nextClock finds the letter that decides what an m before it means.
func nextClock(tokens []token) tokenKind {
	for _, t := range tokens {
		if kind := t.clockKind(); kind != tokLiteral {
			return kind
		}
	}
	return tokLiteral
}

func zeros(tokens []token) int {
	n := 0
	for n < len(tokens) && tokens[n].kind == tokDigit && tokens[n].text == "0" {
		n++
	}
	return n
}
