package number

import "github.com/intraydata/intray"

// Hints are what is known of a column beside its cells. They decide only what
// the cells leave open.
type Hints struct {
	// Explicit says that the schema gives the field a display format of its own or
	// a currency: these are written with a point before the fraction.
	Explicit bool
	// Neighbours are other columns of the same table whose style the data
	// decided.
	Neighbours []Neighbour
}

// Neighbour is a column beside this one.
type Neighbour struct {
	Header string
	Style  Style
}

// Decision is the style of a column and why.
type Decision struct {
	// Style reads the column. With a tie its Decimal is Undecided.
	Style Style
	// Evidence tells why the style is as it is, and what else was seen.
	Evidence []intray.Message
	// Tie is the question that the cells leave. It has no choices where they
	// leave none.
	Tie Tie
	// Cells is how many cells were not blank. Unread of them are no numbers in any
	// style, Dashes a dash alone, Percent have a percent or per mille sign.
	Cells, Unread, Dashes, Percent int64
	// Currencies are the marks in the cells, the most frequent first.
	Currencies []CurrencyCount
}

// CurrencyCount is a mark and how many cells have it.
type CurrencyCount struct {
	Currency Currency
	Cells    int64
}

// Tie is a question for a person.
type Tie struct {
	Text    intray.Message
	Choices []Choice
}

// Choice is one answer: the style, in words, and what cells mean by it.
type Choice struct {
	Style    Style
	Label    intray.Message
	Examples []Example
}

// Example is a cell and the number it means.
type Example struct{ Raw, Value string }

// How much evidence decides.
const (
	// outvoted is how many times as many cells as those that contradict it a
	// reading needs, while other cells depend on it.
	outvoted = 4
	// perTell is how many cells may depend on one that tells.
	perTell = 200
	// severalCells is what several gives where the numbers are no money.
	severalCells = 3
)

// decider is one decision in the making.
type decider struct {
	Decision
	survey *Survey
	hints  Hints
	// money says that currencies leave the decimal sign open, and which.
	money intray.Message
}

// Decide says how the column writes its numbers. It can be asked again, with
// other hints or after more cells.
func (s *Survey) Decide(hints Hints) Decision {
	d := decider{survey: s, hints: hints}
	d.Cells, d.Unread, d.Dashes, d.Percent = s.cells, s.unread, s.dashes, s.percent+s.perMille
	decimal, weak := d.byCells()
	if decimal == Undecided && s.openCells() > 0 {
		if decimal = d.byHabit(weak); decimal == Undecided {
			decimal = d.byOthers()
		}
		if decimal == Undecided {
			d.ask(weak)
		}
	}
	d.Style.Decimal = decimal
	d.group()
	d.tellMixed()
	d.tellAround()
	return d.Decision
}

func (s *Survey) openCells() int64 { return s.open[0].cells + s.open[1].cells }

// certain is how many cells fit only where decimal stands before fractions.
func (s *Survey) certain(decimal Sign) (n int64) {
	for _, t := range s.tells[index(decimal)] {
		n += t.cells
	}
	return n
}

// byCells looks at the cells that fit one decimal sign alone. It tells in weak
// where they say something and not enough.
func (d *decider) byCells() (decimal Sign, weak bool) {
	decimal = Point
	won, lost := d.survey.certain(Point), d.survey.certain(Comma)
	if lost > won {
		decimal, won, lost = Comma, lost, won
	}
	open := d.survey.openCells()
	switch {
	case won == 0:
		return Undecided, false
	case won == lost || open > 0 && (won < outvoted*lost || won*perTell < open):
		return Undecided, true
	case open > 0 && d.otherMoney(decimal):
		return Undecided, true
	}
	d.tellSigns(decimal)
	return decimal, false
}

// byHabit looks at how the column writes numbers that need no decision.
func (d *decider) byHabit(weak bool) Sign {
	for i, sign := range [...]Sign{Point, Comma} {
		t, other := &d.survey.open[i], &d.survey.open[1-i]
		switch {
		case weak || t.cells == 0 || other.cells > 0:
		case d.otherGroups()*perTell >= t.cells:
			d.tellOtherGroups(sign, t)
			return sign
		case d.survey.large == 0 && min(d.survey.small, d.survey.openZeros[i]) >= d.several(t):
			d.tellSmall(sign, t, d.survey.openZeros[i])
			return sign.opposite()
		}
	}
	return Undecided
}

// several is how many cells of a kind are no accident. Of money fewer are
// needed: it seldom has three decimals.
func (d *decider) several(open *tally) int64 {
	var money int64
	for _, n := range d.survey.currencies {
		money += int64(n)
	}
	if money >= open.cells {
		return 1
	}
	return severalCells
}

// otherGroups is how many cells separate thousands with spaces or apostrophes.
func (d *decider) otherGroups() int64 {
	return d.survey.groups[2].cells + d.survey.groups[3].cells
}

// byOthers looks beyond the cells.
func (d *decider) byOthers() Sign {
	found, header := Undecided, ""
	for _, n := range d.hints.Neighbours {
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
		d.tell(intray.NewMessage("number.like_other_column", intray.Params{"column": header, "sign": signs[found].one}))
	case d.hints.Explicit:
		found = Point
		d.tell(intray.NewMessage("number.format_decides", nil))
	}
	return found
}

// group finds the sign between the thousands.
func (d *decider) group() {
	var most int64
	for i, sign := range groupSigns {
		n := d.survey.groups[i].cells
		if i < 2 && d.Style.Decimal != Undecided {
			n += d.survey.open[i].cells
		}
		if sign != d.Style.Decimal && n > most {
			d.Style.Group, most = sign, n
		}
	}
	if d.Style.Decimal == Undecided && (d.Style.Group == Point || d.Style.Group == Comma) {
		d.Style.Group = Undecided // it would decide the decimal sign
	}
	if most > 0 && d.Style.Group != Undecided {
		d.tellGroup(most)
	}
}
