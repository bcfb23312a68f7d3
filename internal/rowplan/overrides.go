package rowplan

import (
	"bytes"
	"cmp"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/intraydata/intray"
	"github.com/intraydata/intray/celltype"
	"github.com/intraydata/intray/mapping"
)

// overrideParser parses some raw values as a person decided. It parses all other cells with
// the embedded Parser.
type overrideParser struct {
	celltype.Parser
	texts map[string]valueOverride
}

// valueOverride is the value that a person chose for raw text, with a note about the decision.
type valueOverride struct {
	value []byte
	note  *celltype.Note
}

// Parse parses a cell.
func (t overrideParser) Parse(c celltype.Cell, scratch []byte) celltype.Result {
	l, known := t.texts[string(bytes.TrimSpace(c.Raw))]
	if !known {
		return t.Parser.Parse(c, scratch)
	}
	if len(l.value) == 0 {
		return celltype.Result{State: celltype.Empty, Note: l.note}
	}
	r := t.Parser.Parse(celltype.Cell{Raw: l.value}, scratch)
	switch r.State {
	case celltype.Unchanged:
		r.State, r.Value = celltype.Parsed, l.value
	case celltype.Invalid, celltype.Empty:
		return t.Parser.Parse(c, scratch) // the schema no longer allows this value
	}
	r.Note = l.note
	return r
}

// ApplyLearnedValues changes the parsers of fields so that they read raw text as people decided.
// If they decided that a number or date means a missing value, all cells with that value are read as
// empty, however it is written. Answers win over learned
// values. Later learned values win over earlier ones.
func (p *Plan) ApplyLearnedValues(answers intray.Answers, learned []intray.LearnedValue) {
	for i := range p.Fields {
		f := &p.Fields[i]
		if !f.field.Type.Name.AcceptsValueAnswers() {
			continue
		}
		texts := overridesOf(f.field.Key, answers, learned)
		if slices.Contains(sentinelTypes, f.field.Type.Name) {
			texts = f.ignoreSentinels(texts)
		}
		if len(texts) > 0 {
			f.Parser = overrideParser{f.Parser, texts}
		}
	}
}

// overridesOf returns the decisions of people about the raw text of a field.
func overridesOf(key string, answers intray.Answers, learned []intray.LearnedValue) map[string]valueOverride {
	texts := map[string]valueOverride{}
	for _, r := range learnedFor(learned, key) {
		texts[strings.TrimSpace(r.Text)] = newOverride(r.Value, rememberedText(r))
	}
	prefix := intray.AnswerValue + key + ":"
	for _, id := range slices.Sorted(maps.Keys(answers)) {
		if text, about := strings.CutPrefix(id, prefix); about {
			texts[strings.TrimSpace(text)] = newOverride(answers[id], answeredText(answers[id]))
		}
	}
	delete(texts, "")
	return texts
}

// sentinelTypes are the types in which a value can mean a missing value, such as 999.
var sentinelTypes = []intray.TypeName{intray.TypeNumber, intray.TypeDate, intray.TypeDatetime}

// sentinelParser reads cells with certain values as empty. It parses all other cells with the
// embedded Parser.
type sentinelParser struct {
	celltype.Parser
	// values holds the canonical texts of the values.
	values map[string]bool
}

// Parse parses a cell.
func (s sentinelParser) Parse(c celltype.Cell, scratch []byte) celltype.Result {
	result := s.Parser.Parse(c, scratch)
	if value, has := result.Canonical(c); has && s.values[string(value)] {
		return celltype.Result{State: celltype.Empty, Missing: true}
	}
	return result
}

// ignoreSentinels makes the field read the values that people decided to be missing as empty. It
// returns the other decisions.
func (f *FieldPlan) ignoreSentinels(texts map[string]valueOverride) map[string]valueOverride {
	values, rest := map[string]bool{}, map[string]valueOverride{}
	for text, decided := range texts {
		c := celltype.Cell{Raw: []byte(text)}
		value, has := f.Parser.Parse(c, nil).Canonical(c)
		switch {
		case has && len(decided.value) == 0:
			values[string(value)] = true
		case !has || string(value) != string(decided.value):
			rest[text] = decided
		}
	}
	if len(values) > 0 {
		if f.missing == nil {
			f.missing = &markerCount{cells: map[string]int64{}}
		}
		f.Parser = sentinelParser{f.Parser, values}
	}
	return rest
}

// IsDecided reports whether a person decided how a field reads raw text.
func (p *Plan) IsDecided(field int, raw string, answers intray.Answers, learned []intray.LearnedValue) bool {
	f := &p.Fields[field]
	canonical := func(text string) string {
		c := celltype.Cell{Raw: []byte(text)}
		value, _ := f.Parser.Parse(c, nil).Canonical(c)
		return string(value)
	}
	for text := range overridesOf(f.field.Key, answers, learned) {
		if text == raw || canonical(text) == canonical(raw) {
			return true
		}
	}
	return false
}

func newOverride(text string, why intray.Message) valueOverride {
	return valueOverride{[]byte(text), &celltype.Note{Code: celltype.CodeMapped, Level: intray.LevelInfo, Text: why}}
}

func rememberedText(r intray.LearnedValue) intray.Message {
	date := r.On.Format(time.DateOnly)
	if r.Value == "" {
		return intray.NewMessage("value_mapping.remembered_empty", intray.Params{"date": date})
	}
	return intray.NewMessage("value_mapping.remembered", intray.Params{"value": mapping.Shorten(r.Value), "date": date})
}

func answeredText(v string) intray.Message {
	if v == "" {
		return intray.NewMessage("value_mapping.answered_empty", nil)
	}
	return intray.NewMessage("value_mapping.answered", intray.Params{"value": mapping.Shorten(v)})
}

func learnedFor(all []intray.LearnedValue, key string) []intray.LearnedValue {
	own := slices.DeleteFunc(slices.Clone(all), func(r intray.LearnedValue) bool { return r.Field != key })
	slices.SortStableFunc(own, func(a, b intray.LearnedValue) int {
		return cmp.Or(a.On.Compare(b.On), strings.Compare(a.Text, b.Text), strings.Compare(a.Value, b.Value))
	})
	return own
}
