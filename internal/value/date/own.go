package date

import "github.com/intraydata/intray"

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
