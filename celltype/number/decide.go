package number

import (
	"slices"

	"github.com/intraydata/intray"
)

// Hints are what is known about a column in addition to its cells. They decide
// only what the cells leave open.
type Hints struct {
	// Explicit reports whether the schema sets a display format for the field,
	// or a currency that is written with a decimal point.
	Explicit bool
	// Neighbors are other columns of the same table in which the cells decided the style.
	Neighbors []Neighbor
}

// Neighbor is another column of the same table.
type Neighbor struct {
	Header string
	Style  Style
}

// Decision is the style of a column, with the reasons for it.
type Decision struct {
	// Style reads the column. Its Decimal is Undecided while the question is open.
	Style Style
	// Evidence explains the style and reports what else the cells contain.
	Evidence []intray.Message
	// Ambiguity is the question that the cells do not answer. It has no choices if there is no
	// such question.
	Ambiguity Ambiguity
	// Cells is the number of nonblank cells. Unread is the number of those that
	// are not numbers in any style, Dashes the number that contain only a dash,
	// and Percent the number that have a percent or per mille sign.
	Cells, Unread, Dashes, Percent int64
	// Currencies are the currencies in the cells, the most frequent first.
	Currencies []CurrencyCount
}

// CurrencyCount is a currency and the number of cells that have it.
type CurrencyCount struct {
	Currency Currency
	Cells    int64
}

// Ambiguity is a question for the user.
type Ambiguity struct {
	Text    intray.Message
	Choices []Choice
}

// Choice is one possible answer: a style, its label, and the values of some cells in that style.
type Choice struct {
	Style    Style
	Label    intray.Message
	Readings []intray.Reading
}

// These are the thresholds for decisive evidence.
const (
	// minWinRatio is the minimum number of cells that support a reading per cell that
	// contradicts it. It applies if other cells depend on the decision.
	minWinRatio = 4
	// maxOpenPerDecisive is the maximum number of ambiguous cells that one decisive cell decides.
	maxOpenPerDecisive = 200
	// minRegularCells is the minimum number of cells that establish how a column formats its
	// numbers. For money, one is sufficient.
	minRegularCells = 3
)

// decider holds the state of one decision.
type decider struct {
	Decision
	sniffer *Sniffer
	hints   Hints
	// currencyConflict explains why the currencies do not decide the decimal sign.
	currencyConflict intray.Message
}

// Decide decides on the style of the column. It may be called again, with
// different hints or after more cells.
func (s *Sniffer) Decide(hints Hints) Decision {
	d := decider{sniffer: s, hints: hints}
	d.Cells, d.Unread, d.Dashes, d.Percent = s.cells, s.unread, s.dashes, s.percent+s.perMille
	decimal, weak := d.decideByCells()
	if decimal == Undecided && s.openCells() > 0 {
		if decimal = d.decideByHabit(weak); decimal == Undecided {
			decimal = d.decideByOthers()
		}
		if decimal == Undecided {
			d.askDecimal(weak)
		}
	}
	d.Style.Decimal = decimal
	d.decideGroup()
	d.reportMixed()
	d.reportAffixes()
	return d.Decision
}

func (s *Sniffer) openCells() int64 { return s.open[0].cells + s.open[1].cells }

// decisiveCells returns the number of cells that fit only this decimal sign.
func (s *Sniffer) decisiveCells(decimal Sign) (n int64) {
	for _, t := range s.decisive[signIndex(decimal)] {
		n += t.cells
	}
	return n
}

// decideByCells decides by the cells that fit only one decimal sign. It reports
// weak if there are some, but not enough.
func (d *decider) decideByCells() (decimal Sign, weak bool) {
	decimal = Point
	won, lost := d.sniffer.decisiveCells(Point), d.sniffer.decisiveCells(Comma)
	if lost > won {
		decimal, won, lost = Comma, lost, won
	}
	open := d.sniffer.openCells()
	switch {
	case won == 0:
		return Undecided, false
	case won == lost || open > 0 && (won < minWinRatio*lost || won*maxOpenPerDecisive < open):
		return Undecided, true
	case open > 0 && d.hasOtherCurrencies(decimal):
		return Undecided, true
	}
	d.reportSigns(decimal)
	return decimal, false
}

