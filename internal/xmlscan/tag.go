package xmlscan

import (
	"bytes"

	"github.com/intraydata/intray"
)

// attr is the location of an attribute in its tag. from is the index at which its full name
// starts, and name is the index at which its name without the prefix starts. Storing indexes is
// faster than storing slices.
type attr struct{ from, name, nameEnd, value, valueEnd int }

const (
	// maxNameBytes is the maximum length of the name of an element, in bytes.
	maxNameBytes = 256
	// maxAttributes is the maximum number of attributes of a tag. The root element of
	// OpenDocument content has about 40, most of them namespace declarations.
	maxAttributes = 1024
	// maxBindings is the maximum number of prefixes that are bound at a time. More
	// bindings make finding a prefix slower.
	maxBindings = 64
)

// nameClass is the class of each byte. Bytes of class 0 are part of a name.
var nameClass = [256]uint8{' ': delimiter, '\t': delimiter, '\r': delimiter, '\n': delimiter, '/': delimiter, '>': delimiter, '=': delimiter, '<': delimiter, '"': delimiter, '\'': delimiter, '&': delimiter, ':': colon}

const (
	delimiter = 1
	colon     = 2
)

// nameEnd returns the index after the name that begins at b[i], and the index of the
// first colon in the name or -1.
func nameEnd(b []byte, i int) (end, split int) {
	split = -1
	for ; i < len(b); i++ {
		if class := nameClass[b[i]]; class == 0 {
			continue
		} else if class == delimiter {
			break
		}
		if split < 0 {
			split = i
		}
	}
	return i, split
}

// IsSpace reports whether a character is XML white space.
func IsSpace(c byte) bool { return c <= ' ' && (c == ' ' || c == '\n' || c == '\r' || c == '\t') }

// startTag reads a start tag. If the buffer ends within the tag, it reads more of the
// part and parses the tag again from its beginning.
func (s *Scanner) startTag() error {
	for {
		size, name, ok := s.parseTag(s.buf[s.pos:s.end])
		switch {
		case ok:
			return s.pushElement(size, name)
		case size < 0:
			return s.Malformed(intray.NewMessage("xml.invalid_tag", nil))
		case len(s.attrs) > maxAttributes:
			return s.tooManyAttributes()
		}
		if more, err := s.fill(); !more {
			return s.unexpectedEnd(err)
		}
	}
}

// pushElement opens the element whose start tag was read.
func (s *Scanner) pushElement(size int, name []byte) error {
	if len(s.nameStarts) >= s.cfg.Depth {
		return s.tooDeep()
	}
	s.hasRoot = true
	s.nameStarts = append(s.nameStarts, len(s.openNames))
	s.openNames = append(s.openNames, name...)
	s.pos += size
	if s.cfg.Namespaces == nil {
		return nil
	}
	return s.bindNamespaces()
}

// popElement closes the innermost element and drops the prefixes that it has bound.
func (s *Scanner) popElement() {
	last := len(s.nameStarts) - 1
	s.openNames = s.openNames[:s.nameStarts[last]]
	s.nameStarts = s.nameStarts[:last]
	for n := len(s.bindings); n > 0 && s.bindings[n-1].depth > last; n-- {
		s.bindings = s.bindings[:n-1]
	}
}

// Prefix returns the prefix of the current start tag, or nil if it has none.
func (s *Scanner) Prefix() []byte {
	if len(s.nameStarts) == 0 {
		return nil
	}
	name := s.innermost()
	return name[:max(0, len(name)-len(s.Name)-1)]
}

// innermost returns the full name of the innermost open element.
func (s *Scanner) innermost() []byte { return s.openNames[s.nameStarts[len(s.nameStarts)-1]:] }

// parseTag parses the tag at the beginning of b. In the buffer, b starts at pos. If ok is false,
// the tag has too many attributes, extends beyond b, or is malformed. In the last case, size is
// negative.
func (s *Scanner) parseTag(b []byte) (size int, name []byte, ok bool) {
	i, split := nameEnd(b, 1)
	name, s.tag, s.attrs = b[1:i], s.pos, s.attrs[:0]
	s.Name = b[max(1, split+1):i]
	switch {
	case i == 1 && i < len(b), i > 1+maxNameBytes:
		return -1, nil, false
	case i > 1 && name[0] < 'A' && name[0] != ':':
		return -1, nil, false
	}
	for len(s.attrs) <= maxAttributes {
		for i < len(b) && IsSpace(b[i]) {
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
			s.selfClosing = true
			return i + 2, name, true
		}
		if i = s.parseAttribute(b, i); i <= 0 {
			return i, nil, false
		}
	}
	return 0, nil, false
}

