package xmlss

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
	// deepest is how deep elements may be nested.
	deepest = 64
	// longestName is the most bytes of the name of an element.
	longestName = 256
	// windowBytes is how much of the text the scanner begins to hold.
	windowBytes = 64 << 10
)

// scanner goes through XML. It knows no namespaces and follows no references
// but to characters.
type scanner struct {
	src io.Reader
	// most is the longest text or tag.
	most int
	// buf holds the text from base on; pos is where the scanner is in it.
	buf  []byte
	base int64
	pos  int
	err  error

	// at is where the token at hand begins. Its name, its attributes and its text
	// are gone with the next.
	at          int64
	name, attrs []byte
	text        []byte
	// literal says that the text has no references, empty that the element which
	// has just started ends at once.
	literal, empty bool
	// open holds the names of the elements that are open, begins where each is.
	open   []byte
	begins []int
	rooted bool
}

func newScanner(src io.Reader, most int) *scanner {
	return &scanner{src: src, most: most, buf: make([]byte, 0, min(windowBytes, most))}
}

func damaged(problem intray.Message) error {
	return &source.UnreadableError{Reason: intray.NewMessage("workbook.damaged", intray.Params{"problem": problem})}
}

// broken says what the XML of the workbook has or does.
func broken(problem intray.Message) error {
	return damaged(intray.NewMessage("workbook.document", intray.Params{"problem": problem}))
}

