package celltype

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
	"github.com/intraydata/intray/celltype/number"
)

// selectParser parses the type select.
type selectParser struct{ *optionMatcher }

func newSelect(f intray.Field, o options, budget *SearchBudget) Parser {
	return selectParser{newOptionMatcher(f, o, budget)}
}

func (s selectParser) Parse(c Cell, scratch []byte) Result {
	text := trimSpace(c.Raw)
	if len(text) == 0 {
		return Result{State: Empty}
	}
	found, mapped := s.matchCell(c, text)
	switch {
	case found == nil && s.allowCustom:
		return newResult(c.Raw, text)
	case found == nil:
		return s.notFound()
	case !mapped:
		return newResult(c.Raw, append(scratch, found.value...))
	}
	r := newResult(c.Raw, append(scratch, found.value...))
	r.Note = found.mappedNote()
	return r
}

// multiSelectParser parses the type multi-select: several options in one cell.
// Its value is a JSON array of distinct strings, in the order of the cell.
type multiSelectParser struct {
	*optionMatcher
	delimiter  []byte
	trimValues bool
}

func newMultiSelect(f intray.Field, o options, budget *SearchBudget) Parser {
	m := &multiSelectParser{newOptionMatcher(f, o, budget), []byte(o.text("delimiter", ",")), o.boolean("trimValues", true)}
	if len(m.delimiter) == 0 {
		m.delimiter = []byte(",")
	}
	return m
}

// valuesBufferSize is the number of values up to which a cell is parsed without an allocation.
const valuesBufferSize = 16

func (m *multiSelectParser) Parse(c Cell, scratch []byte) Result {
	if IsBlank(c.Raw) {
		return Result{State: Empty}
	}
	var room [valuesBufferSize]string
	var state cellState
	values, ok := m.parseCell(room[:0], c, &state)
	switch {
	case !ok:
		return m.notFound()
	case len(values) == 0:
		return Result{State: Empty}
	}
	r := newResult(c.Raw, appendJSONArray(scratch, values))
	r.Note = state.note
	return r
}

// cellState is what is known about a cell while its values are parsed.
type cellState struct {
	note *Note
	// seen holds the values of the cell if there are valuesBufferSize or more.
	seen map[string]bool
}

// isRepeated reports whether values contains a value. If not, the caller must append it.
func (s *cellState) isRepeated(values []string, value string) bool {
	if len(values) < valuesBufferSize {
		return slices.Contains(values, value)
	}
	if s.seen == nil {
		s.seen = map[string]bool{}
		for _, one := range values {
			s.seen[one] = true
		}
	}
	if s.seen[value] {
		return true
	}
	s.seen[value] = true
	return false
}

// parseCell parses the values in a cell. A number cell contains one value. It returns false if
// a value is not an option.
func (m *multiSelectParser) parseCell(values []string, c Cell, state *cellState) (list []string, ok bool) {
	if c.Kind == intray.CellNumber {
		if found, mapped := m.matchCell(c, trimSpace(c.Raw)); found != nil && !mapped {
			return append(values, found.value), true
		}
	}
	return m.parseList(values, c.Raw, state)
}

// parseList parses the values in a cell: a JSON array of strings, which is also
// the canonical form, or strings separated by a delimiter.
func (m *multiSelectParser) parseList(values []string, raw []byte, state *cellState) (list []string, ok bool) {
	if parts := decodeJSONStrings(raw); parts != nil {
		for _, part := range parts {
			if values, ok = m.appendOption(values, []byte(part), state); !ok {
				return nil, false
			}
		}
		return values, true
	}
	for more := true; more; {
		var part []byte
		part, raw, more = bytes.Cut(raw, m.delimiter)
		if values, ok = m.appendOption(values, part, state); !ok {
			return nil, false
		}
	}
	return values, true
}

// decodeJSONStrings returns the elements of a JSON array of strings, or nil for any other input.
func decodeJSONStrings(raw []byte) []string {
	if raw[0] != '[' {
		return nil
	}
	var list []string
	if json.Unmarshal(raw, &list) != nil {
		return nil
	}
	return list
}

// appendOption appends the value of the option whose name is part. It reports
// false if there is no such option.
func (m *multiSelectParser) appendOption(values []string, part []byte, state *cellState) (list []string, ok bool) {
	if m.trimValues {
		part = trimSpace(part)
	}
	if IsBlank(part) {
		return values, true
	}
	found, mapped := m.matchText(part)
	if found == nil {
		return m.addCustom(values, string(part), state)
	}
	switch {
	case state.isRepeated(values, found.value):
		state.note = found.repeatedNote()
		return values, true
	case mapped:
		state.note = found.mappedNote()
	}
	return append(values, found.value), true
}

// addCustom appends a value that is not an option, if the field allows it.
func (m *multiSelectParser) addCustom(values []string, value string, state *cellState) (list []string, ok bool) {
	switch {
	case !m.allowCustom:
		return nil, false
	case state.isRepeated(values, value):
		state.note = repeatedNote(value)
		return values, true
	}
	return append(values, value), true
}

