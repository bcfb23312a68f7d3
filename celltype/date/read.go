// Package date parses and formats dates, times of day and timestamps.
//
// A [Date] is a day of the Gregorian calendar, a [Time] is a time of day, and a [Timestamp] is
// both. None of them has a time zone: the package keeps the time as written, and reports the offset,
// unless the style sets an offset to convert to. A [Style] describes how to read ambiguous cells of a column: which number is the
// month, which century a two-digit year is in, and in which language months are named. A
// [Sniffer] observes the cells of a column. It decides on a style, with the evidence for it, or
// returns an [Ambiguity], which is a question for the user. A [Layout] is a format of Luxon
// tokens in a [Locale]. It formats timestamps for display and parses the formatted text.
//
// These rules apply throughout the package. A date without a time is a timestamp at 00:00. In a
// timestamp, 24:00 is the start of the next day; as a time of day, it is invalid. Fractions of a
// second are accepted but dropped from the canonical format. Two-digit years are between 1950
// and 2049 unless the style has a different pivot. Years of one or three digits and missing
// years are never completed. A day that does not exist is an error; it is never moved to a
// different day. If the weekday fits only one order of day and month, it decides the order. If
// it contradicts the date, that is an error.
//
// Fields, rows and problems are out of scope. The package does not use a clock. A date in a calendar
// other than the Gregorian is read only if the cell names the calendar or the style sets it.
package date

import (
	"cmp"
	"math"
	"math/bits"
	"strconv"
)

// Read reads one cell. It does not allocate.
func (s *Style) Read(raw []byte, want Want) Reading {
	if len(raw) == 10 && want != WantTime && s.Orders[YearFirst] != YDM && s.Calendar <= Gregorian {
		if d, ok := readISO(raw); ok {
			return Reading{Timestamp: Timestamp{Date: d}, HasDate: true}
		}
	}
	var p parts
	p.scan(raw, want)
	return s.resolve(&p, want)
}

// readISO reads a date in the format 2006-01-02. It reports false for any other cell.
func readISO(raw []byte) (Date, bool) {
	if raw[4] != '-' || raw[7] != '-' {
		return Date{}, false
	}
	century, year, month, day := parseTwoDigits(raw), parseTwoDigits(raw[2:]), parseTwoDigits(raw[5:]), parseTwoDigits(raw[8:])
	if century < 0 || year < 0 {
		return Date{}, false
	}
	return NewDate(century*100+year, month, day)
}

// resolve interprets the parts of a cell according to the style.
func (s *Style) resolve(p *parts, want Want) Reading {
	r := Reading{Offset: p.offset, Reason: p.reason, HasDate: p.kind != noDate, HasTime: p.hasTime, HasZone: p.hasZone}
	r.Time = p.time
	switch {
	case r.Reason != Read:
	case want == WantTime:
		if !p.hasTime {
			r.Reason = NoTime
		} else if p.nextDay {
			r.Reason = NoSuchTime
		}
	case p.dateReason != Read:
		r.Reason = p.dateReason
	default:
		s.resolveDate(p, &r)
		if want == WantDateTime && r.Reason == Read {
			s.shift(p, &r)
		}
	}
	if r.Reason != Read {
		r.Timestamp = Timestamp{}
	}
	return r
}

// shift moves a timestamp at 24:00 to the next day, and a timestamp with a different UTC offset than
// the column to the offset of the column.
func (s *Style) shift(p *parts, r *Reading) {
	minutes := 0
	if p.nextDay {
		minutes = dayMinutes
	}
	if p.hasZone && s.HasOffset && p.offset != s.Offset {
		minutes += int(s.Offset) - int(p.offset)
		r.Shifted = true
	}
	if minutes == 0 {
		return
	}
	minutes += int(r.Hour)*60 + int(r.Minute)
	days := (minutes+2*dayMinutes)/dayMinutes - 2
	minutes -= days * dayMinutes
	r.Hour, r.Minute = uint8(minutes/60), uint8(minutes%60)
	if r.Date = dateFromDayNumber(r.dayNumber() + days); r.IsZero() {
		r.Reason = YearOutside
	}
}

// dayMinutes is the number of minutes in a day.
const dayMinutes = 24 * 60

// resolveDate interprets the date in p.
func (s *Style) resolveDate(p *parts, r *Reading) {
	switch p.kind {
	case threeNumbers:
		s.resolveNumbers(p, r)
	case namedMonth:
		s.resolveNamedMonth(p, r)
	case wholeDate:
		r.Date = p.date
		if !p.fitsWeekday(p.date) {
			r.Reason = WrongWeekday
		}
	default:
		r.Reason = NoDay
	}
}

// resolveNumbers reads three numbers in the order of their pattern. If they do
// not fit, it tries the other orders.
func (s *Style) resolveNumbers(p *parts, r *Reading) {
	order := cmp.Or(p.order, s.Orders[p.pattern])
	if order == Undecided && p.pattern == YearFirst {
		order = YMD
	}
	if order != Undecided {
		r.Date, r.Reason = s.readInOrder(p, order)
		if r.Reason == Read || p.order != Undecided {
			return
		}
	}
	s.tryOtherOrders(p, r, order)
}

