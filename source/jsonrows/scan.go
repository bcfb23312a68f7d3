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

// A scan reads lines of one object each. Its hot path takes those whose names
// come in the order of the line before and whose values are as most are; any
// other line goes through the decoder and the walk, as outside of it. The tree
// of names must not change meanwhile.
type scan struct {
	in     source.Input
	names  *names
	limits source.Limits
	// text ends behind a line end, which stops every token. Cells are unescaped
	// in place: they never get longer.
	text []byte
	// from is where the text begins in the file.
	from int64
	// seen holds for each name the element that had it last.
	seen    []uint32
	element uint32
	keep    keeper

	walk *walk
	dec  *jsontext.Decoder
	line []byte
	// pack is where the next cell of a line that the walk reads is put.
	pack int
}

// A keeper is told of the leaves of an element.
type keeper interface {
	// leaf keeps the leaf that stands in text from a place to another, which may
	// be a number, and says false where only reading one by one can tell what to
	// do with it.
	leaf(n *name, text []byte, from, to int, number bool) bool
	// again says that the leaves of the element at hand come once more.
	again()
}

func newScan(in source.Input, tree *names, limits source.Limits, keep keeper) *scan {
	s := &scan{in: in, names: tree, limits: limits, keep: keep, seen: make([]uint32, tree.count)}
	s.walk = &walk{names: tree, readOnly: true, visit: s.visit, cellBytes: limits.CellBytes, columns: limits.Columns}
	s.dec = jsontext.NewDecoder(bytes.NewReader(nil))
	return s
}

// begin takes a text for the next elements.
func (s *scan) begin(text []byte, from int64) (fine bool) {
	s.text, s.from = text, from
	if s.element > 1<<31 {
		clear(s.seen)
		s.element = 0
	}
	return utf8.Valid(text)
}

// next is the place of the next element from text[at] on, or the end.
func (s *scan) next(at int) int { return skipSpace(s.text, at) }

// row reads the element at text[at] and gives the place behind its line, or
// none. Then something about it needs to be told.
func (s *scan) row(at int) int {
	s.element++
	if s.text[at] != '{' {
		return none
	}
	if end := s.object(at, s.names.root, 1); end != none && end-at <= s.limits.RecordBytes {
		if next := s.lineEnd(end); next != none {
			return next
		}
	}
	return s.strictly(at)
}

// lineEnd is the place behind the line end at text[at], which blanks may stand
// before.
func (s *scan) lineEnd(at int) int {
	if at = s.skip(at); s.text[at] == '\r' {
		at++
	}
	if s.text[at] != '\n' {
		return none
	}
	return at + 1
}

// skip passes over the white space inside a line.
func (s *scan) skip(at int) int {
	for s.text[at] == ' ' || s.text[at] == '\t' {
		at++
	}
	return at
}

// object reads the object at text[at].
func (s *scan) object(at int, in *name, depth int) int {
	if depth > MaxDepth {
		return none
	}
	if at = s.skip(at + 1); s.text[at] == '}' {
		if in != s.names.root && !s.keep.leaf(in, s.text, 0, 0, false) {
			return none
		}
		return at + 1
	}
	expected := in.first
	for {
		child, value := s.name(at, in, expected)
		if child == nil || s.seen[child.id] == s.element {
			return none
		}
		s.seen[child.id] = s.element
		if at = s.value(value, child, depth); at == none {
			return none
		}
		if c := s.text[at]; c != ',' && c != '}' {
			at = s.skip(at)
		}
		switch s.text[at] {
		case '}':
			return at + 1
		case ',':
			if at++; s.text[at] != '"' {
				at = s.skip(at)
			}
		default:
			return none
		}
		expected = child.next
	}
}

// name reads the name at text[at] and its colon, and gives where the value
// begins. expected is the name that most likely stands there, or nil.
func (s *scan) name(at int, in, expected *name) (child *name, value int) {
	if expected != nil && expected.quoted != "" {
		end := at + len(expected.quoted)
		if end < len(s.text) && string(s.text[at:end]) == expected.quoted {
			if s.text[end] == ' ' {
				end = s.skip(end)
			}
			return expected, end
		}
	}
	if s.text[at] != '"' {
		return nil, none
	}
	end := stringStop(s.text, at+1)
	if s.text[end] != '"' {
		return nil, none
	}
	colon := s.skip(end + 1)
	if s.text[colon] != ':' {
		return nil, none
	}
	return in.children[string(s.text[at+1:end])], s.skip(colon + 1)
}

