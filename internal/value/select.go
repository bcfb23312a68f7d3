package value

import (
	"bytes"
	"cmp"
	"encoding/json"
	"maps"
	"slices"
	"strings"
	"sync"
	"unicode/utf8"

	"github.com/intraydata/intray"
	"github.com/intraydata/intray/internal/value/number"
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

// pick finds the option that a text means: by its label, its value or one of its
// alternate matches, to the letter, then without regard to case and accents and
// blanks, then the one that is closest.
type pick struct {
	// exact has each name as it is, and in other cases what it would be found as
	// otherwise.
	exact map[string]match
	// byLength has the same, where few names have a length.
	byLength [maxLength][]named
	loose    map[string]*choice
	// numbers has the names that are numbers, in their canonical form; nil where
	// two options share one.
	numbers map[string]*choice
	close   []near
	custom  bool
	only    bool
	wrong   Result
}

// match is the option of a text, and whether that is to be told.
type match struct {
	choice *choice
	mapped bool
}

// named is a match with its text.
type named struct {
	text string
	match
}

// Names of fewer than maxLength bytes are looked up by their length, if at most
// maxAlike have it.
const maxLength, maxAlike = 32, 6

// choice is an option of the field.
type choice struct {
	value, label string
	// mapped is the note of a text that was taken for the option, repeated that of
	// one that a cell holds more than once.
	mapped, repeated lazyNote
}

// lazyNote is a note that is made when it is first needed.
type lazyNote struct {
	once sync.Once
	note *Note
}

func (l *lazyNote) get(build func() *Note) *Note {
	l.once.Do(func() { l.note = build() })
	return l.note
}

// mappedNote names the option as people know it.
func (c *choice) mappedNote() *Note {
	return c.mapped.get(func() *Note {
		return &Note{Code: Mapped, Level: intray.LevelInfo, Text: intray.NewMessage("select.mapped", intray.Params{"option": c.label})}
	})
}

func (c *choice) repeatedNote() *Note {
	return c.repeated.get(func() *Note { return repeatedNote(c.value) })
}

func repeatedNote(value string) *Note {
	return &Note{Code: "repeated_value", Level: intray.LevelWarning, Text: intray.NewMessage("select.repeated_value", intray.Params{"value": value})}
}

// shownOptions is how many options a message lists.
const shownOptions = 5

func newPick(f intray.Field, o options) *pick {
	p := &pick{exact: map[string]match{}, loose: map[string]*choice{}, numbers: map[string]*choice{}, custom: o.flag("allowCustom", false), only: o.flag("exactMatchOnly", false)}
	values := map[string]*choice{}
	var labels []string
	for _, option := range f.SelectOptions {
		labels = append(labels, option.Label)
		if values[option.Value] == nil {
			values[option.Value] = &choice{value: option.Value, label: cmp.Or(option.Label, option.Value)}
		}
		for _, name := range namesOf(option) {
			if p.exact[name].choice == nil {
				p.exact[name] = match{choice: values[option.Value]}
			}
		}
	}
	p.addLoose(f.SelectOptions, values)
	if !p.only {
		p.addCases()
	}
	for _, name := range slices.Sorted(maps.Keys(p.exact)) {
		if len(name) < maxLength {
			p.byLength[len(name)] = append(p.byLength[len(name)], named{name, p.exact[name]})
		}
	}
	p.wrong = wrong(f, notListed(labels))
	return p
}

func namesOf(option intray.SelectOption) []string {
	return append([]string{option.Value, option.Label}, option.AlternateMatches...)
}

// addLoose adds the names without the white space at their ends, and their keys.
// What two options share means neither.
func (p *pick) addLoose(options []intray.SelectOption, values map[string]*choice) {
	trimmed, shared, twice := map[string]*choice{}, map[string]bool{}, map[string]bool{}
	for _, option := range options {
		one := values[option.Value]
		for _, name := range namesOf(option) {
			name = strings.TrimSpace(name)
			twice[name] = twice[name] || trimmed[name] != nil && trimmed[name] != one
			trimmed[name] = one
			p.addNumber(name, one)
			key := looseKey(name)
			if other := p.loose[key]; other != nil && other != one {
				shared[key] = true
			}
			p.loose[key] = one
			p.close = append(p.close, near{[]rune(key), telling([]rune(key)), one})
		}
	}
	for name, one := range trimmed {
		if !twice[name] && p.exact[name].choice == nil {
			p.exact[name] = match{choice: one}
		}
	}
	for key := range shared {
		delete(p.loose, key)
	}
}

// addNumber adds a name that is a number.
func (p *pick) addNumber(name string, one *choice) {
	text, ok := number.Canonical(nil, []byte(name))
	if !ok {
		return
	}
	if other, taken := p.numbers[string(text)]; taken && other != one {
		one = nil
	}
	p.numbers[string(text)] = one
}

// findIn finds the option of a cell: of a number to the letter first, then by its
// value, however it is displayed.
func (p *pick) findIn(c Cell, text []byte) (found *choice, mapped bool) {
	if c.Kind == intray.CellNumber && p.lookUp(text).choice == nil {
		var room [usualKey]byte
		if value, ok := number.Canonical(room[:0], c.Typed); ok && p.numbers[string(value)] != nil {
			return p.numbers[string(value)], false
		}
	}
	return p.find(text)
}

// addCases adds the names of the options in small and in capital letters.
func (p *pick) addCases() {
	for _, name := range slices.Sorted(maps.Keys(p.exact)) {
		for _, other := range [...]string{strings.ToLower(name), strings.ToUpper(name)} {
			if found := p.loose[looseKey(other)]; found != nil && p.exact[other].choice == nil {
				p.exact[other] = match{found, !strings.EqualFold(other, found.value)}
			}
		}
	}
}

// notListed lists the options of a field, or the first of them.
func notListed(labels []string) intray.Message {
	if more := len(labels) - shownOptions; more > 0 {
		return intray.NewMessage("select.not_listed_more", intray.Params{"options": labels[:shownOptions], "n": more})
	}
	return intray.NewMessage("select.not_listed", intray.Params{"options": append([]string{}, labels...)})
}

// lookUp finds a name to the letter.
func (p *pick) lookUp(text []byte) match {
	if len(text) < maxLength && len(p.byLength[len(text)]) <= maxAlike {
		for i := range p.byLength[len(text)] {
			if one := &p.byLength[len(text)][i]; one.text == string(text) {
				return one.match
			}
		}
		return match{}
	}
	return p.exact[string(text)]
}

// find gives the option that a text means, and says whether that is to be told.
// With custom values it may be none of the field's.
func (p *pick) find(text []byte) (found *choice, mapped bool) {
	if m := p.lookUp(text); m.choice != nil || p.only || len(text) > maxClose {
		return m.choice, m.mapped
	}
	var room [usualKey]byte
	key := appendLooseKey(room[:0], text)
	found = p.loose[string(key)]
	if found == nil && !p.custom {
		found = p.closest([]rune(string(key)))
	}
	return found, found != nil && !strings.EqualFold(string(text), found.value)
}
