package parquet

import (
	"bytes"
	"encoding/binary"
	"encoding/hex"
	"math"
	"math/big"
	"math/bits"
	"strconv"
	"time"

	"github.com/parquet-go/parquet-go/format"

	"github.com/intraydata/intray"
	"github.com/intraydata/intray/internal/parquetio"
)

var errNotText = parquetio.Damaged(intray.NewMessage("parquet.not_text", nil))

// render appends the text of a value to b and returns its kind. The typed value is the same
// text, except for timestamps.
func (l *leaf) render(b, v []byte) ([]byte, intray.CellKind, error) {
	kind := intray.CellText
	switch t := &l.logical; t.Kind {
	case parquetio.LogicalString, parquetio.LogicalEnum, parquetio.LogicalJSON:
		return appendText(b, v)
	case parquetio.LogicalBSON, parquetio.LogicalGeometry, parquetio.LogicalGeography:
		b = hex.AppendEncode(b, v)
	case parquetio.LogicalInteger:
		kind = intray.CellNumber
		if shift := 64 - t.Bits; t.Signed {
			b = strconv.AppendInt(b, intValue(v)<<shift>>shift, 10)
		} else {
			b = strconv.AppendUint(b, uint64(intValue(v))<<shift>>shift, 10)
		}
	case parquetio.LogicalDecimal:
		return l.renderDecimal(b, v)
	case parquetio.LogicalDate:
		b, kind = appendDay(b, intValue(v))
	case parquetio.LogicalTime:
		b, kind = appendTime(b, intValue(v), t.Digits), intray.CellTime
	case parquetio.LogicalTimestamp:
		b, kind = appendTimestamp(b, unixTime(intValue(v), t.Digits), t.UTC)
	case parquetio.LogicalUUID:
		for i, end := range [...]int{4, 6, 8, 10, 16} {
			if i > 0 {
				b = append(b, '-')
			}
			b = hex.AppendEncode(b, v[[...]int{0, 4, 6, 8, 10}[i]:end])
		}
	case parquetio.LogicalFloat16:
		b, kind = appendFloat(b, decodeFloat16(binary.LittleEndian.Uint16(v)), 32)
	case parquetio.LogicalInterval:
		le := binary.LittleEndian
		b = appendInterval(b, uint64(le.Uint32(v)), uint64(le.Uint32(v[4:])), uint64(le.Uint32(v[8:])))
	case parquetio.LogicalNull:
		return b, kind, parquetio.Damaged(intray.NewMessage("parquet.value_in_null_column", nil))
	default:
		return l.renderPlain(b, v)
	}
	return b, kind, nil
}

// renderPlain appends the text of a value without a logical type.
func (l *leaf) renderPlain(b, v []byte) ([]byte, intray.CellKind, error) {
	kind := intray.CellNumber
	switch l.Type {
	case format.Boolean:
		return strconv.AppendBool(b, v[0] != 0), intray.CellBool, nil
	case format.Int32, format.Int64:
		b = strconv.AppendInt(b, intValue(v), 10)
	case format.Int96:
		// Older programs store timestamps as a Julian day and the nanoseconds in that day.
		ns, day := binary.LittleEndian.Uint64(v), int32(binary.LittleEndian.Uint32(v[8:]))
		b, kind = appendTimestamp(b, time.Unix((int64(day)-julianEpoch)*secondsPerDay, int64(ns)), false)
	case format.Float:
		b, kind = appendFloat(b, float64(math.Float32frombits(binary.LittleEndian.Uint32(v))), 32)
	case format.Double:
		b, kind = appendFloat(b, math.Float64frombits(binary.LittleEndian.Uint64(v)), 64)
	default:
		if l.hex {
			return hex.AppendEncode(b, v), intray.CellText, nil
		}
		return appendText(b, v)
	}
	return b, kind, nil
}

func appendText(b, text []byte) ([]byte, intray.CellKind, error) {
	if !isText(text) {
		return b, intray.CellText, errNotText
	}
	return append(b, text...), intray.CellText, nil
}

// intValue decodes an INT32 or INT64.
func intValue(v []byte) int64 {
	if len(v) == 4 {
		return int64(int32(binary.LittleEndian.Uint32(v)))
	}
	return int64(binary.LittleEndian.Uint64(v))
}

// appendFloat appends the shortest text that parses to f as a floating-point number with the
// given size, 32 or 64 bits. The kind is text for NaN and infinities.
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
	b = strconv.AppendFloat(b, f, 'e', -1, size)
	sign := bytes.LastIndexByte(b, 'e') + 1
	exponent := bytes.TrimLeft(b[sign+1:], "0")
	if b[sign] == '-' {
		sign++
	}
	return append(b[:sign], exponent...), intray.CellNumber
}

// decodeFloat16 decodes a 16-bit floating-point number.
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

// maxDecimalBytes is the maximum size of a decimal in bytes. It is large enough for
// maxPrecision digits.
const maxDecimalBytes = 512

// renderDecimal appends a decimal with all its digits.
func (l *leaf) renderDecimal(b, v []byte) ([]byte, intray.CellKind, error) {
	var scratch [40]byte
	var digits []byte
	negative := false
	switch size := len(v); {
	case l.Type == format.Int32 || l.Type == format.Int64:
		digits, negative = int64Digits(scratch[:0], intValue(v))
	case size > maxDecimalBytes:
		return b, 0, parquetio.Limited(intray.NewMessage("parquet.decimal_too_long", intray.Params{"limit": maxDecimalBytes}))
	case size > 16:
		digits, negative = bigDigits(v), v[0]>>7 == 1
	case size > 8:
		high := bigEndian(v[:size-8])
		digits, negative = int128Digits(scratch[:0], high, binary.BigEndian.Uint64(v[size-8:])), high < 0
	default:
		digits, negative = int64Digits(scratch[:0], bigEndian(v))
	}
	return appendDecimal(b, digits, negative, l.logical.Scale), intray.CellNumber, nil
}

