package numfmt

import (
	"math"
	"strconv"
)

// appendNumber appends the number v, which is not a date, without its sign. d must be the
// absolute value of v. appendNumber modifies d. zero is true if the section has placeholders, and
// the number is zero after rounding to them.
func (s *section) appendNumber(dst []byte, d *decimal, v float64) (_ []byte, zero bool) {
	if d.n > 0 {
		d.point += s.scale
	}
	switch s.shape {
	case shapeGeneral:
		for i := range s.items {
			if s.items[i].kind != itemGeneral {
				dst = append(dst, s.items[i].text...)
				continue
			}
			once := *d
			dst = appendGeneral(dst, &once)
		}
		return dst, false
	case shapeScientific:
		return s.appendScientific(dst, d), d.n == 0
	case shapeFraction:
		return s.appendFraction(dst, d, v)
	}
	d.round(s.decimals)
	for i := range s.items {
		switch it := &s.items[i]; it.kind {
		case itemWhole:
			dst = appendPlace(dst, it, d, s.grouped)
		case itemDecimal:
			dst = appendDecimal(dst, it, d)
		default:
			dst = append(dst, it.text...)
		}
	}
	return dst, d.n == 0 && s.wholes+s.decimals > 0
}

// appendPlace appends the digit of a placeholder before the decimal point. If the
// placeholder is the first, it also appends all digits to its left.
func appendPlace(dst []byte, it *item, d *decimal, grouped bool) []byte {
	whole := d.integerDigits()
	if it.first {
		for place := whole - 1; place > it.place; place-- {
			dst = appendDigit(dst, d.digit(whole-1-place), place, grouped)
		}
	}
	switch {
	case it.place < whole:
		return appendDigit(dst, d.digit(whole-1-it.place), it.place, grouped)
	case it.mark == '0':
		return appendDigit(dst, '0', it.place, grouped)
	case it.mark == '?':
		dst = append(dst, ' ')
		if grouped && it.place > 0 && it.place%3 == 0 {
			dst = append(dst, ' ')
		}
	}
	return dst
}

func appendDigit(dst []byte, digit byte, place int, grouped bool) []byte {
	dst = append(dst, digit)
	if grouped && place > 0 && place%3 == 0 {
		dst = append(dst, ',')
	}
	return dst
}

// appendDecimal appends the digit of a placeholder after the decimal point.
func appendDecimal(dst []byte, it *item, d *decimal) []byte {
	i := d.point + it.place
	switch {
	case i < d.n:
		return append(dst, d.digit(i))
	case it.mark == '0':
		return append(dst, '0')
	case it.mark == '?':
		return append(dst, ' ')
	}
	return dst
}

// appendScientific appends the mantissa and the exponent. The exponent is a multiple of
// the number of placeholders before the decimal point.
func (s *section) appendScientific(dst []byte, d *decimal) []byte {
	exponent := s.normalize(d)
	var power decimal
	power.setInt(uint64(max(exponent, -exponent)))
	for i := range s.items {
		switch it := &s.items[i]; it.kind {
		case itemWhole:
			dst = appendPlace(dst, it, d, s.grouped)
		case itemDecimal:
			dst = appendDecimal(dst, it, d)
		case itemPower:
			dst = appendPlace(dst, it, &power, false)
		case itemExponent:
			dst = appendExponentSign(dst, it.mark, exponent)
		default:
			dst = append(dst, it.text...)
		}
	}
	return dst
}

func appendExponentSign(dst []byte, mark byte, exponent int) []byte {
	dst = append(dst, 'E')
	switch {
	case exponent < 0:
		return append(dst, '-')
	case mark == '+':
		return append(dst, '+')
	}
	return dst
}

// normalize shifts the decimal point of d to get the mantissa, rounds the mantissa, and
// returns the exponent.
func (s *section) normalize(d *decimal) int {
	if d.n == 0 {
		return 0
	}
	step, exponent := max(s.wholes, 1), d.point
	if s.wholes > 0 {
		exponent = floorDiv(d.point-1, step) * step
	}
	d.point -= exponent
	d.round(s.decimals)
	if d.point > s.wholes { // rounding has added a digit
		d.point -= step
		exponent += step
	}
	return exponent
}

