package spreadsheetml

import (
	"bytes"
	"errors"
	"io"
	"strconv"
	"unicode/utf8"

	"github.com/intraydata/intray"
	"github.com/intraydata/intray/source"
)

// token is what the scanner has found.
type token uint8

const (
	tokenText token = iota
	tokenStart
	tokenEnd
)

const (
	// maxDepth is how deep elements may be nested.
	maxDepth = 64
	// maxNameBytes is the most bytes of the name of an element.
	maxNameBytes = 256
	// minBufferBytes is how much of the text the scanner begins to hold.
	minBufferBytes = 64 << 10
)

// scanner goes through XML. It knows no namespaces and follows no references
// but to characters.
type scanner struct {
	src io.Reader
	// maxToken is the longest text or tag.
	maxToken int
	// buf holds the text from base on; pos is where the scanner is in it.
	buf       []byte
	bufOffset int64
	pos       int
	err       error

	// tokenOffset is where the token at hand begins. Its name, its attributes and its text
	// are gone with the next.
	tokenOffset int64
	name, attrs []byte
	text        []byte
	// cdata says that the text has no references, empty that the element which
	// has just started ends at once.
	cdata, selfClosing bool
	// openNames holds the names of the elements that are open, begins where each is.
	openNames  []byte
	nameStarts []int
	hasRoot    bool
}

func newScanner(src io.Reader, most int) *scanner {
	return &scanner{src: src, maxToken: most, buf: make([]byte, 0, min(minBufferBytes, most))}
}

func damagedError(problem intray.Message) error {
	return &source.UnreadableError{Reason: intray.NewMessage("workbook.damaged", intray.Params{"problem": problem})}
}

// broken says what the XML of the workbook has or does.
func broken(problem intray.Message) error {
	return damagedError(intray.NewMessage("workbook.document", intray.Params{"problem": problem}))
}

// fill reads on. What is in front of pos is given up.
func (s *scanner) fill() error {
	if s.err != nil {
		return s.err
	}
	if s.pos > 0 {
		s.bufOffset += int64(s.pos)
		s.buf = s.buf[:copy(s.buf, s.buf[s.pos:])]
		s.pos = 0
	}
	if len(s.buf) >= s.maxToken {
		return &source.LimitError{Reason: intray.NewMessage("workbook.text_too_long", intray.Params{"limit": s.maxToken})}
	}
	if len(s.buf) == cap(s.buf) {
		s.buf = append(make([]byte, 0, min(2*cap(s.buf), s.maxToken)), s.buf...)
	}
	for range 100 {
		n, err := s.src.Read(s.buf[len(s.buf):cap(s.buf)])
		s.buf, s.err = s.buf[:len(s.buf)+n], err
		if n > 0 {
			return nil
		}
		if err != nil {
			return err
		}
	}
	s.err = io.ErrNoProgress
	return s.err
}

// unexpectedEnd gives the error for a text that ends where it should go on.
func (s *scanner) unexpectedEnd(err error) error {
	if errors.Is(err, io.EOF) {
		return broken(intray.NewMessage("xml.cut_short", nil))
	}
	return err
}

// findMark gives the place of a mark behind skip bytes from here, reading on as far
// as it takes.
func (s *scanner) findMark(mark string, skip int) (int, error) {
	for from := skip; ; {
		if from <= len(s.buf)-s.pos {
			if i := bytes.Index(s.buf[s.pos+from:], []byte(mark)); i >= 0 {
				return from + i, nil
			}
			from = max(from, len(s.buf)-s.pos-len(mark)+1)
		}
		if err := s.fill(); err != nil {
			return 0, err
		}
	}
}

// skipPast moves behind a mark without holding what is in front of it.
func (s *scanner) skipPast(mark string, skip int) error {
	s.pos += skip
	for {
		if i := bytes.Index(s.buf[s.pos:], []byte(mark)); i >= 0 {
			s.pos += i + len(mark)
			return nil
		}
		s.pos = max(s.pos, len(s.buf)-len(mark)+1)
		if err := s.fill(); err != nil {
			return s.unexpectedEnd(err)
		}
	}
}