// bigEndian decodes a signed big-endian number of at most 8 bytes.
func bigEndian(b []byte) (n int64) {
	if len(b) > 0 && b[0]>>7 == 1 {
		n = -1
	}
	for _, c := range b {
		n = n<<8 | int64(c)
	}
	return n
}

// int64Digits appends the digits of n without its sign.
func int64Digits(b []byte, n int64) (digits []byte, negative bool) {
	if n < 0 {
		return strconv.AppendUint(b, -uint64(n), 10), true
	}
	return strconv.AppendUint(b, uint64(n), 10), false
}

// int128Digits appends the digits of a 128-bit number without its sign.
func int128Digits(b []byte, high int64, low uint64) []byte {
	hi := uint64(high)
	if high < 0 {
		var borrow uint64
		low, borrow = bits.Sub64(0, low, 0)
		hi, _ = bits.Sub64(0, hi, borrow)
	}
	const unit = 1e19 // more than hi, which is at most 2^63
	above, below := bits.Div64(hi, low, unit)
	if above == 0 {
		return strconv.AppendUint(b, below, 10)
	}
	return appendPadded(strconv.AppendUint(b, above, 10), below, 19)
}

// bigDigits returns the digits of a signed big-endian number of any size, without its sign.
func bigDigits(b []byte) []byte {
	n := new(big.Int).SetBytes(b)
	if b[0]>>7 == 1 {
		n.Sub(n, new(big.Int).Lsh(big.NewInt(1), uint(8*len(b))))
	}
	return n.Abs(n).Append(nil, 10)
}

// appendDecimal appends digits as a decimal number. scale is the number of digits after the
// decimal point.
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
	// julianEpoch is the Julian day number of 1970-01-01.
	julianEpoch = 2440588
	lastYear    = 9999
)

// appendTimestamp appends a date and time. The kind is text if the year does not have four
// digits.
func appendTimestamp(b []byte, t time.Time, utc bool) ([]byte, intray.CellKind) {
	t = t.UTC()
	kind := intray.CellDateTime
	switch year := t.Year(); {
	case year > lastYear:
		b, kind = append(b, '+'), intray.CellText
	case year < 0:
		kind = intray.CellText
	}
	if b = t.AppendFormat(b, time.RFC3339Nano); !utc {
		b = trimZone(b)
	}
	return b, kind
}

// unixTime returns the time that is the given number of units after 1970-01-01 UTC. digits
// defines the unit: 3 for milliseconds, 6 for microseconds, 9 for nanoseconds.
func unixTime(units int64, digits int) time.Time {
	switch digits {
	case parquetio.Millis:
		return time.UnixMilli(units)
	case parquetio.Micros:
		return time.UnixMicro(units)
	}
	return time.Unix(0, units)
}

// appendDay appends the date that is the given number of days after 1970-01-01.
func appendDay(b []byte, days int64) ([]byte, intray.CellKind) {
	b, kind := appendTimestamp(b, time.Unix(days*secondsPerDay, 0), false)
	if kind == intray.CellDateTime {
		kind = intray.CellDate
	}
	return b[:len(b)-len("T00:00:00")], kind
}

// appendPadded appends n with leading zeros. width is the minimum number of digits.
func appendPadded(b []byte, n uint64, width int) []byte {
	var digits [20]byte
	i := len(digits)
	for ; n > 0 || len(digits)-i < width; n /= 10 {
		i--
		digits[i] = byte('0' + n%10)
	}
	return append(b, digits[i:]...)
}

// appendTime appends a time of day or a duration. units counts fractions of a second with the
// given number of digits: 3 for milliseconds, 6 for microseconds, 9 for nanoseconds.
func appendTime(b []byte, units int64, digits int) []byte {
	n, per := uint64(units), uint64(1e9)
	if units < 0 {
		b, n = append(b, '-'), -n
	}
	switch digits {
	case parquetio.Millis:
		per = 1e3
	case parquetio.Micros:
		per = 1e6
	}
	seconds := n / per
	b = appendPadded(b, seconds/3600, 2)
	b = appendPadded(append(b, ':'), seconds/60%60, 2)
	b = appendPadded(append(b, ':'), seconds%60, 2)
	return appendFraction(b, n%per, digits)
}

// appendFraction appends a point and the fraction of a second without trailing zeros. It
// appends nothing if the fraction is 0.
func appendFraction(b []byte, fraction uint64, digits int) []byte {
	if fraction == 0 {
		return b
	}
	return bytes.TrimRight(appendPadded(append(b, '.'), fraction, digits), "0")
}

// appendInterval appends a duration in ISO 8601. An empty duration is PT0S.
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
	return append(appendFraction(b, milliseconds%1000, parquetio.Millis), 'S')
}

// typedTimestamp returns the typed value of a timestamp, which has no time zone and at most
// three digits after the decimal point.
func typedTimestamp(shown []byte) []byte {
	shown = trimZone(shown)
	return shown[:min(len(shown), len("2006-01-02T15:04:05.000"))]
}

func trimZone(shown []byte) []byte { return bytes.TrimSuffix(shown, []byte{'Z'}) }
