package date

import (
	"math"
	"math/bits"
	"strconv"
)

// Read reads one cell. It allocates nothing.
func (s *Style) Read(raw []byte, want Want) Reading {
	if len(raw) == 10 && want != WantClock && s.Orders[YearFirst] != YDM {
		if d, ok := readISO(raw); ok {
			return Reading{Moment: Moment{Date: d}}
		}
	}
	var p parts
	p.scan(raw, want)
	return s.finish(&p, want)
}

// readISO reads 2006-01-02, the form that most exports have, and gives up on
// anything else.
func readISO(raw []byte) (Date, bool) {
	if raw[4] != '-' || raw[7] != '-' {
		return Date{}, false
	}
	century, year, month, day := twoDigits(raw), twoDigits(raw[2:]), twoDigits(raw[5:]), twoDigits(raw[8:])
	if century < 0 || year < 0 {
		return Date{}, false
	}
	return NewDate(century*100+year, month, day)
}

// finish says what the parts of a cell mean in this style.
func (s *Style) finish(p *parts, want Want) Reading {
	r := Reading{Offset: p.offset, Reason: p.reason, HasClock: p.hasClock, HasZone: p.hasZone}
	r.Clock = p.clock
	switch {
	case r.Reason != Read:
	case want == WantClock:
		if !p.hasClock {
			r.Reason = NoClock
		} else if p.nextDay {
			r.Reason = NoSuchTime
		}
	case p.dayReason != Read:
		r.Reason = p.dayReason
	default:
		s.day(p, &r)
		if want == WantMoment && p.nextDay && r.Reason == Read {
			r.Date = fromNumber(r.number() + 1)
			if r.IsZero() {
				r.Reason = YearOutside
			}
		}
	}
	if r.Reason != Read {
		r.Moment = Moment{}
	}
	return r
}

// day settles what day the parts mean.
func (s *Style) day(p *parts, r *Reading) {
	switch p.kind {
	case threeNumbers:
		s.numbers(p, r)
	case namedMonth:
		s.named(p, r)
	case wholeDay:
		r.Date = p.date
		if !p.fitsWeekday(p.date) {
			r.Reason = WrongWeekday
		}
	default:
		r.Reason = NoDay
	}
}

// numbers reads three numbers by the order of their form, or else by the only
// other order that fits.
func (s *Style) numbers(p *parts, r *Reading) {
	order := p.order
	if order == Undecided {
		order = s.order(p.form)
	}
	if order != Undecided {
		r.Date, r.Reason = s.as(p, order)
		if r.Reason == Read || p.order != Undecided {
			return
		}
	}
	s.otherwise(p, r, order)
}

// otherwise tries the orders that are not the column's. Numbers that miss a day by
// the length of its month are a slip of the pen, and no year that stands first.
func (s *Style) otherwise(p *parts, r *Reading, order Order) {
	var found Date
	first, several := r.Reason, false
	for _, o := range p.form.orders() {
		if o == order || order != Undecided && places[o][0] != places[order][0] {
			continue
		}
		d, reason := s.as(p, o)
		switch {
		case reason == Read && o == YMD && found.IsZero() && p.endsWithYear():
			first = NoSuchDay
		case reason == Read:
			several = several || !found.IsZero() && found != d
			found = d
		case first == Read || first == YearPlace:
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
		r.Date, r.Reason, r.Fixed = found, Read, order != Undecided
	}
}

// places holds where year, month and day stand in each order.
var places = [...][3]uint8{Undecided: {2, 1, 0}, DMY: {2, 1, 0}, MDY: {2, 0, 1}, YMD: {0, 1, 2}, YDM: {0, 2, 1}}

// as reads three numbers in one order.
func (s *Style) as(p *parts, o Order) (Date, Reason) {
	at := &places[o]
	year := int(p.nums[at[0]])
	if p.form.short() || p.form == Named && p.widths[at[0]] < 4 {
		if p.widths[at[0]] != 2 {
			return Date{}, YearPlace
		}
		year = s.fullYear(year)
	}
	return p.dayOf(year, int(p.nums[at[1]]), int(p.nums[at[2]]))
}

// endsWithYear says whether three numbers can be day, month and year in one of
// the orders with the year last, if all months had 31 days.
func (p *parts) endsWithYear() bool {
	return p.form != YearFirst && (p.nums[1] <= 12 && p.nums[0] <= 31 || p.nums[0] <= 12 && p.nums[1] <= 31)
}

func (p *parts) dayOf(year, month, day int) (Date, Reason) {
	d, ok := NewDate(year, month, day)
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
	return p.weekday == 0 || numbers(p.weekday.word().days, 0)>>d.Weekday()&1 == 1
}

// named reads a day with a named month. The name decides, unless it means
// different months in the languages of the column.
func (s *Style) named(p *parts, r *Reading) {
	months := p.months
	if p.name != 0 {
		months = numbers(p.name.word().months, s.Languages)
	}
	var found Reading
	found.Reason = NoSuchDay
	for ; months != 0; months &= months - 1 {
		p.nums[1] = int32(bits.TrailingZeros16(months))
		one := Reading{}
		s.namedNumbers(p, &one)
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
	r.Date, r.Reason, r.Fixed = found.Date, found.Reason, found.Fixed
}

func (s *Style) namedNumbers(p *parts, r *Reading) {
	if p.order == Undecided {
		s.numbers(p, r)
		return
	}
	r.Date, r.Reason = s.as(p, p.order)
}

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
