package celltype

import (
	"bytes"
	"strconv"
	"strings"

	"github.com/intraydata/intray"
	"github.com/intraydata/intray/celltype/date"
)

// dateTimeParser parses the types date, datetime and time. Its canonical text
// is in ISO 8601 format.
//
// The options locale and displayFormat add formats that cells may use, and set the expected
// order of day, month and year. A single cell that contradicts this order is an exception. If
// most of the decisive cells contradict it, the user is asked. In all other respects,
// displayFormat affects only how values are displayed.
type dateTimeParser struct {
	field       intray.Field
	want        date.Want
	withSeconds bool
	autofix     bool
	// format and locale are the field's own options. layout is the compiled
	// format, or nil. numericOrder reports whether the format is day, month and
	// year in numbers, so that cells can contradict it.
	format, locale string
	layout         *date.Layout
	numericOrder   bool
	style          date.Style
	// year is the current year, or 0 if it is unknown. past reports whether two-digit years are not
	// after it. It may be nil.
	year int
	past func() bool
}

func newDateTimeParser(want date.Want) func(f intray.Field, o options) (Parser, error) {
	return func(f intray.Field, o options) (Parser, error) {
		m := &dateTimeParser{
			field: f, want: want, withSeconds: o.boolean("withSeconds", false), autofix: o.boolean("autofix", true),
			format: o.text("displayFormat", ""), locale: o.text("locale", ""),
		}
		if _, known := date.FindLocale(m.locale); m.locale != "" && !known {
			return nil, date.UnknownLocale(m.locale)
		}
		if err := checkOutputFormat(o.text("outputFormat", date.ISO), m.locale, want); err != nil {
			return nil, err
		}
		m.style = m.fieldHints().FieldStyle(want)
		if m.format == "" {
			return m, nil
		}
		var err error
		if m.layout, err = date.CompileLayout(m.format, m.locale, want, m.withSeconds); err == nil {
			order := m.layout.DateOrder()
			m.numericOrder = order != date.Undecided && order != date.YDM && m.readsTimeAlike()
		}
		return m, err
	}
}

// checkOutputFormat rejects formats with an offset. Values have no offset, so any offset in
// the output would be made up.
func checkOutputFormat(format, locale string, want date.Want) error {
	layout, err := date.CompileLayout(format, locale, want, false)
	if err != nil {
		return err
	}
	if layout.HasOffset() {
		return &intray.MessageError{Message: intray.NewMessage("date_format.output_with_offset", intray.Params{"format": format})}
	}
	return nil
}

// readsTimeAlike reports whether a time in the field's own format is read the
// same way without the format.
func (m *dateTimeParser) readsTimeAlike() bool {
	sample := date.Timestamp{Date: date.Date{Year: 2021, Month: 10, Day: 31}, Time: date.Time{Hour: 15, Minute: 20, Second: 7}}
	text := m.layout.Append(nil, sample)
	return m.style.Read(text, m.want).Time == m.layout.Read(text, m.want).Time
}

func (m *dateTimeParser) fieldHints() date.Hints {
	return date.Hints{Format: m.format, Locale: m.locale, Autofix: m.autofix, Year: m.year}
}

// Context is what is known about a field in addition to its schema and the cells of its column.
type Context struct {
	// Year is the year of the import, or 0 if it is unknown.
	Year int
	// PastDates reports whether dates are not in the future. It is called only if that matters, and may
	// be nil. Years reports whether numbers are years.
	PastDates func() bool
	Years     bool
}

// WithContext returns the parser with a context. It returns parsers that do not need it unchanged.
func WithContext(p Parser, c Context) Parser {
	switch m := p.(type) {
	case *dateTimeParser:
		if m.want == date.WantTime || c.Year < 2000 || c.Year > 2098 {
			return p
		}
		with := *m
		with.year, with.past = c.Year, c.PastDates
		return &with
	case *numberParser:
		with := *m
		with.years, with.unrestricted = c.Years, m.unrestricted && !c.Years
		return &with
	}
	return p
}

