package jsonschema

import (
	"fmt"
	"hash/maphash"
	"io"
	"strings"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/intraydata/intray"
)

const (
	// scanBuffer is the maximum number of bytes of a document that a Scanner holds in memory.
	scanBuffer = 32 << 10
	// maxHead is the maximum number of bytes of a name that a Scanner passes to a callback.
	maxHead = 64
)

// Scanner reads one JSON document by the rules of [Decode] without storing it. It copies the
// bytes that it has read to a writer. Its memory use does not depend on the length of strings,
// numbers and white space. It needs 8 to 20 bytes for each name in the objects that are open.
//
// Its methods return a *SyntaxError or an error from the reader or the writer. A Scanner
// must not be used after an error.
type Scanner struct {
	from io.Reader
	to   io.Writer
	buf  []byte
	// The bytes buf[:written] have been written, buf[:pos] have been scanned, and buf[:end] have
	// been read. base is the offset of buf[0] in the document.
	written, pos, end int
	base              int64
	// lines is the number of line feeds before buf[0].
	lines   lineCounter
	readErr error
	started bool
	depth   int
	names   [DefaultMaxDepth + 1]nameSet
	hash    maphash.Hash
	head    []byte
}

// NewScanner returns a Scanner that reads a document from a reader and copies it to a
// writer in pieces of up to 32 KiB.
func NewScanner(from io.Reader, to io.Writer) *Scanner {
	return &Scanner{from: from, to: to, buf: make([]byte, scanBuffer)}
}

// SetOutput makes the Scanner copy the rest of the document to a different writer.
func (s *Scanner) SetOutput(to io.Writer) error {
	err := s.flush()
	s.to = to
	return err
}

// Peek skips white space and returns the next byte without reading it.
func (s *Scanner) Peek() (byte, error) {
	for s.hasMore() {
		switch b := s.buf[s.pos]; b {
		case ' ', '\t', '\r', '\n':
			s.pos++
		default:
			return b, nil
		}
	}
	return 0, s.endError()
}

// SkipValue reads one value and ignores it.
func (s *Scanner) SkipValue() error {
	b, err := s.Peek()
	if err != nil {
		return err
	}
	s.started = true
	switch b {
	case '{':
		return s.ScanObject(nil)
	case '[':
		return s.ScanArray(nil)
	case '"':
		s.pos++
		return s.scanString(nil)
	case 't':
		return s.scanLiteral("true")
	case 'f':
		return s.scanLiteral("false")
	case 'n':
		return s.scanLiteral("null")
	}
	if b == '-' || isDigit(b) {
		return s.scanNumber(b)
	}
	return s.unexpectedByte(b)
}

// ScanArray reads an array. The next value must be an array. It passes the index of every
// element to the function each, which must read the element. If each is nil, ScanArray skips the
// elements.
func (s *Scanner) ScanArray(each func(i int) error) error {
	return s.scanGroup('[', ']', func(i int) error {
		if each != nil {
			return each(i)
		}
		return s.SkipValue()
	})
}

// ScanObject reads an object. The next value must be an object. It passes the first 64 bytes of
// the name of every value to the function each, which must read the value. If each is nil,
// ScanObject skips the values.
func (s *Scanner) ScanObject(each func(name string) error) error {
	s.names[min(s.depth+1, DefaultMaxDepth)].reset()
	return s.scanGroup('{', '}', func(int) error {
		if err := s.scanName(); err != nil {
			return err
		}
		if each != nil {
			return each(string(s.head))
		}
		return s.SkipValue()
	})
}

// Finish writes the rest of the document. It returns an error if anything other than white
// space follows.
func (s *Scanner) Finish() error {
	switch _, err := s.Peek(); {
	case err == nil:
		return s.errorf(reasonFollows)
	case s.readErr != io.EOF: //nolint:errorlint // only an unwrapped io.EOF is the end
		return err
	}
	return s.flush()
}

// scanGroup reads elements that are between two brackets and separated by commas.
func (s *Scanner) scanGroup(first, last byte, each func(i int) error) error {
	if err := s.expect(first); err != nil {
		return err
	}
	s.started = true
	if s.depth++; s.depth > DefaultMaxDepth {
		return s.errorf(tooDeep(DefaultMaxDepth))
	}
	b, err := s.Peek()
	for i := 0; err == nil && (i > 0 || b != last); i++ {
		if err = each(i); err != nil {
			return err
		}
		if b, err = s.Peek(); err != nil || b == last {
			break
		}
		err = s.expect(',')
	}
	if err != nil {
		return err
	}
	s.pos++
	s.depth--
	return nil
}

