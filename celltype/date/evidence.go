package date

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/intraydata/intray"
)

// orderClauses are the names of the orders for use within a sentence. orderLabels are the names
// for use as answers.
var orderClauses = [...]intray.Message{
	DMY: intray.NewMessage("date.day_before_month", nil), MDY: intray.NewMessage("date.month_before_day", nil),
	YMD: intray.NewMessage("date.year_then_month", nil), YDM: intray.NewMessage("date.year_then_day", nil),
}

var orderLabels = [...]intray.Message{
	DMY: intray.NewMessage("date.order_dmy", nil), MDY: intray.NewMessage("date.order_mdy", nil),
	YMD: intray.NewMessage("date.order_ymd", nil), YDM: intray.NewMessage("date.order_ydm", nil),
}

func (d *decider) report(reason intray.Message) { d.Evidence = append(d.Evidence, reason) }

// reportNumbers reports the cells that fit the decided order of the pattern but not another
// order. It reports nothing if dates that start with the year are in the order YMD, as expected.
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

// numbersMessage returns a message about the cells that fit the order winner but not the order
// loser.
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

// yearsMessage returns a message about the position of the two-digit year. The message
// distinguishes a position that the numbers show from one that is only usual.
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
	distinct := func(values *[100]uint32) (n int64) {
		for _, count := range values {
			n += int64(min(count, 1))
		}
		return n
	}
	params := intray.Params{
		"n":     t.cells,
		"first": intray.NewMessage("count.values", intray.Params{"n": distinct(&t.valueCounts[0])}),
		"last":  intray.NewMessage("count.values", intray.Params{"n": distinct(&t.valueCounts[1])}),
	}
	if first {
		return intray.NewMessage("date.year_first_by_values", params)
	}
	return intray.NewMessage("date.year_last_by_values", params)
}

// reportMixed reports the cells that contradict the order of their pattern.
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
	pivot := int(cmp.Or(d.Style.Pivot, defaultPivot))
	if pivot == 100 {
		d.report(intray.NewMessage("date.two_digit_years_2000", intray.Params{"n": d.sniffer.shortYears}))
		return
	}
	last, first := fmt.Sprintf("%02d", pivot-1), fmt.Sprintf("%02d", pivot)
	if d.Style.Pivot != 0 {
		d.report(intray.NewMessage("date.not_in_future", nil))
	}
	d.report(intray.NewMessage("date.two_digit_years", intray.Params{
		"n": d.sniffer.shortYears, "last": last, "last_year": "20" + last, "first": first, "first_year": "19" + first,
	}))
}

// decideOffset sets the UTC offset of a column in which cells have offsets: the only one, or that of
// UTC if the offsets differ.
func (d *decider) decideOffset() {
	z := &d.sniffer.zones
	if z.cells == 0 {
		return
	}
	offsets := make([]string, 0, len(z.offsets))
	for _, o := range z.offsets {
		offsets = append(offsets, string(appendOffset(nil, o)))
	}
	d.Style.HasOffset = true
	params := intray.Params{"n": z.cells, "offsets": offsets}
	if len(z.offsets) == 1 {
		d.Style.Offset = z.offsets[0]
	} else if d.sniffer.want == WantDateTime {
		d.report(intray.NewMessage("time.zones_differ", params))
		return
	}
	d.report(intray.NewMessage("time.zones", params))
}

// appendOffset appends an offset, given in minutes, in the format +01:00.
func appendOffset(dst []byte, minutes int16) []byte {
	sign, m := byte('+'), int(minutes)
	if m < 0 {
		sign, m = '-', -m
	}
	return append(dst, sign, '0'+byte(m/600), '0'+byte(m/60%10), ':', '0'+byte(m%60/10), '0'+byte(m%10))
}

// askOrder asks for the order of a pattern. The choices are its open orders.
// Patterns with the same choices share one question.
func (d *decider) askOrder(t *patternStats) {
	open := d.openOrders[t.pattern]
	at := slices.IndexFunc(d.Ambiguities, func(a Ambiguity) bool {
		return slices.EqualFunc(a.Choices, open, func(c Choice, o Order) bool { return c.Order == o })
	})
	if at < 0 {
		at = len(d.Ambiguities)
		question := Ambiguity{Pattern: t.pattern, Text: intray.NewMessage("date.question", intray.Params{"examples": t.ambiguousExamples, "reason": d.undecidedBy(t)})}
		for _, o := range open {
			question.Choices = append(question.Choices, Choice{Order: o, Label: orderLabels[o]})
		}
		d.Ambiguities = append(d.Ambiguities, question)
	}
	for i := range d.Ambiguities[at].Choices {
		choice := &d.Ambiguities[at].Choices[i]
		choice.patterns |= 1 << t.pattern
		style := choice.Apply(d.Style)
		for _, raw := range t.ambiguousExamples {
			choice.Readings = append(choice.Readings, reading(&style, raw))
		}
	}
}

// undecidedBy explains why the cells do not decide the order.
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

func reading(style *Style, raw string) intray.Reading {
	r := style.Read([]byte(raw), WantDate)
	if r.Reason != Read {
		return intray.Reading{Raw: raw}
	}
	return intray.Reading{Raw: raw, Value: string(r.Date.Append(nil))}
}
