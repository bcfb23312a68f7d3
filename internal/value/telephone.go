package value

import (
	"github.com/intraydata/intray"
	"github.com/intraydata/intray/internal/value/phone"
)

// telephone is the type phone-number.
type telephone struct {
	field  intray.Field
	reader *phone.Reader
}

func newTelephone(f intray.Field, o options) (Parser, error) {
	reader, err := phone.New(phone.Config{
		Country: o.text("country", ""), Format: o.text("format", "international"), Formatted: o.flag("outputFormatted", false),
	})
	return telephone{f, reader}, err
}

func (t telephone) Parse(c Cell, scratch []byte) Result {
	raw := c.Raw
	if c.Kind == intray.CellNumber {
		raw = c.Typed // what is displayed may be rounded
	}
	value, problem := t.reader.Append(scratch, raw)
	switch {
	case problem.Code == phone.Blank:
		return Result{State: Empty}
	case problem.Wrong():
		return wrong(t.field, problem.Text())
	}
	r := outcome(c.Raw, value)
	if problem.Code == phone.Extension {
		r.Note = Note{Code: problem.Code.String(), Level: intray.LevelInfo, Text: problem.Text()}
	}
	return r
}
