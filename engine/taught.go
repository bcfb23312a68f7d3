package engine

import (
	"bytes"
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/intraydata/intray"
	"github.com/intraydata/intray/internal/value"
)

// taught is a parser that reads some texts as a person said.
type taught struct {
	value.Parser
	texts map[string]lesson
}

// lesson is what a text is read as, and why.
type lesson struct {
	value  []byte
	reason string
}

// Parse reads a cell.
func (t taught) Parse(c value.Cell, scratch []byte) value.Result {
	l, known := t.texts[string(bytes.TrimSpace(c.Raw))]
	if !known {
		return t.Parser.Parse(c, scratch)
	}
	note := &value.Note{Code: value.Mapped, Level: intray.LevelInfo, Text: intray.Literal(l.reason)}
	if len(l.value) == 0 {
		return value.Result{State: value.Empty, Note: note}
	}
	r := t.Parser.Parse(value.Cell{Raw: l.value}, scratch)
	switch r.State {
	case value.Same:
		r.State, r.Value = value.Parsed, l.value
	case value.Wrong, value.Empty:
		return t.Parser.Parse(c, scratch) // the schema does not take that value any more
	}
	r.Note = note
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
			texts[strings.TrimSpace(r.Text)] = learn(r.Value, "you said on "+r.On.Format("2 January 2006"))
		}
		prefix := intray.AnswerValue + f.field.Key + ":"
		for _, id := range ids {
			if text, about := strings.CutPrefix(id, prefix); about {
				texts[strings.TrimSpace(text)] = learn(imp.Answers[id], "a person said")
			}
		}
		delete(texts, "")
		if len(texts) > 0 {
			f.parser = taught{f.parser, texts}
		}
	}
}

func learn(text, who string) lesson {
	what := "an empty cell"
	if text != "" {
		what = strconv.Quote(text)
	}
	return lesson{[]byte(text), fmt.Sprintf("This was taken for %s, as %s.", what, who)}
}

func remembered(all []intray.RememberedValue, key string) []intray.RememberedValue {
	own := slices.DeleteFunc(slices.Clone(all), func(r intray.RememberedValue) bool { return r.Field != key })
	slices.SortStableFunc(own, func(a, b intray.RememberedValue) int {
		return cmp.Or(a.On.Compare(b.On), strings.Compare(a.Text, b.Text), strings.Compare(a.Value, b.Value))
	})
	return own
}
