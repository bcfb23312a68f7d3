package date

import (
	"fmt"
	"slices"

	"github.com/intraydata/intray"
)

// orderClauses say an order inside of a sentence, orderLabels as an answer.
var orderClauses = [...]intray.Message{
	DMY: intray.NewMessage("date.day_before_month", nil), MDY: intray.NewMessage("date.month_before_day", nil),
	YMD: intray.NewMessage("date.year_then_month", nil), YDM: intray.NewMessage("date.year_then_day", nil),
}

var orderLabels = [...]intray.Message{
	DMY: intray.NewMessage("date.order_dmy", nil), MDY: intray.NewMessage("date.order_mdy", nil),
	YMD: intray.NewMessage("date.order_ymd", nil), YDM: intray.NewMessage("date.order_ydm", nil),
}

func (d *decider) tell(reason intray.Message) { d.Evidence = append(d.Evidence, reason) }

// tellNumbers tells which cells fit the order of the form and not another one.
// That years that stand first are followed by the month goes without saying.
func (d *decider) tellNumbers(t *tally) {
	winner := d.Style.Orders[t.form]
	if t.form == YearFirst && winner == YMD {
		return
	}
	for _, loser := range t.form.orders() {
		if loser != winner && t.over[winner][loser] > 0 {
			d.tell(numbersMessage(t, winner, loser))
			return
		}
	}
}

// numbersMessage says which numbers cannot be a month.
func numbersMessage(t *tally, winner, loser Order) intray.Message {
	params := intray.Params{
		"count": t.over[winner][loser], "n": t.cells, "example": t.unlike[winner][loser],
		"against": t.over[loser][winner], "order": orderClauses[winner],
	}
	if t.over[loser][winner] == 0 {
		params["against"] = intray.NewMessage("count.none", nil)
	}
	not, month := places[loser][1], places[winner][1]
	switch {
	case not == month || t.form == Named:
		return intray.NewMessage("date.days_in_order", params)
	case not == 0:
		return intray.NewMessage("date.month_second_not_first", params)
	case month == 0:
		return intray.NewMessage("date.month_first_not_second", params)
	}
	return intray.NewMessage("date.month_third_not_second", params)
}

// yearsMessage says where the year of two digits is, and whether the numbers say
// so or only the habit.
func yearsMessage(t *tally, winner Order, repeated float64) intray.Message {
	first := places[winner][0] == 0
	if n := max(t.yearLast, t.yearFirst); n > 0 && min(t.yearLast, t.yearFirst) == 0 {
		if first {
			return intray.NewMessage("date.year_only_first", intray.Params{"n": n})
		}
		return intray.NewMessage("date.year_only_last", intray.Params{"n": n})
	}
	if abs(int(repeated)) < 4 {
		return intray.NewMessage("date.year_usually_last", nil)
	}
	params := intray.Params{
		"n":     t.cells,
		"first": intray.NewMessage("count.values", intray.Params{"n": different(&t.values[0])}),
		"last":  intray.NewMessage("count.values", intray.Params{"n": different(&t.values[1])}),
	}
	if first {
		return intray.NewMessage("date.year_first_by_values", params)
	}
	return intray.NewMessage("date.year_last_by_values", params)
}

func different(values *[100]uint32) (n int64) {
	for _, count := range values {
		if count > 0 {
			n++
		}
	}
	return n
}

// tellMixed tells of cells that contradict the order of their form.
func (d *decider) tellMixed(t *tally) {
	winner := d.Style.Orders[t.form]
	for _, o := range t.form.orders() {
		if n := t.over[o][winner]; o != winner && n > 0 && places[o][0] == places[winner][0] {
			params := intray.Params{"example": t.unlike[o][winner], "n": n}
			if d.Style.Autofix {
				d.tell(intray.NewMessage("date.other_order_read", params))
			} else {
				d.tell(intray.NewMessage("date.other_order_wrong", params))
			}
			return
		}
	}
}

