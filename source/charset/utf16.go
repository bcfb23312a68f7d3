package charset

import (
	"bytes"
	"encoding/binary"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"
)

// wideEncoding is UTF-16 or UTF-32, with units of 2 or 4 bytes in either byte order.
type wideEncoding struct {
	unit      int
	bigEndian bool
}

// unitAt returns the first unit of p.
func (w wideEncoding) unitAt(p []byte) rune {
	switch {
	case w.unit == 2 && w.bigEndian:
		return rune(binary.BigEndian.Uint16(p))
	case w.unit == 2:
		return rune(binary.LittleEndian.Uint16(p))
	case w.bigEndian:
		return runeOrSurrogate(binary.BigEndian.Uint32(p))
	default:
		return runeOrSurrogate(binary.LittleEndian.Uint32(p))
	}
}

// runeOrSurrogate returns a unit as a rune, and a surrogate, which is invalid, for units
// that are not characters.
func runeOrSurrogate(unit uint32) rune {
	if unit > unicode.MaxRune {
		return 0xD800
	}
	return rune(unit)
}

// decodeRune decodes the first character of p and returns its size in bytes. ok is false
// for an unpaired surrogate and for a number that is not a character. The size is 0 if p
// ends inside the character and end is not set.
func (w wideEncoding) decodeRune(p []byte, end bool) (r rune, size int, ok bool) {
	if len(p) < w.unit {
		if !end {
			return 0, 0, false
		}
		return utf8.RuneError, len(p), false
	}
	r = w.unitAt(p)
	if !utf16.IsSurrogate(r) {
		return r, w.unit, true
	}
	if w.unit == 4 || r >= 0xDC00 {
		return utf8.RuneError, w.unit, false
	}
	if len(p) < 4 {
		if !end {
			return 0, 0, false
		}
		return utf8.RuneError, w.unit, false
	}
	if both := utf16.DecodeRune(r, w.unitAt(p[2:])); both != utf8.RuneError {
		return both, 4, true
	}
	return utf8.RuneError, w.unit, false
}

// byteOrderMark is a byte order mark and the encoding that it indicates.
type byteOrderMark struct {
	bytes []byte
	name  string
}

// byteOrderMarks lists longer marks first, because the mark of UTF-32LE starts with that of
// UTF-16LE.
var byteOrderMarks = []byteOrderMark{
	{[]byte{0xFF, 0xFE, 0, 0}, "UTF-32LE"},
	{[]byte{0, 0, 0xFE, 0xFF}, "UTF-32BE"},
	{[]byte{0xEF, 0xBB, 0xBF}, "UTF-8"},
	{[]byte{0xFF, 0xFE}, "UTF-16LE"},
	{[]byte{0xFE, 0xFF}, "UTF-16BE"},
}

// leadingBOM returns the encoding of the byte order mark at the beginning and its size. The
// mark may be repeated.
func leadingBOM(sample []byte) (name string, size int) {
	for _, m := range byteOrderMarks {
		for bytes.HasPrefix(sample[size:], m.bytes) {
			size += len(m.bytes)
		}
		if size > 0 {
			return m.name, size
		}
	}
	return "", 0
}

// wideStats counts the characters of a sample that is decoded as a wide encoding.
type wideStats struct {
	units   int
	plain   int // printable ASCII and line ends
	letters int // letters outside ASCII
	broken  int // not possible in text
}

// sampleStats decodes a sample and counts its characters.
func (w wideEncoding) sampleStats(sample []byte) wideStats {
	t := wideStats{}
	for len(sample) >= w.unit {
		r, size, ok := w.decodeRune(sample, false)
		if size == 0 {
			break
		}
		sample = sample[size:]
		t.addRune(r, ok)
	}
	return t
}

func (t *wideStats) addRune(r rune, ok bool) {
	t.units++
	switch {
	case !ok:
		t.broken++
	case r == '\n' || r == '\r' || r == '\t' || 0x20 <= r && r < 0x7F:
		t.plain++
	case r < 0xA0 || 0xE000 <= r && r < 0xF900 || r&0xFFFE == 0xFFFE:
		t.broken++
	case unicode.IsLetter(r) || unicode.IsMark(r):
		t.letters++
	case !unicode.IsPrint(r) && r != 0xA0 && r != 0x3000 && r != 0xFEFF:
		t.broken++
	}
}

// looksLikeText reports whether the decoded sample is plausible text.
func (t wideStats) looksLikeText() bool {
	return t.units > 0 && t.broken*50 <= t.units && t.plain > 0 && (t.plain+t.letters)*10 >= t.units*7
}

// wideNames are tried in this order.
var wideNames = []string{"UTF-32LE", "UTF-32BE", "UTF-16LE", "UTF-16BE"}

// detectWide recognizes UTF-16 and UTF-32 without a byte order mark. In such text only
// ASCII characters contain NUL bytes: separators, digits and line ends. If both byte orders
// decode to text, the order with more of these is right.
func detectWide(sample []byte) (found Encoding, counted wideStats) {
	if bytes.IndexByte(sample, 0) < 0 {
		return UTF8, wideStats{}
	}
	for _, name := range wideNames {
		e := encodingByName(name)
		t := e.spec.wide.sampleStats(sample)
		if t.looksLikeText() && isBetterWide(e.spec.wide, t, found, counted) {
			found, counted = e, t
		}
	}
	return found, counted
}

// isBetterWide compares two decodings. A wider unit that was found stays: UTF-32 text
// contains NUL characters when it is decoded as UTF-16.
func isBetterWide(w wideEncoding, t wideStats, found Encoding, counted wideStats) bool {
	if found == UTF8 {
		return true
	}
	return w.unit == found.spec.wide.unit && (t.plain > counted.plain || t.plain == counted.plain && t.broken < counted.broken)
}
