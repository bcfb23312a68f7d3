package date

import (
	"math/bits"

	"github.com/intraydata/intray"
)

// Column takes the cells of one column, in their order, and decides its style.
// Its memory is bounded whatever it is given: about 40 KB. It is for one
// goroutine.
type Column struct {
	want  Want
	cells int64
	// forms are made when the first cell of their kind comes.
	forms      [forms]*tally
	names      nameTally
	zones      zoneTally
	shortYears int64
	unread     int64
}

// NewColumn makes an empty column of a field.
func NewColumn(want Want) *Column { return &Column{want: want} }

// Add takes the next cell. Blank cells count for nothing.
func (c *Column) Add(raw []byte) {
	raw = trim(raw)
	if len(raw) == 0 {
		return
	}
	c.cells++
	var p parts
	p.scan(raw, c.want)
	if p.reason != Read || p.dayReason != Read && c.want != WantClock || p.kind == noDay && c.want != WantClock {
		c.unread++
		return
	}
	c.zones.add(&p)
	if p.kind == namedMonth {
		c.names.add(&p, raw)
	}
	if p.kind != threeNumbers && p.kind != namedMonth {
		return
	}
	if p.order != Undecided || p.kind == namedMonth && p.widths[0]+p.widths[2] > 4 {
		return
	}
	c.addNumbers(&p, raw)
}

func (c *Column) addNumbers(p *parts, raw []byte) {
	if p.kind == namedMonth {
		months := p.months
		if p.name != 0 {
			months = numbers(p.name.word().months, 0)
		}
		p.nums[1] = int32(bits.TrailingZeros16(months))
	}
	if p.form.short() || p.form == Named {
		c.shortYears++
	}
	t := c.forms[p.form]
	if t == nil {
		t = &tally{form: p.form}
		c.forms[p.form] = t
	}
	t.add(p, raw)
}

// maxOrder is the number of orders, with Undecided.
const maxOrder = int(YDM) + 1

// tally is what a column knows of the cells of one form.
type tally struct {
	form  Form
	cells int64
	// several are the cells that mean different days in two orders.
	several int64
	// yearLast and yearFirst are the cells with a year of two digits that can only
	// stand in the last or in the first place.
	yearLast, yearFirst int64
	// over counts the cells that fit the first order and not the second, by
	// their numbers alone; weekday those where the weekday beside them tells.
	over, weekday [maxOrder][maxOrder]int64
	// values counts the numbers from 0 to 99 in the first and the last place.
	values [2][100]uint32
	series [maxOrder]series
	// years are the smallest and the largest last number of the cells.
	minYear, maxYear int32
	// unlike is a cell that fits the first order and not the second; twofold are
	// cells that fit several.
	unlike  [maxOrder][maxOrder]string
	twofold []string
}

// fits are the days that a cell can mean, by order.
type fits struct {
	days    [maxOrder]Date
	weekday [maxOrder]bool
	n       int
}

func (t *tally) add(p *parts, raw []byte) {
	t.cells++
	f := t.fit(p)
	for _, a := range t.form.orders() {
		for _, b := range t.form.orders() {
			t.compare(a, b, &f, raw)
		}
	}
	if f.n > 1 && !f.alike(t.form.orders()) {
		t.several++
		if len(t.twofold) < 3 {
			t.twofold = append(t.twofold, string(raw))
		}
	}
	t.tellYear(p, &f)
	t.values[0][p.nums[0]%100]++
	t.values[1][p.nums[2]%100]++
	if year := p.nums[2]; t.cells == 1 {
		t.minYear, t.maxYear = year, year
	} else {
		t.minYear, t.maxYear = min(t.minYear, year), max(t.maxYear, year)
	}
}

// tellYear counts a cell that tells where its year of two digits stands.
func (t *tally) tellYear(p *parts, f *fits) {
	first, last := !f.days[YMD].IsZero(), p.endsWithYear() && p.widths[2] != 1
	switch {
	case first && !last:
		t.yearFirst++
	case last && !first:
		t.yearLast++
	}
}

// fit reads a cell in all orders of the form, and goes on with their series.
func (t *tally) fit(p *parts) (f fits) {
	var style Style
	plain := *p
	plain.weekday = 0
	for _, o := range t.form.orders() {
		d, reason := style.as(&plain, o)
		if reason == Read {
			f.days[o], f.weekday[o] = d, p.fitsWeekday(d)
			f.n++
		}
		t.series[o].add(d)
	}
	return f
}

func (t *tally) compare(a, b Order, f *fits, raw []byte) {
	switch {
	case f.days[a].IsZero() || a == b:
	case f.days[b].IsZero():
		t.over[a][b]++
		if t.unlike[a][b] == "" {
			t.unlike[a][b] = string(raw)
		}
	case f.weekday[a] && !f.weekday[b]:
		t.weekday[a][b]++
	}
}

// alike says whether all orders that fit mean the same day.
func (f *fits) alike(orders []Order) bool {
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

// zoneTally counts the cells with a zone, and the offsets among them.
type zoneTally struct {
	cells   int64
	offsets []int16 // the first 8 different ones
}

func (z *zoneTally) add(p *parts) {
	if !p.hasZone {
		return
	}
	z.cells++
	for _, o := range z.offsets {
		if o == p.offset {
			return
		}
	}
	if len(z.offsets) < 8 {
		z.offsets = append(z.offsets, p.offset)
	}
}

// series watches whether the days of a column follow each other in one order of
// reading.
type series struct {
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

// add takes the next day. The zero Date is a cell that means no day: after it
// nothing is regular.
func (s *series) add(d Date) {
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
	days := d.number() - last.number()
	months := 0
	if d.Day == last.Day {
		months = 12*(int(d.Year)-int(last.Year)) + int(d.Month) - int(last.Month)
	}
	if s.changes == 0 {
		s.days, s.months = days, months
	}
	s.step(days, months)
	if d.Year != last.Year {
		s.yearChanges++
	}
}

func (s *series) step(days, months int) {
	s.changes++
	if days != s.days {
		s.days = 0
	}
	if months != s.months {
		s.months = 0
	}
	if days > 0 {
		s.rises = true
	} else {
		s.falls = true
	}
}

// regular says whether all steps are the same number of days or months.
func (s *series) regular() bool {
	return !s.irregular && s.changes >= 3 && (s.days != 0 || s.months != 0)
}

// ordered says whether the days only rise, or only fall, often enough that it is
// no accident.
func (s *series) ordered() bool { return s.changes >= 7 && s.rises != s.falls }

// message says what the steps of a regular series are.
func (s *series) message() intray.Message {
	if s.months != 0 {
		return intray.NewMessage("count.months", intray.Params{"n": abs(s.months)})
	}
	return intray.NewMessage("count.days", intray.Params{"n": abs(s.days)})
}

func abs(n int) int { return max(n, -n) }
