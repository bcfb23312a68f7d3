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

// overridableTypes are the types for which a person may map raw text to values.
var overridableTypes = []intray.TypeName{intray.TypeSelect, intray.TypeMultiSelect, intray.TypeCountry, intray.TypeState}

// ApplyLearnedValues changes the parsers of fields that have a list of values so that they
// accept the raw text that people mapped to values. Answers win over learned values. Later
// learned values win over earlier ones.
func (p *Plan) ApplyLearnedValues(answers intray.Answers, learned []intray.LearnedValue) {
	ids := slices.Sorted(maps.Keys(answers))
	for i := range p.Fields {
		f := &p.Fields[i]
		if !slices.Contains(overridableTypes, f.field.Type.Name) {
			continue
		}
		texts := map[string]valueOverride{}
		for _, r := range learnedFor(learned, f.field.Key) {
			texts[strings.TrimSpace(r.Text)] = newOverride(r.Value, rememberedText(r))
		}
		prefix := intray.AnswerValue + f.field.Key + ":"
		for _, id := range ids {
			if text, about := strings.CutPrefix(id, prefix); about {
				texts[strings.TrimSpace(text)] = newOverride(answers[id], answeredText(answers[id]))
			}
		}
		delete(texts, "")
		if len(texts) > 0 {
			f.Parser = overrideParser{f.Parser, texts}
		}
	}
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
