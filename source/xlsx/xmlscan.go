package xlsx

import (
	"bytes"
	"io"

	"github.com/intraydata/intray"
	"github.com/intraydata/intray/source"
)

// token is what the scanner has found.
type token uint8

const (
	tokenNone token = iota
	tokenStart
	tokenText
	tokenEnd
	// tokenEOF is the end of the part.
	tokenEOF
)

// attribute is where a name (without its prefix) and a value stand in the
// buffer, counted from the tag.
type attribute struct{ name, nameEnd, value, valueEnd int }

// scanner pulls the XML of a part token by token. It knows elements by their
// names without prefixes, and refuses DOCTYPE. What a token gives is gone with
// the next one.
type scanner struct {
	src  io.Reader
	part string
	// maxText is the most bytes of a tag or a text, deepest the most open
	// elements.
	maxText, maxDepth int

	buf      []byte
	pos, end int
	eof      bool

	// name is that of the element which starts, without its prefix.
	name   []byte
	tagPos int
	attrs  []attribute
	// text is raw, with its entities, unless it is literal.
	text  []byte
	cdata bool
	// selfClosing says that the element just started ends at once.
	selfClosing bool

	// openNames holds the names of the open elements one behind the other, begins
	// where each begins.
	openNames  []byte
	nameStarts []int
	hasRoot    bool
}

// bufferBytes is what a scanner begins with: much of a sheet is inflated at once.
const bufferBytes = 64 << 10

func newScanner(src io.Reader, part string, limits Limits) (*scanner, error) {
	s := &scanner{src: src, part: part, maxText: limits.CellBytes + bufferBytes, maxDepth: limits.Depth, buf: make([]byte, bufferBytes)}
	if _, err := s.fill(); err != nil {
		return nil, err
	}
	return s, s.detectEncoding()
}

// malformed says that the part is no XML.
func (s *scanner) malformed(problem intray.Message) error {
	part := intray.NewMessage("workbook.part", intray.Params{"part": source.Excerpt(s.part), "problem": problem})
	return &source.UnreadableError{Reason: intray.NewMessage("workbook.damaged", intray.Params{"problem": part})}
}

// fill reads on. It gives false at the end of the part.
func (s *scanner) fill() (bool, error) {
	if s.eof {
		return false, nil
	}
	if s.pos > 0 {
		s.end = copy(s.buf, s.buf[s.pos:s.end])
		s.pos = 0
	}
	if s.end == len(s.buf) {
		if len(s.buf) >= s.maxText {
			return false, &source.LimitError{Reason: intray.NewMessage("workbook.part_text_too_long", intray.Params{"part": source.Excerpt(s.part), "limit": s.maxText - bufferBytes})}
		}
		s.buf = append(s.buf, make([]byte, min(len(s.buf), s.maxText-len(s.buf)))...)
	}
	before := s.end
	for s.end < len(s.buf) && !s.eof {
		n, err := s.src.Read(s.buf[s.end:])
		s.end += n
		if err != nil && err != io.EOF {
			return false, err
		}
		s.eof = err == io.EOF
	}
	return s.end > before, nil
}

// ensure makes sure of n bytes in the buffer. It gives false where the part ends
// before.
func (s *scanner) ensure(n int) (bool, error) {
	for s.end-s.pos < n {
		if ok, err := s.fill(); !ok {
			return false, err
		}
	}
	return true, nil
}

// next gives the next token.
func (s *scanner) next() (token, error) {
	if s.selfClosing {
		s.selfClosing = false
		s.popElement()
		return tokenEnd, nil
	}
	for {
		if s.pos == s.end {
			if ok, err := s.fill(); err != nil {
				return tokenNone, err
			} else if !ok {
				return s.checkEnd()
			}
		}
		found, err := s.scanToken()
		if found != tokenNone || err != nil {
			return found, err
		}
	}
}

// scanToken reads a token at pos; tokenNone is one that nobody needs.
func (s *scanner) scanToken() (token, error) {
	if s.buf[s.pos] != '<' {
		return s.scanText()
	}
	if ok, err := s.ensure(2); !ok {
		return tokenNone, s.unexpectedEnd(err)
	}
	switch s.buf[s.pos+1] {
	case '/':
		return s.endTag()
	case '!':
		return s.scanDeclaration()
	case '?':
		return tokenNone, s.skipPast("?>")
	}
	return s.startTag()
}