// appendJSONArray appends list as a JSON array of strings.
func appendJSONArray(dst []byte, list []string) []byte {
	dst = append(dst, '[')
	for i, text := range list {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = appendJSONString(dst, text)
	}
	return append(dst, ']')
}

// appendJSONString appends text as a JSON string.
func appendJSONString(dst []byte, text string) []byte {
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

// optionMatcher finds the option for a value. It tries an exact label, value or alternate match
// first, then ignores case, accents and spaces, and then tries the closest option.
type optionMatcher struct {
	// exact maps each name to its option. It includes the names in upper and
	// lower case if these are unambiguous.
	exact map[string]*choice
	// byLength indexes the same names by length. It is not used for lengths that more than
	// maxPerLength names have.
	byLength [maxIndexedLength][]namedChoice
	loose    map[string]*choice
	// numbers holds the names that are numbers, in canonical form. An entry is
	// nil if two options share the number.
	numbers map[string]*choice
	names   []optionName
	// index returns the index of the names. It builds the index when it is first needed.
	index       func() *nameIndex
	remembered  rememberedOptions
	budget      *SearchBudget
	allowCustom bool
	exactOnly   bool
	invalid     Result
	// notCompared is the result for a value that is not an option after the budget is exhausted.
	notCompared Result
}

// namedChoice is an option and one of its names.
type namedChoice struct {
	name   string
	choice *choice
}

// maxIndexedLength is the length, in bytes, from which names are too long to be indexed by
// length. If more than maxPerLength names have the same length, the index is not used for that
// length.
const maxIndexedLength, maxPerLength = 32, 6

// manyValues is the number of values of a multi-select cell from which the text of the cell takes
// as much memory as the values.
const manyValues = 1000

// MaxValueBytes returns the maximum size of the values of a select or multi-select field, in
// bytes. For a multi-select field, it is the maximum of cells with up to a thousand values. The
// values of other types are about as long as the text of their cells, and MaxValueBytes returns 0.
func MaxValueBytes(f intray.Field) int {
	if f.Type.Name != intray.TypeSelect && f.Type.Name != intray.TypeMultiSelect || len(f.SelectOptions) == 0 {
		return 0
	}
	sizes := make([]int, 0, len(f.SelectOptions))
	for _, option := range f.SelectOptions {
		sizes = append(sizes, len(option.Value))
	}
	slices.Sort(sizes)
	if f.Type.Name == intray.TypeSelect {
		return sizes[len(sizes)-1]
	}
	total := 0
	for _, size := range sizes[max(0, len(sizes)-manyValues):] {
		total += size
	}
	return total
}

// choice is an option of the field.
type choice struct {
	value, label string
	// mapped is the note of a cell that was mapped to the option. repeated is
	// the note of a cell that contains the option twice.
	mapped, repeated lazyNote
}

// lazyNote is a note that is created when it is first needed.
type lazyNote struct {
	once sync.Once
	note *Note
}

func (l *lazyNote) get(build func() *Note) *Note {
	l.once.Do(func() { l.note = build() })
	return l.note
}

// mappedNote returns the note of a cell that was mapped to the option. It
// contains the option's label.
func (c *choice) mappedNote() *Note {
	return c.mapped.get(func() *Note {
		return &Note{Code: CodeMapped, Level: intray.LevelInfo, Text: intray.NewMessage("select.mapped", intray.Params{"option": intray.Shorten(c.label)})}
	})
}

func (c *choice) repeatedNote() *Note {
	return c.repeated.get(func() *Note { return repeatedNote(c.value) })
}

func repeatedNote(value string) *Note {
	return &Note{Code: "repeated_value", Level: intray.LevelWarning, Text: intray.NewMessage("select.repeated_value", intray.Params{"value": intray.Shorten(value)})}
}

// maxShownOptions is the maximum number of options that a message lists.
const maxShownOptions = 5

func newOptionMatcher(f intray.Field, o options, budget *SearchBudget) *optionMatcher {
	p := &optionMatcher{
		exact: map[string]*choice{}, loose: map[string]*choice{}, numbers: map[string]*choice{}, budget: budget,
		allowCustom: o.boolean("allowCustom", false), exactOnly: o.boolean("exactMatchOnly", false),
	}
	values := map[string]*choice{}
	labels := make([]string, 0, len(f.SelectOptions))
	for _, option := range f.SelectOptions {
		labels = append(labels, intray.Shorten(option.Label))
		if values[option.Value] == nil {
			values[option.Value] = &choice{value: option.Value, label: cmp.Or(option.Label, option.Value)}
		}
		for _, name := range optionNames(option) {
			if p.exact[name] == nil {
				p.exact[name] = values[option.Value]
			}
		}
	}
	p.addNormalizedNames(f.SelectOptions, values)
	if !p.exactOnly {
		for _, name := range slices.Sorted(maps.Keys(p.exact)) {
			for _, other := range [...]string{strings.ToLower(name), strings.ToUpper(name)} {
				if found := p.loose[normalizeName(other)]; found != nil && p.exact[other] == nil {
					p.exact[other] = found
				}
			}
		}
	}
	for _, name := range slices.Sorted(maps.Keys(p.exact)) {
		if len(name) < maxIndexedLength {
			p.byLength[len(name)] = append(p.byLength[len(name)], namedChoice{name, p.exact[name]})
		}
	}
	p.invalid = invalidResult(f, notListed(labels))
	notCompared := intray.NewMessage("select.not_compared", nil)
	p.notCompared = Result{State: Invalid, Problem: &notCompared}
	p.index = sync.OnceValue(func() *nameIndex { return newNameIndex(p.names) })
	return p
}

func optionNames(option intray.SelectOption) []string {
	return append([]string{option.Value, option.Label}, option.AlternateMatches...)
}

// addNormalizedNames adds the trimmed names and their normalized keys. It drops
// a key that two options share.
func (p *optionMatcher) addNormalizedNames(options []intray.SelectOption, values map[string]*choice) {
	trimmed, shared, twice := map[string]*choice{}, map[string]bool{}, map[string]bool{}
	for _, option := range options {
		one := values[option.Value]
		for _, name := range optionNames(option) {
			name = strings.TrimSpace(name)
			twice[name] = twice[name] || trimmed[name] != nil && trimmed[name] != one
			trimmed[name] = one
			p.addNumber(name, one)
			key := normalizeName(name)
			other := p.loose[key]
			if other == one {
				continue
			}
			if other != nil {
				shared[key] = true
			}
			p.loose[key] = one
			p.names = append(p.names, optionName{[]rune(key), significantRunes([]rune(key)), one})
		}
	}
	for name, one := range trimmed {
		if !twice[name] && p.exact[name] == nil {
			p.exact[name] = one
		}
	}
	for key := range shared {
		delete(p.loose, key)
	}
}

// addNumber adds a name that is a number. It ignores other names.
func (p *optionMatcher) addNumber(name string, one *choice) {
	text, ok := number.Canonical(nil, []byte(name))
	if !ok {
		return
	}
	if other, taken := p.numbers[string(text)]; taken && other != one {
		one = nil
	}
	p.numbers[string(text)] = one
}

// matchCell finds the option for a cell. In a number cell, it first looks for
// the displayed text, and then for the value in any format.
func (p *optionMatcher) matchCell(c Cell, text []byte) (found *choice, mapped bool) {
	if c.Kind == intray.CellNumber && p.exactMatch(text) == nil {
		var room [keyBufferSize]byte
		if value, ok := number.Canonical(room[:0], c.Typed); ok && p.numbers[string(value)] != nil {
			return p.numbers[string(value)], false
		}
	}
	return p.matchText(text)
}

// notListed returns the message that a value is not an option. It lists the
// first options of the field.
func notListed(labels []string) intray.Message {
	if more := len(labels) - maxShownOptions; more > 0 {
		return intray.NewMessage("select.not_listed_more", intray.Params{"options": labels[:maxShownOptions], "n": more})
	}
	return intray.NewMessage("select.not_listed", intray.Params{"options": append([]string{}, labels...)})
}

// exactMatch returns the option with exactly this name.
func (p *optionMatcher) exactMatch(text []byte) *choice {
	if len(text) < maxIndexedLength && len(p.byLength[len(text)]) <= maxPerLength {
		for i := range p.byLength[len(text)] {
			if one := &p.byLength[len(text)][i]; one.name == string(text) {
				return one.choice
			}
		}
		return nil
	}
	return p.exact[string(text)]
}

// matchText finds the option for a value, and reports whether the match needs a
// note. A value that differs from a name of the option only in case needs none. If the field
// allows custom values, matchText does not try the closest option.
func (p *optionMatcher) matchText(text []byte) (found *choice, mapped bool) {
	if found = p.exactMatch(text); found != nil || p.exactOnly || len(text) > maxFuzzyLength {
		return found, false
	}
	var room [keyBufferSize]byte
	key := appendNormalizedName(room[:0], text)
	found = p.loose[string(key)]
	if found == nil && !p.allowCustom {
		found = p.rememberedOption(key)
	}
	return found, found != nil && !p.differsOnlyInCase(text, found)
}

// differsOnlyInCase reports whether text is the value or another name of an option in any case.
func (p *optionMatcher) differsOnlyInCase(text []byte, option *choice) bool {
	return strings.EqualFold(string(text), option.value) || p.exactMatch(bytes.ToLower(text)) == option
}

// rememberedOption returns the option whose name is closest to a text. It searches only if it
// does not remember the result.
func (p *optionMatcher) rememberedOption(text []byte) *choice {
	if len(p.names) < minRemembered {
		return p.closestOption([]rune(string(text)))
	}
	if found, known := p.remembered.find(text); known || p.budget.isExhausted() {
		return found
	}
	found := p.closestOption([]rune(string(text)))
	p.remembered.add(text, found, len(p.names))
	return found
}

// notFound returns the result for a value that is not an option.
func (p *optionMatcher) notFound() Result {
	if !p.exactOnly && p.budget.isExhausted() {
		return p.notCompared
	}
	return p.invalid
}

func lowerByte(b byte) byte {
	if b-'A' < 26 {
		return b + 'a' - 'A'
	}
	return b
}
