package xmlscan

import (
	"bytes"

	"github.com/intraydata/intray"
	"github.com/intraydata/intray/source"
)

// NextChild moves to the next element within the open one, past texts. It
// returns false at the end of the open element and at the end of the part. Read
// each child to its end before the next call, for example with Skip.
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

// ForEachChild visits the elements within the open one, up to its end. The visit
// must read each element to its end.
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

// OpenRoot moves to the outermost element, which must have a name.
func (s *Scanner) OpenRoot(name string) error {
	if _, err := s.NextChild(); err != nil {
		return err
	}
	if string(s.Name) != name {
		return s.Malformed(intray.NewMessage("xml.wrong_root", intray.Params{"found": source.Excerpt(string(s.Name)), "expected": name}))
	}
	return nil
}

// Skip moves to the end of the element that has just started. It checks what it
// skips as Next does.
func (s *Scanner) Skip() error {
	for depth := len(s.nameStarts); len(s.nameStarts) >= depth; {
		if _, err := s.Next(); err != nil {
			return err
		}
	}
	return nil
}

// SkipUnchecked moves to the end of the element that has just started. It is
// faster than Skip, because it counts tags and reads neither their names nor
// their attributes.
func (s *Scanner) SkipUnchecked() error { return s.LeaveUnchecked(len(s.nameStarts)) }

// LeaveUnchecked moves to the end of the open element at a depth, counted from
// 1, as SkipUnchecked does.
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

// seekTag moves to the next markup, past text of any length, and makes sure of
// its first two bytes.
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

// skipStart skips a start tag and returns the number of elements that are open
// below the innermost one.
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

// tagSize returns the length of the tag that b begins with, and 0 if b ends
// within it.
func tagSize(b []byte) int {
	end := bytes.IndexByte(b, '>')
	if end < 0 {
		return 0
	}
	// Usually the first > ends the tag, because it is in no value.
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

// Leaf is the usual way to write an element with plain text that is the last one
// of its parent: <v>text</v></c>.
type Leaf struct{ parent, open, shut string }

// NewLeaf returns the leaf of a parent and a child, by their full names.
func NewLeaf(parent, child string) Leaf {
	return Leaf{parent, "<" + child + ">", "</" + child + "></" + parent + ">"}
}

// endsPlainText marks the characters that end plain text: markup, a reference or
// a line end.
var endsPlainText = [256]bool{'<': true, '&': true, '\r': true, '\n': true}

// ReadLeaf reads a leaf after the start tag of its parent, and moves to the end
// of the parent. It saves the tokens of most cells. If ok is false, the next element is
// not a leaf, and nothing was read.
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

// hasPrefix is bytes.HasPrefix for a few bytes, without the cost of a call.
func hasPrefix(b []byte, prefix string) bool {
	if len(b) < len(prefix) {
		return false
	}
	for i := range len(prefix) {
		if b[i] != prefix[i] {
			return false
		}
	}
	return true
}
