package number

import (
	"unicode"
	"unicode/utf8"
)

// cell is a cell split into its digits, its separators, and the text around them.
type cell struct {
	// digits and seps are buffers. Only the first digitCount and sepCount
	// elements, respectively, are used.
	digits     []byte
	digitCount int
	seps       []separatorAt
	sepCount   int
	// zero is the digit 0 in the script of the digits.
	zero     rune
	exponent int

	hasExponent, negative, signed, trailingSign, open, closed bool

	reading Reading
}

// separatorAt is a separator, with the number of digits before it.
type separatorAt struct {
	sign         Sign
	digitsBefore uint16
}

// maxSeparators is the maximum number of lakh separators before the decimal sign.
const maxSeparators = maxPlaces/2 + 1

// smallBuffer is large enough for a cell of smallCellBytes, largeBuffer for any
// cell. It takes time to clear a largeBuffer.
type (
	smallBuffer struct {
		digits [smallCellBytes]byte
		seps   [smallCellBytes / 2]separatorAt
	}
	largeBuffer struct {
		digits [maxDigits]byte
		seps   [maxSeparators]separatorAt
	}
)

// scan splits raw into its parts. If raw is not a number, it sets reading.Reason.
func (c *cell) scan(raw []byte) {
	raw = trimBlank(raw)
	if len(raw) == 0 {
		c.reading.Reason = Empty
		return
	}
	if len(raw) > maxCell {
		c.reading.Reason = TooLong
		return
	}
	if raw[0] == '\'' { // spreadsheets put ' before numbers stored as text
		raw = raw[1:]
	}
	raw = c.readAffixes(raw, true)
	if c.reading.Reason != Read {
		return
	}
	if len(raw) == 0 {
		c.reading.Reason = NotNumber
		if c.negative && !c.open && c.reading.Shift == 0 {
			c.reading.Reason = Dash
		}
		return
	}
	raw = c.readDigits(raw)
	raw = c.readAffixes(raw, false)
	switch {
	case c.reading.Reason != Read:
	case len(raw) > 0 || c.digitCount == 0:
		c.reading.Reason = NotNumber
	case c.open != c.closed:
		c.reading.Reason = Signs
	}
}

// readAffixes reads the marks before or after the digits, each kind at most
// once. It returns the rest of raw.
func (c *cell) readAffixes(raw []byte, before bool) []byte {
	marks := 0
	for len(raw) > 0 && c.reading.Reason == Read {
		r, size := utf8.DecodeRune(raw)
		switch {
		case isBlank(r):
		case before && c.digitsBegin(r, raw[size:]):
			return raw
		case isMinus(r) || before && isPlus(r):
			if c.signed || c.open {
				c.reading.Reason = Signs
			}
			c.signed, c.negative, c.trailingSign = true, isMinus(r), !before
		case r == '(' || r == '（':
			c.setParenthesis(before, &c.open)
		case r == ')' || r == '）':
			c.setParenthesis(!before && c.open, &c.closed)
		case percentShift(r) > 0:
			if c.reading.Shift != 0 || c.reading.Currency != 0 {
				c.reading.Reason = NotNumber
			}
			c.reading.Shift = percentShift(r)
		default:
			if size = c.readMark(raw, before, marks); size == 0 {
				return raw
			}
			marks++
		}
		raw = raw[size:]
	}
	return raw
}

// readMark reads a currency mark and returns its length in bytes. If there is no mark, or
// another mark was read before, it returns 0 and sets reading.Reason.
func (c *cell) readMark(raw []byte, before bool, marks int) int {
	currency, length := matchMark(raw, before)
	if length == 0 || marks > 0 {
		c.reading.Reason = NotNumber
		return 0
	}
	c.setCurrency(currency)
	return length
}

// digitsBegin reports whether the digits begin at r, optionally with a decimal sign.
func (c *cell) digitsBegin(r rune, rest []byte) bool {
	if _, _, ok := digitValue(r); ok {
		return true
	}
	switch separatorSign(r) {
	case Point, Comma, arabicDecimal:
		next, _ := utf8.DecodeRune(rest)
		_, _, ok := digitValue(next)
		return ok
	}
	return false
}

func (c *cell) setParenthesis(allowed bool, which *bool) {
	if !allowed || *which || c.signed {
		c.reading.Reason = Signs
	}
	*which, c.negative = true, true
}

// setCurrency sets the currency. Of two marks that can mean the same currency,
// it keeps the more specific one: CAD in $5 CAD.
func (c *cell) setCurrency(mark Currency) {
	switch was := c.reading.Currency; {
	case c.reading.Shift != 0:
		c.reading.Reason = NotNumber
	case !was.CompatibleWith(mark):
		c.reading.Reason = Currencies
	case was == 0 || len(currencyMarks[mark].codes) < len(currencyMarks[was].codes):
		c.reading.Currency = mark
	}
}

// readDigits reads the digits, their separators and the exponent. It returns the rest of raw.
func (c *cell) readDigits(raw []byte) []byte {
	for len(raw) > 0 {
		if raw[0]-'0' <= 9 && c.zero == '0' && c.digitCount < len(c.digits) { // most digits
			c.digits[c.digitCount] = raw[0]
			c.digitCount++
			raw = raw[1:]
			continue
		}
		r, size := utf8.DecodeRune(raw)
		if value, zero, ok := digitValue(r); ok {
			if !c.addDigit(value, zero) {
				return raw
			}
			raw = raw[size:]
			continue
		}
		next, more := c.readSeparator(r, raw[size:])
		if next == nil {
			break
		}
		raw = next
		if !more {
			return raw
		}
	}
	return c.readExponent(raw)
}