// tryOtherOrders tries the orders other than the column's. A day that is only too large for its
// month, such as 31 April, is a typo, not evidence of a year in first position.
func (s *Style) tryOtherOrders(p *parts, r *Reading, order Order) {
	var found Date
	first, several := r.Reason, false
	for _, o := range p.pattern.orders() {
		if o == order || order != Undecided && orderPositions[o][0] != orderPositions[order][0] {
			continue
		}
		d, reason := s.readInOrder(p, o)
		switch {
		case reason == Read && o == YMD && found.IsZero() && p.canEndWithYear():
			first = NoSuchDay
		case reason == Read:
			several = several || !found.IsZero() && found != d
			found = d
		case first == Read || first == YearPosition:
			first = reason
		}
	}
	switch {
	case found.IsZero():
		r.Reason = first
	case several:
		r.Reason = TwoOrders
	case order != Undecided && !s.Autofix:
		r.Reason = OtherOrder
	default:
		r.Date, r.Reason, r.Autofixed = found, Read, order != Undecided
	}
}

// orderPositions holds the positions of year, month and day in each order.
var orderPositions = [...][3]uint8{Undecided: {2, 1, 0}, DMY: {2, 1, 0}, MDY: {2, 0, 1}, YMD: {0, 1, 2}, YDM: {0, 2, 1}}

// readInOrder reads three numbers in the given order.
func (s *Style) readInOrder(p *parts, o Order) (Date, Reason) {
	at := &orderPositions[o]
	year := int(p.numbers[at[0]])
	if p.pattern.hasShortYear() || p.pattern == Named && p.widths[at[0]] < 4 {
		if p.widths[at[0]] != 2 {
			return Date{}, YearPosition
		}
		year = s.fullYear(year)
		if p.thai && s.Calendar == Buddhist {
			year = 2500 + int(p.numbers[at[0]])
		}
	}
	return s.checkedDate(p, year, int(p.numbers[at[1]]), int(p.numbers[at[2]]))
}

// canEndWithYear reports whether three numbers would fit an order with the year last if every
// month had 31 days.
func (p *parts) canEndWithYear() bool {
	return p.pattern != YearFirst && (p.numbers[1] <= 12 && p.numbers[0] <= 31 || p.numbers[0] <= 12 && p.numbers[1] <= 31)
}

func (s *Style) checkedDate(p *parts, year, month, day int) (Date, Reason) {
	d, ok := s.newDateIn(year, month, day)
	switch {
	case !ok && (year < 1 || year > 9999):
		return d, YearOutside
	case !ok:
		return d, NoSuchDay
	case !p.fitsWeekday(d):
		return d, WrongWeekday
	}
	return d, Read
}

func (p *parts) fitsWeekday(d Date) bool {
	return p.weekday == 0 || senseBits(p.weekday.entry().days, 0)>>d.Weekday()&1 == 1
}

// resolveNamedMonth reads a date with a named month. It fails if the name means
// different months in the column's languages.
func (s *Style) resolveNamedMonth(p *parts, r *Reading) {
	months := p.months
	if p.name != 0 {
		months = senseBits(p.name.entry().months, s.Languages)
	}
	var found Reading
	found.Reason = NoSuchDay
	for ; months != 0; months &= months - 1 {
		p.numbers[1] = int32(bits.TrailingZeros16(months))
		one := Reading{}
		if p.order == Undecided {
			s.resolveNumbers(p, &one)
		} else {
			one.Date, one.Reason = s.readInOrder(p, p.order)
		}
		switch {
		case one.Reason != Read:
			if found.Reason != Read {
				found.Reason = one.Reason
			}
		case found.Reason == Read && found.Date != one.Date:
			r.Reason = TwoMonths
			return
		default:
			found = one
		}
	}
	r.Date, r.Reason, r.Autofixed = found.Date, found.Reason, found.Autofixed
}

// ReadSimpleDate reads the most common formats: 2006-01-02, and day, month and
// four-digit year in the order of the style. For these, the result is the same
// as that of Read. It reports false for all other cells.
func (s *Style) ReadSimpleDate(raw []byte) (d Date, ok bool) {
	if len(raw) > 10 || len(raw) < 8 || s.Calendar > Gregorian {
		return Date{}, false
	}
	if len(raw) == 10 && raw[4] == '-' {
		if s.Orders[YearFirst] == YDM {
			return Date{}, false
		}
		return readISO(raw)
	}
	first, at := parseOneOrTwoDigits(raw)
	sign := raw[at]
	second, more := parseOneOrTwoDigits(raw[at+1:])
	last := at + more + 2
	if at == 0 || more == 0 || len(raw)-last != 4 || raw[last-1] != sign || sign != '/' && sign != '-' && sign != '.' {
		return Date{}, false
	}
	century, year := parseTwoDigits(raw[last:]), parseTwoDigits(raw[last+2:])
	if century < 0 || year < 0 {
		return Date{}, false
	}
	switch s.Orders[patternOfSeparator(sign)] {
	case DMY:
		return NewDate(century*100+year, second, first)
	case MDY:
		return NewDate(century*100+year, first, second)
	}
	return Date{}, false
}

