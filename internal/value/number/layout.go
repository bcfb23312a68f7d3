package number

import "math/big"

// Append writes a number. Text that is no number is appended as it is.
func (l *Layout) Append(dst, number []byte) []byte {
	var buf [usual]byte
	d, ok := parse(number, buf[:0])
	if !ok || !d.fits() {
		return append(dst, number...)
	}
	dst = append(dst, l.prefix...)
	switch l.output {
	case "currency":
		dst = l.currency(dst, d)
	case "percent":
		dst = l.percent(dst, d)
	case "byte":
		dst = l.bytes(dst, d)
	case "time":
		dst = clock(dst, d)
	case "ordinal":
		suffix := ordinal(d)
		dst = append(space(l.number(dst, d), l.spaced), suffix...)
	default:
		dst = l.number(dst, d)
	}
	return append(dst, l.postfix...)
}

func space(dst []byte, wanted bool) []byte {
	if wanted {
		return append(dst, ' ')
	}
	return dst
}

// shown is a number as it is going to be written, rounded and in its unit.
type shown struct {
	decimal
	zero        bool
	unit        int
	mantissa    int // digits behind the decimal sign, or -1 for those there are
	exponent    int
	exponential bool
}

// show brings a number into its unit and rounds it.
func (l *Layout) show(d decimal) shown {
	s := shown{decimal: d, mantissa: -1, exponential: l.exponential}
	if l.fixed {
		s.mantissa = l.mantissa
	}
	if l.average {
		s.unit = l.unit(d)
		if !s.isZero() {
			s.point -= 3 * s.unit
		}
		if l.totalLength > 0 {
			s.mantissa = max(l.totalLength-max(s.point, 1), 0)
		}
	}
	if l.exponential {
		whole := max(l.characteristic, 1)
		s.exponent = 1 - whole
		if !s.isZero() {
			s.exponent = s.point - whole
			s.point = whole
		}
	}
	if s.mantissa >= 0 {
		s.decimal = s.round(s.mantissa)
	}
	s.zero = s.isZero()
	return s
}

// unit is the power of a thousand that a number is shown in.
func (l *Layout) unit(d decimal) int {
	for unit := len(averages) - 1; unit > 0; unit-- {
		if l.forceAverage != "" {
			if l.forceAverage == averages[unit] {
				return unit
			}
			continue
		}
		// With low precision half a thousand is a thousand already.
		half := l.lowPrecision && d.point == 3*unit && !d.isZero() && d.digits[0] >= '5'
		if d.point > 3*unit || half {
			return unit
		}
	}
	return 0
}

// number writes the number with its sign.
func (l *Layout) number(dst []byte, d decimal) []byte {
	s := l.show(d)
	return l.signed(dst, &s, ".")
}

// parenthesis says that negative numbers stand in parentheses in place of a sign.
func (l *Layout) parenthesis() bool { return l.negative == "parenthesis" }

// signed writes what is shown between its signs.
func (l *Layout) signed(dst []byte, s *shown, point string) []byte {
	switch {
	case s.zero:
	case s.negative && l.parenthesis():
		return append(l.unsigned(append(dst, '('), s, point), ')')
	case s.negative:
		dst = append(dst, '-')
	case l.forceSign:
		dst = append(dst, '+')
	}
	return l.unsigned(dst, s, point)
}

// unsigned writes the digits and the unit.
func (l *Layout) unsigned(dst []byte, s *shown, point string) []byte {
	places := l.places(s)
	if l.optionalCharacteristic && s.point <= 0 {
		if places == 0 {
			dst = append(dst, '0')
		}
	} else {
		dst = l.whole(dst, s)
	}
	if places > 0 {
		dst = s.appendPlaces(append(dst, point...), places)
	}
	if s.exponential {
		dst = append(dst, 'e')
		if s.exponent >= 0 {
			dst = append(dst, '+')
		}
		dst = appendInt(dst, s.exponent)
	}
	if text := l.abbreviations[s.unit]; l.average && text != "" {
		dst = append(space(dst, l.spaced), text...)
	}
	return dst
}

// places is how many digits stand behind the decimal sign.
func (l *Layout) places(s *shown) int {
	there := 0
	if !s.zero {
		there = max(len(s.digits)-s.point, 0)
	}
	if s.mantissa < 0 || l.trimMantissa || l.optionalMantissa && there == 0 {
		return there
	}
	return s.mantissa
}

