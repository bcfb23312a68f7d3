package number

import (
	"bytes"
	"strconv"
)

// decimal is a number. Its absolute value is 0.digits × 10^point.
type decimal struct {
	negative bool
	// digits are the significant digits. The first and the last digit are not 0; the number zero
	// has no digits. A decimal owns its digits and modifies them in place.
	digits []byte
	point  int
}

// These are the limits for numbers. All digits must be at most maxPlaces places from the decimal
// sign. In its shortest form, a float64 has up to 309 digits before the decimal sign and up to
// 324 after it.
const (
	maxPlaces = 400
	maxDigits = 2 * maxPlaces
	// maxZeros is the maximum number of zeros that are written instead of an exponent.
	maxZeros = 40
	// maxExponent is the limit to which larger exponents are reduced.
	maxExponent = 1_000_000
)

// smallCellBytes is the length in bytes up to which a number is parsed without an allocation.
const smallCellBytes = 64

// parse parses a JSON number. It also accepts leading zeros, a plus sign, and a
// missing integer or fraction part. It appends the digits to buf.
func parse(text, buf []byte) (d decimal, ok bool) {
	text, d.negative = cutSign(text)
	n := digitRun(text)
	buf = append(buf, text[:n]...)
	whole := n
	if text = text[n:]; len(text) > 0 && text[0] == '.' {
		n = digitRun(text[1:])
		buf = append(buf, text[1:1+n]...)
		text = text[1+n:]
	}
	exponent := 0
	if ok = len(buf) > 0; len(text) > 0 && ok {
		exponent, ok = parseExponent(text)
	}
	d.digits, d.point = buf, whole+exponent
	return d.trim(), ok
}

// digitRun returns the number of digits at the start of text.
func digitRun(text []byte) int {
	for i, c := range text {
		if c-'0' > 9 {
			return i
		}
	}
	return len(text)
}

func cutSign(text []byte) (rest []byte, negative bool) {
	if len(text) > 0 && (text[0] == '-' || text[0] == '+') {
		return text[1:], text[0] == '-'
	}
	return text, false
}

// parseExponent parses e followed by an integer. It limits the exponent to ±maxExponent.
func parseExponent(text []byte) (exponent int, ok bool) {
	if text[0] != 'e' && text[0] != 'E' {
		return 0, false
	}
	text, negative := cutSign(text[1:])
	for _, c := range text {
		if c-'0' > 9 {
			return 0, false
		}
		exponent = min(exponent*10+int(c-'0'), maxExponent)
	}
	if negative {
		exponent = -exponent
	}
	return exponent, len(text) > 0
}

// trim removes leading and trailing zeros.
func (d decimal) trim() decimal {
	from, to := 0, len(d.digits)
	for from < to && d.digits[from] == '0' {
		from++
	}
	for to > from && d.digits[to-1] == '0' {
		to--
	}
	d.digits = d.digits[from:to]
	d.point -= from
	if len(d.digits) == 0 {
		return decimal{}
	}
	return d
}

func (d decimal) isZero() bool { return len(d.digits) == 0 }

// inBounds reports whether all digits are at most maxPlaces places from the decimal sign.
func (d decimal) inBounds() bool { return d.point <= maxPlaces && len(d.digits)-d.point <= maxPlaces }

// digitAt returns the digit for 10^place.
func (d decimal) digitAt(place int) byte {
	if i := d.point - 1 - place; i >= 0 && i < len(d.digits) {
		return d.digits[i]
	}
	return '0'
}

// round rounds to a number of decimal places, which may be negative. Halves are
// rounded away from zero. It modifies the digits in place.
func (d decimal) round(places int) decimal {
	keep := d.point + places
	switch {
	case keep >= len(d.digits):
		return d
	case keep < 0:
		return decimal{}
	}
	up := d.digits[keep] >= '5'
	d.digits = d.digits[:keep]
	if !up {
		return d.trim()
	}
	for i := keep - 1; i >= 0; i-- {
		if d.digits[i] != '9' {
			d.digits[i]++
			return d.trim()
		}
		d.digits[i] = '0'
	}
	d.digits = append(d.digits[:0], '1')
	d.point++
	return d
}

