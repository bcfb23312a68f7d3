package numfmt

import (
	"math"
	"slices"
	"strconv"
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
	tokAMPM      // AM/PM
	tokSubsecond // .000 in a date
)

func (k tokenKind) isDateLetter() bool {
	return k == tokYear || k == tokBuddhist || k == tokEra || k == tokMonth || k == tokDay
}

func (k tokenKind) isTimeLetter() bool {
	return k == tokElapsed || k >= tokHour
}

// token is a part of a code. text is the text to display if the token is a literal. count is the
// number of repetitions of a date letter, or the fixed denominator after a slash.
type token struct {
	kind  tokenKind
	text  string
	count int
}

// rawSection is a section that has not been compiled yet.
type rawSection struct {
	tokens []token
	when   condition
	tag    localeTag
	hijri  bool
}

// isText reports whether the section is for text.
func (p rawSection) isText() bool {
	at := false
	for _, t := range p.tokens {
		if t.kind == tokDigit || t.kind == tokGeneral || t.kind.isDateLetter() || t.kind.isTimeLetter() {
			return false
		}
		at = at || t.kind == tokText
	}
	return at
}

// tokenize splits a code into sections of tokens. ok is false if a bracket is not
// closed or contains an invalid condition.
func tokenize(code string) ([]rawSection, bool) {
	parts := make([]rawSection, 1, 4)
	if code == "" {
		parts[0].tokens = []token{{kind: tokGeneral}}
		return parts, true
	}
	for code != "" {
		p := &parts[len(parts)-1]
		switch code[0] {
		case ';':
			code = code[1:]
			parts = append(parts, rawSection{})
		case '[':
			inside, rest, ok := strings.Cut(code[1:], "]")
			if !ok || !p.parseBracket(inside) {
				return nil, false
			}
			code = rest
		default:
			t, n := scanToken(code)
			p.appendToken(t, code[:n])
			code = code[n:]
		}
	}
	for i := range parts {
		isDate := func(t token) bool { return t.kind.isDateLetter() }
		if parts[i].tag.language == languageSystemDate && slices.ContainsFunc(parts[i].tokens, isDate) {
			long, _ := tokenize(systemDate)
			parts[i].tokens = long[0].tokens
		}
		parts[i].resolveDateTokens()
	}
	return parts, true
}

// systemDate is the long date of the operating system in the United States. A section with the
// locale tag F800 displays it and ignores its other letters.
const (
	languageSystemDate = 0xF800
	systemDate         = "dddd, mmmm d, yyyy"
)

// appendToken appends a token. If it is B1 or B2, it selects a calendar and displays nothing.
func (p *rawSection) appendToken(t token, source string) {
	switch {
	case source == "B1" || source == "b1":
	case source == "B2" || source == "b2":
		p.hijri = true
	case t.kind == tokLiteral && t.text == "":
	default:
		p.tokens = append(p.tokens, t)
	}
}

// scanToken returns the token at the beginning of code, and its length in bytes. code
// must not be empty.
func scanToken(code string) (token, int) {
	switch code[0] {
	case '"':
		end := strings.IndexByte(code[1:], '"')
		if end < 0 {
			return token{text: code[1:]}, len(code)
		}
		return token{text: code[1 : 1+end]}, end + 2
	case '\\':
		n := runeLen(code[1:])
		return token{text: code[1 : 1+n]}, 1 + n
	case '_': // a gap with the width of a character, which is a space in text
		return token{text: " "}, 1 + runeLen(code[1:])
	case '*': // a character that fills the column, which is nothing in text
		return token{}, 1 + runeLen(code[1:])
	case '/':
		return scanSlash(code)
	}
	if kind, ok := scanSymbol(code[0]); ok {
		return token{kind: kind, text: code[:1]}, 1
	}
	if t, n := scanWord(code); n > 0 {
		return t, n
	}
	n := runeLen(code)
	return token{text: code[:n]}, n
}

func runeLen(s string) int {
	_, n := utf8.DecodeRuneInString(s)
	return n
}

// scanSlash scans a slash and the denominator after it, if any.
func scanSlash(code string) (token, int) {
	n, value := 1, 0
	for n < len(code) && n < 9 && code[n] >= '0' && code[n] <= '9' && (n > 1 || code[n] != '0') {
		value = value*10 + int(code[n]-'0')
		n++
	}
	return token{kind: tokSlash, text: code[:n], count: value}, n
}