func (c *cell) addDigit(value byte, zero rune) bool {
	switch {
	case c.zero != 0 && c.zero != zero:
		c.reading.Reason = NotNumber
	case c.digitCount == len(c.digits):
		c.reading.Reason = TooLarge
	default:
		c.zero = zero
		c.digits[c.digitCount] = '0' + value
		c.digitCount++
		return true
	}
	return false
}

func isPlus(r rune) bool { return r == '+' || r == '＋' }

// readSeparator reads the separator r; rest is the text after it. It returns the remaining
// text, or nil if r is not a separator, and reports whether digits may follow.
func (c *cell) readSeparator(r rune, rest []byte) (left []byte, more bool) {
	sign := separatorSign(r)
	if sign == Undecided {
		return nil, false
	}
	if c.sepCount == len(c.seps) {
		c.reading.Reason = Separators
		return nil, false
	}
	next, _ := utf8.DecodeRune(rest)
	_, _, more = digitValue(next)
	if !more {
		switch sign {
		case Space, Apostrophe, arabicGroup:
			return nil, false
		}
		rest = cutCentDash(rest)
	}
	c.seps[c.sepCount] = separatorAt{sign, uint16(c.digitCount)}
	c.sepCount++
	return rest[:len(rest):len(rest)], more
}

// cutCentDash removes the dashes from prices such as 12,- and 12.–, where they mean zero cents.
func cutCentDash(text []byte) []byte {
	for i := 0; i < 2 && len(text) > 0; i++ {
		r, size := utf8.DecodeRune(text)
		if !isMinus(r) && r != '—' {
			break
		}
		text = text[size:]
	}
	if text == nil {
		return []byte{}
	}
	return text
}

// readExponent reads an exponent after the digits, if there is one.
func (c *cell) readExponent(raw []byte) []byte {
	if len(raw) < 2 || c.digitCount == 0 || raw[0] != 'e' && raw[0] != 'E' {
		return raw
	}
	end := 1
	if raw[1] == '-' || raw[1] == '+' {
		end = 2
	}
	for end < len(raw) && raw[end]-'0' <= 9 {
		end++
	}
	exponent, ok := parseExponent(raw[:end])
	if !ok {
		return raw
	}
	c.exponent, c.hasExponent = exponent, true
	return raw[end:]
}

// trimBlank removes leading and trailing blanks, as defined by isBlank.
func trimBlank(raw []byte) []byte {
	for len(raw) > 0 {
		r, size := utf8.DecodeRune(raw)
		if !isBlank(r) {
			break
		}
		raw = raw[size:]
	}
	for len(raw) > 0 {
		r, size := utf8.DecodeLastRune(raw)
		if !isBlank(r) {
			break
		}
		raw = raw[:len(raw)-size]
	}
	return raw
}

// scriptZeros are the zeros of the scripts whose digits are accepted.
var scriptZeros = [...]rune{
	'0', '٠', '۰', '߀', '०', '০', '੦', '૦', '୦', '௦', '౦', '೦', '൦', '๐', '໐', '༠', '၀', '០', '᠐', '０',
}

// digitValue returns the value of a digit, and the digit 0 in the same script.
func digitValue(r rune) (value byte, zero rune, ok bool) {
	if r < utf8.RuneSelf {
		return byte(r - '0'), '0', '0' <= r && r <= '9'
	}
	for _, zero := range scriptZeros[1:] {
		if r >= zero && r <= zero+9 {
			return byte(r - zero), zero, true
		}
	}
	return 0, 0, false
}

// separatorSign returns the Sign for a character between digits, or Undecided
// if it is not a separator.
func separatorSign(r rune) Sign {
	switch r {
	case '.', '．':
		return Point
	case ',', '，':
		return Comma
	case ' ', '\u00a0', '\u202f', '\u2009', '\u2007', '\u2008', '\u2005', '\u2006', '\u3000':
		return Space
	case '\'', '’', '‘', 'ʼ', '＇':
		return Apostrophe
	case '٫':
		return arabicDecimal
	case '٬':
		return arabicGroup
	}
	return Undecided
}

func isMinus(r rune) bool {
	switch r {
	case '-', '−', '–', '‐', '‑', '‒', '﹣', '－':
		return true
	}
	return false
}

// percentShift returns the number of places by which a percent or per mille
// sign shifts the decimal sign. It returns 0 for any other character.
func percentShift(r rune) uint8 {
	switch r {
	case '%', '％', '﹪', '٪':
		return 2
	case '‰', '؉':
		return 3
	}
	return 0
}

// isBlank reports whether a character next to a number is meaningless, such as white space or a
// direction mark.
func isBlank(r rune) bool {
	switch {
	case r == ' ' || r >= '\t' && r <= '\r':
		return true
	case r < utf8.RuneSelf:
		return false
	case r >= '\u200b' && r <= '\u200f', r >= '\u202a' && r <= '\u202e', r >= '\u2060' && r <= '\u2069':
		return true
	}
	return r == '\ufeff' || r == '\u061c' || unicode.IsSpace(r)
}