func (m *dateTimeParser) Parse(c Cell, scratch []byte) Result {
	if value, remarks, ok := m.parseSimple(c, scratch); ok {
		if remarks == 0 {
			return newResult(c.Raw, value)
		}
		result := newResult(c.Raw, value)
		result.Remarks = remarks
		return result
	}
	if IsBlank(c.Raw) {
		return Result{State: Empty}
	}
	r, note := m.readCell(c)
	if r.Reason != date.Read {
		return invalidResult(m.field, r.Reason.Message(m.want))
	}
	result := newResult(c.Raw, r.AppendISO(scratch, m.want, m.withSeconds))
	result.Note = note
	switch m.want {
	case date.WantDate:
		result.Remarks = m.dateRemarks(r.Date) | TimeLost.setIf(r.Time != date.Time{}) | OffsetIgnored.setIf(r.HasZone && (!m.style.HasOffset || r.Offset != m.style.Offset))
	case date.WantTime:
		result.Remarks = m.timeRemarks(r.Time) | DateLost.setIf(r.HasDate) | m.offsetRemarks(r.HasZone, true) | OffsetIgnored.setIf(r.HasZone && m.style.HasOffset && r.Offset != m.style.Offset)
	default:
		result.Remarks = m.dateRemarks(r.Date) | m.timeRemarks(r.Time) | OffsetConverted.setIf(r.Shifted) | m.offsetRemarks(r.HasZone, r.HasTime)
	}
	if c.Kind == intray.CellText && note == noteSerialDate {
		result.Note, result.Remarks = nil, result.Remarks|SerialRead.set()
	}
	return result
}

// dateRemarks returns the remarks about a date.
func (m *dateTimeParser) dateRemarks(d date.Date) Remarks {
	if m.style.Calendar == date.UnknownCalendar && date.LooksForeign(int(d.Year)) {
		return YearUnlikely.set()
	}
	return 0
}

// timeRemarks returns the remarks about a time of day.
func (m *dateTimeParser) timeRemarks(t date.Time) Remarks {
	switch {
	case t.Second != 0 && !m.withSeconds:
		return SecondsLost.set()
	case t.Nano != 0:
		return FractionLost.set()
	}
	return 0
}

// offsetRemarks returns the remarks about the UTC offset of a cell. zoned reports whether it has one,
// and timed whether it has a time.
func (m *dateTimeParser) offsetRemarks(zoned, timed bool) Remarks {
	switch {
	case zoned == m.style.HasOffset:
		return 0
	case zoned:
		return OffsetIgnored.set()
	case timed:
		return OffsetMissing.set()
	}
	return 0
}

// parseSimple parses the formats of most cells. It reports false for any other cell.
func (m *dateTimeParser) parseSimple(c Cell, dst []byte) (value []byte, remarks Remarks, ok bool) {
	if c.Kind != intray.CellText || m.layout != nil && !m.numericOrder {
		return nil, 0, false
	}
	switch m.want {
	case date.WantDate:
		if day, ok := m.style.ReadSimpleDate(c.Raw); ok {
			return day.Append(dst), m.dateRemarks(day), true
		}
	case date.WantTime:
		if clock, ok := date.ReadSimpleTime(c.Raw); ok {
			return clock.Append(dst, m.withSeconds), m.timeRemarks(clock) | m.offsetRemarks(false, true), true
		}
	default:
		if moment, zoned, ok := m.style.ReadSimpleDateTime(c.Raw); ok {
			return moment.Append(dst, m.withSeconds), m.dateRemarks(moment.Date) | m.timeRemarks(moment.Time) | m.offsetRemarks(zoned, len(c.Raw) > len("2006-01-02")), true
		}
	}
	return nil, 0, false
}

// These are the notes of cells that were read differently from the rest of the column.
var (
	noteOtherOrder = &Note{Code: CodeReadOtherwise, Level: intray.LevelInfo, Text: intray.NewMessage("date.unlike_column", nil)}
	noteSerialDate = &Note{Code: CodeReadOtherwise, Level: intray.LevelInfo, Text: intray.NewMessage("date.from_number", nil)}
	noteSerialTime = &Note{Code: CodeReadOtherwise, Level: intray.LevelInfo, Text: intray.NewMessage("time.from_number", nil)}
)

// readCell reads a cell by its workbook kind, by the field's own format, or by
// the style of the column.
func (m *dateTimeParser) readCell(c Cell) (date.Reading, *Note) {
	switch c.Kind {
	case intray.CellDate, intray.CellDateTime, intray.CellTime:
		var iso date.Style
		if r := iso.Read(c.Typed, m.want); r.Reason == date.Read {
			return r, nil
		}
	}
	if r, ok := m.readByFormat(c.Raw); ok {
		return r, nil
	}
	if c.Kind == intray.CellNumber {
		if r := date.ReadSerial(c.Typed, date.Since1900, m.want); r.Reason == date.Read {
			if m.want == date.WantTime {
				return r, noteSerialTime
			}
			return r, noteSerialDate
		}
	}
	r := m.style.Read(c.Raw, m.want)
	switch {
	case r.Autofixed:
		return r, noteOtherOrder
	case r.Reason == date.NotUnderstood && m.style.Serials && isSerialText(c.Raw):
		return date.ReadSerial(c.Raw, date.Since1900, m.want), noteSerialDate
	}
	return r, nil
}

// The least and the greatest number, in days from 1900, that is read as a date if a text file contains
// it: 1954-10-03 and 2064-04-08.
const minSerialText, maxSerialText = 20_000, 60_000

