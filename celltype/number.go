package celltype

import (
	"bytes"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/intraydata/intray"
	"github.com/intraydata/intray/celltype/date"
	"github.com/intraydata/intray/celltype/number"
)

// CodeReadOtherwise is the code of the note on a cell that was read differently from the rest
// of its column.
const CodeReadOtherwise = "read_otherwise"

// numberParser parses the type number. Its canonical text is a decimal number
// with all its digits.
//
// The option displayFormat affects how numbers are displayed. If the cells of a column do not
// show their decimal sign, the option also implies that the sign is a point. The presets for
// dollars and pounds have the same effect. Other presets do not.
type numberParser struct {
	field   intray.Field
	options *number.Options
	style   number.Style
	// fieldStyle reads ambiguous cells of columns that were not sniffed. It is
	// set only if the field's own format decides the style.
	fieldStyle number.Style
	// unrestricted reports whether numbers are neither rounded nor compared with limits, and are not
	// years.
	unrestricted bool
	// percents specifies which cells of the column are the exceptions if only some have a
	// percent sign.
	percents percentStyle
	// currency is the most frequent currency of the column, or zero if it has none.
	currency number.Currency
	// years reports whether the numbers are years.
	years bool
	// otherCurrency, tooSmall and tooLarge are the results for numbers that the
	// field's options do not allow.
	otherCurrency, tooSmall, tooLarge Result
}

// percentStyle specifies which cells of a column are the exceptions: those without a percent
// sign, or those with one.
type percentStyle uint8

const (
	percentsUniform percentStyle = iota
	percentsMostly
	percentsRarely
)

func newNumberParser(f intray.Field, o options) (Parser, error) {
	compiled, err := number.CompileOptions(o)
	a := &numberParser{field: f, options: &compiled, unrestricted: !compiled.Rounds && compiled.Min == nil && compiled.Max == nil}
	if compiled.Explicit {
		a.fieldStyle.Decimal = number.Point
	}
	if compiled.Currency != 0 {
		a.otherCurrency = invalidResult(f, intray.NewMessage("number.other_currency", intray.Params{"currency": compiled.Currency.String()}))
	}
	if compiled.Min != nil {
		a.tooSmall = invalidResult(f, intray.NewMessage("number.too_small", intray.Params{"minimum": string(compiled.Min)}))
	}
	if compiled.Max != nil {
		a.tooLarge = invalidResult(f, intray.NewMessage("number.too_large", intray.Params{"maximum": string(compiled.Max)}))
	}
	return a, err
}

// These are the notes of numbers in a column in which only some cells have a percent sign.
var (
	noteNoPercentSign = &Note{Code: "percent", Level: intray.LevelWarning, Text: intray.NewMessage("percent.missing", nil)}
	notePercentSign   = &Note{Code: "percent", Level: intray.LevelWarning, Text: intray.NewMessage("percent.unlike_column", nil)}
)

// noteOtherNumberStyle is the note of a number that contradicts the style of its column.
var noteOtherNumberStyle = &Note{Code: CodeReadOtherwise, Level: intray.LevelInfo, Text: intray.NewMessage("number.unlike_column", nil)}

func (a *numberParser) Parse(c Cell, scratch []byte) Result {
	if c.Kind == intray.CellNumber {
		if value, ok := number.Canonical(scratch, c.Typed); ok {
			return a.applyLimits(c.Raw, value)
		}
	}
	value, reading := a.style.Append(scratch, c.Raw)
	if reading.Reason == number.TwoWays && a.fieldStyle.Decimal != number.Undecided {
		value, reading = a.fieldStyle.Append(scratch, c.Raw)
	}
	switch {
	case reading == number.Reading{} && a.percents != percentsMostly:
		return a.applyLimits(c.Raw, value)
	case reading.Reason == number.Empty:
		return Result{State: Empty}
	case reading.Reason != number.Read:
		return invalidResult(a.field, reading.Reason.Message())
	case !a.options.Currency.CompatibleWith(reading.Currency):
		return a.otherCurrency
	}
	r := a.applyLimits(c.Raw, value)
	if reading.Currency != a.currency {
		r.Remarks |= OtherCurrency.setIf(r.State != Invalid && reading.Currency != 0 && (a.currency == 0 || !a.currency.CompatibleWith(reading.Currency)))
	}
	if r.State != Invalid {
		r.Note = a.note(reading, value)
	}
	return r
}

// note returns the note of a valid cell that differs from the style of its column, or nil.
func (a *numberParser) note(reading number.Reading, value []byte) *Note {
	switch {
	case reading.Inconsistent:
		return noteOtherNumberStyle
	case reading.Shift != 0 && a.percents == percentsRarely:
		return notePercentSign
	case reading.Shift == 0 && reading.Currency == 0 && a.percents == percentsMostly && string(value) != "0":
		return noteNoPercentSign
	}
	return nil
}

