package date

import (
	"math"

	"github.com/intraydata/intray"
)

// Hints are what is known of a column beside its cells. They decide only what
// the cells leave open.
type Hints struct {
	// Format and Locale are the field's own display format and locale. Leave them
	// empty where the field does not set them: defaults decide nothing.
	Format, Locale string
	// Neighbors are other columns of the same table whose order the data
	// decided.
	Neighbors []Neighbor
	// Pivot and Autofix go into the style.
	Pivot   uint8
	Autofix bool
}

// Neighbor is a column beside this one.
type Neighbor struct {
	Header string
	Style  Style
}

// Decision is the style of a column and why.
type Decision struct {
	// Style reads the column. What a tie leaves open is Undecided in it.
	Style Style
	// Evidence tells why the style is as it is.
	Evidence []intray.Message
	// Ambiguities are the questions that the cells leave. Each choice of a tie can be
	// applied to the style.
	Ambiguities []Ambiguity
	// Cells is how many cells were not blank, Unread how many of them nothing
	// can be read from in any style.
	Cells, Unread int64
}

// Ambiguity is a question for a person.
type Ambiguity struct {
	// Pattern is the form of the cells in question, or the first of several; Named
	// where it is about the language of names.
	Pattern Pattern
	Text    intray.Message
	Choices []Choice
}

// Choice is one answer. Order or Languages is set.
type Choice struct {
	Order     Order
	Languages Languages
	// Label is the answer in words, Readings what some cells mean by it.
	Label    intray.Message
	Readings []intray.Reading

	patterns uint16 // the forms that the answer is for, as bits
}

// Apply gives the style with this answer.
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

// decider is one decision in the making.
type decider struct {
	Decision
	sniffer *Sniffer
	hints   Hints
	// openOrders are the orders that each form can still have.
	openOrders [patternCount][]Order
	// decidedByCells are the forms that their own cells decided.
	decidedByCells [patternCount]bool
}

// Decide says how the column writes its days. It can be asked again, with other
// hints or after more cells.
func (c *Sniffer) Decide(hints Hints) Decision {
	d := decider{sniffer: c, hints: hints}
	d.Cells, d.Unread = c.cells, c.unreadable
	d.Style.Pivot, d.Style.Autofix = hints.Pivot, hints.Autofix
	if c.want != WantTime {
		d.decideNames()
		d.eachPattern((*decider).decideByCells)
		d.eachPattern((*decider).decideByOthers)
		d.reportCentury()
	}
	d.reportZones()
	return d.Decision
}

func (d *decider) eachPattern(decide func(*decider, *patternStats)) {
	for _, t := range d.sniffer.patterns {
		if t != nil && d.Style.Orders[t.pattern] == Undecided {
			decide(d, t)
		}
	}
}

// decideByCells looks at what the cells of the form themselves tell.
func (d *decider) decideByCells(t *patternStats) {
	d.openOrders[t.pattern] = t.pattern.orders()
	if d.applyFieldOrder(t); d.isSettled(t) {
		return
	}
	steps := [...]func(*decider, *patternStats){
		(*decider).narrowByYears, (*decider).narrowByNumbers, (*decider).narrowByWeekdays, (*decider).narrowBySeries,
	}
	for _, step := range steps {
		if len(d.openOrders[t.pattern]) > 1 {
			step(d, t)
		}
	}
	d.decidedByCells[t.pattern] = len(d.openOrders[t.pattern]) == 1
	if len(d.openOrders[t.pattern]) > 1 {
		d.narrowBySeparator(t)
	}
	if len(d.openOrders[t.pattern]) == 1 {
		d.Style.Orders[t.pattern] = d.openOrders[t.pattern][0]
		d.reportNumbers(t)
		d.reportMixed(t)
	}
}

// isSettled says whether the form has its order, or its question.
func (d *decider) isSettled(t *patternStats) bool {
	for _, tie := range d.Ambiguities {
		if tie.covers(t.pattern) {
			return true
		}
	}
	return d.Style.Orders[t.pattern] != Undecided
}

// decideByOthers looks beyond the cells of the form, and asks in the end.
func (d *decider) decideByOthers(t *patternStats) {
	if t.ambiguous == 0 || d.isSettled(t) {
		return // every cell means the same in all orders that fit it
	}
	if t.pattern == YearFirst {
		d.Style.Orders[YearFirst] = YMD
		return
	}
	for _, find := range [...]func(*decider, *patternStats) Order{
		(*decider).orderOfOtherPatterns, (*decider).orderOfNeighbors, (*decider).orderOfFieldLocale,
	} {
		if o := find(d, t); o != Undecided {
			d.Style.Orders[t.pattern] = o
			return
		}
	}
	d.askOrder(t)
}

