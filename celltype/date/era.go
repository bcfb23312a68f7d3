package date

import "github.com/intraydata/intray"

// Calendar is the calendar of years that the Gregorian calendar makes implausible, such as 2567.
type Calendar uint8

// These are the calendars.
const (
	// UnknownCalendar reads all years as Gregorian. It is for columns whose calendar is not decided.
	UnknownCalendar Calendar = iota
	// Gregorian reads all years as Gregorian, as decided by a person.
	Gregorian
	// Buddhist reads the years 2443 to 2642 as those of the Thai calendar: 2567 is 2024.
	Buddhist
	// Persian reads dates in the years 1300 to 1499 as those of the Solar Hijri calendar.
	Persian
	calendarCount
)

var calendarNames = [calendarCount]string{"", "gregorian", "buddhist", "persian"}

// String returns the name of the calendar as it appears in a serialized style.
func (c Calendar) String() string { return calendarNames[c] }

// buddhistOffset is the number of years by which the Thai calendar is ahead.
const buddhistOffset = 543

// These are the years that people rarely write in the Gregorian calendar, but often in another one:
// 1900 to 2099 in the Thai calendar, and 1921 to 2120 in the Solar Hijri calendar. The years 1300
// to 1499 are also those of the lunar Hijri calendar from 1882 to 2076.
const (
	minBuddhist, maxBuddhist = 2443, 2642
	minPersian, maxPersian   = 1300, 1499
)

// LooksForeign reports whether a year of four digits is more likely to be in another calendar.
func LooksForeign(year int) bool {
	return uint(year-minBuddhist) <= maxBuddhist-minBuddhist || uint(year-minPersian) <= maxPersian-minPersian
}

// foreignCalendar returns the calendar in which a year of four digits is likely, if it is not the
// Gregorian calendar.
func foreignCalendar(year int) Calendar {
	switch {
	case uint(year-1500) < minBuddhist-1500: // most years
	case year >= minBuddhist && year <= maxBuddhist:
		return Buddhist
	case year >= minPersian && year <= maxPersian:
		return Persian
	}
	return UnknownCalendar
}

// newDateIn returns a date in the calendar of the style.
func (s *Style) newDateIn(year, month, day int) (Date, bool) {
	switch c := foreignCalendar(year); {
	case c != s.Calendar || c == UnknownCalendar:
	case c == Buddhist:
		return NewDate(year-buddhistOffset, month, day)
	case c == Persian:
		return dateFromPersian(year, month, day)
	}
	return NewDate(year, month, day)
}

// persianLeap is the set of remainders of leap years divided by 33. The rule is that of
// K. M. Borkowski, The Persian calendar for 3000 years, for the years 1210 to 1634.
const persianLeap uint64 = 1<<1 | 1<<5 | 1<<9 | 1<<13 | 1<<17 | 1<<22 | 1<<26 | 1<<30

// dateFromPersian returns the date of a day in the Solar Hijri calendar, in the years from minPersian
// to maxPersian.
func dateFromPersian(year, month, day int) (Date, bool) {
	leap := persianLeap>>(year%33)&1 == 1
	longest := 31
	switch {
	case month > 6 && month < 12, month == 12 && leap:
		longest = 30
	case month == 12:
		longest = 29
	}
	if uint(month-1) >= 12 || uint(day-1) >= uint(longest) {
		return Date{}, false
	}
	first := Date{Year: 1921, Month: 3, Day: 21} // 1 Farvardin 1300
	days := first.dayNumber() + 365*(year-minPersian) + 31*min(month-1, 6) + 30*max(month-7, 0) + day - 1
	for y := minPersian; y < year; y++ {
		days += int(persianLeap >> (y % 33) & 1)
	}
	return dateFromDayNumber(days), true
}

// calendarStats counts the cells with a year of four digits, by the calendar in which it is likely.
type calendarStats struct {
	cells    int64
	foreign  [calendarCount]int64
	examples [calendarCount][]string
	// named counts the cells that name the Buddhist era, or whose month has a Thai name.
	named int64
}

// observe counts a cell.
func (c *calendarStats) observe(p *parts, raw []byte) {
	year, short := 0, false
	switch {
	case p.kind == wholeDate:
		year = int(p.date.Year)
	case p.widths[0] == 4:
		year = int(p.numbers[0])
	case p.widths[2] == 4:
		year = int(p.numbers[2])
	default:
		short = p.thai
	}
	if year == 0 && !short {
		return
	}
	if p.buddhist {
		c.named++
	}
	c.cells++
	likely := foreignCalendar(year)
	if short {
		likely = Buddhist
	}
	c.foreign[likely]++
	if examples := &c.examples[likely]; likely != UnknownCalendar && len(*examples) < 3 {
		*examples = append(*examples, string(raw))
	}
}

const (
	// minBuddhistShare is the minimum share of the years that are likely in the Buddhist calendar in
	// columns about which the user is asked. Fewer years can be typos. minPersianShare is higher,
	// because dates before 1500 also occur in tables about history.
	minBuddhistShare, minPersianShare = 0.1, 0.9
)

// decideCalendar decides whether years that are unlikely in the Gregorian calendar are in another
// calendar, or asks the user.
func (d *decider) decideCalendar() {
	c := &d.sniffer.calendars
	switch n := float64(c.foreign[Buddhist]); {
	case n == 0 || n < minBuddhistShare*float64(c.cells):
		if n := float64(c.foreign[Persian]); n > 0 && n >= minPersianShare*float64(c.cells) {
			d.askCalendar(Persian)
		}
	case c.named > 0:
		d.Style.Calendar = Buddhist
		d.report(intray.NewMessage("date.buddhist_named", intray.Params{"n": c.named, "examples": c.examples[Buddhist]}))
	default:
		d.askCalendar(Buddhist)
	}
}

// calendarOfLocale returns the calendar that the field's own locale usually writes dates in.
func (h Hints) calendarOfLocale() Calendar {
	l, ok := FindLocale(h.Locale)
	switch {
	case ok && l.Code == "th":
		return Buddhist
	case ok && l.Code == "fa":
		return Persian
	}
	return UnknownCalendar
}

// askCalendar asks whether the years that are likely in another calendar are in that calendar, unless
// the locale of the field decides.
func (d *decider) askCalendar(likely Calendar) {
	examples := d.sniffer.calendars.examples[likely]
	if d.hints.calendarOfLocale() == likely {
		d.Style.Calendar = likely
		d.report(intray.NewMessage("date.calendar_by_locale", intray.Params{"locale": d.hints.Locale, "examples": examples}))
		return
	}
	question := Ambiguity{Text: intray.NewMessage(calendarQuestions[likely], intray.Params{"examples": examples, "n": d.sniffer.calendars.foreign[likely]})}
	for _, calendar := range []Calendar{likely, Gregorian} {
		choice := Choice{Calendar: calendar, Label: intray.NewMessage(calendarLabels[calendar], nil)}
		style := choice.Apply(d.Style)
		for _, raw := range examples {
			choice.Readings = append(choice.Readings, reading(&style, raw))
		}
		question.Choices = append(question.Choices, choice)
	}
	d.Ambiguities = append(d.Ambiguities, question)
}

// calendarLabels are the message codes of the answers, and calendarQuestions those of the questions.
var calendarLabels = [calendarCount]string{Gregorian: "date.calendar_gregorian", Buddhist: "date.calendar_buddhist", Persian: "date.calendar_persian"}

var calendarQuestions = [calendarCount]string{Buddhist: "date.calendar_question_buddhist", Persian: "date.calendar_question_persian"}
