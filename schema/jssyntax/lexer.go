package jssyntax

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/intraydata/intray"
)

type tokenKind uint8

const (
	tokenEnd tokenKind = iota
	tokenBad
	tokenName
	tokenPrivate
	tokenNumber
	tokenString
	tokenTemplate
	tokenRegex
	tokenSign
)

// token is one word of the source.
type token struct {
	kind tokenKind
	// text is the token as written.
	text string
	// wrong says why a token is tokenBad.
	wrong intray.Message
	pos   int
	// newline says that a line ends between the token before and this one.
	newline bool
}

// is says whether the token is this sign or this word, written without escapes.
func (t token) is(text string) bool {
	return (t.kind == tokenSign || t.kind == tokenName) && t.text == text
}

// good is what is wrong with a token that is as it must be.
var good intray.Message

type lexer struct {
	src string
	pos int
}

// next reads a token. A slash is always a sign here; the parser asks for a
// regular expression where one may stand.
func (l *lexer) next() token {
	t := token{newline: l.skipSpace()}
	t.pos = l.pos
	if l.pos >= len(l.src) {
		return t
	}
	t.kind, t.wrong = l.scan(l.src[l.pos])
	t.text = l.src[t.pos:l.pos]
	return t
}

func (l *lexer) scan(c byte) (tokenKind, intray.Message) {
	switch {
	case c == '"' || c == '\'':
		return l.scanString(c)
	case c == '`':
		l.pos++
		return l.scanTemplate()
	case isDigit(c) || c == '.' && isDigit(l.peek(1)):
		return l.scanNumber()
	case c == '#':
		l.pos++
		if l.scanName() {
			return tokenPrivate, good
		}
		return tokenBad, unexpected("#")
	case l.scanName():
		return tokenName, good
	}
	return l.scanSign()
}

func (l *lexer) peek(n int) byte {
	if l.pos+n < len(l.src) {
		return l.src[l.pos+n]
	}
	return 0
}

func (l *lexer) remaining() string { return l.src[l.pos:] }

// skipSpace goes over white space and comments.
func (l *lexer) skipSpace() (newline bool) {
	for l.pos < len(l.src) {
		rest := l.remaining()
		r, size := utf8.DecodeRuneInString(rest)
		switch {
		case isLineEnd(r):
			newline = true
			l.pos += size
		case unicode.IsSpace(r) || r == '\ufeff':
			l.pos += size
		case strings.HasPrefix(rest, "//"):
			l.pos += lineLength(rest)
		case strings.HasPrefix(rest, "/*"):
			end := strings.Index(rest[2:], "*/")
			if end < 0 {
				return newline // the sign /* is refused by sign
			}
			newline = newline || strings.ContainsFunc(rest[:end+2], isLineEnd)
			l.pos += end + 4
		default:
			return newline
		}
	}
	return newline
}

func lineLength(s string) int {
	if at := strings.IndexFunc(s, isLineEnd); at >= 0 {
		return at
	}
	return len(s)
}

func isLineEnd(r rune) bool { return r == '\n' || r == '\r' || r == '\u2028' || r == '\u2029' }

func isDigit(c byte) bool { return '0' <= c && c <= '9' }

// scanName goes over an identifier, if one begins here.
func (l *lexer) scanName() bool {
	start := l.pos
	for l.pos < len(l.src) {
		size := namePart(l.remaining(), l.pos > start)
		if size == 0 {
			break
		}
		l.pos += size
	}
	return l.pos > start
}

// namePart is the length of the first letter, as a part of a name.
func namePart(s string, inside bool) int {
	if s[0] == '\\' {
		return escapedLetter(s)
	}
	r, size := utf8.DecodeRuneInString(s)
	switch {
	case r == '$' || r == '_' || unicode.IsLetter(r) || unicode.Is(unicode.Nl, r):
		return size
	case inside && (unicode.In(r, unicode.Mn, unicode.Mc, unicode.Nd, unicode.Pc) || r == '\u200c' || r == '\u200d'):
		return size
	}
	return 0
}

// escapedLetter is the length of \uXXXX or \u{X}, or 0.
func escapedLetter(s string) int {
	if rest, ok := strings.CutPrefix(s, `\u{`); ok {
		n := hexLength(rest)
		if n > 0 && n < len(rest) && rest[n] == '}' {
			return n + 4
		}
		return 0
	}
	if rest, ok := strings.CutPrefix(s, `\u`); ok && hexLength(rest) >= 4 {
		return 6
	}
	return 0
}

func hexLength(s string) int {
	n := 0
	for n < len(s) && n < 8 && strings.IndexByte("0123456789abcdefABCDEF", s[n]) >= 0 {
		n++
	}
	return n
}

func (l *lexer) scanString(quote byte) (tokenKind, intray.Message) {
	for l.pos++; l.pos < len(l.src); l.pos++ {
		switch c := l.src[l.pos]; c {
		case quote:
			l.pos++
			return tokenString, good
		case '\\':
			if l.pos++; l.peek(0) == '\r' && l.peek(1) == '\n' {
				l.pos++
			}
		case '\n', '\r':
			return tokenBad, intray.NewMessage("javascript.string_ends_in_line", nil)
		}
	}
	return tokenBad, intray.NewMessage("javascript.string_not_closed", nil)
}

