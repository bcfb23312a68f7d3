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

func (d *decider) report(reason intray.Message) { d.Evidence = append(d.Evidence, reason) }

// reportNumbers tells which cells fit the order of the form and not another one.
// That years that stand first are followed by the month goes without saying.
func (d *decider) reportNumbers(t *patternStats) {
	winner := d.Style.Orders[t.pattern]
	if t.pattern == YearFirst && winner == YMD {
		return
	}
	for _, loser := range t.pattern.orders() {
		if loser != winner && t.wins[winner][loser] > 0 {
			d.report(numbersMessage(t, winner, loser))
			return
		}
	}
}

// numbersMessage says which numbers cannot be a month.
func numbersMessage(t *patternStats, winner, loser Order) intray.Message {
	params := intray.Params{
		"count": t.wins[winner][loser], "n": t.cells, "example": t.winExamples[winner][loser],
		"against": t.wins[loser][winner], "order": orderClauses[winner],
	}
	if t.wins[loser][winner] == 0 {
		params["against"] = intray.NewMessage("count.none", nil)
	}
	not, month := orderPositions[loser][1], orderPositions[winner][1]
	switch {
	case not == month || t.pattern == Named:
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
func yearsMessage(t *patternStats, winner Order, repeated float64) intray.Message {
	first := orderPositions[winner][0] == 0
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
		"first": intray.NewMessage("count.values", intray.Params{"n": distinctValues(&t.valueCounts[0])}),
		"last":  intray.NewMessage("count.values", intray.Params{"n": distinctValues(&t.valueCounts[1])}),
	}
	if first {
		return intray.NewMessage("date.year_first_by_values", params)
	}
	return intray.NewMessage("date.year_last_by_values", params)
}

func distinctValues(values *[100]uint32) (n int64) {
	for _, count := range values {
		if count > 0 {
			n++
		}
	}
	return n
}

// reportMixed tells of cells that contradict the order of their form.
func (d *decider) reportMixed(t *patternStats) {
	winner := d.Style.Orders[t.pattern]
	for _, o := range t.pattern.orders() {
		if n := t.wins[o][winner]; o != winner && n > 0 && orderPositions[o][0] == orderPositions[winner][0] {
			params := intray.Params{"example": t.winExamples[o][winner], "n": n}
			if d.Style.Autofix {
				d.report(intray.NewMessage("date.other_order_read", params))
			} else {
				d.report(intray.NewMessage("date.other_order_wrong", params))
			}
			return
		}
	}
}

func (d *decider) reportCentury() {
	if d.sniffer.shortYears == 0 {
		return
	}
	pivot := int(d.Style.Pivot)
	if pivot == 0 {
		pivot = 50
	}
	if pivot == 100 {
		d.report(intray.NewMessage("date.two_digit_years_2000", intray.Params{"n": d.sniffer.shortYears}))
		return
	}
	last, first := fmt.Sprintf("%02d", pivot-1), fmt.Sprintf("%02d", pivot)
	d.report(intray.NewMessage("date.two_digit_years", intray.Params{
		"n": d.sniffer.shortYears, "last": last, "last_year": "20" + last, "first": first, "first_year": "19" + first,
	}))
}

func (d *decider) reportZones() {
	z := &d.sniffer.zones
	if z.cells == 0 {
		return
	}
	var offsets []string
	for _, o := range z.offsets {
		offsets = append(offsets, string(appendOffset(nil, o)))
	}
	d.report(intray.NewMessage("time.zones", intray.Params{"n": z.cells, "offsets": offsets}))
}

// appendOffset appends an offset in minutes: +01:00.
func appendOffset(dst []byte, minutes int16) []byte {
	sign, m := byte('+'), int(minutes)
	if m < 0 {
		sign, m = '-', -m
	}
	return append(dst, sign, '0'+byte(m/600), '0'+byte(m/60%10), ':', '0'+byte(m%60/10), '0'+byte(m%10))
}

// askOrder makes the question for the orders of a form that are left. Forms with the
// same answers share a question.
func (d *decider) askOrder(t *patternStats) {
	for i := range d.Ambiguities {
		if d.Ambiguities[i].offers(d.openOrders[t.pattern]) {
			d.addPattern(&d.Ambiguities[i], t)
			return
		}
	}
	tie := Ambiguity{Pattern: t.pattern, Text: intray.NewMessage("date.question", intray.Params{"examples": t.ambiguousExamples, "reason": d.undecidedBy(t)})}
	for _, o := range d.openOrders[t.pattern] {
		tie.Choices = append(tie.Choices, Choice{Order: o, Label: orderLabels[o]})
	}
	d.addPattern(&tie, t)
	d.Ambiguities = append(d.Ambiguities, tie)
}

// offers says whether the answers of a tie are these orders.
func (t *Ambiguity) offers(orders []Order) bool {
	return slices.EqualFunc(t.Choices, orders, func(c Choice, o Order) bool { return c.Order == o })
}

// covers says whether the answers of a tie are for a form.
func (t *Ambiguity) covers(f Pattern) bool {
	return len(t.Choices) > 0 && t.Choices[0].patterns>>f&1 == 1
}

// addPattern makes the answers of a tie hold for a form, too.
func (d *decider) addPattern(tie *Ambiguity, t *patternStats) {
	for i := range tie.Choices {
		choice := &tie.Choices[i]
		choice.patterns |= 1 << t.pattern
		style := choice.Apply(d.Style)
		for _, raw := range t.ambiguousExamples {
			choice.Readings = append(choice.Readings, d.reading(&style, raw))
		}
	}
}

// undecidedBy says why the cells do not settle the order.
func (d *decider) undecidedBy(t *patternStats) intray.Message {
	for i, a := range d.openOrders[t.pattern] {
		for _, b := range d.openOrders[t.pattern][i+1:] {
			if t.wins[a][b] > 0 && t.wins[b][a] > 0 {
				return intray.NewMessage("date.cells_contradict", intray.Params{
					"n":     t.cells,
					"first": t.wins[a][b], "first_order": orderClauses[a], "first_example": t.winExamples[a][b],
					"second": t.wins[b][a], "second_order": orderClauses[b], "second_example": t.winExamples[b][a],
				})
			}
		}
	}
	return intray.NewMessage("date.cells_undecided", intray.Params{"n": t.cells})
}

func (d *decider) reading(style *Style, raw string) intray.Reading {
	r := style.Read([]byte(raw), WantDate)
	if r.Reason != Read {
		return intray.Reading{Raw: raw}
	}
	return intray.Reading{Raw: raw, Value: string(r.Date.Append(nil))}
}
