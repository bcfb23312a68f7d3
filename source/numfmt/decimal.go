package numfmt

import "strconv"

// precision is the number of significant digits of a number in a spreadsheet.
const precision = 15

// decimal is a number that is not negative: 0.DIGITS times ten to the point. It
// has no zeros at either end; zero has no digits.
type decimal struct {
	digits [24]byte
	n      int
	point  int
}

// set takes the 15 significant digits of v, which is not negative.
func (d *decimal) set(v float64) {
	if v < 1e15 && v == float64(uint64(v)) {
		d.setInt(uint64(v))
		return
	}
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

// setInt takes a whole number.
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

// round keeps a number of decimals, half away from zero.
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

// increment adds one to the last digit.
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

// whole is the number of digits before the point.
func (d *decimal) whole() int { return max(d.point, 0) }

// at gives the digit of the place i, counted from the first significant one.
func (d *decimal) at(i int) byte {
	if uint(i) < uint(d.n) {
		return d.digits[i]
	}
	return '0'
}

// appendFixed appends all digits, without leading and trailing zeros, 0 for
// nothing before the point.
func (d *decimal) appendFixed(dst []byte) []byte {
	if d.point <= 0 {
		dst = append(dst, '0')
	}
	for i := 0; i < d.point; i++ {
		dst = append(dst, d.at(i))
	}
	if d.n <= d.point {
		return dst
	}
	dst = append(dst, '.')
	for i := d.point; i < d.n; i++ {
		dst = append(dst, d.at(i))
	}
	return dst
}

// appendGeneral appends a number as General shows it. It rounds d.
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

// appendShortScientific appends 1.23457E+11.
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
