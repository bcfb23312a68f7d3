package jsruntime

import (
	"errors"
	"fmt"

	"github.com/go-json-experiment/json/jsontext"
)

// maxDepth is the maximum nesting depth of lists and objects in an answer.
const maxDepth = 64

// scanner reads untrusted JSON. After the first error, it stops reading and returns empty values.
type scanner struct {
	raw string
	at  int
	err error
	// values is the number of values that readAny has read at depths up to countedDepth.
	values int
}

var errAnswer = errors.New("the answer of the hook worker is invalid")

func (s *scanner) fail(format string, args ...any) {
	if s.err == nil {
		s.err = fmt.Errorf("%w: at byte %d: %s", errAnswer, s.at, fmt.Sprintf(format, args...))
	}
	s.at = len(s.raw)
}

// require records an error unless ok is true.
func (s *scanner) require(ok bool, format string, args ...any) {
	if !ok {
		s.fail(format, args...)
	}
}

// peek returns the next byte that is not white space, or 0 at the end.
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

// readList reads an array and fails if its number of elements exceeds most.
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

// readObject reads an object. It passes the name of every member to the function each, which
// must read the value.
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

// readText reads a string and fails if its length in bytes exceeds most. If the string has no
// escapes, the result shares the memory of the answer.
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
		s.fail("a text has a control character")
	}
	return ""
}

func (s *scanner) limitText(text string, most int) string {
	if len(text) > most {
		s.fail("a text has %d bytes, more than %d", len(text), most)
		return ""
	}
	return text
}

// readEscapedText reads a string whose first byte is at offset from and whose first escape is
// at offset i.
func (s *scanner) readEscapedText(from, i int) string {
	for s.at = i; s.at < len(s.raw) && s.raw[s.at] != '"'; s.at++ {
		if s.raw[s.at] == '\\' {
			s.at++
		}
	}
	if s.at >= len(s.raw) {
		s.fail("a text does not end")
		return ""
	}
	s.at++
	text, err := jsontext.AppendUnquote(nil, s.raw[from-1:s.at])
	if err != nil {
		s.fail("a text cannot be read: %v", err)
	}
	return string(text)
}

func (s *scanner) expectWord(word string) {
	s.peek()
	if len(s.raw)-s.at < len(word) || s.raw[s.at:s.at+len(word)] != word {
		s.fail("%s is missing", word)
		return
	}
	s.at += len(word)
}

const (
	// countedDepth is the depth up to which values are counted, because those are decoded
	// into structs.
	countedDepth = 3
	// maxCounted limits the memory that decoding a small forged answer can use.
	maxCounted = 200_000
)

// readAny reads a value of any kind and returns its JSON.
func (s *scanner) readAny(depth int) string {
	s.peek()
	from := s.at
	if depth <= countedDepth {
		s.values++
	}
	switch {
	case depth > maxDepth:
		s.fail("lists and objects are nested deeper than %d", maxDepth)
	case s.values > maxCounted:
		s.fail("there are more than %d values", maxCounted)
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

// readScalar reads a string, a number, true, false or null.
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

// readInteger reads an integer between least and most, inclusive.
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

// readNumber reads a number and returns its JSON.
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

// acceptEither skips the next byte if it is a or b, and reports whether it did.
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
