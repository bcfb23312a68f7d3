package date

import "github.com/intraydata/intray"

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
func (r Reason) Code() string { return reasons[r].name }

// Message says what is wrong with a cell of a field that holds want.
func (r Reason) Message(want Want) intray.Message {
	return intray.NewMessage(reasons[r].codes[want], nil)
}

// reasons holds for each reason its name and the codes of its message in a field
// of days, of moments and of times; none where it cannot be the reason.
var reasons = [...]struct {
	name  string
	codes [WantClock + 1]string
}{
	Read:          {name: "read"},
	NotUnderstood: {"not_understood", [...]string{"date.invalid", "datetime.invalid", "time.invalid"}},
	TooLong:       {"too_long", [...]string{"date.too_long", "datetime.too_long", "time.too_long"}},
	NoSuchDay:     {"no_such_day", [...]string{"date.no_such_day", "date.no_such_day", ""}},
	NoSuchTime:    {"no_such_time", [...]string{"time.no_such_time", "time.no_such_time", "time.no_such_time"}},
	YearOutside:   {"year_outside", [...]string{"date.year_out_of_range", "date.year_out_of_range", ""}},
	NoYear:        {"no_year", [...]string{"date.no_year", "datetime.no_year", ""}},
	NoDay:         {"no_day", [...]string{"date.no_day", "datetime.no_day", ""}},
	NoClock:       {"no_time", [...]string{"", "", "time.no_time"}},
	YearPlace:     {"year_place", [...]string{"date.ambiguous_year", "datetime.ambiguous_year", ""}},
	WrongWeekday:  {"wrong_weekday", [...]string{"date.wrong_weekday", "date.wrong_weekday", ""}},
	OtherOrder:    {"other_order", [...]string{"date.other_order", "date.other_order", ""}},
	TwoOrders:     {"two_orders", [...]string{"date.ambiguous_order", "date.ambiguous_order", ""}},
	TwoMonths:     {"two_months", [...]string{"date.ambiguous_month", "date.ambiguous_month", ""}},
}