func (d *decider) tellCentury() {
	if d.column.shortYears == 0 {
		return
	}
	pivot := int(d.Style.Pivot)
	if pivot == 0 {
		pivot = 50
	}
	if pivot == 100 {
		d.tell(intray.NewMessage("date.two_digit_years_2000", intray.Params{"n": d.column.shortYears}))
		return
	}
	last, first := fmt.Sprintf("%02d", pivot-1), fmt.Sprintf("%02d", pivot)
	d.tell(intray.NewMessage("date.two_digit_years", intray.Params{
		"n": d.column.shortYears, "last": last, "last_year": "20" + last, "first": first, "first_year": "19" + first,
	}))
}

func (d *decider) tellZones() {
	z := &d.column.zones
	if z.cells == 0 {
		return
	}
	var offsets []string
	for _, o := range z.offsets {
		offsets = append(offsets, string(appendOffset(nil, o)))
	}
	d.tell(intray.NewMessage("time.zones", intray.Params{"n": z.cells, "offsets": offsets}))
}

// appendOffset appends an offset in minutes: +01:00.
func appendOffset(dst []byte, minutes int16) []byte {
	sign, m := byte('+'), int(minutes)
	if m < 0 {
		sign, m = '-', -m
	}
	return append(dst, sign, '0'+byte(m/600), '0'+byte(m/60%10), ':', '0'+byte(m%60/10), '0'+byte(m%10))
}

// ask makes the question for the orders of a form that are left. Forms with the
// same answers share a question.
func (d *decider) ask(t *tally) {
	for i := range d.Ties {
		if d.Ties[i].asks(d.open[t.form]) {
			d.extend(&d.Ties[i], t)
			return
		}
	}
	tie := Tie{Form: t.form, Text: intray.NewMessage("date.question", intray.Params{"examples": t.twofold, "reason": d.undecidedBy(t)})}
	for _, o := range d.open[t.form] {
		tie.Choices = append(tie.Choices, Choice{Order: o, Label: orderLabels[o]})
	}
	d.extend(&tie, t)
	d.Ties = append(d.Ties, tie)
}

// asks says whether the answers of a tie are these orders.
func (t *Tie) asks(orders []Order) bool {
	return slices.EqualFunc(t.Choices, orders, func(c Choice, o Order) bool { return c.Order == o })
}

// holds says whether the answers of a tie are for a form.
func (t *Tie) holds(f Form) bool {
	return len(t.Choices) > 0 && t.Choices[0].forms>>f&1 == 1
}

// extend makes the answers of a tie hold for a form, too.
func (d *decider) extend(tie *Tie, t *tally) {
	for i := range tie.Choices {
		choice := &tie.Choices[i]
		choice.forms |= 1 << t.form
		style := choice.Apply(d.Style)
		for _, raw := range t.twofold {
			choice.Examples = append(choice.Examples, d.example(&style, raw))
		}
	}
}

// undecidedBy says why the cells do not settle the order.
func (d *decider) undecidedBy(t *tally) intray.Message {
	for i, a := range d.open[t.form] {
		for _, b := range d.open[t.form][i+1:] {
			if t.over[a][b] > 0 && t.over[b][a] > 0 {
				return intray.NewMessage("date.cells_contradict", intray.Params{
					"n":     t.cells,
					"first": t.over[a][b], "first_order": orderClauses[a], "first_example": t.unlike[a][b],
					"second": t.over[b][a], "second_order": orderClauses[b], "second_example": t.unlike[b][a],
				})
			}
		}
	}
	return intray.NewMessage("date.cells_undecided", intray.Params{"n": t.cells})
}

func (d *decider) example(style *Style, raw string) Example {
	r := style.Read([]byte(raw), WantDate)
	if r.Reason != Read {
		return Example{Raw: raw}
	}
	return Example{Raw: raw, Value: string(r.Date.Append(nil))}
}
