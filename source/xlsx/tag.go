package xlsx

import (
	"bytes"

	"github.com/intraydata/intray"
	"github.com/intraydata/intray/source"
)

// endsName marks the characters that cannot be part of a name.
var endsName = [256]bool{' ': true, '\t': true, '\r': true, '\n': true, '/': true, '>': true, '=': true, '<': true, '"': true, '\'': true, '&': true}

func isSpace(c byte) bool { return c == ' ' || c == '\n' || c == '\r' || c == '\t' }

// startTag reads a tag, from its beginning again where the buffer ended within.
func (s *scanner) startTag() (token, error) {
	for {
		size, ok := s.parseTag()
		if ok {
			return tokenStart, s.push(size)
		}
		if size < 0 {
			return tokenNone, s.broken(intray.NewMessage("xml.invalid_tag", nil))
		}
		if more, err := s.more(); !more {
			return tokenNone, s.cut(err)
		}
	}
}

// push opens the element whose tag was read.
func (s *scanner) push(size int) error {
	if len(s.begins) == 0 && s.rooted {
		return s.broken(intray.NewMessage("xml.several_roots", nil))
	}
	if len(s.begins) >= s.deepest {
		return &source.LimitError{Reason: intray.NewMessage("workbook.part_too_deep", intray.Params{"part": source.Excerpt(s.part), "limit": s.deepest})}
	}
	s.rooted = true
	s.begins = append(s.begins, len(s.open))
	s.open = append(s.open, s.name...)
	s.pos += size
	s.name = s.name[afterPrefix(s.name):]
	return nil
}

func afterPrefix(name []byte) int { return bytes.IndexByte(name, ':') + 1 }

// close drops the innermost element.
func (s *scanner) close() {
	last := len(s.begins) - 1
	s.open = s.open[:s.begins[last]]
	s.begins = s.begins[:last]
}

// parseTag reads the tag at pos into name and attrs. Without ok it needs more
// bytes, or the tag is broken, where size is negative.
func (s *scanner) parseTag() (size int, ok bool) {
	b := s.buf[s.pos:s.end]
	i := 1
	for i < len(b) && !endsName[b[i]] {
		i++
	}
	if i == 1 && i < len(b) {
		return -1, false
	}
	s.tag, s.name, s.attrs = s.pos, b[1:i], s.attrs[:0]
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
			s.empty = true
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
	for i < len(b) && !endsName[b[i]] {
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
	last := len(s.begins) - 1
	if last >= 0 { // mostly it is the right tag, without white space
		open, b := s.open[s.begins[last]:], s.buf[s.pos+2:s.end]
		if n := len(open); len(b) > n && b[n] == '>' && string(b[:n]) == string(open) {
			s.pos += n + 3
			s.close()
			return tokenEnd, nil
		}
	}
	end, err := s.find(">", 2)
	if err != nil {
		return tokenNone, err
	}
	name := s.buf[s.pos+2 : s.pos+end]
	for len(name) > 0 && isSpace(name[len(name)-1]) {
		name = name[:len(name)-1]
	}
	if last < 0 || !bytes.Equal(name, s.open[s.begins[last]:]) {
		return tokenNone, s.broken(intray.NewMessage("xml.unopened_element", nil))
	}
	s.pos += end + 1
	s.close()
	return tokenEnd, nil
}

// attr gives the raw value of an attribute of the element that starts, nil
// where it has none.
func (s *scanner) attr(name string) []byte {
	for _, a := range s.attrs {
		if string(s.buf[s.tag+a.name:s.tag+a.nameEnd]) == name {
			return s.buf[s.tag+a.value : s.tag+a.valueEnd]
		}
	}
	return nil
}

// attrText gives the text of an attribute, "" where there is none.
func (s *scanner) attrText(name string) (string, error) {
	text, err := s.decode(nil, s.attr(name))
	return string(text), err
}

// attrTrue says whether an attribute is there and true.
func (s *scanner) attrTrue(name string) bool { return isTrue(s.attr(name)) }

func isTrue(text []byte) bool { return string(text) == "1" || string(text) == "true" }
