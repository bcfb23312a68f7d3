package celltype

import (
	"fmt"

	"github.com/intraydata/intray"
	"github.com/intraydata/intray/celltype/phone"
)

// phoneParser parses the type phone-number.
type phoneParser struct {
	field  intray.Field
	reader *phone.Reader
}

// ambiguousPhoneParser is a parser for a country in which numbers can be ambiguous. The other
// cells of the column decide how to read ambiguous numbers.
type ambiguousPhoneParser struct{ *phoneParser }

func newPhoneParser(f intray.Field, o options) (Parser, error) {
	reader, err := phone.New(phone.Config{
		Country: o.text("country", ""), Format: o.text("format", "international"), Formatted: o.boolean("outputFormatted", false),
	})
	if err != nil {
		return nil, err
	}
	t := &phoneParser{f, reader}
	if reader.HasAmbiguous() {
		return ambiguousPhoneParser{t}, nil
	}
	return t, nil
}

func (t *phoneParser) Parse(c Cell, scratch []byte) Result {
	value, problem := t.reader.Append(scratch, rawNumber(c))
	switch {
	case problem.Code == phone.Read:
		return newResult(c.Raw, value)
	case problem.Code == phone.Blank:
		return Result{State: Empty}
	case problem.Invalid():
		return invalidResult(t.field, problem.Message())
	}
	r := newResult(c.Raw, value)
	r.Note = telephoneNotes[problem.Code]
	return r
}

// telephoneNotes are the notes of numbers that are valid but need a remark.
var telephoneNotes = map[phone.Code]*Note{
	phone.Extension: telephoneNote(phone.Extension),
	phone.CodeKept:  telephoneNote(phone.CodeKept),
}

func telephoneNote(code phone.Code) *Note {
	return &Note{Code: code.String(), Level: intray.LevelInfo, Text: phone.Problem{Code: code}.Message()}
}

// rawNumber returns the text of a cell. For a number cell, it returns the
// value, because the displayed text may be rounded.
func rawNumber(c Cell) []byte {
	if c.Kind == intray.CellNumber {
		return c.Typed
	}
	return c.Raw
}

func (t ambiguousPhoneParser) NewSniffer() Sniffer { return &phoneSniffer{parser: t.phoneParser} }

func (t ambiguousPhoneParser) Restore(form string) (Parser, error) {
	habit, known := phone.ParseConvention(form)
	if !known {
		return nil, fmt.Errorf("restore the phone number convention: unknown convention %q", form)
	}
	return &phoneParser{t.field, t.reader.WithConvention(habit)}, nil
}

type phoneSniffer struct {
	parser  *phoneParser
	sniffer phone.Sniffer
}

func (s *phoneSniffer) Observe(c Cell) { s.parser.reader.Observe(&s.sniffer, rawNumber(c)) }

func (s *phoneSniffer) Decide(map[string]string, []Neighbor) Decision {
	habit, why := s.sniffer.Decide()
	d := Decision{Parser: &phoneParser{s.parser.field, s.parser.reader.WithConvention(habit)}, Spec: habit.String()}
	if habit != phone.NoConvention {
		d.Reasons = []intray.Message{why}
	}
	return d
}
