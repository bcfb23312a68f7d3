package jsruntime

import (
	"errors"
	"fmt"
	"strconv"
	"time"
	"unicode/utf16"
	"unicode/utf8"
)

// maxDepth is how far lists and objects of an answer may stand within each other.
const maxDepth = 64

// scanner reads a JSON text that a stranger may have written. The first thing
// that is wrong ends all reading; what is read after it is empty.
type scanner struct {
	raw string
	at  int
	err error
}

var errAnswer = errors.New("the hook worker gave an answer that cannot be understood")

func (s *scanner) fail(format string, args ...any) {
	if s.err == nil {
		s.err = fmt.Errorf("%w: at byte %d: %s", errAnswer, s.at, fmt.Sprintf(format, args...))
	}
	s.at = len(s.raw)
}

// peek gives the next byte that is not white space, or 0.
func (s *scanner) peek() byte {
	for s.at < len(s.raw) {
		switch b := s.raw[s.at]; b {
		case ' ', '\n', '\r', '\t':
			s.at++
		default:
			return b
		}
	}
	return 0
}

func (s *scanner) accept(want byte) bool {
	if s.peek() != want || s.at >= len(s.raw) {
		return false
	}
	s.at++
	return true
}

func (s *scanner) expect(want byte) {
	if !s.accept(want) {
		s.fail("%q is missing", want)
	}
}

// expectEnd says that nothing may follow.
func (s *scanner) expectEnd() {
	if s.err == nil && s.peek() != 0 || s.at < len(s.raw) {
		s.fail("there is more than one value")
	}
}

// readList reads an array of at most so many elements.
func (s *scanner) readList(most int, each func(i int)) {
	s.expect('[')
	if s.accept(']') {
		return
	}
	for i := 0; s.err == nil; i++ {
		if i == most {
			s.fail("a list has more than %d elements", most)
			return
		}
		each(i)
		if s.accept(']') {
			return
		}
		s.expect(',')
	}
}

// readObject reads an object; each reads the value of the member with that name.
func (s *scanner) readObject(each func(name string)) {
	s.expect('{')
	if s.accept('}') {
		return
	}
	for n := 0; s.err == nil; n++ {
		name := s.readText(maxName)
		s.expect(':')
		each(name)
		if s.accept('}') {
			return
		}
		s.expect(',')
	}
}

// readText reads a text of at most so many bytes. It is part of the answer itself
// where it has no escapes.
func (s *scanner) readText(most int) string {
	s.expect('"')
	from := s.at
	i := from + verbatimLength(s.raw[from:], 0)
	switch {
	case i == len(s.raw):
		s.fail("a text does not end")
	case s.raw[i] == '"':
		s.at = i + 1
		return s.limitText(s.raw[from:i], most)
	case s.raw[i] == '\\':
		return s.limitText(s.readEscapedText(from, i), most)
	default:
		s.fail("a text holds a control character")
	}
	return ""
}

func (s *scanner) limitText(text string, most int) string {
	if len(text) > most {
		s.fail("a text has %d bytes, and may have %d", len(text), most)
		return ""
	}
	return text
}

// readEscapedText reads on where the first escape stands.
func (s *scanner) readEscapedText(from, i int) string {
	text := []byte(s.raw[from:i])
	for s.at = i; s.at < len(s.raw); {
		switch b := s.raw[s.at]; {
		case b == '"':
			s.at++
			return string(text)
		case b == '\\':
			text = s.readEscape(text)
		case b < 0x20:
			s.fail("a text holds a control character")
		default:
			text = append(text, b)
			s.at++
		}
	}
	s.fail("a text does not end")
	return ""
}

// escapes maps the letter of a short escape to what it stands for.
var escapes = map[byte]byte{'"': '"', '\\': '\\', '/': '/', 'b': '\b', 'f': '\f', 'n': '\n', 'r': '\r', 't': '\t'}

func (s *scanner) readEscape(text []byte) []byte {
	if s.at+1 >= len(s.raw) {
		s.fail("an escape does not end")
		return nil
	}
	letter := s.raw[s.at+1]
	if b, short := escapes[letter]; short {
		s.at += 2
		return append(text, b)
	}
	if letter != 'u' {
		s.fail("there is no escape %q", letter)
		return nil
	}
	r := s.readUTF16Unit()
	if utf16.IsSurrogate(r) {
		r = utf16.DecodeRune(r, s.readUTF16Unit())
		if r == utf8.RuneError {
			s.fail("a text holds half of a character")
			return nil
		}
	}
	return utf8.AppendRune(text, r)
}

