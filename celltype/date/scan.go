package date

import (
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// parts holds the components of a cell before a style interprets its numbers.
type parts struct {
	kind    partsKind
	pattern Pattern
	// order is set if the numbers fit only one order.
	order Order
	// numbers are the numbers of the date as written. widths holds the number of digits of each
	// number. The number of a named month is unused.
	numbers [3]int32
	widths  [3]uint8
	// months is the set of months that the cell specifies by number. name is
	// the name of the month.
	months uint16
	name   wordID
	// weekday is the name of the weekday, or 0 if there is none.
	weekday wordID
	date    Date
	time    Time
	offset  int16
	// reason is the error in the cell or its time. dateReason is an error only in its date.
	reason, dateReason Reason
	// nextDay is set if the time is 24:00.
	hasTime, hasZone, nextDay bool
	// thai reports whether the name of the month is Thai. buddhist reports whether the year is in
	// the Buddhist era and was converted.
	thai, buddhist bool
}

type partsKind uint8

const (
	noDate partsKind = iota
	wholeDate
	threeNumbers
	namedMonth
)

// scan splits a cell into its parts. It does not check whether the field's
// components are present.
func (p *parts) scan(raw []byte, want Want) {
	raw = trim(raw)
	if len(raw) > maxCellBytes {
		p.reason = TooLong
		return
	}
	if want == WantTime {
		if p.scanTime(raw) {
			return
		}
		*p = parts{}
	}
	if p.scanNumeric(raw) && (p.hasTime || want != WantTime) {
		return
	}
	*p = parts{}
	p.scanTokens(raw, want)
}

func trim(b []byte) []byte {
	for len(b) > 0 && b[0] <= ' ' {
		b = b[1:]
	}
	for len(b) > 0 && b[len(b)-1] <= ' ' {
		b = b[:len(b)-1]
	}
	return b
}

// scanNumeric reads three numbers with the same separator between them,
// optionally followed by T or a space and a time. Most cells have this format.
func (p *parts) scanNumeric(b []byte) bool {
	at := p.scanNumber(b, 0, 0)
	if at == 0 || at+4 > len(b) {
		return false
	}
	sign := b[at]
	if sign != '/' && sign != '-' && sign != '.' {
		return false
	}
	second := p.scanNumber(b, at+1, 1)
	if second == at+1 || second+1 >= len(b) || b[second] != sign {
		return false
	}
	end := p.scanNumber(b, second+1, 2)
	if end == second+1 || !p.classify(patternOfSeparator(sign)) {
		return false
	}
	if end == len(b) {
		return true
	}
	if c := b[end]; c != 'T' && c != ' ' && c != 't' {
		return false
	}
	return p.scanTime(b[end+1:])
}

// scanNumber reads up to four digits as number i. It returns the offset after the digits.
func (p *parts) scanNumber(b []byte, at, i int) int {
	from, n := at, int32(0)
	for at < len(b) && isDigit(b[at]) && at < from+4 {
		n = n*10 + int32(b[at]-'0')
		at++
	}
	p.numbers[i], p.widths[i] = n, uint8(at-from)
	return at
}

func patternOfSeparator(sign byte) Pattern {
	switch sign {
	case '/':
		return Slash
	case '-':
		return Dash
	case '.':
		return Dot
	}
	return Space
}

// classify sets the pattern of three numbers according to their widths.
func (p *parts) classify(form Pattern) bool {
	first, second, third := p.widths[0], p.widths[1], p.widths[2]
	p.kind = threeNumbers
	switch {
	case second > 2 || second == 0:
		return false
	case first <= 2 && third == 4:
		p.pattern = form
	case first == 4 && third <= 2:
		p.pattern = YearFirst
	case first <= 2 && third <= 2:
		p.pattern = form + 1
	default:
		return false
	}
	return true
}

// scanTime reads 15:20, 15:20:07, 15:20:07.123 or 3:20 PM, optionally followed
// by Z or a numeric offset.
func (p *parts) scanTime(b []byte) bool {
	hour := parseTwoDigits(b)
	if hour >= 0 {
		b = b[2:]
	} else if len(b) > 0 && isDigit(b[0]) {
		hour, b = int(b[0]-'0'), b[1:]
	}
	if hour < 0 || len(b) < 3 || b[0] != ':' {
		return false
	}
	minute, second, nano := parseTwoDigits(b[1:]), 0, uint32(0)
	b = b[3:]
	if len(b) > 2 && b[0] == ':' {
		second = parseTwoDigits(b[1:])
		if b = b[3:]; len(b) > 1 && (b[0] == '.' || b[0] == ',') && isDigit(b[1]) {
			nano, b = parseFraction(b[1:])
		}
	}
	if minute < 0 || second < 0 {
		return false
	}
	if half := parseMeridiem(b); half != 0 && hour <= 12 {
		hour = hour%12 + int(half-'a')/15*12
		b = nil
	}
	p.setTime(hour, minute, second, nano)
	return p.scanZone(b)
}

// parseMeridiem returns the lower-case first letter of AM or PM, or 0 if b is anything else.
func parseMeridiem(b []byte) byte {
	if len(b) == 3 && b[0] == ' ' {
		b = b[1:]
	}
	if len(b) == 2 && b[1]|0x20 == 'm' && (b[0]|0x20 == 'a' || b[0]|0x20 == 'p') {
		return b[0] | 0x20
	}
	return 0
}

// setTime sets the time of day. 24:00 is the end of the day.
func (p *parts) setTime(hour, minute, second int, nano uint32) {
	if hour == 24 && minute == 0 && second == 0 && nano == 0 {
		p.nextDay, hour = true, 0
	}
	clock, ok := newTime(hour, minute, second)
	if !ok {
		p.reason = NoSuchTime
	}
	clock.Nano = nano
	p.time, p.hasTime = clock, true
}

func (p *parts) scanZone(b []byte) bool {
	switch {
	case len(b) == 0:
		return true
	case len(b) == 1 && (b[0] == 'Z' || b[0] == 'z'):
		p.hasZone = true
		return true
	case b[0] != '+' && b[0] != '-' || len(b) < 3:
		return false
	}
	hours, minutes := parseTwoDigits(b[1:]), 0
	switch {
	case len(b) == 6 && b[3] == ':':
		minutes = parseTwoDigits(b[4:])
	case len(b) == 5:
		minutes = parseTwoDigits(b[3:])
	case len(b) != 3:
		return false
	}
	return p.setOffset(b[0] == '-', hours, minutes)
}

func (p *parts) setOffset(west bool, hours, minutes int) bool {
	if uint(hours) > 18 || uint(minutes) > 59 {
		return false
	}
	p.hasZone, p.offset = true, int16(hours*60+minutes)
	if west {
		p.offset = -p.offset
	}
	return true
}

// parseTwoDigits parses the first two bytes as a number, or returns -1.
func parseTwoDigits(b []byte) int {
	if len(b) < 2 || !isDigit(b[0]) || !isDigit(b[1]) {
		return -1
	}
	return int(b[0]-'0')*10 + int(b[1]-'0')
}

// parseFraction parses the digits after a decimal sign as nanoseconds. It
// ignores digits after the ninth.
func parseFraction(b []byte) (nano uint32, rest []byte) {
	scale := uint32(100_000_000)
	for len(b) > 0 && isDigit(b[0]) {
		nano += uint32(b[0]-'0') * scale
		scale /= 10
		b = b[1:]
	}
	return nano, b
}

// maxCellBytes is the maximum length of a cell in bytes. The longest date and
// time in any locale is Thai and has 157 bytes. Folding adds at most half as
// many bytes, and token offsets must fit into 8 bits.
const maxCellBytes = 160

// accentedEnd is the end of the range of Latin, Greek and Cyrillic letters with accents.
const accentedEnd = 0x530

// foldedLetters maps each letter below accentedEnd, and each letter from U+1E00
// to U+1FFF, to the lower-case letter without accents.
var foldedLetters = sync.OnceValue(func() *[accentedEnd + 0x200]rune {
	table := new([accentedEnd + 0x200]rune)
	for i := range table {
		table[i] = foldLetter(rune(i + max(0, i/accentedEnd*(0x1E00-accentedEnd))))
	}
	return table
})

func foldLetter(r rune) rune {
	if r == 'İ' || r == 'ı' {
		return 'i'
	}
	decomposed := norm.NFD.AppendString(nil, string(unicode.ToLower(r)))
	first, _ := utf8.DecodeRune(decomposed)
	return unicode.ToLower(first)
}

// foldRune returns the letter, digit or punctuation mark that replaces r in
// comparisons, or 0 if r is ignored.
func foldRune(r rune, table *[accentedEnd + 0x200]rune) rune {
	switch {
	case r >= 0x300 && r < 0x370: // combining accents
		return 0
	case r == 0xA0 || r == 0xB7:
		return ' '
	case r < accentedEnd:
		return table[r]
	case r >= 0x1E00 && r < 0x2000:
		return table[r-0x1E00+accentedEnd]
	case r >= 0x2000 && r < 0x2070:
		return foldPunctuation(r)
	case r >= 0xFF01 && r <= 0xFF5E: // full-width
		return unicode.ToLower(r - 0xFEE0)
	}
	return foldOther(r)
}

func foldPunctuation(r rune) rune {
	switch {
	case r <= 0x200A || r == 0x202F || r == 0x205F:
		return ' '
	case r >= 0x2010 && r <= 0x2015:
		return '-'
	case r == 0x2018 || r == 0x2019 || r == 0x2032:
		return '\''
	case r == 0x2024:
		return '.'
	case r == 0x2044:
		return '/'
	case r <= 0x200F || r >= 0x2028 && r < 0x202F || r >= 0x2060:
		return 0
	}
	return r
}

func foldOther(r rune) rune {
	switch r {
	case 0x5F3, 0x5F4, 0x61C, 0x640, 0xFEFF: // geresh, direction marks, tatweel
		return 0
	case 0x3000, 0x30FB, 0x1680:
		return ' '
	case 0x60C, 0x3001, 0x3002:
		return ','
	case 0x2212:
		return '-'
	case 0x2215:
		return '/'
	}
	for _, zero := range digitZeros {
		if r >= zero && r < zero+10 {
			return '0' + r - zero
		}
	}
	return r
}

// digitZeros are the zeros of the other scripts whose digits are accepted, in addition to 0 to
// 9 and their full-width forms: Arabic-Indic, Persian, Devanagari, Bengali, Thai and Myanmar.
var digitZeros = [...]rune{0x660, 0x6F0, 0x966, 0x9E6, 0xE50, 0x1040}

// appendFolded appends text in the form used for comparison: lower-case letters
// without accents, digits 0 to 9, plain spaces and dashes. It stops when dst is
// full. Each invalid UTF-8 byte becomes a question mark.
func appendFolded(dst, text []byte) []byte {
	table := foldedLetters()
	for len(text) > 0 && len(dst)+utf8.UTFMax <= cap(dst) {
		c := text[0]
		if c < utf8.RuneSelf {
			dst = append(dst, foldASCII(c))
			text = text[1:]
			continue
		}
		r, size := utf8.DecodeRune(text)
		text = text[size:]
		if r == utf8.RuneError {
			dst = append(dst, '?')
		} else if r = foldRune(r, table); r != 0 {
			dst = utf8.AppendRune(dst, r)
		}
	}
	return dst
}

func foldASCII(c byte) byte {
	switch {
	case c-'A' < 26:
		return c + 'a' - 'A'
	case c-'\t' < 5:
		return ' '
	}
	return c
}

// foldString returns text as folded by appendFolded.
func foldString(text string) string {
	return string(appendFolded(make([]byte, 0, 4*len(text)+utf8.UTFMax), []byte(text)))
}

// dictionaryKey returns the letters and digits of a folded name.
func dictionaryKey(name string) string {
	return strings.Map(func(r rune) rune {
		if r < utf8.RuneSelf && !isLetter(byte(r)) && !isDigit(byte(r)) {
			return -1
		}
		return r
	}, foldString(name))
}

func isDigit(c byte) bool { return c-'0' < 10 }

func isLetter(c byte) bool { return c-'a' < 26 || c >= utf8.RuneSelf }