// dropBeaten drops the orders that another open one beats, unless that leaves none.
func (d *decider) dropBeaten(f Pattern, beats func(a, b Order) bool) {
	var left []Order
	for _, b := range d.openOrders[f] {
		beaten := false
		for _, a := range d.openOrders[f] {
			beaten = beaten || a != b && beats(a, b)
		}
		if !beaten {
			left = append(left, b)
		}
	}
	if len(left) > 0 {
		d.openOrders[f] = left
	}
}

// outweighs says whether cells that only fit a outweigh those that only fit b. A
// fifth against it leaves it open, unless no other cell depends on it.
func outweighs(over *[orderCount][orderCount]int64, a, b Order, several int64) bool {
	won, lost := over[a][b], over[b][a]
	switch {
	case won == 0 || won <= lost:
		return false
	case several == 0:
		return true
	}
	return lost*5 <= won+lost
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

// decisiveLogOdds is how much likelier one reading must be than another: a hundred
// times, as a logarithm.
const decisiveLogOdds = 4.6

// narrowByYears tells a year of two digits from a day: numbers over 31 are no days, and
// the years of a column repeat more than its days do. One cell weighs little more
// than certain, so that a slip of the pen does not outweigh a column.
func (d *decider) narrowByYears(t *patternStats) {
	if !t.pattern.hasShortYear() && t.pattern != Named {
		return
	}
	repeated := yearLogLikelihood(&t.valueCounts[1]) - yearLogLikelihood(&t.valueCounts[0])
	if t.cells < 5 {
		repeated = min(repeated, 0) // too few to tell a habit from an accident
	}
	likelier := repeated + yearLastLogOdds(t.pattern) + 5*float64(t.yearLast-t.yearFirst)
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

// yearLastLogOdds is how much rarer years of two digits are in the first place, as a
// logarithm: a judgement of habit, which decides alone beside the name of a month.
func yearLastLogOdds(f Pattern) float64 {
	if f == Named {
		return 5.3 // 200 times
	}
	return 2.3 // 10 times
}

// yearLogLikelihood is the logarithm of how likely these numbers are as years, of which
// the next is the likelier the more often it came before (a Chinese restaurant
// process over 100 years).
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

func (d *decider) dropOrders(f Pattern, orders ...Order) {
	d.dropBeaten(f, func(_, b Order) bool {
		for _, o := range orders {
			if o == b {
				return true
			}
		}
		return false
	})
}

// narrowBySeparator knows that points are written between day, month and year.
func (d *decider) narrowBySeparator(t *patternStats) {
	if t.pattern != Dot && t.pattern != ShortDot || t.ambiguous == 0 {
		return
	}
	before := len(d.openOrders[t.pattern])
	d.dropOrders(t.pattern, MDY)
	if len(d.openOrders[t.pattern]) < before {
		d.report(intray.NewMessage("date.points", intray.Params{"example": t.ambiguousExamples[0]}))
	}
}

// narrowBySeries finds the only order in which the days follow each other.
func (d *decider) narrowBySeries(t *patternStats) {
	if o, only := d.onlyOrder(t, func(o Order) bool { return t.series[o].isRegular() }); only {
		d.openOrders[t.pattern] = []Order{o}
		d.report(intray.NewMessage("date.regular_series", intray.Params{"order": orderClauses[o], "step": t.series[o].message()}))
		return
	}
	o, only := d.onlyOrder(t, func(o Order) bool { return t.series[o].isOrdered() })
	if only && !t.sortedAsText(o) {
		d.openOrders[t.pattern] = []Order{o}
		d.report(intray.NewMessage("date.sorted_series", intray.Params{"order": orderClauses[o], "n": t.series[o].changes}))
	}
}

// sortedAsText says whether the order of the cells may come from sorting their
// text: then it tells nothing of the days. Text puts the first number before
// the year.
func (t *patternStats) sortedAsText(o Order) bool {
	return o == YMD || o == MDY && (t.minYear == t.maxYear || t.series[o].yearChanges == 0)
}

// onlyOrder finds the only open order for which is holds.
func (d *decider) onlyOrder(t *patternStats, is func(Order) bool) (found Order, only bool) {
	for _, o := range d.openOrders[t.pattern] {
		if is(o) {
			if found != Undecided {
				return found, false
			}
			found = o
		}
	}
	return found, found != Undecided
}

func (d *decider) isOpen(f Pattern, o Order) bool {
	for _, open := range d.openOrders[f] {
		if open == o {
			return true
		}
	}
	return false
}

func (d *decider) orderOfOtherPatterns(t *patternStats) Order {
	found := Undecided
	for f, by := range d.decidedByCells {
		if o := d.Style.Orders[f]; by && d.isOpen(t.pattern, o) && Pattern(f) < YearFirst {
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

func (d *decider) orderOfNeighbors(t *patternStats) Order {
	found, headers := Undecided, []intray.Message(nil)
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

// orderOfFieldLocale is for days with a named month: for the others the locale counts
// before.
func (d *decider) orderOfFieldLocale(t *patternStats) Order {
	own := d.hints.orderFor(t.pattern, d.sniffer.want)
	if !d.isOpen(t.pattern, own.order) {
		return Undecided
	}
	d.report(own.decides())
	return own.order
}

// FieldStyle is the style that the field's own format and locale give where nobody has
// looked at the cells of a column.
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

// fieldOrder is an order that the field itself names, by its format or else its
// locale.
type fieldOrder struct {
	order          Order
	format, locale string
	// shortYear says that the field's format has the form's year of two digits.
	shortYear bool
}

// orderFor gives the order that the field names for a form: that of its format, or
// else that of its locale. A format whose year has four digits and stands first
// says nothing of the forms with two.
func (h Hints) orderFor(f Pattern, want Want) fieldOrder {
	if f == YearFirst {
		return fieldOrder{} // ISO dates are what they are
	}
	if layout, err := CompileLayout(h.Format, h.Locale, want, false); err == nil {
		o, literal := layout.DateOrder(), layout.hasShortYear()
		if f.allows(o) && (o != YMD || literal) {
			return fieldOrder{order: o, format: h.Format, shortYear: literal}
		}
	}
	if l, ok := FindLocale(h.Locale); ok && f.allows(l.DateOrder()) {
		return fieldOrder{order: l.DateOrder(), locale: l.Code}
	}
	return fieldOrder{}
}

// decides says that the order is that of the field.
func (o fieldOrder) decides() intray.Message {
	if o.format != "" {
		return intray.NewMessage("date.format_decides", intray.Params{"format": o.format, "order": orderClauses[o.order]})
	}
	return intray.NewMessage("date.locale_decides", intray.Params{"locale": o.locale, "order": orderClauses[o.order]})
}

// contradicted asks which holds, the order or what speaks against it.
func (o fieldOrder) contradicted(reason intray.Message) intray.Message {
	if o.format != "" {
		return intray.NewMessage("date.format_contradicted", intray.Params{"format": o.format, "order": orderClauses[o.order], "reason": reason})
	}
	return intray.NewMessage("date.locale_contradicted", intray.Params{"locale": o.locale, "order": orderClauses[o.order], "reason": reason})
}

// allows says whether a form can have the order.
func (f Pattern) allows(o Order) bool {
	for _, one := range f.orders() {
		if one == o {
			return true
		}
	}
	return false
}

// applyFieldOrder keeps the order that the field names, unless more cells contradict it
// than speak for it: that is a question. A single cell never is: it is the
// exception, and told where it is read.
func (d *decider) applyFieldOrder(t *patternStats) {
	own := d.hints.orderFor(t.pattern, d.sniffer.want)
	if own.order == Undecided || t.pattern == Named {
		return
	}
	against, reason := t.contradictions(own.order)
	if reason.IsZero() && t.pattern.hasShortYear() && !own.shortYear && d.yearContradicts(t, own.order) {
		against, reason = t.pattern.orders(), intray.NewMessage("date.numbers_show_order", intray.Params{"order": orderClauses[d.openOrders[t.pattern][0]]})
	}
	d.openOrders[t.pattern] = []Order{own.order}
	if !reason.IsZero() && t.ambiguous > 0 {
		d.openOrders[t.pattern] = against
		d.askContradiction(t, own, reason)
		return
	}
	d.Style.Orders[t.pattern] = own.order
	d.reportFieldOrder(t, own)
}

// contradictions gives the orders of the cells that contradict the named one, with it,
// and what they say; nothing where they are not most of those that tell.
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

// yearContradicts says whether the years of two digits certainly stand in another
// place than the order has them. It leaves the orders that are left open.
func (d *decider) yearContradicts(t *patternStats, named Order) bool {
	evidenceCount := len(d.Evidence)
	d.narrowByYears(t)
	d.Evidence = d.Evidence[:evidenceCount]
	return !d.isOpen(t.pattern, named)
}

// reportFieldOrder tells why the named order holds, and which cells do not fit it.
func (d *decider) reportFieldOrder(t *patternStats, own fieldOrder) {
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

// askContradiction asks where the cells contradict what the field says.
func (d *decider) askContradiction(t *patternStats, own fieldOrder, reason intray.Message) {
	d.askOrder(t)
	for i := range d.Ambiguities {
		if d.Ambiguities[i].Pattern == t.pattern {
			d.Ambiguities[i].Text = own.contradicted(reason)
		}
	}
}
