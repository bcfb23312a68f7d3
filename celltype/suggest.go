package celltype

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"

	"golang.org/x/text/cases"
	"golang.org/x/text/language"

	"github.com/intraydata/intray"
)

// Suggestion is a value that may be what an invalid cell means. It is offered
// to the user and never applied automatically.
type Suggestion struct {
	// Text is the value. Label is its display name.
	Text, Label string
	// Reason explains the suggestion.
	Reason intray.Message
}

// Suggester suggests values of one field to replace invalid text. For fields whose values come from
// a list, these are values with similar names. For all others, it corrects common mistakes.
type Suggester struct {
	names []candidate
	// parser parses the cells of the column, and repair returns corrections. repair is nil if the type
	// has none.
	parser Parser
	repair repairFunc
	// listOptions returns all values with their display names. It is nil if the
	// field lists its options itself.
	listOptions func() []intray.SelectOption
}

// candidate is one name of a value.
type candidate struct {
	key     []rune
	text    string
	label   string
	display string
}

// NewSuggester returns the suggester for the cells of a field that parser parses. It returns nil if it
// has no suggestions for the type. The parser may be nil if only names are of interest.
func NewSuggester(f intray.Field, parser Parser) *Suggester {
	listed := listSuggester(f)
	repair := repairs[f.Type.Name]
	if repair == nil || parser == nil {
		return listed
	}
	s := Suggester{}
	if listed != nil {
		s = *listed
	}
	s.parser, s.repair = parser, repair
	if f.Type.Name == intray.TypeMultiSelect {
		s.repair = listRepair(options(f.Type.Options).text("delimiter", ","))
	}
	return &s
}

// NewColumnSuggester returns the suggester for a column of a field. spec is the Spec of the Decision
// about the column, or "".
func NewColumnSuggester(f intray.Field, spec string) (*Suggester, error) {
	parser, err := Compile(f)
	if err != nil {
		return nil, fmt.Errorf("compile the field %q: %w", f.Key, err)
	}
	if sniffing, ok := parser.(SniffingParser); ok && spec != "" {
		if parser, err = sniffing.Restore(spec); err != nil {
			return nil, fmt.Errorf("restore the format of field %q: %w", f.Key, err)
		}
	}
	return NewSuggester(f, parser), nil
}

// listSuggester returns the suggester for a field whose values come from a list, or nil for any other
// field.
func listSuggester(f intray.Field) *Suggester {
	switch f.Type.Name {
	case intray.TypeSelect, intray.TypeMultiSelect:
		s := &Suggester{}
		for _, option := range f.SelectOptions {
			for _, name := range optionNames(option) {
				s.addName(name, option.Value, option.Label)
			}
		}
		return s
	case intray.TypeCountry:
		if options(f.Type.Options).text("format", "2-letter") == "3-letter" {
			return countrySuggester3()
		}
		return countrySuggester2()
	case intray.TypeState:
		return stateSuggester()
	}
	return nil
}

// These suggesters do not depend on the schema. They are built once.
var (
	countrySuggester2 = sync.OnceValue(func() *Suggester { return countrySuggester(false) })
	countrySuggester3 = sync.OnceValue(func() *Suggester { return countrySuggester(true) })
	stateSuggester    = sync.OnceValue(newStateSuggester)
)

func (s *Suggester) addName(name, text, label string) {
	key := []rune(normalizeName(name))
	if len(key) > 0 {
		s.names = append(s.names, candidate{key, text, cmp.Or(label, text), name})
	}
}

func countrySuggester(three bool) *Suggester {
	s := &Suggester{}
	names := countryNames()
	for _, name := range slices.Sorted(maps.Keys(names)) {
		code := names[name][:2]
		label := countries()[code].label
		if three {
			code = names[name][2:]
		}
		s.addName(name, code, label)
	}
	s.listOptions = sync.OnceValue(s.sortedOptions)
	return s
}

// BuiltinOptions returns the values of a field of type country or us-state-territory with their
// display names, sorted by name. It returns nil for other types.
func BuiltinOptions(f intray.Field) []intray.SelectOption {
	switch f.Type.Name {
	case intray.TypeCountry, intray.TypeState:
		return listSuggester(f).listOptions()
	}
	return nil
}

