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
	// Neighbours are other columns of the same table whose order the data
	// decided.
	Neighbours []Neighbour
	// Pivot and Autofix go into the style.
	Pivot   uint8
	Autofix bool
}

// Neighbour is a column beside this one.
type Neighbour struct {
	Header string
	Style  Style
}

// Decision is the style of a column and why.
type Decision struct {
	// Style reads the column. What a tie leaves open is Undecided in it.
	Style Style
	// Evidence tells why the style is as it is.
	Evidence []intray.Message
	// Ties are the questions that the cells leave. Each choice of a tie can be
	// applied to the style.
	Ties []Tie
	// Cells is how many cells were not blank, Unread how many of them nothing
	// can be read from in any style.
	Cells, Unread int64
}

// Tie is a question for a person.
type Tie struct {
	// Form is the form of the cells in question, or the first of several; Named
	// where it is about the language of names.
	Form    Form
	Text    intray.Message
	Choices []Choice
}

// Choice is one answer. Order or Languages is set.
type Choice struct {
	Order     Order
	Languages Languages
	// Label is the answer in words, Examples what cells mean by it.
	Label    intray.Message
	Examples []Example

	forms uint16 // the forms that the answer is for, as bits
}

// Example is a cell and the date it means.
type Example struct{ Raw, Value string }

// Apply gives the style with this answer.
func (c Choice) Apply(s Style) Style {
	if c.Languages != 0 {
		s.Languages = c.Languages
	}
	for f := range s.Orders {
		if c.Order != Undecided && c.forms>>f&1 == 1 {
			s.Orders[f] = c.Order
		}
	}
	return s
}

// decider is one decision in the making.
type decider struct {
	Decision
	column *Column
	hints  Hints
	// open are the orders that each form can still have.
	open [forms][]Order
	// byCells are the forms that their own cells decided.
	byCells [forms]bool
}

// Decide says how the column writes its days. It can be asked again, with other
// hints or after more cells.
func (c *Column) Decide(hints Hints) Decision {
	d := decider{column: c, hints: hints}
	d.Cells, d.Unread = c.cells, c.unread
	d.Style.Pivot, d.Style.Autofix = hints.Pivot, hints.Autofix
	if c.want != WantClock {
		d.decideNames()
		d.eachForm((*decider).decideByCells)
		d.eachForm((*decider).decideByOthers)
		d.tellCentury()
	}
	d.tellZones()
	return d.Decision
}

func (d *decider) eachForm(decide func(*decider, *tally)) {
	for _, t := range d.column.forms {
		if t != nil && d.Style.Orders[t.form] == Undecided {
			decide(d, t)
		}
	}
}

// decideByCells looks at what the cells of the form themselves tell.
func (d *decider) decideByCells(t *tally) {
	d.open[t.form] = t.form.orders()
	if d.byOwn(t); d.settled(t) {
		return
	}
	steps := [...]func(*decider, *tally){
		(*decider).byYears, (*decider).byNumbers, (*decider).byWeekdays, (*decider).bySeries,
	}
	for _, step := range steps {
		if len(d.open[t.form]) > 1 {
			step(d, t)
		}
	}
	d.byCells[t.form] = len(d.open[t.form]) == 1
	if len(d.open[t.form]) > 1 {
		d.bySign(t)
	}
	if len(d.open[t.form]) == 1 {
		d.Style.Orders[t.form] = d.open[t.form][0]
		d.tellNumbers(t)
		d.tellMixed(t)
	}
}

// settled says whether the form has its order, or its question.
func (d *decider) settled(t *tally) bool {
	for _, tie := range d.Ties {
		if tie.holds(t.form) {
			return true
		}
	}
	return d.Style.Orders[t.form] != Undecided
}

