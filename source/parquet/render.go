package parquet

import (
	"encoding/binary"
	"encoding/hex"
	"math"
	"math/big"
	"math/bits"
	"strconv"

	"github.com/parquet-go/parquet-go/format"

	"github.com/intraydata/intray"
)

// maxDecimalBytes is the most bytes of a decimal, enough for maxPrecision.
const maxDecimalBytes = 512

var errNotText = damageError{intray.NewMessage("parquet.not_text", nil)}

// render adds the text of a value and says what it is. Its typed value is the
// same text, but for timestamps.
func (l *leaf) render(b []byte, v value) ([]byte, intray.CellKind, error) {
	switch l.logical.kind {
	case logicalString, logicalEnum, logicalJSON:
		return appendText(b, v.bytes)
	case logicalBSON, logicalGeometry, logicalGeography:
		return hex.AppendEncode(b, v.bytes), intray.CellText, nil
	case logicalInteger:
		return l.renderInteger(b, v)
	case logicalDecimal:
		return l.renderDecimal(b, v)
	case logicalDate:
		b, kind := appendDay(b, int64(int32(v.bits)))
		return b, kind, nil
	case logicalTime:
		return appendTime(b, l.intValue(v), l.logical.digits), intray.CellTime, nil
	case logicalTimestamp:
		b, kind := appendTimestamp(b, l.intValue(v), l.logical.digits, l.logical.utc)
		return b, kind, nil
	case logicalUUID:
		return appendUUID(b, v.bytes), intray.CellText, nil
	case logicalFloat16:
		b, kind := appendFloat(b, decodeFloat16(binary.LittleEndian.Uint16(v.bytes)), 32)
		return b, kind, nil
	case logicalInterval:
		le := binary.LittleEndian
		return appendInterval(b, uint64(le.Uint32(v.bytes)), uint64(le.Uint32(v.bytes[4:])), uint64(le.Uint32(v.bytes[8:]))), intray.CellText, nil
	case logicalNull:
		return b, intray.CellText, damageError{intray.NewMessage("parquet.value_in_null_column", nil)}
	}
	return l.renderPlain(b, v)
}

// renderPlain adds a value that only its physical type explains.
func (l *leaf) renderPlain(b []byte, v value) ([]byte, intray.CellKind, error) {
	kind := intray.CellNumber
	switch l.physical {
	case format.Boolean:
		return strconv.AppendBool(b, v.bits != 0), intray.CellBool, nil
	case format.Int32, format.Int64:
		b = strconv.AppendInt(b, l.intValue(v), 10)
	case format.Int96:
		b, kind = appendInt96(b, v.bytes)
	case format.Float:
		b, kind = appendFloat(b, float64(math.Float32frombits(uint32(v.bits))), 32)
	case format.Double:
		b, kind = appendFloat(b, math.Float64frombits(v.bits), 64)
	default:
		if l.hex {
			return hex.AppendEncode(b, v.bytes), intray.CellText, nil
		}
		return appendText(b, v.bytes)
	}
	return b, kind, nil
}

func appendText(b, text []byte) ([]byte, intray.CellKind, error) {
	if !isText(text) {
		return b, intray.CellText, errNotText
	}
	return append(b, text...), intray.CellText, nil
}

// intValue is a whole number with its sign.
func (l *leaf) intValue(v value) int64 {
	if l.physical == format.Int32 {
		return int64(int32(v.bits))
	}
	return int64(v.bits)
}

func (l *leaf) renderInteger(b []byte, v value) ([]byte, intray.CellKind, error) {
	shift := 64 - l.logical.bits
	if l.logical.signed {
		return strconv.AppendInt(b, int64(v.bits<<shift)>>shift, 10), intray.CellNumber, nil
	}
	return strconv.AppendUint(b, v.bits<<shift>>shift, 10), intray.CellNumber, nil
}

// appendFloat adds the shortest text that reads back. What is no number is text.
func appendFloat(b []byte, f float64, size int) ([]byte, intray.CellKind) {
	switch {
	case math.IsNaN(f):
		return append(b, "NaN"...), intray.CellText
	case math.IsInf(f, 1):
		return append(b, "Infinity"...), intray.CellText
	case math.IsInf(f, -1):
		return append(b, "-Infinity"...), intray.CellText
	case f == 0 || math.Abs(f) >= 1e-6 && math.Abs(f) < 1e21:
		return strconv.AppendFloat(b, f, 'f', -1, size), intray.CellNumber
	}
	from := len(b)
	b = strconv.AppendFloat(b, f, 'e', -1, size)
	for i := from; i < len(b); i++ {
		if b[i] != 'e' {
			continue
		}
		rest := i + 1
		if b[rest] == '-' {
			i++
		}
		for rest++; b[rest] == '0'; rest++ {
		}
		return append(b[:i+1], b[rest:]...), intray.CellNumber
	}
	return b, intray.CellNumber
}

// decodeFloat16 reads a floating number of 16 bits.
func decodeFloat16(n uint16) float64 {
	exponent, fraction := int(n>>10&31), float64(n&1023)
	f := math.Ldexp(1024+fraction, exponent-25)
	switch {
	case exponent == 31 && fraction > 0:
		return math.NaN()
	case exponent == 31:
		f = math.Inf(1)
	case exponent == 0:
		f = math.Ldexp(fraction, -24)
	}
	if n>>15 == 1 {
		return -f
	}
	return f
}