// decideByHabit decides by the format of the unambiguous numbers in the column.
func (d *decider) decideByHabit(weak bool) Sign {
	s := d.sniffer
	// Money seldom has three decimal places, so fewer cells are sufficient.
	minCells, money := int64(minRegularCells), int64(0)
	for _, n := range s.currencies {
		money += int64(n)
	}
	for i, sign := range [...]Sign{Point, Comma} {
		t := &s.open[i]
		if weak || t.cells == 0 || s.open[1-i].cells > 0 {
			continue
		}
		if money >= t.cells {
			minCells = 1
		}
		spaces, apostrophes := &s.groups[2], &s.groups[3]
		if n := spaces.cells + apostrophes.cells; n*maxOpenPerDecisive >= t.cells {
			other, group := spaces, Space
			if other.cells == 0 {
				other, group = apostrophes, Apostrophe
			}
			d.report(intray.NewMessage("number.decimal_sign_by_thousands", intray.Params{
				"n": n, "examples": other.exampleList(), "separators": signs[group].many, "sign": signs[sign].one, "decided": t.exampleList(),
			}))
			return sign
		}
		if s.large == 0 && min(s.small, s.openZeros[i]) >= minCells {
			d.report(intray.NewMessage("number.thousands_by_zeros", intray.Params{
				"n": t.cells, "examples": t.exampleList(), "sign": signs[sign].one, "zeros": s.openZeros[i],
				"small": intray.NewMessage("count.whole_numbers", intray.Params{"n": s.small}),
			}))
			return sign.opposite()
		}
	}
	return Undecided
}

// decideByOthers decides by evidence other than the cells.
func (d *decider) decideByOthers() Sign {
	found, header := Undecided, ""
	for _, n := range d.hints.Neighbors {
		if n.Style.Decimal == Undecided {
			continue
		}
		if found != Undecided && found != n.Style.Decimal {
			found = Undecided
			break
		}
		found, header = n.Style.Decimal, n.Header
	}
	switch {
	case found != Undecided:
		d.report(intray.NewMessage("number.like_other_column", intray.Params{"column": header, "sign": signs[found].one}))
	case d.hints.Explicit:
		found = Point
		d.report(intray.NewMessage("number.format_decides", nil))
	}
	return found
}

// decideGroup decides on the thousands separator.
func (d *decider) decideGroup() {
	var most int64
	for i, sign := range groupSigns {
		n := d.sniffer.groups[i].cells
		if i < 2 && d.Style.Decimal != Undecided {
			n += d.sniffer.open[i].cells
		}
		if sign != d.Style.Decimal && n > most {
			d.Style.Group, most = sign, n
		}
	}
	if d.Style.Decimal == Undecided && (d.Style.Group == Point || d.Style.Group == Comma) {
		d.Style.Group = Undecided // otherwise, it would decide the decimal sign
	}
	if most > 0 && d.Style.Group != Undecided {
		d.report(intray.NewMessage("number.thousands", intray.Params{"n": most, "separators": signs[d.Style.Group].many}))
	}
}

func (d *decider) report(reason intray.Message) { d.Evidence = append(d.Evidence, reason) }

// signs maps each sign to its name in the singular and plural.
var signs = map[Sign]struct{ one, many intray.Message }{
	Point:      {intray.NewMessage("number.point", nil), intray.NewMessage("number.points", nil)},
	Comma:      {intray.NewMessage("number.comma", nil), intray.NewMessage("number.commas", nil)},
	Space:      {many: intray.NewMessage("number.spaces", nil)},
	Apostrophe: {many: intray.NewMessage("number.apostrophes", nil)},
}

// whyCodes are the message codes of the reasons for a decimal sign.
var whyCodes = [reasonCount]string{
	reasonLength: "number.sign_without_three_digits",
	reasonBoth:   "number.sign_after_other_sign",
	reasonRepeat: "number.other_sign_repeated",
	reasonWhole:  "number.sign_not_at_thousands",
	reasonSpaces: "number.sign_after_other_thousands",
}

// reportSigns reports the cells that decided the decimal sign.
func (d *decider) reportSigns(decimal Sign) {
	sign, other := signs[decimal].one, signs[decimal.opposite()].one
	for why := range reasonCount {
		t := &d.sniffer.decisive[signIndex(decimal)][why]
		if t.cells == 0 {
			continue
		}
		d.report(intray.NewMessage(whyCodes[why], intray.Params{
			"count": t.cells, "n": d.Cells, "examples": t.exampleList(), "sign": sign, "other": other,
		}))
	}
	if n := d.sniffer.decisiveCells(decimal.opposite()); n > 0 {
		d.report(intray.NewMessage("number.decimal_sign_contradicted", intray.Params{"sign": sign, "other": other, "n": n}))
	} else {
		d.report(intray.NewMessage("number.decimal_sign", intray.Params{"sign": sign, "other": other}))
	}
}

