package shape

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
	mark, at, end int
	base          int64
	fault         error
	begun         bool
	depth         int
	names         [DefaultMaxDepth + 1]nameSet
	hash          maphash.Hash
	head          []byte
}

// NewScanner scans what comes from a reader, and writes what it has passed in
// pieces of up to 32 KiB.
func NewScanner(from io.Reader, to io.Writer) *Scanner {
	return &Scanner{from: from, to: to, buf: make([]byte, scanBuffer)}
}

// Divert sends what comes from here on to another writer.
func (s *Scanner) Divert(to io.Writer) error {
	err := s.flush()
	s.to = to
	return err
}

// Peek passes over white space and gives the first byte of what follows.
func (s *Scanner) Peek() (byte, error) {
	for s.more() {
		switch b := s.buf[s.at]; b {
		case ' ', '\t', '\r', '\n':
			s.at++
		default:
			return b, nil
		}
	}
	return 0, s.ended()
}

// Value passes over one value.
func (s *Scanner) Value() error {
	b, err := s.Peek()
	if err != nil {
		return err
	}
	s.begun = true
	switch b {
	case '{':
		return s.Members(nil)
	case '[':
		return s.Elements(nil)
	case '"':
		s.at++
		return s.text(nil)
	case 't':
		return s.literal("true")
	case 'f':
		return s.literal("false")
	case 'n':
		return s.literal("null")
	}
	if b == '-' || isDigit(b) {
		return s.number(b)
	}
	return s.unexpected(b)
}

// Elements passes over an array, which must be what follows. With each, that
// one is called before each element, with its index, and must pass over it.
func (s *Scanner) Elements(each func(i int) error) error {
	return s.group('[', ']', func(i int) error {
		if each != nil {
			return each(i)
		}
		return s.Value()
	})
}

// Members passes over an object, which must be what follows. With each, that
// one is called before each value, with the first 64 bytes of its name, and
// must pass over it.
func (s *Scanner) Members(each func(name string) error) error {
	s.names[min(s.depth+1, DefaultMaxDepth)].clear()
	return s.group('{', '}', func(int) error {
		if err := s.name(); err != nil {
			return err
		}
		if each != nil {
			return each(string(s.head))
		}
		return s.Value()
	})
}

// End makes sure that nothing but white space follows, and writes what was not
// written yet.
func (s *Scanner) End() error {
	switch _, err := s.Peek(); {
	case err == nil:
		return s.fail(reasonFollows)
	case s.fault != io.EOF: //nolint:errorlint // only the bare one is the end
		return err
	}
	return s.flush()
}

// group passes over what stands between two brackets, with commas between.
func (s *Scanner) group(first, last byte, each func(i int) error) error {
	if err := s.expect(first); err != nil {
		return err
	}
	s.begun = true
	if s.depth++; s.depth > DefaultMaxDepth {
		return s.fail(tooDeep(DefaultMaxDepth))
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
	s.at++
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
		return s.unexpected(b)
	}
	s.at++
	return nil
}

// name passes over a name and its colon.
func (s *Scanner) name() error {
	b, err := s.Peek()
	if err != nil {
		return err
	}
	if b != '"' {
		return s.fail(reasonName)
	}
	s.at++
	s.hash.Reset()
	s.head = s.head[:0]
	if err := s.text(s.noteName); err != nil {
		return err
	}
	if !s.names[s.depth].add(s.hash.Sum64()) {
		return s.fail(duplicateName(string(s.head)))
	}
	return s.expect(':')
}

// noteName takes a piece of a name.
func (s *Scanner) noteName(piece []byte) {
	_, _ = s.hash.Write(piece)
	s.head = append(s.head, piece[:min(len(piece), maxHead-len(s.head))]...)
}

func (s *Scanner) literal(word string) error {
	for i := range len(word) {
		if !s.more() {
			return s.ended()
		}
		if b := s.buf[s.at]; b != word[i] {
			return s.unexpected(b)
		}
		s.at++
	}
	return nil
}

func isDigit(b byte) bool { return '0' <= b && b <= '9' }

func (s *Scanner) number(first byte) error {
	if first == '-' {
		s.at++
	}
	if s.next('0') {
		return s.fraction()
	}
	if err := s.digits(); err != nil {
		return err
	}
	return s.fraction()
}

func (s *Scanner) fraction() error {
	if s.next('.') {
		if err := s.digits(); err != nil {
			return err
		}
	}
	if !s.next('e') && !s.next('E') {
		return nil
	}
	if !s.next('+') {
		s.next('-')
	}
	return s.digits()
}

// next passes over one byte if it is the one that follows.
func (s *Scanner) next(b byte) bool {
	if !s.more() || s.buf[s.at] != b {
		return false
	}
	s.at++
	return true
}

// digits passes over one digit or more.
func (s *Scanner) digits() error {
	if !s.more() {
		return s.ended()
	}
	if b := s.buf[s.at]; !isDigit(b) {
		return s.unexpected(b)
	}
	for s.more() && isDigit(s.buf[s.at]) {
		s.at++
	}
	return nil
}

