package date

import "math/bits"

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
