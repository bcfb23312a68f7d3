package output

import (
	"bytes"
	"encoding/json"
	"math"
	"strconv"
	"strings"
)

// parseDouble returns a JSON number as a double. ok is false if v is not a JSON number, or if the shortest
// decimal form of the double is a different number.
func parseDouble(v []byte) (x float64, ok bool) {
	if m, places, ok := parsePlainNumber(v); ok {
		x = float64(m) / powersOfTen[places] // both are exact, so the quotient is the nearest double
		if v[0] == '-' {
			x = -x
		}
		return x, true
	}
	if !isNumber(v) {
		return 0, false
	}
	x, err := strconv.ParseFloat(string(v), 64)
	if err != nil {
		return 0, false
	}
	digits, point := significantDigits(v)
	back, at := significantDigits(strconv.AppendFloat(nil, math.Abs(x), 'e', -1, 64))
	return x, bytes.Equal(digits, back) && (point == at || len(digits) == 0)
}

// powersOfTen holds the divisors of plain numbers, indexed by the number of decimal places.
var powersOfTen = [...]float64{1, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15}

// parsePlainNumber returns the digits of a JSON number as an integer, and the number of decimal
// places. ok is false if v is not a JSON number, or has more than 15 digits or an exponent.
func parsePlainNumber(v []byte) (digits uint64, places int, ok bool) {
	const most = 15
	if len(v) > 0 && v[0] == '-' {
		v = v[1:]
	}
	if len(v) == 0 || len(v) > most+1 || v[0] == '0' && len(v) > 1 && v[1] != '.' {
		return 0, 0, false
	}
	point := len(v)
	for i, c := range v {
		switch {
		case c-'0' <= 9:
			digits = digits*10 + uint64(c-'0')
		case c == '.' && point == len(v) && i > 0:
			point = i
		default:
			return 0, 0, false
		}
	}
	if point < len(v) {
		places = len(v) - point - 1
		return digits, places, places > 0
	}
	return digits, 0, len(v) <= most
}

// significantDigits returns the digits of a number without leading and trailing zeros, and
// the position of the decimal point relative to the first of them.
func significantDigits(v []byte) (digits []byte, point int) {
	whole := true
	for i, c := range v {
		switch {
		case c == 'e' || c == 'E':
			exponent, _ := strconv.Atoi(string(v[i+1:]))
			return bytes.TrimRight(digits, "0"), point + exponent
		case c == '.':
			whole = false
		case c == '-':
		case c == '0' && len(digits) == 0:
			if !whole {
				point--
			}
		default:
			digits = append(digits, c)
			if whole {
				point++
			}
		}
	}
	return bytes.TrimRight(digits, "0"), point
}

// maxInt64Digits is the largest n for which every integer with n digits fits into 64 bits.
const maxInt64Digits = 18

// parseDecimal returns a JSON number as an integer, in units of the last of the given number of decimal places.
// ok is false if v is not a JSON number or the result is not an integer of at most 18 digits.
func parseDecimal(v []byte, places int) (n int64, ok bool) {
	if m, behind, ok := parsePlainNumber(v); ok && behind <= places && places-behind <= maxInt64Digits-15 {
		n = int64(m) * int64(powersOfTen[places-behind])
		if v[0] == '-' {
			n = -n
		}
		return n, true
	}
	if !isNumber(v) {
		return 0, false
	}
	digits, point := significantDigits(v)
	if len(digits) > point+places || point+places > maxInt64Digits {
		return 0, len(digits) == 0
	}
	for i := range point + places {
		n *= 10
		if i < len(digits) {
			n += int64(digits[i] - '0')
		}
	}
	if v[0] == '-' {
		n = -n
	}
	return n, true
}

// decimalPlaces returns the number of decimal places to which the type options round a field.
// The name of a preset may imply that number. fixed is false if the options do not specify a
// usable number. parseDecimal rejects numbers with more places.
func decimalPlaces(options map[string]any) (places int, fixed bool) {
	name, _ := options["preset"].(string)
	switch name {
	case "integer":
		fixed = true
	case "usd", "usd_accounting", "eur", "gbp":
		places, fixed = 2, true
	}
	for prefix, more := range map[string]int{"decimal_": 0, "percent_": 2} {
		if rest, ok := strings.CutPrefix(name, prefix); ok {
			n, err := strconv.Atoi(rest)
			places, fixed = n+more, err == nil
		}
	}
	if round, given := options["round"]; given {
		text, err := json.Marshal(round)
		n, wrong := strconv.Atoi(string(text))
		places, fixed = max(n, 0), err == nil && wrong == nil
	}
	return places, fixed && places <= maxInt64Digits
}

// Dates and times are parsed strictly: only canonical values are valid.

const (
	secondsOfDay = 24 * 60 * 60
	microsOfDay  = secondsOfDay * 1_000_000
)

// readDigits parses an integer that consists only of digits.
func readDigits(v []byte) (n int, ok bool) {
	for _, c := range v {
		if c-'0' > 9 {
			return 0, false
		}
		n = n*10 + int(c-'0')
	}
	return n, true
}

// parseDate parses YYYY-MM-DD as the number of days since 1970-01-01.
func parseDate(v []byte) (n int64, ok bool) {
	if len(v) != 10 || v[4] != '-' || v[7] != '-' {
		return 0, false
	}
	y, okY := readDigits(v[:4])
	m, okM := readDigits(v[5:7])
	d, okD := readDigits(v[8:])
	if !okY || !okM || !okD || m < 1 || m > 12 || d < 1 || d > daysOfMonth[m-1] || m == 2 && d == 29 && !isLeapYear(y) {
		return 0, false
	}
	years := y + 399 // complete years since -399-01-01
	days := 365*years + years/4 - years/100 + years/400 + daysBeforeMonth[m-1] + d - 1
	if m > 2 && isLeapYear(y) {
		days++
	}
	return int64(days - daysBefore1970), true
}

// daysBefore1970 is the number of days from -399-01-01 to 1970-01-01.
const daysBefore1970 = 865_259

// daysOfMonth holds the number of days of each month in a leap year, and daysBeforeMonth the number of days before
// each month in other years.
var (
	daysOfMonth     = [12]int{31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31}
	daysBeforeMonth = [12]int{0, 31, 59, 90, 120, 151, 181, 212, 243, 273, 304, 334}
)

func isLeapYear(y int) bool { return y%4 == 0 && (y%100 != 0 || y%400 == 0) }

// parseTimeOfDay parses 15:04 or 15:04:05 as the number of microseconds since midnight.
func parseTimeOfDay(v []byte) (n int64, ok bool) {
	if len(v) != 5 && len(v) != 8 || v[2] != ':' {
		return 0, false
	}
	h, okH := readDigits(v[:2])
	m, okM := readDigits(v[3:5])
	s, okS := 0, true
	if len(v) == 8 {
		s, okS = readDigits(v[6:])
		okS = okS && v[5] == ':'
	}
	if !okH || !okM || !okS || h > 23 || m > 59 || s > 59 {
		return 0, false
	}
	return int64(h*3600+m*60+s) * 1_000_000, true
}

// parseTimestamp parses a date, T and a time as the number of microseconds since
// 1970-01-01T00:00.
func parseTimestamp(v []byte) (n int64, ok bool) {
	if len(v) < 11 || v[10] != 'T' {
		return 0, false
	}
	d, okD := parseDate(v[:10])
	c, okC := parseTimeOfDay(v[11:])
	return d*microsOfDay + c, okD && okC
}
