package engine

import (
	"bytes"
	"cmp"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/intraydata/intray"
	"github.com/intraydata/intray/internal/value"
	"github.com/intraydata/intray/mapping"
)

// taught is a parser that reads some texts as a person said.
type taught struct {
	value.Parser
	texts map[string]lesson
}

// lesson is what a text is read as, and a note of who said so.
type lesson struct {
	value []byte
	note  *value.Note
}

// Parse reads a cell.
func (t taught) Parse(c value.Cell, scratch []byte) value.Result {
	l, known := t.texts[string(bytes.TrimSpace(c.Raw))]
	if !known {
		return t.Parser.Parse(c, scratch)
	}
	if len(l.value) == 0 {
		return value.Result{State: value.Empty, Note: l.note}
	}
	r := t.Parser.Parse(value.Cell{Raw: l.value}, scratch)
	switch r.State {
	case value.Same:
		r.State, r.Value = value.Parsed, l.value
	case value.Wrong, value.Empty:
		return t.Parser.Parse(c, scratch) // the schema does not take that value any more
	}
	r.Note = l.note
	return r
}

// teachable are the types whose texts a person may map to values.
var teachable = []intray.TypeName{intray.TypeSelect, intray.TypeMultiSelect, intray.TypeCountry, intray.TypeState}

// teach lets the parsers of fields with choices read the texts that persons
// mapped to values: those remembered, the latest last, and then the answers.
func (p *plan) teach(imp Import) {
	ids := slices.Sorted(maps.Keys(imp.Answers))
	for i := range p.fields {
		f := &p.fields[i]
		if !slices.Contains(teachable, f.field.Type.Name) {
			continue
		}
		texts := map[string]lesson{}
		for _, r := range remembered(imp.Memory.Values, f.field.Key) {
			texts[strings.TrimSpace(r.Text)] = learn(r.Value, rememberedText(r))
		}
		prefix := intray.AnswerValue + f.field.Key + ":"
		for _, id := range ids {
			if text, about := strings.CutPrefix(id, prefix); about {
				texts[strings.TrimSpace(text)] = learn(imp.Answers[id], answeredText(imp.Answers[id]))
			}
		}
		delete(texts, "")
		if len(texts) > 0 {
			f.parser = taught{f.parser, texts}
		}
	}
}

func learn(text string, why intray.Message) lesson {
	return lesson{[]byte(text), &value.Note{Code: value.Mapped, Level: intray.LevelInfo, Text: why}}
}

func rememberedText(r intray.RememberedValue) intray.Message {
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

func remembered(all []intray.RememberedValue, key string) []intray.RememberedValue {
	own := slices.DeleteFunc(slices.Clone(all), func(r intray.RememberedValue) bool { return r.Field != key })
	slices.SortStableFunc(own, func(a, b intray.RememberedValue) int {
		return cmp.Or(a.On.Compare(b.On), strings.Compare(a.Text, b.Text), strings.Compare(a.Value, b.Value))
	})
	return own
}