// next moves to the next token. It gives io.EOF behind the outermost element.
func (s *scanner) next() (token, error) {
	if s.selfClosing {
		s.selfClosing = false
		s.popElement()
		return tokenEnd, nil
	}
	for {
		if s.pos == len(s.buf) {
			if err := s.fill(); err != nil {
				if len(s.nameStarts) > 0 || !s.hasRoot {
					err = s.unexpectedEnd(err)
				}
				return 0, err
			}
		}
		if s.buf[s.pos] != '<' {
			if err := s.scanText(); err != nil {
				return 0, err
			}
			if len(s.nameStarts) > 0 {
				return tokenText, nil
			}
			continue
		}
		if kind, found, err := s.scanMarkup(); found || err != nil {
			return kind, err
		}
	}
}

// scanText takes a text up to the next markup.
func (s *scanner) scanText() error {
	n := bytes.IndexByte(s.buf[s.pos:], '<')
	if n < 0 {
		var err error
		if n, err = s.findMark("<", 0); errors.Is(err, io.EOF) && len(s.nameStarts) == 0 {
			n = len(s.buf) - s.pos
		} else if err != nil {
			return s.unexpectedEnd(err)
		}
	}
	s.tokenOffset = s.bufOffset + int64(s.pos)
	s.text, s.cdata = s.buf[s.pos:s.pos+n], false
	s.pos += n
	if len(s.nameStarts) == 0 && len(bytes.TrimSpace(bytes.TrimPrefix(s.text, []byte("\uFEFF")))) > 0 {
		return broken(intray.NewMessage("xml.text_outside", nil))
	}
	return nil
}

// scanMarkup takes what begins with <. Without found it was nothing to tell of.
func (s *scanner) scanMarkup() (kind token, found bool, err error) {
	for len(s.buf)-s.pos < len("<![CDATA[") {
		if err := s.fill(); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			return 0, false, err
		}
	}
	s.tokenOffset = s.bufOffset + int64(s.pos)
	switch rest := s.buf[s.pos:]; {
	case bytes.HasPrefix(rest, []byte("<!--")):
		return 0, false, s.skipPast("-->", len("<!--"))
	case bytes.HasPrefix(rest, []byte("<?")):
		return 0, false, s.skipPast("?>", len("<?"))
	case bytes.HasPrefix(rest, []byte("<![CDATA[")):
		return tokenText, len(s.nameStarts) > 0, s.scanCDATA()
	case bytes.HasPrefix(rest, []byte("<!")):
		return 0, false, broken(intray.NewMessage("xml.doctype", nil))
	case bytes.HasPrefix(rest, []byte("</")):
		return tokenEnd, true, s.endTag()
	}
	return tokenStart, true, s.startTag()
}

func (s *scanner) scanCDATA() error {
	n, err := s.findMark("]]>", len("<![CDATA["))
	if err != nil {
		return s.unexpectedEnd(err)
	}
	s.text, s.cdata = s.buf[s.pos+len("<![CDATA["):s.pos+n], true
	s.pos += n + len("]]>")
	return nil
}

func (s *scanner) endTag() error {
	n, err := s.findMark(">", len("</"))
	if err != nil {
		return s.unexpectedEnd(err)
	}
	name := s.buf[s.pos+len("</") : s.pos+n]
	for len(name) > 0 && isSpace(name[len(name)-1]) {
		name = name[:len(name)-1]
	}
	s.pos += n + 1
	if len(s.nameStarts) == 0 || !bytes.Equal(s.openNames[s.nameStarts[len(s.nameStarts)-1]:], name) {
		return broken(intray.NewMessage("xml.unopened_element", nil))
	}
	s.popElement()
	return nil
}

