package date

import "fmt"

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

// ownOrder is an order that the field itself names.
type ownOrder struct {
	order Order
	code  EvidenceCode
	what  string
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
			return ownOrder{o, CodeFormat, fmt.Sprintf("The field's format %s", h.Format), literal}
		}
	}
	if l, ok := FindLocale(h.Locale); ok && f.takes(l.Order()) {
		return ownOrder{l.Order(), CodeLocale, fmt.Sprintf("The field's locale %s", l.Code), false}
	}
	return ownOrder{}
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
	if reason == "" && t.form.short() && !own.literal && d.yearElsewhere(t, own.order) {
		against, reason = t.form.orders(), fmt.Sprintf("the numbers say that %s", orderTexts[d.open[t.form][0]])
	}
	d.open[t.form] = []Order{own.order}
	if reason != "" && t.several > 0 {
		d.open[t.form] = against
		d.contradict(t, own, reason)
		return
	}
	d.Style.Orders[t.form] = own.order
	d.tellOwn(t, own)
}

// against gives the orders of the cells that contradict the named one, with it,
// and what they say; "" where they are not most of those that tell.
func (t *tally) against(named Order) (orders []Order, reason string) {
	for _, o := range t.form.orders() {
		lost := t.over[o][named] + t.weekday[o][named]
		if o != named && (lost < 2 || lost <= t.over[named][o]+t.weekday[named][o]) {
			continue
		}
		orders = append(orders, o)
		if o != named && reason == "" {
			reason = fmt.Sprintf("%s can only be read where %s", plural(lost, "cell"), orderTexts[o])
			if t.unlike[o][named] != "" {
				reason += ", such as " + t.unlike[o][named]
			}
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
		d.tell(own.code, "%s decides what the data leaves open: %s.", own.what, orderTexts[own.order])
	}
	d.tellMixed(t)
}

// contradict asks where the cells contradict what the field says.
func (d *decider) contradict(t *tally, own ownOrder, reason string) {
	d.ask(t)
	for i := range d.Ties {
		if d.Ties[i].Form == t.form {
			d.Ties[i].Text = fmt.Sprintf("%s says that %s, but %s. How is the column to be read?", own.what, orderTexts[own.order], reason)
		}
	}
}
