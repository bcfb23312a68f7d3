package value

import (
	"fmt"

	"github.com/intraydata/intray"
	"github.com/intraydata/intray/internal/value/number"
)

// Fixed is the code of the note that a cell was read otherwise than its column.
const Fixed = "read_otherwise"

// amount is the type number. Its canonical text is a decimal with all digits.
type amount struct {
	field   intray.Field
	options *number.Options
	style   number.Style
}

func newAmount(f intray.Field, o options) (Parser, error) {
	compiled, err := number.CompileOptions(o)
	return &amount{field: f, options: &compiled}, err
}

func (a *amount) Parse(c Cell, scratch []byte) Result {
	if c.Kind == intray.CellNumber {
		if value, ok := number.Canonical(scratch, c.Typed); ok {
			return a.finish(c, value, Note{})
		}
	}
	value, reading := a.style.Append(scratch, c.Raw)
	switch {
	case reading.Reason == number.Empty:
		return Result{State: Empty}
	case reading.Reason != number.Read:
		return wrong(a.field, reading.Reason.Text())
	case !a.options.Currency.Fits(reading.Currency):
		return wrong(a.field, fmt.Sprintf("This amount is in another currency than %s.", a.options.Currency))
	}
	note := Note{}
	if reading.Unlike {
		note = Note{Code: Fixed, Level: intray.LevelInfo, Text: "This number is written otherwise than the others of its column, and can be read in one way only."}
	}
	return a.finish(c, value, note)
}

// finish rounds a number and holds it against the bounds of the field.
func (a *amount) finish(c Cell, value []byte, note Note) Result {
	if a.options.Rounds {
		value = a.options.Round(nil, value)
	}
	switch a.options.Bound(value) {
	case -1:
		return wrong(a.field, fmt.Sprintf("This number must be at least %s.", a.options.Min))
	case 1:
		return wrong(a.field, fmt.Sprintf("This number must be at most %s.", a.options.Max))
	}
	r := outcome(c.Raw, value)
	r.Note = note
	return r
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
	d.Parser = &amount{s.of.field, s.of.options, decided.Style}
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