// decideByOthers looks beyond the cells of the form, and asks in the end.
func (d *decider) decideByOthers(t *tally) {
	if t.several == 0 || d.settled(t) {
		return // every cell means the same in all orders that fit it
	}
	if t.form == YearFirst {
		d.Style.Orders[YearFirst] = YMD
		return
	}
	for _, find := range [...]func(*decider, *tally) Order{
		(*decider).otherForms, (*decider).neighbours, (*decider).ownLocale,
	} {
		if o := find(d, t); o != Undecided {
			d.Style.Orders[t.form] = o
			return
		}
	}
	d.ask(t)
}

// keep drops the orders that another open one beats, unless that leaves none.
func (d *decider) keep(f Form, beats func(a, b Order) bool) {
	var left []Order
	for _, b := range d.open[f] {
		beaten := false
		for _, a := range d.open[f] {
			beaten = beaten || a != b && beats(a, b)
		}
		if !beaten {
			left = append(left, b)
		}
	}
	if len(left) > 0 {
		d.open[f] = left
	}
}

// beats says whether cells that only fit a outweigh those that only fit b. A
// fifth against it leaves it open, unless no other cell depends on it.
func beats(over *[maxOrder][maxOrder]int64, a, b Order, several int64) bool {
	won, lost := over[a][b], over[b][a]
	switch {
	case won == 0 || won <= lost:
		return false
	case several == 0:
		return true
	}
	return lost*5 <= won+lost
}

func (d *decider) byNumbers(t *tally) {
	d.keep(t.form, func(a, b Order) bool {
		return places[a][0] == places[b][0] && beats(&t.over, a, b, t.several)
	})
}

func (d *decider) byWeekdays(t *tally) {
	before := d.open[t.form]
	d.keep(t.form, func(a, b Order) bool { return beats(&t.weekday, a, b, t.several) })
	if left := d.open[t.form]; len(left) < len(before) {
		for _, loser := range before {
			if n := t.weekday[left[0]][loser]; n > 0 {
				d.tell(intray.NewMessage("date.weekday_fits", intray.Params{"n": n, "order": orderClauses[left[0]]}))
				return
			}
		}
	}
}

// certain is how much likelier one reading must be than another: a hundred
// times, as a logarithm.
const certain = 4.6

// byYears tells a year of two digits from a day: numbers over 31 are no days, and
// the years of a column repeat more than its days do. One cell weighs little more
// than certain, so that a slip of the pen does not outweigh a column.
func (d *decider) byYears(t *tally) {
	if !t.form.short() && t.form != Named {
		return
	}
	repeated := repeats(&t.values[1]) - repeats(&t.values[0])
	if t.cells < 5 {
		repeated = min(repeated, 0) // too few to tell a habit from an accident
	}
	likelier := repeated + yearLast(t.form) + 5*float64(t.yearLast-t.yearFirst)
	before := d.open[t.form]
	switch {
	case likelier > certain:
		d.drop(t.form, YMD)
	case likelier < -certain && (t.cells >= 5 || t.yearFirst > 0):
		d.drop(t.form, DMY, MDY)
	}
	if left := d.open[t.form]; len(left) < len(before) && t.several > 0 {
		d.tell(yearsMessage(t, left[0], repeated))
	}
}

// yearLast is how much rarer years of two digits are in the first place, as a
// logarithm: a judgement of habit, which decides alone beside the name of a month.
func yearLast(f Form) float64 {
	if f == Named {
		return 5.3 // 200 times
	}
	return 2.3 // 10 times
}

