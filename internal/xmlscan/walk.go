package xmlscan

import (
	"bytes"

	"github.com/intraydata/intray"
	"github.com/intraydata/intray/source"
)

// NextChild moves to the next element within the open one, past any text. It returns
// false at the end of the open element or of the part. The caller must read each child
// to its end before the next call, for example with Skip.
func (s *Scanner) NextChild() (bool, error) {
	for {
		found, err := s.Next()
		if err != nil {
			return false, err
		}
		if found != Text {
			return found == Start, nil
		}
	}
}

// ForEachChild calls visit for each element within the open one, and moves to the end
// of the open one. visit must read the element to its end.
func (s *Scanner) ForEachChild(visit func() error) error {
	for {
		more, err := s.NextChild()
		if err == nil && more {
			err = visit()
		}
		if err != nil || !more {
			return err
		}
	}
}

// OpenRoot moves to the root element. It returns an error if that element has a different name.
func (s *Scanner) OpenRoot(name string) error {
	if _, err := s.NextChild(); err != nil {
		return err
	}
	if string(s.Name) != name {
		return s.Malformed(intray.NewMessage("xml.wrong_root", intray.Params{"found": source.Excerpt(string(s.Name)), "expected": name}))
	}
	return nil
}

// Skip moves to the end of the element that has just started. It checks the skipped XML
// as Next does.
func (s *Scanner) Skip() error {
	for depth := len(s.nameStarts); len(s.nameStarts) >= depth; {
		if _, err := s.Next(); err != nil {
			return err
		}
	}
	return nil
}

// SkipUnchecked moves to the end of the element that has just started. It is
// faster than Skip, because it counts tags without reading their names and attributes.
func (s *Scanner) SkipUnchecked() error { return s.LeaveUnchecked(len(s.nameStarts)) }

// LeaveUnchecked moves to the end of the open element with the given depth, counted
// from 1. Like SkipUnchecked, it does not read names and attributes.
func (s *Scanner) LeaveUnchecked(depth int) error {
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
			if inner == 0 {
				err = s.endTag()
			} else {
				inner, err = inner-1, s.skipPast(">")
			}
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

// seekTag moves past text of any length to the next markup. It ensures that the first
// two bytes of the markup are in the buffer.
func (s *Scanner) seekTag() error {
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

// skipStart skips a start tag. inner is the number of open elements within the element
// to skip, and skipStart returns the new number.
func (s *Scanner) skipStart(inner int) (int, error) {
	for {
		size := tagSize(s.buf[s.pos:s.end])
		if size > 0 {
			s.pos += size
			if s.buf[s.pos-2] == '/' {
				return inner, nil
			}
			if len(s.nameStarts)+inner >= s.cfg.Depth {
				return inner, s.tooDeep()
			}
			return inner + 1, nil
		}
		if more, err := s.fill(); !more {
			return inner, s.unexpectedEnd(err)
		}
	}
}

// tagSize returns the length in bytes of the tag at the beginning of b, or 0 if b ends
// within the tag.
func tagSize(b []byte) int {
	end := bytes.IndexByte(b, '>')
	if end < 0 {
		return 0
	}
	// Usually, the first > ends the tag, because attribute values rarely contain one.
	if tag := b[:end]; bytes.Count(tag, []byte{'"'})%2 == 0 && bytes.IndexByte(tag, '\'') < 0 {
		return end + 1
	}
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

// Leaf matches an element that contains plain text and is the last child of its parent,
// such as <v>text</v></c>.
type Leaf struct{ parent, open, shut string }

// NewLeaf returns the leaf for the full names of a parent and a child.
func NewLeaf(parent, child string) Leaf {
	return Leaf{parent, "<" + child + ">", "</" + child + "></" + parent + ">"}
}

// Peek returns the bytes after the current token that are in the buffer, for callers that recognize
// common elements themselves. It returns nil if an End token or the limit of the depth comes first. The
// bytes are valid until the scanner reads the next token. Consume skips some of them.
func (s *Scanner) Peek() []byte {
	if s.selfClosing || len(s.nameStarts) >= s.cfg.Depth {
		return nil
	}
	return s.buf[s.pos:s.end]
}

// Consume skips n bytes of the result of Peek. They must be complete elements and white space.
func (s *Scanner) Consume(n int) { s.pos += n }

// endsPlainText is true for the bytes that end plain text because they start markup, a
// reference or a line end.
var endsPlainText = [256]bool{'<': true, '&': true, '\r': true, '\n': true}

// ReadLeaf returns the text of a leaf and moves to the end of its parent. It must be
// called after the start tag of the parent. It is a fast path for most cells. If ok is
// false, the next element does not match the leaf, and ReadLeaf has read nothing.
func (s *Scanner) ReadLeaf(leaf *Leaf) (text []byte, ok bool) {
	b := s.buf[s.pos:s.end]
	if open := s.innermost(); s.selfClosing || len(open) != len(leaf.parent) || !hasPrefix(open, leaf.parent) || !hasPrefix(b, leaf.open) {
		return nil, false
	}
	b = b[len(leaf.open):]
	size := 0
	for size < len(b) && !endsPlainText[b[size]] {
		size++
	}
	rest := b[size:]
	if size > s.cfg.TextBytes || !hasPrefix(rest, leaf.shut) {
		return nil, false
	}
	s.pos += len(leaf.open) + size + len(leaf.shut)
	s.popElement()
	return b[:size], true
}

// hasPrefix does the same as bytes.HasPrefix for a string.
func hasPrefix(b []byte, prefix string) bool {
	return len(b) >= len(prefix) && string(b[:len(prefix)]) == prefix
}
