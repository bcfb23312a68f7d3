package date

// Date is a day of the Gregorian calendar in the years 1 to 9999. The zero Date is not a day.
type Date struct {
	Year       int16
	Month, Day uint8
}

// Time is a time of day, from 00:00:00 to 23:59:59.999999999.
type Time struct {
	Hour, Minute, Second uint8
	Nano                 uint32
}

// Timestamp is a day with a time of day, without a zone.
type Timestamp struct {
	Date
	Time
}

// NewDate returns a date. It reports false if the day does not exist or the
// year is not between 1 and 9999.
func NewDate(year, month, day int) (Date, bool) {
	if uint(year-1) >= 9999 || uint(month-1) >= 12 || uint(day-1) >= 31 {
		return Date{}, false
	}
	if day > 28 && day > daysInMonth(year, month) {
		return Date{}, false
	}
	return Date{Year: int16(year), Month: uint8(month), Day: uint8(day)}, true
}

// IsZero reports whether d is not a day.
func (d Date) IsZero() bool { return d.Month == 0 }

// Weekday returns 1 for Monday to 7 for Sunday.
func (d Date) Weekday() int { return (d.dayNumber()+2)%7 + 1 }

// YearDay returns the day of the year, starting at 1.
func (d Date) YearDay() int {
	first := Date{Year: d.Year, Month: 1, Day: 1}
	return d.dayNumber() - first.dayNumber() + 1
}

// ISOWeek returns the ISO 8601 week and its year.
func (d Date) ISOWeek() (year, week int) {
	thursday := dateFromDayNumber(d.dayNumber() + 4 - d.Weekday())
	return int(thursday.Year), (thursday.YearDay()-1)/7 + 1
}

// Append appends d as YYYY-MM-DD.
func (d Date) Append(dst []byte) []byte {
	y := int(d.Year)
	return append(dst, '0'+byte(y/1000), '0'+byte(y/100%10), '0'+byte(y/10%10), '0'+byte(y%10),
		'-', '0'+d.Month/10, '0'+d.Month%10, '-', '0'+d.Day/10, '0'+d.Day%10)
}

// Append appends c as 15:04 or, if seconds is true, as 15:04:05. It drops fractions of a second.
func (c Time) Append(dst []byte, seconds bool) []byte {
	dst = append(dst, '0'+c.Hour/10, '0'+c.Hour%10, ':', '0'+c.Minute/10, '0'+c.Minute%10)
	if seconds {
		dst = append(dst, ':', '0'+c.Second/10, '0'+c.Second%10)
	}
	return dst
}

// Append appends m as 2006-01-02T15:04 or, if seconds is true, as 2006-01-02T15:04:05.
func (m Timestamp) Append(dst []byte, seconds bool) []byte {
	return m.Time.Append(append(m.Date.Append(dst), 'T'), seconds)
}

// AppendISO appends the part of m that a field with this Want stores, in canonical form.
func (m Timestamp) AppendISO(dst []byte, want Want, seconds bool) []byte {
	switch want {
	case WantDate:
		return m.Date.Append(dst)
	case WantTime:
		return m.Time.Append(dst, seconds)
	}
	return m.Append(dst, seconds)
}

// dayNumber returns the number of days since 0000-03-01. Starting in March puts leap days at the
// end of a year (Hinnant, "chrono-Compatible Low-Level Date Algorithms").
func (d Date) dayNumber() int {
	y, m := int(d.Year), int(d.Month)
	if m <= 2 {
		y--
		m += 12
	}
	return 365*y + y/4 - y/100 + y/400 + (153*(m-3)+2)/5 + int(d.Day) - 1
}

// dateFromDayNumber is the inverse of dayNumber. It returns the zero Date if
// the year is not between 1 and 9999.
func dateFromDayNumber(n int) Date {
	if n < 306 || n > 3652364 {
		return Date{}
	}
	era, inEra := n/146097, n%146097
	yoe := (inEra - inEra/1460 + inEra/36524 - inEra/146096) / 365
	doy := inEra - (365*yoe + yoe/4 - yoe/100)
	m := (5*doy + 2) / 153
	year, month := era*400+yoe, m+3
	if month > 12 {
		year, month = year+1, month-12
	}
	return Date{Year: int16(year), Month: uint8(month), Day: uint8(doy - (153*m+2)/5 + 1)}
}

// unixEpoch is the day number of 1970-01-01.
const unixEpoch = 719468

// dateFromWeek returns the date of a weekday in an ISO 8601 week.
func dateFromWeek(year, week, weekday int) (Date, bool) {
	if uint(year-1) >= 9999 || uint(week-1) >= 53 || uint(weekday-1) >= 7 {
		return Date{}, false
	}
	fourth := Date{Year: int16(year), Month: 1, Day: 4}
	d := dateFromDayNumber(fourth.dayNumber() - fourth.Weekday() + 7*(week-1) + weekday)
	if y, w := d.ISOWeek(); d.IsZero() || y != year || w != week {
		return Date{}, false
	}
	return d, true
}

// dateFromYearDay returns the date of a day of the year, which is counted from
// 1.
func dateFromYearDay(year, day int) (Date, bool) {
	if uint(year-1) >= 9999 || day < 1 || day > 366 {
		return Date{}, false
	}
	d := dateFromDayNumber(Date{Year: int16(year), Month: 1, Day: 1}.dayNumber() + day - 1)
	return d, int(d.Year) == year
}

func daysInMonth(year, month int) int {
	switch month {
	case 2:
		if year%4 == 0 && (year%100 != 0 || year%400 == 0) {
			return 29
		}
		return 28
	case 4, 6, 9, 11:
		return 30
	}
	return 31
}

// newTime returns a time of day. It reports false if the time does not exist.
func newTime(hour, minute, second int) (Time, bool) {
	if uint(hour) >= 24 || uint(minute) >= 60 || uint(second) >= 60 {
		return Time{}, false
	}
	return Time{Hour: uint8(hour), Minute: uint8(minute), Second: uint8(second)}, true
}
