package shape

import (
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// The escapes of one letter, and what they stand for.
const (
	escapeLetters = `"\/bfnrt`
	escapeMeaning = "\"\\/\b\f\n\r\t"
)

// escape passes over an escape sequence, whose backslash is the next byte.
func (s *Scanner) escape(note func([]byte)) error {
	s.at++
	if !s.more() {
		return s.ended()
	}
	b := s.buf[s.at]
	if b == 'u' {
		s.at++
		return s.unicode(note)
	}
	at := strings.IndexByte(escapeLetters, b)
	if at < 0 {
		return s.unexpected(b)
	}
	s.at++
	if note != nil {
		note([]byte{escapeMeaning[at]})
	}
	return nil
}

// unicode passes over what follows \u, and over the second half where that is
// half of a character.
func (s *Scanner) unicode(note func([]byte)) error {
	r, err := s.hex()
	if err != nil {
		return err
	}
	if r == 0 {
		return s.fail(reasonNUL)
	}
	if utf16.IsSurrogate(r) {
		if !s.next('\\') || !s.next('u') {
			return s.half()
		}
		low, err := s.hex()
		if err != nil {
			return err
		}
		if r = utf16.DecodeRune(r, low); r == utf8.RuneError {
			return s.half()
		}
	}
	if note != nil {
		note(utf8.AppendRune(nil, r))
	}
	return nil
}

// half refuses half of a surrogate pair, or the end of the document behind it.
func (s *Scanner) half() error {
	if !s.more() {
		return s.ended()
	}
	return s.fail(reasonSurrogate)
}

func (s *Scanner) hex() (r rune, err error) {
	for range 4 {
		if !s.more() {
			return 0, s.ended()
		}
		b := s.buf[s.at]
		digit := strings.IndexByte("0123456789abcdef", b|0x20)
		if isDigit(b) {
			digit = int(b - '0')
		} else if digit < 10 {
			return 0, s.unexpected(b)
		}
		r = r<<4 | rune(digit)
		s.at++
	}
	return r, nil
}