// applyLimits rounds a number and checks that it is within the limits of the field.
func (a *numberParser) applyLimits(raw, value []byte) Result {
	if a.unrestricted {
		return newResult(raw, value)
	}
	return a.restrict(raw, value)
}

// restrict is applyLimits for fields that restrict numbers, and for years.
func (a *numberParser) restrict(raw, value []byte) Result {
	var remarks Remarks
	if a.options.Rounds {
		exact := value
		value = a.options.Round(value[len(value):], value)
		remarks = NumberRounded.setIf(!bytes.Equal(exact, value))
	}
	switch a.options.CompareBounds(value) {
	case -1:
		return a.tooSmall
	case 1:
		return a.tooLarge
	}
	r := newResult(raw, value)
	r.Remarks = remarks
	if a.years {
		year, err := strconv.Atoi(string(value))
		r.Remarks |= YearUnlikely.setIf(err == nil && len(value) == 4 && date.LooksForeign(year))
	}
	return r
}

func (a *numberParser) NewSniffer() Sniffer { return &numberSniffer{parser: a} }

type numberSniffer struct {
	parser  *numberParser
	sniffer number.Sniffer
}

func (s *numberSniffer) Observe(c Cell) {
	if c.Kind != intray.CellNumber {
		s.sniffer.Observe(c.Raw)
	}
}

func (s *numberSniffer) Decide(answers map[string]string, neighbors []Neighbor) Decision {
	hints := number.Hints{Explicit: s.parser.options.Explicit}
	for _, b := range neighbors {
		if style, same := b.Decision.style.(number.Style); same {
			hints.Neighbors = append(hints.Neighbors, number.Neighbor{Header: b.Header, Style: style})
		}
	}
	decided := s.sniffer.Decide(hints)
	d := Decision{Reasons: decided.Evidence}
	if len(decided.Ambiguity.Choices) > 0 {
		tie := Ambiguity{Text: decided.Ambiguity.Text}
		for _, choice := range decided.Ambiguity.Choices {
			if answers[""] == choice.Style.String() {
				decided.Style = choice.Style
				d.Reasons = append(d.Reasons, intray.NewMessage("answer.by_person", nil))
			}
			tie.Choices = append(tie.Choices, intray.Choice{Value: choice.Style.String(), Label: choice.Label, Examples: exampleTexts(choice.Readings), Readings: choice.Readings})
		}
		if answers[""] == "" || decided.Style == (number.Style{}) {
			d.Ambiguities = []Ambiguity{tie}
		}
	}
	d.style, d.Style = decided.Style, decided.Style.String()
	with := *s.parser
	with.style, with.fieldStyle = decided.Style, number.Style{}
	with.percents = percentStyleOf(decided)
	d.Spec = d.Style + " percents=" + percentStyleNames[with.percents]
	if len(decided.Currencies) > 0 {
		with.currency = decided.Currencies[0].Currency
		d.Spec += currencySpec + with.currency.String()
	}
	d.Parser = &with
	return d
}

// Restore returns the parser of a serialized style.
func (a *numberParser) Restore(form string) (Parser, error) {
	form, mark, marked := strings.Cut(form, currencySpec)
	currency, known := number.FindCurrency(mark)
	if marked && !known {
		return nil, fmt.Errorf("restore the number style %q: unknown currency", form)
	}
	style, odd, _ := strings.Cut(form, " percents=")
	at := slices.Index(percentStyleNames[:], odd)
	if at < 0 {
		return nil, fmt.Errorf("restore the number style %q: unknown percents", form)
	}
	with := *a
	with.fieldStyle, with.percents, with.currency = number.Style{}, percentStyle(at), currency
	if err := with.style.UnmarshalText([]byte(style)); err != nil {
		return nil, err
	}
	return &with, nil
}

// currencySpec precedes the currency in a serialized style.
const currencySpec = " currency="

var percentStyleNames = [...]string{percentsUniform: "alike", percentsMostly: "few-bare", percentsRarely: "few"}

// maxBareShare is the maximum number of cells without a percent sign per cell with one. Above
// it, the cells with the sign are the exceptions.
const maxBareShare = 3

// percentStyleOf returns which cells of a column are the exceptions.
func percentStyleOf(d number.Decision) percentStyle {
	bare := d.Cells - d.Unread - d.Dashes - d.Percent
	switch {
	case d.Percent == 0 || bare == 0:
		return percentsUniform
	case bare <= maxBareShare*d.Percent:
		return percentsMostly
	}
	return percentsRarely
}

// CanonicalNumber returns the canonical form of a JSON number.
func CanonicalNumber(text []byte) ([]byte, bool) { return number.Canonical(nil, text) }
