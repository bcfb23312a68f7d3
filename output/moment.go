package output

// Days and times are read from their canonical texts only: a digit where there
// must be one, and nothing else.

const (
	microsOfDay = 24 * 60 * 60 * 1_000_000
	// dayOfEpoch is the number of 1970-01-01, counted from 0000-03-01.
	dayOfEpoch = 719_468
)

// readDigits reads digits and nothing else.
func readDigits(v []byte) (n int, ok bool) {
	for _, c := range v {
		if c-'0' > 9 {
			return 0, false
		}
		n = n*10 + int(c-'0')
	}
	return n, true
}

// day reads YYYY-MM-DD as a number of days from 1970-01-01. It counts from the
// first of March, which lets leap days fall to the end of a year (Hinnant,
// "chrono-Compatible Low-Level Date Algorithms").
func day(v []byte) (n int64, ok bool) {
	if len(v) != 10 || v[4] != '-' || v[7] != '-' {
		return 0, false
	}
	y, okY := readDigits(v[:4])
	m, okM := readDigits(v[5:7])
	d, okD := readDigits(v[8:])
	if !okY || !okM || !okD || m < 1 || m > 12 || d < 1 || d > daysOf(y, m) {
		return 0, false
	}
	if m <= 2 {
		y--
		m += 12
	}
	y += 400 // no year is below zero
	passed := 365*y + y/4 - y/100 + y/400 - 146_097
	return int64(passed + (153*(m-3)+2)/5 + d - 1 - dayOfEpoch), true
}

func daysOf(year, month int) int {
	switch month {
	case 4, 6, 9, 11:
		return 30
	case 2:
		if year%4 == 0 && (year%100 != 0 || year%400 == 0) {
			return 29
		}
		return 28
	}
	return 31
}

// clock reads 15:04 or 15:04:05 as microseconds of a day.
func clock(v []byte) (n int64, ok bool) {
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

// moment reads a day, T and a time as microseconds from 1970-01-01T00:00 on.
func moment(v []byte) (n int64, ok bool) {
	if len(v) < 11 || v[10] != 'T' {
		return 0, false
	}
	d, okD := day(v[:10])
	c, okC := clock(v[11:])
	return d*microsOfDay + c, okD && okC
}