// isSerialText reports whether text is a number that a spreadsheet exported instead of a date. Other
// numbers are more likely to be codes.
func isSerialText(raw []byte) bool {
	days, fraction, _ := bytes.Cut(trimSpace(raw), []byte{'.'})
	n, err := strconv.Atoi(string(days))
	return err == nil && len(days) == 5 && n >= minSerialText && n <= maxSerialText && digitsOnly(fraction)
}

// readByFormat reads a cell in the field's own format, unless the column has a different order.
func (m *dateTimeParser) readByFormat(raw []byte) (date.Reading, bool) {
	if m.layout == nil {
		return date.Reading{}, false
	}
	r := m.layout.Read(raw, m.want)
	if r.Reason != date.Read {
		return r, false
	}
	if m.numericOrder {
		if other := m.style.Read(raw, m.want); other.Reason == date.Read && !other.Autofixed && other.Date != r.Date {
			return other, true
		}
	}
	return r, true
}

func (m *dateTimeParser) NewSniffer() Sniffer {
	return &dateTimeSniffer{parser: m, sniffer: date.NewSniffer(m.want)}
}

type dateTimeSniffer struct {
	parser  *dateTimeParser
	sniffer *date.Sniffer
	// serialCount counts the plain numbers that are read as dates or times. serialExample is the
	// first of them, and read is its value.
	serialCount         int64
	serialExample, read string
	// serialTexts reports whether some of them are text.
	serialTexts bool
}

func (s *dateTimeSniffer) Observe(c Cell) {
	switch c.Kind {
	case intray.CellDate, intray.CellDateTime, intray.CellTime:
	case intray.CellNumber:
		if r, note := s.parser.readCell(c); r.Reason == date.Read && note.Code != "" {
			s.countSerial(c.Typed, r)
		}
	default:
		s.sniffer.Observe(c.Raw)
		if s.parser.want != date.WantTime && isSerialText(c.Raw) {
			if r := date.ReadSerial(c.Raw, date.Since1900, s.parser.want); r.Reason == date.Read {
				s.serialTexts = true
				s.countSerial(c.Raw, r)
			}
		}
	}
}

// countSerial counts a number that is read as a date or time.
func (s *dateTimeSniffer) countSerial(number []byte, r date.Reading) {
	if s.serialCount == 0 {
		s.serialExample, s.read = string(number), string(r.AppendISO(nil, s.parser.want, s.parser.withSeconds))
	}
	s.serialCount++
}

func (s *dateTimeSniffer) Decide(answers map[string]string, neighbors []Neighbor) Decision {
	hints := s.parser.fieldHints()
	for _, b := range neighbors {
		if style, same := b.Decision.style.(date.Style); same {
			hints.Neighbors = append(hints.Neighbors, date.Neighbor{Header: b.Header, Style: style})
		}
	}
	if past := s.parser.past; past != nil && s.sniffer.HasShortYears() && past() {
		hints.Pivot = uint8(s.parser.year - 1999)
	}
	decided := s.sniffer.Decide(hints)
	decided.Style.Serials = s.serialTexts
	d := Decision{Reasons: decided.Evidence}
	if s.serialCount > 0 {
		d.Reasons = append(d.Reasons, intray.NewMessage("date.from_numbers", intray.Params{"example": s.serialExample, "read": s.read, "n": s.serialCount}))
	}
	for _, tie := range decided.Ambiguities {
		open := true
		asked := Ambiguity{Key: tie.Key(), Text: tie.Text}
		for _, choice := range tie.Choices {
			value := choiceValue(choice)
			if answers[asked.Key] == value {
				decided.Style, open = choice.Apply(decided.Style), false
				d.Reasons = append(d.Reasons, intray.NewMessage("answer.by_person", nil))
			}
			asked.Choices = append(asked.Choices, intray.Choice{Value: value, Label: choice.Label, Examples: exampleTexts(choice.Readings), Readings: choice.Readings})
		}
		if open {
			d.Ambiguities = append(d.Ambiguities, asked)
		}
	}
	if text, err := decided.Style.MarshalText(); err == nil {
		d.Style = string(text)
	}
	d.style = decided.Style
	with := *s.parser
	with.style = decided.Style
	d.Parser, d.Spec = &with, d.Style
	return d
}

// Restore returns the parser of a serialized style.
func (m *dateTimeParser) Restore(form string) (Parser, error) {
	with := *m
	if err := with.style.UnmarshalText([]byte(form)); err != nil {
		return nil, err
	}
	return &with, nil
}

// choiceValue returns the value of an answer: the order, the calendar or the languages.
func choiceValue(c date.Choice) string {
	if c.Calendar != date.UnknownCalendar {
		return c.Calendar.String()
	}
	if c.Order != date.Undecided {
		return c.Order.String()
	}
	return strings.Join(c.Languages.Tags(), " ")
}
