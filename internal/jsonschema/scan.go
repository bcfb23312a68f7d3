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
	// scanBuffer is how much of a document a Scanner has in memory.
	scanBuffer = 32 << 10
	// maxHead is how many bytes of a name a Scanner gives.
	maxHead = 64
)

// Scanner passes over one JSON document by the rules of [Decode], without
// keeping it: memory stays flat however long its strings, numbers and white
// space are, but for 8 to 20 bytes for each name of the objects that are open.
// What it has passed goes to a writer, to the byte.
//
// Errors are a *SyntaxError, or those of the reader and the writer. After an
// error the Scanner is of no further use.
type Scanner struct {
	from io.Reader
	to   io.Writer
	buf  []byte
	// Of buf, all before mark was written, all before at was passed, and all
	// before end was read. base is the place of buf[0] in the document.
	written, pos, end int
	base              int64
	readErr           error
	started           bool
	depth             int
	names             [DefaultMaxDepth + 1]nameSet
	hash              maphash.Hash
	head              []byte
}

// NewScanner scans what comes from a reader, and writes what it has passed in
// pieces of up to 32 KiB.
func NewScanner(from io.Reader, to io.Writer) *Scanner {
	return &Scanner{from: from, to: to, buf: make([]byte, scanBuffer)}
}

// SetOutput sends what comes from here on to another writer.
func (s *Scanner) SetOutput(to io.Writer) error {
	err := s.flush()
	s.to = to
	return err
}

// Peek passes over white space and gives the first byte of what follows.
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

// SkipValue passes over one value.
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

// ScanArray passes over an array, which must be what follows. With each, that
// one is called before each element, with its index, and must pass over it.
func (s *Scanner) ScanArray(each func(i int) error) error {
	return s.scanGroup('[', ']', func(i int) error {
		if each != nil {
			return each(i)
		}
		return s.SkipValue()
	})
}

// ScanObject passes over an object, which must be what follows. With each, that
// one is called before each value, with the first 64 bytes of its name, and
// must pass over it.
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

// Finish makes sure that nothing but white space follows, and writes what was not
// written yet.
func (s *Scanner) Finish() error {
	switch _, err := s.Peek(); {
	case err == nil:
		return s.errorf(reasonFollows)
	case s.readErr != io.EOF: //nolint:errorlint // only the bare one is the end
		return err
	}
	return s.flush()
}

// scanGroup passes over what stands between two brackets, with commas between.
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

// expect passes over one byte.
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

// scanName passes over a name and its colon.
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

// noteName takes a piece of a name.
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

// accept passes over one byte if it is the one that follows.
func (s *Scanner) accept(b byte) bool {
	if !s.hasMore() || s.buf[s.pos] != b {
		return false
	}
	s.pos++
	return true
}

// scanDigits passes over one digit or more.
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

// scanString passes over a string whose opening quote is passed, and gives its
// content to note, piece by piece, where that is wanted.
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

// plainByte tells the bytes of a string that stand for themselves.
var plainByte = func() (plain [256]bool) {
	for b := ' '; b < utf8.RuneSelf; b++ {
		plain[b] = b != '"' && b != '\\'
	}
	return plain
}()

// scanRune passes over one character beyond ASCII.
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

// flush writes what was passed.
func (s *Scanner) flush() error {
	if s.written == s.pos {
		return nil
	}
	_, err := s.to.Write(s.buf[s.written:s.pos])
	s.written = s.pos
	return err
}

// hasMore makes sure that there is a byte to look at.
func (s *Scanner) hasMore() bool { return s.pos < s.end || s.fill() }

func (s *Scanner) fill() bool {
	if s.readErr != nil {
		return false
	}
	if s.readErr = s.flush(); s.readErr != nil {
		return false
	}
	s.base += int64(s.end)
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

// endError says why there is nothing more.
func (s *Scanner) endError() error {
	switch {
	case s.readErr != io.EOF: //nolint:errorlint // a wrapped one is the reader's trouble
		return fmt.Errorf("passing over a JSON document: %w", s.readErr)
	case s.started:
		return s.errorf(reasonEarly)
	}
	return s.errorf(reasonEmpty)
}

func (s *Scanner) errorf(reason intray.Message) error {
	return &SyntaxError{Offset: s.base + int64(s.pos), Reason: reason}
}

func (s *Scanner) unexpectedByte(b byte) error {
	if b >= utf8.RuneSelf {
		return s.errorf(reasonText)
	}
	return s.errorf(unexpectedCharacter(rune(b)))
}

// nameSet holds the names of one object, as hashes under a seed that nobody
// knows: that two of a million names have the same is not to be expected.
type nameSet struct {
	few  []uint64
	many map[uint64]struct{}
}

func (n *nameSet) reset() { n.few, n.many = n.few[:0], nil }

// add says whether the name is new.
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

// CopyValid passes over one JSON document, by the rules of [Decode] but for its
// limits of bytes and values.
func CopyValid(from io.Reader, to io.Writer) error {
	s := NewScanner(from, to)
	if err := s.SkipValue(); err != nil {
		return err
	}
	return s.Finish()
}

// The escapes of one letter, and what they stand for.
const (
	escapeLetters = `"\/bfnrt`
	escapeMeaning = "\"\\/\b\f\n\r\t"
)

// scanEscape passes over an escape sequence, whose backslash is the next byte.
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

// scanUnicodeEscape passes over what follows \u, and over the second half where that is
// half of a character.
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

// surrogateError refuses half of a surrogate pair, or the end of the document behind it.
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
