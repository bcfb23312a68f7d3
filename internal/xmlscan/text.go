package xmlscan

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

// Decode decodes raw, which is text or the value of an attribute, and appends the result to dst.
// It resolves references and converts line ends to line feeds.
func (s *Scanner) Decode(dst, raw []byte) ([]byte, error) {
	if bytes.IndexByte(raw, '&') < 0 && bytes.IndexByte(raw, '\r') < 0 {
		return append(dst, raw...), nil
	}
	for len(raw) > 0 {
		n := 0
		for n < len(raw) && raw[n] != '&' && raw[n] != '\r' {
			n++
		}
		dst, raw = append(dst, raw[:n]...), raw[n:]
		if len(raw) == 0 {
			break
		}
		if raw[0] == '\r' {
			dst, raw = append(dst, '\n'), bytes.TrimPrefix(raw[1:], []byte("\n"))
			continue
		}
		char, size := s.decodeReference(raw)
		if size == 0 {
			return dst, s.Malformed(intray.NewMessage("xml.invalid_entity", nil))
		}
		dst, raw = utf8.AppendRune(dst, char), raw[size:]
	}
	return dst, nil
}

// maxReferenceBytes is the maximum length of a reference, in bytes.
const maxReferenceBytes = 12

// decodeReference returns the character of the reference at the beginning of raw, and
// the length of the reference in bytes. The length is 0 if the reference is invalid.
func (s *Scanner) decodeReference(raw []byte) (char rune, size int) {
	end := bytes.IndexByte(raw[:min(len(raw), maxReferenceBytes)], ';')
	if end < 2 {
		return 0, 0
	}
	name, size := raw[1:end], end+1
	switch string(name) {
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
	case "nbsp":
		if s.cfg.HTML {
			return '\u00A0', size
		}
	}
	if name[0] != '#' || len(name) < 2 {
		return 0, 0
	}
	digits, base := string(name[1:]), 10
	if digits[0] == 'x' || digits[0] == 'X' && s.cfg.HTML {
		digits, base = digits[1:], 16
	}
	n, err := strconv.ParseUint(digits, base, 32)
	if err != nil || n == 0 && !s.cfg.NUL || n > utf8.MaxRune || !utf8.ValidRune(rune(n)) {
		return 0, 0
	}
	return rune(n), size
}

// detectEncoding detects the encoding of a part whose first bytes are in the buffer.
func (s *Scanner) detectEncoding() error {
	head := s.buf[:s.end]
	switch {
	case bytes.HasPrefix(head, []byte("\xEF\xBB\xBF")):
		s.pos = 3
	case bytes.HasPrefix(head, []byte("\xFF\xFE")), bytes.HasPrefix(head, []byte("<\x00")):
		return s.decodeUTF16(unicode.LittleEndian)
	case bytes.HasPrefix(head, []byte("\xFE\xFF")), bytes.HasPrefix(head, []byte("\x00<")):
		return s.decodeUTF16(unicode.BigEndian)
	}
	return s.checkDeclared()
}

// decodeUTF16 makes the scanner decode the part as UTF-16. Invalid code units become U+FFFD.
func (s *Scanner) decodeUTF16(order unicode.Endianness) error {
	whole := io.MultiReader(bytes.NewReader(bytes.Clone(s.buf[:s.end])), s.src)
	s.src = transform.NewReader(whole, unicode.UTF16(order, unicode.UseBOM).NewDecoder())
	s.end, s.eof = 0, false
	_, err := s.fill()
	return err
}

// maxDeclarationBytes is the maximum number of bytes to search for the end of an XML declaration.
const maxDeclarationBytes = 200

// DeclaredEncoding returns the encoding that the XML declaration at the beginning
// of text specifies. declared is false if there is no such declaration.
func DeclaredEncoding(text []byte) (name string, declared bool) {
	head, _, found := bytes.Cut(text, []byte("?>"))
	if !found || !bytes.HasPrefix(head, []byte("<?xml")) {
		return "", false
	}
	_, rest, found := bytes.Cut(head, []byte("encoding"))
	rest = bytes.TrimLeft(rest, " =\t\r\n")
	if !found || len(rest) == 0 {
		return "", false
	}
	label, _, _ := bytes.Cut(rest[1:], rest[:1])
	return string(label), true
}

// checkDeclared returns an error if the part declares an encoding other than UTF-8. A
// part that declares UTF-16 but is not encoded in it was written from a string in
// memory, so its bytes are UTF-8.
func (s *Scanner) checkDeclared() error {
	name, declared := DeclaredEncoding(s.buf[s.pos:min(s.end, s.pos+maxDeclarationBytes)])
	if !declared {
		return nil
	}
	switch strings.ToLower(name) {
	case "utf-8", "utf8", "us-ascii", "ascii", "utf-16":
		return nil
	}
	return s.Malformed(intray.NewMessage("xml.other_encoding", intray.Params{"encoding": source.Excerpt(name)}))
}
