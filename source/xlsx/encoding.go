package xlsx

import (
	"bytes"
	"encoding/binary"
	"io"
	"strings"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/intraydata/intray"
	"github.com/intraydata/intray/source"
)

// begin finds the encoding of a part whose first bytes are in the buffer.
func (s *scanner) begin() error {
	head := s.buf[:s.end]
	switch {
	case bytes.HasPrefix(head, []byte("\xEF\xBB\xBF")):
		s.pos = 3
	case bytes.HasPrefix(head, []byte("\xFF\xFE")):
		return s.recode(binary.LittleEndian, 2)
	case bytes.HasPrefix(head, []byte("\xFE\xFF")):
		return s.recode(binary.BigEndian, 2)
	case bytes.HasPrefix(head, []byte("<\x00")):
		return s.recode(binary.LittleEndian, 0)
	case bytes.HasPrefix(head, []byte("\x00<")):
		return s.recode(binary.BigEndian, 0)
	}
	return s.checkDeclared()
}

// recode reads the part as UTF-16 from a byte on.
func (s *scanner) recode(order binary.ByteOrder, from int) error {
	s.src = &fromUTF16{src: io.MultiReader(bytes.NewReader(bytes.Clone(s.buf[from:s.end])), s.src), order: order}
	s.end, s.ended = 0, false
	_, err := s.more()
	return err
}

// checkDeclared refuses other encodings than UTF-8. A part that says to be
// UTF-16 and is not was made from a text in memory: its bytes are UTF-8.
func (s *scanner) checkDeclared() error {
	head := s.buf[s.pos:min(s.end, s.pos+200)]
	end := bytes.Index(head, []byte("?>"))
	if !bytes.HasPrefix(head, []byte("<?xml")) || end < 0 {
		return nil
	}
	_, rest, found := bytes.Cut(head[:end], []byte("encoding"))
	rest = bytes.TrimLeft(rest, " =\t\r\n")
	if !found || len(rest) == 0 {
		return nil
	}
	name, _, _ := bytes.Cut(rest[1:], rest[:1])
	switch strings.ToLower(string(name)) {
	case "utf-8", "utf8", "us-ascii", "ascii", "utf-16":
		return nil
	}
	return s.broken(intray.NewMessage("xml.other_encoding", intray.Params{"encoding": source.Excerpt(string(name))}))
}

// fromUTF16 gives UTF-16 as UTF-8. What is no character becomes U+FFFD.
type fromUTF16 struct {
	src   io.Reader
	order binary.ByteOrder
	units []byte
	text  []byte
	err   error
}

// Read gives UTF-8.
func (f *fromUTF16) Read(p []byte) (int, error) {
	for len(f.text) == 0 {
		if f.err != nil {
			return 0, f.err
		}
		f.refill()
	}
	n := copy(p, f.text)
	f.text = f.text[n:]
	return n, nil
}

func (f *fromUTF16) refill() {
	had := len(f.units)
	f.units = append(f.units, make([]byte, 8<<10)...)
	n, err := f.src.Read(f.units[had:])
	f.units, f.err = f.units[:had+n], err
	used := f.translate()
	f.units = f.units[:copy(f.units, f.units[used:])]
}

// translate gives how many bytes it has used: half a character stays behind.
func (f *fromUTF16) translate() int {
	f.text = f.text[:0]
	i := 0
	for ; i+2 <= len(f.units); i += 2 {
		c := rune(f.order.Uint16(f.units[i:]))
		if utf16.IsSurrogate(c) {
			if i+4 > len(f.units) && f.err == nil {
				return i
			}
			low := rune(0)
			if i+4 <= len(f.units) {
				low = rune(f.order.Uint16(f.units[i+2:]))
			}
			if c = utf16.DecodeRune(c, low); c != utf8.RuneError {
				i += 2
			}
		}
		f.text = utf8.AppendRune(f.text, c)
	}
	return i
}
