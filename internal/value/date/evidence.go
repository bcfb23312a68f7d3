package date

import (
	"fmt"
	"slices"
	"strings"
)

// orderTexts say an order inside of a sentence, orderLabels as an answer.
var orderTexts = [...]string{
	Undecided: "no order is known", DMY: "the day comes before the month", MDY: "the month comes before the day",
	YMD: "the year comes first, then the month", YDM: "the year comes first, then the day",
}

var orderLabels = [...]string{
	Undecided: "Undecided", DMY: "Day, month, year", MDY: "Month, day, year", YMD: "Year, month, day", YDM: "Year, day, month",
}

var yearPlaces = [...]string{DMY: "last", MDY: "last", YMD: "first", YDM: "first"}

func (d *decider) tell(code EvidenceCode, format string, args ...any) {
	d.Evidence = append(d.Evidence, Evidence{Code: code, Text: fmt.Sprintf(format, args...)})
}

func plural(n int64, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}

// tellNumbers tells which cells fit the order of the form and not another one.
// That years that stand first are followed by the month goes without saying.
func (d *decider) tellNumbers(t *tally) {
	winner := d.Style.Orders[t.form]
	if t.form == YearFirst && winner == YMD {
		return
	}
	for _, loser := range t.form.orders() {
		if loser != winner && t.over[winner][loser] > 0 {
			d.tell(CodeNumbers, "%s", numbersText(t, winner, loser))
			return
		}
	}
}

// numbersText tells which numbers cannot be a month.
func numbersText(t *tally, winner, loser Order) string {
	monthOf := [...]string{"first", "second", "third"}[places[loser][1]]
	ours := [...]string{"first", "second", "third"}[places[winner][1]]
	won, lost := t.over[winner][loser], t.over[loser][winner]
	if ours == monthOf || t.form == Named {
		return fmt.Sprintf("%d of %d cells, such as %s, are days only where %s, %s only otherwise.",
			won, t.cells, t.unlike[winner][loser], orderTexts[winner], none(lost))
	}
	return fmt.Sprintf("In %d of %d cells, such as %s, the %s number cannot be a month, in %s the %s: %s.",
		won, t.cells, t.unlike[winner][loser], monthOf, none(lost), ours, orderTexts[winner])
}

func none(n int64) string {
	if n == 0 {
		return "none"
	}
	return fmt.Sprint(n)
}

// yearsText tells where the year of two digits stands, and whether the numbers
// say so or only the habit.
func yearsText(t *tally, winner Order, repeated float64) string {
	if n := max(t.yearLast, t.yearFirst); n > 0 && min(t.yearLast, t.yearFirst) == 0 {
		return fmt.Sprintf("The year has two digits, and in %s it can only stand %s.", plural(n, "cell"), yearPlaces[winner])
	}
	if abs(int(repeated)) < 4 {
		return "The year has two digits, and nothing speaks against its usual place behind day and month."
	}
	first, last := different(&t.values[0]), different(&t.values[1])
	return fmt.Sprintf("The year has two digits. In %s the first number takes %s, the last %s: the year stands %s.",
		plural(t.cells, "cell"), plural(first, "value"), plural(last, "value"), yearPlaces[winner])
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
			treatment := "are wrong"
			if d.Style.Autofix {
				treatment = "are read by the only order that fits, and marked"
			}
			d.tell(CodeMixed, "Cells that fit another order only, such as %s: %d. They %s.", t.unlike[o][winner], n, treatment)
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
	text := fmt.Sprintf("In %s the year has two digits:", plural(d.column.shortYears, "cell"))
	if pivot > 0 {
		text += fmt.Sprintf(" 00 to %02d are read as 2000 to 20%02d", pivot-1, pivot-1)
	}
	if pivot < 100 {
		text += fmt.Sprintf(", %02d to 99 as 19%02d to 1999", pivot, pivot)
	}
	d.tell(CodeCentury, "%s.", text)
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
	d.tell(CodeZones, "In %s a time zone stands beside the time (%s). The time is kept as it is written, and the zone is left out.",
		plural(z.cells, "cell"), strings.Join(offsets, ", "))
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
	tie := Tie{Form: t.form, Text: fmt.Sprintf("Dates such as %s can be read in several ways, and %s.",
		strings.Join(t.twofold, " and "), d.undecidedBy(t))}
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
func (d *decider) undecidedBy(t *tally) string {
	for i, a := range d.open[t.form] {
		for _, b := range d.open[t.form][i+1:] {
			if t.over[a][b] > 0 && t.over[b][a] > 0 {
				return fmt.Sprintf("the column contradicts itself: of %s %d can only be read where %s, such as %s, and %d only where %s, such as %s",
					plural(t.cells, "cell"), t.over[a][b], orderTexts[a], t.unlike[a][b], t.over[b][a], orderTexts[b], t.unlike[b][a])
			}
		}
	}
	return fmt.Sprintf("nothing in the column tells which is right (%s)", plural(t.cells, "cell"))
}

func (d *decider) example(style *Style, raw string) Example {
	r := style.Read([]byte(raw), WantDate)
	if r.Reason != Read {
		return Example{Raw: raw}
	}
	return Example{Raw: raw, Value: string(r.Date.Append(nil))}
}
