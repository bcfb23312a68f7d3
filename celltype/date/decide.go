package date

import (
	"math"
	"slices"

	"github.com/intraydata/intray"
)

// Hints are what is known about a column in addition to its cells. They decide
// only what the cells leave open.
type Hints struct {
	// Format and Locale are the field's own display format and locale. If the field does not set
	// them, leave them empty: a default must not decide anything.
	Format, Locale string
	// Neighbors are other columns of the same table in which the cells decided the order.
	Neighbors []Neighbor
	// Pivot and Autofix are copied to the style.
	Pivot   uint8
	Autofix bool
	// Year is the current year, or 0 if it is unknown. It is evidence for the position of two-digit
	// years only: most dates are from recent years.
	Year int
}

// Neighbor is another column of the same table.
type Neighbor struct {
	Header string
	Style  Style
}

// Decision is the style of a column, with the reasons for it.
type Decision struct {
	// Style reads the column. An order that is still ambiguous is Undecided.
	Style Style
	// Evidence explains the style.
	Evidence []intray.Message
	// Ambiguities are the questions that the cells do not answer. Choice.Apply
	// adds the user's answer to Style.
	Ambiguities []Ambiguity
	// Cells is the number of nonblank cells. Unread is the number of those that
	// no style can read.
	Cells, Unread int64
}

// Ambiguity is a question for the user.
type Ambiguity struct {
	// Pattern is the pattern of the cells in question, or the first pattern if there are
	// several. It is Named if the question is about the language of month names, and not set if it
	// is about the calendar.
	Pattern Pattern
	Text    intray.Message
	Choices []Choice
}

// Choice is one possible answer. One of Order, Languages and Calendar is set.
type Choice struct {
	Order     Order
	Languages Languages
	Calendar  Calendar
	// Label is the answer in words. Readings are the dates of some cells if
	// this answer is chosen.
	Label    intray.Message
	Readings []intray.Reading

	patterns uint16 // the set of patterns to which the answer applies
}

// Key returns the name of the question: calendar, or the name of the pattern.
func (a Ambiguity) Key() string {
	if len(a.Choices) > 0 && a.Choices[0].Calendar != UnknownCalendar {
		return "calendar"
	}
	return a.Pattern.String()
}

// Apply returns s with this answer applied.
func (c Choice) Apply(s Style) Style {
	if c.Languages != 0 {
		s.Languages = c.Languages
	}
	if c.Calendar != UnknownCalendar {
		s.Calendar = c.Calendar
	}
	for f := range s.Orders {
		if c.Order != Undecided && c.patterns>>f&1 == 1 {
			s.Orders[f] = c.Order
		}
	}
	return s
}

// decider holds the state of one decision.
type decider struct {
	Decision
	sniffer *Sniffer
	hints   Hints
	// openOrders are the orders that are still possible for each pattern.
	openOrders [patternCount][]Order
	// decidedByCells reports which patterns were decided by their own cells.
	decidedByCells [patternCount]bool
}

// Decide decides on the style of the column. It may be called again, with
// different hints or after more cells.
func (c *Sniffer) Decide(hints Hints) Decision {
	d := decider{sniffer: c, hints: hints}
	d.Cells, d.Unread = c.cells, c.unreadable
	d.Style.Pivot, d.Style.Autofix = hints.Pivot, hints.Autofix
	if c.want != WantTime {
		d.decideNames()
		for _, decide := range [...]func(*patternStats){d.decideByCells, d.decideByOthers} {
			for _, t := range c.patterns {
				if t != nil && !d.isSettled(t) {
					decide(t)
				}
			}
		}
		d.reportCentury()
		d.decideCalendar()
	}
	d.decideOffset()
	return d.Decision
}

// isSettled reports whether the order of the pattern is decided, or is already
// the subject of a question.
func (d *decider) isSettled(t *patternStats) bool {
	asked := slices.ContainsFunc(d.Ambiguities, func(a Ambiguity) bool {
		return len(a.Choices) > 0 && a.Choices[0].patterns>>t.pattern&1 == 1
	})
	return asked || d.Style.Orders[t.pattern] != Undecided
}

func (d *decider) isOpen(f Pattern, o Order) bool { return slices.Contains(d.openOrders[f], o) }

