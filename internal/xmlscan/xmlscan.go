// Package xmlscan reads the XML of workbooks as a stream of tokens.
//
// A [Scanner] pulls one [Token] at a time: the start of an element with its
// attributes, a text, or the end of an element. A part is the text that it
// reads: an entry of an archive or a whole file. However large a part is, memory
// holds one token and the names of the open elements. Everything that a token
// has is valid until the scanner reads on.
//
// [Config] bounds the bytes of a token and the depth of elements. The name of
// an element has at most 256 bytes, a tag at most 1,024 attributes, and a part
// at most 64 prefixes whose namespaces matter.
//
// Errors are of three kinds: *source.UnreadableError for XML that is not
// well-formed, *source.LimitError beyond a limit, and errors of the reader,
// which are returned unchanged. None of them has a line.
//
// The package reads UTF-8 and UTF-16 and resolves references to characters. It
// declares no entities, follows no references to other files and refuses
// DOCTYPE. It does not validate: duplicate attributes, characters that XML
// forbids and text that is not UTF-8 reach the caller. It writes no XML and
// does not know what an element means.
package xmlscan

import (
	"bytes"
	"cmp"
	"io"

	"github.com/intraydata/intray"
	"github.com/intraydata/intray/source"
)

// Token is a kind of token.
type Token uint8

const (
	// none is markup that no caller needs, such as a comment.
	none Token = iota
	// Start is the start of an element.
	Start
	// Text is text within an element, up to the next markup.
	Text
	// End is the end of an element. An element without content has one, too.
	End
	// EOF is the end of the part, after its outermost element.
	EOF
)

// Config configures a Scanner and its limits.
type Config struct {
	// Part names the part in messages. It is "" for a file that is one document.
	Part string
	// TextBytes is the most bytes of a text. Messages name this limit.
	TextBytes int
	// TokenBytes is the most bytes of a tag or a text as it appears in the part.
	// Default TextBytes plus 64 KiB, because references take more bytes than the
	// characters that they represent.
	TokenBytes int
	// Depth is the most elements that may be open.
	Depth int
	// Decoded is set for a reader that supplies UTF-8, regardless of the encoding that
	// the part declares. Byte order marks outside of the outermost element are skipped.
	Decoded bool
	// Doctype allows a DOCTYPE that declares nothing itself. It is skipped.
	Doctype bool
	// NUL allows the reference &#0;, which XML forbids.
	NUL bool
	// HTML allows the references &nbsp; and &#X41;, which only HTML has.
	HTML bool
	// Namespaces are those that the caller distinguishes. nil binds no prefixes.
	Namespaces *Namespaces
}

const (
	// bufferBytes is the size of the buffer of a new scanner.
	bufferBytes = 64 << 10
	// maxEmptyReads is how often a reader may return neither bytes nor an error.
	maxEmptyReads = 100
)

// Scanner pulls the tokens of a part. It is for one goroutine.
type Scanner struct {
	// Name is the name of the element that starts, without its prefix.
	Name []byte
	// Text is a text as the part has it. Decode resolves its references, unless
	// CDATA is set.
	Text  []byte
	CDATA bool

	src io.Reader
	cfg Config

	buf      []byte
	pos, end int
	eof      bool
	// base is where in the part the buffer begins, token where the token begins.
	base, token int64
	// tag is where in the buffer the tag of the element that starts begins.
	tag   int
	attrs []attr

	// selfClosing is set for an element that ends with its start tag, until Next
	// returns that end.
	selfClosing bool
	// openNames holds the names of the open elements one after the other, and
	// nameStarts where each begins.
	openNames  []byte
	nameStarts []int
	hasRoot    bool
	bindings   []Binding
}

// New returns a scanner of a part. It reads the first bytes to find the encoding.
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

// Depth returns the number of open elements, including the one that starts.
func (s *Scanner) Depth() int { return len(s.nameStarts) }

// FullName returns the name of the innermost open element with its prefix.
func (s *Scanner) FullName() string { return string(s.innermost()) }

// Offset returns the byte of the part at which the token begins, counted in
// UTF-8.
func (s *Scanner) Offset() int64 { return s.token }

// Malformed returns the error for a part with a problem. The problem is a
// sentence without its subject, such as "is empty".
func (s *Scanner) Malformed(problem intray.Message) error {
	if s.cfg.Part == "" {
		problem = intray.NewMessage("workbook.document", intray.Params{"problem": problem})
	} else {
		problem = intray.NewMessage("workbook.part", intray.Params{"part": source.Excerpt(s.cfg.Part), "problem": problem})
	}
	return &source.UnreadableError{Reason: intray.NewMessage("workbook.damaged", intray.Params{"problem": problem})}
}

// TextTooLong returns the error for a text of more than TextBytes.
func (s *Scanner) TextTooLong() error {
	if s.cfg.Part == "" {
		return &source.LimitError{Reason: intray.NewMessage("workbook.text_too_long", intray.Params{"limit": s.cfg.TextBytes})}
	}
	return &source.LimitError{Reason: intray.NewMessage("workbook.part_text_too_long", intray.Params{"part": source.Excerpt(s.cfg.Part), "limit": s.cfg.TextBytes})}
}

// CheckText returns the error of TextTooLong for a text of more than TextBytes.
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
// of reading it.
func (s *Scanner) unexpectedEnd(err error) error {
	if err != nil {
		return err
	}
	return s.Malformed(intray.NewMessage("xml.cut_short", nil))
}

// fill reads more of the part, up to the end of the buffer, and reports whether
// there was more. It moves the bytes from pos on to the front, and grows the
// buffer if they fill it.
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

// ensure reads until the buffer holds n bytes from pos on, and reports whether
// the part has them.
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

// scanToken reads the token at pos.
func (s *Scanner) scanToken() (Token, error) {
	s.token = s.base + int64(s.pos)
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

// checkEnd checks that the part may end here.
func (s *Scanner) checkEnd() (Token, error) {
	if !s.hasRoot && s.cfg.Part != "" {
		return none, s.Malformed(intray.NewMessage("xml.empty", nil))
	}
	if !s.hasRoot || len(s.nameStarts) > 0 {
		return none, s.unexpectedEnd(nil)
	}
	return EOF, nil
}

// scanText reads a text up to the next markup.
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

// findMark returns the index of a mark, counted from pos, after the first skip
// bytes. It returns -1 if the rest of the part does not have it.
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

// skipPast skips two bytes and then everything up to the end of a mark, of any
// length.
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

// scanDeclaration reads a comment or literal text, and refuses everything else
// that begins with <!.
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
