package ods

import (
	"bytes"
	"strings"

	"github.com/intraydata/intray"
)

// child moves to the next element within the one that is open, past its texts.
// It gives false at the end of the open element, and at that of the part. Each
// child must be read to its end, by skip, leave or child.
func (s *scanner) child() (bool, error) {
	for {
		found, err := s.next()
		if err != nil {
			return false, err
		}
		if found != tokenText {
			return found == tokenStart, nil
		}
	}
}

// children visits the elements within the one that is open, up to its end. Each
// must be read to its end by the visit.
func (s *scanner) children(visit func() error) error {
	for {
		more, err := s.child()
		if err == nil && more {
			err = visit()
		}
		if err != nil || !more {
			return err
		}
	}
}

// skip moves to the end of the element that has just started.
func (s *scanner) skip() error { return s.leave(len(s.begins)) }

// leave moves to the end of the open element at a depth. What lies within is
// not looked at more closely than to find that end: tags are counted, their
// names and attributes are not read.
func (s *scanner) leave(depth int) error {
	if s.empty {
		s.empty = false
		s.close()
	}
	for inner := 0; len(s.begins) >= depth; {
		if err := s.toTag(); err != nil {
			return err
		}
		var err error
		switch s.buf[s.pos+1] {
		case '/':
			inner, err = s.skipEnd(inner)
		case '!':
			_, err = s.declaration()
		case '?':
			err = s.skipPast("?>")
		default:
			inner, err = s.skipStart(inner)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// toTag moves to the next tag, past text of any length, and makes sure of its
// first two bytes.
func (s *scanner) toTag() error {
	for {
		if i := bytes.IndexByte(s.buf[s.pos:s.end], '<'); i >= 0 {
			s.pos += i
			break
		}
		s.pos = s.end
		if ok, err := s.more(); !ok {
			return s.cut(err)
		}
	}
	if ok, err := s.need(2); !ok {
		return s.cut(err)
	}
	return nil
}

// skipEnd passes an end tag: one that is only counted, or that of the innermost
// open element.
func (s *scanner) skipEnd(inner int) (int, error) {
	if inner == 0 {
		return 0, s.endTag()
	}
	return inner - 1, s.skipPast(">")
}

// skipStart passes a start tag.
func (s *scanner) skipStart(inner int) (int, error) {
	for {
		size := tagSize(s.buf[s.pos:s.end])
		if size > 0 {
			s.pos += size
			if s.buf[s.pos-2] == '/' {
				return inner, nil
			}
			if len(s.begins)+inner >= s.deepest {
				return inner, s.tooDeep()
			}
			return inner + 1, nil
		}
		if more, err := s.more(); !more {
			return inner, s.cut(err)
		}
	}
}

// tagSize is the length of the tag that b begins with, 0 where b ends within it.
func tagSize(b []byte) int {
	end := bytes.IndexByte(b, '>')
	if end < 0 {
		return 0
	}
	// Mostly the first > ends the tag: no value is left open in front of it.
	if tag := b[:end]; bytes.Count(tag, []byte{'"'})%2 == 0 && bytes.IndexByte(tag, '\'') < 0 {
		return end + 1
	}
	return quotedTagSize(b)
}

// quotedTagSize is tagSize of any tag, value by value.
func quotedTagSize(b []byte) int {
	for i := 1; i < len(b); i++ {
		switch b[i] {
		case '>':
			return i + 1
		case '"', '\'':
			length := bytes.IndexByte(b[i+1:], b[i])
			if length < 0 {
				return 0
			}
			i += length + 1
		}
	}
	return 0
}

// space is one of the namespaces that matter here.
type space uint8

const (
	spaceOther space = iota
	spaceOffice
	spaceTable
	spaceText
	spaceStyle
	// spaceCalc is an extension, in which applications tell that the result of
	// a formula is an error.
	spaceCalc
	// spaceDraw is that of drawings, flat or not.
	spaceDraw
	spaceManifest
)

// binding says what a prefix means within the element at a depth.
type binding struct {
	prefix string
	space  space
	depth  int
}

// mostBindings bounds what finding a prefix costs.
const mostBindings = 64

// usual are the prefixes that practically all documents have. They hold where
// a document declares nothing, and are looked through from the last one.
func usual() []binding {
	return []binding{
		{"manifest", spaceManifest, 0}, {"dr3d", spaceDraw, 0}, {"draw", spaceDraw, 0}, {"style", spaceStyle, 0},
		{"calcext", spaceCalc, 0}, {"text", spaceText, 0}, {"office", spaceOffice, 0}, {"table", spaceTable, 0},
	}
}

// spaceNamed finds a namespace by its URI, as OpenDocument 1.3 and its
// extensions have it.
func spaceNamed(uri string) space {
	if uri == "urn:org:documentfoundation:names:experimental:calc:xmlns:calcext:1.0" {
		return spaceCalc
	}
	name, found := strings.CutPrefix(uri, "urn:oasis:names:tc:opendocument:xmlns:")
	if !found {
		return spaceOther
	}
	switch name {
	case "office:1.0":
		return spaceOffice
	case "table:1.0":
		return spaceTable
	case "text:1.0":
		return spaceText
	case "style:1.0":
		return spaceStyle
	case "drawing:1.0", "dr3d:1.0":
		return spaceDraw
	case "manifest:1.0":
		return spaceManifest
	}
	return spaceOther
}

// bind notes what the element just opened declares, where that is news.
func (s *scanner) bind() error {
	for _, a := range s.attrs {
		var prefix []byte
		switch {
		case string(a.prefix) == "xmlns":
			prefix = a.local
		case len(a.prefix) > 0 || string(a.local) != "xmlns":
			continue
		}
		uri, err := s.decode(nil, a.value)
		if err != nil {
			return err
		}
		meant := spaceNamed(string(uri))
		if s.space(prefix) == meant {
			continue
		}
		if len(s.spaces) >= mostBindings {
			return s.broken(intray.NewMessage("xml.too_many_namespaces", intray.Params{"limit": mostBindings}))
		}
		s.spaces = append(s.spaces, binding{string(prefix), meant, len(s.begins)})
	}
	return nil
}

// space finds what a prefix means.
func (s *scanner) space(prefix []byte) space {
	for i := len(s.spaces) - 1; i >= 0; i-- {
		if s.spaces[i].prefix == string(prefix) {
			return s.spaces[i].space
		}
	}
	return spaceOther
}

// is says whether the element that starts has that name.
func (s *scanner) is(in space, local string) bool {
	return string(s.local) == local && s.space(s.prefix) == in
}

// attr gives the raw value of an attribute of the element that starts, nil
// where it has none.
func (s *scanner) attr(in space, local string) []byte {
	for _, a := range s.attrs {
		if string(a.local) == local && len(a.prefix) > 0 && s.space(a.prefix) == in {
			return a.value
		}
	}
	return nil
}

// attrText gives the text of an attribute, "" where there is none.
func (s *scanner) attrText(in space, local string) (string, error) {
	text, err := s.decode(nil, s.attr(in, local))
	return string(text), err
}
