package ods

import (
	"bytes"

	"github.com/intraydata/intray"
	"github.com/intraydata/intray/source"
)

// attribute is one of a tag. Its value is raw, with its entities.
type attribute struct{ prefix, local, value []byte }

// mostAttributes is how many a tag may have: the content's outermost element
// has some forty, most of them namespaces.
const mostAttributes = 1024

// endsName marks the characters that cannot be part of a name.
var endsName = [256]bool{' ': true, '\t': true, '\r': true, '\n': true, '/': true, '>': true, '=': true, '<': true, '"': true, '\'': true, '&': true}

func isSpace(c byte) bool { return c == ' ' || c == '\n' || c == '\r' || c == '\t' }

// startTag reads a tag, from its beginning again where the buffer ended within.
func (s *scanner) startTag() error {
	for {
		size, name, ok := s.parseTag(s.buf[s.pos:s.end])
		switch {
		case ok:
			return s.push(size, name)
		case size < 0:
			return s.broken(intray.NewMessage("xml.invalid_tag", nil))
		case len(s.attrs) > mostAttributes:
			return &source.LimitError{Reason: intray.NewMessage("workbook.part_too_many_attributes", intray.Params{"part": source.Excerpt(s.part), "limit": mostAttributes})}
		}
		if more, err := s.more(); !more {
			return s.cut(err)
		}
	}
}

// push opens the element whose tag was read.
func (s *scanner) push(size int, name []byte) error {
	if len(s.begins) == 0 && s.rooted {
		return s.broken(intray.NewMessage("xml.several_roots", nil))
	}
	if len(s.begins) >= s.deepest {
		return s.tooDeep()
	}
	s.rooted = true
	s.begins = append(s.begins, len(s.open))
	s.open = append(s.open, name...)
	s.prefix, s.local = split(name)
	s.pos += size
	return s.bind()
}

func (s *scanner) tooDeep() error {
	return &source.LimitError{Reason: intray.NewMessage("workbook.part_too_deep", intray.Params{"part": source.Excerpt(s.part), "limit": s.deepest})}
}

// split cuts a name at its colon.
func split(name []byte) (prefix, local []byte) {
	if i := bytes.IndexByte(name, ':'); i >= 0 {
		return name[:i], name[i+1:]
	}
	return nil, name
}

// close drops the innermost element, and what it has bound.
func (s *scanner) close() {
	last := len(s.begins) - 1
	s.open = s.open[:s.begins[last]]
	s.begins = s.begins[:last]
	for n := len(s.spaces); s.spaces[n-1].depth > last; n = len(s.spaces) {
		s.spaces = s.spaces[:n-1]
	}
}

// innermost is the full name of the innermost open element.
func (s *scanner) innermost() []byte { return s.open[s.begins[len(s.begins)-1]:] }

// parseTag reads the tag at the beginning of b into attrs. Without ok it needs
// more bytes, or has too many attributes, or the tag is broken, where size is
// negative.
func (s *scanner) parseTag(b []byte) (size int, name []byte, ok bool) {
	i := 1
	for i < len(b) && !endsName[b[i]] {
		i++
	}
	if i == 1 && i < len(b) {
		return -1, nil, false
	}
	name, s.attrs = b[1:i], s.attrs[:0]
	for len(s.attrs) <= mostAttributes {
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
			s.empty = true
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
	for ; i < len(b) && !endsName[b[i]]; i++ {
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
	if len(s.begins) > 0 { // mostly it is the right tag, without white space
		open, b := s.innermost(), s.buf[s.pos+2:s.end]
		if n := len(open); len(b) > n && b[n] == '>' && string(b[:n]) == string(open) {
			s.pos += n + 3
			s.close()
			return nil
		}
	}
	end, err := s.find(">", 2)
	if end < 0 {
		return s.cut(err)
	}
	name := bytes.TrimRight(s.buf[s.pos+2:s.pos+end], " \t\r\n")
	if len(s.begins) == 0 || !bytes.Equal(name, s.innermost()) {
		return s.broken(intray.NewMessage("xml.unopened_element", nil))
	}
	s.pos += end + 1
	s.close()
	return nil
}