// text passes over a string whose opening quote is passed, and gives its
// content to note, piece by piece, where that is wanted.
func (s *Scanner) text(note func([]byte)) error {
	for s.more() {
		from := s.at
		for s.at < s.end && plainByte[s.buf[s.at]] {
			s.at++
		}
		if note != nil {
			note(s.buf[from:s.at])
		}
		if s.at == s.end {
			continue
		}
		b := s.buf[s.at]
		var err error
		switch {
		case b == '"':
			s.at++
			return nil
		case b == '\\':
			err = s.escape(note)
		case b < ' ':
			err = s.unexpected(b)
		default:
			err = s.multibyte(note)
		}
		if err != nil {
			return err
		}
	}
	return s.ended()
}

// plainByte tells the bytes of a string that stand for themselves.
var plainByte = func() (plain [256]bool) {
	for b := ' '; b < utf8.RuneSelf; b++ {
		plain[b] = b != '"' && b != '\\'
	}
	return plain
}()

// multibyte passes over one character beyond ASCII.
func (s *Scanner) multibyte(note func([]byte)) error {
	var seq [utf8.UTFMax]byte
	n := 0
	for !utf8.FullRune(seq[:n]) {
		if !s.more() {
			return s.ended()
		}
		seq[n] = s.buf[s.at]
		s.at++
		n++
	}
	if _, size := utf8.DecodeRune(seq[:n]); size < n || n == 1 {
		return s.fail(reasonUTF8)
	}
	if note != nil {
		note(seq[:n])
	}
	return nil
}

// flush writes what was passed.
func (s *Scanner) flush() error {
	if s.mark == s.at {
		return nil
	}
	_, err := s.to.Write(s.buf[s.mark:s.at])
	s.mark = s.at
	return err
}

// more makes sure that there is a byte to look at.
func (s *Scanner) more() bool { return s.at < s.end || s.fill() }

func (s *Scanner) fill() bool {
	if s.fault != nil {
		return false
	}
	if s.fault = s.flush(); s.fault != nil {
		return false
	}
	s.base += int64(s.end)
	s.mark, s.at, s.end = 0, 0, 0
	for range 100 {
		s.end, s.fault = s.from.Read(s.buf)
		if s.end > 0 || s.fault != nil {
			return s.end > 0
		}
	}
	s.fault = io.ErrNoProgress
	return false
}

// ended says why there is nothing more.
func (s *Scanner) ended() error {
	switch {
	case s.fault != io.EOF: //nolint:errorlint // a wrapped one is the reader's trouble
		return fmt.Errorf("passing over a JSON document: %w", s.fault)
	case s.begun:
		return s.fail(reasonEarly)
	}
	return s.fail(reasonEmpty)
}

func (s *Scanner) fail(reason intray.Message) error {
	return &SyntaxError{Offset: s.base + int64(s.at), Reason: reason}
}

func (s *Scanner) unexpected(b byte) error {
	if b >= utf8.RuneSelf {
		return s.fail(reasonText)
	}
	return s.fail(unexpectedCharacter(rune(b)))
}

// nameSet holds the names of one object, as hashes under a seed that nobody
// knows: that two of a million names have the same is not to be expected.
type nameSet struct {
	few  []uint64
	many map[uint64]struct{}
}

func (n *nameSet) clear() { n.few, n.many = n.few[:0], nil }

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

// Valid passes over one JSON document, by the rules of [Decode] but for its
// limits of bytes and values.
func Valid(from io.Reader, to io.Writer) error {
	s := NewScanner(from, to)
	if err := s.Value(); err != nil {
		return err
	}
	return s.End()
}

// The escapes of one letter, and what they stand for.
const (
	escapeLetters = `"\/bfnrt`
	escapeMeaning = "\"\\/\b\f\n\r\t"
)

// escape passes over an escape sequence, whose backslash is the next byte.
func (s *Scanner) escape(note func([]byte)) error {
	s.at++
	if !s.more() {
		return s.ended()
	}
	b := s.buf[s.at]
	if b == 'u' {
		s.at++
		return s.unicode(note)
	}
	at := strings.IndexByte(escapeLetters, b)
	if at < 0 {
		return s.unexpected(b)
	}
	s.at++
	if note != nil {
		note([]byte{escapeMeaning[at]})
	}
	return nil
}

// unicode passes over what follows \u, and over the second half where that is
// half of a character.
func (s *Scanner) unicode(note func([]byte)) error {
	r, err := s.hex()
	if err != nil {
		return err
	}
	if r == 0 {
		return s.fail(reasonNUL)
	}
	if utf16.IsSurrogate(r) {
		if !s.next('\\') || !s.next('u') {
			return s.half()
		}
		low, err := s.hex()
		if err != nil {
			return err
		}
		if r = utf16.DecodeRune(r, low); r == utf8.RuneError {
			return s.half()
		}
	}
	if note != nil {
		note(utf8.AppendRune(nil, r))
	}
	return nil
}

// half refuses half of a surrogate pair, or the end of the document behind it.
func (s *Scanner) half() error {
	if !s.more() {
		return s.ended()
	}
	return s.fail(reasonSurrogate)
}

func (s *Scanner) hex() (r rune, err error) {
	for range 4 {
		if !s.more() {
			return 0, s.ended()
		}
		b := s.buf[s.at]
		digit := strings.IndexByte("0123456789abcdef", b|0x20)
		if isDigit(b) {
			digit = int(b - '0')
		} else if digit < 10 {
			return 0, s.unexpected(b)
		}
		r = r<<4 | rune(digit)
		s.at++
	}
	return r, nil
}