// reportMixed reports the cells that contradict the style.
func (d *decider) reportMixed() {
	if d.Style.Decimal == Undecided {
		return
	}
	other := d.Style.Decimal.opposite()
	for _, t := range d.sniffer.decisive[signIndex(other)] {
		if t.cells > 0 {
			d.report(intray.NewMessage("number.other_style_read", intray.Params{
				"sign": signs[other].one, "examples": t.exampleList(), "n": d.sniffer.decisiveCells(other),
			}))
			return
		}
	}
}

// reportAffixes reports the marks before and after the digits.
func (d *decider) reportAffixes() {
	s := d.sniffer
	cells := intray.NewMessage("count.cells", intray.Params{"n": d.Cells})
	if n := s.percent + s.perMille; n > 0 {
		if plain := d.Cells - d.Unread - d.Dashes - n; plain > 0 {
			d.report(intray.NewMessage("percent.some", intray.Params{"n": n, "cells": cells, "others": plain}))
		} else {
			d.report(intray.NewMessage("percent.all", intray.Params{"n": n, "cells": cells}))
		}
	}
	if n := s.parentheses + s.trailingMinus; n > 0 {
		d.report(intray.NewMessage("number.negative", intray.Params{"n": n, "cells": cells}))
	}
	if s.dashes > 0 {
		d.report(intray.NewMessage("number.dashes", intray.Params{"n": s.dashes, "cells": cells}))
	}
	for i, n := range d.sniffer.currencies {
		if n > 0 {
			d.Currencies = append(d.Currencies, CurrencyCount{Currency(i), int64(n)})
		}
	}
	if len(d.Currencies) == 0 {
		return
	}
	slices.SortStableFunc(d.Currencies, func(a, b CurrencyCount) int { return int(b.Cells - a.Cells) })
	shown := d.Currencies[:min(len(d.Currencies), 8)]
	counts := make([]intray.Message, 0, len(shown))
	for _, c := range shown {
		counts = append(counts, intray.NewMessage("number.currency_count", intray.Params{"currency": c.Currency.String(), "n": c.Cells}))
	}
	d.report(intray.NewMessage("number.currencies", intray.Params{"currencies": counts}))
}

// askDecimal asks for the decimal sign. The point is the first choice, because
// it is more common in files.
func (d *decider) askDecimal(weak bool) {
	examples := slices.Concat(d.sniffer.open[0].exampleList(), d.sniffer.open[1].exampleList())
	examples = examples[:min(len(examples), 4)]
	d.Ambiguity.Text = intray.NewMessage("number.question", intray.Params{"examples": examples, "reason": d.undecidedBy(weak)})
	for _, decimal := range [...]Sign{Point, Comma} {
		choice := Choice{Style: Style{Decimal: decimal, Group: decimal.opposite()}, Label: decimalLabels[signIndex(decimal)]}
		for _, raw := range examples {
			value, _ := choice.Style.Append(nil, []byte(raw))
			choice.Readings = append(choice.Readings, intray.Reading{Raw: raw, Value: string(value)})
		}
		d.Ambiguity.Choices = append(d.Ambiguity.Choices, choice)
	}
}

// decimalLabels are the labels of the answers, indexed by decimal sign.
var decimalLabels = [...]intray.Message{intray.NewMessage("number.decimal_point", nil), intray.NewMessage("number.decimal_comma", nil)}

// undecidedBy explains why the cells do not decide the decimal sign.
func (d *decider) undecidedBy(weak bool) intray.Message {
	point, comma := d.sniffer.decisiveCells(Point), d.sniffer.decisiveCells(Comma)
	switch {
	case !d.currencyConflict.IsZero():
		return d.currencyConflict
	case !weak:
		return intray.NewMessage("number.cells_undecided", intray.Params{"n": d.sniffer.openCells()})
	case point > 0 && comma > 0:
		return intray.NewMessage("number.cells_contradict", intray.Params{"n": point, "commas": comma})
	}
	return intray.NewMessage("number.few_cells_decide", intray.Params{"count": point + comma, "n": d.Cells})
}
