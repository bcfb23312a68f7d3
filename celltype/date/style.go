package date

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/intraydata/intray"
)

// Order is the order of day, month and year in a date that is written in numbers.
type Order uint8

// These are the orders.
const (
	// Undecided is no order. With it, a cell that fits several orders is not read.
	Undecided Order = iota
	DMY
	MDY
	YMD
	YDM
)

var orderNames = [...]string{"undecided", "DMY", "MDY", "YMD", "YDM"}

// String returns the name of the order, such as DMY.
func (o Order) String() string { return orderNames[o] }

// Pattern is a format of dates that are written in numbers. In a column, each
// pattern has its own order.
type Pattern uint8

// These are the patterns. Those with Short in their name have a two-digit year,
// first or last. Slash to Bare end with a four-digit year.
const (
	Slash Pattern = iota
	ShortSlash
	Dash
	ShortDash
	Dot
	ShortDot
	Space
	ShortSpace
	Bare
	ShortBare
	// YearFirst starts with a four-digit year and has any separator.
	YearFirst
	// Named has a month name and two numbers of one or two digits.
	Named
	patternCount
)

var patternNames = [patternCount]string{"slash", "slash2", "dash", "dash2", "dot", "dot2", "space", "space2", "bare", "bare2", "year", "named"}

// String returns the name of the pattern as it appears in a serialized style.
func (f Pattern) String() string { return patternNames[f] }

func (f Pattern) hasShortYear() bool { return f < YearFirst && f&1 == 1 }

// orders returns the orders that a pattern can have, the most likely first.
func (f Pattern) orders() []Order { return patternOrders[f] }

var patternOrders = [patternCount][]Order{
	Slash: {DMY, MDY}, Dash: {DMY, MDY}, Dot: {DMY, MDY}, Space: {DMY, MDY}, Bare: {DMY, MDY},
	ShortSlash: {DMY, MDY, YMD}, ShortDash: {DMY, MDY, YMD}, ShortDot: {DMY, MDY, YMD},
	ShortSpace: {DMY, MDY, YMD}, ShortBare: {DMY, MDY, YMD},
	YearFirst: {YMD, YDM},
	Named:     {DMY, YMD},
}

// Style describes how to read ambiguous cells of a column. The zero Style reads only unambiguous
// cells, including those that start with a year: it reads the next number as the month.
type Style struct {
	// Orders holds the order for each pattern.
	Orders [patternCount]Order
	// Languages are the languages in which months may be named. Zero means all.
	Languages Languages
	// Pivot is the first two-digit year that belongs to the 1900s. Zero means
	// 50: 49 is 2049, and 50 is 1950.
	Pivot uint8
	// Calendar is the calendar of years that are unlikely in the Gregorian calendar.
	Calendar Calendar
	// HasOffset reports whether the cells of the column have UTC offsets. Timestamps with an offset
	// are converted to Offset, in minutes.
	HasOffset bool
	Offset    int16
	// Serials reports whether text cells may be numbers that a spreadsheet exported instead of
	// dates. Read does not read them; see ReadSerial.
	Serials bool
	// Autofix reports whether a cell that contradicts the order of its pattern is read in a
	// different order if exactly one fits.
	Autofix bool
}

// StyleOf returns the style in which every pattern that can have an order, such as DMY, has it. A cell in any other
// pattern is read if it has only one meaning.
func StyleOf(order string) (s Style) {
	for f := range patternCount {
		for _, o := range f.orders() {
			if o.String() == order {
				s.Orders[f] = o
			}
		}
	}
	return s
}

// defaultPivot is the first two-digit year of the 1900s, unless the style sets a different one.
const defaultPivot = 50

// fullYear adds the century to a two-digit year.
func (s *Style) fullYear(year int) int {
	if year < int(cmp.Or(s.Pivot, defaultPivot)) {
		return 2000 + year
	}
	return 1900 + year
}

// MarshalText returns the style as space-separated words, such as "slash=DMY
// dash2=YMD names=pl+cs pivot=30 autofix".
func (s Style) MarshalText() ([]byte, error) {
	var words []string
	for f, o := range s.Orders {
		if o != Undecided {
			words = append(words, patternNames[f]+"="+o.String())
		}
	}
	if s.Languages != 0 {
		words = append(words, "names="+strings.Join(s.Languages.Tags(), "+"))
	}
	if s.Pivot != 0 {
		words = append(words, fmt.Sprintf("pivot=%d", s.Pivot))
	}
	if s.Calendar != UnknownCalendar {
		words = append(words, "calendar="+s.Calendar.String())
	}
	if s.HasOffset {
		words = append(words, "offset="+string(appendOffset(nil, s.Offset)))
	}
	if s.Serials {
		words = append(words, "serials")
	}
	if s.Autofix {
		words = append(words, "autofix")
	}
	return []byte(strings.Join(words, " ")), nil
}

// UnmarshalText parses the output of MarshalText. If it returns an error, it
// does not change the style.
func (s *Style) UnmarshalText(text []byte) error {
	var style Style
	for _, word := range strings.Fields(string(text)) {
		if err := style.set(word); err != nil {
			return fmt.Errorf("parse style %q: %w", text, err)
		}
	}
	*s = style
	return nil
}

