// Package number parses and formats exact decimal numbers.
//
// A number is text in a canonical form: the JSON format without leading zeros, without trailing
// zeros in the fraction, without an exponent unless it replaces more than 40 zeros, and without
// a sign for zero. Equal numbers have equal bytes, so that rules such as unique can compare them
// directly. Values keep all their digits. Whether a cell contained 1.50 or 1.5 is recorded only
// in its raw text.
//
// A [Style] describes how to read ambiguous cells of a column: its decimal sign and its thousands
// separator. A [Sniffer] observes the cells of a column. It decides on a style, with the evidence
// for it, or returns an [Ambiguity], which is a question for the user. A [Layout] is a set of
// Numbro format options. It formats numbers for display. [Options] are the options of a field.
//
// Fields, rows and problems are out of scope. The package does not read units,
// fractions such as 1/2, number words, or binary and hexadecimal numbers. It
// reports currencies but does not convert them.
package number

import (
	"bytes"

	"github.com/intraydata/intray"
)

// Reading describes how a cell was read.
type Reading struct {
	// Reason is why the cell is not a number, or Read.
	Reason Reason
	// Inconsistent reports whether the cell contradicts the style of its column
	// and was read in the only way that fits.
	Inconsistent bool
	// Shift is the number of places by which a percent or per mille sign
	// shifted the decimal sign: 0, 2 or 3.
	Shift uint8
	// Currency is the currency in the cell, or zero if there is none.
	Currency Currency
}

// Reason is why a cell could not be read.
type Reason uint8

// These are the reasons.
const (
	// Read means that the cell was read.
	Read Reason = iota
	// Empty: the cell is empty or contains only white space.
	Empty
	// Dash: the cell is only a dash, with or without a currency. It can mean
	// zero, as in accounting, or no value; the caller decides.
	Dash
	// NotNumber: the text is not a number, or contains more than one.
	NotNumber
	// Signs: there are two signs, or a parenthesis is not closed.
	Signs
	// Separators: a separator is in an impossible position.
	Separators
	// OtherStyle: the separator can be a decimal sign or a thousands separator, but is neither
	// of the column's signs.
	OtherStyle
	// TwoWays: the separator can be a decimal sign or a thousands separator,
	// and the style is undecided.
	TwoWays
	// Currencies: the cell has two currencies.
	Currencies
	// TooLong: the text is longer than 1,000 bytes.
	TooLong
	// TooLarge: the number has digits more than 400 places from the decimal sign.
	TooLarge
)

// maxCell is the maximum length of a cell in bytes, not counting white space at its ends.
const maxCell = 1000

// Code returns the machine-readable name of the reason, such as two_ways.
func (r Reason) Code() string { return reasonCodes[r].name }

// Message returns the message that describes the problem.
func (r Reason) Message() intray.Message { return intray.NewMessage(reasonCodes[r].code, nil) }

// reasonCodes holds the name and message code of each reason. The message code is empty if there
// is no error.
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

// Append reads a cell and appends its number in canonical form. If Reading.Reason is not Read,
// it returns dst unchanged. It allocates memory only to grow dst.
//
// It accepts signs before or after the digits, parentheses for negative numbers, separators
// between thousands or lakhs, currencies, percent and per mille signs (12% is 0.12), exponents,
// digits in other scripts, and the apostrophe that spreadsheets put before numbers stored as
// text. A separator that can only be a decimal sign, or only a thousands separator, is read as
// such. The style decides all other cases.
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

// appendGeneral is Append without the fast paths.
func (s Style) appendGeneral(dst, raw []byte) ([]byte, Reading) {
	if len(raw) > smallCellBytes {
		return s.appendLong(dst, raw)
	}
	var room smallBuffer
	c := cell{digits: room.digits[:], seps: room.seps[:]}
	return s.appendCell(dst, raw, &c)
}

// appendLong is appendGeneral for cells of any length. It is a separate
// function, so that the large buffer is not part of every stack frame.
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

// decimal returns the number in the cell if the given number of digits is
// before the decimal sign.
func (c *cell) decimal(whole int) decimal {
	d := decimal{negative: c.negative, digits: c.digits[:c.digitCount], point: whole + c.exponent - int(c.reading.Shift)}
	return d.trim()
}

// integerDigitsIn returns the number of digits before the decimal sign in the given style.
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

// resolveAmbiguous returns the number of digits before the decimal sign in a number that has one
// point or comma, followed by three digits.
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

// integerDigits reports whether the cell is a number with the given decimal
// sign. It returns the number of digits before the sign.
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

// validGroups reports whether groups divide the digits into thousands. Commas
// may also divide them into lakhs.
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

// appendSimple appends the number in a cell that consists of digits and
// separators. It reports false for any other cell.
func (s Style) appendSimple(dst, raw []byte) (out []byte, ok bool) {
	if out, ok = appendPlain(dst, raw, s.Decimal); ok {
		return out, true
	}
	return s.appendGrouped(dst, raw)
}

// euro is the mark that follows numbers most often.
var euro, _ = FindCurrency("€")

// cutCurrency removes a currency mark before the number, or a euro sign after it, and a space
// next to the mark. If there is no such mark, it returns the zero Currency.
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

// appendGrouped appends a number with thousands separators, such as 1,234.50,
// if the style decides both signs. It reports false for any other cell.
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

// appendFraction appends the fraction in rest, without trailing zeros. If rest is not a
// fraction, it truncates out to the length that from specifies.
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
