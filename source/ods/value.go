package ods

import (
	"bytes"
	"strconv"
	"strings"
	"time"

	"github.com/intraydata/intray"
)

// appendValue appends a value in the form of its kind. What cannot be read is
// CellText, and nothing is appended.
func appendValue(dst []byte, k kind, raw []byte) ([]byte, intray.CellKind) {
	raw = bytes.Trim(raw, " \t\r\n")
	switch k {
	case kindNumber:
		if out, ok := appendNumber(dst, raw); ok {
			return out, intray.CellNumber
		}
	case kindDate:
		return appendDate(dst, raw)
	case kindTime:
		if millis, ok := parseDuration(string(raw)); ok {
			return appendTime(dst, millis), intray.CellTime
		}
	case kindBool:
		if text := string(raw); text == "true" || text == "false" {
			return append(dst, raw...), intray.CellBool
		}
	}
	return dst, intray.CellText
}

// appendNumber appends a decimal number with all its digits, in the one form
// that is promised: a digit at both sides of a point, a small e, no plus.
func appendNumber(dst, raw []byte) ([]byte, bool) {
	from := len(dst)
	rest, negative := bytes.CutPrefix(raw, []byte("-"))
	if negative {
		dst = append(dst, '-')
	} else {
		rest = bytes.TrimPrefix(raw, []byte("+"))
	}
	whole, rest := digits(rest)
	var fraction []byte
	if len(rest) > 0 && rest[0] == '.' {
		fraction, rest = digits(rest[1:])
	}
	if len(whole)+len(fraction) == 0 {
		return dst[:from], false
	}
	if len(whole) == 0 {
		whole = []byte("0")
	}
	dst = append(dst, whole...)
	if len(fraction) > 0 {
		dst = append(append(dst, '.'), fraction...)
	}
	if len(rest) == 0 {
		return dst, true
	}
	if rest[0]|0x20 != 'e' {
		return dst[:from], false
	}
	dst = append(dst, 'e')
	if rest = bytes.TrimPrefix(rest[1:], []byte("+")); len(rest) > 0 && rest[0] == '-' {
		dst, rest = append(dst, '-'), rest[1:]
	}
	exponent, rest := digits(rest)
	if len(exponent) == 0 || len(rest) > 0 {
		return dst[:from], false
	}
	return append(dst, exponent...), true
}

// digits cuts the digits off that text begins with.
func digits(text []byte) (run, rest []byte) {
	n := 0
	for n < len(text) && text[n] >= '0' && text[n] <= '9' {
		n++
	}
	return text[:n], text[n:]
}

// isDay says whether a text is a day.
func isDay(raw []byte) bool {
	if len(raw) != len(time.DateOnly) {
		return false
	}
	_, err := time.Parse(time.DateOnly, string(raw))
	return err == nil
}

// appendDate appends a day, or a day and a time. A zone is refused: cells have
// none; a Z is how some programs end all times.
func appendDate(dst, raw []byte) ([]byte, intray.CellKind) {
	if isDay(raw) {
		return append(dst, raw...), intray.CellDate
	}
	const full, shown, longest = "2006-01-02T15:04:05", "2006-01-02T15:04:05.999", 64
	if len(raw) > longest {
		return dst, intray.CellText
	}
	text := string(bytes.TrimSuffix(raw, []byte("Z")))
	t, err := time.Parse(full, text)
	if err != nil {
		t, err = time.Parse("2006-01-02T15:04", text)
	}
	t = t.Round(time.Millisecond)
	if err != nil || t.Year() > 9999 {
		return dst, intray.CellText
	}
	return t.AppendFormat(dst, shown), intray.CellDateTime
}

// unit is a unit of durations.
type unit struct {
	letter byte
	millis int64
}

// dateUnits stand in front of the T of a duration, clockUnits behind it, both
// in this order. Years and months have no length.
var (
	dateUnits  = [...]unit{{'Y', 0}, {'M', 0}, {'W', 7 * 86_400_000}, {'D', 86_400_000}}
	clockUnits = [...]unit{{'H', 3_600_000}, {'M', 60_000}, {'S', 1000}}
)

// parseDuration reads a duration as XML Schema has it, -P1DT27H30M00.5S, to the
// millisecond.
func parseDuration(text string) (millis int64, ok bool) {
	text, negative := strings.CutPrefix(text, "-")
	text, ok = strings.CutPrefix(text, "P")
	date, clock, timed := strings.Cut(text, "T")
	if !ok || text == "" || timed && clock == "" {
		return 0, false
	}
	days, ok := sum(date, dateUnits[:])
	hours, also := sum(clock, clockUnits[:])
	if negative {
		return -days - hours, ok && also
	}
	return days + hours, ok && also
}

// sum adds up numbers with units, which come in their order.
func sum(text string, units []unit) (millis int64, ok bool) {
	for _, u := range units {
		n, size := leading(text)
		if size == 0 || size == len(text) || text[size] != u.letter {
			continue
		}
		if u.millis == 0 && n != 0 || u.letter != 'S' && n%1000 != 0 {
			return 0, false
		}
		millis += n / 1000 * u.millis
		if u.letter == 'S' {
			millis += n % 1000
		}
		text = text[size+1:]
	}
	return millis, text == ""
}

// leading reads the number that text begins with, in thousandths, rounded. The
// size is 0 where there is none.
func leading(text string) (thousandths int64, size int) {
	const longest = 10 // digits; a sum of such durations fits into 64 bits
	for size < len(text) && text[size] >= '0' && text[size] <= '9' {
		size++
	}
	whole, err := strconv.ParseInt(text[:size], 10, 64)
	if err != nil || size > longest {
		return 0, 0
	}
	thousandths = whole * 1000
	if size == len(text) || text[size] != '.' {
		return thousandths, size
	}
	size++
	for scale := int64(1000); size < len(text) && text[size] >= '0' && text[size] <= '9'; size++ {
		digit := int64(text[size] - '0')
		if scale == 1 && digit >= 5 {
			thousandths++
		}
		scale /= 10
		thousandths += digit * scale
	}
	return thousandths, size
}

// appendTime appends a length of time: 27:30:00.5.
func appendTime(dst []byte, millis int64) []byte {
	if millis < 0 {
		dst, millis = append(dst, '-'), -millis
	}
	dst = appendPair(dst, millis/3_600_000)
	dst = appendPair(append(dst, ':'), millis/60_000%60)
	dst = appendPair(append(dst, ':'), millis/1000%60)
	rest := millis % 1000
	if rest == 0 {
		return dst
	}
	dst = append(dst, '.', byte('0'+rest/100), byte('0'+rest/10%10), byte('0'+rest%10))
	return bytes.TrimRight(dst, "0")
}

// appendPair appends a number of at least two digits.
func appendPair(dst []byte, n int64) []byte {
	if n < 10 {
		dst = append(dst, '0')
	}
	return strconv.AppendInt(dst, n, 10)
}
