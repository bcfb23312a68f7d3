package date

import (
	"math"
	"slices"

	"github.com/intraydata/intray"
)

// Hints are what is known of a column apart from its cells. They decide only what
// the cells leave open.
type Hints struct {
	// Format and Locale are the field's own display format and locale. Leave them
	// empty if the field does not set them: defaults decide nothing.
	Format, Locale string
	// Neighbors are other columns of the same table whose cells decided an order.
	Neighbors []Neighbor
	// Pivot and Autofix are copied to the style.
	Pivot   uint8
	Autofix bool
}

// Neighbor is another column of the same table.
type Neighbor struct {
	Header string
	Style  Style
}

// Decision is the style of a column, with reasons.
type Decision struct {
	// Style reads the column. Orders of open ambiguities are Undecided.
	Style Style
	// Evidence explains the style.
	Evidence []intray.Message
	// Ambiguities are the questions that the cells leave open. A person's choice is
	// applied to Style.
	Ambiguities []Ambiguity
	// Cells is the number of cells that are not blank, Unread how many of them no
	// style can read.
	Cells, Unread int64
}

// Ambiguity is a question for a person.
type Ambiguity struct {
	// Pattern is the pattern of the cells in question, or the first of several. It
	// is Named if the question is about the language of names.
	Pattern Pattern
	Text    intray.Message
	Choices []Choice
}

// Choice is one answer. Either Order or Languages is set.
type Choice struct {
	Order     Order
	Languages Languages
	// Label is the answer in words, Readings the dates of some cells under it.
	Label    intray.Message
	Readings []intray.Reading

	patterns uint16 // the set of patterns that the answer applies to
}

// Apply returns the style with this answer.
func (c Choice) Apply(s Style) Style {
	if c.Languages != 0 {
		s.Languages = c.Languages
	}
	for f := range s.Orders {
		if c.Order != Undecided && c.patterns>>f&1 == 1 {
			s.Orders[f] = c.Order
		}
	}
	return s
}

// decider makes one decision.
type decider struct {
	Decision
	sniffer *Sniffer
	hints   Hints
	// openOrders are the orders that each pattern can still have.
	openOrders [patternCount][]Order
	// decidedByCells are the patterns that their own cells decided.
	decidedByCells [patternCount]bool
}

// Decide decides how the column writes its days. It may be called again, with
// other hints or after more cells.
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
	}
	d.reportZones()
	return d.Decision
}

// isSettled reports whether the pattern has its order, or its question.
func (d *decider) isSettled(t *patternStats) bool {
	asked := slices.ContainsFunc(d.Ambiguities, func(a Ambiguity) bool {
		return len(a.Choices) > 0 && a.Choices[0].patterns>>t.pattern&1 == 1
	})
	return asked || d.Style.Orders[t.pattern] != Undecided
}

func (d *decider) isOpen(f Pattern, o Order) bool { return slices.Contains(d.openOrders[f], o) }

// decideByCells uses the order of the field and what the cells of the pattern
// show.
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
		// Points separate day, month and year, in this order.
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

// decideByOthers uses what is known beyond the cells of the pattern, or asks.
func (d *decider) decideByOthers(t *patternStats) {
	if t.ambiguous == 0 {
		return // every cell means the same in all orders that fit it
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
	// Numbers alone have used the locale already; days with a named month have not.
	if own := d.hints.orderFor(t.pattern, d.sniffer.want); d.isOpen(t.pattern, own.order) {
		d.report(own.decides())
		d.Style.Orders[t.pattern] = own.order
		return
	}
	d.askOrder(t)
}

// dropBeaten drops the orders that another open one beats, unless none is left.
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

// outweighs reports whether the cells that fit only a outweigh those that fit only
// b. A fifth against a leaves it open, unless no other cell depends on it.
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
	// decisiveLogOdds is how much likelier one reading must be than another: about
	// a hundred times, as a natural logarithm.
	decisiveLogOdds = 4.6
	// yearLastLogOdds is how much likelier a year of two digits is last than first:
	// ten times. Next to the name of a month it is 200 times, which decides alone.
	yearLastLogOdds, yearLastLogOddsNamed = 2.3, 5.3
)

