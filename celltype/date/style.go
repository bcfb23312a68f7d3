package date

import (
	"cmp"
	"fmt"
	"strconv"
	"strings"

	"github.com/intraydata/intray"
)

// Order says what the numbers of a day mean, in the order they are written.
type Order uint8

// The orders.
const (
	// Undecided leaves cells unread that fit several orders.
	Undecided Order = iota
	DMY
	MDY
	YMD
	YDM
)

var orderNames = [...]string{"undecided", "DMY", "MDY", "YMD", "YDM"}

// String is the order's name, such as DMY.
func (o Order) String() string { return orderNames[o] }

// Pattern is a way to write a day in numbers. Each form of a column has an order of
// its own.
type Pattern uint8

// The forms. Those with Short have a year of two digits, which may stand first
// or last; the others of their kind end with a year of four digits.
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
	// YearFirst begins with a year of four digits, whatever stands between the
	// numbers.
	YearFirst
	// Named has the month's name, and two digits on each side of it.
	Named
	patternCount
)

var patternNames = [patternCount]string{"slash", "slash2", "dash", "dash2", "dot", "dot2", "space", "space2", "bare", "bare2", "year", "named"}

// String is the form's name in the text of a style.
func (f Pattern) String() string { return patternNames[f] }

func (f Pattern) hasShortYear() bool { return f < YearFirst && f&1 == 1 }

// orders are those that a form can have, the likeliest first.
func (f Pattern) orders() []Order { return patternOrders[f] }

var patternOrders = [patternCount][]Order{
	Slash: {DMY, MDY}, Dash: {DMY, MDY}, Dot: {DMY, MDY}, Space: {DMY, MDY}, Bare: {DMY, MDY},
	ShortSlash: {DMY, MDY, YMD}, ShortDash: {DMY, MDY, YMD}, ShortDot: {DMY, MDY, YMD},
	ShortSpace: {DMY, MDY, YMD}, ShortBare: {DMY, MDY, YMD},
	YearFirst: {YMD, YDM},
	Named:     {DMY, YMD},
}

// Style says how a column writes its days where a cell alone does not tell. The
// zero Style reads only what can be read in one way; years that stand first are
// followed by the month. A Style is a small value and is not changed by reading.
type Style struct {
	// Orders holds the order of each form.
	Orders [patternCount]Order
	// Languages are those that may name the months; none means all.
	Languages Languages
	// Pivot is the first two-digit year that belongs to the 1900s. Zero means
	// 50: 49 is 2049, and 50 is 1950.
	Pivot uint8
	// Autofix reads a cell that contradicts the order of its form by the only
	// order that fits it.
	Autofix bool
}

// defaultPivot is the first two-digit year of the 1900s, unless the style has one.
const defaultPivot = 50

// fullYear completes a year of two digits.
func (s *Style) fullYear(year int) int {
	if year < int(cmp.Or(s.Pivot, defaultPivot)) {
		return 2000 + year
	}
	return 1900 + year
}

// Merge gives the style with everything that other decides. An answer to a tie
// can be kept as the text of a style of its own, and put in like this.
func (s Style) Merge(other Style) Style {
	for f, o := range other.Orders {
		if o != Undecided {
			s.Orders[f] = o
		}
	}
	if other.Languages != 0 {
		s.Languages = other.Languages
	}
	if other.Pivot != 0 {
		s.Pivot = other.Pivot
	}
	s.Autofix = s.Autofix || other.Autofix
	return s
}

// MarshalText writes the style as words: "slash=DMY dash2=YMD names=pl+cs
// pivot=30 autofix".
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
	if s.Autofix {
		words = append(words, "autofix")
	}
	return []byte(strings.Join(words, " ")), nil
}

// UnmarshalText reads what MarshalText wrote. Anything else is an error, and
// leaves the style as it was.
func (s *Style) UnmarshalText(text []byte) error {
	var style Style
	for _, word := range strings.Fields(string(text)) {
		if err := style.set(word); err != nil {
			return fmt.Errorf("read the style %q: %w", text, err)
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
	case "pivot":
		pivot, err := strconv.ParseUint(value, 10, 8)
		if err != nil || pivot > 100 {
			return fmt.Errorf("the pivot %q is no year of two digits", value)
		}
		s.Pivot = uint8(pivot)
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

// Want says what a field holds.
type Want uint8

// What a field can hold.
const (
	// WantDate is a day. A time beside it is left out.
	WantDate Want = iota
	// WantDateTime is a day and a time. A day alone has the time 00:00.
	WantDateTime
	// WantTime is a time of day. A day beside it is left out.
	WantTime
)

// Reading is what a cell was read as.
type Reading struct {
	// Timestamp is what the cell holds, as far as Reason is Read.
	Timestamp
	// Offset is the distance to UTC in minutes that stands in the cell. The
	// Moment is the clock as written, whatever the offset.
	Offset int16
	// Reason says why the cell holds nothing, or Read.
	Reason Reason
	// Autofixed says that the cell contradicts the order of its column, and was read
	// by the only order that fits.
	Autofixed bool
	// HasTime says that a time of day stands in the cell, HasZone an offset or
	// the name of a zone.
	HasTime, HasZone bool
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
	// NoYear, NoDay and NoTime are texts that lack what the field needs.
	NoYear
	NoDay
	NoTime
	// YearPosition is three numbers of which none has the two digits of a year where
	// the column has it.
	YearPosition
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
