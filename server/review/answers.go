package review

import (
	"errors"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/intraydata/intray"
	"github.com/intraydata/intray/celltype"
	"github.com/intraydata/intray/server/imports"
	"github.com/intraydata/intray/server/model"
)

// CheckAnswers says what is wrong with answers about any file, or about one of
// so many columns, for fields of a schema: what no question could take, and what
// two answers say of one column in two ways. Columns below 0 stand for a file
// that is not known yet. It gives the answers as they are kept, with texts that
// stand for a value as that value, and those that are wrong as they are.
func CheckAnswers(fields []intray.Field, columns int, answers intray.Answers) (intray.Answers, error) {
	if columns < 0 {
		columns = math.MaxInt
	}
	j := answerChecker{newValueAnswers(fields), columns}
	kept := maps.Clone(answers)
	var first error
	for _, id := range slices.Sorted(maps.Keys(answers)) {
		value, err := j.normalize(id, answers[id])
		if err == nil {
			kept[id] = value
		} else if first == nil {
			first = err
		}
	}
	if first == nil {
		first = checkContradictions(fields, answers)
	}
	return kept, unwrapAnswerError(first)
}

// unwrapAnswerError is an error without what is said of the request around it.
func unwrapAnswerError(err error) error {
	var e *model.Error
	if errors.As(err, &e) && len(e.Fields["answers"]) > 0 {
		return &intray.MessageError{Message: e.Fields["answers"][0]}
	}
	return err
}

// CheckContradictions says what is wrong where two answers of which only one can hold
// give one column to two fields, or one field its columns in two ways.
func CheckContradictions(fields []intray.Field, answers intray.Answers) error {
	return unwrapAnswerError(checkContradictions(fields, answers))
}

// InvalidChoiceError refuses an answer that its question does not take.
func InvalidChoiceError(id, value string) error { return unwrapAnswerError(invalidChoice(id, value)) }

func invalidChoice(id, value string) *model.Error {
	return model.InvalidField("answers", intray.NewMessage("answer.not_a_choice", intray.Params{"answer": model.Truncate(value), "question": model.Truncate(id)}))
}

// answerChecker holds answers against fields, without a question that asked for them.
type answerChecker struct {
	*valueAnswers
	columns int
}

// normalize gives an answer as it is kept.
func (j answerChecker) normalize(id, value string) (string, error) {
	kind, about, found := strings.Cut(id, ":")
	switch {
	case isValueAnswer(id):
		return j.valueAnswers.normalize(id, value)
	case found && kind+":" == intray.AnswerColumn:
		return value, j.checkColumns(id, about, value)
	case found && kind+":" == intray.AnswerField:
		return value, j.checkField(id, about, value)
	case found && kind+":" == intray.AnswerFormat:
		return value, j.checkFormat(id, about)
	}
	return value, checkReadingAnswer(id, value)
}

// checkReadingAnswer judges an answer about the reading of the file.
func checkReadingAnswer(id, value string) error {
	row, err := strconv.Atoi(value)
	isRow := value == intray.NoAnswer || err == nil && row > 0
	if id == intray.AnswerHeaderRow && !isRow || value == "" {
		return invalidChoice(id, value)
	}
	return nil
}

// checkColumns judges an answer that gives a field its columns.
func (j answerChecker) checkColumns(id, key, value string) error {
	at := slices.IndexFunc(j.fields, func(f intray.Field) bool { return f.Key == key && !f.Hidden })
	if at < 0 {
		return model.InvalidField("answers", intray.NewMessage("answer.unknown_field", intray.Params{"question": model.Truncate(id), "answer": model.Truncate(value)}))
	}
	f := j.fields[at]
	q := intray.Question{AnyColumn: true, Many: f.ManyToOne}
	if !f.RequireMapping {
		q.Choices = []intray.Choice{{Value: intray.NoAnswer}}
	}
	if !q.Accepts(value, j.columns) {
		return invalidChoice(id, value)
	}
	return nil
}

// checkField judges an answer that gives a column its field.
func (j answerChecker) checkField(id, index, value string) error {
	if _, fits := intray.ColumnIndex(index, j.columns); !fits {
		return model.InvalidField("answers", intray.NewMessage("answer.unknown_column", intray.Params{"question": model.Truncate(id), "answer": model.Truncate(value)}))
	}
	named := func(f intray.Field) bool { return f.Key == value && !f.Hidden }
	if value != intray.NoAnswer && !slices.ContainsFunc(j.fields, named) {
		return invalidChoice(id, value)
	}
	return nil
}

// checkFormat judges an answer about how the cells of a field are read, by the field
// alone: which forms there are is up to the file.
func (j answerChecker) checkFormat(id, about string) error {
	for _, f := range j.fields {
		if form, named := strings.CutPrefix(about, f.Key); !named || f.Hidden || form != "" && form[0] != ':' {
			continue
		}
		parser, err := j.parser(f)
		if err != nil {
			return err
		}
		if _, surveyed := parser.(celltype.SniffingParser); surveyed {
			return nil
		}
	}
	return model.InvalidField("answers", intray.NewMessage("answer.field_without_formats", intray.Params{"question": model.Truncate(id)}))
}

