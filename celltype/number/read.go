package number

import (
	"bytes"

	"github.com/intraydata/intray"
)

// Reading describes how a cell was read.
type Reading struct {
	// Reason is why the cell holds no number, or Read.
	Reason Reason
	// Inconsistent reports whether the cell contradicts the style of its
	// column, and was read in the only way that fits.
	Inconsistent bool
	// Shift is by how many places a percent or per mille sign shifted the
	// decimal sign: 0, 2 or 3.
	Shift uint8
	// Currency is the currency next to the digits, or zero.
	Currency Currency
}

// Reason is why a cell could not be read.
type Reason uint8

// The reasons.
const (
	// Read means that the cell was read.
	Read Reason = iota
	// Empty is a cell of nothing but white space.
	Empty
	// Dash is only a dash, with or without a currency. Accountants write it for
	// zero, others for nothing; the caller decides.
	Dash
	// NotNumber is text other than a number, or with more than one.
	NotNumber
	// Signs are two signs, or an unclosed parenthesis.
	Signs
	// Separators are separators in impossible positions.
	Separators
	// OtherStyle is a number that needs another thousands separator than the
	// column has, but could also be a fraction.
	OtherStyle
	// TwoWays is a number whose separator can be a decimal sign or between
	// thousands, while the style is undecided.
	TwoWays
	// Currencies are two currencies in one cell.
	Currencies
	// TooLong is text of more than 1,000 bytes.
	TooLong
	// TooLarge is a number with digits more than 400 places from the decimal
	// sign.
	TooLarge
)

// maxCell is the most bytes of a cell, without white space at its ends.
const maxCell = 1000

// Code returns the name of the reason for programs, such as two_ways.
func (r Reason) Code() string { return reasonCodes[r].name }

// Message describes the problem of the cell.
func (r Reason) Message() intray.Message { return intray.NewMessage(reasonCodes[r].code, nil) }

// reasonCodes holds for each reason its name and its message code. The code is
// empty if nothing is wrong.
var reasonCodes = [...]struct{ name, code string }{
	Read:       {"read", ""},
	Empty:      {"empty", ""},
	Dash:       {"dash", "number.only_dash"},
	NotNumber:  {"not_a_number", "number.invalid"},
	Signs:      {"signs", "number.contradictory_signs"},
	Separators: {"separators", "number.misplaced_separators"},
	OtherStyle: {"other_style", "number.other_style"},
	TwoWays:    {"two_ways", "number.ambiguous"},
	Currencies: {"currencies", "number.two_currencies"},
	TooLong:    {"too_long", "number.too_long"},
	TooLarge:   {"too_large", "number.too_many_digits"},
}

// Append reads a cell and appends its number in canonical form. If
// Reading.Reason is not Read, it returns dst unchanged. It allocates only what
// dst needs to grow.
//
// It reads signs before and after the digits, parentheses for negative numbers,
// separators between thousands (and lakhs), currencies, percent and per mille
// signs (12% is 0.12), exponents, digits of other scripts, and the apostrophe
// that spreadsheets put before numbers stored as text. A separator that can
// only be a decimal sign, or only be between thousands, is read as such; the
// style decides the rest.
func (s Style) Append(dst, raw []byte) ([]byte, Reading) {
	if out, ok := s.appendSimple(dst, raw); ok {
		return out, Reading{}
	}
	if bare, mark := cutCurrency(raw); mark != 0 {
		if out, ok := s.appendSimple(dst, bare); ok {
			return out, Reading{Currency: mark}
		}
	}
	return s.appendGeneral(dst, raw)
}

// appendGeneral is Append without the short ways.
func (s Style) appendGeneral(dst, raw []byte) ([]byte, Reading) {
	if len(raw) > smallCellBytes {
		return s.appendLong(dst, raw)
	}
	var room smallBuffer
	c := cell{digits: room.digits[:], seps: room.seps[:]}
	return s.appendCell(dst, raw, &c)
}

// appendLong is appendGeneral for cells of any length. It is a function of its
// own, so that its buffer is not part of every frame.
func (s Style) appendLong(dst, raw []byte) ([]byte, Reading) {
	var room largeBuffer
	c := cell{digits: room.digits[:], seps: room.seps[:]}
	return s.appendCell(dst, raw, &c)
}

func (s Style) appendCell(dst, raw []byte, c *cell) ([]byte, Reading) {
	c.scan(raw)
	if c.reading.Reason != Read {
		return dst, c.reading
	}
	whole := c.integerDigitsIn(s)
	if c.reading.Reason != Read {
		return dst, c.reading
	}
	d := c.decimal(whole)
	if !d.inBounds() {
		c.reading.Reason = TooLarge
		return dst, c.reading
	}
	return d.append(dst), c.reading
}

// decimal returns the number of the cell with this many digits before the
// decimal sign.
func (c *cell) decimal(whole int) decimal {
	d := decimal{negative: c.negative, digits: c.digits[:c.digitCount], point: whole + c.exponent - int(c.reading.Shift)}
	return d.trim()
}