// whole writes the digits before the decimal sign.
func (l *Layout) whole(dst []byte, s *shown) []byte {
	n := max(s.point, 1, l.characteristic)
	for place := n - 1; place >= 0; place-- {
		dst = append(dst, s.at(place))
		if l.thousands && place > 0 && place%3 == 0 {
			dst = append(dst, ',')
		}
	}
	return dst
}

func (l *Layout) percent(dst []byte, d decimal) []byte {
	if !d.isZero() {
		d.point += 2
	}
	if l.prefixSymbol {
		return l.number(space(append(dst, '%'), l.spaced), d)
	}
	return append(space(l.number(dst, d), l.spaced), '%')
}

// currency writes the symbol where it belongs: a sign stands before a symbol
// that comes first, a parenthesis behind it.
func (l *Layout) currency(dst []byte, d decimal) []byte {
	s := l.show(d)
	gap := ""
	if l.spacedCurrency {
		gap = " "
	}
	switch l.position {
	case "infix":
		return l.signed(dst, &s, gap+l.symbol+gap)
	case "postfix":
		dst = l.signed(dst, &s, ".")
		if !l.average || l.spacedAbbreviation {
			dst = append(dst, gap...)
		}
		return append(dst, l.symbol...)
	}
	switch {
	case s.zero || s.negative && l.parenthesis() || !s.negative && !l.forceSign:
		return l.signed(append(append(dst, l.symbol...), gap...), &s, ".")
	case s.negative:
		dst = append(dst, '-')
	default:
		dst = append(dst, '+')
	}
	dst = append(append(dst, gap...), l.symbol...)
	return l.unsigned(dst, &s, ".")
}

// Units of bytes, by their power.
var (
	byteUnits   = [...]string{"B", "KB", "MB", "GB", "TB", "PB", "EB", "ZB", "YB"}
	binaryUnits = [...]string{"B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB", "ZiB", "YiB"}
	binarySizes = [...]string{"1", "1024", "1048576", "1073741824", "1099511627776", "1125899906842624",
		"1152921504606846976", "1180591620717411303424", "1208925819614629174706176"}
)

func (l *Layout) bytes(dst []byte, d decimal) []byte {
	power := 0
	if l.base == "decimal" {
		power = min(max(d.point-1, 0)/3, len(byteUnits)-1)
		if !d.isZero() {
			d.point -= 3 * power
		}
	} else {
		for power < len(binarySizes)-1 && !d.isZero() && d.reaches(binarySizes[power+1]) {
			power++
		}
		d = d.halve(10 * power)
	}
	units := &byteUnits
	if l.base != "decimal" && l.base != "general" {
		units = &binaryUnits
	}
	return append(space(l.number(dst, d), l.spaced), units[power]...)
}

// reaches says whether a number that is not zero is at least as far from zero as
// size.
func (d decimal) reaches(size string) bool {
	var buf [usual]byte
	other, _ := parse([]byte(size), buf[:0])
	return d.compareSize(other) >= 0
}

// halve divides by two so many times: times five, and a place to the right.
func (d decimal) halve(times int) decimal {
	if times == 0 || d.isZero() {
		return d
	}
	n, _ := new(big.Int).SetString(string(d.digits), 10)
	n.Mul(n, new(big.Int).Exp(big.NewInt(5), big.NewInt(int64(times)), nil))
	digits := n.Append(nil, 10)
	d.point += len(digits) - len(d.digits) - times
	d.digits = digits
	return d.trim()
}

// clock writes seconds as hours, minutes and seconds.
func clock(dst []byte, d decimal) []byte {
	d = d.round(0)
	if d.negative && !d.isZero() {
		dst = append(dst, '-')
	}
	n, _ := new(big.Int).SetString(string(d.appendWhole(nil)), 10)
	minutes, seconds := n.QuoRem(n, big.NewInt(60), new(big.Int))
	hours, minutes := new(big.Int).QuoRem(minutes, big.NewInt(60), new(big.Int))
	dst = hours.Append(dst, 10)
	for _, part := range [...]int64{minutes.Int64(), seconds.Int64()} {
		dst = append(dst, ':', '0'+byte(part/10), '0'+byte(part%10))
	}
	return dst
}

// ordinal gives what stands behind a number in English.
func ordinal(d decimal) string {
	if d.negative || len(d.digits) > d.point || d.at(1) == '1' {
		return "th"
	}
	switch d.at(0) {
	case '1':
		return "st"
	case '2':
		return "nd"
	case '3':
		return "rd"
	}
	return "th"
}
