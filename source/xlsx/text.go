package xlsx

import (
	"bytes"
	"encoding/binary"
	"io"
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/intraydata/intray"
	"github.com/intraydata/intray/source"
)

// nextChild moves to the next element within the one that is open, past its texts.
// It gives false at the end of the open element. Each child must be read to its
// end, by skip, content or child.
func (s *scanner) nextChild() (bool, error) {
	for {
		found, err := s.next()
		if err != nil {
			return false, err
		}
		if found != tokenText {
			return found == tokenStart, nil
		}
	}
}

// expectRoot moves to the outermost element, which must have that name.
func (s *scanner) expectRoot(name string) error {
	if _, err := s.nextChild(); err != nil {
		return err
	}
	if string(s.name) != name {
		return s.malformed(intray.NewMessage("xml.wrong_root", intray.Params{"found": source.Excerpt(string(s.name)), "expected": name}))
	}
	return nil
}

// skipElement moves to the end of the element that has just started.
func (s *scanner) skipElement() error {
	for depth := len(s.nameStarts); len(s.nameStarts) >= depth; {
		if _, err := s.next(); err != nil {
			return err
		}
	}
	return nil
}

// appendContent appends the text of the element that has just started, without that
// of its children, and moves to its end.
func (s *scanner) appendContent(dst []byte) ([]byte, error) {
	from := len(dst)
	for {
		found, err := s.next()
		switch {
		case err != nil:
			return dst, err
		case found == tokenEnd:
			return dst, s.checkLength(len(dst) - from)
		case found == tokenStart:
			err = s.skipElement()
		case s.cdata:
			dst = append(dst, s.text...)
		default:
			dst, err = s.decode(dst, s.text)
		}
		if err == nil {
			err = s.checkLength(len(dst) - from)
		}
		if err != nil {
			return dst, err
		}
	}
}

// trySimpleValue is a way past the tokens for what most cells are: <v>text</v></c>
// behind the tag that opens them. Without ok nothing was read.
func (s *scanner) trySimpleValue() (value []byte, ok bool) {
	const before, after, most = "<v>", "</v></c>", 64
	b := s.buf[s.pos:s.end]
	if s.selfClosing || len(b) < len(before) || string(b[:len(before)]) != before || string(s.openNames[s.nameStarts[len(s.nameStarts)-1]:]) != "c" {
		return nil, false
	}
	for i := len(before); i < min(len(b)-len(after)+1, most); i++ {
		switch b[i] {
		case '&', '\r':
			return nil, false
		case '<':
			if string(b[i:i+len(after)]) != after {
				return nil, false
			}
			s.pos += i + len(after)
			s.popElement()
			return b[len(before):i], true
		}
	}
	return nil, false
}

func (s *scanner) checkLength(size int) error {
	if most := s.maxText - bufferBytes; size > most {
		return &source.LimitError{Reason: intray.NewMessage("workbook.part_text_too_long", intray.Params{"part": source.Excerpt(s.part), "limit": most})}
	}
	return nil
}

// decode appends a raw text with its entities and line ends resolved.
func (s *scanner) decode(dst, raw []byte) ([]byte, error) {
	if bytes.IndexByte(raw, '&') < 0 && bytes.IndexByte(raw, '\r') < 0 {
		return append(dst, raw...), nil
	}
	for i := 0; i < len(raw); i++ {
		switch raw[i] {
		case '\r':
			dst = append(dst, '\n')
			if i+1 < len(raw) && raw[i+1] == '\n' {
				i++
			}
		case '&':
			end := bytes.IndexByte(raw[i:], ';')
			c, ok := decodeEntity(raw[i+1 : i+max(end, 1)])
			if !ok {
				return dst, s.malformed(intray.NewMessage("xml.invalid_entity", nil))
			}
			dst = utf8.AppendRune(dst, c)
			i += end
		default:
			dst = append(dst, raw[i])
		}
	}
	return dst, nil
}

