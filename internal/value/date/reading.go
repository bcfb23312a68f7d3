package date

import "strings"

// Want says what a field holds.
type Want uint8

// What a field can hold.
const (
	// WantDate is a day. A time beside it is left out.
	WantDate Want = iota
	// WantMoment is a day and a time. A day alone has the time 00:00.
	WantMoment
	// WantClock is a time of day. A day beside it is left out.
	WantClock
)

// Reading is what a cell was read as.
type Reading struct {
	// Moment is what the cell holds, as far as Reason is Read.
	Moment
	// Offset is the distance to UTC in minutes that stands in the cell. The
	// Moment is the clock as written, whatever the offset.
	Offset int16
	// Reason says why the cell holds nothing, or Read.
	Reason Reason
	// Fixed says that the cell contradicts the order of its column, and was read
	// by the only order that fits.
	Fixed bool
	// HasClock says that a time of day stands in the cell, HasZone an offset or
	// the name of a zone.
	HasClock, HasZone bool
}

// Reason says why a cell cannot be read.
type Reason uint8

// The reasons, in the order of what to tell where several hold.
const (
	// Read is no reason: the cell was read.
	Read Reason = iota
	// NotUnderstood is text that is neither a day nor a time.
	NotUnderstood
	// TooLong is text of more than 160 bytes.
	TooLong
	// NoSuchDay is a day that no calendar has, such as 30 February.
	NoSuchDay
	// NoSuchTime is a time that no day has, such as 25:10.
	NoSuchTime
	// YearOutside is a year before 1 or after 9999.
	YearOutside
	// NoYear, NoDay and NoClock are texts that lack what the field needs.
	NoYear
	NoDay
	NoClock
	// YearPlace is three numbers of which none has the two digits of a year where
	// the column has it.
	YearPlace
	// WrongWeekday is a weekday that does not belong to the day beside it.
	WrongWeekday
	// OtherOrder is a day that only fits another order than its column's.
	OtherOrder
	// TwoOrders is a day that can be read in two orders, and the style does not
	// say which.
	TwoOrders
	// TwoMonths is a name that means different months in two languages, and the
	// style does not say which.
	TwoMonths
)

// Code is the reason as a name for machines, such as no_such_day.
func (r Reason) Code() string { return reasonTexts[r].code }

// Text tells a person what is wrong with a cell of a field that holds want.
func (r Reason) Text(want Want) string {
	kind := kindTexts[want]
	return strings.NewReplacer("{kind}", kind.kind, "{like}", kind.like).Replace(reasonTexts[r].text)
}

// kindTexts say what a field holds, and how it is written.
var kindTexts = [...]struct{ kind, like string }{
	WantDate:   {"date", "Write a date like 2021-03-28."},
	WantMoment: {"date with a time", "Write it like 2021-03-28 15:20."},
	WantClock:  {"time", "Write a time like 15:20."},
}

var reasonTexts = [...]struct{ code, text string }{
	Read:          {"read", "The cell was read."},
	NotUnderstood: {"not_understood", "This is not a {kind} that we can read. {like}"},
	TooLong:       {"too_long", "This text is too long to be a {kind}. {like}"},
	NoSuchDay:     {"no_such_day", "There is no such day in the calendar."},
	NoSuchTime:    {"no_such_time", "There is no such time of day. Write it like 15:20 or 3:20 PM."},
	YearOutside:   {"year_outside", "The year must be between 1 and 9999."},
	NoYear:        {"no_year", "The year is missing. {like}"},
	NoDay:         {"no_day", "The day is missing. {like}"},
	NoClock:       {"no_time", "The time of day is missing. Write it like 15:20."},
	YearPlace:     {"year_place", "It is not clear which number is the year: where the column has it, one of two digits is missing. {like}"},
	WrongWeekday:  {"wrong_weekday", "The weekday and the date do not belong together."},
	OtherOrder:    {"other_order", "Day and month stand in another order than in the rest of the column."},
	TwoOrders:     {"two_orders", "It is not clear which number is the day and which the month."},
	TwoMonths:     {"two_months", "The name of the month means different months in different languages."},
}
