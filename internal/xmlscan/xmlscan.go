// Package xmlscan reads the XML of workbooks as a stream of tokens.
//
// A [Scanner] reads one [Token] at a time: the start of an element with its attributes, text, or
// the end of an element. A part is the XML text to read: an entry in an archive or a whole file.
// Regardless of the size of the part, the scanner holds only one token and the names of the open
// elements in memory. The content of a token is valid until the scanner reads the next one.
//
// [Config] limits the length of a token and the nesting depth of elements. The name of
// an element can have at most 256 bytes, and a tag at most 1,024 attributes. At most 64
// namespace prefixes can be bound at a time.
//
// The package returns a *source.UnreadableError if the XML is not well-formed, and a
// *source.LimitError if it exceeds a limit. It returns errors of the reader unchanged.
// None of these errors has a line number.
//
// The package reads UTF-8 and UTF-16 and resolves references to characters. It does not support
// entity declarations or references to other files, and by default it rejects DOCTYPE. It does
// not validate the XML. In particular, it returns duplicate attributes, characters that XML
// forbids, and text that is not valid UTF-8. It does not write XML or interpret elements.
package xmlscan

import (
	"bytes"
	"cmp"
	"io"

	"github.com/intraydata/intray"
	"github.com/intraydata/intray/source"
)

// Token is the kind of a token.
type Token uint8

const (
	// none is markup that callers do not need, such as a comment.
	none Token = iota
	// Start is the start of an element.
	Start
	// Text is text within an element, up to the next markup.
	Text
	// End is the end of an element. Elements without content also have an End token.
	End
	// EOF is the end of the part, after its root element.
	EOF
)

// Config configures a Scanner and its limits.
type Config struct {
	// Part is the name of the part in messages, or "" if the whole file is the part.
	Part string
	// TextBytes is the maximum length of text, in bytes. Messages state this limit.
	TextBytes int
	// TokenBytes is the maximum length of a tag or text as it appears in the part, in bytes.
	// The default is TextBytes plus 64 KiB, because references take more bytes than the
	// characters that they represent.
	TokenBytes int
	// Depth is the maximum number of elements that may be open at a time.
	Depth int
	// Decoded means that the reader supplies UTF-8, regardless of the encoding that the
	// part declares. Byte order marks outside the root element are skipped.
	Decoded bool
	// Doctype allows a DOCTYPE that contains no declarations. The scanner skips it.
	Doctype bool
	// NUL allows the reference &#0;, which XML forbids.
	NUL bool
	// HTML allows the references &nbsp; and &#X41;, which are valid only in HTML.
	HTML bool
	// Namespaces are the namespaces that the caller distinguishes. If Namespaces is nil, no
	// prefixes are bound.
	Namespaces *Namespaces
}

const (
	// bufferBytes is the size of the buffer of a new scanner, in bytes.
	bufferBytes = 64 << 10
	// maxEmptyReads is the maximum number of consecutive reads that return neither
	// bytes nor an error.
	maxEmptyReads = 100
)

// Scanner reads the tokens of a part. It is not safe for concurrent use.
type Scanner struct {
	// Name is the name in the current start tag, without its prefix.
	Name []byte
	// Text is the text of a Text token as it is written in the part. Decode resolves
	// its references, unless CDATA is set.
	Text  []byte
	CDATA bool

	src io.Reader
	cfg Config

	buf      []byte
	pos, end int
	eof      bool
	// base is the offset of the buffer in the part, and token is that of the current token.
	base, token int64
	// tag is the index in the buffer at which the current start tag begins.
	tag   int
	attrs []attr

	// selfClosing is true if the current start tag also ends its element and Next has
	// not yet returned the End token.
	selfClosing bool
	// openNames holds the concatenated names of the open elements. nameStarts holds the
	// index at which each name begins.
	openNames  []byte
	nameStarts []int
	hasRoot    bool
	trailing   bool
	bindings   []Binding
}

// New returns a scanner for a part. It reads the first bytes to detect the encoding.
func New(src io.Reader, cfg Config) (*Scanner, error) {
	cfg.TokenBytes = cmp.Or(cfg.TokenBytes, cfg.TextBytes+bufferBytes)
	s := &Scanner{src: src, cfg: cfg, buf: make([]byte, min(bufferBytes, cfg.TokenBytes))}
	if cfg.Namespaces != nil {
		s.bindings = append(s.bindings, cfg.Namespaces.Defaults...)
	}
	if _, err := s.fill(); err != nil || cfg.Decoded {
		return s, err
	}
	return s, s.detectEncoding()
}

// Part returns the name of the part.
func (s *Scanner) Part() string { return s.cfg.Part }

// Depth returns the number of open elements, including the one that has just started.
func (s *Scanner) Depth() int { return len(s.nameStarts) }

// FullName returns the name of the innermost open element with its prefix.
func (s *Scanner) FullName() string { return string(s.innermost()) }