// checkContradictions looks for two answers of which only one can hold.
func checkContradictions(fields []intray.Field, answers intray.Answers) error {
	ofColumn, ofField := map[int]string{}, map[string]string{}
	for _, f := range fields {
		id := intray.AnswerColumn + f.Key
		list, given := answers[id]
		if !given {
			continue
		}
		ofField[f.Key] = id
		for one := range strings.SplitSeq(list, ",") {
			column, fits := intray.ColumnIndex(one, math.MaxInt)
			switch {
			case !fits: // none
			case ofColumn[column] != "":
				return contradictionError(ofColumn[column], id)
			default:
				ofColumn[column] = id
			}
		}
	}
	for _, id := range slices.Sorted(maps.Keys(answers)) {
		index, about := strings.CutPrefix(id, intray.AnswerField)
		column, fits := intray.ColumnIndex(index, math.MaxInt)
		if !about || !fits {
			continue
		}
		key := answers[id]
		before, same := ofColumn[column], intray.AnswerColumn+key
		if before != "" && before != same {
			return contradictionError(before, id)
		}
		if other := ofField[key]; other != "" && before == "" && (other == same || !isManyToOne(fields, key)) {
			return contradictionError(other, id)
		}
		if key != intray.NoAnswer && ofField[key] == "" {
			ofField[key] = id
		}
	}
	return nil
}

func isManyToOne(fields []intray.Field, key string) bool {
	return slices.ContainsFunc(fields, func(f intray.Field) bool { return f.Key == key && f.ManyToOne })
}

func contradictionError(one, other string) error {
	return model.InvalidField("answers", intray.NewMessage("answer.contradiction", intray.Params{"question": model.Truncate(one), "other": model.Truncate(other)}))
}

// isValueAnswer says whether an answer is about what a text stands for.
func isValueAnswer(id string) bool { return strings.HasPrefix(id, intray.AnswerValue) }

// valueAnswers judges what a person says that texts stand for.
type valueAnswers struct {
	fields []intray.Field
	// parsers are those of the fields named so far, by their keys.
	parsers map[string]celltype.Parser
}

func newValueAnswers(fields []intray.Field) *valueAnswers {
	return &valueAnswers{fields, map[string]celltype.Parser{}}
}

// normalize gives an answer as it is kept: as the value that it is read as, where
// that reads as itself, or says what is wrong with it.
func (t *valueAnswers) normalize(id, answer string) (kept string, err error) {
	f, text, err := t.resolveField(id)
	switch {
	case err != nil:
		return "", err
	case text == "" || text != strings.TrimSpace(text):
		return "", model.InvalidField("answers", intray.NewMessage("answer.text_missing", intray.Params{"question": model.Truncate(id)}))
	case len(text) > imports.MaxMemoryText:
		return "", model.InvalidField("answers", intray.NewMessage("answer.text_too_long", intray.Params{"question": model.Truncate(id), "n": imports.MaxMemoryText}))
	case answer == "":
		return "", nil // it makes the cell empty, whatever the field
	}
	parser, err := t.parser(f)
	if err != nil {
		return "", err
	}
	canonical, is := parseCanonical(parser, answer)
	if !is {
		return "", model.InvalidField("answers", intray.NewMessage("answer.not_a_value", intray.Params{"answer": model.Truncate(answer), "question": model.Truncate(id)}))
	}
	if f.Type.Name == intray.TypeMultiSelect {
		return answer, nil // a list is kept as it was written
	}
	if again, is := parseCanonical(parser, canonical); !is || again != canonical {
		return answer, nil
	}
	return canonical, nil
}

// parseCanonical gives what a text is read as. What is only like a value is none.
func parseCanonical(parser celltype.Parser, text string) (canonical string, is bool) {
	read := parser.Parse(celltype.Cell{Raw: []byte(text)}, nil)
	switch {
	case read.Note != nil:
		return "", false
	case read.State == celltype.Unchanged:
		return text, true
	}
	return string(read.Value), read.State == celltype.Parsed
}

// resolveField gives the field and the text that an answer names. Keys may hold colons,
// too.
func (t *valueAnswers) resolveField(id string) (found intray.Field, text string, err error) {
	rest, named, matches := strings.TrimPrefix(id, intray.AnswerValue), false, 0
	for _, f := range t.fields {
		after, about := strings.CutPrefix(rest, f.Key+":")
		named = named || about && !f.Hidden
		if about && imports.HasChoices(f) {
			found, text = f, after
			matches++
		}
	}
	switch {
	case !named:
		err = model.InvalidField("answers", intray.NewMessage("answer.value_of_unknown_field", intray.Params{"question": model.Truncate(id), "start": intray.AnswerValue}))
	case matches == 0:
		err = model.InvalidField("answers", intray.NewMessage("answer.field_without_options", intray.Params{"question": model.Truncate(id)}))
	case matches > 1:
		err = model.InvalidField("answers", intray.NewMessage("answer.ambiguous_field", intray.Params{"question": model.Truncate(id)}))
	}
	return found, text, err
}

func (t *valueAnswers) parser(f intray.Field) (celltype.Parser, error) {
	if parser, known := t.parsers[f.Key]; known {
		return parser, nil
	}
	parser, err := celltype.Compile(f)
	t.parsers[f.Key] = parser
	return parser, err
}

// NewSuggester makes what tells which values of a field texts may have been meant
// as; nil, which tells of none, for fields whose values are not chosen from a list.
func NewSuggester(f intray.Field) *celltype.Suggester { return celltype.NewSuggester(f) }

// Choices gives the values that a person chooses from in a field, each with the name
// that people know it by: countries, or those of the schema; nil for all other fields.
func Choices(f intray.Field) []intray.SelectOption {
	return append(celltype.BuiltinOptions(f), f.SelectOptions...)
}

// choiceLabels are what cells show in place of the values that are chosen in them, by
// field.
func choiceLabels(fields []intray.Field) []map[string]string {
	names := make([]map[string]string, len(fields))
	for i, f := range fields {
		if !imports.HasChoices(f) {
			continue
		}
		names[i] = map[string]string{}
		for _, option := range Choices(f) {
			names[i][option.Value] = option.Label
		}
	}
	return names
}