// integerDigitsIn returns the number of digits before the decimal sign in a
// style.
func (c *cell) integerDigitsIn(s Style) int {
	atPoint, point := c.integerDigits(Point)
	atComma, comma := c.integerDigits(Comma)
	switch {
	case !point && !comma:
		c.reading.Reason = Separators
	case !comma:
		c.reading.Inconsistent = s.Decimal == Comma
		return atPoint
	case !point:
		c.reading.Inconsistent = s.Decimal == Point
		return atComma
	case atPoint != atComma:
		return c.resolveAmbiguous(s, atPoint, atComma)
	}
	return atPoint
}

// resolveAmbiguous reads a number with one point or comma before three digits.
func (c *cell) resolveAmbiguous(s Style, atPoint, atComma int) int {
	sign := c.seps[0].sign
	decimal := s.Decimal
	if decimal == Undecided && s.Group == sign {
		decimal = sign.opposite()
	}
	switch {
	case decimal == Undecided:
		c.reading.Reason = TwoWays
	case decimal != sign && s.Group != Undecided && s.Group != sign:
		c.reading.Reason = OtherStyle
	case decimal == Point:
		return atPoint
	}
	return atComma
}

// integerDigits reports whether the cell is a number with this decimal sign,
// and returns how many digits precede the sign.
func (c *cell) integerDigits(decimal Sign) (whole int, ok bool) {
	groups := c.seps[:c.sepCount]
	whole = c.digitCount
	if k := len(groups); k > 0 && (groups[k-1].sign == decimal || groups[k-1].sign == arabicDecimal) {
		groups, whole = groups[:k-1], int(groups[k-1].digitsBefore)
	}
	if len(groups) == 0 {
		return whole, true
	}
	return whole, groups[0].sign != decimal && !c.hasExponent && c.validGroups(groups, whole)
}

// validGroups reports whether groups divide digits into thousands, or into
// lakhs if the separator is a comma.
func (c *cell) validGroups(groups []separatorAt, whole int) bool {
	sign, first := groups[0].sign, int(groups[0].digitsBefore)
	if sign == arabicDecimal || first < 1 || first > 3 || first == 1 && c.digits[0] == '0' {
		return false
	}
	if whole-int(groups[len(groups)-1].digitsBefore) != 3 {
		return false
	}
	threes, twos := true, first < 3 && (sign == Comma || sign == arabicGroup)
	for i := 1; i < len(groups); i++ {
		size := groups[i].digitsBefore - groups[i-1].digitsBefore
		if groups[i].sign != sign {
			return false
		}
		threes, twos = threes && size == 3, twos && size == 2
	}
	return threes || twos
}

// appendSimple appends the number of a cell of digits and separators, and
// rejects anything else.
func (s Style) appendSimple(dst, raw []byte) (out []byte, ok bool) {
	if out, ok = appendPlain(dst, raw, s.Decimal); ok {
		return out, true
	}
	return s.appendGrouped(dst, raw)
}

// euro is the mark that most often follows a number.
var euro, _ = FindCurrency("€")

// cutCurrency cuts a currency before the number, or a euro sign after it, with
// or without a space. The mark is zero if there is neither.
func cutCurrency(raw []byte) (bare []byte, mark Currency) {
	if len(raw) < 2 || raw[0]-'0' <= 9 {
		bare, found := bytes.CutSuffix(raw, []byte("€"))
		if !found {
			return raw, 0
		}
		return bytes.TrimSuffix(bare, []byte(" ")), euro
	}
	mark, size := matchMark(raw, true)
	return bytes.TrimPrefix(raw[size:], []byte(" ")), mark
}

// appendGrouped appends a number with separated thousands, such as 1,234.50, if
// the style decides its signs. It rejects anything else.
func (s Style) appendGrouped(dst, raw []byte) (out []byte, ok bool) {
	group := s.Decimal.opposite()
	if s.Decimal == Undecided || s.Group != Undecided && s.Group != group || len(raw) < 5 || len(raw) > maxZeros {
		return dst, false
	}
	from, i := len(dst), 0
	if raw[0] == '-' {
		i = 1
	}
	n := digitRun(raw[i:])
	if n == 0 || n > 3 || raw[i] == '0' || i+n == len(raw) || raw[i+n] != byte(group) {
		return dst, false
	}
	i += n
	out = append(dst, raw[:i]...)
	for i < len(raw) && raw[i] == byte(group) {
		if i+4 > len(raw) || digitRun(raw[i+1:i+4]) < 3 {
			return out[:from], false
		}
		out = append(out, raw[i+1:i+4]...)
		i += 4
	}
	if i == len(raw) {
		return out, true
	}
	return appendFraction(out, raw[i:], s.Decimal, from)
}

// appendFraction appends the fraction that is the rest of a cell, without
// trailing zeros. If the rest is anything else, it cuts out at from.
func appendFraction(out, rest []byte, decimal Sign, from int) ([]byte, bool) {
	if rest[0] != byte(decimal) || len(rest) == 1 || digitRun(rest[1:]) < len(rest)-1 {
		return out[:from], false
	}
	end := len(rest)
	for rest[end-1] == '0' {
		end--
	}
	if end > 1 {
		out = append(append(out, '.'), rest[1:end]...)
	}
	return out, true
}