// parseOneOrTwoDigits parses one or two digits at the start of b. It returns
// the value and the number of digits.
func parseOneOrTwoDigits(b []byte) (n, digits int) {
	if !isDigit(b[0]) {
		return 0, 0
	}
	if !isDigit(b[1]) {
		return int(b[0] - '0'), 1
	}
	return int(b[0]-'0')*10 + int(b[1]-'0'), 2
}

// ReadSimpleTime reads 15:20 and 15:20:07, with or without AM or PM. For these,
// the result is the same as that of Read. It reports false for all other cells.
func ReadSimpleTime(raw []byte) (c Time, ok bool) {
	if len(raw) < 4 {
		return Time{}, false
	}
	hour, at := parseOneOrTwoDigits(raw)
	minute := parseTwoDigits(raw[at+1:])
	if at == 0 || raw[at] != ':' || minute < 0 {
		return Time{}, false
	}
	rest, second := raw[at+3:], 0
	if len(rest) > 2 && rest[0] == ':' {
		second, rest = parseTwoDigits(rest[1:]), rest[3:]
	}
	if len(rest) > 0 {
		half := parseMeridiem(rest)
		if half == 0 || hour > 12 {
			return Time{}, false
		}
		hour = hour%12 + int(half-'a')/15*12
	}
	return newTime(hour, minute, second)
}

// ReadSimpleDateTime reads 2006-01-02 followed by T or a space and 15:20 or 15:20:07.123, with
// or without Z. It also reads the dates of ReadSimpleDate. For these, the result is the same as
// that of Read. zoned reports whether the cell has a time with Z. It reports false for all other
// cells.
func (s *Style) ReadSimpleDateTime(raw []byte) (m Timestamp, zoned, ok bool) {
	if len(raw) <= 10 {
		m.Date, ok = s.ReadSimpleDate(raw)
		return m, false, ok
	}
	if len(raw) < 16 || raw[10] != 'T' && raw[10] != ' ' || s.Orders[YearFirst] == YDM || s.Calendar > Gregorian {
		return Timestamp{}, false, false
	}
	clock, nano := raw[11:], uint32(0)
	if last := len(clock) - 1; clock[last] == 'Z' && isDigit(clock[last-1]) {
		clock, zoned = clock[:last], true
	}
	if len(clock) > 9 && clock[8] == '.' && isDigit(clock[7]) {
		var rest []byte
		if nano, rest = parseFraction(clock[9:]); len(rest) > 0 {
			return Timestamp{}, false, false
		}
		clock = clock[:8]
	}
	if m.Date, ok = readISO(raw); ok {
		m.Time, ok = ReadSimpleTime(clock)
		m.Nano = nano
	}
	return m, zoned, ok && (!zoned || !s.HasOffset || s.Offset == 0)
}

// Epoch is the date from which a workbook counts days.
type Epoch uint8

// These are the two epochs.
const (
	// Since1900 counts 1900-01-01 as day 1. Its day 60 is 1900-02-29, which does not exist.
	Since1900 Epoch = iota
	// Since1904 counts 1904-01-01 as day 0.
	Since1904
)

// dayMillis is the number of milliseconds in a day.
const dayMillis = 86_400_000

// ReadSerial reads the number in a workbook cell, such as 44283.5, as the
// number of days since the epoch. The fraction is the time of day, to the
// millisecond. Use it only for cells that are known to contain such numbers.
func ReadSerial(raw []byte, epoch Epoch, want Want) Reading {
	v, ok := parseDecimal(trim(raw))
	if !ok {
		return Reading{Reason: NotUnderstood}
	}
	total := math.Round(v * dayMillis)
	if total < 0 || total >= 2_958_466*dayMillis {
		return Reading{Reason: YearOutside}
	}
	return fromSerialMillis(int64(total), epoch, want)
}

func fromSerialMillis(total int64, epoch Epoch, want Want) Reading {
	days, millis := int(total/dayMillis), int(total%dayMillis)
	r := Reading{HasDate: days > 0, HasTime: want == WantTime || millis != 0}
	r.Time = Time{
		Hour: uint8(millis / 3_600_000), Minute: uint8(millis / 60_000 % 60), Second: uint8(millis / 1000 % 60),
		Nano: uint32(millis%1000) * 1_000_000,
	}
	if want == WantTime {
		return r
	}
	switch {
	case epoch == Since1904:
		days += Date{Year: 1904, Month: 1, Day: 1}.dayNumber()
	case days == 0:
		return Reading{Reason: NoDay}
	case days == 60:
		return Reading{Reason: NoSuchDay}
	default:
		if days < 60 {
			days++ // days before 1900-02-29
		}
		days += Date{Year: 1899, Month: 12, Day: 30}.dayNumber()
	}
	if r.Date = dateFromDayNumber(days); r.IsZero() {
		return Reading{Reason: YearOutside}
	}
	return r
}

// parseDecimal parses common formats without an allocation. It uses the
// standard library for all others.
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
