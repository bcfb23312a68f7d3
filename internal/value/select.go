package value

import (
	"bytes"
	"encoding/json"
	"unicode/utf8"

	"github.com/intraydata/intray"
)

// selectOne is the type select.
type selectOne struct{ *pick }

func newSelect(f intray.Field, o options) (Parser, error) { return selectOne{newPick(f, o)}, nil }

func (s selectOne) Parse(c Cell, scratch []byte) Result {
	text := trimmed(c.Raw)
	if len(text) == 0 {
		return Result{State: Empty}
	}
	found, mapped := s.findIn(c, text)
	switch {
	case found == nil && s.custom:
		return outcome(c.Raw, text)
	case found == nil:
		return s.wrong
	case !mapped:
		return outcome(c.Raw, append(scratch, found.value...))
	}
	r := outcome(c.Raw, append(scratch, found.value...))
	r.Note = found.mappedNote()
	return r
}

// multiSelect is the type multi-select: several options in one cell. Its value
// is a JSON array of texts, in the order of the cell, each once.
type multiSelect struct {
	*pick
	delimiter []byte
	trim      bool
}

func newMultiSelect(f intray.Field, o options) (Parser, error) {
	m := &multiSelect{newPick(f, o), []byte(o.text("delimiter", ",")), o.flag("trimValues", true)}
	if len(m.delimiter) == 0 {
		m.delimiter = []byte(",")
	}
	return m, nil
}

// usualValues is how many values of a cell cost no allocation.
const usualValues = 16

func (m *multiSelect) Parse(c Cell, scratch []byte) Result {
	if Blank(c.Raw) {
		return Result{State: Empty}
	}
	var room [usualValues]string
	values, note, ok := m.readCell(room[:0], c)
	switch {
	case !ok:
		return m.wrong
	case len(values) == 0:
		return Result{State: Empty}
	}
	r := outcome(c.Raw, appendList(scratch, values))
	r.Note = note
	return r
}

// readCell takes the values of a cell. A number is one value.
func (m *multiSelect) readCell(values []string, c Cell) (list []string, note *Note, ok bool) {
	if c.Kind == intray.CellNumber {
		if found, mapped := m.findIn(c, trimmed(c.Raw)); found != nil && !mapped {
			return append(values, found.value), nil, true
		}
	}
	return m.read(values, c.Raw)
}

// read takes the values of a cell: those of a JSON array of texts, as this type
// writes it, or what stands between the delimiters.
func (m *multiSelect) read(values []string, raw []byte) (list []string, note *Note, ok bool) {
	if parts := jsonTexts(raw); parts != nil {
		for _, part := range parts {
			if values, ok = m.add(values, []byte(part), &note); !ok {
				return nil, note, false
			}
		}
		return values, note, true
	}
	for more := true; more; {
		var part []byte
		part, raw, more = bytes.Cut(raw, m.delimiter)
		if values, ok = m.add(values, part, &note); !ok {
			return nil, note, false
		}
	}
	return values, note, true
}

// jsonTexts gives the elements of a JSON array of texts; nil of anything else.
func jsonTexts(raw []byte) []string {
	if raw[0] != '[' {
		return nil
	}
	var list []string
	if json.Unmarshal(raw, &list) != nil {
		return nil
	}
	return list
}

// add finds the option of a part. It is false where there is none.
func (m *multiSelect) add(values []string, part []byte, note **Note) (list []string, ok bool) {
	if m.trim {
		part = trimmed(part)
	}
	if Blank(part) {
		return values, true
	}
	found, mapped := m.find(part)
	if found == nil {
		return m.addCustom(values, string(part), note)
	}
	switch {
	case contains(values, found.value):
		*note = found.repeatedNote()
		return values, true
	case mapped:
		*note = found.mappedNote()
	}
	return append(values, found.value), true
}

// addCustom adds a value that is no option, where the field takes it.
func (m *multiSelect) addCustom(values []string, value string, note **Note) (list []string, ok bool) {
	switch {
	case !m.custom:
		return nil, false
	case contains(values, value):
		*note = repeatedNote(value)
		return values, true
	}
	return append(values, value), true
}

func contains(list []string, value string) bool {
	for _, v := range list {
		if v == value {
			return true
		}
	}
	return false
}

// appendList writes texts as a JSON array.
func appendList(dst []byte, list []string) []byte {
	dst = append(dst, '[')
	for i, text := range list {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = appendQuoted(dst, text)
	}
	return append(dst, ']')
}

// appendQuoted writes a text as a JSON string.
func appendQuoted(dst []byte, text string) []byte {
	const hex = "0123456789abcdef"
	dst = append(dst, '"')
	for _, r := range text {
		switch {
		case r == '"' || r == '\\':
			dst = append(dst, '\\', byte(r))
		case r < 0x20:
			dst = append(dst, '\\', 'u', '0', '0', hex[r>>4], hex[r&15])
		default:
			dst = utf8.AppendRune(dst, r)
		}
	}
	return append(dst, '"')
}
