package date

// Day reads the cells that most columns of days have: 2006-01-02, and day, month
// and a year of four digits in the order of the style. It is not ok with all
// others, and else the same as Read.
func (s *Style) Day(raw []byte) (d Date, ok bool) {
	if len(raw) > 10 || len(raw) < 8 {
		return Date{}, false
	}
	if len(raw) == 10 && raw[4] == '-' {
		if s.Orders[YearFirst] == YDM {
			return Date{}, false
		}
		return readISO(raw)
	}
	first, at := oneOrTwo(raw)
	sign := raw[at]
	second, more := oneOrTwo(raw[at+1:])
	last := at + more + 2
	if at == 0 || more == 0 || len(raw)-last != 4 || raw[last-1] != sign || sign != '/' && sign != '-' && sign != '.' {
		return Date{}, false
	}
	century, year := twoDigits(raw[last:]), twoDigits(raw[last+2:])
	if century < 0 || year < 0 {
		return Date{}, false
	}
	switch s.Orders[signForm(sign)] {
	case DMY:
		return NewDate(century*100+year, second, first)
	case MDY:
		return NewDate(century*100+year, first, second)
	}
	return Date{}, false
}

// oneOrTwo reads the one or two digits that b begins with, and gives how many
// there are.
func oneOrTwo(b []byte) (n, digits int) {
	if !isDigit(b[0]) {
		return 0, 0
	}
	if !isDigit(b[1]) {
		return int(b[0] - '0'), 1
	}
	return int(b[0]-'0')*10 + int(b[1]-'0'), 2
}

// TimeOfDay reads 15:20, 15:20:07 and the two with AM or PM behind them. It is
// not ok with all others, and else the same as Read.
func TimeOfDay(raw []byte) (c Clock, ok bool) {
	if len(raw) < 4 {
		return Clock{}, false
	}
	hour, at := oneOrTwo(raw)
	minute := twoDigits(raw[at+1:])
	if at == 0 || raw[at] != ':' || minute < 0 {
		return Clock{}, false
	}
	rest, second := raw[at+3:], 0
	if len(rest) > 2 && rest[0] == ':' {
		second, rest = twoDigits(rest[1:]), rest[3:]
	}
	if len(rest) > 0 {
		half := englishHalf(rest)
		if half == 0 || hour > 12 {
			return Clock{}, false
		}
		hour = hour%12 + int(half-'a')/15*12
	}
	return newClock(hour, minute, second)
}

// DayAndTime reads a day as 2006-01-02 with 15:20 or 15:20:07.123 behind T or a
// space, and perhaps a Z, and days as Day does. It is not ok with all others, and
// else the same as Read.
func (s *Style) DayAndTime(raw []byte) (m Moment, ok bool) {
	if len(raw) <= 10 {
		m.Date, ok = s.Day(raw)
		return m, ok
	}
	if len(raw) < 16 || raw[10] != 'T' && raw[10] != ' ' || s.Orders[YearFirst] == YDM {
		return Moment{}, false
	}
	clock, nano := raw[11:], uint32(0)
	if last := len(clock) - 1; clock[last] == 'Z' && isDigit(clock[last-1]) {
		clock = clock[:last]
	}
	if len(clock) > 9 && clock[8] == '.' && isDigit(clock[7]) {
		var rest []byte
		if nano, rest = fraction(clock[9:]); len(rest) > 0 {
			return Moment{}, false
		}
		clock = clock[:8]
	}
	if m.Date, ok = readISO(raw); ok {
		m.Clock, ok = TimeOfDay(clock)
		m.Nano = nano
	}
	return m, ok
}