func scanSymbol(c byte) (tokenKind, bool) {
	i := strings.IndexByte("0#?.,%@", c)
	if i < 0 {
		return 0, false
	}
	return [...]tokenKind{tokDigit, tokDigit, tokDigit, tokPoint, tokComma, tokPercent, tokText}[i], true
}

// scanWord scans a word or a date letter. n is 0 if code starts with neither.
func scanWord(code string) (t token, n int) {
	for _, w := range words {
		if len(code) >= len(w.spelled) && strings.EqualFold(code[:len(w.spelled)], w.spelled) {
			return token{kind: w.kind, text: code[:len(w.spelled)]}, len(w.spelled)
		}
	}
	kind, ok := dateLetterKind(code[0])
	if !ok {
		return token{}, 0
	}
	n = countRepeats(code)
	if kind == tokDay && code[0]|0x20 == 'a' && n < 3 {
		return token{}, 0
	}
	if code[0]|0x20 == 'e' {
		return token{kind: tokYear, text: code[:n], count: 4}, n
	}
	return token{kind: kind, text: code[:n], count: n}, n
}

// words lists the tokens that have several letters. They are matched before single letters.
var words = [...]struct {
	spelled string
	kind    tokenKind
}{
	{"general", tokGeneral},
	{"am/pm", tokAMPM},
	{"a/p", tokAMPM},
	{"e+", tokExponent},
	{"e-", tokExponent},
	{"b1", tokLiteral},
	{"b2", tokLiteral},
}

// dateLetterKind returns the meaning of a date letter, in either case. The letter a is a
// date letter because aaa and aaaa are days of the week.
func dateLetterKind(c byte) (tokenKind, bool) {
	i := strings.IndexByte("yebgmdahs", c|0x20)
	if i < 0 {
		return 0, false
	}
	return [...]tokenKind{tokYear, tokYear, tokBuddhist, tokEra, tokMonth, tokDay, tokDay, tokHour, tokSecond}[i], true
}

// countRepeats returns how often the first letter of a code is repeated, ignoring case.
func countRepeats(code string) int {
	n := 1
	for n < len(code) && code[n]|0x20 == code[0]|0x20 {
		n++
	}
	return n
}

// resolveDateTokens resolves the meaning of tokens in a date section. m can mean minutes, a
// point followed by zeros is a fraction of a second, and other number tokens are literals.
func (p *rawSection) resolveDateTokens() {
	if !p.isDate() {
		return
	}
	last := tokLiteral
	out := p.tokens[:0]
	for i := 0; i < len(p.tokens); i++ {
		t := p.tokens[i]
		if n := countZeros(p.tokens[i+1:]); t.kind == tokPoint && n > 0 {
			t = token{kind: tokSubsecond, count: n}
			i += n
		}
		out = append(out, resolveDateToken(t, last, p.tokens[i+1:]))
		last = lastClock(last, out[len(out)-1])
	}
	p.tokens = out
}

