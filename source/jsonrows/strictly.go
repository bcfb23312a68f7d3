package jsonrows

import (
	"bytes"
	"errors"
	"io"
	"unicode/utf16"
	"unicode/utf8"
)

// errIrregular stops a walk where elements have to be read one by one.
var errIrregular = errors.New("the names are not complete")

// strictly reads the line at text[at] with the decoder, which knows all rules.
// The text itself may be unescaped in part, so the line is read again.
func (s *scan) strictly(at int) int {
	end := at + bytes.IndexByte(s.text[at:], '\n') + 1
	if cap(s.line) < end-at {
		s.line = make([]byte, end-at)
	}
	s.line = s.line[:end-at]
	if err := readAt(s.in, s.line, s.from+int64(at)); err != nil {
		return none
	}
	s.dec.Reset(bytes.NewReader(s.line))
	value, err := s.dec.ReadValue()
	if err != nil || len(value) > s.limits.RecordBytes {
		return none
	}
	s.pack = at
	s.keep.again()
	if err := s.walk.element(value); err != nil {
		return none
	}
	if _, err := s.dec.ReadToken(); !errors.Is(err, io.EOF) {
		return none
	}
	return end
}

// visit puts a cell back into the line that it comes from: all of them together
// are shorter.
func (s *scan) visit(n *name, cell []byte) error {
	from := s.pack
	s.pack += copy(s.text[from:], cell)
	if !s.keep.leaf(n, s.text, from, s.pack, s.walk.number) {
		return errIrregular
	}
	return nil
}

// unescaped writes what the escape at text[at] means to text[to:], which is not
// behind it, and gives its size and that of the escape, or 0: the escape is none,
// half a pair or the NUL character.
func unescaped(text []byte, at, to int) (size, length int) {
	if escapeToken(text, at) == none {
		return 0, 0
	}
	if c := text[at+1]; c != 'u' {
		text[to] = plainEscapes[c]
		return 1, 2
	}
	char, _ := hex4(text, at+2)
	length = 6
	if utf16.IsSurrogate(char) {
		if text[at+6] != '\\' || text[at+7] != 'u' {
			return 0, 0
		}
		low, _ := hex4(text, at+8)
		if char = utf16.DecodeRune(char, low); char == utf8.RuneError {
			return 0, 0
		}
		length = 12
	}
	if char == 0 {
		return 0, 0
	}
	return utf8.EncodeRune(text[to:to+4], char), length
}

// plainEscapes holds what stands behind a backslash with what it means.
var plainEscapes = [256]byte{'"': '"', '\\': '\\', '/': '/', 'b': '\b', 'f': '\f', 'n': '\n', 'r': '\r', 't': '\t'}
