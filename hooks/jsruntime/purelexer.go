package jsruntime

import (
	"regexp"
	"strings"
	"unicode/utf8"
)

type tokenKind uint8

const (
	tokenEnd tokenKind = iota
	tokenName
	tokenNumber
	tokenString
	tokenTemplate
	tokenSign
)

// pureToken is a token. text is the name, the sign or the content of a string.
type pureToken struct {
	kind tokenKind
	text string
	at   int
	// afterLine reports whether a line break precedes the token.
	afterLine bool
}

// pureLexer reads tokens for a pureParser, which knows where a regular expression may start. It fails at
// everything that it does not know.
type pureLexer struct {
	source string
	// at is the offset after the current token.
	at     int
	tok    pureToken
	failed bool
}

func (l *pureLexer) fail() {
	l.failed, l.at, l.tok = true, len(l.source), pureToken{at: len(l.source)}
}

func (l *pureLexer) is(text string) bool {
	return l.tok.text == text && (l.tok.kind == tokenSign || l.tok.kind == tokenName)
}

func (l *pureLexer) accept(text string) bool {
	if !l.is(text) {
		return false
	}
	l.next()
	return true
}

func (l *pureLexer) expect(text string) {
	if !l.accept(text) {
		l.fail()
	}
}

// jsSigns are the signs that the parser knows, longer ones first.
var jsSigns = []string{
	">>>=", "...", "===", "!==", "**=", "<<=", ">>=", ">>>", "&&=", "||=", "??=",
	"=>", "==", "!=", "<=", ">=", "&&", "||", "??", "?.", "++", "--", "+=", "-=", "*=", "/=", "%=", "&=", "|=", "^=", "**", "<<", ">>",
	"{", "}", "(", ")", "[", "]", ";", ",", "<", ">", "+", "-", "*", "/", "%", "&", "|", "^", "!", "~", "?", ":", "=", ".",
}

var (
	jsName   = regexp.MustCompile(`^[A-Za-z_$][\w$]*`)
	jsNumber = regexp.MustCompile(`^(?:0[xX][0-9a-fA-F]+|0[bB][01]+|0[oO][0-7]+|(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?)`)
)

// next reads the next token.
func (l *pureLexer) next() {
	afterLine := l.skipSpace()
	l.tok = pureToken{at: l.at, afterLine: afterLine}
	if l.failed || l.at == len(l.source) {
		return
	}
	rest := l.source[l.at:]
	if name := jsName.FindString(rest); name != "" {
		l.take(tokenName, name)
		return
	}
	if number := jsNumber.FindString(rest); number != "" {
		l.take(tokenNumber, number)
		if l.at < len(l.source) && isWordByte(l.source[l.at]) {
			l.fail()
		}
		return
	}
	switch rest[0] {
	case '"', '\'':
		l.readString(rest)
		return
	case '`':
		l.take(tokenTemplate, "`")
		return
	}
	// A comment in the style of HTML begins with one of these.
	if strings.HasPrefix(rest, "<!--") || strings.HasPrefix(rest, "-->") {
		l.fail()
		return
	}
	for _, sign := range jsSigns {
		if !strings.HasPrefix(rest, sign) {
			continue
		}
		if sign == "?." && len(rest) > 2 && isDigit(rest[2]) {
			sign = "?"
		}
		l.take(tokenSign, sign)
		return
	}
	l.fail()
}

func (l *pureLexer) take(kind tokenKind, text string) {
	l.tok.kind, l.tok.text = kind, text
	l.at += len(text)
}

// skipSpace skips white space and comments. It fails at characters that are white space or line breaks in
// JavaScript but not in ASCII.
func (l *pureLexer) skipSpace() (afterLine bool) {
	for l.at < len(l.source) {
		rest := l.source[l.at:]
		size := 1
		switch {
		case rest[0] == '\n' || rest[0] == '\r':
			afterLine = true
		case rest[0] == ' ' || rest[0] == '\t':
		case strings.HasPrefix(rest, "//"):
			if size = strings.IndexAny(rest, "\n\r"); size < 0 {
				size = len(rest)
			}
		case strings.HasPrefix(rest, "/*"):
			end := strings.Index(rest[2:], "*/")
			if end < 0 {
				l.fail()
				return afterLine
			}
			size = end + 4
			afterLine = afterLine || strings.ContainsAny(rest[:size], "\n\r")
		default:
			return afterLine
		}
		if strings.ContainsAny(rest[:size], "\u2028\u2029") {
			l.fail()
			return afterLine
		}
		l.at += size
	}
	return afterLine
}

// unknownText is the text of strings with escapes, which are not decoded.
const unknownText = `\`

// readString reads a string.
func (l *pureLexer) readString(rest string) {
	escaped := false
	for i := 1; i < len(rest); i++ {
		switch rest[i] {
		case '\\':
			escaped = true
			i++
		case '\n', '\r':
			l.fail()
			return
		case rest[0]:
			l.take(tokenString, rest[1:i])
			if l.at += 2; escaped {
				l.tok.text = unknownText
			}
			return
		}
	}
	l.fail()
}

// skipTemplateText skips the text of a template, up to the end of the template, or up to an embedded
// expression.
func (l *pureLexer) skipTemplateText() (ended bool) {
	for ; l.at < len(l.source); l.at++ {
		switch {
		case l.source[l.at] == '\\':
			l.at++
		case l.source[l.at] == '`':
			l.at++
			return true
		case strings.HasPrefix(l.source[l.at:], "${"):
			l.at += 2
			return false
		}
	}
	l.fail()
	return true
}

// groupName matches the start of a named group that is not called length, whose property would not be a
// number.
var groupName = regexp.MustCompile(`^\(\?<(?:[=!]|[A-Za-z_$][\w$]*>)`)

// skipRegexp skips a regular expression whose first slash is the current token, and reads the token after it.
func (l *pureLexer) skipRegexp() {
	inClass := false
	for i := l.tok.at + 1; i < len(l.source); i++ {
		switch b := l.source[i]; {
		case b == '\\':
			i++
		case b == '\n' || b == '\r' || b >= utf8.RuneSelf:
			l.fail()
			return
		case b == '[':
			inClass = true
		case b == ']':
			inClass = false
		case b == '(' && !inClass && strings.HasPrefix(l.source[i:], "(?<"):
			if !groupName.MatchString(l.source[i:]) || strings.HasPrefix(l.source[i:], "(?<length>") {
				l.fail()
				return
			}
		case b == '/' && !inClass:
			l.at = i + 1
			l.at += len(jsName.FindString(l.source[l.at:]))
			l.next()
			return
		}
	}
	l.fail()
}
