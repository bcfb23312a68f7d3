package jsonrows

import (
	"bytes"
	"errors"
	"io"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/intraydata/intray/source"
)

// lineScanner reads lines that contain one object each. Its fast path handles objects whose
// names have the same order as in the previous line and whose values are written as usual. It
// reads all other lines with the decoder and an elementWalker, like the sequential reader. The
// tree of names must not change during a scan.
type lineScanner struct {
	in     source.Input
	names  *nameTree
	limits source.Limits
	// text must end with a line end, which ends every token. Cells are unescaped in place,
	// because unescaping never makes them longer. Its capacity exceeds its length by at least textSlack.
	text []byte
	// from is the offset of the text in the file.
	from int64
	// seen holds, for each name, the number of the last element with that name.
	seen    []uint32
	element uint32
	sink    elementSink
	// leaves holds the leaves of the current element. If skipLeaves is set, only lines that are read with the
	// decoder have leaves, and the sequential reader reads elements with a leaf whose name has no column.
	leaves     []leaf
	skipLeaves bool

	walk *elementWalker
	dec  *jsontext.Decoder
	line []byte
	// packAt is the offset in text at which the next cell of a line is stored if the walker
	// reads that line.
	packAt int
	// backslash is the result of the last search for a backslash, or -1.
	backslash int
	_         [cacheLines]byte
}

// cacheLines is the distance, in bytes, at which two processors write without slowing each other down: two
// cache lines, because some processors fetch lines in pairs. Without it, small objects of two workers would
// share a line, because they are allocated one after the other.
const cacheLines = 128

// textSlack is the number of bytes after a text that a scanner may read. They may have any value.
const textSlack = 16

// leaf is the leaf text[from:to] of an element.
type leaf struct {
	name     *nameNode
	from, to int
	number   bool
}

// elementSink receives the leaves of each element. It returns false if the element must be read by the
// sequential reader.
type elementSink interface {
	addElement(text []byte, leaves []leaf) bool
}

func newLineScanner(in source.Input, tree *nameTree, limits source.Limits, sink elementSink) *lineScanner {
	s := &lineScanner{in: in, names: tree, limits: limits, sink: sink, seen: make([]uint32, tree.count, tree.count+cacheLines/4)}
	s.walk = &elementWalker{names: tree, readOnly: true, visit: s.storeCell, cellBytes: limits.CellBytes, columns: limits.Columns}
	s.dec = jsontext.NewDecoder(bytes.NewReader(nil))
	return s
}

// reset starts scanning text, which begins at the file offset given by from. The capacity of text must
// exceed its length by at least textSlack. reset returns false if the text is not valid UTF-8.
func (s *lineScanner) reset(text []byte, from int64) (fine bool) {
	s.text, s.from, s.backslash = text, from, -1
	if s.element > 1<<31 {
		clear(s.seen)
		s.element = 0
	}
	return utf8.Valid(text)
}

// nextElement returns the offset of the first element at or after text[at], or the end of the
// text.
func (s *lineScanner) nextElement(at int) int { return skipSpace(s.text, at) }

// scanElement reads the element at text[at] and returns the offset after its line, or
// notFound if the sequential reader must read it.
func (s *lineScanner) scanElement(at int) int {
	s.element++
	s.leaves = s.leaves[:0]
	if s.text[at] != '{' {
		return notFound
	}
	next := notFound
	if end := s.scanObject(at, s.names.root, 1); end != notFound && end-at <= s.limits.RecordBytes {
		next = s.skipLineEnd(end)
	}
	if next == notFound {
		next = s.scanStrict(at)
	}
	if next == notFound || !s.sink.addElement(s.text, s.leaves) {
		return notFound
	}
	return next
}

// skipLineEnd returns the offset after the line end at text[at], which white space may
// precede. It returns notFound if there is no line end.
func (s *lineScanner) skipLineEnd(at int) int {
	if at = s.skipBlanks(at); s.text[at] == '\r' {
		at++
	}
	if s.text[at] != '\n' {
		return notFound
	}
	return at + 1
}

// skipBlanks returns the offset after the spaces and tabs at text[at].
func (s *lineScanner) skipBlanks(at int) int {
	for s.text[at] == ' ' || s.text[at] == '\t' {
		at++
	}
	return at
}

