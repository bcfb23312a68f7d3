package ods

import (
	"strings"

	"github.com/intraydata/intray"
)

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
