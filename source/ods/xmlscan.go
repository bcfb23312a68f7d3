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

// scanner pulls the XML of a part token by token. It refuses DOCTYPE, and knows
// of other entities than those of XML nothing. What a token gives is gone with
// the next one.
type scanner struct {
	src  io.Reader
	part string
	// longest is the most bytes of a tag or a text, deepest the most open
	// elements.
	maxText, maxDepth int

	buf      []byte
	pos, end int
	eof      bool

	// prefix and local are the name of the element which starts.
	prefix, local []byte
	attrs         []attribute
	// text is raw, with its entities, unless it is literal.
	text  []byte
	cdata bool
	// selfClosing says that the element just started ends at once.
	selfClosing bool

	// openNames holds the full names of the open elements one behind the other,
	// begins where each begins.
	openNames  []byte
	nameStarts []int
	hasRoot    bool
	bindings   []binding

	// doctype allows a DOCTYPE that declares nothing in itself. What it points
	// to is never read.
	doctype bool
}

// bufferBytes is what a scanner begins with: much of the content is inflated at
// once.
const bufferBytes = 64 << 10

func newScanner(src io.Reader, part string, limits Limits) (*scanner, error) {
	s := &scanner{src: src, part: part, maxText: limits.CellBytes + bufferBytes, maxDepth: limits.Depth, buf: make([]byte, bufferBytes), bindings: defaultBindings()}
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

// textTooLong says that a tag or a text passes the limit.
func (s *scanner) textTooLong() error {
	return &source.LimitError{Reason: intray.NewMessage("workbook.part_text_too_long", intray.Params{"part": source.Excerpt(s.part), "limit": s.maxText - bufferBytes})}
}

// unexpectedEnd says that the part ends too early, unless reading failed.
func (s *scanner) unexpectedEnd(err error) error {
	if err != nil {
		return err
	}
	return s.malformed(intray.NewMessage("xml.cut_short", nil))
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
			return false, s.textTooLong()
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
		return tokenEnd, s.endTag()
	case '!':
		return s.scanDeclaration()
	case '?':
		return tokenNone, s.skipPast("?>")
	}
	return tokenStart, s.startTag()
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

// scanText reads a text up to the next tag.
func (s *scanner) scanText() (token, error) {
	size, err := s.findMark("<", 0)
	if err != nil {
		return tokenNone, err
	}
	if size < 0 {
		size = s.end - s.pos
	}
	s.text, s.cdata = s.buf[s.pos:s.pos+size], false
	s.pos += size
	if len(s.nameStarts) == 0 {
		if len(bytes.TrimSpace(s.text)) > 0 {
			return tokenNone, s.malformed(intray.NewMessage("xml.text_outside", nil))
		}
		return tokenNone, nil
	}
	return tokenText, nil
}

// findMark gives the place of a mark behind pos and skip bytes, counted from pos;
// -1 where there is none up to the end of the part.
func (s *scanner) findMark(mark string, skip int) (int, error) {
	for {
		if s.end-s.pos > skip {
			if i := bytes.Index(s.buf[s.pos+skip:s.end], []byte(mark)); i >= 0 {
				return skip + i, nil
			}
			skip = max(skip, s.end-s.pos-len(mark)+1)
		}
		if ok, err := s.fill(); !ok {
			return -1, err
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
		if end < 0 {
			return tokenNone, s.unexpectedEnd(err)
		}
		s.text, s.cdata = s.buf[s.pos+len(literal):s.pos+end], true
		s.pos += end + len("]]>")
		return tokenText, nil
	}
	if s.doctype && bytes.HasPrefix(rest, []byte("<!DOCTYPE")) {
		end, err := s.findMark(">", 0)
		if end < 0 {
			return tokenNone, s.unexpectedEnd(err)
		}
		if bytes.IndexByte(s.buf[s.pos:s.pos+end], '[') < 0 {
			s.pos += end + 1
			return tokenNone, nil
		}
	}
	return tokenNone, s.malformed(intray.NewMessage("xml.doctype", nil))
}

// attribute is one of a tag. Its value is raw, with its entities.
type attribute struct{ prefix, local, value []byte }

// maxAttributes is how many a tag may have: the content's outermost element
// has some forty, most of them namespaces.
const maxAttributes = 1024

// nameDelimiters marks the characters that cannot be part of a name.
var nameDelimiters = [256]bool{' ': true, '\t': true, '\r': true, '\n': true, '/': true, '>': true, '=': true, '<': true, '"': true, '\'': true, '&': true}

func isSpace(c byte) bool { return c == ' ' || c == '\n' || c == '\r' || c == '\t' }

// startTag reads a tag, from its beginning again where the buffer ended within.
func (s *scanner) startTag() error {
	for {
		size, name, ok := s.parseTag(s.buf[s.pos:s.end])
		switch {
		case ok:
			return s.pushElement(size, name)
		case size < 0:
			return s.malformed(intray.NewMessage("xml.invalid_tag", nil))
		case len(s.attrs) > maxAttributes:
			return &source.LimitError{Reason: intray.NewMessage("workbook.part_too_many_attributes", intray.Params{"part": source.Excerpt(s.part), "limit": maxAttributes})}
		}
		if more, err := s.fill(); !more {
			return s.unexpectedEnd(err)
		}
	}
}

// pushElement opens the element whose tag was read.
func (s *scanner) pushElement(size int, name []byte) error {
	if len(s.nameStarts) == 0 && s.hasRoot {
		return s.malformed(intray.NewMessage("xml.several_roots", nil))
	}
	if len(s.nameStarts) >= s.maxDepth {
		return s.tooDeep()
	}
	s.hasRoot = true
	s.nameStarts = append(s.nameStarts, len(s.openNames))
	s.openNames = append(s.openNames, name...)
	s.prefix, s.local = splitName(name)
	s.pos += size
	return s.bindNamespaces()
}

func (s *scanner) tooDeep() error {
	return &source.LimitError{Reason: intray.NewMessage("workbook.part_too_deep", intray.Params{"part": source.Excerpt(s.part), "limit": s.maxDepth})}
}

// splitName cuts a name at its colon.
func splitName(name []byte) (prefix, local []byte) {
	if i := bytes.IndexByte(name, ':'); i >= 0 {
		return name[:i], name[i+1:]
	}
	return nil, name
}

// popElement drops the innermost element, and what it has bound.
func (s *scanner) popElement() {
	last := len(s.nameStarts) - 1
	s.openNames = s.openNames[:s.nameStarts[last]]
	s.nameStarts = s.nameStarts[:last]
	for n := len(s.bindings); s.bindings[n-1].depth > last; n = len(s.bindings) {
		s.bindings = s.bindings[:n-1]
	}
}

// innermost is the full name of the innermost open element.
func (s *scanner) innermost() []byte { return s.openNames[s.nameStarts[len(s.nameStarts)-1]:] }

// parseTag reads the tag at the beginning of b into attrs. Without ok it needs
// more bytes, or has too many attributes, or the tag is broken, where size is
// negative.
func (s *scanner) parseTag(b []byte) (size int, name []byte, ok bool) {
	i := 1
	for i < len(b) && !nameDelimiters[b[i]] {
		i++
	}
	if i == 1 && i < len(b) {
		return -1, nil, false
	}
	name, s.attrs = b[1:i], s.attrs[:0]
	for len(s.attrs) <= maxAttributes {
		for i < len(b) && isSpace(b[i]) {
			i++
		}
		switch {
		case i == len(b):
			return 0, nil, false
		case b[i] == '>':
			return i + 1, name, true
		case b[i] == '/' && i+1 == len(b):
			return 0, nil, false
		case b[i] == '/' && b[i+1] == '>':
			s.selfClosing = true
			return i + 2, name, true
		}
		if i = s.parseAttribute(b, i); i <= 0 {
			return i, nil, false
		}
	}
	return 0, nil, false
}

// parseAttribute reads an attribute at i and gives the place behind it, 0 where
// it needs more bytes and -1 where it is broken.
func (s *scanner) parseAttribute(b []byte, i int) int {
	var a attribute
	from := i
	for ; i < len(b) && !nameDelimiters[b[i]]; i++ {
		if b[i] == ':' && a.prefix == nil {
			a.prefix, from = b[from:i], i+1
		}
	}
	a.local = b[from:i]
	for i < len(b) && isSpace(b[i]) {
		i++
	}
	if i < len(b) && (b[i] != '=' || len(a.local) == 0) {
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
	a.value = b[i : i+length]
	s.attrs = append(s.attrs, a)
	return i + length + 1
}

// endTag closes the innermost element, which must have that name.
func (s *scanner) endTag() error {
	if len(s.nameStarts) > 0 { // mostly it is the right tag, without white space
		open, b := s.innermost(), s.buf[s.pos+2:s.end]
		if n := len(open); len(b) > n && b[n] == '>' && string(b[:n]) == string(open) {
			s.pos += n + 3
			s.popElement()
			return nil
		}
	}
	end, err := s.findMark(">", 2)
	if end < 0 {
		return s.unexpectedEnd(err)
	}
	name := bytes.TrimRight(s.buf[s.pos+2:s.pos+end], " \t\r\n")
	if len(s.nameStarts) == 0 || !bytes.Equal(name, s.innermost()) {
		return s.malformed(intray.NewMessage("xml.unopened_element", nil))
	}
	s.pos += end + 1
	s.popElement()
	return nil
}

// detectEncoding finds the encoding of a part whose first bytes are in the buffer.
func (s *scanner) detectEncoding() error {
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

// decodeUTF16 reads the part as UTF-16. What is no character becomes U+FFFD.
func (s *scanner) decodeUTF16(order unicode.Endianness) error {
	whole := io.MultiReader(bytes.NewReader(bytes.Clone(s.buf[:s.end])), s.src)
	s.src = transform.NewReader(whole, unicode.UTF16(order, unicode.UseBOM).NewDecoder())
	s.end, s.eof = 0, false
	_, err := s.fill()
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
	return s.malformed(intray.NewMessage("xml.other_encoding", intray.Params{"encoding": source.Excerpt(string(name))}))
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
		char, size := decodeReference(raw[i:])
		if size == 0 {
			return dst, s.malformed(intray.NewMessage("xml.invalid_entity", nil))
		}
		dst, raw = utf8.AppendRune(dst, char), raw[i+size:]
	}
}

// decodeReference reads the character that raw begins with a name of; size is 0 where that is none.
func decodeReference(raw []byte) (char rune, size int) {
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