// scanObject reads the object at text[at], whose depth must be at most MaxDepth. It returns the offset after
// it, or notFound.
func (s *lineScanner) scanObject(at int, in *nameNode, depth int) int {
	text := s.text
	if at = s.skipBlanks(at + 1); text[at] == '}' {
		return s.emptyObject(at, in)
	}
	child := in.firstChild // the most likely name, or nil
	for {
		if child != nil && child.key.startsAt(text, at) && child.key.endsAt(text, at+16) {
			if at += child.key.length; text[at] == ' ' {
				at = s.skipBlanks(at)
			}
		} else {
			child, at = s.scanName(s.skipBlanks(at), in)
		}
		if child == nil || s.seen[child.id] == s.element {
			return notFound
		}
		s.seen[child.id] = s.element
		to := 0
		if text[at] == '"' {
			to = at + 1
			for n := 16; n == 16; to += n {
				n = quoteIn16(text[to : to+16])
			}
			if to > s.backslash {
				to = min(to, s.findBackslash(at))
			}
		}
		if to > 0 && text[to] == '"' && to-at <= s.limits.CellBytes && s.addLeaf(child, at+1, to, false) {
			at = to + 1 // most values are plain strings
		} else if at = s.scanValue(at, child, depth); at == notFound {
			return notFound
		}
		if text[at] != ',' {
			if at = s.skipBlanks(at); text[at] != ',' {
				return objectEnd(text, at)
			}
		}
		if at++; text[at] == ' ' {
			at++
		}
		child = child.nextSibling
	}
}

// emptyObject records an object without members, which ends at text[at], as an empty leaf. It returns the
// offset after the object, or notFound.
func (s *lineScanner) emptyObject(at int, in *nameNode) int {
	if in != s.names.root && !s.addLeaf(in, at, at, false) {
		return notFound
	}
	return at + 1
}

// objectEnd returns the offset after the end of an object at text[at], or notFound.
func objectEnd(text []byte, at int) int {
	if text[at] != '}' {
		return notFound
	}
	return at + 1
}

// addLeaf records a leaf. It returns false if leaves are skipped and the name has no column.
func (s *lineScanner) addLeaf(n *nameNode, from, to int, number bool) bool {
	if s.skipLeaves {
		return n.column != noColumn
	}
	s.leaves = append(s.leaves, leaf{n, from, to, number})
	return true
}

// findBackslash returns the offset of the first backslash at or after text[at], or the end of the text.
func (s *lineScanner) findBackslash(at int) int {
	if s.backslash < at {
		s.backslash = len(s.text)
		if n := bytes.IndexByte(s.text[at:], '\\'); n >= 0 {
			s.backslash = at + n
		}
	}
	return s.backslash
}

// scanName reads the name at text[at] and its colon, and returns the offset of the value.
func (s *lineScanner) scanName(at int, in *nameNode) (child *nameNode, value int) {
	if s.text[at] != '"' {
		return nil, notFound
	}
	end := stringStop(s.text, at+1)
	if s.text[end] != '"' {
		return nil, notFound
	}
	colon := s.skipBlanks(end + 1)
	if s.text[colon] != ':' {
		return nil, notFound
	}
	return in.children[string(s.text[at+1:end])], s.skipBlanks(colon + 1)
}

// scanValue reads the value at text[at] and returns the offset after it, or notFound.
func (s *lineScanner) scanValue(at int, n *nameNode, depth int) (end int) {
	from, to, number := at, at, false
	switch c := s.text[at]; {
	case c == '"':
		from++
		to = stringStop(s.text, from)
		if end = to + 1; s.text[to] != '"' {
			to, end = s.unescapeInPlace(to)
		}
	case c == '-' || c-'0' <= 9:
		end = numberToken(s.text, at)
		to, number = end, true
	case c == '{':
		if depth == MaxDepth {
			return notFound
		}
		return s.scanObject(at, n, depth+1)
	case c == '[':
		to, end = s.compactArray(at, depth)
	default:
		if end = literalToken(s.text, at); c != 'n' {
			to = end
		}
	}
	if end == notFound || to-from > s.limits.CellBytes || !s.addLeaf(n, from, to, number) {
		return notFound
	}
	return end
}