// scanTemplate goes over the text of a template, to its end or to the next ${.
func (l *lexer) scanTemplate() (tokenKind, intray.Message) {
	for ; l.pos < len(l.src); l.pos++ {
		switch c := l.src[l.pos]; {
		case c == '`':
			l.pos++
			return tokenTemplate, good
		case c == '$' && l.peek(1) == '{':
			l.pos += 2
			return tokenTemplate, good
		case c == '\\':
			l.pos++
		}
	}
	return tokenBad, intray.NewMessage("javascript.template_not_closed", nil)
}

// resumeTemplate reads on in a template behind the brace that closes an expression.
func (l *lexer) resumeTemplate(brace token) token {
	l.pos = brace.pos + 1
	t := token{pos: brace.pos}
	t.kind, t.wrong = l.scanTemplate()
	t.text = l.src[t.pos:l.pos]
	return t
}

// scanRegexp reads a slash again, as the beginning of a regular expression.
func (l *lexer) scanRegexp(slash token) token {
	t := token{kind: tokenRegex, pos: slash.pos, newline: slash.newline}
	inClass, groups := false, 0
	for l.pos = slash.pos + 1; l.pos < len(l.src); l.pos++ {
		switch c := l.src[l.pos]; {
		case c == '\\':
			l.pos++
			continue
		case c == '\n' || c == '\r':
			return token{kind: tokenBad, pos: slash.pos, wrong: intray.NewMessage("javascript.regex_ends_in_line", nil)}
		case c == '[':
			inClass = true
		case c == ']':
			inClass = false
		case c == '(' && !inClass:
			groups++
		case c == ')' && !inClass:
			if groups--; groups < 0 {
				return token{kind: tokenBad, pos: slash.pos, wrong: intray.NewMessage("javascript.regex_group_not_open", nil)}
			}
		case c == '/' && !inClass:
			if groups > 0 {
				return token{kind: tokenBad, pos: slash.pos, wrong: intray.NewMessage("javascript.regex_group_not_closed", nil)}
			}
			l.pos++
			l.skipRegexpFlags()
			t.text = l.src[t.pos:l.pos]
			return t
		}
	}
	return token{kind: tokenBad, pos: slash.pos, wrong: intray.NewMessage("javascript.regex_not_closed", nil)}
}

func (l *lexer) skipRegexpFlags() {
	for l.pos < len(l.src) && strings.IndexByte("dgimsuvy", l.src[l.pos]) >= 0 {
		l.pos++
	}
}

func (l *lexer) scanNumber() (tokenKind, intray.Message) {
	if l.peek(0) == '0' && strings.IndexByte("xXoObB", l.peek(1)) >= 0 && l.peek(1) != 0 {
		l.pos += 2
		l.skipDigits("0123456789abcdefABCDEF_")
	} else {
		l.skipDecimal()
	}
	if l.peek(0) == 'n' {
		l.pos++
	}
	if l.pos < len(l.src) && namePart(l.remaining(), true) > 0 {
		return tokenBad, intray.NewMessage("javascript.letter_after_number", nil)
	}
	return tokenNumber, good
}

func (l *lexer) skipDecimal() {
	const digits = "0123456789_"
	start := l.pos
	l.skipDigits(digits)
	isOctal := l.pos > start+1 && l.src[start] == '0' && !strings.ContainsAny(l.src[start:l.pos], "89")
	if l.peek(0) == '.' && !isOctal {
		l.pos++
		l.skipDigits(digits)
	}
	if l.peek(0)|0x20 != 'e' {
		return
	}
	if sign := l.peek(1); sign == '+' || sign == '-' {
		l.pos++
	}
	if isDigit(l.peek(1)) {
		l.pos++
		l.skipDigits(digits)
	}
}

func (l *lexer) skipDigits(allowed string) {
	for l.pos < len(l.src) && strings.IndexByte(allowed, l.src[l.pos]) >= 0 {
		l.pos++
	}
}

// signs are the punctuators, the longer ones first.
const signs = " >>>= ... === !== **= <<= >>= >>> &&= ||= ??= " +
	"=> == != <= >= && || ?? ?. ++ -- += -= *= /= %= &= |= ^= << >> ** " +
	"{ } ( ) [ ] ; , < > + - * / % & | ^ ! ~ ? : = . @ "

func (l *lexer) scanSign() (tokenKind, intray.Message) {
	rest := l.remaining()
	if strings.HasPrefix(rest, "/*") {
		return tokenBad, intray.NewMessage("javascript.comment_not_closed", nil)
	}
	if strings.HasPrefix(rest, "?.") && isDigit(l.peek(2)) {
		l.pos++ // a condition and a number: a?.5:1
		return tokenSign, good
	}
	for n := min(4, len(rest)); n > 0; n-- {
		if isSign(rest[:n]) {
			l.pos += n
			return tokenSign, good
		}
	}
	r, _ := utf8.DecodeRuneInString(rest)
	return tokenBad, intray.NewMessage("javascript.unexpected_character", intray.Params{"character": string(r)})
}

func isSign(s string) bool {
	return !strings.Contains(s, " ") && strings.Contains(signs, " "+s+" ")
}