// decodeEntity gives the character that a name between & and ; stands for.
func decodeEntity(name []byte) (rune, bool) {
	switch string(name) {
	case "lt":
		return '<', true
	case "gt":
		return '>', true
	case "amp":
		return '&', true
	case "quot":
		return '"', true
	case "apos":
		return '\'', true
	}
	if len(name) < 2 || len(name) > 10 || name[0] != '#' {
		return 0, false
	}
	digits, base := string(name[1:]), 10
	if digits[0] == 'x' {
		digits, base = digits[1:], 16
	}
	n, err := strconv.ParseUint(digits, base, 32)
	return rune(n), err == nil && n <= utf8.MaxRune && utf8.ValidRune(rune(n))
}

// unescape resolves _xHHHH_, which is how workbooks write characters that XML
// cannot, within text itself.
func unescape(text []byte) []byte {
	first := bytes.Index(text, []byte("_x"))
	if first < 0 {
		return text
	}
	out := text[:first]
	for i := first; i < len(text); {
		c, size := decodeEscape(text[i:])
		if size == 0 {
			out = append(out, text[i])
			i++
			continue
		}
		out = utf8.AppendRune(out, c)
		i += size
	}
	return out
}

// escapeBytes is the length of _xHHHH_.
const escapeBytes = 7

// decodeEscape reads an escape at the beginning of text, or two that make one
// character. The size is 0 where there is none.
func decodeEscape(text []byte) (c rune, size int) {
	unit, ok := decodeEscapeUnit(text)
	if !ok {
		return 0, 0
	}
	if !utf16.IsSurrogate(unit) {
		return unit, escapeBytes
	}
	if low, ok := decodeEscapeUnit(text[escapeBytes:]); ok {
		if c := utf16.DecodeRune(unit, low); c != utf8.RuneError {
			return c, 2 * escapeBytes
		}
	}
	return 0, 0
}

func decodeEscapeUnit(text []byte) (rune, bool) {
	if len(text) < escapeBytes || text[0] != '_' || text[1] != 'x' || text[escapeBytes-1] != '_' {
		return 0, false
	}
	var unit rune
	for _, c := range text[2 : escapeBytes-1] {
		switch {
		case c >= '0' && c <= '9':
			unit = unit<<4 | rune(c-'0')
		case c|0x20 >= 'a' && c|0x20 <= 'f':
			unit = unit<<4 | rune(c|0x20-'a'+10)
		default:
			return 0, false
		}
	}
	return unit, true
}

// appendRichText appends the text of a shared or inline string that has just started:
// its own and that of its runs, not that of readings (rPh). It moves to its end.
func (s *scanner) appendRichText(dst []byte) ([]byte, error) {
	from := len(dst)
	for {
		more, err := s.nextChild()
		if err != nil {
			return dst, err
		}
		if !more {
			break
		}
		switch string(s.name) {
		case "t":
			dst, err = s.appendText(dst)
		case "r":
			dst, err = s.appendRun(dst)
		default:
			err = s.skipElement()
		}
		if err == nil {
			err = s.checkLength(len(dst) - from)
		}
		if err != nil {
			return dst, err
		}
	}
	text := unescape(dst[from:])
	if !utf8.Valid(text) {
		return dst, s.malformed(intray.NewMessage("xml.not_utf8", nil))
	}
	return dst[:from+len(text)], nil
}

// appendRun appends the texts within one run of a rich text.
func (s *scanner) appendRun(dst []byte) ([]byte, error) {
	for {
		more, err := s.nextChild()
		if err != nil || !more {
			return dst, err
		}
		if string(s.name) == "t" {
			dst, err = s.appendText(dst)
		} else {
			err = s.skipElement()
		}
		if err != nil {
			return dst, err
		}
	}
}

// appendText appends the text of the element t that has just started. White space at
// its ends counts only where the file says so.
func (s *scanner) appendText(dst []byte) ([]byte, error) {
	from, kept := len(dst), string(s.attrValue("space")) == "preserve"
	dst, err := s.appendContent(dst)
	if err != nil || kept {
		return dst, err
	}
	return append(dst[:from], trimSpace(dst[from:])...), nil
}