// unescapeInPlace unescapes a string from its first backslash, which is at text[at]. It
// returns the end of the unescaped text and the offset after the closing quote.
func (s *lineScanner) unescapeInPlace(at int) (to, end int) {
	to = at
	for {
		switch s.text[at] {
		case '"':
			return to, at + 1
		case '\\':
			size, length := decodeEscape(s.text, at, to)
			if length == 0 {
				return notFound, notFound
			}
			at += length
			to += size
		default:
			return notFound, notFound
		}
		stop := stringStop(s.text, at)
		to += copy(s.text[to:], s.text[at:stop])
		at = stop
	}
}

// compactArray removes the white space from the array at text[at]. It leaves arrays that contain
// objects or escape sequences to the walker.
func (s *lineScanner) compactArray(at, depth int) (to, end int) {
	end = valueToken(s.text, at, depth+1)
	if end == notFound || bytes.IndexByte(s.text[at:end], '\\') >= 0 || bytes.IndexByte(s.text[at:end], '{') >= 0 {
		return notFound, notFound
	}
	to = at
	for at < end {
		from := at
		if s.text[at] == '"' {
			at = stringStop(s.text, at+1)
		}
		at++
		to += copy(s.text[to:], s.text[from:at])
		at = skipSpace(s.text, at)
	}
	return to, end
}

// errIrregular reports that the sequential reader must read an element, because the element
// has a new name.
var errIrregular = errors.New("the names are not complete")

// scanStrict reads the line at text[at] with the decoder, which checks all rules of JSON. It
// reads the line from the file again, because parts of text may already be unescaped.
func (s *lineScanner) scanStrict(at int) int {
	end := at + bytes.IndexByte(s.text[at:], '\n') + 1
	if cap(s.line) < end-at {
		s.line = make([]byte, end-at)
	}
	s.line = s.line[:end-at]
	if err := readFullAt(s.in, s.line, s.from+int64(at)); err != nil {
		return notFound
	}
	s.dec.Reset(bytes.NewReader(s.line))
	value, err := s.dec.ReadValue()
	if err != nil || len(value) > s.limits.RecordBytes {
		return notFound
	}
	s.packAt, s.leaves = at, s.leaves[:0]
	if err := s.walk.walkElement(value); err != nil {
		return notFound
	}
	if _, err := s.dec.ReadToken(); !errors.Is(err, io.EOF) {
		return notFound
	}
	return end
}

// storeCell stores a cell in the text of its own line, which is long enough for all of its cells.
func (s *lineScanner) storeCell(n *nameNode, cell []byte) error {
	from := s.packAt
	s.packAt += copy(s.text[from:], cell)
	s.leaves = append(s.leaves, leaf{n, from, s.packAt, s.walk.isNumber})
	return nil
}

// decodeEscape decodes the escape sequence at text[at] and writes the character to text[to:].
// The value of to must not exceed that of at. It returns the lengths of the character and of the
// escape sequence in bytes. They are 0 if the escape sequence is invalid, NUL or an unpaired
// surrogate.
func decodeEscape(text []byte, at, to int) (size, length int) {
	if escapeToken(text, at) == notFound {
		return 0, 0
	}
	if c := text[at+1]; c != 'u' {
		text[to] = simpleEscapes[c]
		return 1, 2
	}
	char, _ := parseHex4(text, at+2)
	length = 6
	if utf16.IsSurrogate(char) {
		if text[at+6] != '\\' || text[at+7] != 'u' {
			return 0, 0
		}
		low, _ := parseHex4(text, at+8)
		if char = utf16.DecodeRune(char, low); char == utf8.RuneError {
			return 0, 0
		}
		length = 12
	}
	if char == 0 {
		return 0, 0
	}
	return utf8.EncodeRune(text[to:to+4], char), length
}

// simpleEscapes maps the character after a backslash to the character that the escape sequence
// represents.
var simpleEscapes = [256]byte{'"': '"', '\\': '\\', '/': '/', 'b': '\b', 'f': '\f', 'n': '\n', 'r': '\r', 't': '\t'}