// Offset returns the offset in the part at which the current token begins, in bytes of UTF-8.
func (s *Scanner) Offset() int64 { return s.token }

// Malformed returns the error for a part with the given problem. The problem is a
// sentence without a subject, such as "is empty".
func (s *Scanner) Malformed(problem intray.Message) error {
	if s.cfg.Part == "" {
		problem = intray.NewMessage("workbook.document", intray.Params{"problem": problem})
	} else {
		problem = intray.NewMessage("workbook.part", intray.Params{"part": source.Excerpt(s.cfg.Part), "problem": problem})
	}
	return &source.UnreadableError{Reason: intray.NewMessage("workbook.damaged", intray.Params{"problem": problem})}
}

// TextTooLong returns the error for text that is longer than Config.TextBytes.
func (s *Scanner) TextTooLong() error {
	if s.cfg.Part == "" {
		return &source.LimitError{Reason: intray.NewMessage("workbook.text_too_long", intray.Params{"limit": s.cfg.TextBytes})}
	}
	return &source.LimitError{Reason: intray.NewMessage("workbook.part_text_too_long", intray.Params{"part": source.Excerpt(s.cfg.Part), "limit": s.cfg.TextBytes})}
}

// CheckText returns the error of TextTooLong if size is greater than Config.TextBytes,
// and nil otherwise.
func (s *Scanner) CheckText(size int) error {
	if size > s.cfg.TextBytes {
		return s.TextTooLong()
	}
	return nil
}

func (s *Scanner) tooDeep() error {
	if s.cfg.Part == "" {
		return &source.LimitError{Reason: intray.NewMessage("workbook.too_deep", intray.Params{"limit": s.cfg.Depth})}
	}
	return &source.LimitError{Reason: intray.NewMessage("workbook.part_too_deep", intray.Params{"part": source.Excerpt(s.cfg.Part), "limit": s.cfg.Depth})}
}

func (s *Scanner) tooManyAttributes() error {
	part := cmp.Or(s.cfg.Part, "document")
	return &source.LimitError{Reason: intray.NewMessage("workbook.part_too_many_attributes", intray.Params{"part": source.Excerpt(part), "limit": maxAttributes})}
}

// unexpectedEnd returns the error for a part that ends too early, or the error
// that occurred while reading it.
func (s *Scanner) unexpectedEnd(err error) error {
	if err != nil {
		return err
	}
	return s.Malformed(intray.NewMessage("xml.cut_short", nil))
}

// fill reads more of the part until the buffer is full or the part ends. It reports whether it
// has read any bytes. It first moves the unread bytes to the front of the buffer, and grows the
// buffer if these bytes fill it.
func (s *Scanner) fill() (bool, error) {
	if s.eof {
		return false, nil
	}
	if s.pos > 0 {
		s.base += int64(s.pos)
		s.end = copy(s.buf, s.buf[s.pos:s.end])
		s.pos = 0
	}
	if s.end == len(s.buf) {
		if len(s.buf) >= s.cfg.TokenBytes {
			return false, s.TextTooLong()
		}
		s.buf = append(s.buf, make([]byte, min(len(s.buf), s.cfg.TokenBytes-len(s.buf)))...)
	}
	before := s.end
	for empty := 0; s.end < len(s.buf) && !s.eof; {
		n, err := s.src.Read(s.buf[s.end:])
		s.end += n
		if n > 0 {
			empty = 0
		} else if empty++; empty > maxEmptyReads && err == nil {
			err = io.ErrNoProgress
		}
		if err != nil && err != io.EOF {
			return false, err
		}
		s.eof = err == io.EOF
	}
	return s.end > before, nil
}

// ensure reads until the buffer holds n bytes from pos on. It reports whether the part
// has that many bytes.
func (s *Scanner) ensure(n int) (bool, error) {
	for s.end-s.pos < n {
		if ok, err := s.fill(); !ok {
			return false, err
		}
	}
	return true, nil
}

// Next returns the next token.
func (s *Scanner) Next() (Token, error) {
	if s.selfClosing {
		s.selfClosing = false
		s.popElement()
		return End, nil
	}
	for {
		if s.pos == s.end {
			if ok, err := s.fill(); err != nil {
				return none, err
			} else if !ok {
				return s.checkEnd()
			}
		}
		found, err := s.scanToken()
		if found != none || err != nil {
			return found, err
		}
	}
}

// checkEnd returns EOF, or an error if the part ends within its root element or has none. It is
// not part of Next, whose stack frame it would enlarge.
func (s *Scanner) checkEnd() (Token, error) {
	if !s.hasRoot && s.cfg.Part != "" {
		return none, s.Malformed(intray.NewMessage("xml.empty", nil))
	}
	if !s.hasRoot || len(s.nameStarts) > 0 {
		return none, s.unexpectedEnd(nil)
	}
	return EOF, nil
}

