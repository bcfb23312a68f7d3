package value

import (
	"fmt"
	"strings"

	"github.com/intraydata/intray"
	"github.com/intraydata/intray/internal/value/date"
)

// moment is the types date, datetime and time. Its canonical text is an ISO form.
//
// The options locale and displayFormat say how cells may be written beside what
// is read anyway, and in which order the numbers of a day stand: a cell that
// contradicts them is an exception, and where most that tell do so it is a
// question. Apart from that, displayFormat is for showing only.
type moment struct {
	field  intray.Field
	want   date.Want
	second bool
	fix    bool
	// format and locale are what the field itself says; read is the format
	// compiled, where there is one, and ordered says that it is day, month and year
	// in numbers, so that the cells of a column can contradict it.
	format, locale string
	read           *date.Layout
	ordered        bool
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
		if err := checkOutput(o.text("outputFormat", date.ISO), m.locale, want); err != nil {
			return nil, err
		}
		m.style = m.hints().Own(want)
		if m.format == "" {
			return m, nil
		}
		var err error
		if m.read, err = date.CompileLayout(m.format, m.locale, want, m.second); err == nil {
			order := m.read.Order()
			m.ordered = order != date.Undecided && order != date.YDM && m.readsClock()
		}
		return m, err
	}
}

// checkOutput refuses formats that the values of a field cannot be written in: they
// have no offset, and one that is written all the same would be made up.
func checkOutput(format, locale string, want date.Want) error {
	layout, err := date.CompileLayout(format, locale, want, false)
	if err != nil {
		return err
	}
	if layout.HasOffset() {
		return fmt.Errorf("the outputFormat %q asks for an offset or a time zone (Z, z, X, x), which the values do not keep; leave it out", format)
	}
	return nil
}

// readsClock says whether the time in the field's own format is what it would be
// taken for anyway.
func (m *moment) readsClock() bool {
	sample := date.Moment{Date: date.Date{Year: 2021, Month: 10, Day: 31}, Clock: date.Clock{Hour: 15, Minute: 20, Second: 7}}
	text := m.read.Append(nil, sample)
	return m.style.Read(text, m.want).Clock == m.read.Read(text, m.want).Clock
}

func (m *moment) hints() date.Hints {
	return date.Hints{Format: m.format, Locale: m.locale, Autofix: m.fix}
}

func (m *moment) Parse(c Cell, scratch []byte) Result {
	if value, ok := m.quick(c, scratch); ok {
		return outcome(c.Raw, value)
	}
	if Blank(c.Raw) {
		return Result{State: Empty}
	}
	r, note := m.reading(c)
	if r.Reason != date.Read {
		return wrong(m.field, r.Reason.Message(m.want))
	}
	result := outcome(c.Raw, m.canonical(scratch, r))
	result.Note = note
	return result
}

// quick reads what most cells are.
func (m *moment) quick(c Cell, dst []byte) (value []byte, ok bool) {
	if c.Kind != intray.CellText || m.read != nil && !m.ordered {
		return nil, false
	}
	switch m.want {
	case date.WantDate:
		if day, ok := m.style.Day(c.Raw); ok {
			return day.Append(dst), true
		}
	case date.WantClock:
		if clock, ok := date.TimeOfDay(c.Raw); ok {
			return clock.Append(dst, m.second), true
		}
	default:
		if moment, ok := m.style.DayAndTime(c.Raw); ok {
			return moment.Append(dst, m.second), true
		}
	}
	return nil, false
}

// Notes of cells that were read in another way than their column.
var (
	otherOrder = &Note{Code: Fixed, Level: intray.LevelInfo, Text: intray.NewMessage("date.unlike_column", nil)}
	plainDay   = &Note{Code: Fixed, Level: intray.LevelInfo, Text: intray.NewMessage("date.from_number", nil)}
	plainClock = &Note{Code: Fixed, Level: intray.LevelInfo, Text: intray.NewMessage("time.from_number", nil)}
)

// reading reads a cell: by what a workbook says of it, by the field's own format,
// by the style of the column.
func (m *moment) reading(c Cell) (date.Reading, *Note) {
	switch c.Kind {
	case intray.CellDate, intray.CellDateTime, intray.CellTime:
		var iso date.Style
		if r := iso.Read(c.Typed, m.want); r.Reason == date.Read {
			return r, nil
		}
	}
	if r, ok := m.byFormat(c.Raw); ok {
		return r, nil
	}
	if c.Kind == intray.CellNumber {
		if r := date.ReadSerial(c.Typed, date.Since1900, m.want); r.Reason == date.Read {
			if m.want == date.WantClock {
				return r, plainClock
			}
			return r, plainDay
		}
	}
	r := m.style.Read(c.Raw, m.want)
	if r.Fixed {
		return r, otherOrder
	}
	return r, nil
}

// byFormat reads a cell by the field's own format, unless the column has its days
// in another order.
func (m *moment) byFormat(raw []byte) (date.Reading, bool) {
	if m.read == nil {
		return date.Reading{}, false
	}
	r := m.read.Read(raw, m.want)
	if r.Reason != date.Read {
		return r, false
	}
	if m.ordered {
		if other := m.style.Read(raw, m.want); other.Reason == date.Read && !other.Fixed && other.Date != r.Date {
			return other, true
		}
	}
	return r, true
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

func (m *moment) Survey() Survey { return &momentSurvey{of: m, seen: date.NewColumn(m.want)} }

type momentSurvey struct {
	of   *moment
	seen *date.Column
	// serials are the cells that are plain numbers of a workbook, serial the first
	// and read what it was read as.
	serials      int64
	serial, read string
}

func (s *momentSurvey) Add(c Cell) {
	switch c.Kind {
	case intray.CellDate, intray.CellDateTime, intray.CellTime:
	case intray.CellNumber:
		s.addSerial(c)
	default:
		s.seen.Add(c.Raw)
	}
}

func (s *momentSurvey) addSerial(c Cell) {
	if r, note := s.of.reading(c); r.Reason == date.Read && note.Code != "" {
		if s.serials == 0 {
			s.serial, s.read = string(c.Typed), string(s.of.canonical(nil, r))
		}
		s.serials++
	}
}

// tellSerials tells that numbers are read as days or times.
func (s *momentSurvey) tellSerials(d *Decision) {
	if s.serials > 0 {
		d.Reasons = append(d.Reasons, intray.NewMessage("date.from_numbers", intray.Params{"example": s.serial, "read": s.read, "n": s.serials}))
	}
}

func (s *momentSurvey) Decide(answers map[string]string, beside []Beside) Decision {
	hints := s.of.hints()
	for _, b := range beside {
		if style, same := b.Decision.style.(date.Style); same {
			hints.Neighbours = append(hints.Neighbours, date.Neighbour{Header: b.Header, Style: style})
		}
	}
	decided := s.seen.Decide(hints)
	d := Decision{Reasons: decided.Evidence}
	s.tellSerials(&d)
	for _, tie := range decided.Ties {
		open := true
		asked := Tie{Form: tie.Form.String(), Text: tie.Text}
		for _, choice := range tie.Choices {
			value := choiceName(choice)
			if answers[asked.Form] == value {
				decided.Style, open = choice.Apply(decided.Style), false
				d.Reasons = append(d.Reasons, intray.NewMessage("answer.by_person", nil))
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
	d.Parser, d.Form = &with, d.Style
	return d
}

// Restore reads the style.
func (m *moment) Restore(form string) (Parser, error) {
	with := *m
	if err := with.style.UnmarshalText([]byte(form)); err != nil {
		return nil, err
	}
	return &with, nil
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