// resolveDateToken returns the meaning of a token in a date section, given its neighbors.
func resolveDateToken(t token, last tokenKind, rest []token) token {
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

func (p *rawSection) isDate() bool {
	return slices.ContainsFunc(p.tokens, func(t token) bool { return t.kind.isDateLetter() || t.kind.isTimeLetter() })
}

// clockKind returns the date or time letter of a token if it affects the meaning of an
// m nearby, and tokLiteral otherwise. An elapsed time such as [h] counts as its letter.
func (t token) clockKind() tokenKind {
	switch {
	case t.kind == tokElapsed:
		kind, _ := dateLetterKind(t.text[0])
		return kind
	case t.kind.isDateLetter() || t.kind.isTimeLetter() && t.kind != tokAMPM:
		return t.kind
	}
	return tokLiteral
}

// lastClock returns the letter that determines whether an m after t is a minute. last is
// the corresponding letter for t.
func lastClock(last tokenKind, t token) tokenKind {
	if kind := t.clockKind(); kind != tokLiteral {
		return kind
	}
	return last
}

// nextClock returns the first letter in tokens that determines whether an m before them
// is a minute.
func nextClock(tokens []token) tokenKind {
	for _, t := range tokens {
		if kind := t.clockKind(); kind != tokLiteral {
			return kind
		}
	}
	return tokLiteral
}

func countZeros(tokens []token) int {
	n := 0
	for n < len(tokens) && tokens[n].kind == tokDigit && tokens[n].text == "0" {
		n++
	}
	return n
}

// localeTag is the tag in [$currency-tag].
type localeTag struct {
	language uint16
	calendar uint8
}

// Calendars of locale tags.
const (
	calendarJapan    = 3
	calendarTaiwan   = 4
	calendarKorea    = 5
	calendarHijri    = 6
	calendarBuddhist = 7
	calendarHebrew   = 8
)

// parseBracket parses the content of square brackets. It ignores colors and other words
// that do not affect the displayed text.
func (p *rawSection) parseBracket(inside string) bool {
	if inside == "" {
		return true
	}
	switch c := inside[0]; {
	case c == '$':
		symbol, tag, _ := strings.Cut(inside[1:], "-")
		if symbol != "" {
			p.tokens = append(p.tokens, token{text: symbol})
		}
		tag, _, _ = strings.Cut(tag, ",")
		if n, err := strconv.ParseUint(tag, 16, 32); err == nil {
			p.tag = localeTag{language: uint16(n), calendar: uint8(n >> 16)}
		} else if tag != "" {
			p.tag.language = languageOf(tag)
		}
	case c == '<' || c == '>' || c == '=':
		when, ok := parseCondition(inside)
		p.when = when
		return ok
	case strings.IndexByte("hHmMsS", c) >= 0 && countRepeats(inside) == len(inside):
		p.tokens = append(p.tokens, token{kind: tokElapsed, text: inside, count: len(inside)})
	}
	return true
}

type comparison uint8

const (
	always comparison = iota
	equal
	unequal
	less
	lessOrEqual
	greater
	greaterOrEqual
)

// comparisons are the operators in codes.
var comparisons = [...]string{
	equal: "=", unequal: "<>", less: "<", lessOrEqual: "<=", greater: ">", greaterOrEqual: ">=",
}

// condition selects the numbers to which a section applies.
type condition struct {
	op    comparison
	limit float64
}

func parseCondition(text string) (condition, bool) {
	operator := text[:len(text)-len(strings.TrimLeft(text, "<>="))]
	is := slices.Index(comparisons[:], operator)
	limit, err := strconv.ParseFloat(strings.TrimSpace(text[len(operator):]), 64)
	if is < 0 || err != nil || math.IsNaN(limit) || math.IsInf(limit, 0) {
		return condition{}, false
	}
	return condition{comparison(is), limit}, true
}

func (c condition) matches(v float64) bool {
	switch c.op {
	case equal:
		return v == c.limit
	case unequal:
		return v != c.limit
	case less:
		return v < c.limit
	case lessOrEqual:
		return v <= c.limit
	case greater:
		return v > c.limit
	case greaterOrEqual:
		return v >= c.limit
	}
	return true
}

// onlyNegative reports whether only negative numbers match.
func (c condition) onlyNegative() bool {
	switch c.op {
	case less:
		return c.limit <= 0
	case lessOrEqual, equal:
		return c.limit < 0
	}
	return false
}

// resolveConditions sets the default conditions of sections, and marks the sections
// that display no minus sign.
func resolveConditions(sections []section) {
	switch len(sections) {
	case 2:
		sections[0].when = sections[0].when.withDefault(condition{greaterOrEqual, 0})
	case 3:
		sections[0].when = sections[0].when.withDefault(condition{greater, 0})
		sections[1].when = sections[1].when.withDefault(condition{less, 0})
	}
	for i := range sections {
		sections[i].unsigned = sections[i].when.onlyNegative()
	}
	if len(sections) == 2 && sections[1].when.op == always {
		sections[1].unsigned = sections[0].when.leavesNegative()
	}
}

// withDefault returns c if c has an operator, and otherwise the condition given by other.
func (c condition) withDefault(other condition) condition {
	if c.op == always {
		return other
	}
	return c
}

// leavesNegative reports whether only negative numbers, and possibly zero, do not
// satisfy the condition.
func (c condition) leavesNegative() bool {
	return c.limit == 0 && (c.op == greater || c.op == greaterOrEqual)
}

// sectionFor returns the section that applies to a number, or nil if there is none.
func (f *Format) sectionFor(v float64) *section {
	for i := range f.sections {
		if f.sections[i].when.matches(v) {
			return &f.sections[i]
		}
	}
	if len(f.sections) == 1 {
		return &fallbackSection
	}
	return nil
}

// fallbackSection displays numbers that do not satisfy the condition of the only section.
var fallbackSection = section{shape: shapeGeneral, items: []item{{kind: itemGeneral}}}
