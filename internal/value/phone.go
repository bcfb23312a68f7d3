package value

import (
	"fmt"

	"github.com/intraydata/intray"
	"github.com/intraydata/intray/internal/value/phone"
)

// telephone is the type phone-number.
type telephone struct {
	field  intray.Field
	reader *phone.Reader
}

// doubtfulTelephone is one of a country with numbers that can be read in two ways,
// of which the other cells of the column tell the right one.
type doubtfulTelephone struct{ *telephone }

func newTelephone(f intray.Field, o options) (Parser, error) {
	reader, err := phone.New(phone.Config{
		Country: o.text("country", ""), Format: o.text("format", "international"), Formatted: o.flag("outputFormatted", false),
	})
	if err != nil {
		return nil, err
	}
	t := &telephone{f, reader}
	if reader.Doubtful() {
		return doubtfulTelephone{t}, nil
	}
	return t, nil
}

func (t *telephone) Parse(c Cell, scratch []byte) Result {
	value, problem := t.reader.Append(scratch, digitsText(c))
	switch {
	case problem.Code == phone.Read:
		return outcome(c.Raw, value)
	case problem.Code == phone.Blank:
		return Result{State: Empty}
	case problem.Wrong():
		return wrong(t.field, problem.Message())
	}
	r := outcome(c.Raw, value)
	r.Note = telephoneNotes[problem.Code]
	return r
}

// telephoneNotes are the notes of numbers that were read with a remark.
var telephoneNotes = map[phone.Code]*Note{
	phone.Extension: telephoneNote(phone.Extension),
	phone.CodeKept:  telephoneNote(phone.CodeKept),
}

func telephoneNote(code phone.Code) *Note {
	return &Note{Code: code.String(), Level: intray.LevelInfo, Text: phone.Problem{Code: code}.Message()}
}

// digitsText is the text of a cell, or the number behind it: what is displayed of
// one may be rounded.
func digitsText(c Cell) []byte {
	if c.Kind == intray.CellNumber {
		return c.Typed
	}
	return c.Raw
}

func (t doubtfulTelephone) Survey() Survey { return &telephoneSurvey{of: t.telephone} }

func (t doubtfulTelephone) Restore(form string) (Parser, error) {
	habit, known := phone.ParseHabit(form)
	if !known {
		return nil, fmt.Errorf("there is no way %q to write phone numbers", form)
	}
	return &telephone{t.field, t.reader.With(habit)}, nil
}

type telephoneSurvey struct {
	of   *telephone
	seen phone.Survey
}

func (s *telephoneSurvey) Add(c Cell) { s.of.reader.Observe(&s.seen, digitsText(c)) }

func (s *telephoneSurvey) Decide(map[string]string, []Beside) Decision {
	habit, why := s.seen.Decide()
	d := Decision{Parser: &telephone{s.of.field, s.of.reader.With(habit)}, Form: habit.String()}
	if habit != phone.NoHabit {
		d.Reasons = []intray.Message{why}
	}
	return d
}