func (s *Style) set(word string) error {
	key, value, _ := strings.Cut(word, "=")
	switch key {
	case "autofix":
		s.Autofix = true
		return nil
	case "serials":
		s.Serials = true
		return nil
	case "pivot":
		pivot, err := strconv.ParseUint(value, 10, 8)
		if err != nil || pivot > 100 {
			return fmt.Errorf("the pivot %q is not a number from 0 to 100", value)
		}
		s.Pivot = uint8(pivot)
		return nil
	case "calendar":
		at := slices.Index(calendarNames[1:], value)
		if at < 0 {
			return fmt.Errorf("%q is not a calendar", value)
		}
		s.Calendar = Calendar(at + 1)
		return nil
	case "offset":
		var p parts
		if len(value) != len("+01:00") || !p.scanZone([]byte(value)) {
			return fmt.Errorf("%q is not an offset", value)
		}
		s.HasOffset, s.Offset = true, p.offset
		return nil
	case "names":
		languages, err := locales().parseLanguages(value)
		s.Languages = languages
		return err
	}
	for f, name := range patternNames {
		if name != key {
			continue
		}
		for _, o := range Pattern(f).orders() {
			if o.String() == value {
				s.Orders[f] = o
				return nil
			}
		}
	}
	return fmt.Errorf("%s=%s is not an order of a pattern", key, value)
}

// Want is the kind of value that a field stores.
type Want uint8

// These are the kinds of values.
const (
	// WantDate is a date. A time of day in the cell is dropped.
	WantDate Want = iota
	// WantDateTime is a date and a time of day. If the cell has only a date, the time is 00:00.
	WantDateTime
	// WantTime is a time of day. A date in the cell is dropped.
	WantTime
)

// Reading is the result of reading a cell.
type Reading struct {
	// Timestamp is zero unless Reason is Read.
	Timestamp
	// Offset is the UTC offset in the cell, in minutes. Timestamp is the time as written unless
	// Shifted reports that it was converted to the offset of the column.
	Offset  int16
	Shifted bool
	// Reason is why the cell could not be read, or Read.
	Reason Reason
	// Autofixed reports whether the cell contradicts the order of its column
	// and was read in the only order that fits.
	Autofixed bool
	// HasDate and HasTime report whether the cell has a date and a time of day. HasZone reports
	// whether it has an offset or the name of a zone.
	HasDate, HasTime, HasZone bool
}

// Reason is why a cell could not be read.
type Reason uint8

// These are the reasons. If several apply, the first is reported.
const (
	// Read means that the cell was read.
	Read Reason = iota
	// NotUnderstood: the text is neither a date nor a time of day.
	NotUnderstood
	// TooLong: the text is longer than 160 bytes.
	TooLong
	// NoSuchDay: the day does not exist, such as 30 February.
	NoSuchDay
	// NoSuchTime: the time of day does not exist, such as 25:10.
	NoSuchTime
	// YearOutside: the year is before 1 or after 9999.
	YearOutside
	// NoYear, NoDay and NoTime: the cell does not have a component that the field needs.
	NoYear
	NoDay
	NoTime
	// YearPosition: in no order that the column allows does the number in the position of the
	// year have two digits.
	YearPosition
	// WrongWeekday: the weekday contradicts the date.
	WrongWeekday
	// OtherOrder: the date does not fit the order of its column, only a different one.
	OtherOrder
	// TwoOrders: the date fits two orders, and the style is undecided.
	TwoOrders
	// TwoMonths: the name means different months in two languages, and the style is undecided.
	TwoMonths
)

// Code returns the machine-readable name of the reason, such as no_such_day.
func (r Reason) Code() string { return reasons[r].name }

// Message returns the message that describes the problem, for a field with this Want.
func (r Reason) Message(want Want) intray.Message {
	return intray.NewMessage(reasons[r].codes[want], nil)
}

// reasons holds the name of each reason and its message codes for fields that store dates,
// timestamps and times of day. A code is empty if the reason cannot occur.
var reasons = [...]struct {
	name  string
	codes [WantTime + 1]string
}{
	Read:          {name: "read"},
	NotUnderstood: {"not_understood", [...]string{"date.invalid", "datetime.invalid", "time.invalid"}},
	TooLong:       {"too_long", [...]string{"date.too_long", "datetime.too_long", "time.too_long"}},
	NoSuchDay:     {"no_such_day", [...]string{"date.no_such_day", "date.no_such_day", ""}},
	NoSuchTime:    {"no_such_time", [...]string{"time.no_such_time", "time.no_such_time", "time.no_such_time"}},
	YearOutside:   {"year_outside", [...]string{"date.year_out_of_range", "date.year_out_of_range", ""}},
	NoYear:        {"no_year", [...]string{"date.no_year", "datetime.no_year", ""}},
	NoDay:         {"no_day", [...]string{"date.no_day", "datetime.no_day", ""}},
	NoTime:        {"no_time", [...]string{"", "", "time.no_time"}},
	YearPosition:  {"year_place", [...]string{"date.ambiguous_year", "datetime.ambiguous_year", ""}},
	WrongWeekday:  {"wrong_weekday", [...]string{"date.wrong_weekday", "date.wrong_weekday", ""}},
	OtherOrder:    {"other_order", [...]string{"date.other_order", "date.other_order", ""}},
	TwoOrders:     {"two_orders", [...]string{"date.ambiguous_order", "date.ambiguous_order", ""}},
	TwoMonths:     {"two_months", [...]string{"date.ambiguous_month", "date.ambiguous_month", ""}},
}
