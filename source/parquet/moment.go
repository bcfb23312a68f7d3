package parquet

import (
	"strconv"

	"github.com/intraydata/intray"
)

const (
	daySeconds = 24 * 60 * 60
	// julianEpoch is the day 1970-01-01 in Julian days.
	julianEpoch = 2440588
	lastYear    = 9999
)

// civil gives the day of the Gregorian calendar so many days from 1970-01-01, by
// Howard Hinnant's "chrono-Compatible Low-Level Date Algorithms".
func civil(days int64) (year int64, month, day int) {
	days += 719468 // from the first of March of the year 0
	era := floorDiv(days, 146097)
	inEra := days - era*146097
	yearInEra := (inEra - inEra/1460 + inEra/36524 - inEra/146096) / 365
	inYear := inEra - (365*yearInEra + yearInEra/4 - yearInEra/100)
	shifted := (5*inYear + 2) / 153
	day = int(inYear-(153*shifted+2)/5) + 1
	month = int(shifted) + 3
	year = yearInEra + era*400
	if month > 12 {
		month -= 12
		year++
	}
	return year, month, day
}

func floorDiv(a, b int64) int64 {
	q := a / b
	if a%b < 0 {
		q--
	}
	return q
}

// appendDay adds a day. One that four digits of a year cannot tell is text.
func appendDay(b []byte, days int64) ([]byte, intray.CellKind) {
	year, month, day := civil(days)
	kind := intray.CellDate
	switch {
	case year < 0:
		b, year, kind = append(b, '-'), -year, intray.CellText
	case year > lastYear:
		b, kind = append(b, '+'), intray.CellText
	}
	b = appendPadded(b, uint64(year), 4)
	b = appendPadded(append(b, '-'), uint64(month), 2)
	return appendPadded(append(b, '-'), uint64(day), 2), kind
}

func appendPadded(b []byte, n uint64, width int) []byte {
	from := len(b)
	b = strconv.AppendUint(b, n, 10)
	if missing := width - (len(b) - from); missing > 0 {
		b = append(b, "0000000000000000000"[:missing]...)
		copy(b[from+missing:], b[from:len(b)-missing])
		for i := range missing {
			b[from+i] = '0'
		}
	}
	return b
}

// appendClock adds hours, minutes and seconds, and the digits of a second that
// are not zero at the end. part is below a second.
func appendClock(b []byte, seconds, part uint64, digits int) []byte {
	b = appendPadded(b, seconds/3600, 2)
	b = appendPadded(append(b, ':'), seconds/60%60, 2)
	b = appendPadded(append(b, ':'), seconds%60, 2)
	if part == 0 {
		return b
	}
	b = appendPadded(append(b, '.'), part, digits)
	for b[len(b)-1] == '0' {
		b = b[:len(b)-1]
	}
	return b
}

// perSecond is how many units of so many digits make a second.
func perSecond(digits int) int64 {
	switch digits {
	case millis:
		return 1e3
	case micros:
		return 1e6
	}
	return 1e9
}

// appendTime adds a time of day, or a length of time.
func appendTime(b []byte, units int64, digits int) []byte {
	n := uint64(units)
	if units < 0 {
		b, n = append(b, '-'), -n
	}
	per := uint64(perSecond(digits))
	return appendClock(b, n/per, n%per, digits)
}

// appendMoment adds a day and a time, so many seconds from 1970.
func appendMoment(b []byte, seconds int64, part uint64, digits int, utc bool) ([]byte, intray.CellKind) {
	days := floorDiv(seconds, daySeconds)
	b, kind := appendDay(b, days)
	if kind == intray.CellDate {
		kind = intray.CellDateTime
	}
	b = appendClock(append(b, 'T'), uint64(seconds-days*daySeconds), part, digits)
	if utc {
		b = append(b, 'Z')
	}
	return b, kind
}

// appendTimestamp adds a timestamp in units of so many digits of a second.
func appendTimestamp(b []byte, units int64, digits int, utc bool) ([]byte, intray.CellKind) {
	per := perSecond(digits)
	seconds := floorDiv(units, per)
	return appendMoment(b, seconds, uint64(units-seconds*per), digits, utc)
}

// appendInterval adds a length of time in ISO 8601; one without anything in it
// is PT0S.
func appendInterval(b []byte, months, days, milliseconds uint64) []byte {
	b = append(b, 'P')
	if months > 0 {
		b = append(strconv.AppendUint(b, months, 10), 'M')
	}
	if days > 0 {
		b = append(strconv.AppendUint(b, days, 10), 'D')
	}
	if milliseconds == 0 && months+days > 0 {
		return b
	}
	b = strconv.AppendUint(append(b, 'T'), milliseconds/1000, 10)
	if part := milliseconds % 1000; part > 0 {
		b = appendPadded(append(b, '.'), part, millis)
		for b[len(b)-1] == '0' {
			b = b[:len(b)-1]
		}
	}
	return append(b, 'S')
}

// momentValue is the typed value of a timestamp: without the zone, and with at
// most three digits behind the point.
func momentValue(shown []byte) []byte {
	shown = zoneless(shown)
	if at := len("2006-01-02T15:04:05.000"); len(shown) > at {
		return shown[:at]
	}
	return shown
}

func zoneless(shown []byte) []byte {
	if n := len(shown); n > 0 && shown[n-1] == 'Z' {
		return shown[:n-1]
	}
	return shown
}