// decideByCells narrows the orders by the field's own order and by the cells of the pattern.
func (d *decider) decideByCells(t *patternStats) {
	d.openOrders[t.pattern] = t.pattern.orders()
	if d.applyFieldOrder(t); d.isSettled(t) {
		return
	}
	for _, narrow := range [...]func(*patternStats){d.narrowByYears, d.narrowByNumbers, d.narrowByWeekdays, d.narrowBySeries} {
		if len(d.openOrders[t.pattern]) > 1 {
			narrow(t)
		}
	}
	d.decidedByCells[t.pattern] = len(d.openOrders[t.pattern]) == 1
	if open := len(d.openOrders[t.pattern]); open > 1 && (t.pattern == Dot || t.pattern == ShortDot) && t.ambiguous > 0 {
		// Dates with dots are never month-first.
		d.dropOrders(t.pattern, MDY)
		if len(d.openOrders[t.pattern]) < open {
			d.report(intray.NewMessage("date.points", intray.Params{"example": t.ambiguousExamples[0]}))
		}
	}
	if len(d.openOrders[t.pattern]) == 1 {
		d.Style.Orders[t.pattern] = d.openOrders[t.pattern][0]
		d.reportNumbers(t)
		d.reportMixed(t)
	}
}

// decideByOthers uses evidence other than the cells of the pattern. If it is
// not sufficient, the user is asked.
func (d *decider) decideByOthers(t *patternStats) {
	if t.ambiguous == 0 {
		return // every cell has the same meaning in all orders that fit it
	}
	if t.pattern == YearFirst {
		d.Style.Orders[YearFirst] = YMD
		return
	}
	for _, find := range [...]func(*patternStats) Order{d.orderOfOtherPatterns, d.orderOfNeighbors} {
		if o := find(t); o != Undecided {
			d.Style.Orders[t.pattern] = o
			return
		}
	}
	// The locale was already applied to all-number patterns, but not to days with a named month.
	if own := d.hints.orderFor(t.pattern, d.sniffer.want); d.isOpen(t.pattern, own.order) {
		d.report(own.decides())
		d.Style.Orders[t.pattern] = own.order
		return
	}
	d.askOrder(t)
}

// dropBeaten drops every order that a different open order beats. If that would
// drop all orders, it drops none.
func (d *decider) dropBeaten(f Pattern, beats func(a, b Order) bool) {
	left := slices.DeleteFunc(slices.Clone(d.openOrders[f]), func(b Order) bool {
		return slices.ContainsFunc(d.openOrders[f], func(a Order) bool { return a != b && beats(a, b) })
	})
	if len(left) > 0 {
		d.openOrders[f] = left
	}
}

func (d *decider) dropOrders(f Pattern, orders ...Order) {
	d.dropBeaten(f, func(_, b Order) bool { return slices.Contains(orders, b) })
}

// outweighs reports whether the cells that fit order a but not b outweigh those that fit order b
// but not a. If other cells depend on the answer, at most a fifth of the compared cells may fit
// order b.
func outweighs(over *[orderCount][orderCount]int64, a, b Order, ambiguous int64) bool {
	won, lost := over[a][b], over[b][a]
	return won > lost && (ambiguous == 0 || lost*5 <= won+lost)
}

func (d *decider) narrowByNumbers(t *patternStats) {
	d.dropBeaten(t.pattern, func(a, b Order) bool {
		return orderPositions[a][0] == orderPositions[b][0] && outweighs(&t.wins, a, b, t.ambiguous)
	})
}

func (d *decider) narrowByWeekdays(t *patternStats) {
	before := d.openOrders[t.pattern]
	d.dropBeaten(t.pattern, func(a, b Order) bool { return outweighs(&t.weekdayWins, a, b, t.ambiguous) })
	if left := d.openOrders[t.pattern]; len(left) < len(before) {
		for _, loser := range before {
			if n := t.weekdayWins[left[0]][loser]; n > 0 {
				d.report(intray.NewMessage("date.weekday_fits", intray.Params{"n": n, "order": orderClauses[left[0]]}))
				return
			}
		}
	}
}

const (
	// decisiveLogOdds is the natural logarithm of the minimum odds at which a reading is
	// accepted: about 100 to 1.
	decisiveLogOdds = 4.6
	// yearLastLogOdds is the natural logarithm of the odds that a two-digit
	// year is last rather than first: 10 to 1. yearLastLogOddsNamed applies
	// next to the name of a month: 200 to 1, which is decisive alone.
	yearLastLogOdds, yearLastLogOddsNamed = 2.3, 5.3
)

// narrowByYears distinguishes two-digit years from days. Numbers over 31 are not days, and the
// years of a column repeat more often than its days. The weight of a single cell is only
// slightly more than decisive, so that a typo does not outweigh a column.
func (d *decider) narrowByYears(t *patternStats) {
	odds := yearLastLogOdds
	if t.pattern == Named {
		odds = yearLastLogOddsNamed
	} else if !t.pattern.hasShortYear() {
		return
	}
	repeated := yearLogLikelihood(&t.valueCounts[1]) - yearLogLikelihood(&t.valueCounts[0])
	if t.cells < 5 {
		repeated = min(repeated, 0) // too few to distinguish a pattern from chance
	}
	likelier := repeated + odds + 5*float64(t.yearLast-t.yearFirst) + recentLogOdds*(t.recentShare(1, d.hints.Year)-t.recentShare(0, d.hints.Year))
	before := d.openOrders[t.pattern]
	switch {
	case likelier > decisiveLogOdds:
		d.dropOrders(t.pattern, YMD)
	case likelier < -decisiveLogOdds && (t.cells >= 5 || t.yearFirst > 0):
		d.dropOrders(t.pattern, DMY, MDY)
	}
	if left := d.openOrders[t.pattern]; len(left) < len(before) && t.ambiguous > 0 {
		d.report(yearsMessage(t, left[0], repeated))
	}
}

