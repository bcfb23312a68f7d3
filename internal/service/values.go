package service

import (
	"slices"
	"strings"

	"github.com/intraydata/intray"
	"github.com/intraydata/intray/internal/value"
)

// picking are the types whose values are chosen from a list, so that a person can
// say what a text stands for.
var picking = []intray.TypeName{intray.TypeSelect, intray.TypeMultiSelect, intray.TypeCountry, intray.TypeState}

func picks(f intray.Field) bool { return !f.Hidden && slices.Contains(picking, f.Type.Name) }

// aboutText says whether an answer is about what a text stands for.
func aboutText(id string) bool { return strings.HasPrefix(id, intray.AnswerValue) }

// texts judges what a person says that texts stand for.
type texts struct {
	fields []intray.Field
	// parsers are those of the fields named so far, by their keys.
	parsers map[string]value.Parser
}

func newTexts(fields []intray.Field) *texts {
	return &texts{fields, map[string]value.Parser{}}
}

// accept gives an answer as it is kept: as the value that it is read as, where
// that reads as itself, or says what is wrong with it.
func (t *texts) accept(id, answer string) (kept string, err error) {
	f, text, err := t.field(id)
	switch {
	case err != nil:
		return "", err
	case text == "" || text != strings.TrimSpace(text):
		return "", invalidField("answers", intray.NewMessage("answer.text_missing", intray.Params{"question": clip(id)}))
	case len(text) > maxMemoryText:
		return "", invalidField("answers", intray.NewMessage("answer.text_too_long", intray.Params{"question": clip(id), "n": maxMemoryText}))
	case answer == "":
		return "", nil // it makes the cell empty, whatever the field
	}
	parser, err := t.parser(f)
	if err != nil {
		return "", err
	}
	canonical, is := valueOf(parser, answer)
	if !is {
		return "", invalidField("answers", intray.NewMessage("answer.not_a_value", intray.Params{"answer": clip(answer), "question": clip(id)}))
	}
	if f.Type.Name == intray.TypeMultiSelect {
		return answer, nil // a list is kept as it was written
	}
	if again, is := valueOf(parser, canonical); !is || again != canonical {
		return answer, nil
	}
	return canonical, nil
}

// valueOf gives what a text is read as. What is only like a value is none.
func valueOf(parser value.Parser, text string) (canonical string, is bool) {
	read := parser.Parse(value.Cell{Raw: []byte(text)}, nil)
	switch {
	case read.Note != nil:
		return "", false
	case read.State == value.Same:
		return text, true
	}
	return string(read.Value), read.State == value.Parsed
}

// field gives the field and the text that an answer names. Keys may hold colons,
// too.
func (t *texts) field(id string) (found intray.Field, text string, err error) {
	rest, named, matches := strings.TrimPrefix(id, intray.AnswerValue), false, 0
	for _, f := range t.fields {
		after, about := strings.CutPrefix(rest, f.Key+":")
		named = named || about && !f.Hidden
		if about && picks(f) {
			found, text = f, after
			matches++
		}
	}
	switch {
	case !named:
		err = invalidField("answers", intray.NewMessage("answer.value_of_unknown_field", intray.Params{"question": clip(id), "start": intray.AnswerValue}))
	case matches == 0:
		err = invalidField("answers", intray.NewMessage("answer.field_without_options", intray.Params{"question": clip(id)}))
	case matches > 1:
		err = invalidField("answers", intray.NewMessage("answer.ambiguous_field", intray.Params{"question": clip(id)}))
	}
	return found, text, err
}

func (t *texts) parser(f intray.Field) (value.Parser, error) {
	if parser, known := t.parsers[f.Key]; known {
		return parser, nil
	}
	parser, err := value.Compile(f)
	t.parsers[f.Key] = parser
	return parser, err
}

// NewSuggester makes what tells which values of a field texts may have been meant
// as; nil, which tells of none, for fields whose values are not chosen from a list.
func NewSuggester(f intray.Field) *value.Suggester { return value.NewSuggester(f) }

// Choices gives the values that a person chooses from in a field, each with the name
// that people know it by: countries, or those of the schema; nil for all other fields.
func Choices(f intray.Field) []intray.SelectOption {
	return append(value.Listed(f), f.SelectOptions...)
}

// shownNames are what cells show in place of the values that are chosen in them, by
// field.
func shownNames(fields []intray.Field) []map[string]string {
	names := make([]map[string]string, len(fields))
	for i, f := range fields {
		if !picks(f) {
			continue
		}
		names[i] = map[string]string{}
		for _, option := range Choices(f) {
			names[i][option.Value] = option.Label
		}
	}
	return names
}
