package value

import (
	"fmt"
	"slices"
	"strings"

	"github.com/intraydata/intray"
	"github.com/intraydata/intray/internal/value/number"
)

// Fixed is the code of the note that a cell was read otherwise than its column.
const Fixed = "read_otherwise"

// amount is the type number. Its canonical text is a decimal with all digits.
//
// The option displayFormat is for showing only; it says besides that the field's
// numbers have a point before the fraction, where their column leaves that open.
// So do the presets of dollars and pounds, and no others.
type amount struct {
	field   intray.Field
	options *number.Options
	style   number.Style
	// own reads what the cells of a column leave open, where nobody has looked at
	// them and the field's own format decides.
	own number.Style
	// free says that the numbers are neither rounded nor bounded.
	free bool
	// percents says how a column writes percents, where some of its cells do and
	// some do not.
	percents percents
	// otherCurrency, tooSmall and tooLarge are the results for numbers that the
	// options of the field exclude.
	otherCurrency, tooSmall, tooLarge Result
}

// percents says which cells of a column are odd: those without a percent sign, or
// those with one.
type percents uint8

const (
	allAlike percents = iota
	fewBare
	fewPercents
)

func newAmount(f intray.Field, o options) (Parser, error) {
	compiled, err := number.CompileOptions(o)
	a := &amount{field: f, options: &compiled, free: !compiled.Rounds && compiled.Min == nil && compiled.Max == nil}
	if compiled.Explicit {
		a.own.Decimal = number.Point
	}
	if compiled.Currency != 0 {
		a.otherCurrency = wrong(f, intray.NewMessage("number.other_currency", intray.Params{"currency": compiled.Currency.String()}))
	}
	if compiled.Min != nil {
		a.tooSmall = wrong(f, intray.NewMessage("number.too_small", intray.Params{"minimum": string(compiled.Min)}))
	}
	if compiled.Max != nil {
		a.tooLarge = wrong(f, intray.NewMessage("number.too_large", intray.Params{"maximum": string(compiled.Max)}))
	}
	return a, err
}

// Notes of numbers of which only some in the column have a percent sign.
var (
	bareNumber    = &Note{Code: "percent", Level: intray.LevelWarning, Text: intray.NewMessage("percent.missing", nil)}
	percentNumber = &Note{Code: "percent", Level: intray.LevelWarning, Text: intray.NewMessage("percent.unlike_column", nil)}
)

// unlike is the note of a number that contradicts its column.
var unlike = &Note{Code: Fixed, Level: intray.LevelInfo, Text: intray.NewMessage("number.unlike_column", nil)}

// IsPlain says whether a text is a number in the form that values have: with a point
// before the fraction, and nothing between thousands.
func IsPlain(text []byte) bool {
	_, is := number.Canonical(nil, text)
	return is
}

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
		r := a.finish(c.Raw, value)
		if a.percents == fewBare && r.State != Wrong && string(value) != "0" {
			r.Note = bareNumber
		}
		return r
	case reading.Reason == number.Empty:
		return Result{State: Empty}
	case reading.Reason != number.Read:
		return wrong(a.field, reading.Reason.Message())
	case !a.options.Currency.Fits(reading.Currency):
		return a.otherCurrency
	}
	r := a.finish(c.Raw, value)
	switch {
	case r.State == Wrong:
	case reading.Unlike:
		r.Note = unlike
	case reading.Shift != 0 && a.percents == fewPercents:
		r.Note = percentNumber
	case reading.Shift == 0 && reading.Currency == 0 && a.percents == fewBare && string(value) != "0":
		r.Note = bareNumber
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
		return a.tooSmall
	case 1:
		return a.tooLarge
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
	d := Decision{Reasons: decided.Evidence}
	if len(decided.Tie.Choices) > 0 {
		tie := Tie{Text: decided.Tie.Text}
		for _, choice := range decided.Tie.Choices {
			if answers[""] == choice.Style.String() {
				decided.Style = choice.Style
				d.Reasons = append(d.Reasons, intray.NewMessage("answer.by_person", nil))
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
	with.percents = percentsOf(decided)
	d.Parser, d.Form = &with, d.Style+" percents="+percentNames[with.percents]
	return d
}

// Restore reads the style, and behind it which percents are odd.
func (a *amount) Restore(form string) (Parser, error) {
	style, odd, _ := strings.Cut(form, " percents=")
	at := slices.Index(percentNames[:], odd)
	if at < 0 {
		return nil, fmt.Errorf("there is no way %q to write numbers", form)
	}
	with := *a
	with.own, with.percents = number.Style{}, percents(at)
	if err := with.style.UnmarshalText([]byte(style)); err != nil {
		return nil, err
	}
	return &with, nil
}

var percentNames = [...]string{allAlike: "alike", fewBare: "few-bare", fewPercents: "few"}

// bareShare is how many numbers without a percent sign may come on one with it
// before it is the sign that is odd.
const bareShare = 3

// percentsOf says which cells of a column are the few, with a percent sign or
// without.
func percentsOf(d number.Decision) percents {
	bare := d.Cells - d.Unread - d.Dashes - d.Percent
	switch {
	case d.Percent == 0 || bare == 0:
		return allAlike
	case bare <= bareShare*d.Percent:
		return fewBare
	}
	return fewPercents
}

func numberExamples(list []number.Example) (texts []string) {
	for _, e := range list {
		texts = append(texts, e.Raw+" is "+e.Value)
	}
	return texts
}

// Decimal gives a JSON number in the canonical form of the type number.
func Decimal(text []byte) ([]byte, bool) { return number.Canonical(nil, text) }
