package ods

import "bytes"

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