// parseAttribute parses the attribute at b[i] and returns the index after it. It
// returns 0 if the attribute extends beyond b, and -1 if it is malformed.
func (s *Scanner) parseAttribute(b []byte, i int) int {
	a := attr{from: i}
	i, split := nameEnd(b, i)
	a.name, a.nameEnd = max(a.from, split+1), i
	for i < len(b) && IsSpace(b[i]) {
		i++
	}
	if i < len(b) && (b[i] != '=' || a.name == a.nameEnd) {
		return -1
	}
	i++
	for i < len(b) && IsSpace(b[i]) {
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

// endTag closes the innermost element. It returns an error if the end tag has a different name.
func (s *Scanner) endTag() error {
	if len(s.nameStarts) > 0 { // usually, the tag is correct and has no white space
		open, b := s.innermost(), s.buf[s.pos+2:s.end]
		if n := len(open); len(b) > n && b[n] == '>' && string(b[:n]) == string(open) {
			s.pos += n + 3
			s.popElement()
			return nil
		}
	}
	end, err := s.findMark(">", 2)
	if end < 0 {
		return s.unexpectedEnd(err)
	}
	name := bytes.TrimRight(s.buf[s.pos+2:s.pos+end], " \t\r\n")
	if len(s.nameStarts) == 0 || !bytes.Equal(name, s.innermost()) {
		return s.Malformed(intray.NewMessage("xml.unopened_element", nil))
	}
	s.pos += end + 1
	s.popElement()
	return nil
}

// NumAttrs returns the number of attributes of the current start tag.
func (s *Scanner) NumAttrs() int { return len(s.attrs) }

// AttrPrefix returns the prefix of attribute i, counted from 0. It is empty if the
// attribute has no prefix.
func (s *Scanner) AttrPrefix(i int) []byte {
	a := &s.attrs[i]
	return s.buf[s.tag+a.from : s.tag+max(a.from, a.name-1)]
}

// AttrName returns the name of attribute i, counted from 0, without its prefix.
func (s *Scanner) AttrName(i int) []byte {
	a := &s.attrs[i]
	return s.buf[s.tag+a.name : s.tag+a.nameEnd]
}

// AttrValue returns the value of attribute i, counted from 0, as it is written in the
// part. Decode resolves its references.
func (s *Scanner) AttrValue(i int) []byte {
	a := &s.attrs[i]
	return s.buf[s.tag+a.value : s.tag+a.valueEnd]
}

// Attr returns the value of the attribute with the given local name and any prefix in
// the current start tag. It returns nil if there is none.
func (s *Scanner) Attr(name string) []byte {
	for i := range s.attrs {
		if string(s.AttrName(i)) == name {
			return s.AttrValue(i)
		}
	}
	return nil
}

// AttrText returns the decoded value of the attribute with the given local name, or ""
// if there is none.
func (s *Scanner) AttrText(name string) (string, error) {
	text, err := s.Decode(nil, s.Attr(name))
	return string(text), err
}

// AttrBool reports whether the attribute with the given local name is "1" or "true".
func (s *Scanner) AttrBool(name string) bool { return IsTrue(s.Attr(name)) }

// IsTrue reports whether a value is "1" or "true".
func IsTrue(value []byte) bool { return string(value) == "1" || string(value) == "true" }

// Namespace is one of the namespaces that a caller distinguishes. The zero value
// represents all other namespaces.
type Namespace uint8

// Namespaces defines the namespaces that a format uses.
type Namespaces struct {
	// ByURI returns the namespace with the given URI, or the zero value if the caller
	// does not distinguish it.
	ByURI func(uri string) Namespace
	// Defaults are the bindings that apply unless a part declares different ones. If several
	// bindings have the same prefix, the last one applies.
	Defaults []Binding
}

// Binding assigns a namespace to a prefix.
type Binding struct {
	Prefix    string
	Namespace Namespace
	// depth is the depth of the element that declares the binding, or 0 for Defaults.
	depth int
}

// bindNamespaces binds the prefixes that the current start tag declares. It skips
// declarations that do not change the namespace of their prefix.
func (s *Scanner) bindNamespaces() error {
	for i := range s.attrs {
		var prefix []byte
		switch own := s.AttrPrefix(i); {
		case string(own) == "xmlns":
			prefix = s.AttrName(i)
		case len(own) > 0 || string(s.AttrName(i)) != "xmlns":
			continue
		}
		uri, err := s.Decode(nil, s.AttrValue(i))
		if err != nil {
			return err
		}
		namespace := s.cfg.Namespaces.ByURI(string(uri))
		if s.NamespaceOf(prefix) == namespace {
			continue
		}
		if len(s.bindings) >= maxBindings {
			return s.Malformed(intray.NewMessage("xml.too_many_namespaces", intray.Params{"limit": maxBindings}))
		}
		s.bindings = append(s.bindings, Binding{string(prefix), namespace, len(s.nameStarts)})
	}
	return nil
}

// NamespaceOf returns the namespace to which a prefix is bound.
func (s *Scanner) NamespaceOf(prefix []byte) Namespace {
	for i := len(s.bindings) - 1; i >= 0; i-- {
		if s.bindings[i].Prefix == string(prefix) {
			return s.bindings[i].Namespace
		}
	}
	return 0
}

// Is reports whether the current element has the given namespace and local name.
func (s *Scanner) Is(in Namespace, name string) bool {
	return string(s.Name) == name && s.NamespaceOf(s.Prefix()) == in
}

// AttrIn returns the value of the attribute with the given namespace and local name, or
// nil if there is none. An attribute without a prefix is in no namespace.
func (s *Scanner) AttrIn(in Namespace, name string) []byte {
	for i := range s.attrs {
		if string(s.AttrName(i)) == name && s.attrs[i].name > s.attrs[i].from && s.NamespaceOf(s.AttrPrefix(i)) == in {
			return s.AttrValue(i)
		}
	}
	return nil
}