// expect reads one byte and returns an error if the byte is not equal to want.
func (s *Scanner) expect(want byte) error {
	b, err := s.Peek()
	if err != nil {
		return err
	}
	if b != want {
		return s.unexpectedByte(b)
	}
	s.pos++
	return nil
}

// scanName reads a name and its colon.
func (s *Scanner) scanName() error {
	b, err := s.Peek()
	if err != nil {
		return err
	}
	if b != '"' {
		return s.errorf(reasonName)
	}
	s.pos++
	s.hash.Reset()
	s.head = s.head[:0]
	if err := s.scanString(s.noteName); err != nil {
		return err
	}
	if !s.names[s.depth].add(s.hash.Sum64()) {
		return s.errorf(duplicateName(string(s.head)))
	}
	return s.expect(':')
}

// noteName adds a piece of a name to its hash and stores the first bytes of the name.
func (s *Scanner) noteName(piece []byte) {
	_, _ = s.hash.Write(piece)
	s.head = append(s.head, piece[:min(len(piece), maxHead-len(s.head))]...)
}

func (s *Scanner) scanLiteral(word string) error {
	for i := range len(word) {
		if !s.hasMore() {
			return s.endError()
		}
		if b := s.buf[s.pos]; b != word[i] {
			return s.unexpectedByte(b)
		}
		s.pos++
	}
	return nil
}

func isDigit(b byte) bool { return '0' <= b && b <= '9' }

func (s *Scanner) scanNumber(first byte) error {
	if first == '-' {
		s.pos++
	}
	if s.accept('0') {
		return s.scanFraction()
	}
	if err := s.scanDigits(); err != nil {
		return err
	}
	return s.scanFraction()
}

func (s *Scanner) scanFraction() error {
	if s.accept('.') {
		if err := s.scanDigits(); err != nil {
			return err
		}
	}
	if !s.accept('e') && !s.accept('E') {
		return nil
	}
	if !s.accept('+') {
		s.accept('-')
	}
	return s.scanDigits()
}

// accept reads the next byte if it equals b, and reports whether it does.
func (s *Scanner) accept(b byte) bool {
	if !s.hasMore() || s.buf[s.pos] != b {
		return false
	}
	s.pos++
	return true
}

// scanDigits reads one or more digits.
func (s *Scanner) scanDigits() error {
	if !s.hasMore() {
		return s.endError()
	}
	if b := s.buf[s.pos]; !isDigit(b) {
		return s.unexpectedByte(b)
	}
	for s.hasMore() && isDigit(s.buf[s.pos]) {
		s.pos++
	}
	return nil
}

// scanString reads a string after its opening quote. Unless note is nil, it calls note with
// each piece of the content.
func (s *Scanner) scanString(note func([]byte)) error {
	for s.hasMore() {
		from := s.pos
		for s.pos < s.end && plainByte[s.buf[s.pos]] {
			s.pos++
		}
		if note != nil {
			note(s.buf[from:s.pos])
		}
		if s.pos == s.end {
			continue
		}
		b := s.buf[s.pos]
		var err error
		switch {
		case b == '"':
			s.pos++
			return nil
		case b == '\\':
			err = s.scanEscape(note)
		case b < ' ':
			err = s.unexpectedByte(b)
		default:
			err = s.scanRune(note)
		}
		if err != nil {
			return err
		}
	}
	return s.endError()
}

// plainByte reports, for each byte, whether it represents itself in a string.
var plainByte = func() (plain [256]bool) {
	for b := ' '; b < utf8.RuneSelf; b++ {
		plain[b] = b != '"' && b != '\\'
	}
	return plain
}()

// scanRune reads one non-ASCII character.
func (s *Scanner) scanRune(note func([]byte)) error {
	var seq [utf8.UTFMax]byte
	n := 0
	for !utf8.FullRune(seq[:n]) {
		if !s.hasMore() {
			return s.endError()
		}
		seq[n] = s.buf[s.pos]
		s.pos++
		n++
	}
	if _, size := utf8.DecodeRune(seq[:n]); size < n || n == 1 {
		return s.errorf(reasonUTF8)
	}
	if note != nil {
		note(seq[:n])
	}
	return nil
}

// flush writes the bytes that were scanned.
func (s *Scanner) flush() error {
	if s.written == s.pos {
		return nil
	}
	_, err := s.to.Write(s.buf[s.written:s.pos])
	s.written = s.pos
	return err
}

// hasMore reads more bytes if necessary, and reports whether another byte follows.
func (s *Scanner) hasMore() bool { return s.pos < s.end || s.fill() }