func floorDiv(a, b int) int {
	q := a / b
	if a%b < 0 {
		q--
	}
	return q
}

// appendFraction appends a number as an integer followed by a fraction. If the section
// has no placeholders for an integer, it appends an improper fraction. zero is true if both are 0.
func (s *section) appendFraction(dst []byte, whole *decimal, v float64) (_ []byte, zero bool) {
	v = math.Min(math.Abs(v)*math.Pow10(s.scale), math.MaxFloat64)
	w, above, below := s.splitFraction(v)
	whole.set(w)
	zero = w == 0 && above == 0
	if zero {
		whole.digits[0], whole.n, whole.point = '0', 1, 1 // # displays this zero
	}
	blank := s.wholes > 0 && above == 0
	var numerator, denominator decimal
	numerator.set(above)
	denominator.set(below)
	for i := range s.items {
		dst = s.appendFractionItem(dst, &s.items[i], [...]*decimal{whole, &numerator, &denominator}, blank)
	}
	return dst, zero
}

func (s *section) appendFractionItem(dst []byte, it *item, of [3]*decimal, blank bool) []byte {
	switch {
	case it.kind == itemWhole:
		return appendPlace(dst, it, of[0], s.grouped)
	case it.kind == itemLiteral:
		return append(dst, it.text...)
	case blank:
		if it.mark == '#' {
			return dst
		}
		for range max(len(it.text), 1) {
			dst = append(dst, ' ')
		}
		return dst
	case it.kind == itemNumerator:
		return appendNumerator(dst, it, of[1])
	case it.kind == itemDenominator:
		return s.appendDenominator(dst, it, of[2])
	}
	return append(dst, it.text...)
}

// appendNumerator appends the digit of a placeholder in the numerator. The numerator
// has at least one digit.
func appendNumerator(dst []byte, it *item, d *decimal) []byte {
	if d.n == 0 && it.place == 0 {
		return append(dst, '0')
	}
	return appendPlace(dst, it, d, false)
}

// appendDenominator appends the digit of a placeholder in the denominator. The digits
// are left-aligned and followed by spaces, unless the placeholders are zeros.
func (s *section) appendDenominator(dst []byte, it *item, d *decimal) []byte {
	if it.mark == '0' {
		return appendPlace(dst, it, d, false)
	}
	index := s.denominators - 1 - it.place
	switch {
	case index < d.integerDigits():
		return append(dst, d.digit(index))
	case it.mark == '?':
		return append(dst, ' ')
	}
	return dst
}

// splitFraction returns the integer part, numerator and denominator of v.
func (s *section) splitFraction(v float64) (whole, above, below float64) {
	rest := v
	if s.wholes > 0 {
		whole = math.Floor(v)
		rest = v - whole
	}
	if s.denominator > 0 {
		below = float64(s.denominator)
		above = math.Min(math.Floor(rest*below+0.5), math.MaxFloat64)
	} else {
		above, below = bestConvergent(rest, math.Pow10(min(s.denominators, 9))-1)
	}
	if s.wholes > 0 && above == below {
		return whole + 1, 0, below
	}
	return whole, above, below
}

// bestConvergent returns the numerator and denominator of a convergent of x's continued
// fraction: the last one with a denominator of at most limit.
func bestConvergent(x, limit float64) (above, below float64) {
	h0, h1, k0, k1 := 0.0, 1.0, 1.0, 0.0
	for range 40 {
		a := math.Floor(x)
		if a*k1+k0 > limit {
			break
		}
		h0, h1, k0, k1 = h1, a*h1+h0, k1, a*k1+k0
		if x-a < 1e-10 {
			break
		}
		x = 1 / (x - a)
	}
	return h1, k1
}

// precision is the number of significant digits that spreadsheets use.
const precision = 15

// decimal is a non-negative number: 0.DIGITS × 10^point. DIGITS has no leading or
// trailing zeros, and is empty for zero.
type decimal struct {
	digits [24]byte
	n      int
	point  int
}

