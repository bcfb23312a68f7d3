package number

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
	if out, ok := s.appendUsual(dst, raw); ok {
		return out, Reading{}
	}
	if bare, mark := cutMark(raw); mark != 0 {
		if out, ok := s.appendUsual(dst, bare); ok {
			return out, Reading{Currency: mark}
		}
	}
	return s.appendAny(dst, raw)
}

// appendAny is Append without the short ways.
func (s Style) appendAny(dst, raw []byte) ([]byte, Reading) {
	if len(raw) > usual {
		return s.appendLong(dst, raw)
	}
	var room usualRoom
	c := cell{digits: room.digits[:], seps: room.seps[:]}
	return s.appendCell(dst, raw, &c)
}

// appendLong is Append for cells that may have many digits.
func (s Style) appendLong(dst, raw []byte) ([]byte, Reading) {
	var room fullRoom
	c := cell{digits: room.digits[:], seps: room.seps[:]}
	return s.appendCell(dst, raw, &c)
}

func (s Style) appendCell(dst, raw []byte, c *cell) ([]byte, Reading) {
	c.scan(raw)
	if c.reading.Reason != Read {
		return dst, c.reading
	}
	whole := c.wholeIn(s)
	if c.reading.Reason != Read {
		return dst, c.reading
	}
	d := c.decimal(whole)
	if !d.fits() {
		c.reading.Reason = TooLarge
		return dst, c.reading
	}
	return d.append(dst), c.reading
}

// decimal is the number of the cell, of whose digits so many stand before the
// decimal sign.
func (c *cell) decimal(whole int) decimal {
	d := decimal{negative: c.negative, digits: c.digits[:c.n], point: whole + c.exponent - int(c.reading.Shift)}
	return d.trim()
}

// wholeIn gives how many digits stand before the decimal sign in a style.
func (c *cell) wholeIn(s Style) int {
	atPoint, point := c.fits(Point)
	atComma, comma := c.fits(Comma)
	switch {
	case !point && !comma:
		c.reading.Reason = Separators
	case !comma:
		c.reading.Unlike = s.Decimal == Comma
		return atPoint
	case !point:
		c.reading.Unlike = s.Decimal == Point
		return atComma
	case atPoint != atComma:
		return c.decide(s, atPoint, atComma)
	}
	return atPoint
}

// decide reads a number that has one point or comma, before three digits.
func (c *cell) decide(s Style, atPoint, atComma int) int {
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

// fits says whether the cell is a number where decimal stands before fractions,
// and how many digits are then before it.
func (c *cell) fits(decimal Sign) (whole int, ok bool) {
	groups := c.seps[:c.k]
	whole = c.n
	if k := len(groups); k > 0 && (groups[k-1].sign == decimal || groups[k-1].sign == arabicDecimal) {
		groups, whole = groups[:k-1], int(groups[k-1].at)
	}
	if len(groups) == 0 {
		return whole, true
	}
	return whole, groups[0].sign != decimal && !c.hasExponent && c.grouped(groups, whole)
}

// grouped says whether groups cut whole digits into thousands, or into lakhs
// where commas do it.
func (c *cell) grouped(groups []sep, whole int) bool {
	sign, first := groups[0].sign, int(groups[0].at)
	if sign == arabicDecimal || first < 1 || first > 3 || first == 1 && c.digits[0] == '0' {
		return false
	}
	if whole-int(groups[len(groups)-1].at) != 3 {
		return false
	}
	threes, twos := true, first < 3 && (sign == Comma || sign == arabicGroup)
	for i := 1; i < len(groups); i++ {
		size := groups[i].at - groups[i-1].at
		if groups[i].sign != sign {
			return false
		}
		threes, twos = threes && size == 3, twos && size == 2
	}
	return threes || twos
}