// checkEnd checks that the part may end here.
func (s *scanner) checkEnd() (token, error) {
	if !s.hasRoot {
		return tokenNone, s.malformed(intray.NewMessage("xml.empty", nil))
	}
	if len(s.nameStarts) > 0 {
		return tokenNone, s.unexpectedEnd(nil)
	}
	return tokenEOF, nil
}

// unexpectedEnd says that the part ends too early, unless reading failed.
func (s *scanner) unexpectedEnd(err error) error {
	if err != nil {
		return err
	}
	return s.malformed(intray.NewMessage("xml.cut_short", nil))
}

// scanText reads a text up to the next tag.
func (s *scanner) scanText() (token, error) {
	seen := 0
	for {
		if i := bytes.IndexByte(s.buf[s.pos+seen:s.end], '<'); i >= 0 {
			seen += i
			break
		}
		seen = s.end - s.pos
		if ok, err := s.fill(); err != nil {
			return tokenNone, err
		} else if !ok {
			break
		}
	}
	s.text, s.cdata = s.buf[s.pos:s.pos+seen], false
	s.pos += seen
	if len(s.nameStarts) == 0 {
		if len(bytes.TrimSpace(s.text)) > 0 {
			return tokenNone, s.malformed(intray.NewMessage("xml.text_outside", nil))
		}
		return tokenNone, nil
	}
	return tokenText, nil
}

// findMark gives the place of a mark behind pos and skip bytes, counted from pos.
func (s *scanner) findMark(mark string, skip int) (int, error) {
	for {
		if s.end-s.pos > skip {
			if i := bytes.Index(s.buf[s.pos+skip:s.end], []byte(mark)); i >= 0 {
				return skip + i, nil
			}
			skip = max(skip, s.end-s.pos-len(mark)+1)
		}
		if ok, err := s.fill(); !ok {
			return 0, s.unexpectedEnd(err)
		}
	}
}

// skipPast skips what nobody needs, of any length, up to a mark.
func (s *scanner) skipPast(mark string) error {
	s.pos += 2
	for {
		if i := bytes.Index(s.buf[s.pos:s.end], []byte(mark)); i >= 0 {
			s.pos += i + len(mark)
			return nil
		}
		s.pos = max(s.pos, s.end-len(mark)+1)
		if ok, err := s.fill(); !ok {
			return s.unexpectedEnd(err)
		}
	}
}

// scanDeclaration reads a comment or literal text, and refuses all else.
func (s *scanner) scanDeclaration() (token, error) {
	const comment, literal = "<!--", "<![CDATA["
	if _, err := s.ensure(len(literal)); err != nil {
		return tokenNone, err
	}
	rest := s.buf[s.pos:s.end]
	switch {
	case bytes.HasPrefix(rest, []byte(comment)):
		s.pos += 2
		return tokenNone, s.skipPast("-->")
	case bytes.HasPrefix(rest, []byte(literal)) && len(s.nameStarts) > 0:
		end, err := s.findMark("]]>", len(literal))
		if err != nil {
			return tokenNone, err
		}
		s.text, s.cdata = s.buf[s.pos+len(literal):s.pos+end], true
		s.pos += end + len("]]>")
		return tokenText, nil
	}
	return tokenNone, s.malformed(intray.NewMessage("xml.doctype", nil))
}

// nameDelimiters marks the characters that cannot be part of a name.
var nameDelimiters = [256]bool{' ': true, '\t': true, '\r': true, '\n': true, '/': true, '>': true, '=': true, '<': true, '"': true, '\'': true, '&': true}

func isSpace(c byte) bool { return c == ' ' || c == '\n' || c == '\r' || c == '\t' }

// startTag reads a tag, from its beginning again where the buffer ended within.
func (s *scanner) startTag() (token, error) {
	for {
		size, ok := s.parseTag()
		if ok {
			return tokenStart, s.pushElement(size)
		}
		if size < 0 {
			return tokenNone, s.malformed(intray.NewMessage("xml.invalid_tag", nil))
		}
		if more, err := s.fill(); !more {
			return tokenNone, s.unexpectedEnd(err)
		}
	}
}

// pushElement opens the element whose tag was read.
func (s *scanner) pushElement(size int) error {
	if len(s.nameStarts) == 0 && s.hasRoot {
		return s.malformed(intray.NewMessage("xml.several_roots", nil))
	}
	if len(s.nameStarts) >= s.maxDepth {
		return &source.LimitError{Reason: intray.NewMessage("workbook.part_too_deep", intray.Params{"part": source.Excerpt(s.part), "limit": s.maxDepth})}
	}
	s.hasRoot = true
	s.nameStarts = append(s.nameStarts, len(s.openNames))
	s.openNames = append(s.openNames, s.name...)
	s.pos += size
	s.name = s.name[localNameStart(s.name):]
	return nil
}

