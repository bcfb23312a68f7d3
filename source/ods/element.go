package ods

import (
	"bytes"
	"strings"

	"github.com/intraydata/intray"
)

// nextChild moves to the next element within the one that is open, past its texts.
// It gives false at the end of the open element, and at that of the part. Each
// child must be read to its end, by skip, leave or child.
func (s *scanner) nextChild() (bool, error) {
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

// forEachChild visits the elements within the one that is open, up to its end. Each
// must be read to its end by the visit.
func (s *scanner) forEachChild(visit func() error) error {
	for {
		more, err := s.nextChild()
		if err == nil && more {
			err = visit()
		}
		if err != nil || !more {
			return err
		}
	}
}

// skipElement moves to the end of the element that has just started.
func (s *scanner) skipElement() error { return s.leaveElement(len(s.nameStarts)) }

// leaveElement moves to the end of the open element at a depth. What lies within is
// not looked at more closely than to find that end: tags are counted, their
// names and attributes are not read.
func (s *scanner) leaveElement(depth int) error {
	if s.selfClosing {
		s.selfClosing = false
		s.popElement()
	}
	for inner := 0; len(s.nameStarts) >= depth; {
		if err := s.seekTag(); err != nil {
			return err
		}
		var err error
		switch s.buf[s.pos+1] {
		case '/':
			inner, err = s.skipEnd(inner)
		case '!':
			_, err = s.scanDeclaration()
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

// seekTag moves to the next tag, past text of any length, and makes sure of its
// first two bytes.
func (s *scanner) seekTag() error {
	for {
		if i := bytes.IndexByte(s.buf[s.pos:s.end], '<'); i >= 0 {
			s.pos += i
			break
		}
		s.pos = s.end
		if ok, err := s.fill(); !ok {
			return s.unexpectedEnd(err)
		}
	}
	if ok, err := s.ensure(2); !ok {
		return s.unexpectedEnd(err)
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
			if len(s.nameStarts)+inner >= s.maxDepth {
				return inner, s.tooDeep()
			}
			return inner + 1, nil
		}
		if more, err := s.fill(); !more {
			return inner, s.unexpectedEnd(err)
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

// namespace is one of the namespaces that matter here.
type namespace uint8

const (
	nsOther namespace = iota
	nsOffice
	nsTable
	nsText
	nsStyle
	// nsCalc is an extension, in which applications tell that the result of
	// a formula is an error.
	nsCalc
	// nsDraw is that of drawings, flat or not.
	nsDraw
	nsManifest
)

// binding says what a prefix means within the element at a depth.
type binding struct {
	prefix    string
	namespace namespace
	depth     int
}

// maxBindings bounds what finding a prefix costs.
const maxBindings = 64

// defaultBindings are the prefixes that practically all documents have. They hold where
// a document declares nothing, and are looked through from the last one.
func defaultBindings() []binding {
	return []binding{
		{"manifest", nsManifest, 0}, {"dr3d", nsDraw, 0}, {"draw", nsDraw, 0}, {"style", nsStyle, 0},
		{"calcext", nsCalc, 0}, {"text", nsText, 0}, {"office", nsOffice, 0}, {"table", nsTable, 0},
	}
}

// namespaceByURI finds a namespace by its URI, as OpenDocument 1.3 and its
// extensions have it.
func namespaceByURI(uri string) namespace {
	if uri == "urn:org:documentfoundation:names:experimental:calc:xmlns:calcext:1.0" {
		return nsCalc
	}
	name, found := strings.CutPrefix(uri, "urn:oasis:names:tc:opendocument:xmlns:")
	if !found {
		return nsOther
	}
	switch name {
	case "office:1.0":
		return nsOffice
	case "table:1.0":
		return nsTable
	case "text:1.0":
		return nsText
	case "style:1.0":
		return nsStyle
	case "drawing:1.0", "dr3d:1.0":
		return nsDraw
	case "manifest:1.0":
		return nsManifest
	}
	return nsOther
}

// bindNamespaces notes what the element just opened declares, where that is news.
func (s *scanner) bindNamespaces() error {
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
		meant := namespaceByURI(string(uri))
		if s.namespaceOf(prefix) == meant {
			continue
		}
		if len(s.bindings) >= maxBindings {
			return s.malformed(intray.NewMessage("xml.too_many_namespaces", intray.Params{"limit": maxBindings}))
		}
		s.bindings = append(s.bindings, binding{string(prefix), meant, len(s.nameStarts)})
	}
	return nil
}

// namespaceOf finds what a prefix means.
func (s *scanner) namespaceOf(prefix []byte) namespace {
	for i := len(s.bindings) - 1; i >= 0; i-- {
		if s.bindings[i].prefix == string(prefix) {
			return s.bindings[i].namespace
		}
	}
	return nsOther
}

// is says whether the element that starts has that name.
func (s *scanner) is(in namespace, local string) bool {
	return string(s.local) == local && s.namespaceOf(s.prefix) == in
}

// attrValue gives the raw value of an attribute of the element that starts, nil
// where it has none.
func (s *scanner) attrValue(in namespace, local string) []byte {
	for _, a := range s.attrs {
		if string(a.local) == local && len(a.prefix) > 0 && s.namespaceOf(a.prefix) == in {
			return a.value
		}
	}
	return nil
}

// attrText gives the text of an attribute, "" where there is none.
func (s *scanner) attrText(in namespace, local string) (string, error) {
	text, err := s.decode(nil, s.attrValue(in, local))
	return string(text), err
}
