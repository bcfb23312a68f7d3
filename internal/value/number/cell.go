package number

import (
	"unicode"
	"unicode/utf8"
)

// cell is a cell taken apart: its digits with what stands between them, and what
// stands around them.
type cell struct {
	// digits and seps are the room for n digits and k separators.
	digits []byte
	n      int
	seps   []sep
	k      int
	// zero is the zero of the script that the digits are in.
	zero     rune
	exponent int

	hasExponent, negative, signed, trailing, open, closed bool

	reading Reading
}

// sep is a separator, and how many digits stand before it.
type sep struct {
	sign Sign
	at   uint16
}

// maxSeps is enough for lakhs in all digits that may stand before the decimal
// sign.
const maxSeps = maxPlaces/2 + 1

// usualRoom is the room for a cell of at most so many bytes, fullRoom that for
// any: clearing it takes time.
type (
	usualRoom struct {
		digits [usual]byte
		seps   [usual / 2]sep
	}
	fullRoom struct {
		digits [maxDigits]byte
		seps   [maxSeps]sep
	}
)

// scan takes raw apart. Where it is no number, reading.Reason tells why.
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
	if raw[0] == '\'' { // a spreadsheet's mark of text
		raw = raw[1:]
	}
	raw = c.around(raw, true)
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
	raw = c.body(raw)
	raw = c.around(raw, false)
	switch {
	case c.reading.Reason != Read:
	case len(raw) > 0 || c.n == 0:
		c.reading.Reason = NotNumber
	case c.open != c.closed:
		c.reading.Reason = Signs
	}
}

// around takes what stands before the digits, or behind them, each kind at most
// once, and gives the rest.
func (c *cell) around(raw []byte, before bool) []byte {
	marks := 0
	for len(raw) > 0 && c.reading.Reason == Read {
		r, size := utf8.DecodeRune(raw)
		switch {
		case isBlank(r):
		case before && c.begins(r, raw[size:]):
			return raw
		case isMinus(r) || before && isPlus(r):
			c.setSign(isMinus(r))
			c.trailing = !before
		case r == '(' || r == '（':
			c.setParenthesis(before, &c.open)
		case r == ')' || r == '）':
			c.setParenthesis(!before && c.open, &c.closed)
		case perHundred(r) > 0:
			c.setShift(perHundred(r))
		default:
			currency, length := markAt(raw, before)
			if length == 0 || marks > 0 {
				c.reading.Reason = NotNumber
				return raw
			}
			marks, size = marks+1, length
			c.setCurrency(currency)
		}
		raw = raw[size:]
	}
	return raw
}

// begins says whether the digits begin here, perhaps with their decimal sign.
func (c *cell) begins(r rune, rest []byte) bool {
	if _, _, ok := digit(r); ok {
		return true
	}
	switch separator(r) {
	case Point, Comma, arabicDecimal:
		next, _ := utf8.DecodeRune(rest)
		_, _, ok := digit(next)
		return ok
	}
	return false
}

func (c *cell) setSign(minus bool) {
	if c.signed || c.open {
		c.reading.Reason = Signs
	}
	c.signed, c.negative = true, minus
}

func (c *cell) setParenthesis(allowed bool, which *bool) {
	if !allowed || *which || c.signed {
		c.reading.Reason = Signs
	}
	*which, c.negative = true, true
}

func (c *cell) setShift(places uint8) {
	if c.reading.Shift != 0 || c.reading.Currency != 0 {
		c.reading.Reason = NotNumber
	}
	c.reading.Shift = places
}

// setCurrency takes a mark. Of two that mean the same, the one that says more
// stays: in $5 CAD that is CAD.
func (c *cell) setCurrency(mark Currency) {
	switch was := c.reading.Currency; {
	case c.reading.Shift != 0:
		c.reading.Reason = NotNumber
	case !was.Fits(mark):
		c.reading.Reason = Currencies
	case was == 0 || len(marks[mark].codes) < len(marks[was].codes):
		c.reading.Currency = mark
	}
}

// body takes the digits with their separators and the exponent, and gives the
// rest.
func (c *cell) body(raw []byte) []byte {
	for len(raw) > 0 {
		if raw[0]-'0' <= 9 && c.zero == '0' && c.n < len(c.digits) { // the usual case
			c.digits[c.n] = raw[0]
			c.n++
			raw = raw[1:]
			continue
		}
		r, size := utf8.DecodeRune(raw)
		if value, zero, ok := digit(r); ok {
			if !c.addDigit(value, zero) {
				return raw
			}
			raw = raw[size:]
			continue
		}
		next, more := c.separate(r, raw[size:])
		if next == nil {
			break
		}
		raw = next
		if !more {
			return raw
		}
	}
	return c.scientific(raw)
}

func (c *cell) addDigit(value byte, zero rune) bool {
	switch {
	case c.zero != 0 && c.zero != zero:
		c.reading.Reason = NotNumber
	case c.n == len(c.digits):
		c.reading.Reason = TooLarge
	default:
		c.zero = zero
		c.digits[c.n] = '0' + value
		c.n++
		return true
	}
	return false
}

// separate takes the separator r, behind which rest stands. It gives what is
// left, nil where r is none, and whether digits may follow.
func (c *cell) separate(r rune, rest []byte) (left []byte, more bool) {
	sign := separator(r)
	if sign == Undecided {
		return nil, false
	}
	if c.k == len(c.seps) {
		c.reading.Reason = Separators
		return nil, false
	}
	next, _ := utf8.DecodeRune(rest)
	_, _, more = digit(next)
	if !more {
		switch sign {
		case Space, Apostrophe, arabicGroup:
			return nil, false
		}
		rest = cutNoCents(rest)
	}
	c.seps[c.k] = sep{sign, uint16(c.n)}
	c.k++
	return rest[:len(rest):len(rest)], more
}

// cutNoCents drops the dashes of prices such as 12,- and 12.–: they stand for
// no cents, and are no sign.
func cutNoCents(text []byte) []byte {
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

// scientific takes an exponent behind the digits, where one stands.
func (c *cell) scientific(raw []byte) []byte {
	if len(raw) < 2 || c.n == 0 || raw[0] != 'e' && raw[0] != 'E' {
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

// trimBlank drops what means nothing at both ends.
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

// zeros are the first digits of the scripts whose digits are read.
var zeros = [...]rune{
	'0', '٠', '۰', '߀', '०', '০', '੦', '૦', '୦', '௦', '౦', '೦', '൦', '๐', '໐', '༠', '၀', '០', '᠐', '０',
}

// digit gives the value of a digit and the zero of its script.
func digit(r rune) (value byte, zero rune, ok bool) {
	if r < utf8.RuneSelf {
		return byte(r - '0'), '0', '0' <= r && r <= '9'
	}
	for _, zero := range zeros[1:] {
		if r >= zero && r <= zero+9 {
			return byte(r - zero), zero, true
		}
	}
	return 0, 0, false
}

// separator gives the sign that a character between digits is, or Undecided.
func separator(r rune) Sign {
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

func isPlus(r rune) bool { return r == '+' || r == '＋' }

// perHundred gives the places that a percent or per mille sign moves, or 0.
func perHundred(r rune) uint8 {
	switch r {
	case '%', '％', '﹪', '٪':
		return 2
	case '‰', '؉':
		return 3
	}
	return 0
}

// isBlank says whether a character beside a number means nothing: white space,
// and marks that only steer the direction of writing.
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