func localNameStart(name []byte) int { return bytes.IndexByte(name, ':') + 1 }

// popElement drops the innermost element.
func (s *scanner) popElement() {
	last := len(s.nameStarts) - 1
	s.openNames = s.openNames[:s.nameStarts[last]]
	s.nameStarts = s.nameStarts[:last]
}

// parseTag reads the tag at pos into name and attrs. Without ok it needs more
// bytes, or the tag is broken, where size is negative.
func (s *scanner) parseTag() (size int, ok bool) {
	b := s.buf[s.pos:s.end]
	i := 1
	for i < len(b) && !nameDelimiters[b[i]] {
		i++
	}
	if i == 1 && i < len(b) {
		return -1, false
	}
	s.tagPos, s.name, s.attrs = s.pos, b[1:i], s.attrs[:0]
	for {
		for i < len(b) && isSpace(b[i]) {
			i++
		}
		switch {
		case i == len(b):
			return 0, false
		case b[i] == '>':
			return i + 1, true
		case b[i] == '/' && i+1 == len(b):
			return 0, false
		case b[i] == '/' && b[i+1] == '>':
			s.selfClosing = true
			return i + 2, true
		}
		if i = s.parseAttribute(b, i); i <= 0 {
			return i, false
		}
	}
}

// parseAttribute reads an attribute at i and gives the place behind it, 0 where
// it needs more bytes and -1 where it is broken.
func (s *scanner) parseAttribute(b []byte, i int) int {
	a := attribute{name: i}
	for i < len(b) && !nameDelimiters[b[i]] {
		if b[i] == ':' {
			a.name = i + 1
		}
		i++
	}
	a.nameEnd = i
	for i < len(b) && isSpace(b[i]) {
		i++
	}
	if i < len(b) && (b[i] != '=' || a.name == a.nameEnd) {
		return -1
	}
	i++
	for i < len(b) && isSpace(b[i]) {
		i++
	}
	if i >= len(b) {
		return 0
	}
	quote := b[i]
	if quote != '"' && quote != '\'' {
		return -1
	}
	i++
	length := bytes.IndexByte(b[i:], quote)
	if length < 0 {
		return 0
	}
	a.value, a.valueEnd = i, i+length
	s.attrs = append(s.attrs, a)
	return i + length + 1
}

// endTag closes the innermost element, which must have that name.
func (s *scanner) endTag() (token, error) {
	last := len(s.nameStarts) - 1
	if last >= 0 { // mostly it is the right tag, without white space
		open, b := s.openNames[s.nameStarts[last]:], s.buf[s.pos+2:s.end]
		if n := len(open); len(b) > n && b[n] == '>' && string(b[:n]) == string(open) {
			s.pos += n + 3
			s.popElement()
			return tokenEnd, nil
		}
	}
	end, err := s.findMark(">", 2)
	if err != nil {
		return tokenNone, err
	}
	name := s.buf[s.pos+2 : s.pos+end]
	for len(name) > 0 && isSpace(name[len(name)-1]) {
		name = name[:len(name)-1]
	}
	if last < 0 || !bytes.Equal(name, s.openNames[s.nameStarts[last]:]) {
		return tokenNone, s.malformed(intray.NewMessage("xml.unopened_element", nil))
	}
	s.pos += end + 1
	s.popElement()
	return tokenEnd, nil
}

// attrValue gives the raw value of an attribute of the element that starts, nil
// where it has none.
func (s *scanner) attrValue(name string) []byte {
	for _, a := range s.attrs {
		if string(s.buf[s.tagPos+a.name:s.tagPos+a.nameEnd]) == name {
			return s.buf[s.tagPos+a.value : s.tagPos+a.valueEnd]
		}
	}
	return nil
}

// attrText gives the text of an attribute, "" where there is none.
func (s *scanner) attrText(name string) (string, error) {
	text, err := s.decode(nil, s.attrValue(name))
	return string(text), err
}

// attrBool says whether an attribute is there and true.
func (s *scanner) attrBool(name string) bool { return isTrue(s.attrValue(name)) }

func isTrue(text []byte) bool { return string(text) == "1" || string(text) == "true" }