// readUTF16Unit reads \u and four digits.
func (s *scanner) readUTF16Unit() rune {
	if s.at+6 > len(s.raw) || s.raw[s.at] != '\\' || s.raw[s.at+1] != 'u' {
		s.fail("a text holds half of a character")
		return 0
	}
	n, err := strconv.ParseUint(s.raw[s.at+2:s.at+6], 16, 16)
	if err != nil {
		s.fail("an escape is no number")
		return 0
	}
	s.at += 6
	return rune(n)
}

func (s *scanner) expectWord(word string) {
	s.peek()
	if len(s.raw)-s.at < len(word) || s.raw[s.at:s.at+len(word)] != word {
		s.fail("%s is missing", word)
		return
	}
	s.at += len(word)
}

// readBool reads true or false.
func (s *scanner) readBool() bool {
	if s.peek() == 't' {
		s.expectWord("true")
		return s.err == nil
	}
	s.expectWord("false")
	return false
}

// readAny reads over a value of any kind and gives its text.
func (s *scanner) readAny(depth int) string {
	s.peek()
	from := s.at
	switch {
	case depth > maxDepth:
		s.fail("lists and objects stand deeper than %d within each other", maxDepth)
	case s.peek() == '{':
		s.readObject(func(string) { s.readAny(depth + 1) })
	case s.peek() == '[':
		s.readList(len(s.raw), func(int) { s.readAny(depth + 1) })
	default:
		s.readScalar()
	}
	if s.err != nil {
		return ""
	}
	return s.raw[from:s.at]
}

// readScalar reads a text, a number, true, false or null.
func (s *scanner) readScalar() Value {
	switch s.peek() {
	case '"':
		return Value{Kind: ValueText, Text: s.readText(maxValue)}
	case 'n':
		s.expectWord("null")
		return Value{Kind: ValueNull}
	case 't':
		s.expectWord("true")
		return Value{Kind: ValueBool, Text: "true"}
	case 'f':
		s.expectWord("false")
		return Value{Kind: ValueBool, Text: "false"}
	default:
		return Value{Kind: ValueNumber, Text: s.readNumber()}
	}
}

// readInteger reads a whole number from least to most.
func (s *scanner) readInteger(least, most int64) int64 {
	s.peek()
	negative := s.accept('-')
	padded := s.at+1 < len(s.raw) && s.raw[s.at] == '0' && isDigit(s.raw[s.at+1])
	n, digits := int64(0), 0
	for s.at < len(s.raw) && digits < 18 && isDigit(s.raw[s.at]) {
		n = n*10 + int64(s.raw[s.at]-'0')
		s.at++
		digits++
	}
	if negative {
		n = -n
	}
	if digits == 0 || padded || n < least || n > most {
		s.fail("a number from %d to %d is missing", least, most)
		return 0
	}
	return n
}

func isDigit(b byte) bool { return b-'0' <= 9 }

// readNumber reads any number and gives its digits.
func (s *scanner) readNumber() string {
	s.peek()
	from := s.at
	s.accept('-')
	first := s.at
	if s.skipDigits(); s.at > first+1 && s.raw[first] == '0' {
		s.fail("a number begins with 0")
	}
	if s.acceptEither('.', '.') {
		s.skipDigits()
	}
	if s.acceptEither('e', 'E') {
		s.acceptEither('+', '-')
		s.skipDigits()
	}
	if s.err != nil {
		return ""
	}
	return s.raw[from:s.at]
}

// acceptEither passes over one of two bytes, if it is there.
func (s *scanner) acceptEither(a, b byte) bool {
	if s.at == len(s.raw) || s.raw[s.at] != a && s.raw[s.at] != b {
		return false
	}
	s.at++
	return true
}

func (s *scanner) skipDigits() {
	from := s.at
	for s.at < len(s.raw) && isDigit(s.raw[s.at]) {
		s.at++
	}
	if s.at == from {
		s.fail("a digit is missing")
	}
}

// readMilliseconds reads a length of time; one that makes no sense is none.
func (s *scanner) readMilliseconds() time.Duration {
	ms, err := strconv.ParseFloat(s.readNumber(), 64)
	if err != nil || !(ms >= 0 && ms < 1e9) {
		return 0
	}
	return time.Duration(ms * float64(time.Millisecond))
}
