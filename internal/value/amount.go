package value

import (
	"fmt"

	"github.com/intraydata/intray"
	"github.com/intraydata/intray/internal/value/number"
)

// Fixed is the code of the note that a cell was read otherwise than its column.
const Fixed = "read_otherwise"

// amount is the type number. Its canonical text is a decimal with all digits.
//
// The option displayFormat is for showing only; it says besides that the field's
// numbers have a point before the fraction, where their column leaves that open.
type amount struct {
	field   intray.Field
	options *number.Options
	style   number.Style
	// own reads what the cells of a column leave open, where nobody has looked at
	// them and the field's own format decides.
	own number.Style
	// free says that the numbers are neither rounded nor bounded.
	free bool
}

func newAmount(f intray.Field, o options) (Parser, error) {
	compiled, err := number.CompileOptions(o)
	a := &amount{field: f, options: &compiled, free: !compiled.Rounds && compiled.Min == nil && compiled.Max == nil}
	if compiled.Explicit {
		a.own.Decimal = number.Point
	}
	return a, err
}

// unlike is the note of a number that contradicts its column.
var unlike = &Note{Code: Fixed, Level: intray.LevelInfo, Text: "This number is written otherwise than the others of its column, and can be read in one way only."}

func (a *amount) Parse(c Cell, scratch []byte) Result {
	if c.Kind == intray.CellNumber {
		if value, ok := number.Canonical(scratch, c.Typed); ok {
			return a.finish(c.Raw, value)
		}
	}
	value, reading := a.style.Append(scratch, c.Raw)
	if reading.Reason == number.TwoWays && a.own.Decimal != number.Undecided {
		value, reading = a.own.Append(scratch, c.Raw)
	}
	switch {
	case reading == number.Reading{}:
		return a.finish(c.Raw, value)
	case reading.Reason == number.Empty:
		return Result{State: Empty}
	case reading.Reason != number.Read:
		return wrong(a.field, reading.Reason.Text())
	case !a.options.Currency.Fits(reading.Currency):
		return wrong(a.field, fmt.Sprintf("This amount is in another currency than %s.", a.options.Currency))
	}
	r := a.finish(c.Raw, value)
	if reading.Unlike && r.State != Wrong {
		r.Note = unlike
	}
	return r
}

// finish rounds a number and holds it against the bounds of the field.
func (a *amount) finish(raw, value []byte) Result {
	if a.free {
		return outcome(raw, value)
	}
	if a.options.Rounds {
		value = a.options.Round(value[len(value):], value)
	}
	switch a.options.Bound(value) {
	case -1:
		return wrong(a.field, fmt.Sprintf("This number must be at least %s.", a.options.Min))
	case 1:
		return wrong(a.field, fmt.Sprintf("This number must be at most %s.", a.options.Max))
	}
	return outcome(raw, value)
}

func (a *amount) Survey() Survey { return &amountSurvey{of: a} }

type amountSurvey struct {
	of   *amount
	seen number.Survey
}

func (s *amountSurvey) Add(c Cell) {
	if c.Kind != intray.CellNumber {
		s.seen.Observe(c.Raw)
	}
}

func (s *amountSurvey) Decide(answers map[string]string, beside []Beside) Decision {
	hints := number.Hints{Explicit: s.of.options.Explicit}
	for _, b := range beside {
		if style, same := b.Decision.style.(number.Style); same {
			hints.Neighbours = append(hints.Neighbours, number.Neighbour{Header: b.Header, Style: style})
		}
	}
	decided := s.seen.Decide(hints)
	d := Decision{}
	for _, e := range decided.Evidence {
		d.Reasons = append(d.Reasons, e.Text)
	}
	if len(decided.Tie.Choices) > 0 {
		tie := Tie{Text: decided.Tie.Text}
		for _, choice := range decided.Tie.Choices {
			if answers[""] == choice.Style.String() {
				decided.Style = choice.Style
				d.Reasons = append(d.Reasons, "a person chose it")
			}
			tie.Choices = append(tie.Choices, intray.Choice{Value: choice.Style.String(), Label: choice.Label, Examples: numberExamples(choice.Examples)})
		}
		if answers[""] == "" || decided.Style == (number.Style{}) {
			d.Ties = []Tie{tie}
		}
	}
	d.style, d.Style = decided.Style, decided.Style.String()
	with := *s.of
	with.style, with.own = decided.Style, number.Style{}
	d.Parser = &with
	return d
}

func numberExamples(list []number.Example) (texts []string) {
	for _, e := range list {
		texts = append(texts, e.Raw+" is "+e.Value)
	}
	return texts
}

// Decimal gives a JSON number in the canonical form of the type number.
func Decimal(text []byte) ([]byte, bool) { return number.Canonical(nil, text) }