// recentLogOdds is the natural logarithm of the odds that numbers are years if all of them are recent
// years and the other numbers are not: 12 to 1.
const recentLogOdds = 2.5

// recentShare returns the share of the numbers in the first or the last position that are years from
// 20 years before to 2 years after the given one. It returns 0 if the year is 0.
func (t *patternStats) recentShare(position, year int) float64 {
	var recent uint32
	for y := year - 20; y <= year+2 && year > 0; y++ {
		recent += t.valueCounts[position][y%100]
	}
	return float64(recent) / float64(t.cells)
}

// yearLogLikelihood returns the log-likelihood that these numbers are years.
// The more often a year has occurred, the more likely it is to be next (a
// Chinese restaurant process over 100 years).
func yearLogLikelihood(values *[100]uint32) float64 {
	sum, n := 0.0, 0.0
	for _, count := range values {
		if count > 0 {
			gamma, _ := math.Lgamma(float64(count))
			sum += gamma - math.Log(100)
			n += float64(count)
		}
	}
	gamma, _ := math.Lgamma(n + 1)
	return sum - gamma
}

// narrowBySeries chooses an order if it is the only one in which the dates form a series.
func (d *decider) narrowBySeries(t *patternStats) {
	if o := d.onlyOrder(t, func(o Order) bool { return t.series[o].isRegular() }); o != Undecided {
		d.openOrders[t.pattern] = []Order{o}
		d.report(intray.NewMessage("date.regular_series", intray.Params{"order": orderClauses[o], "step": t.series[o].message()}))
		return
	}
	o := d.onlyOrder(t, func(o Order) bool { return t.series[o].isOrdered() })
	// Cells that are sorted as text are not evidence. Text is sorted by its first number, so
	// month-first dates are in chronological order only within one year.
	sortedAsText := o == YMD || o == MDY && (t.minYear == t.maxYear || t.series[o].yearChanges == 0)
	if o != Undecided && !sortedAsText {
		d.openOrders[t.pattern] = []Order{o}
		d.report(intray.NewMessage("date.sorted_series", intray.Params{"order": orderClauses[o], "n": t.series[o].changes}))
	}
}

// onlyOrder returns the open order that satisfies the given predicate, or Undecided unless
// there is exactly one.
func (d *decider) onlyOrder(t *patternStats, is func(Order) bool) (found Order) {
	for _, o := range d.openOrders[t.pattern] {
		if is(o) {
			if found != Undecided {
				return Undecided
			}
			found = o
		}
	}
	return found
}

func (d *decider) orderOfOtherPatterns(t *patternStats) (found Order) {
	for f, byCells := range d.decidedByCells {
		if o := d.Style.Orders[f]; byCells && d.isOpen(t.pattern, o) && Pattern(f) < YearFirst {
			if found != Undecided && found != o {
				return Undecided
			}
			found = o
		}
	}
	if found != Undecided {
		d.report(intray.NewMessage("date.like_other_cells", intray.Params{"example": t.ambiguousExamples[0], "order": orderClauses[found]}))
	}
	return found
}

func (d *decider) orderOfNeighbors(t *patternStats) (found Order) {
	headers := make([]intray.Message, 0, len(d.hints.Neighbors))
	for _, n := range d.hints.Neighbors {
		o := n.Style.Orders[t.pattern]
		if !d.isOpen(t.pattern, o) {
			continue
		}
		if found != Undecided && found != o {
			return Undecided
		}
		found = o
		headers = append(headers, intray.NewMessage("text.quoted", intray.Params{"text": n.Header}))
	}
	if found != Undecided {
		d.report(intray.NewMessage("date.like_other_columns", intray.Params{"columns": headers, "order": orderClauses[found]}))
	}
	return found
}

// FieldStyle returns the style set by the field's own format and locale. It is
// used for cells whose column was not sniffed.
func (h Hints) FieldStyle(want Want) Style {
	s := Style{Pivot: h.Pivot, Autofix: h.Autofix}
	if l, ok := FindLocale(h.Locale); ok {
		s.Languages = 1 << l.language
	}
	for f := range s.Orders {
		s.Orders[f] = h.orderFor(Pattern(f), want).order
	}
	return s
}

