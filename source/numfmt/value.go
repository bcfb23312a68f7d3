package numfmt

import (
	"bytes"
	"math"
	"strconv"

	"github.com/intraydata/intray"
)

// AppendValue appends the plain form of a number by the kind of its format, as
// [intray.CellKind] describes it: a number with all its digits, a day, a time.
// What cannot be a date is a number; kind says which it became. Those are serials
// below 1 and 60 in the 1900 system, negative days and those from year 10000. A
// day is without its time, and a time of day without its day, as they are
// displayed; times are rounded to milliseconds. A number in a text format is a
// number. What is no number at all is the error #NUM!.
//
// Whole numbers have all their digits. Others have at most 15 significant ones,
// which is all that the application ever shows: the rest is noise of binary
// arithmetic, such as 0.30000000000000004. Numbers that need more than 21 digits
// in full have an exponent: 1.5e300.
func (f *Format) AppendValue(dst []byte, v float64, epoch1904 bool) (_ []byte, kind intray.CellKind) {
	if math.IsNaN(v) || math.IsInf(v, 0) {
		return append(dst, "#NUM!"...), intray.CellError
	}
	switch f.kind {
	case intray.CellTime:
		if math.Abs(v) < lastSerial {
			return f.appendTime(dst, v), intray.CellTime
		}
	case intray.CellDate, intray.CellDateTime:
		total, ok := serialMillis(v, epoch1904, 1)
		if days := total / dayMillis; ok && days > 0 && days != 60 {
			return f.appendDay(dst, total), f.kind
		}
	}
	return appendPlain(dst, v), intray.CellNumber
}

// appendDay appends 2006-01-02, with T15:04:05 where the format has a time.
func (f *Format) appendDay(dst []byte, total int64) []byte {
	m := momentOf(total)
	dst = append(appendPadded(dst, int64(m.year), 4), '-')
	dst = append(appendPadded(dst, int64(m.month), 2), '-')
	dst = appendPadded(dst, int64(m.day), 2)
	if f.kind == intray.CellDateTime {
		dst = appendClock(append(dst, 'T'), m.clock)
	}
	return dst
}

// appendTime appends the time of the day, or the whole length of time.
func (f *Format) appendTime(dst []byte, v float64) []byte {
	total := int64(math.Round(v * dayMillis))
	if total < 0 {
		dst = append(dst, '-')
		total = -total
	} else if !f.elapsed {
		total %= dayMillis
	}
	return appendClock(dst, total)
}

// appendClock appends 15:04:05 with the milliseconds that there are.
func appendClock(dst []byte, total int64) []byte {
	dst = append(appendPadded(dst, total/(60*60*1000), 2), ':')
	dst = append(appendPadded(dst, total/60000%60, 2), ':')
	dst = appendPadded(dst, total/1000%60, 2)
	millis := total % 1000
	if millis == 0 {
		return dst
	}
	dst = appendPadded(append(dst, '.'), millis, 3)
	for dst[len(dst)-1] == '0' {
		dst = dst[:len(dst)-1]
	}
	return dst
}

// plainDigits is the most digits that are written out.
const plainDigits = 21

// appendPlain appends a number with all its digits.
func appendPlain(dst []byte, v float64) []byte {
	if v == math.Trunc(v) {
		return appendWhole(dst, v)
	}
	if v < 0 {
		dst = append(dst, '-')
	}
	var d decimal
	d.set(math.Abs(v))
	if max(d.point, 1)+max(d.n-d.point, 0) <= plainDigits {
		return d.appendFixed(dst)
	}
	exponent := d.point - 1
	d.point = 1
	dst = append(d.appendFixed(dst), 'e')
	return strconv.AppendInt(dst, int64(exponent), 10)
}

// appendWhole appends a whole number: the least digits that stand for it alone,
// and zeros.
func appendWhole(dst []byte, v float64) []byte {
	if math.Abs(v) < 1e21 {
		return strconv.AppendFloat(dst, v+0, 'f', -1, 64) // + 0 makes -0 a 0
	}
	start := len(dst)
	dst = strconv.AppendFloat(dst, v, 'e', -1, 64)
	plus := start + bytes.IndexByte(dst[start:], '+')
	return append(dst[:plus], dst[plus+1:]...)
}