// set sets d to v, rounded to 15 significant digits. v must not be negative.
func (d *decimal) set(v float64) {
	if v < 1e15 && v == float64(uint64(v)) {
		d.setInt(uint64(v))
		return
	}
	// Most other numbers are amounts. If v is the nearest number to an amount of at most 15 digits, the
	// amount is v rounded to 15 digits.
	if v < 1e13 {
		if cents := uint64(v*100 + 0.5); float64(cents)/100 == v {
			d.setInt(cents)
			d.point -= 2
			return
		}
	}
	d.setFloat(v)
}

// setFloat is set for any number.
func (d *decimal) setFloat(v float64) {
	var buf [32]byte
	text := strconv.AppendFloat(buf[:0], v, 'e', precision-1, 64) // d.ddddde-XX
	d.digits[0] = text[0]
	copy(d.digits[1:precision], text[2:])
	exponent := 0
	for _, c := range text[precision+3:] {
		exponent = exponent*10 + int(c-'0')
	}
	if text[precision+2] == '-' {
		exponent = -exponent
	}
	d.n, d.point = precision, exponent+1
	d.trim()
}

// setInt sets d to an integer.
func (d *decimal) setInt(v uint64) {
	d.n = len(strconv.AppendUint(d.digits[:0], v, 10))
	d.point = d.n
	d.trim()
}

func (d *decimal) trim() {
	for d.n > 0 && d.digits[d.n-1] == '0' {
		d.n--
	}
	if d.n == 0 {
		d.point = 0
	}
}

// round rounds d to a number of decimal places, half away from zero.
func (d *decimal) round(decimals int) {
	keep := d.point + decimals
	if keep >= d.n {
		return
	}
	if keep < 0 {
		d.n, d.point = 0, 0
		return
	}
	up := d.digits[keep] >= '5'
	d.n = keep
	if up {
		d.increment()
	}
	d.trim()
}

// increment adds 1 to the last digit.
func (d *decimal) increment() {
	i := d.n - 1
	for i >= 0 && d.digits[i] == '9' {
		i--
	}
	if i < 0 {
		d.digits[0], d.n = '1', 1
		d.point++
		return
	}
	d.digits[i]++
	d.n = i + 1
}

// integerDigits returns the number of digits before the point.
func (d *decimal) integerDigits() int { return max(d.point, 0) }

// digit returns digit i, counted from 0 for the first significant digit.
func (d *decimal) digit(i int) byte {
	if uint(i) < uint(d.n) {
		return d.digits[i]
	}
	return '0'
}

// appendFixed appends d in decimal notation, without leading or trailing zeros except
// for a single 0 before the decimal point.
func (d *decimal) appendFixed(dst []byte) []byte {
	if d.point <= 0 {
		dst = append(dst, '0')
	}
	for i := 0; i < d.point; i++ {
		dst = append(dst, d.digit(i))
	}
	if d.n <= d.point {
		return dst
	}
	dst = append(dst, '.')
	for i := d.point; i < d.n; i++ {
		dst = append(dst, d.digit(i))
	}
	return dst
}

// appendGeneral appends d as the format General displays it. It rounds d.
func appendGeneral(dst []byte, d *decimal) []byte {
	exponent := d.point - 1
	if exponent < -4 && d.n-d.point > 9 {
		return appendShortScientific(dst, d)
	}
	if exponent < 11 {
		d.round(min(9, max(9-exponent, 0)))
	}
	if d.point > 11 {
		return appendShortScientific(dst, d)
	}
	return d.appendFixed(dst)
}

// appendShortScientific appends d in scientific notation, such as 1.23457E+11.
func appendShortScientific(dst []byte, d *decimal) []byte {
	decimals := 5
	if exponent := d.point - 1; exponent >= 100 || exponent <= -100 {
		decimals = 4
	}
	d.round(decimals + 1 - d.point)
	exponent := d.point - 1
	d.point = 1
	dst = append(d.appendFixed(dst), 'E', '+')
	if exponent < 0 {
		dst[len(dst)-1] = '-'
		exponent = -exponent
	}
	if exponent < 10 {
		dst = append(dst, '0')
	}
	return strconv.AppendInt(dst, int64(exponent), 10)
}
