package number

import (
	"bytes"

	"github.com/intraydata/intray"
)

// Reading is what was seen in a cell beside its value.
type Reading struct {
	// Reason says why the cell holds no number, or Read.
	Reason Reason
	// Inconsistent says that the cell contradicts the style of its column, and was read
	// by the only way that fits.
	Inconsistent bool
	// Shift is how many places the decimal sign was moved for a percent or per
	// mille sign: 0, 2 or 3.
	Shift uint8
	// Currency is what stood before or behind the digits, or none.
	Currency Currency
}

// Reason says why a cell cannot be read.
type Reason uint8

// The reasons.
const (
	// Read is no reason: the cell was read.
	Read Reason = iota
	// Empty is a cell with nothing but white space.
	Empty
	// Dash is a dash alone, perhaps beside a currency: accounts write it for
	// zero, others for nothing. It is left to the caller.
	Dash
	// NotNumber is text that is no number, or has more than one beside it.
	NotNumber
	// Signs are two signs, or a parenthesis that is not closed.
	Signs
	// Separators are separators that stand where none can.
	Separators
	// OtherStyle is a number that would need another separator between the
	// thousands than the column has, and may be a fraction as well.
	OtherStyle
	// TwoWays is a number whose separator may stand before a fraction or between
	// thousands, and the style does not say which.
	TwoWays
	// Currencies are two currencies in one cell.
	Currencies
	// TooLong is text of more than 1,000 bytes.
	TooLong
	// TooLarge is a number with digits more than 400 places from the decimal
	// sign.
	TooLarge
)

// maxCell is how many bytes a cell may have, white space at its ends left out.
const maxCell = 1000

// Code is the reason as a name for machines, such as two_ways.
func (r Reason) Code() string { return reasonCodes[r].name }

// Message says what is wrong with the cell.
func (r Reason) Message() intray.Message { return intray.NewMessage(reasonCodes[r].code, nil) }

// reasonCodes holds for each reason its name and the code of its message; none where
// nothing is wrong.
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

// Append reads a cell and appends its number in canonical form. Where
// Reading.Reason is not Read it gives dst as it was. It allocates nothing but
// what dst needs to grow.
//
// It takes signs before and behind, parentheses for negative numbers, separators
// between thousands (and lakhs), currencies, percent and per mille signs (12% is
// 0.12), exponents, the digits of other scripts, and the apostrophe that
// spreadsheets put before numbers kept as text. A separator that can only stand
// before a fraction, or only between thousands, is read so whatever the style
// says; the style decides the rest.
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

// appendLong is Append for cells that may have many digits.
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

// decimal is the number of the cell, of whose digits so many stand before the
// decimal sign.
func (c *cell) decimal(whole int) decimal {
	d := decimal{negative: c.negative, digits: c.digits[:c.digitCount], point: whole + c.exponent - int(c.reading.Shift)}
	return d.trim()
}

// integerDigitsIn gives how many digits stand before the decimal sign in a style.
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

// resolveAmbiguous reads a number that has one point or comma, before three digits.
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

// integerDigits says whether the cell is a number where decimal stands before fractions,
// and how many digits are then before it.
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

// validGroups says whether groups cut whole digits into thousands, or into lakhs
// where commas do it.
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

// appendSimple appends the number of a cell that is digits with their signs, and
// refuses all else.
func (s Style) appendSimple(dst, raw []byte) (out []byte, ok bool) {
	if out, ok = appendPlain(dst, raw, s.Decimal); ok {
		return out, true
	}
	return s.appendGrouped(dst, raw)
}

// euro is the mark that most often stands behind a number.
var euro, _ = FindCurrency("€")

// cutCurrency cuts a currency before the number, or a euro sign behind it, with a
// blank between them. The mark is none where there is neither.
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

// appendGrouped appends the number of a cell whose thousands are separated, such
// as 1,234.50, where the style leaves no doubt of its signs. It refuses all else.
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

// appendFraction appends the decimal sign with the digits that are the rest of a
// cell, less the zeros at their end. Where the rest is none it cuts out at from.
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
