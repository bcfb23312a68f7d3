package number

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// Evidence is one reason, for a person to read.
type Evidence struct {
	Code EvidenceCode
	Text string
}

// EvidenceCode names a kind of evidence.
type EvidenceCode string

// The kinds of evidence.
const (
	CodeSigns      EvidenceCode = "decimal_sign"
	CodeHabit      EvidenceCode = "other_cells"
	CodeNeighbour  EvidenceCode = "other_columns"
	CodeFormat     EvidenceCode = "display_format"
	CodeGroups     EvidenceCode = "thousands"
	CodeMixed      EvidenceCode = "mixed"
	CodePercent    EvidenceCode = "percent"
	CodeCurrencies EvidenceCode = "currencies"
	CodeNegative   EvidenceCode = "negative"
	CodeDashes     EvidenceCode = "dashes"
)

func (d *decider) tell(code EvidenceCode, format string, args ...any) {
	d.Evidence = append(d.Evidence, Evidence{Code: code, Text: fmt.Sprintf(format, args...)})
}

func plural(n int64, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return grouped(n) + " " + what + "s"
}

// grouped writes a count with commas between thousands.
func grouped(n int64) string {
	digits := strconv.FormatInt(n, 10)
	for at := len(digits) - 3; at > 0; at -= 3 {
		digits = digits[:at] + "," + digits[at:]
	}
	return digits
}

// whyTexts say what a cell shows, with the sign and the other sign in them.
var whyTexts = [reasons]string{
	byLength: "a %s has other than 3 digits behind it",
	byBoth:   "a %s stands behind a %s",
	byRepeat: "only a %[2]s separates, and more than once",
	byWhole:  "a %s stands where none can separate thousands",
	bySpaces: "a %s stands behind thousands that another sign separates",
}

// tellSigns tells which cells decide the decimal sign.
func (d *decider) tellSigns(decimal Sign) {
	for why := range reasons {
		t := &d.survey.tells[index(decimal)][why]
		if t.cells == 0 {
			continue
		}
		what := fmt.Sprintf(whyTexts[why]+"%.0[2]s", decimal, decimal.opposite())
		d.tell(CodeSigns, "In %s of %s, such as %s, %s.", grouped(t.cells), plural(d.Cells, "cell"), strings.Join(t.some(), " and "), what)
	}
	text := fmt.Sprintf("no %s is used so", decimal.opposite())
	if n := d.survey.certain(decimal.opposite()); n > 0 {
		text = fmt.Sprintf("the %s is used so in %s", decimal.opposite(), plural(n, "cell"))
	}
	d.tell(CodeSigns, "A %s stands before the fraction: %s.", decimal, text)
}

func (d *decider) tellOtherGroups(decimal Sign, open *tally) {
	t, name := &d.survey.groups[2], "spaces"
	if t.cells == 0 {
		t, name = &d.survey.groups[3], "apostrophes"
	}
	d.tell(CodeHabit, "In %s, such as %s, %s separate the thousands; so the %s in %s stands before the fraction.",
		plural(d.otherGroups(), "cell"), strings.Join(t.some(), " and "), name, decimal, strings.Join(open.some(), " and "))
}

func (d *decider) tellSmall(sign Sign, open *tally, zeros int64) {
	d.tell(CodeHabit, "In %s, such as %s, a %s stands before exactly 3 digits, %s of them ending with 0, and %s without it all lie below 1,000: the %s separates thousands.",
		plural(open.cells, "cell"), strings.Join(open.some(), " and "), sign, grouped(zeros), plural(d.survey.small, "whole number"), sign)
}

func (d *decider) tellGroup(cells int64) {
	names := map[Sign]string{Point: "points", Comma: "commas", Space: "spaces", Apostrophe: "apostrophes"}
	d.tell(CodeGroups, "In %s %s separate the thousands.", plural(cells, "cell"), names[d.Style.Group])
}

// tellMixed tells of cells that contradict the style.
func (d *decider) tellMixed() {
	if d.Style.Decimal == Undecided {
		return
	}
	other := d.Style.Decimal.opposite()
	for _, t := range d.survey.tells[index(other)] {
		if t.cells > 0 {
			d.tell(CodeMixed, "Cells that can only be read with a %s before the fraction, such as %s: %s. They are read so, and marked.",
				other, strings.Join(t.some(), " and "), grouped(d.survey.certain(other)))
			return
		}
	}
}

// tellAround tells what stands beside the digits.
func (d *decider) tellAround() {
	s := d.survey
	if n := s.percent + s.perMille; n > 0 {
		text := fmt.Sprintf("%s percent or per mille signs: 12%% is read as 0.12.", have(n, d.Cells))
		if plain := d.Cells - d.Unread - d.Dashes - n; plain > 0 {
			text += fmt.Sprintf(" The other %s are read as they are: 12 is 12.", grouped(plain))
		}
		d.tell(CodePercent, "%s", text)
	}
	if n := s.parentheses + s.behind; n > 0 {
		d.tell(CodeNegative, "%s parentheses or a minus behind the number: they are negative.", have(n, d.Cells))
	}
	if s.dashes > 0 {
		d.tell(CodeDashes, "%s only a dash.", have(s.dashes, d.Cells))
	}
	d.countCurrencies()
}

func have(n, of int64) string {
	if n == 1 {
		return fmt.Sprintf("1 of %s has", plural(of, "cell"))
	}
	return fmt.Sprintf("%s of %s have", grouped(n), plural(of, "cell"))
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
	var names []string
	for _, c := range d.Currencies[:min(len(d.Currencies), 8)] {
		names = append(names, fmt.Sprintf("%s (%s)", c.Currency, grouped(c.Cells)))
	}
	d.tell(CodeCurrencies, "Currencies stand beside the numbers: %s. They are not kept with the numbers.", strings.Join(names, ", "))
}

// ask makes the question. The reading with a point before the fraction comes
// first: it is the commoner one in files.
func (d *decider) ask(weak bool) {
	examples := slices.Concat(d.survey.open[0].some(), d.survey.open[1].some())
	examples = examples[:min(len(examples), 4)]
	d.Tie.Text = fmt.Sprintf("Numbers such as %s can be read in two ways, and %s.", strings.Join(examples, " and "), d.undecidedBy(weak))
	for _, decimal := range [...]Sign{Point, Comma} {
		choice := Choice{Style: Style{Decimal: decimal, Group: decimal.opposite()}}
		choice.Label = fmt.Sprintf("A %s stands before the fraction, a %s between thousands", decimal, decimal.opposite())
		for _, raw := range examples {
			value, _ := choice.Style.Append(nil, []byte(raw))
			choice.Examples = append(choice.Examples, Example{Raw: raw, Value: string(value)})
		}
		d.Tie.Choices = append(d.Tie.Choices, choice)
	}
}

// undecidedBy says why the cells do not settle the decimal sign.
func (d *decider) undecidedBy(weak bool) string {
	point, comma := d.survey.certain(Point), d.survey.certain(Comma)
	switch {
	case d.money != "":
		return d.money
	case !weak:
		return fmt.Sprintf("nothing in the column tells which is right: in %s exactly 3 digits stand behind the sign", plural(d.survey.openCells(), "cell"))
	case point > 0 && comma > 0:
		return fmt.Sprintf("the column contradicts itself: %s can only be read with a point before the fraction and %s only with a comma", plural(point, "cell"), grouped(comma))
	}
	return fmt.Sprintf("only %s of %s tells which is right", grouped(point+comma), plural(d.Cells, "cell"))
}
