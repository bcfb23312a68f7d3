package number

import (
	"slices"

	"github.com/intraydata/intray"
)

func (d *decider) tell(reason intray.Message) { d.Evidence = append(d.Evidence, reason) }

// signs name each sign, one of it and several.
var signs = map[Sign]struct{ one, many intray.Message }{
	Point:      {intray.NewMessage("number.point", nil), intray.NewMessage("number.points", nil)},
	Comma:      {intray.NewMessage("number.comma", nil), intray.NewMessage("number.commas", nil)},
	Space:      {many: intray.NewMessage("number.spaces", nil)},
	Apostrophe: {many: intray.NewMessage("number.apostrophes", nil)},
}

// whyCodes are the codes of what a cell shows.
var whyCodes = [reasons]string{
	byLength: "number.sign_without_three_digits",
	byBoth:   "number.sign_after_other_sign",
	byRepeat: "number.other_sign_repeated",
	byWhole:  "number.sign_not_at_thousands",
	bySpaces: "number.sign_after_other_thousands",
}

// tellSigns tells which cells decide the decimal sign.
func (d *decider) tellSigns(decimal Sign) {
	sign, other := signs[decimal].one, signs[decimal.opposite()].one
	for why := range reasons {
		t := &d.survey.tells[index(decimal)][why]
		if t.cells == 0 {
			continue
		}
		d.tell(intray.NewMessage(whyCodes[why], intray.Params{
			"count": t.cells, "n": d.Cells, "examples": t.some(), "sign": sign, "other": other,
		}))
	}
	if n := d.survey.certain(decimal.opposite()); n > 0 {
		d.tell(intray.NewMessage("number.decimal_sign_contradicted", intray.Params{"sign": sign, "other": other, "n": n}))
	} else {
		d.tell(intray.NewMessage("number.decimal_sign", intray.Params{"sign": sign, "other": other}))
	}
}

func (d *decider) tellOtherGroups(decimal Sign, open *tally) {
	t, group := &d.survey.groups[2], Space
	if t.cells == 0 {
		t, group = &d.survey.groups[3], Apostrophe
	}
	d.tell(intray.NewMessage("number.decimal_sign_by_thousands", intray.Params{
		"n": d.otherGroups(), "examples": t.some(), "separators": signs[group].many, "sign": signs[decimal].one, "decided": open.some(),
	}))
}

func (d *decider) tellSmall(sign Sign, open *tally, zeros int64) {
	d.tell(intray.NewMessage("number.thousands_by_zeros", intray.Params{
		"n": open.cells, "examples": open.some(), "sign": signs[sign].one, "zeros": zeros,
		"small": intray.NewMessage("count.whole_numbers", intray.Params{"n": d.survey.small}),
	}))
}

func (d *decider) tellGroup(cells int64) {
	d.tell(intray.NewMessage("number.thousands", intray.Params{"n": cells, "separators": signs[d.Style.Group].many}))
}

// tellMixed tells of cells that contradict the style.
func (d *decider) tellMixed() {
	if d.Style.Decimal == Undecided {
		return
	}
	other := d.Style.Decimal.opposite()
	for _, t := range d.survey.tells[index(other)] {
		if t.cells > 0 {
			d.tell(intray.NewMessage("number.other_style_read", intray.Params{
				"sign": signs[other].one, "examples": t.some(), "n": d.survey.certain(other),
			}))
			return
		}
	}
}

// tellAround tells what stands beside the digits.
func (d *decider) tellAround() {
	s := d.survey
	cells := intray.NewMessage("count.cells", intray.Params{"n": d.Cells})
	if n := s.percent + s.perMille; n > 0 {
		if plain := d.Cells - d.Unread - d.Dashes - n; plain > 0 {
			d.tell(intray.NewMessage("percent.some", intray.Params{"n": n, "cells": cells, "others": plain}))
		} else {
			d.tell(intray.NewMessage("percent.all", intray.Params{"n": n, "cells": cells}))
		}
	}
	if n := s.parentheses + s.behind; n > 0 {
		d.tell(intray.NewMessage("number.negative", intray.Params{"n": n, "cells": cells}))
	}
	if s.dashes > 0 {
		d.tell(intray.NewMessage("number.dashes", intray.Params{"n": s.dashes, "cells": cells}))
	}
	d.countCurrencies()
}

func (d *decider) countCurrencies() {
	for i, n := range d.survey.currencies {
		if n > 0 {
			d.Currencies = append(d.Currencies, CurrencyCount{Currency(i), int64(n)})
		}
	}
	if len(d.Currencies) == 0 {
		return
	}
	slices.SortStableFunc(d.Currencies, func(a, b CurrencyCount) int { return int(b.Cells - a.Cells) })
	var counts []intray.Message
	for _, c := range d.Currencies[:min(len(d.Currencies), 8)] {
		counts = append(counts, intray.NewMessage("number.currency_count", intray.Params{"currency": c.Currency.String(), "n": c.Cells}))
	}
	d.tell(intray.NewMessage("number.currencies", intray.Params{"currencies": counts}))
}

// ask makes the question. The reading with a point before the fraction comes
// first: it is the commoner one in files.
func (d *decider) ask(weak bool) {
	examples := slices.Concat(d.survey.open[0].some(), d.survey.open[1].some())
	examples = examples[:min(len(examples), 4)]
	d.Tie.Text = intray.NewMessage("number.question", intray.Params{"examples": examples, "reason": d.undecidedBy(weak)})
	for _, decimal := range [...]Sign{Point, Comma} {
		choice := Choice{Style: Style{Decimal: decimal, Group: decimal.opposite()}, Label: decimalLabels[index(decimal)]}
		for _, raw := range examples {
			value, _ := choice.Style.Append(nil, []byte(raw))
			choice.Examples = append(choice.Examples, Example{Raw: raw, Value: string(value)})
		}
		d.Tie.Choices = append(d.Tie.Choices, choice)
	}
}

// decimalLabels are the answers, by the decimal sign.
var decimalLabels = [...]intray.Message{intray.NewMessage("number.decimal_point", nil), intray.NewMessage("number.decimal_comma", nil)}

// undecidedBy says why the cells do not settle the decimal sign.
func (d *decider) undecidedBy(weak bool) intray.Message {
	point, comma := d.survey.certain(Point), d.survey.certain(Comma)
	switch {
	case !d.money.IsZero():
		return d.money
	case !weak:
		return intray.NewMessage("number.cells_undecided", intray.Params{"n": d.survey.openCells()})
	case point > 0 && comma > 0:
		return intray.NewMessage("number.cells_contradict", intray.Params{"n": point, "commas": comma})
	}
	return intray.NewMessage("number.few_cells_decide", intray.Params{"count": point + comma, "n": d.Cells})
}