// repeats is the logarithm of how likely these numbers are as years, of which
// the next is the likelier the more often it came before (a Chinese restaurant
// process over 100 years).
func repeats(values *[100]uint32) float64 {
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

func (d *decider) drop(f Form, orders ...Order) {
	d.keep(f, func(_, b Order) bool {
		for _, o := range orders {
			if o == b {
				return true
			}
		}
		return false
	})
}

// bySign knows that points are written between day, month and year.
func (d *decider) bySign(t *tally) {
	if t.form != Dot && t.form != ShortDot || t.several == 0 {
		return
	}
	before := len(d.open[t.form])
	d.drop(t.form, MDY)
	if len(d.open[t.form]) < before {
		d.tell(intray.NewMessage("date.points", intray.Params{"example": t.twofold[0]}))
	}
}

// bySeries finds the only order in which the days follow each other.
func (d *decider) bySeries(t *tally) {
	if o, only := d.only(t, func(o Order) bool { return t.series[o].regular() }); only {
		d.open[t.form] = []Order{o}
		d.tell(intray.NewMessage("date.regular_series", intray.Params{"order": orderClauses[o], "step": t.series[o].message()}))
		return
	}
	o, only := d.only(t, func(o Order) bool { return t.series[o].ordered() })
	if only && !t.sortedAsText(o) {
		d.open[t.form] = []Order{o}
		d.tell(intray.NewMessage("date.sorted_series", intray.Params{"order": orderClauses[o], "n": t.series[o].changes}))
	}
}

// sortedAsText says whether the order of the cells may come from sorting their
// text: then it tells nothing of the days. Text puts the first number before
// the year.
func (t *tally) sortedAsText(o Order) bool {
	return o == YMD || o == MDY && (t.minYear == t.maxYear || t.series[o].yearChanges == 0)
}

// only finds the only open order for which is holds.
func (d *decider) only(t *tally, is func(Order) bool) (found Order, only bool) {
	for _, o := range d.open[t.form] {
		if is(o) {
			if found != Undecided {
				return found, false
			}
			found = o
		}
	}
	return found, found != Undecided
}

func (d *decider) isOpen(f Form, o Order) bool {
	for _, open := range d.open[f] {
		if open == o {
			return true
		}
	}
	return false
}

func (d *decider) otherForms(t *tally) Order {
	found := Undecided
	for f, by := range d.byCells {
		if o := d.Style.Orders[f]; by && d.isOpen(t.form, o) && Form(f) < YearFirst {
			if found != Undecided && found != o {
				return Undecided
			}
			found = o
		}
	}
	if found != Undecided {
		d.tell(intray.NewMessage("date.like_other_cells", intray.Params{"example": t.twofold[0], "order": orderClauses[found]}))
	}
	return found
}

func (d *decider) neighbours(t *tally) Order {
	found, headers := Undecided, []intray.Message(nil)
	for _, n := range d.hints.Neighbours {
		o := n.Style.Orders[t.form]
		if !d.isOpen(t.form, o) {
			continue
		}
		if found != Undecided && found != o {
			return Undecided
		}
		found = o
		headers = append(headers, intray.NewMessage("text.quoted", intray.Params{"text": n.Header}))
	}
	if found != Undecided {
		d.tell(intray.NewMessage("date.like_other_columns", intray.Params{"columns": headers, "order": orderClauses[found]}))
	}
	return found
}

// ownLocale is for days with a named month: for the others the locale counts
// before.
func (d *decider) ownLocale(t *tally) Order {
	own := d.hints.named(t.form, d.column.want)
	if !d.isOpen(t.form, own.order) {
		return Undecided
	}
	d.tell(own.decides())
	return own.order
}

// Own is the style that the field's own format and locale give where nobody has
// looked at the cells of a column.
func (h Hints) Own(want Want) Style {
	s := Style{Pivot: h.Pivot, Autofix: h.Autofix}
	if l, ok := FindLocale(h.Locale); ok {
		s.Languages = 1 << l.language
	}
	for f := range s.Orders {
		s.Orders[f] = h.named(Form(f), want).order
	}
	return s
}

// ownOrder is an order that the field itself names, by its format or else its
// locale.
type ownOrder struct {
	order          Order
	format, locale string
	// literal says that the field's format has the form's year of two digits.
	literal bool
}

// named gives the order that the field names for a form: that of its format, or
// else that of its locale. A format whose year has four digits and stands first
// says nothing of the forms with two.
func (h Hints) named(f Form, want Want) ownOrder {
	if f == YearFirst {
		return ownOrder{} // ISO dates are what they are
	}
	if layout, err := CompileLayout(h.Format, h.Locale, want, false); err == nil {
		o, literal := layout.Order(), layout.shortYear()
		if f.takes(o) && (o != YMD || literal) {
			return ownOrder{order: o, format: h.Format, literal: literal}
		}
	}
	if l, ok := FindLocale(h.Locale); ok && f.takes(l.Order()) {
		return ownOrder{order: l.Order(), locale: l.Code}
	}
	return ownOrder{}
}

// decides says that the order is that of the field.
func (o ownOrder) decides() intray.Message {
	if o.format != "" {
		return intray.NewMessage("date.format_decides", intray.Params{"format": o.format, "order": orderClauses[o.order]})
	}
	return intray.NewMessage("date.locale_decides", intray.Params{"locale": o.locale, "order": orderClauses[o.order]})
}

// contradicted asks which holds, the order or what speaks against it.
func (o ownOrder) contradicted(reason intray.Message) intray.Message {
	if o.format != "" {
		return intray.NewMessage("date.format_contradicted", intray.Params{"format": o.format, "order": orderClauses[o.order], "reason": reason})
	}
	return intray.NewMessage("date.locale_contradicted", intray.Params{"locale": o.locale, "order": orderClauses[o.order], "reason": reason})
}

// takes says whether a form can have the order.
func (f Form) takes(o Order) bool {
	for _, one := range f.orders() {
		if one == o {
			return true
		}
	}
	return false
}

// byOwn keeps the order that the field names, unless more cells contradict it
// than speak for it: that is a question. A single cell never is: it is the
// exception, and told where it is read.
func (d *decider) byOwn(t *tally) {
	own := d.hints.named(t.form, d.column.want)
	if own.order == Undecided || t.form == Named {
		return
	}
	against, reason := t.against(own.order)
	if reason.IsZero() && t.form.short() && !own.literal && d.yearElsewhere(t, own.order) {
		against, reason = t.form.orders(), intray.NewMessage("date.numbers_show_order", intray.Params{"order": orderClauses[d.open[t.form][0]]})
	}
	d.open[t.form] = []Order{own.order}
	if !reason.IsZero() && t.several > 0 {
		d.open[t.form] = against
		d.contradict(t, own, reason)
		return
	}
	d.Style.Orders[t.form] = own.order
	d.tellOwn(t, own)
}

// against gives the orders of the cells that contradict the named one, with it,
// and what they say; nothing where they are not most of those that tell.
func (t *tally) against(named Order) (orders []Order, reason intray.Message) {
	for _, o := range t.form.orders() {
		lost := t.over[o][named] + t.weekday[o][named]
		if o != named && (lost < 2 || lost <= t.over[named][o]+t.weekday[named][o]) {
			continue
		}
		orders = append(orders, o)
		if o == named || !reason.IsZero() {
			continue
		}
		if example := t.unlike[o][named]; example != "" {
			reason = intray.NewMessage("date.cells_fit_order_example", intray.Params{"n": lost, "order": orderClauses[o], "example": example})
		} else {
			reason = intray.NewMessage("date.cells_fit_order", intray.Params{"n": lost, "order": orderClauses[o]})
		}
	}
	return orders, reason
}

// yearElsewhere says whether the years of two digits certainly stand in another
// place than the order has them. It leaves the orders that are left open.
func (d *decider) yearElsewhere(t *tally, named Order) bool {
	told := len(d.Evidence)
	d.byYears(t)
	d.Evidence = d.Evidence[:told]
	return !d.isOpen(t.form, named)
}

// tellOwn tells why the named order holds, and which cells do not fit it.
func (d *decider) tellOwn(t *tally, own ownOrder) {
	d.byCells[t.form] = true
	told := len(d.Evidence)
	if !t.form.short() {
		d.tellNumbers(t)
	}
	if t.several > 0 && len(d.Evidence) == told {
		d.tell(own.decides())
	}
	d.tellMixed(t)
}

// contradict asks where the cells contradict what the field says.
func (d *decider) contradict(t *tally, own ownOrder, reason intray.Message) {
	d.ask(t)
	for i := range d.Ties {
		if d.Ties[i].Form == t.form {
			d.Ties[i].Text = own.contradicted(reason)
		}
	}
}
