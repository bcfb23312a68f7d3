package csv

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"unicode/utf8"

	"github.com/intraydata/intray/source"
)

// chunkBytes is how much is read from the file at once.
const chunkBytes = 256 << 10

// scanner pulls the lines of a file, one record at a time, through a buffer
// that grows only where a record does not fit it.
type scanner struct {
	in    source.Input
	split splitter

	// buf[pos:end] is read but not cut; buf[:checked] is known to be text.
	buf               []byte
	pos, checked, end int
	// base is the place in the file of buf[0].
	base int64
	// done says that nothing more will be read behind buf[end].
	done bool
	// bad is why reading stops at buf[end], or "".
	bad string

	// text is the record cut last, with its line end; its cells are in split.
	text []byte
}

// newScanner reads from a place in the file, which begins a line.
func newScanner(in source.Input, limits source.Limits, at, line int64) *scanner {
	return &scanner{
		in:    in,
		split: splitter{limits: limits, line: line},
		base:  at,
		done:  at >= in.Size,
	}
}

// next cuts the next record. Blank lines are records of one empty cell. It
// returns io.EOF behind the last.
func (s *scanner) next(ctx context.Context) error {
	s.split.line += s.passed()
	s.text = nil
	for {
		if s.pos < s.end {
			size, err := s.split.split(s.buf[s.pos:s.end], s.done && s.bad == "")
			if err != nil {
				return err
			}
			if size != short {
				s.text = s.buf[s.pos : s.pos+size]
				s.pos += size
				return nil
			}
		}
		if s.done {
			return s.ended()
		}
		if err := s.more(ctx); err != nil {
			return err
		}
	}
}

// passed is the number of lines of the record cut last.
func (s *scanner) passed() int64 {
	if s.text == nil {
		return 0
	}
	return s.split.breaks + 1
}

// blank says whether the record cut last is a line without any byte.
func (s *scanner) blank() bool { return isStop(s.text[0]) && s.text[0] != ',' }

// line is where the record cut last begins.
func (s *scanner) line() int64 { return s.split.line }

// offset is the place in the file behind the record cut last.
func (s *scanner) offset() int64 { return s.base + int64(s.pos) }

// cell gives a cell of the record cut last. Quotes written twice are undone in
// scratch, which is returned for the next call.
func (s *scanner) cell(i int, scratch []byte) (cell, kept []byte) {
	c := s.split.cells[i]
	cell = s.text[c.from:c.to]
	if !c.doubled {
		return cell, scratch
	}
	scratch = scratch[:0]
	for {
		quote := bytes.IndexByte(cell, '"')
		if quote < 0 {
			break
		}
		scratch = append(scratch, cell[:quote+1]...)
		cell = cell[quote+2:]
	}
	scratch = append(scratch, cell...)
	return scratch, scratch
}

// ended tells why there is nothing more.
func (s *scanner) ended() error {
	if s.bad == "" {
		return io.EOF
	}
	line := s.split.line + lineBreaks(s.buf[s.pos:s.end])
	return &source.UnreadableError{Line: line, Reason: s.bad}
}

// more reads on behind buf[end].
func (s *scanner) more(ctx context.Context) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	// A CR at the end of a record belongs to its line end, hence the one.
	if s.end-s.pos > s.split.limits.RecordBytes+1 {
		return s.split.tooLong()
	}
	s.makeRoom()
	at := s.base + int64(s.end)
	room := s.buf[s.end:min(int64(len(s.buf)), int64(s.end)+s.in.Size-at)]
	if err := readAt(s.in, room, at); err != nil {
		return err
	}
	s.end += len(room)
	s.done = at+int64(len(room)) == s.in.Size
	s.check()
	return nil
}

// makeRoom moves what is not cut to the front of the buffer, and doubles the
// buffer where that is more than half of it.
func (s *scanner) makeRoom() {
	rest := s.buf[s.pos:s.end]
	if 2*len(rest) >= len(s.buf) {
		most := int64(s.split.limits.RecordBytes) + chunkBytes
		left := s.in.Size - s.base - int64(s.pos)
		size := min(max(chunkBytes, 2*int64(len(s.buf))), most, left)
		if size > int64(len(s.buf)) {
			s.buf = make([]byte, size)
		}
	}
	copy(s.buf, rest)
	s.base += int64(s.pos)
	s.checked -= s.pos
	s.pos, s.end = 0, len(rest)
}

// check looks at the bytes that came last. It cuts the buffer at the first one
// that is not text.
func (s *scanner) check() {
	fresh := s.buf[s.checked:s.end]
	if !s.done {
		fresh = fresh[:len(fresh)-cutRune(fresh)]
	}
	at, bad := firstBad(fresh)
	s.checked += at
	if bad != "" {
		s.end, s.bad, s.done = s.checked, bad, true
	}
}

// cutRune is the number of bytes at the end of text that begin a character
// without ending it.
func cutRune(text []byte) int {
	for n := 1; n < utf8.UTFMax && n <= len(text); n++ {
		tail := text[len(text)-n:]
		if utf8.RuneStart(tail[0]) {
			if utf8.FullRune(tail) {
				return 0
			}
			return n
		}
	}
	return 0
}

// firstBad finds the first byte that no text holds, and says what to do about
// it. Without one it returns the length of text and "".
func firstBad(text []byte) (at int, bad string) {
	at = bytes.IndexByte(text, 0)
	if at < 0 {
		at = len(text)
	} else {
		bad = "a NUL byte (0x00) is not text; is this a text file?"
	}
	if utf8.Valid(text[:at]) {
		return at, bad
	}
	for i := 0; ; {
		char, size := utf8.DecodeRune(text[i:])
		if char == utf8.RuneError && size <= 1 {
			return i, fmt.Sprintf("byte 0x%02X is not UTF-8; save the file as UTF-8", text[i])
		}
		i += size
	}
}

// readAt fills b from a place in the file.
func readAt(in source.Input, b []byte, at int64) error {
	n, err := in.ReadAt(b, at)
	if n == len(b) {
		return nil
	}
	if err == nil || errors.Is(err, io.EOF) {
		err = io.ErrUnexpectedEOF
	}
	return fmt.Errorf("read the file at byte %d: %w", at, err)
}
