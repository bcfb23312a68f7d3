package date

import (
	"math/bits"
	"slices"

	"github.com/intraydata/intray"
)

// Sniffer observes the cells of one column, in order, and decides on its style. It uses a fixed
// amount of memory, about 40 KB. It is not safe for concurrent use.
type Sniffer struct {
	want  Want
	cells int64
	// patterns holds the counts of each pattern. An entry is nil until a cell has the pattern.
	patterns   [patternCount]*patternStats
	names      monthNameStats
	zones      zoneStats
	calendars  calendarStats
	shortYears int64
	unreadable int64
}

// NewSniffer returns a Sniffer for a column of a field with this Want.
func NewSniffer(want Want) *Sniffer { return &Sniffer{want: want} }

// HasShortYears reports whether a cell has a two-digit year.
func (c *Sniffer) HasShortYears() bool { return c.shortYears > 0 }

// Observe observes the next cell. It ignores blank cells.
func (c *Sniffer) Observe(raw []byte) {
	raw = trim(raw)
	if len(raw) == 0 {
		return
	}
	c.cells++
	var p parts
	p.scan(raw, c.want)
	if p.reason != Read || p.dateReason != Read && c.want != WantTime || p.kind == noDate && c.want != WantTime {
		c.unreadable++
		return
	}
	c.zones.observe(&p)
	c.calendars.observe(&p, raw)
	switch p.kind {
	case namedMonth:
		c.names.observe(&p, raw)
	case threeNumbers:
	default:
		return
	}
	if p.order != Undecided || p.kind == namedMonth && p.widths[0]+p.widths[2] > 4 {
		return
	}
	if p.kind == namedMonth {
		months := p.months
		if p.name != 0 {
			months = senseBits(p.name.entry().months, 0)
		}
		p.numbers[1] = int32(bits.TrailingZeros16(months))
	}
	if p.pattern.hasShortYear() || p.pattern == Named {
		c.shortYears++
	}
	t := c.patterns[p.pattern]
	if t == nil {
		t = &patternStats{pattern: p.pattern}
		c.patterns[p.pattern] = t
	}
	t.observe(&p, raw)
}

// orderCount is the number of orders, including Undecided.
const orderCount = int(YDM) + 1

// patternStats counts the cells of one pattern.
type patternStats struct {
	pattern Pattern
	cells   int64
	// ambiguous counts the cells that are different days in different orders.
	ambiguous int64
	// yearLast and yearFirst count the cells in which the two-digit year can
	// only be the last or the first number, respectively.
	yearLast, yearFirst int64
	// wins[a][b] counts the cells that fit order a but not b because of their
	// numbers. weekdayWins counts those for which the weekday decides.
	wins, weekdayWins [orderCount][orderCount]int64
	// valueCounts counts the numbers in the first position and in the last position, modulo 100.
	valueCounts [2][100]uint32
	series      [orderCount]dateSeries
	// minYear and maxYear are the smallest and the largest number in the last position.
	minYear, maxYear int32
	// winExamples[a][b] is a cell that fits order a but not b.
	// ambiguousExamples are cells that fit several orders.
	winExamples       [orderCount][orderCount]string
	ambiguousExamples []string
}

// orderFits holds the days that a cell can mean, indexed by order.
type orderFits struct {
	days    [orderCount]Date
	weekday [orderCount]bool
	count   int
}

func (t *patternStats) observe(p *parts, raw []byte) {
	t.cells++
	f := t.fitOrders(p)
	for _, a := range t.pattern.orders() {
		for _, b := range t.pattern.orders() {
			t.countWin(a, b, &f, raw)
		}
	}
	if f.count > 1 && !f.sameDay(t.pattern.orders()) {
		t.ambiguous++
		if len(t.ambiguousExamples) < 3 {
			t.ambiguousExamples = append(t.ambiguousExamples, string(raw))
		}
	}
	t.countYearPosition(p, &f)
	t.valueCounts[0][p.numbers[0]%100]++
	t.valueCounts[1][p.numbers[2]%100]++
	if year := p.numbers[2]; t.cells == 1 {
		t.minYear, t.maxYear = year, year
	} else {
		t.minYear, t.maxYear = min(t.minYear, year), max(t.maxYear, year)
	}
}