func (s *scanner) popElement() {
	last := len(s.nameStarts) - 1
	s.openNames, s.nameStarts = s.openNames[:s.nameStarts[last]], s.nameStarts[:last]
}

func (s *scanner) startTag() error {
	n, err := s.tagEnd()
	if err != nil {
		return s.unexpectedEnd(err)
	}
	tag := s.buf[s.pos+1 : s.pos+n]
	s.pos += n + 1
	if s.selfClosing = len(tag) > 0 && tag[len(tag)-1] == '/'; s.selfClosing {
		tag = tag[:len(tag)-1]
	}
	end := 0
	for end < len(tag) && !isSpace(tag[end]) {
		end++
	}
	s.name, s.attrs = tag[:end], tag[end:]
	switch {
	case end == 0 || end > maxNameBytes || s.name[0] < 'A' && s.name[0] != ':':
		return broken(intray.NewMessage("xml.invalid_tag", nil))
	case len(s.nameStarts) == maxDepth:
		return &source.LimitError{Reason: intray.NewMessage("workbook.too_deep", intray.Params{"limit": maxDepth})}
	case len(s.nameStarts) == 0 && s.hasRoot:
		return broken(intray.NewMessage("xml.several_roots", nil))
	}
	s.hasRoot = true
	s.nameStarts = append(s.nameStarts, len(s.openNames))
	s.openNames = append(s.openNames, s.name...)
	return nil
}

// tagEnd finds the end of a tag, outside of the values of attributes.
func (s *scanner) tagEnd() (int, error) {
	quote := byte(0)
	for i := 1; ; i++ {
		if s.pos+i >= len(s.buf) {
			if err := s.fill(); err != nil {
				return 0, err
			}
		}
		switch c := s.buf[s.pos+i]; {
		case quote != 0:
			if c == quote {
				quote = 0
			}
		case c == '"' || c == '\'':
			quote = c
		case c == '>':
			return i, nil
		case c == '<':
			return 0, broken(intray.NewMessage("xml.invalid_tag", nil))
		}
	}
}

func isSpace(c byte) bool { return c == ' ' || c == '\n' || c == '\t' || c == '\r' }

// localName gives a name without its prefix.
func localName(name []byte) []byte {
	return name[bytes.IndexByte(name, ':')+1:]
}

// nextChild moves to the next element within the one that is open, past its texts.
// It gives false at the end of the open element. Each child must be read to its
// end.
func (s *scanner) nextChild() (bool, error) {
	for {
		kind, err := s.next()
		if err != nil {
			return false, err
		}
		if kind != tokenText {
			return kind == tokenStart, nil
		}
	}
}

// is says whether the element that has just started has a name.
func (s *scanner) is(name string) bool { return string(localName(s.name)) == name }

// skipElement moves to the end of the element that has just started.
func (s *scanner) skipElement() error {
	for depth := len(s.nameStarts); len(s.nameStarts) >= depth; {
		if _, err := s.next(); err != nil {
			return err
		}
	}
	return nil
}

// appendContent appends the text of the element that has just started with that of
// its children, at most most bytes, and moves to its end.
func (s *scanner) appendContent(dst []byte, most int) ([]byte, error) {
	from := len(dst)
	for depth := len(s.nameStarts); len(s.nameStarts) >= depth; {
		kind, err := s.next()
		switch {
		case err != nil:
			return dst, err
		case kind != tokenText:
		case s.cdata:
			dst = append(dst, s.text...)
		default:
			if dst, err = appendDecoded(dst, s.text); err != nil {
				return dst, err
			}
		}
		if len(dst)-from > most {
			return dst, &source.LimitError{Reason: intray.NewMessage("cell.too_long", intray.Params{"limit": most})}
		}
	}
	if !utf8.Valid(dst[from:]) {
		dst = append(dst[:from], bytes.ToValidUTF8(dst[from:], []byte("\uFFFD"))...)
	}
	return dst, nil
}