// value reads the value at text[at].
func (s *scan) value(at int, n *name, depth int) (end int) {
	from, to, number := at, at, false
	switch c := s.text[at]; {
	case c == '"':
		from++
		to = stringStop(s.text, from)
		if end = to + 1; s.text[to] != '"' {
			to, end = s.unescape(to)
		}
	case c == '-' || c-'0' <= 9:
		end = numberToken(s.text, at)
		to, number = end, true
	case c == '{':
		return s.object(at, n, depth+1)
	case c == '[':
		to, end = s.array(at, depth)
	default:
		if end = literalToken(s.text, at); c != 'n' {
			to = end
		}
	}
	if end == none || to-from > s.limits.CellBytes || !s.keep.leaf(n, s.text, from, to, number) {
		return none
	}
	return end
}

// unescape goes on in a string at its first backslash. It gives where its text
// ends and the place behind the closing quote.
func (s *scan) unescape(at int) (to, end int) {
	to = at
	for {
		switch s.text[at] {
		case '"':
			return to, at + 1
		case '\\':
			size, length := unescaped(s.text, at, to)
			if length == 0 {
				return none, none
			}
			at += length
			to += size
		default:
			return none, none
		}
		stop := stringStop(s.text, at)
		to += copy(s.text[to:], s.text[at:stop])
		at = stop
	}
}

// array makes the array at text[at] lose its white space. One with objects is
// left to the walk.
func (s *scan) array(at, depth int) (to, end int) {
	end = valueToken(s.text, at, depth+1)
	if end == none || bytes.IndexByte(s.text[at:end], '\\') >= 0 || bytes.IndexByte(s.text[at:end], '{') >= 0 {
		return none, none
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

// errIrregular stops a walk where elements have to be read one by one.
var errIrregular = errors.New("the names are not complete")

// strictly reads the line at text[at] with the decoder, which knows all rules.
// The text itself may be unescaped in part, so the line is read again.
func (s *scan) strictly(at int) int {
	end := at + bytes.IndexByte(s.text[at:], '\n') + 1
	if cap(s.line) < end-at {
		s.line = make([]byte, end-at)
	}
	s.line = s.line[:end-at]
	if err := readAt(s.in, s.line, s.from+int64(at)); err != nil {
		return none
	}
	s.dec.Reset(bytes.NewReader(s.line))
	value, err := s.dec.ReadValue()
	if err != nil || len(value) > s.limits.RecordBytes {
		return none
	}
	s.pack = at
	s.keep.again()
	if err := s.walk.element(value); err != nil {
		return none
	}
	if _, err := s.dec.ReadToken(); !errors.Is(err, io.EOF) {
		return none
	}
	return end
}

// visit puts a cell back into the line that it comes from: all of them together
// are shorter.
func (s *scan) visit(n *name, cell []byte) error {
	from := s.pack
	s.pack += copy(s.text[from:], cell)
	if !s.keep.leaf(n, s.text, from, s.pack, s.walk.number) {
		return errIrregular
	}
	return nil
}

// unescaped writes what the escape at text[at] means to text[to:], which is not
// behind it, and gives its size and that of the escape, or 0: the escape is none,
// half a pair or the NUL character.
func unescaped(text []byte, at, to int) (size, length int) {
	if escapeToken(text, at) == none {
		return 0, 0
	}
	if c := text[at+1]; c != 'u' {
		text[to] = plainEscapes[c]
		return 1, 2
	}
	char, _ := hex4(text, at+2)
	length = 6
	if utf16.IsSurrogate(char) {
		if text[at+6] != '\\' || text[at+7] != 'u' {
			return 0, 0
		}
		low, _ := hex4(text, at+8)
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

// plainEscapes holds what stands behind a backslash with what it means.
var plainEscapes = [256]byte{'"': '"', '\\': '\\', '/': '/', 'b': '\b', 'f': '\f', 'n': '\n', 'r': '\r', 't': '\t'}