// append appends the number in canonical form.
func (d decimal) append(dst []byte) []byte {
	if d.isZero() {
		return append(dst, '0')
	}
	if d.negative {
		dst = append(dst, '-')
	}
	if d.point-len(d.digits) > maxZeros || -d.point > maxZeros {
		dst = append(dst, d.digits[0])
		if len(d.digits) > 1 {
			dst = append(append(dst, '.'), d.digits[1:]...)
		}
		return appendInt(append(dst, 'e'), d.point-1)
	}
	dst = d.appendWhole(dst)
	if places := len(d.digits) - d.point; places > 0 {
		dst = d.appendPlaces(append(dst, '.'), places)
	}
	return dst
}

// appendWhole appends the digits before the decimal sign. If there are none, it appends 0.
func (d decimal) appendWhole(dst []byte) []byte {
	if d.point <= 0 {
		return append(dst, '0')
	}
	n := min(d.point, len(d.digits))
	return appendZeros(append(dst, d.digits[:n]...), d.point-n)
}

// appendPlaces appends the given number of digits after the decimal sign.
func (d decimal) appendPlaces(dst []byte, places int) []byte {
	for place := -1; place >= -places; place-- {
		dst = append(dst, d.digitAt(place))
	}
	return dst
}

func appendZeros(dst []byte, n int) []byte {
	for range n {
		dst = append(dst, '0')
	}
	return dst
}

// compare returns -1, 0 or +1 if d is less than, equal to or greater than other.
func (d decimal) compare(other decimal) int {
	switch {
	case d.isZero() && other.isZero():
		return 0
	case d.isZero():
		return -other.sign()
	case other.isZero() || d.negative != other.negative:
		return d.sign()
	}
	return d.sign() * d.compareSize(other)
}

func (d decimal) sign() int {
	if d.negative {
		return -1
	}
	return 1
}

// compareSize compares the absolute values of two nonzero numbers.
func (d decimal) compareSize(other decimal) int {
	if d.point != other.point {
		if d.point < other.point {
			return -1
		}
		return 1
	}
	// The last digit is not 0, so if one is a prefix, the longer one is greater.
	return bytes.Compare(d.digits, other.digits)
}

// Canonical appends the canonical form of a number in JSON or in a workbook, which has a decimal
// point and no thousands separators. If text is not such a number, or has digits more than 400
// places from the decimal sign, Canonical returns dst and false.
func Canonical(dst, text []byte) (out []byte, ok bool) {
	if out, ok := appendPlain(dst, text, Point); ok {
		return out, true
	}
	var buf [smallCellBytes]byte
	d, ok := parse(text, buf[:0])
	if !ok || !d.inBounds() {
		return dst, false
	}
	return d.append(dst), true
}

// Round appends a number in canonical form, rounded to the given number of
// decimal places. Negative places round to the left of the decimal sign. Halves
// are rounded away from zero. Text that is not a number is appended unchanged.
func Round(dst, number []byte, places int) []byte {
	var buf [smallCellBytes]byte
	d, ok := parse(number, buf[:0])
	if !ok {
		return append(dst, number...)
	}
	return d.round(max(min(places, maxExponent), -maxExponent)).append(dst)
}

// appendPlain appends the canonical form of a number in the most common format:
// digits, optionally with a minus sign and a fraction. It reports false for any
// other cell, and for numbers so long that they may need an exponent.
func appendPlain(dst, raw []byte, sign Sign) (out []byte, ok bool) {
	i := 0
	if len(raw) > 0 && raw[0] == '-' {
		i = 1
	}
	if len(raw) > maxZeros || i == len(raw) {
		return dst, false
	}
	start, dot := i, len(raw)
	for ; i < len(raw); i++ {
		if raw[i]-'0' <= 9 {
			continue
		}
		if raw[i] != byte(sign) || dot < len(raw) || sign == Undecided {
			return dst, false
		}
		dot = i
	}
	if dot == start || dot == len(raw)-1 {
		return dst, false
	}
	return appendTrimmed(dst, raw, start, dot), true
}

// appendTrimmed appends a number without redundant zeros, and zero without a minus sign.
func appendTrimmed(dst, raw []byte, start, dot int) []byte {
	end := len(raw)
	if dot < end {
		for raw[end-1] == '0' {
			end--
		}
		if end-1 == dot {
			end = dot
		}
	}
	from := start
	for from < dot-1 && raw[from] == '0' {
		from++
	}
	if start == 1 && (end > dot || raw[from] != '0') {
		dst = append(dst, '-')
	}
	at := len(dst) + dot - from
	dst = append(dst, raw[from:end]...)
	if end > dot {
		dst[at] = '.'
	}
	return dst
}

func appendInt(dst []byte, n int) []byte { return strconv.AppendInt(dst, int64(n), 10) }