// fill reads on. What is in front of pos is given up.
func (s *scanner) fill() error {
	if s.err != nil {
		return s.err
	}
	if s.pos > 0 {
		s.base += int64(s.pos)
		s.buf = s.buf[:copy(s.buf, s.buf[s.pos:])]
		s.pos = 0
	}
	if len(s.buf) >= s.most {
		return &source.LimitError{Reason: intray.NewMessage("workbook.text_too_long", intray.Params{"limit": s.most})}
	}
	if len(s.buf) == cap(s.buf) {
		s.buf = append(make([]byte, 0, min(2*cap(s.buf), s.most)), s.buf...)
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

// cut gives the error for a text that ends where it should go on.
func (s *scanner) cut(err error) error {
	if errors.Is(err, io.EOF) {
		return broken(intray.NewMessage("xml.cut_short", nil))
	}
	return err
}

// find gives the place of a mark behind skip bytes from here, reading on as far
// as it takes.
func (s *scanner) find(mark string, skip int) (int, error) {
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

// drop moves behind a mark without holding what is in front of it.
func (s *scanner) drop(mark string, skip int) error {
	s.pos += skip
	for {
		if i := bytes.Index(s.buf[s.pos:], []byte(mark)); i >= 0 {
			s.pos += i + len(mark)
			return nil
		}
		s.pos = max(s.pos, len(s.buf)-len(mark)+1)
		if err := s.fill(); err != nil {
			return s.cut(err)
		}
	}
}

// next moves to the next token. It gives io.EOF behind the outermost element.
func (s *scanner) next() (token, error) {
	if s.empty {
		s.empty = false
		s.close()
		return tokenEnd, nil
	}
	for {
		if s.pos == len(s.buf) {
			if err := s.fill(); err != nil {
				if len(s.begins) > 0 || !s.rooted {
					err = s.cut(err)
				}
				return 0, err
			}
		}
		if s.buf[s.pos] != '<' {
			if err := s.chars(); err != nil {
				return 0, err
			}
			if len(s.begins) > 0 {
				return tokenText, nil
			}
			continue
		}
		if kind, found, err := s.markup(); found || err != nil {
			return kind, err
		}
	}
}

// chars takes a text up to the next markup.
func (s *scanner) chars() error {
	n := bytes.IndexByte(s.buf[s.pos:], '<')
	if n < 0 {
		var err error
		if n, err = s.find("<", 0); errors.Is(err, io.EOF) && len(s.begins) == 0 {
			n = len(s.buf) - s.pos
		} else if err != nil {
			return s.cut(err)
		}
	}
	s.at = s.base + int64(s.pos)
	s.text, s.literal = s.buf[s.pos:s.pos+n], false
	s.pos += n
	if len(s.begins) == 0 && len(bytes.TrimSpace(bytes.TrimPrefix(s.text, []byte("\uFEFF")))) > 0 {
		return broken(intray.NewMessage("xml.text_outside", nil))
	}
	return nil
}

// markup takes what begins with <. Without found it was nothing to tell of.
func (s *scanner) markup() (kind token, found bool, err error) {
	for len(s.buf)-s.pos < len("<![CDATA[") {
		if err := s.fill(); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			return 0, false, err
		}
	}
	s.at = s.base + int64(s.pos)
	switch rest := s.buf[s.pos:]; {
	case bytes.HasPrefix(rest, []byte("<!--")):
		return 0, false, s.drop("-->", len("<!--"))
	case bytes.HasPrefix(rest, []byte("<?")):
		return 0, false, s.drop("?>", len("<?"))
	case bytes.HasPrefix(rest, []byte("<![CDATA[")):
		return tokenText, len(s.begins) > 0, s.literally()
	case bytes.HasPrefix(rest, []byte("<!")):
		return 0, false, broken(intray.NewMessage("xml.doctype", nil))
	case bytes.HasPrefix(rest, []byte("</")):
		return tokenEnd, true, s.endTag()
	}
	return tokenStart, true, s.startTag()
}

func (s *scanner) literally() error {
	n, err := s.find("]]>", len("<![CDATA["))
	if err != nil {
		return s.cut(err)
	}
	s.text, s.literal = s.buf[s.pos+len("<![CDATA["):s.pos+n], true
	s.pos += n + len("]]>")
	return nil
}

func (s *scanner) endTag() error {
	n, err := s.find(">", len("</"))
	if err != nil {
		return s.cut(err)
	}
	name := s.buf[s.pos+len("</") : s.pos+n]
	for len(name) > 0 && isSpace(name[len(name)-1]) {
		name = name[:len(name)-1]
	}
	s.pos += n + 1
	if len(s.begins) == 0 || !bytes.Equal(s.open[s.begins[len(s.begins)-1]:], name) {
		return broken(intray.NewMessage("xml.unopened_element", nil))
	}
	s.close()
	return nil
}

func (s *scanner) close() {
	last := len(s.begins) - 1
	s.open, s.begins = s.open[:s.begins[last]], s.begins[:last]
}

func (s *scanner) startTag() error {
	n, err := s.tagEnd()
	if err != nil {
		return s.cut(err)
	}
	tag := s.buf[s.pos+1 : s.pos+n]
	s.pos += n + 1
	if s.empty = len(tag) > 0 && tag[len(tag)-1] == '/'; s.empty {
		tag = tag[:len(tag)-1]
	}
	end := 0
	for end < len(tag) && !isSpace(tag[end]) {
		end++
	}
	s.name, s.attrs = tag[:end], tag[end:]
	switch {
	case end == 0 || end > longestName || s.name[0] < 'A' && s.name[0] != ':':
		return broken(intray.NewMessage("xml.invalid_tag", nil))
	case len(s.begins) == deepest:
		return &source.LimitError{Reason: intray.NewMessage("workbook.too_deep", intray.Params{"limit": deepest})}
	case len(s.begins) == 0 && s.rooted:
		return broken(intray.NewMessage("xml.several_roots", nil))
	}
	s.rooted = true
	s.begins = append(s.begins, len(s.open))
	s.open = append(s.open, s.name...)
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

// local gives a name without its prefix.
func local(name []byte) []byte {
	return name[bytes.IndexByte(name, ':')+1:]
}

// child moves to the next element within the one that is open, past its texts.
// It gives false at the end of the open element. Each child must be read to its
// end.
func (s *scanner) child() (bool, error) {
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
func (s *scanner) is(name string) bool { return string(local(s.name)) == name }

// skip moves to the end of the element that has just started.
func (s *scanner) skip() error {
	for depth := len(s.begins); len(s.begins) >= depth; {
		if _, err := s.next(); err != nil {
			return err
		}
	}
	return nil
}

// content appends the text of the element that has just started with that of
// its children, at most most bytes, and moves to its end.
func (s *scanner) content(dst []byte, most int) ([]byte, error) {
	from := len(dst)
	for depth := len(s.begins); len(s.begins) >= depth; {
		kind, err := s.next()
		switch {
		case err != nil:
			return dst, err
		case kind != tokenText:
		case s.literal:
			dst = append(dst, s.text...)
		default:
			if dst, err = appendText(dst, s.text); err != nil {
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

// attr gives the value of an attribute as it is written, by its name without a
// prefix; nil where there is none.
func (s *scanner) attr(name string) []byte {
	key, value, rest := attribute(s.attrs)
	for ; key != nil; key, value, rest = attribute(rest) {
		if string(local(key)) == name {
			return value
		}
	}
	return nil
}

// attribute takes the first attribute; key is nil where there is none, or where
// it cannot be read.
func attribute(attrs []byte) (key, value, rest []byte) {
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
	text, err := appendText(nil, s.attr(name))
	return string(bytes.ToValidUTF8(text, []byte("\uFFFD"))), err
}

// attrTrue says whether an attribute is there and true.
func (s *scanner) attrTrue(name string) bool {
	value := string(s.attr(name))
	return value == "1" || value == "true"
}

// whole reads an attribute that is a whole number from least to most; where
// there is none it is absent.
func whole(value []byte, least, most, absent int64) (int64, error) {
	if value == nil {
		return absent, nil
	}
	n, err := strconv.ParseInt(string(value), 10, 64)
	if err != nil || n < least {
		return 0, damaged(intray.NewMessage("xmlss.bad_number", intray.Params{"number": source.Excerpt(string(value)), "least": least}))
	}
	if n > most {
		return 0, &source.LimitError{Reason: intray.NewMessage("xmlss.index_beyond_limit", intray.Params{"index": n, "limit": most})}
	}
	return n, nil
}

// appendText appends a raw text with its references and line ends resolved.
func appendText(dst, raw []byte) ([]byte, error) {
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
		end := bytes.IndexByte(raw[:min(len(raw), longestReference)], ';')
		c, ok := reference(raw[1:max(end, 1)])
		if !ok {
			return dst, broken(intray.NewMessage("xml.invalid_entity", nil))
		}
		dst = utf8.AppendRune(dst, c)
		raw = raw[end+1:]
	}
	return dst, nil
}

// longestReference is how long a reference can be.
const longestReference = 12

// reference gives the character that a name between & and ; stands for.
func reference(name []byte) (rune, bool) {
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