// trimSpace takes the white space of XML from the ends of a text.
func trimSpace(text []byte) []byte {
	for len(text) > 0 && isSpace(text[0]) {
		text = text[1:]
	}
	for len(text) > 0 && isSpace(text[len(text)-1]) {
		text = text[:len(text)-1]
	}
	return text
}

// detectEncoding finds the encoding of a part whose first bytes are in the buffer.
func (s *scanner) detectEncoding() error {
	head := s.buf[:s.end]
	switch {
	case bytes.HasPrefix(head, []byte("\xEF\xBB\xBF")):
		s.pos = 3
	case bytes.HasPrefix(head, []byte("\xFF\xFE")):
		return s.decodeUTF16(binary.LittleEndian, 2)
	case bytes.HasPrefix(head, []byte("\xFE\xFF")):
		return s.decodeUTF16(binary.BigEndian, 2)
	case bytes.HasPrefix(head, []byte("<\x00")):
		return s.decodeUTF16(binary.LittleEndian, 0)
	case bytes.HasPrefix(head, []byte("\x00<")):
		return s.decodeUTF16(binary.BigEndian, 0)
	}
	return s.checkDeclared()
}

// decodeUTF16 reads the part as UTF-16 from a byte on.
func (s *scanner) decodeUTF16(order binary.ByteOrder, from int) error {
	s.src = &utf16Reader{src: io.MultiReader(bytes.NewReader(bytes.Clone(s.buf[from:s.end])), s.src), order: order}
	s.end, s.eof = 0, false
	_, err := s.fill()
	return err
}

// checkDeclared refuses other encodings than UTF-8. A part that says to be
// UTF-16 and is not was made from a text in memory: its bytes are UTF-8.
func (s *scanner) checkDeclared() error {
	head := s.buf[s.pos:min(s.end, s.pos+200)]
	end := bytes.Index(head, []byte("?>"))
	if !bytes.HasPrefix(head, []byte("<?xml")) || end < 0 {
		return nil
	}
	_, rest, found := bytes.Cut(head[:end], []byte("encoding"))
	rest = bytes.TrimLeft(rest, " =\t\r\n")
	if !found || len(rest) == 0 {
		return nil
	}
	name, _, _ := bytes.Cut(rest[1:], rest[:1])
	switch strings.ToLower(string(name)) {
	case "utf-8", "utf8", "us-ascii", "ascii", "utf-16":
		return nil
	}
	return s.malformed(intray.NewMessage("xml.other_encoding", intray.Params{"encoding": source.Excerpt(string(name))}))
}

// utf16Reader gives UTF-16 as UTF-8. What is no character becomes U+FFFD.
type utf16Reader struct {
	src   io.Reader
	order binary.ByteOrder
	units []byte
	text  []byte
	err   error
}

// Read gives UTF-8.
func (f *utf16Reader) Read(p []byte) (int, error) {
	for len(f.text) == 0 {
		if f.err != nil {
			return 0, f.err
		}
		f.fill()
	}
	n := copy(p, f.text)
	f.text = f.text[n:]
	return n, nil
}

func (f *utf16Reader) fill() {
	had := len(f.units)
	f.units = append(f.units, make([]byte, 8<<10)...)
	n, err := f.src.Read(f.units[had:])
	f.units, f.err = f.units[:had+n], err
	used := f.decode()
	f.units = f.units[:copy(f.units, f.units[used:])]
}

// decode gives how many bytes it has used: half a character stays behind.
func (f *utf16Reader) decode() int {
	f.text = f.text[:0]
	i := 0
	for ; i+2 <= len(f.units); i += 2 {
		c := rune(f.order.Uint16(f.units[i:]))
		if utf16.IsSurrogate(c) {
			if i+4 > len(f.units) && f.err == nil {
				return i
			}
			low := rune(0)
			if i+4 <= len(f.units) {
				low = rune(f.order.Uint16(f.units[i+2:]))
			}
			if c = utf16.DecodeRune(c, low); c != utf8.RuneError {
				i += 2
			}
		}
		f.text = utf8.AppendRune(f.text, c)
	}
	return i
}
