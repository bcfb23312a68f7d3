package date

// Own is the style that the field's own format and locale give where nobody has
// looked at the cells of a column.
func (h Hints) Own(want Want) Style {
	s := Style{Pivot: h.Pivot, Autofix: h.Autofix}
	var orders [2]Order
	if layout, err := CompileLayout(h.Format, h.Locale, want, false); err == nil {
		orders[0] = layout.Order()
	}
	if l, ok := FindLocale(h.Locale); ok {
		orders[1] = l.Order()
		s.Languages = 1 << l.language
	}
	for f := range s.Orders {
		if Form(f) == YearFirst {
			continue // ISO dates are what they are
		}
		for _, o := range orders {
			if s.Orders[f] == Undecided && o != Undecided && Form(f).takes(o) {
				s.Orders[f] = o
			}
		}
	}
	return s
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
