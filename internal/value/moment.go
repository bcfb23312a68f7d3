package value

import (
	"fmt"
	"strings"

	"github.com/intraydata/intray"
	"github.com/intraydata/intray/internal/value/date"
)

// moment is the types date, datetime and time. Its canonical text is an ISO form.
type moment struct {
	field  intray.Field
	want   date.Want
	second bool
	fix    bool
	// format and locale are what the field itself says; read is the format
	// compiled, where there is one.
	format, locale string
	read           *date.Layout
	style          date.Style
}

func newMoment(want date.Want) func(f intray.Field, o options) (Parser, error) {
	return func(f intray.Field, o options) (Parser, error) {
		m := &moment{
			field: f, want: want, second: o.flag("withSeconds", false), fix: o.flag("autofix", true),
			format: o.text("displayFormat", ""), locale: o.text("locale", ""),
		}
		if _, known := date.FindLocale(m.locale); m.locale != "" && !known {
			return nil, fmt.Errorf("the locale %q is not known; write it like en-US or de", m.locale)
		}
		if _, err := date.CompileLayout(o.text("outputFormat", date.ISO), m.locale, want, m.second); err != nil {
			return nil, err
		}
		m.style.Autofix = m.fix
		if m.format == "" {
			return m, nil
		}
		var err error
		m.read, err = date.CompileLayout(m.format, m.locale, want, m.second)
		return m, err
	}
}

func (m *moment) Parse(c Cell, scratch []byte) Result {
	if Blank(c.Raw) {
		return Result{State: Empty}
	}
	r := m.reading(c)
	if r.Reason != date.Read {
		return wrong(m.field, r.Reason.Text())
	}
	result := outcome(c.Raw, m.canonical(scratch, r))
	if r.Fixed {
		result.Note = Note{Code: Fixed, Level: intray.LevelInfo, Text: "This date is written in another order than the others of its column, and can be read in one way only."}
	}
	return result
}

// reading reads a cell: by what a workbook says of it, by the field's own format,
// by the style of the column.
func (m *moment) reading(c Cell) date.Reading {
	switch c.Kind {
	case intray.CellDate, intray.CellDateTime, intray.CellTime:
		if r := m.style.Read(c.Typed, m.want); r.Reason == date.Read {
			return r
		}
	case intray.CellNumber:
		if r := date.ReadSerial(c.Typed, date.Since1900, m.want); r.Reason == date.Read {
			return r
		}
	}
	if m.read != nil {
		if r := m.read.Read(c.Raw, m.want); r.Reason == date.Read {
			return r
		}
	}
	return m.style.Read(c.Raw, m.want)
}

func (m *moment) canonical(dst []byte, r date.Reading) []byte {
	switch m.want {
	case date.WantDate:
		return r.Date.Append(dst)
	case date.WantClock:
		return r.Clock.Append(dst, m.second)
	}
	return r.Append(dst, m.second)
}

func (m *moment) Survey() Survey { return &momentSurvey{m, date.NewColumn(m.want)} }

type momentSurvey struct {
	of   *moment
	seen *date.Column
}

func (s *momentSurvey) Add(c Cell) {
	switch c.Kind {
	case intray.CellDate, intray.CellDateTime, intray.CellTime, intray.CellNumber:
		return
	}
	s.seen.Add(c.Raw)
}

func (s *momentSurvey) Decide(answers map[string]string, beside []Beside) Decision {
	hints := date.Hints{Format: s.of.format, Locale: s.of.locale, Autofix: s.of.fix}
	for _, b := range beside {
		if style, same := b.Decision.style.(date.Style); same {
			hints.Neighbours = append(hints.Neighbours, date.Neighbour{Header: b.Header, Style: style})
		}
	}
	decided := s.seen.Decide(hints)
	d := Decision{}
	for _, e := range decided.Evidence {
		d.Reasons = append(d.Reasons, e.Text)
	}
	for _, tie := range decided.Ties {
		open := true
		asked := Tie{Form: tie.Form.String(), Text: tie.Text}
		for _, choice := range tie.Choices {
			value := choiceName(choice)
			if answers[asked.Form] == value {
				decided.Style, open = choice.Apply(decided.Style), false
				d.Reasons = append(d.Reasons, "a person chose it")
			}
			asked.Choices = append(asked.Choices, intray.Choice{Value: value, Label: choice.Label, Examples: dateExamples(choice.Examples)})
		}
		if open {
			d.Ties = append(d.Ties, asked)
		}
	}
	if text, err := decided.Style.MarshalText(); err == nil {
		d.Style = string(text)
	}
	d.style = decided.Style
	with := *s.of
	with.style = decided.Style
	d.Parser = &with
	return d
}

// choiceName is how an answer names a choice: the order, or the languages.
func choiceName(c date.Choice) string {
	if c.Order != date.Undecided {
		return c.Order.String()
	}
	return strings.Join(c.Languages.Codes(), " ")
}

func dateExamples(list []date.Example) (texts []string) {
	for _, e := range list {
		texts = append(texts, fmt.Sprintf("%s is %s", e.Raw, e.Value))
	}
	return texts
}
