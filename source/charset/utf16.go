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

// runeOrSurrogate returns a unit as a rune. If the unit is not a valid character, it returns a
// surrogate, which is invalid.
func runeOrSurrogate(unit uint32) rune {
	if unit > unicode.MaxRune {
		return 0xD800
	}
	return rune(unit)
}

// decodeRune decodes the first character of p and returns its size in bytes. ok is false for
// an unpaired surrogate or an invalid code point. The size is 0 if p ends inside the character
// and end is not set.
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

// byteOrderMark is a byte order mark with the name of its encoding.
type byteOrderMark struct {
	bytes []byte
	name  string
}

// byteOrderMarks lists longer marks first, because the mark of UTF-32LE starts with the mark
// of UTF-16LE.
var byteOrderMarks = []byteOrderMark{
	{[]byte{0xFF, 0xFE, 0, 0}, "UTF-32LE"},
	{[]byte{0, 0, 0xFE, 0xFF}, "UTF-32BE"},
	{[]byte{0xEF, 0xBB, 0xBF}, "UTF-8"},
	{[]byte{0xFF, 0xFE}, "UTF-16LE"},
	{[]byte{0xFE, 0xFF}, "UTF-16BE"},
}

// leadingBOM returns the encoding of the byte order mark at the beginning and its size in
// bytes. If the mark is repeated, the size includes the repetitions. It returns "" and 0 if
// there is none.
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

// wideStats counts the characters of a sample that was decoded as UTF-16 or UTF-32.
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
	return t
}

// looksLikeText reports whether the decoded sample is plausible text.
func (t wideStats) looksLikeText() bool {
	return t.units > 0 && t.broken*50 <= t.units && t.plain > 0 && (t.plain+t.letters)*10 >= t.units*7
}

// wideNames lists the encodings to try, in order.
var wideNames = []string{"UTF-32LE", "UTF-32BE", "UTF-16LE", "UTF-16BE"}

// detectWide detects UTF-16 and UTF-32 without a byte order mark. It looks for the NUL bytes
// in ASCII characters such as separators, digits and line ends. If both byte orders decode to
// text, it chooses the one with more such characters. A few NUL bytes are not enough, because text
// in other encodings can contain them as padding or as empty cells. It returns UTF8 if the sample is neither
// UTF-16 nor UTF-32.
func detectWide(sample []byte) (found Encoding, counted wideStats) {
	if bytes.IndexByte(sample, 0) < 0 {
		return UTF8, wideStats{}
	}
	for _, name := range wideNames {
		e := encodingByName(name)
		t := e.spec.wide.sampleStats(sample)
		if t.looksLikeText() && e.spec.wide.hasNULPattern(sample) && isBetterWide(e.spec.wide, t, found, counted) {
			found, counted = e, t
		}
	}
	return found, counted
}

// hasNULPattern reports whether the NUL bytes of a sample have the places that they have in UTF-16 or
// UTF-32: most of them are high bytes, at least one unit in twenty has one, and at least half of the
// line feeds do. If nearly all other bytes are ASCII, the characters are ASCII as well, so that nearly
// all units must have one.
func (w wideEncoding) hasNULPattern(sample []byte) bool {
	units := len(sample) / w.unit
	high, other, ascii, text, feeds, wideFeeds := 0, 0, 0, 0, 0, 0
	for ; len(sample) >= w.unit; sample = sample[w.unit:] {
		if w.unitAt(sample) == '\n' {
			wideFeeds++
		}
		for at, c := range sample[:w.unit] {
			isLow := at == 0 && !w.bigEndian || at == w.unit-1 && w.bigEndian
			switch {
			case c == 0 && isLow:
				other++
			case c == 0:
				high++
			default:
				text++
			}
			if c == '\n' {
				feeds++
			}
			if c == '\n' || c == '\r' || c == '\t' || ' ' <= c && c < 0x7F {
				ascii++
			}
		}
	}
	high /= w.unit - 1
	if other > high || 20*high < units || 2*wideFeeds < feeds {
		return false
	}
	return 10*ascii < 9*text || 10*high >= 9*units
}

// isBetterWide reports whether the encoding w fits better than the encoding found so far.
// UTF-16 never replaces UTF-32, because UTF-32 text decoded as UTF-16 contains NUL characters.
func isBetterWide(w wideEncoding, t wideStats, found Encoding, counted wideStats) bool {
	if found == UTF8 {
		return true
	}
	return w.unit == found.spec.wide.unit && (t.plain > counted.plain || t.plain == counted.plain && t.broken < counted.broken)
}