func (s *Suggester) sortedOptions() (list []intray.SelectOption) {
	labels := map[string]string{}
	for _, c := range s.names {
		if len(c.label) > len(labels[c.text]) {
			labels[c.text] = c.label
		}
	}
	for value, label := range labels {
		list = append(list, intray.SelectOption{Value: value, Label: label})
	}
	slices.SortFunc(list, func(a, b intray.SelectOption) int {
		return cmp.Or(cmp.Compare(a.Label, b.Label), cmp.Compare(a.Value, b.Value))
	})
	return slices.Clip(list) // makes callers that append to it allocate a new list
}

func newStateSuggester() *Suggester {
	s := &Suggester{}
	title := cases.Title(language.English)
	for _, name := range slices.Sorted(maps.Keys(stateCodes())) {
		s.addName(name, stateCodes()[name], "")
		if label := title.String(name); len(name) > len(stateCodes()[name]) {
			s.names[len(s.names)-1].label, s.names[len(s.names)-1].display = label, label
		}
	}
	s.listOptions = sync.OnceValue(s.sortedOptions)
	return s
}

// maxSuggestLength is the maximum length, in characters, of a value for which Suggest returns
// suggestions. One character in lengthShare may differ.
const maxSuggestLength, lengthShare = 64, 4

// Suggest returns corrections of text, or values whose names are similar to it, the most similar
// first, up to the number given by most.
func (s *Suggester) Suggest(text string, most int) []Suggestion {
	if s == nil {
		return nil
	}
	corrected := s.corrections(text, most)
	similar, close := s.similar(text, most)
	if len(corrected) > 0 && !close {
		return corrected
	}
	return similar
}

// similar returns values whose names are similar to text, up to the number given by most. close
// reports whether only the spelling of the first one differs.
func (s *Suggester) similar(text string, most int) (similar []Suggestion, close bool) {
	key := []rune(normalizeName(text))
	if len(key) == 0 || len(key) > maxSuggestLength {
		return nil, false
	}
	type found struct {
		candidate
		distance int
	}
	best := map[string]found{}
	for _, c := range s.names {
		d, like := likeness(key, c.key)
		if old, known := best[c.text]; like && (!known || d < old.distance) {
			best[c.text] = found{c, d}
		}
	}
	list := slices.SortedFunc(maps.Values(best), func(a, b found) int {
		return cmp.Or(cmp.Compare(a.distance, b.distance), cmp.Compare(a.label, b.label), cmp.Compare(a.text, b.text))
	})
	list = list[:min(len(list), most)]
	out := make([]Suggestion, 0, len(list))
	for _, f := range list {
		if f.distance > list[0].distance+1 && f.distance < partialMatch {
			continue // a different value is much closer
		}
		reason := intray.NewMessage("suggestion.spelled_like", intray.Params{"name": f.display})
		if f.distance >= partialMatch {
			reason = intray.NewMessage("suggestion.part_of", intray.Params{"name": f.display})
		}
		out = append(out, Suggestion{f.text, f.label, reason})
	}
	return out, len(list) > 0 && list[0].distance < partialMatch
}

// partialMatch is the distance between two names if one starts with the other; weaker partial
// matches have slightly greater distances.
const partialMatch = 100

// likeness returns the distance between text and a name, and reports whether they are similar.
func likeness(text, name []rune) (distance int, like bool) {
	const short, word = 3, 5
	if len(text) < short || len(name) < short {
		return 0, false // a typo turns any code into a different code
	}
	most := max(1, min(short, min(len(text), len(name))/lengthShare))
	if d := editDistance(text, name, most+1); d <= most {
		return d, true
	}
	a, b := " "+string(text)+" ", " "+string(name)+" "
	switch {
	case strings.HasPrefix(b, strings.TrimSuffix(a, " ")), strings.HasPrefix(a, strings.TrimSuffix(b, " ")):
		return partialMatch, true
	case strings.Contains(b, a), strings.Contains(a, b):
		return partialMatch + 1, true
	}
	for one := range strings.FieldsSeq(a) {
		if len(one) >= word && strings.Contains(b, " "+one+" ") {
			return partialMatch + 2, true
		}
	}
	return 0, false
}