// scanToken scans the token at pos.
func (s *Scanner) scanToken() (Token, error) {
	s.token = s.base + int64(s.pos)
	if len(s.nameStarts) == 0 && s.hasRoot {
		if over, err := s.scanAfterRoot(); over || err != nil {
			return EOF, err
		}
	}
	if s.pos == s.end {
		return none, nil
	}
	if s.buf[s.pos] != '<' {
		return s.scanText()
	}
	if s.end-s.pos < 2 {
		if ok, err := s.ensure(2); !ok {
			return none, s.unexpectedEnd(err)
		}
	}
	switch s.buf[s.pos+1] {
	case '/':
		return End, s.endTag()
	case '!':
		return s.scanDeclaration()
	case '?':
		return none, s.skipPast("?>")
	}
	return Start, s.startTag()
}

// scanAfterRoot skips white space after the root element. If text follows, it skips the rest of
// the part and reports that the part is over. A second element is an error, because it may contain
// a second table.
func (s *Scanner) scanAfterRoot() (over bool, err error) {
	for s.pos < s.end && IsSpace(s.buf[s.pos]) {
		s.pos++
	}
	if s.pos == s.end {
		return false, nil
	}
	const comment = "<!--"
	if _, err := s.ensure(len(comment)); err != nil {
		return false, err
	}
	rest := s.buf[s.pos:s.end]
	if bytes.HasPrefix(rest, []byte(comment)) || bytes.HasPrefix(rest, []byte("<?")) {
		return false, nil
	}
	if rest[0] == '<' && len(rest) > 1 && (rest[1] >= 'A' && rest[1] <= 'Z' || rest[1] >= 'a' && rest[1] <= 'z' || rest[1] >= 0x80) {
		return false, s.Malformed(intray.NewMessage("xml.several_roots", nil))
	}
	s.trailing = s.trailing || !s.cfg.Decoded || len(bytes.TrimSpace(bytes.ReplaceAll(rest, []byte("\uFEFF"), nil))) > 0
	for s.pos = s.end; ; s.pos = s.end {
		if more, err := s.fill(); !more {
			return true, err
		}
	}
}

// Trailing reports whether the part has text after its root element, which is skipped. It is known
// only after EOF.
func (s *Scanner) Trailing() bool { return s.trailing }

// scanText scans text up to the next markup.
func (s *Scanner) scanText() (Token, error) {
	size := bytes.IndexByte(s.buf[s.pos:s.end], '<')
	if size < 0 {
		var err error
		if size, err = s.findMark("<", s.end-s.pos); err != nil {
			return none, err
		}
		if size < 0 {
			size = s.end - s.pos
		}
	}
	s.Text, s.CDATA = s.buf[s.pos:s.pos+size], false
	s.pos += size
	if len(s.nameStarts) > 0 {
		return Text, nil
	}
	outside := s.Text
	if s.cfg.Decoded {
		outside = bytes.TrimPrefix(outside, []byte("\uFEFF"))
	}
	if len(bytes.TrimSpace(outside)) > 0 {
		return none, s.Malformed(intray.NewMessage("xml.text_outside", nil))
	}
	return none, nil
}

// findMark returns the index of mark relative to pos. The search starts skip bytes after pos. It
// returns -1 if the rest of the part does not contain mark.
func (s *Scanner) findMark(mark string, skip int) (int, error) {
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

// skipPast skips two bytes and then everything up to and including mark, however long that is.
func (s *Scanner) skipPast(mark string) error {
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

// scanDeclaration scans markup that begins with <!: a comment, a CDATA section or, if
// allowed, a DOCTYPE. It returns an error for other markup.
func (s *Scanner) scanDeclaration() (Token, error) {
	const comment, literal = "<!--", "<![CDATA["
	if _, err := s.ensure(len(literal)); err != nil {
		return none, err
	}
	rest := s.buf[s.pos:s.end]
	switch {
	case bytes.HasPrefix(rest, []byte(comment)):
		s.pos += 2
		return none, s.skipPast("-->")
	case bytes.HasPrefix(rest, []byte(literal)) && len(s.nameStarts) > 0:
		end, err := s.findMark("]]>", len(literal))
		if end < 0 {
			return none, s.unexpectedEnd(err)
		}
		s.Text, s.CDATA = s.buf[s.pos+len(literal):s.pos+end], true
		s.pos += end + len("]]>")
		return Text, nil
	case bytes.HasPrefix(rest, []byte("<!DOCTYPE")) && s.cfg.Doctype:
		end, err := s.findMark(">", 0)
		if end < 0 {
			return none, s.unexpectedEnd(err)
		}
		if bytes.IndexByte(s.buf[s.pos:s.pos+end], '[') < 0 {
			s.pos += end + 1
			return none, nil
		}
	}
	return none, s.Malformed(intray.NewMessage("xml.doctype", nil))
}