func appendUUID(b, id []byte) []byte {
	for i, from := range []int{0, 4, 6, 8, 10} {
		if i > 0 {
			b = append(b, '-')
		}
		b = hex.AppendEncode(b, id[from:[]int{4, 6, 8, 10, 16}[i]])
	}
	return b
}

// appendInt96 adds a timestamp of older programs: nanoseconds of a Julian day.
func appendInt96(b, v []byte) ([]byte, intray.CellKind) {
	ns := int64(binary.LittleEndian.Uint64(v))
	days := int64(int32(binary.LittleEndian.Uint32(v[8:]))) - julianEpoch
	seconds := floorDiv(ns, 1e9)
	return appendDateTime(b, days*secondsPerDay+seconds, uint64(ns-seconds*1e9), nanos, false)
}

// renderDecimal adds a decimal with all its digits.
func (l *leaf) renderDecimal(b []byte, v value) ([]byte, intray.CellKind, error) {
	n, size := l.intValue(v), len(v.bytes)
	switch {
	case l.isNumber():
	case size > maxDecimalBytes:
		return b, 0, limitError{intray.NewMessage("parquet.decimal_too_long", intray.Params{"limit": maxDecimalBytes})}
	case size > 16:
		return appendDecimal(b, bigDigits(v.bytes), v.bytes[0]>>7 == 1, l.logical.scale), intray.CellNumber, nil
	case size > 8:
		hi := bigEndian(v.bytes[:size-8])
		var scratch [40]byte
		digits := int128Digits(scratch[:0], hi, binary.BigEndian.Uint64(v.bytes[size-8:]))
		return appendDecimal(b, digits, hi < 0, l.logical.scale), intray.CellNumber, nil
	default:
		n = bigEndian(v.bytes)
	}
	magnitude := uint64(n)
	if n < 0 {
		magnitude = -magnitude
	}
	var scratch [20]byte
	return appendDecimal(b, strconv.AppendUint(scratch[:0], magnitude, 10), n < 0, l.logical.scale), intray.CellNumber, nil
}

// bigEndian reads up to 8 bytes with their sign.
func bigEndian(b []byte) (n int64) {
	if len(b) > 0 && b[0]>>7 == 1 {
		n = -1
	}
	for _, one := range b {
		n = n<<8 | int64(one)
	}
	return n
}

// int128Digits adds the digits of a number of 128 bits without its sign.
func int128Digits(b []byte, high int64, low uint64) []byte {
	hi := uint64(high)
	if high < 0 {
		var borrow uint64
		low, borrow = bits.Sub64(0, low, 0)
		hi, _ = bits.Sub64(0, hi, borrow)
	}
	const unit = 1e19 // hi is at most 2^63, which is less
	above, below := bits.Div64(hi, low, unit)
	if above == 0 {
		return strconv.AppendUint(b, below, 10)
	}
	return appendPadded(strconv.AppendUint(b, above, 10), below, 19)
}

// bigDigits gives the digits of a number of any length without its sign.
func bigDigits(b []byte) []byte {
	n := new(big.Int).SetBytes(b)
	if b[0]>>7 == 1 {
		n.Sub(n, new(big.Int).Lsh(big.NewInt(1), uint(8*len(b))))
	}
	return n.Abs(n).Append(nil, 10)
}

// appendDecimal adds digits with a sign and a point before the last scale of them.
func appendDecimal(b, digits []byte, negative bool, scale int) []byte {
	if negative {
		b = append(b, '-')
	}
	whole := len(digits) - scale
	if whole <= 0 {
		b = append(b, '0')
	} else {
		b = append(b, digits[:whole]...)
	}
	if scale == 0 {
		return b
	}
	b = append(b, '.')
	for ; whole < 0; whole++ {
		b = append(b, '0')
	}
	return append(b, digits[max(len(digits)-scale, 0):]...)
}

const (
	secondsPerDay = 24 * 60 * 60
	// julianEpoch is the day 1970-01-01 in Julian days.
	julianEpoch = 2440588
	lastYear    = 9999
)

// civilDate gives the day of the Gregorian calendar so many days from 1970-01-01, by
// Howard Hinnant's "chrono-Compatible Low-Level Date Algorithms".
func civilDate(days int64) (year int64, month, day int) {
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
	year, month, day := civilDate(days)
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

// appendDateTime adds a day and a time, so many seconds from 1970.
func appendDateTime(b []byte, seconds int64, part uint64, digits int, utc bool) ([]byte, intray.CellKind) {
	days := floorDiv(seconds, secondsPerDay)
	b, kind := appendDay(b, days)
	if kind == intray.CellDate {
		kind = intray.CellDateTime
	}
	b = appendClock(append(b, 'T'), uint64(seconds-days*secondsPerDay), part, digits)
	if utc {
		b = append(b, 'Z')
	}
	return b, kind
}

// appendTimestamp adds a timestamp in units of so many digits of a second.
func appendTimestamp(b []byte, units int64, digits int, utc bool) ([]byte, intray.CellKind) {
	per := perSecond(digits)
	seconds := floorDiv(units, per)
	return appendDateTime(b, seconds, uint64(units-seconds*per), digits, utc)
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

// typedTimestamp is the typed value of a timestamp: without the zone, and with at
// most three digits behind the point.
func typedTimestamp(shown []byte) []byte {
	shown = trimZone(shown)
	if at := len("2006-01-02T15:04:05.000"); len(shown) > at {
		return shown[:at]
	}
	return shown
}

func trimZone(shown []byte) []byte {
	if n := len(shown); n > 0 && shown[n-1] == 'Z' {
		return shown[:n-1]
	}
	return shown
}
