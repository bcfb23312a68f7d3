package date

import (
	"math"
	"strconv"
)

// Epoch says from when a workbook counts its days.
type Epoch uint8

// The two epochs.
const (
	// Since1900 counts 1900-01-01 as day 1, and has a day 60 that no calendar
	// has: 1900-02-29.
	Since1900 Epoch = iota
	// Since1904 counts 1904-01-01 as day 0.
	Since1904
)

// dayMillis are the milliseconds of a day.
const dayMillis = 86_400_000

// ReadSerial reads the number of a workbook cell as days since the epoch, with
// the time of day behind the point, to the millisecond. It is only for cells
// that are known to be such numbers. Raw is a decimal number such as 44283.5.
func ReadSerial(raw []byte, epoch Epoch, want Want) Reading {
	v, ok := parseDecimal(trim(raw))
	if !ok {
		return Reading{Reason: NotUnderstood}
	}
	total := math.Round(v * dayMillis)
	if total < 0 || total >= 2_958_466*dayMillis {
		return Reading{Reason: YearOutside}
	}
	return serial(int64(total), epoch, want)
}

func serial(total int64, epoch Epoch, want Want) Reading {
	days, millis := int(total/dayMillis), int(total%dayMillis)
	r := Reading{HasClock: want == WantClock || millis != 0}
	r.Clock = Clock{
		Hour: uint8(millis / 3_600_000), Minute: uint8(millis / 60_000 % 60), Second: uint8(millis / 1000 % 60),
		Nano: uint32(millis%1000) * 1_000_000,
	}
	if want == WantClock {
		return r
	}
	switch {
	case epoch == Since1904:
		days += Date{Year: 1904, Month: 1, Day: 1}.number()
	case days == 0:
		return Reading{Reason: NoDay}
	case days == 60:
		return Reading{Reason: NoSuchDay}
	default:
		if days < 60 {
			days++ // the days before the one that never was
		}
		days += Date{Year: 1899, Month: 12, Day: 30}.number()
	}
	if r.Date = fromNumber(days); r.IsZero() {
		return Reading{Reason: YearOutside}
	}
	return r
}

// parseDecimal reads the common forms without an allocation, others by the
// standard library.
func parseDecimal(b []byte) (float64, bool) {
	if len(b) == 0 || len(b) > 40 {
		return 0, false
	}
	var digits, scale uint64 = 0, 0
	for i, c := range b {
		switch {
		case isDigit(c) && i < 17:
			digits = digits*10 + uint64(c-'0')
			scale *= 10
		case c == '.' && scale == 0 && i > 0:
			scale = 1
		case isDigit(c) || c == 'e' || c == 'E' || i == 0 && (c == '-' || c == '+'):
			v, err := strconv.ParseFloat(string(b), 64)
			return v, err == nil && !math.IsInf(v, 0)
		default:
			return 0, false
		}
	}
	return float64(digits) / float64(max(scale, 1)), true
}
