package workbook

import (
	"math"
	"strconv"
	"time"
)

// IsVerbatim reports whether the number format General displays a number exactly as it is
// written in XML. This applies to most numbers: those with at most 10 digits and no redundant
// zeros. Fractions between -1 and 1 are excluded, because small ones may be displayed with an
// exponent.
func IsVerbatim(raw []byte) bool {
	if len(raw) > 0 && raw[0] == '-' {
		raw = raw[1:]
		if string(raw) == "0" {
			return false
		}
	}
	if len(raw) == 0 || len(raw) > 11 {
		return false
	}
	point := -1
	for i, c := range raw {
		if c == '.' && point < 0 {
			point = i
		} else if c < '0' || c > '9' {
			return false
		}
	}
	if point < 0 {
		return len(raw) <= 10 && (raw[0] != '0' || len(raw) == 1)
	}
	return raw[0] >= '1' && raw[0] <= '9' && point+1 < len(raw) && raw[len(raw)-1] != '0'
}

// ParseNumber parses a number as it is written in XML. Inf, NaN, other bases and
// numbers beyond the range of a float64 are invalid.
func ParseNumber(raw []byte) (float64, bool) {
	for _, c := range raw {
		if (c < '0' || c > '9') && c != '.' && c != '-' && c != '+' && c|0x20 != 'e' {
			return 0, false
		}
	}
	v, err := strconv.ParseFloat(string(raw), 64)
	return v, err == nil
}

// Serial returns the serial number of a date and time: the number of days since day 0 of the
// workbook's date system. The 1900 date system includes 29 February 1900, which did not exist.
func Serial(t time.Time, epoch1904 bool) float64 {
	const day = 24 * time.Hour
	midnight := t.Truncate(day)
	zero := time.Date(1899, 12, 30, 0, 0, 0, 0, time.UTC)
	if epoch1904 {
		zero = time.Date(1904, 1, 1, 0, 0, 0, 0, time.UTC)
	}
	days := (midnight.Unix() - zero.Unix()) / int64(day/time.Second)
	if !epoch1904 && days <= 60 {
		days--
	}
	return float64(days) + float64(t.Sub(midnight))/float64(day)
}

// HasSerial reports whether the date system has a serial number for a date. Earlier dates would
// have negative numbers, which are not dates.
func HasSerial(t time.Time, epoch1904 bool) bool {
	if epoch1904 {
		return t.Year() >= 1904
	}
	return t.Year() >= 1900
}

// DecodeRK decodes a number that Excel's binary formats compress to 32 bits. It consists of an
// integer or the upper bits of a float, 30 bits in either case, and two flags: one for integers
// and one for hundredths.
func DecodeRK(rk uint32) float64 {
	v := float64(int32(rk) >> 2)
	if rk&2 == 0 {
		v = math.Float64frombits(uint64(rk&^3) << 32)
	}
	if rk&1 != 0 {
		v /= 100
	}
	return v
}

// ErrorText returns the error value with the given code in Excel's binary formats, such as #N/A.
// It returns #UNKNOWN! for an unknown code.
func ErrorText(code byte) string {
	switch code {
	case 0x00:
		return "#NULL!"
	case 0x07:
		return "#DIV/0!"
	case 0x0F:
		return "#VALUE!"
	case 0x17:
		return "#REF!"
	case 0x1D:
		return "#NAME?"
	case 0x24:
		return "#NUM!"
	case 0x2A:
		return "#N/A"
	case 0x2B:
		return "#GETTING_DATA"
	}
	return "#UNKNOWN!"
}