// attrValue gives the value of an attribute as it is written, by its name without a
// prefix; nil where there is none.
func (s *scanner) attrValue(name string) []byte {
	key, value, rest := nextAttribute(s.attrs)
	for ; key != nil; key, value, rest = nextAttribute(rest) {
		if string(localName(key)) == name {
			return value
		}
	}
	return nil
}

// nextAttribute takes the first attribute; key is nil where there is none, or where
// it cannot be read.
func nextAttribute(attrs []byte) (key, value, rest []byte) {
	for len(attrs) > 0 && isSpace(attrs[0]) {
		attrs = attrs[1:]
	}
	equals := bytes.IndexByte(attrs, '=')
	if equals < 1 {
		return nil, nil, nil
	}
	key, rest = bytes.TrimRight(attrs[:equals], " \t\r\n"), attrs[equals+1:]
	for len(rest) > 0 && isSpace(rest[0]) {
		rest = rest[1:]
	}
	if len(rest) == 0 || rest[0] != '"' && rest[0] != '\'' {
		return nil, nil, nil
	}
	end := bytes.IndexByte(rest[1:], rest[0])
	if end < 0 {
		return nil, nil, nil
	}
	return key, rest[1 : end+1], rest[end+2:]
}

// attrText gives the text of an attribute, "" where there is none.
func (s *scanner) attrText(name string) (string, error) {
	text, err := appendDecoded(nil, s.attrValue(name))
	return string(bytes.ToValidUTF8(text, []byte("\uFFFD"))), err
}

// attrBool says whether an attribute is there and true.
func (s *scanner) attrBool(name string) bool {
	value := string(s.attrValue(name))
	return value == "1" || value == "true"
}

// parseIntAttr reads an attribute that is a whole number from least to most; where
// there is none it is absent.
func parseIntAttr(value []byte, least, most, absent int64) (int64, error) {
	if value == nil {
		return absent, nil
	}
	n, err := strconv.ParseInt(string(value), 10, 64)
	if err != nil || n < least {
		return 0, damagedError(intray.NewMessage("xmlss.bad_number", intray.Params{"number": source.Excerpt(string(value)), "least": least}))
	}
	if n > most {
		return 0, &source.LimitError{Reason: intray.NewMessage("xmlss.index_beyond_limit", intray.Params{"index": n, "limit": most})}
	}
	return n, nil
}

// appendDecoded appends a raw text with its references and line ends resolved.
func appendDecoded(dst, raw []byte) ([]byte, error) {
	for len(raw) > 0 {
		n := 0
		for n < len(raw) && raw[n] != '&' && raw[n] != '\r' {
			n++
		}
		dst = append(dst, raw[:n]...)
		if n == len(raw) {
			break
		}
		raw = raw[n:]
		if raw[0] == '\r' {
			dst = append(dst, '\n')
			raw = bytes.TrimPrefix(raw[1:], []byte("\n"))
			continue
		}
		end := bytes.IndexByte(raw[:min(len(raw), maxReferenceBytes)], ';')
		c, ok := decodeReference(raw[1:max(end, 1)])
		if !ok {
			return dst, broken(intray.NewMessage("xml.invalid_entity", nil))
		}
		dst = utf8.AppendRune(dst, c)
		raw = raw[end+1:]
	}
	return dst, nil
}

// maxReferenceBytes is how long a reference can be.
const maxReferenceBytes = 12

// decodeReference gives the character that a name between & and ; stands for.
func decodeReference(name []byte) (rune, bool) {
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
	case "nbsp": // of HTML; some programs write it all the same
		return '\u00A0', true
	}
	if len(name) < 2 || name[0] != '#' {
		return 0, false
	}
	digits, base := string(name[1:]), 10
	if digits[0] == 'x' || digits[0] == 'X' {
		digits, base = digits[1:], 16
	}
	n, err := strconv.ParseUint(digits, base, 32)
	return rune(n), err == nil && n <= utf8.MaxRune && utf8.ValidRune(rune(n))
}