// countYearPosition counts a cell if it shows the position of its two-digit year.
func (t *patternStats) countYearPosition(p *parts, f *orderFits) {
	first, last := !f.days[YMD].IsZero(), p.canEndWithYear() && p.widths[2] != 1
	switch {
	case first && !last:
		t.yearFirst++
	case last && !first:
		t.yearLast++
	}
}

// fitOrders reads a cell in all orders of its pattern. It adds each date to the
// series of its order.
func (t *patternStats) fitOrders(p *parts) (f orderFits) {
	var style Style
	plain := *p
	plain.weekday = 0
	for _, o := range t.pattern.orders() {
		d, reason := style.readInOrder(&plain, o)
		if reason == Read {
			f.days[o], f.weekday[o] = d, p.fitsWeekday(d)
			f.count++
		}
		t.series[o].addDate(d)
	}
	return f
}

func (t *patternStats) countWin(a, b Order, f *orderFits, raw []byte) {
	switch {
	case f.days[a].IsZero() || a == b:
	case f.days[b].IsZero():
		t.wins[a][b]++
		if t.winExamples[a][b] == "" {
			t.winExamples[a][b] = string(raw)
		}
	case f.weekday[a] && !f.weekday[b]:
		t.weekdayWins[a][b]++
	}
}

// sameDay reports whether the cell is the same day in all orders that fit.
func (f *orderFits) sameDay(orders []Order) bool {
	var day Date
	for _, o := range orders {
		if d := f.days[o]; !d.IsZero() {
			if !day.IsZero() && d != day {
				return false
			}
			day = d
		}
	}
	return true
}

// zoneStats counts the cells with a zone and collects their offsets.
type zoneStats struct {
	cells   int64
	offsets []int16 // the first 8 distinct offsets
}

func (z *zoneStats) observe(p *parts) {
	if !p.hasZone {
		return
	}
	z.cells++
	if len(z.offsets) < 8 && !slices.Contains(z.offsets, p.offset) {
		z.offsets = append(z.offsets, p.offset)
	}
}

// dateSeries tracks whether the dates of a column form a series if they are read in one order.
type dateSeries struct {
	last Date
	// changes counts the steps between different dates.
	changes int64
	// days and months are the length of every step, or 0 if the lengths differ.
	days, months int
	irregular    bool
	rises, falls bool
	// yearChanges counts the steps between different years.
	yearChanges int64
}

// addDate adds the next date. The zero Date represents a cell that is not a
// date in this order. Such a cell makes the series irregular.
func (s *dateSeries) addDate(d Date) {
	if d.IsZero() {
		s.irregular, s.rises, s.falls = true, true, true
		return
	}
	last := s.last
	s.last = d
	if last.IsZero() || last == d {
		s.irregular = s.irregular || last == d
		return
	}
	days := d.dayNumber() - last.dayNumber()
	months := 0
	if d.Day == last.Day {
		months = 12*(int(d.Year)-int(last.Year)) + int(d.Month) - int(last.Month)
	}
	if s.changes == 0 {
		s.days, s.months = days, months
	}
	s.changes++
	if days != s.days {
		s.days = 0
	}
	if months != s.months {
		s.months = 0
	}
	s.rises, s.falls = s.rises || days > 0, s.falls || days <= 0
	if d.Year != last.Year {
		s.yearChanges++
	}
}

// isRegular reports whether all steps have the same number of days or months.
func (s *dateSeries) isRegular() bool {
	return !s.irregular && s.changes >= 3 && (s.days != 0 || s.months != 0)
}

// isOrdered reports whether the dates only rise or only fall, in too many steps for this to be
// chance.
func (s *dateSeries) isOrdered() bool { return s.changes >= 7 && s.rises != s.falls }

// message describes the steps of a regular series.
func (s *dateSeries) message() intray.Message {
	if s.months != 0 {
		return intray.NewMessage("count.months", intray.Params{"n": abs(s.months)})
	}
	return intray.NewMessage("count.days", intray.Params{"n": abs(s.days)})
}

func abs(n int) int { return max(n, -n) }
