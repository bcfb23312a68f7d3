package csv

import (
	"bytes"
	"io"
	"strings"
	"unicode/utf8"

	"github.com/intraydata/intray/source/charset"
)

// units say which bytes of a file the characters of its text were, where that
// can be told from the text alone. The zero value stands for encodings that do
// not allow it: there a place is one in the text as UTF-8.
type units struct {
	// size is how many bytes a unit has: 1 also for UTF-8, where the text is the
	// file; else each character is one unit, and in UTF-16 some are two.
	size int
	big  bool
	utf8 bool
}

// unitsOf tells the units of an encoding.
func unitsOf(e charset.Encoding) units {
	name := e.Name()
	switch {
	case e == charset.UTF8:
		return units{size: 1, utf8: true}
	case strings.HasPrefix(name, "UTF-16"):
		return units{size: 2, big: strings.HasSuffix(name, "BE")}
	case strings.HasPrefix(name, "UTF-32"):
		return units{size: 4, big: strings.HasSuffix(name, "BE")}
	case oneByOne(e):
		return units{size: 1}
	}
	return units{}
}

// oneByOne says whether each byte is a character, and those of ASCII are what
// they are there.
func oneByOne(e charset.Encoding) bool {
	all := make([]byte, 256)
	for b := range all {
		all[b] = byte(b)
	}
	text, err := io.ReadAll(charset.NewReader(bytes.NewReader(all), e))
	if err != nil || utf8.RuneCount(text) != len(all) || !bytes.HasPrefix(text, all[:utf8.RuneSelf]) {
		return false
	}
	for _, b := range text[utf8.RuneSelf:] {
		if b < utf8.RuneSelf {
			return false
		}
	}
	return true
}

// known says whether places in the file can be told.
func (u units) known() bool { return u.size > 0 }

// length is how long a text is in the file.
func (u units) length(text []byte) int64 {
	switch {
	case u.utf8 || !u.known():
		return int64(len(text))
	case u.size == 2:
		n := utf8.RuneCount(text)
		for _, b := range text {
			if b >= 0xF0 { // the first of four bytes: a pair of units
				n++
			}
		}
		return 2 * int64(n)
	}
	return int64(u.size) * int64(utf8.RuneCount(text))
}

// lastEnd is the place behind the last line feed outside quotes of a piece of the
// file that begins outside of them, 0 where there is none.
func (u units) lastEnd(raw []byte, quote byte, quoted bool) int {
	switch {
	case u.size > 1:
		return u.lastWideEnd(raw, quote, quoted)
	case !quoted:
		return bytes.LastIndexByte(raw, '\n') + 1
	}
	mark := []byte{quote}
	open := bytes.Count(raw, mark)%2 == 1
	for end := len(raw); ; {
		feed := bytes.LastIndexByte(raw[:end], '\n')
		if feed < 0 {
			return 0
		}
		if bytes.Count(raw[feed:end], mark)%2 == 1 {
			open = !open
		}
		if !open {
			return feed + 1
		}
		end = feed
	}
}

func (u units) lastWideEnd(raw []byte, quote byte, quoted bool) (end int) {
	open := false
	for at := 0; at+u.size <= len(raw); at += u.size {
		switch c, ascii := u.ascii(raw[at : at+u.size]); {
		case !ascii:
		case c == quote && quoted:
			open = !open
		case c == '\n' && !open:
			end = at + u.size
		}
	}
	return end
}

// ascii gives the character of a unit, if it is one of ASCII.
func (u units) ascii(unit []byte) (c byte, ok bool) {
	low, rest := unit[0], unit[1:]
	if u.big {
		low, rest = unit[len(unit)-1], unit[:len(unit)-1]
	}
	for _, b := range rest {
		if b != 0 {
			return 0, false
		}
	}
	return low, true
}
