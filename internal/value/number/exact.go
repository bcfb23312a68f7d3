package number

import "strconv"

// Canonical appends the canonical form of a number as JSON writes it or a
// workbook stores it: a point before the fraction, nothing between thousands. It
// is not ok, and gives dst as it was, where text is no such number or has digits
// more than 400 places from the decimal sign.
func Canonical(dst, text []byte) (out []byte, ok bool) {
	if out, ok := appendPlain(dst, text, Point); ok {
		return out, true
	}
	var buf [usual]byte
	d, ok := parse(text, buf[:0])
	if !ok || !d.fits() {
		return dst, false
	}
	return d.append(dst), true
}

// Round appends a number with so many digits behind the decimal sign, in
// canonical form; a negative count sets digits before the sign to zero. It rounds
// half away from zero. Text that is no number is appended as it is.
func Round(dst, number []byte, places int) []byte {
	var buf [usual]byte
	d, ok := parse(number, buf[:0])
	if !ok {
		return append(dst, number...)
	}
	return d.round(max(min(places, farExponent), -farExponent)).append(dst)
}

// Compare gives -1, 0 or +1 where a is less than, equal to or more than b, by
// their exact values. Both must be numbers; other text counts as zero.
func Compare(a, b []byte) int {
	var bufA, bufB [usual]byte
	x, _ := parse(a, bufA[:0])
	y, _ := parse(b, bufB[:0])
	return x.compare(y)
}

// appendPlain appends the canonical form of what most cells are: digits, perhaps
// with a minus before them and a fraction behind the decimal sign. It refuses
// all else, and what is so long that an exponent may be due.
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

// appendTrimmed leaves out the zeros that say nothing, and a minus before zero.
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
