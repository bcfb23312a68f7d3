package date

import (
	"math/bits"
	"slices"

	"github.com/intraydata/intray"
)

// Sniffer takes the cells of one column, in their order, and decides its style.
// Its memory is bounded whatever it is given: about 40 KB. It is for one
// goroutine.
type Sniffer struct {
	want  Want
	cells int64
	// patterns are made when the first cell of their kind comes.
	patterns   [patternCount]*patternStats
	names      monthNameStats
	zones      zoneStats
	shortYears int64
	unreadable int64
}

// NewSniffer makes an empty column of a field.
func NewSniffer(want Want) *Sniffer { return &Sniffer{want: want} }

// Observe takes the next cell. Blank cells count for nothing.
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

// orderCount is the number of orders, with Undecided.
const orderCount = int(YDM) + 1

// patternStats is what a column knows of the cells of one form.
type patternStats struct {
	pattern Pattern
	cells   int64
	// ambiguous are the cells that mean different days in two orders.
	ambiguous int64
	// yearLastLogOdds and yearFirst are the cells with a year of two digits that can only
	// stand in the last or in the first place.
	yearLast, yearFirst int64
	// wins counts the cells that fit the first order and not the second, by
	// their numbers alone; weekday those where the weekday beside them tells.
	wins, weekdayWins [orderCount][orderCount]int64
	// valueCounts counts the numbers from 0 to 99 in the first and the last place.
	valueCounts [2][100]uint32
	series      [orderCount]dateSeries
	// years are the smallest and the largest last number of the cells.
	minYear, maxYear int32
	// winExamples is a cell that fits the first order and not the second; twofold are
	// cells that fit several.
	winExamples       [orderCount][orderCount]string
	ambiguousExamples []string
}

// orderFits are the days that a cell can mean, by order.
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

// countYearPosition counts a cell that tells where its year of two digits stands.
func (t *patternStats) countYearPosition(p *parts, f *orderFits) {
	first, last := !f.days[YMD].IsZero(), p.canEndWithYear() && p.widths[2] != 1
	switch {
	case first && !last:
		t.yearFirst++
	case last && !first:
		t.yearLast++
	}
}

// fitOrders reads a cell in all orders of the form, and goes on with their series.
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

// sameDay says whether all orders that fit mean the same day.
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

// zoneStats counts the cells with a zone, and the offsets among them.
type zoneStats struct {
	cells   int64
	offsets []int16 // the first 8 different ones
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

// dateSeries watches whether the days of a column follow each other in one order of
// reading.
type dateSeries struct {
	last Date
	// changes counts the steps between different days.
	changes int64
	// A step of days or of months that is always the same; 0 where there is none.
	days, months int
	irregular    bool
	rises, falls bool
	// yearChanges counts the steps between different years.
	yearChanges int64
}

// addDate takes the next day. The zero Date is a cell that means no day: after it
// nothing is regular.
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

// isRegular says whether all steps are the same number of days or months.
func (s *dateSeries) isRegular() bool {
	return !s.irregular && s.changes >= 3 && (s.days != 0 || s.months != 0)
}

// isOrdered says whether the days only rise, or only fall, often enough that it is
// no accident.
func (s *dateSeries) isOrdered() bool { return s.changes >= 7 && s.rises != s.falls }

// message says what the steps of a regular series are.
func (s *dateSeries) message() intray.Message {
	if s.months != 0 {
		return intray.NewMessage("count.months", intray.Params{"n": abs(s.months)})
	}
	return intray.NewMessage("count.days", intray.Params{"n": abs(s.days)})
}

func abs(n int) int { return max(n, -n) }