func (s *Scanner) fill() bool {
	if s.readErr != nil {
		return false
	}
	if s.readErr = s.flush(); s.readErr != nil {
		return false
	}
	s.base += int64(s.end)
	_, _ = s.lines.Write(s.buf[:s.end])
	s.written, s.pos, s.end = 0, 0, 0
	for range 100 {
		s.end, s.readErr = s.from.Read(s.buf)
		if s.end > 0 || s.readErr != nil {
			return s.end > 0
		}
	}
	s.readErr = io.ErrNoProgress
	return false
}

// endError returns the error at the end of the input.
func (s *Scanner) endError() error {
	switch {
	case s.readErr != io.EOF: //nolint:errorlint // a wrapped io.EOF is an error from the reader
		return fmt.Errorf("read JSON document: %w", s.readErr)
	case s.started:
		return s.errorf(reasonEarly)
	}
	return s.errorf(reasonEmpty)
}

func (s *Scanner) errorf(reason intray.Message) error {
	lines := s.lines
	_, _ = lines.Write(s.buf[:s.pos])
	return &SyntaxError{Offset: s.base + int64(s.pos), Line: int64(lines) + 1, Reason: reason}
}

func (s *Scanner) unexpectedByte(b byte) error {
	if b >= utf8.RuneSelf {
		return s.errorf(reasonText)
	}
	return s.errorf(unexpectedCharacter(rune(b)))
}

// nameSet holds the names in one object as hashes with a random seed. Even with a million
// names, a collision is practically impossible.
type nameSet struct {
	few  []uint64
	many map[uint64]struct{}
}

func (n *nameSet) reset() { n.few, n.many = n.few[:0], nil }

// add adds a name and reports whether it is new.
func (n *nameSet) add(hash uint64) bool {
	if n.many == nil {
		for _, seen := range n.few {
			if seen == hash {
				return false
			}
		}
		if len(n.few) < 32 {
			n.few = append(n.few, hash)
			return true
		}
		n.many = map[uint64]struct{}{}
		for _, seen := range n.few {
			n.many[seen] = struct{}{}
		}
	}
	before := len(n.many)
	n.many[hash] = struct{}{}
	return len(n.many) > before
}

// CopyValid copies one JSON document. It applies the rules of [Decode] except the limits on
// bytes and values.
func CopyValid(from io.Reader, to io.Writer) error {
	s := NewScanner(from, to)
	if err := s.SkipValue(); err != nil {
		return err
	}
	return s.Finish()
}

// These are the one-letter escapes and the characters that they represent.
const (
	escapeLetters = `"\/bfnrt`
	escapeMeaning = "\"\\/\b\f\n\r\t"
)

// scanEscape reads an escape sequence. The next byte must be its backslash.
func (s *Scanner) scanEscape(note func([]byte)) error {
	s.pos++
	if !s.hasMore() {
		return s.endError()
	}
	b := s.buf[s.pos]
	if b == 'u' {
		s.pos++
		return s.scanUnicodeEscape(note)
	}
	at := strings.IndexByte(escapeLetters, b)
	if at < 0 {
		return s.unexpectedByte(b)
	}
	s.pos++
	if note != nil {
		note([]byte{escapeMeaning[at]})
	}
	return nil
}

// scanUnicodeEscape reads the digits after \u and, in a surrogate pair, the escape of the
// second half.
func (s *Scanner) scanUnicodeEscape(note func([]byte)) error {
	r, err := s.scanHex()
	if err != nil {
		return err
	}
	if r == 0 {
		return s.errorf(reasonNUL)
	}
	if utf16.IsSurrogate(r) {
		if !s.accept('\\') || !s.accept('u') {
			return s.surrogateError()
		}
		low, err := s.scanHex()
		if err != nil {
			return err
		}
		if r = utf16.DecodeRune(r, low); r == utf8.RuneError {
			return s.surrogateError()
		}
	}
	if note != nil {
		note(utf8.AppendRune(nil, r))
	}
	return nil
}

// surrogateError returns the error for a lone surrogate, or the error for a truncated document
// if the document ends after the surrogate.
func (s *Scanner) surrogateError() error {
	if !s.hasMore() {
		return s.endError()
	}
	return s.errorf(reasonSurrogate)
}

func (s *Scanner) scanHex() (r rune, err error) {
	for range 4 {
		if !s.hasMore() {
			return 0, s.endError()
		}
		b := s.buf[s.pos]
		digit := strings.IndexByte("0123456789abcdef", b|0x20)
		if isDigit(b) {
			digit = int(b - '0')
		} else if digit < 10 {
			return 0, s.unexpectedByte(b)
		}
		r = r<<4 | rune(digit)
		s.pos++
	}
	return r, nil
}
