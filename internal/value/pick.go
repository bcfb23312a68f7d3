package value

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"

	"github.com/intraydata/intray"
)

// pick finds the option that a text means: by its label, its value or one of its
// alternate matches, to the letter, then without regard to case and accents and
// blanks, then the one that is closest.
type pick struct {
	exact  map[string]string
	loose  map[string]string
	close  []near
	custom bool
	only   bool
	wrong  Result
}

// near is a name of an option, for comparing.
type near struct {
	name  []rune
	value string
}

// shownOptions is how many options a message lists.
const shownOptions = 5

func newPick(f intray.Field, o options) *pick {
	p := &pick{exact: map[string]string{}, loose: map[string]string{}, custom: o.flag("allowCustom", false), only: o.flag("exactMatchOnly", false)}
	ambiguous := map[string]bool{}
	var labels []string
	for _, option := range f.SelectOptions {
		labels = append(labels, option.Label)
		for _, name := range append([]string{option.Value, option.Label}, option.AlternateMatches...) {
			name = strings.TrimSpace(name)
			if _, taken := p.exact[name]; !taken {
				p.exact[name] = option.Value
			}
			key := looseKey(name)
			if other, taken := p.loose[key]; taken && other != option.Value {
				ambiguous[key] = true
			}
			p.loose[key] = option.Value
			p.close = append(p.close, near{[]rune(key), option.Value})
		}
	}
	for key := range ambiguous {
		delete(p.loose, key)
	}
	p.wrong = wrong(f, "This is none of the values that are taken: "+someOf(labels)+".")
	return p
}

func someOf(labels []string) string {
	text := strings.Join(labels[:min(len(labels), shownOptions)], ", ")
	if more := len(labels) - shownOptions; more > 0 {
		text += fmt.Sprintf(" and %d more", more)
	}
	return text
}

// separators count as blanks.
const separators = "-_–—/.,;:'’`\"()"

// looseKey is a text in lower case, without accents, its words joined by one
// blank.
func looseKey(name string) string {
	var b strings.Builder
	gap := false
	for _, r := range norm.NFKD.String(strings.ToLower(name)) {
		switch {
		case unicode.Is(unicode.Mn, r):
		case unicode.IsSpace(r), strings.ContainsRune(separators, r):
			gap = b.Len() > 0
		default:
			if gap {
				b.WriteByte(' ')
				gap = false
			}
			b.WriteRune(r)
		}
	}
	return b.String()
}

// find gives the value that a text means, with a note where it was not plain.
func (p *pick) find(text []byte) (value string, note Note, found bool) {
	if value, found = p.exact[string(text)]; found || p.only {
		return value, note, found || p.custom
	}
	if len(text) <= maxClose {
		key := looseKey(string(text))
		if value, found = p.loose[key]; found {
			return value, taken(string(text), value), true
		}
		if !p.custom {
			if value, found = p.closest([]rune(key)); found {
				return value, taken(string(text), value), true
			}
		}
	}
	return string(text), note, p.custom
}

func taken(text, value string) Note {
	if strings.EqualFold(text, value) {
		return Note{}
	}
	return Note{Code: Mapped, Level: intray.LevelInfo, Text: fmt.Sprintf("This was taken for %q.", value)}
}

const (
	// maxClose is the most bytes of a text that is compared with the options.
	maxClose = 256
	// maxEdits is the most edits between a text and the option it is taken for,
	// and at most one in editShare characters.
	maxEdits, editShare = 2, 4
)

// closest gives the one option that is at most maxEdits away and at most a
// quarter of the text's length, where every other option is farther by two.
func (p *pick) closest(text []rune) (string, bool) {
	most := min(maxEdits, len(text)/editShare)
	if most == 0 {
		return "", false
	}
	best, second, value := most+1, most+1, ""
	for _, c := range p.close {
		d := edits(text, c.name, most+2)
		switch {
		case d < best:
			if c.value != value {
				second = best
			}
			best, value = d, c.value
		case c.value != value && d < second:
			second = d
		}
	}
	return value, best <= most && second > best+1 || best <= most && second > most
}

// edits is the edit distance of two texts, with two neighbours that changed
// places as one edit (optimal string alignment); or most where it is no less.
func edits(a, b []rune, most int) int {
	if len(a)-len(b) >= most || len(b)-len(a) >= most {
		return most
	}
	rows := [3][]int{make([]int, len(b)+1), make([]int, len(b)+1), make([]int, len(b)+1)}
	for j := range rows[1] {
		rows[1][j] = j
	}
	for i := range a {
		before, above, row := rows[i%3], rows[(i+1)%3], rows[(i+2)%3]
		row[0] = i + 1
		for j := range b {
			cost := 1
			if a[i] == b[j] {
				cost = 0
			}
			row[j+1] = min(above[j+1]+1, row[j]+1, above[j]+cost)
			if i > 0 && j > 0 && a[i] == b[j-1] && a[i-1] == b[j] {
				row[j+1] = min(row[j+1], before[j-1]+1)
			}
		}
	}
	return min(most, rows[(len(a)+1)%3][len(b)])
}

// selectOne is the type select.
type selectOne struct{ *pick }

func newSelect(f intray.Field, o options) (Parser, error) { return selectOne{newPick(f, o)}, nil }

func (s selectOne) Parse(c Cell, scratch []byte) Result {
	text := bytes.TrimSpace(c.Raw)
	if len(text) == 0 {
		return Result{State: Empty}
	}
	value, note, found := s.find(text)
	if !found {
		return s.wrong
	}
	r := outcome(c.Raw, append(scratch, value...))
	r.Note = note
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
	m := multiSelect{newPick(f, o), []byte(o.text("delimiter", ",")), o.flag("trimValues", true)}
	if len(m.delimiter) == 0 {
		m.delimiter = []byte(",")
	}
	return m, nil
}

func (m multiSelect) Parse(c Cell, scratch []byte) Result {
	if Blank(c.Raw) {
		return Result{State: Empty}
	}
	var values []string
	var note Note
	for _, part := range m.parts(c.Raw) {
		if m.trim {
			part = bytes.TrimSpace(part)
		}
		if len(part) == 0 {
			continue
		}
		value, told, found := m.find(part)
		if !found {
			return m.wrong
		}
		if told.Code != "" {
			note = told
		}
		if contains(values, value) {
			note = Note{Code: "repeated_value", Level: intray.LevelWarning, Text: fmt.Sprintf("The value %q is here more than once; it is taken once.", value)}
			continue
		}
		values = append(values, value)
	}
	if len(values) == 0 {
		return Result{State: Empty}
	}
	r := outcome(c.Raw, appendList(scratch, values))
	r.Note = note
	return r
}

// parts cuts a cell at the delimiter; one that is a JSON array of texts, as this
// type writes it, has its elements.
func (m multiSelect) parts(raw []byte) [][]byte {
	var list []string
	if raw[0] == '[' && json.Unmarshal(raw, &list) == nil {
		parts := make([][]byte, len(list))
		for i, text := range list {
			parts[i] = []byte(text)
		}
		return parts
	}
	return bytes.Split(raw, m.delimiter)
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