// fieldOrder is an order that the field sets, by its format or, if there is none, by its locale.
type fieldOrder struct {
	order          Order
	format, locale string
	// shortYear reports whether the format contains a two-digit year.
	shortYear bool
}

// orderFor returns the order that the field sets for a pattern. A format that starts with a
// four-digit year sets no order for patterns with a two-digit year.
func (h Hints) orderFor(f Pattern, want Want) fieldOrder {
	if f == YearFirst {
		return fieldOrder{} // the order of ISO dates is fixed
	}
	if layout, err := CompileLayout(h.Format, h.Locale, want, false); err == nil {
		o, short := layout.DateOrder(), layout.contains(func(p element) bool { return p.field == yearField && p.width == 2 })
		if slices.Contains(f.orders(), o) && (o != YMD || short) {
			return fieldOrder{order: o, format: h.Format, shortYear: short}
		}
	}
	if l, ok := FindLocale(h.Locale); ok && slices.Contains(f.orders(), l.DateOrder()) {
		return fieldOrder{order: l.DateOrder(), locale: l.Code}
	}
	return fieldOrder{}
}

// decides returns the evidence message for the field's order.
func (o fieldOrder) decides() intray.Message {
	if o.format != "" {
		return intray.NewMessage("date.format_decides", intray.Params{"format": o.format, "order": orderClauses[o.order]})
	}
	return intray.NewMessage("date.locale_decides", intray.Params{"locale": o.locale, "order": orderClauses[o.order]})
}

// applyFieldOrder applies the order that the field sets. If more cells
// contradict the order than support it, the user is asked. A single
// contradicting cell is an exception, which is reported when the cell is read.
func (d *decider) applyFieldOrder(t *patternStats) {
	own := d.hints.orderFor(t.pattern, d.sniffer.want)
	if own.order == Undecided || t.pattern == Named {
		return
	}
	open, reason := t.contradictions(own.order)
	if reason.IsZero() && t.pattern.hasShortYear() && !own.shortYear {
		// The cells can show that a two-digit year is in a different position.
		evidenceCount := len(d.Evidence)
		d.narrowByYears(t)
		d.Evidence = d.Evidence[:evidenceCount]
		if !d.isOpen(t.pattern, own.order) {
			open, reason = t.pattern.orders(), intray.NewMessage("date.numbers_show_order", intray.Params{"order": orderClauses[d.openOrders[t.pattern][0]]})
		}
	}
	if !reason.IsZero() && t.ambiguous > 0 {
		d.openOrders[t.pattern] = open
		d.askOrder(t)
		for i := range d.Ambiguities {
			if d.Ambiguities[i].Pattern == t.pattern {
				d.Ambiguities[i].Text = own.contradicted(reason)
			}
		}
		return
	}
	d.openOrders[t.pattern] = []Order{own.order}
	d.Style.Orders[t.pattern] = own.order
	d.decidedByCells[t.pattern] = true
	evidenceCount := len(d.Evidence)
	if !t.pattern.hasShortYear() {
		d.reportNumbers(t)
	}
	if t.ambiguous > 0 && len(d.Evidence) == evidenceCount {
		d.report(own.decides())
	}
	d.reportMixed(t)
}

// contradicted returns a message that asks whether to trust the field's order or the cells
// that contradict it.
func (o fieldOrder) contradicted(reason intray.Message) intray.Message {
	if o.format != "" {
		return intray.NewMessage("date.format_contradicted", intray.Params{"format": o.format, "order": orderClauses[o.order], "reason": reason})
	}
	return intray.NewMessage("date.locale_contradicted", intray.Params{"locale": o.locale, "order": orderClauses[o.order], "reason": reason})
}

// contradictions returns the named order together with the orders that contradicting cells
// support, and the reason to doubt the named order. The reason is zero unless at least two
// cells, and more than half of the decisive cells, contradict the named order.
func (t *patternStats) contradictions(named Order) (orders []Order, reason intray.Message) {
	for _, o := range t.pattern.orders() {
		lost := t.wins[o][named] + t.weekdayWins[o][named]
		if o != named && (lost < 2 || lost <= t.wins[named][o]+t.weekdayWins[named][o]) {
			continue
		}
		orders = append(orders, o)
		if o == named || !reason.IsZero() {
			continue
		}
		if example := t.winExamples[o][named]; example != "" {
			reason = intray.NewMessage("date.cells_fit_order_example", intray.Params{"n": lost, "order": orderClauses[o], "example": example})
		} else {
			reason = intray.NewMessage("date.cells_fit_order", intray.Params{"n": lost, "order": orderClauses[o]})
		}
	}
	return orders, reason
}
