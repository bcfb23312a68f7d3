package ods

import (
	"bytes"
	"io"
	"strconv"
	"strings"
	"unicode/utf8"

	"golang.org/x/text/encoding/unicode"
	"golang.org/x/text/transform"

	"github.com/intraydata/intray"
	"github.com/intraydata/intray/source"
)

// begin finds the encoding of a part whose first bytes are in the buffer.
func (s *scanner) begin() error {
	head := s.buf[:s.end]
	switch {
	case bytes.HasPrefix(head, []byte("\xEF\xBB\xBF")):
		s.pos = 3
	case bytes.HasPrefix(head, []byte("\xFF\xFE")), bytes.HasPrefix(head, []byte("<\x00")):
		return s.recode(unicode.LittleEndian)
	case bytes.HasPrefix(head, []byte("\xFE\xFF")), bytes.HasPrefix(head, []byte("\x00<")):
		return s.recode(unicode.BigEndian)
	}
	return s.checkDeclared()
}

// recode reads the part as UTF-16. What is no character becomes U+FFFD.
func (s *scanner) recode(order unicode.Endianness) error {
	whole := io.MultiReader(bytes.NewReader(bytes.Clone(s.buf[:s.end])), s.src)
	s.src = transform.NewReader(whole, unicode.UTF16(order, unicode.UseBOM).NewDecoder())
	s.end, s.ended = 0, false
	_, err := s.more()
	return err
}

// checkDeclared refuses other encodings than UTF-8. A part that says to be
// UTF-16 and is not was made from a text in memory: its bytes are UTF-8.
func (s *scanner) checkDeclared() error {
	const longest = 200
	head, _, found := bytes.Cut(s.buf[s.pos:min(s.end, s.pos+longest)], []byte("?>"))
	if !found || !bytes.HasPrefix(head, []byte("<?xml")) {
		return nil
	}
	_, rest, found := bytes.Cut(head, []byte("encoding"))
	rest = bytes.TrimLeft(rest, " =\t\r\n")
	if !found || len(rest) == 0 {
		return nil
	}
	name, _, _ := bytes.Cut(rest[1:], rest[:1])
	switch strings.ToLower(string(name)) {
	case "utf-8", "utf8", "us-ascii", "ascii", "utf-16":
		return nil
	}
	return s.broken(intray.NewMessage("xml.other_encoding", intray.Params{"encoding": source.Excerpt(string(name))}))
}

// decode appends a raw text with its entities and line ends resolved.
func (s *scanner) decode(dst, raw []byte) ([]byte, error) {
	for {
		i := bytes.IndexAny(raw, "&\r")
		if i < 0 {
			return append(dst, raw...), nil
		}
		dst = append(dst, raw[:i]...)
		if raw[i] == '\r' {
			dst = append(dst, '\n')
			raw = bytes.TrimPrefix(raw[i+1:], []byte("\n"))
			continue
		}
		char, size := reference(raw[i:])
		if size == 0 {
			return dst, s.broken(intray.NewMessage("xml.invalid_entity", nil))
		}
		dst, raw = utf8.AppendRune(dst, char), raw[i+size:]
	}
}

// reference reads the character that raw begins with a name of; size is 0 where that is none.
func reference(raw []byte) (char rune, size int) {
	const longest = 12
	end := bytes.IndexByte(raw[:min(len(raw), longest)], ';')
	if end < 2 {
		return 0, 0
	}
	name, size := string(raw[1:end]), end+1
	switch name {
	case "lt":
		return '<', size
	case "gt":
		return '>', size
	case "amp":
		return '&', size
	case "quot":
		return '"', size
	case "apos":
		return '\'', size
	}
	digits, found := strings.CutPrefix(name, "#")
	base := 10
	if hex, is := strings.CutPrefix(digits, "x"); is {
		digits, base = hex, 16
	}
	n, err := strconv.ParseUint(digits, base, 32)
	if !found || err != nil || n == 0 || n > utf8.MaxRune || !utf8.ValidRune(rune(n)) {
		return 0, 0
	}
	return rune(n), size
}