// narrowByYears distinguishes years of two digits from days: numbers over 31 are
// not days, and the years of a column repeat more than its days do. One cell
// weighs little more than certain, so that a typo does not outweigh a column.
func (d *decider) narrowByYears(t *patternStats) {
	odds := yearLastLogOdds
	if t.pattern == Named {
		odds = yearLastLogOddsNamed
	} else if !t.pattern.hasShortYear() {
		return
	}
	repeated := yearLogLikelihood(&t.valueCounts[1]) - yearLogLikelihood(&t.valueCounts[0])
	if t.cells < 5 {
		repeated = min(repeated, 0) // too few to distinguish a habit from chance
	}
	likelier := repeated + odds + 5*float64(t.yearLast-t.yearFirst)
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

// yearLogLikelihood returns the logarithm of how likely these numbers are as
// years. The next year is the likelier the more often it came before (a Chinese
// restaurant process over 100 years).
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

// narrowBySeries chooses the only order in which the days follow each other.
func (d *decider) narrowBySeries(t *patternStats) {
	if o := d.onlyOrder(t, func(o Order) bool { return t.series[o].isRegular() }); o != Undecided {
		d.openOrders[t.pattern] = []Order{o}
		d.report(intray.NewMessage("date.regular_series", intray.Params{"order": orderClauses[o], "step": t.series[o].message()}))
		return
	}
	o := d.onlyOrder(t, func(o Order) bool { return t.series[o].isOrdered() })
	// Cells sorted as text show nothing: text sorts by the first number, so that
	// the month is before the year only if there are several years.
	sortedAsText := o == YMD || o == MDY && (t.minYear == t.maxYear || t.series[o].yearChanges == 0)
	if o != Undecided && !sortedAsText {
		d.openOrders[t.pattern] = []Order{o}
		d.report(intray.NewMessage("date.sorted_series", intray.Params{"order": orderClauses[o], "n": t.series[o].changes}))
	}
}

// onlyOrder returns the only open order that is as asked, or Undecided.
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

// FieldStyle returns the style of the field's own format and locale, for cells
// whose column was not sniffed.
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

// fieldOrder is an order that the field itself sets, by its format or else its
// locale.
type fieldOrder struct {
	order          Order
	format, locale string
	// shortYear reports whether the format has the pattern's year of two digits.
	shortYear bool
}

// orderFor returns the order that the field sets for a pattern. A format that
// starts with a year of four digits sets none for patterns with two.
func (h Hints) orderFor(f Pattern, want Want) fieldOrder {
	if f == YearFirst {
		return fieldOrder{} // ISO dates are what they are
	}
	if layout, err := CompileLayout(h.Format, h.Locale, want, false); err == nil {
		o, short := layout.DateOrder(), layout.hasShortYear()
		if slices.Contains(f.orders(), o) && (o != YMD || short) {
			return fieldOrder{order: o, format: h.Format, shortYear: short}
		}
	}
	if l, ok := FindLocale(h.Locale); ok && slices.Contains(f.orders(), l.DateOrder()) {
		return fieldOrder{order: l.DateOrder(), locale: l.Code}
	}
	return fieldOrder{}
}

// decides is the evidence for the field's order.
func (o fieldOrder) decides() intray.Message {
	if o.format != "" {
		return intray.NewMessage("date.format_decides", intray.Params{"format": o.format, "order": orderClauses[o.order]})
	}
	return intray.NewMessage("date.locale_decides", intray.Params{"locale": o.locale, "order": orderClauses[o.order]})
}

// applyFieldOrder applies the order that the field sets. It asks if more cells
// contradict the order than support it. A single cell is an exception, and is
// reported when it is read.
func (d *decider) applyFieldOrder(t *patternStats) {
	own := d.hints.orderFor(t.pattern, d.sniffer.want)
	if own.order == Undecided || t.pattern == Named {
		return
	}
	open, reason := t.contradictions(own.order)
	if reason.IsZero() && t.pattern.hasShortYear() && !own.shortYear {
		// The years of two digits may certainly be somewhere else.
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

// contradicted is the question which one holds, the field's order or what
// contradicts it.
func (o fieldOrder) contradicted(reason intray.Message) intray.Message {
	if o.format != "" {
		return intray.NewMessage("date.format_contradicted", intray.Params{"format": o.format, "order": orderClauses[o.order], "reason": reason})
	}
	return intray.NewMessage("date.locale_contradicted", intray.Params{"locale": o.locale, "order": orderClauses[o.order], "reason": reason})
}

// contradictions returns the named order and those of the cells that contradict
// it, and what contradicts it. The reason is zero unless most of the decisive
// cells do, and at least two.
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
