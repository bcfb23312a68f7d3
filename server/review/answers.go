package review

import (
	"errors"
	"maps"
	"math"
	"slices"
	"strings"

	"github.com/intraydata/intray"
	"github.com/intraydata/intray/celltype"
	"github.com/intraydata/intray/server/imports"
	"github.com/intraydata/intray/server/model"
	"github.com/intraydata/intray/source"
)

// CheckAnswers validates answers for the fields of a schema. columns is the number of columns of
// the file, without those that a person adds, or negative if the file is unknown. CheckAnswers returns an error if no question
// could have such an answer, or if two answers contradict each other. The returned answers are
// normalized: names of values are replaced with the values.
func CheckAnswers(fields []intray.Field, columns int, answers intray.Answers) (intray.Answers, error) {
	list, given := answers[intray.AnswerDerived]
	derived, ok := intray.ParseDerivedColumns(list, columns)
	if given && !ok {
		return nil, unwrapAnswerError(invalidChoice(intray.AnswerDerived, answers[intray.AnswerDerived]))
	}
	columns += len(derived)
	if columns < len(derived) {
		columns = math.MaxInt
	}
	checker := answerChecker{newValueAnswers(fields), columns}
	normalized := maps.Clone(answers)
	var first error
	for _, id := range slices.Sorted(maps.Keys(answers)) {
		value, err := checker.normalize(id, answers[id])
		if err == nil {
			normalized[id] = value
		} else if first == nil {
			first = err
		}
	}
	if first == nil {
		first = checkContradictions(fields, answers)
	}
	return normalized, unwrapAnswerError(first)
}

// unwrapAnswerError returns an error with only the message about the answer. It
// drops the message about the request.
func unwrapAnswerError(err error) error {
	var e *model.Error
	if errors.As(err, &e) && len(e.Fields["answers"]) > 0 {
		return &intray.MessageError{Message: e.Fields["answers"][0]}
	}
	return err
}

// CheckContradictions returns an error if two answers map a column to different
// fields, or map different columns to the same field.
func CheckContradictions(fields []intray.Field, answers intray.Answers) error {
	return unwrapAnswerError(checkContradictions(fields, answers))
}

// InvalidChoiceError returns the error for an answer that its question does not accept.
func InvalidChoiceError(id, value string) error { return unwrapAnswerError(invalidChoice(id, value)) }

func invalidChoice(id, value string) *model.Error {
	return model.InvalidField("answers", intray.NewMessage("answer.not_a_choice", intray.Params{"answer": model.Truncate(value), "question": model.Truncate(id)}))
}

// answerChecker validates answers without knowing the questions.
type answerChecker struct {
	*valueAnswers
	columns int
}

// normalize validates an answer and returns its normalized form.
func (c answerChecker) normalize(id, value string) (string, error) {
	kind, about, found := strings.Cut(id, ":")
	switch {
	case id == intray.AnswerDerived: // CheckAnswers has parsed it
		return value, nil
	case id == intray.AnswerNewFields:
		if value != intray.AllColumns {
			return "", invalidChoice(id, value)
		}
		return value, nil
	case found && kind+":" == intray.AnswerNewField:
		return value, c.checkNewField(id, about, value)
	case isValueAnswer(id):
		return c.valueAnswers.normalize(id, value)
	case found && kind+":" == intray.AnswerColumn:
		return value, c.checkColumns(id, about, value)
	case found && kind+":" == intray.AnswerField:
		return value, c.checkField(id, about, value)
	case found && kind+":" == intray.AnswerFormat:
		return value, c.checkFormat(id, about)
	}
	return value, checkReadingAnswer(id, value)
}

// checkReadingAnswer validates an answer about how to read the file.
func checkReadingAnswer(id, value string) error {
	_, _, isRow := intray.ParseHeaderRows(value)
	_, isList := intray.ParseColumnStarts(value)
	switch {
	case value == "", id == intray.AnswerHeaderRow && !isRow && value != intray.NoAnswer,
		id == intray.AnswerMisplacedQuotes && value != source.MisplacedAsQuotes && value != source.MisplacedAsText,
		id == intray.AnswerColumnStarts && !isList && value != intray.NoAnswer:
		return invalidChoice(id, value)
	}
	return nil
}

// checkColumns validates an answer that selects the columns for a field.
func (c answerChecker) checkColumns(id, key, value string) error {
	at := slices.IndexFunc(c.fields, func(f intray.Field) bool { return f.Key == key && !f.Hidden })
	if at < 0 {
		return model.InvalidField("answers", intray.NewMessage("answer.unknown_field", intray.Params{"question": model.Truncate(id), "answer": model.Truncate(value)}))
	}
	f := c.fields[at]
	q := intray.Question{AnyColumn: true, Many: f.ManyToOne}
	if !f.RequireMapping {
		q.Choices = []intray.Choice{{Value: intray.NoAnswer}}
	}
	if !q.Accepts(value, c.columns) {
		return invalidChoice(id, value)
	}
	return nil
}

// checkNewField validates an answer that creates a field for a column.
func (c answerChecker) checkNewField(id, index, name string) error {
	if _, fits := intray.ColumnIndex(index, c.columns); !fits {
		return model.InvalidField("answers", intray.NewMessage("answer.unknown_column", intray.Params{"question": model.Truncate(id), "answer": model.Truncate(name)}))
	}
	if !intray.IsNewFieldKey(strings.TrimSpace(name)) {
		return invalidChoice(id, name)
	}
	return nil
}

// checkField validates an answer that selects the field for a column.
func (c answerChecker) checkField(id, index, value string) error {
	if _, fits := intray.ColumnIndex(index, c.columns); !fits {
		return model.InvalidField("answers", intray.NewMessage("answer.unknown_column", intray.Params{"question": model.Truncate(id), "answer": model.Truncate(value)}))
	}
	named := func(f intray.Field) bool { return f.Key == value && !f.Hidden }
	if value != intray.NoAnswer && !slices.ContainsFunc(c.fields, named) {
		return invalidChoice(id, value)
	}
	return nil
}

// checkFormat validates an answer about the format of a field. It validates only the
// field, because the possible formats depend on the file.
func (c answerChecker) checkFormat(id, about string) error {
	for _, f := range c.fields {
		if group, named := strings.CutPrefix(about, f.Key); !named || f.Hidden || group != "" && group[0] != ':' {
			continue
		}
		parser, err := c.parser(f)
		if err != nil {
			return err
		}
		if _, sniffs := parser.(celltype.SniffingParser); sniffs {
			return nil
		}
	}
	return model.InvalidField("answers", intray.NewMessage("answer.field_without_formats", intray.Params{"question": model.Truncate(id)}))
}

// checkContradictions returns an error if two answers contradict each other.
func checkContradictions(fields []intray.Field, answers intray.Answers) error {
	ofColumn, ofField := map[int]string{}, map[string]string{}
	for _, f := range fields {
		id := intray.AnswerColumn + f.Key
		list, given := answers[id]
		if !given {
			continue
		}
		ofField[f.Key] = id
		for index := range strings.SplitSeq(list, ",") {
			column, valid := intray.ColumnIndex(index, math.MaxInt)
			switch {
			case !valid: // the answer selects no column
			case ofColumn[column] != "":
				return contradictionError(ofColumn[column], id)
			default:
				ofColumn[column] = id
			}
		}
	}
	for _, id := range slices.Sorted(maps.Keys(answers)) {
		if index, creates := strings.CutPrefix(id, intray.AnswerNewField); creates {
			column, valid := intray.ColumnIndex(index, math.MaxInt)
			if valid && ofColumn[column] != "" {
				return contradictionError(ofColumn[column], id)
			}
			continue
		}
		index, isField := strings.CutPrefix(id, intray.AnswerField)
		column, valid := intray.ColumnIndex(index, math.MaxInt)
		if !isField || !valid {
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

// isValueAnswer reports whether an answer selects the value for a raw value.
func isValueAnswer(id string) bool { return strings.HasPrefix(id, intray.AnswerValue) }

// valueAnswers validates answers that select the value for a raw value.
type valueAnswers struct {
	fields []intray.Field
	// parsers caches the parsers of fields, by field key.
	parsers map[string]celltype.Parser
}

func newValueAnswers(fields []intray.Field) *valueAnswers {
	return &valueAnswers{fields, map[string]celltype.Parser{}}
}

// normalize validates an answer and returns the value that its text parses to. It returns the
// answer unchanged if parsing that value again would produce a different value.
func (t *valueAnswers) normalize(id, answer string) (string, error) {
	f, text, err := t.resolveField(id)
	switch {
	case err != nil:
		return "", err
	case text == "" || text != strings.TrimSpace(text):
		return "", model.InvalidField("answers", intray.NewMessage("answer.text_missing", intray.Params{"question": model.Truncate(id)}))
	case len(text) > imports.MaxMemoryText:
		return "", model.InvalidField("answers", intray.NewMessage("answer.text_too_long", intray.Params{"question": model.Truncate(id), "n": imports.MaxMemoryText}))
	case answer == "":
		return "", nil // "" clears cells of any type
	}
	parser, err := t.parser(f)
	if err != nil {
		return "", err
	}
	canonical, ok := parseCanonical(parser, answer)
	if !ok {
		return "", model.InvalidField("answers", intray.NewMessage("answer.not_a_value", intray.Params{"answer": model.Truncate(answer), "question": model.Truncate(id)}))
	}
	if f.Type.Name == intray.TypeMultiSelect {
		return answer, nil // lists are not normalized
	}
	if again, ok := parseCanonical(parser, canonical); !ok || again != canonical {
		return answer, nil
	}
	return canonical, nil
}

// parseCanonical returns the value that text parses to. It returns false if text is not a value
// or is only similar to one.
func parseCanonical(parser celltype.Parser, text string) (canonical string, ok bool) {
	read := parser.Parse(celltype.Cell{Raw: []byte(text)}, nil)
	switch {
	case read.Note != nil:
		return "", false
	case read.State == celltype.Unchanged:
		return text, true
	}
	return string(read.Value), read.State == celltype.Parsed
}

// resolveField returns the field and the raw value that an answer is about. Field
// keys may contain colons, too.
func (t *valueAnswers) resolveField(id string) (found intray.Field, text string, err error) {
	rest, named, matches := strings.TrimPrefix(id, intray.AnswerValue), false, 0
	for _, f := range t.fields {
		after, matched := strings.CutPrefix(rest, f.Key+":")
		named = named || matched && !f.Hidden
		if matched && !f.Hidden && f.Type.Name.AcceptsValueAnswers() {
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

// NewSuggester returns a suggester of values to replace invalid raw values in a field of an import
// under review. A suggestion is valid in the format that was decided for the field's column.
func NewSuggester(imp model.Import, f intray.Field) (*celltype.Suggester, error) {
	spec := ""
	if imp.Outcome != nil {
		spec = imp.Outcome.Forms[f.Key]
	}
	return celltype.NewColumnSuggester(f, spec)
}

// OutputFormatter returns a function that formats canonical text as the result contains it, or nil if the
// result contains the canonical text.
func OutputFormatter(f intray.Field) (func(dst, canonical []byte) []byte, error) {
	return celltype.OutputFormatter(f)
}

// Choices returns the list of values of a field with their labels, such as countries
// or the options in the schema. It returns nil if the field has no list of values.
func Choices(f intray.Field) []intray.SelectOption {
	return append(celltype.BuiltinOptions(f), f.SelectOptions...)
}

// choiceLabels returns, for each field, the label of each value.
func choiceLabels(fields []intray.Field) []map[string]string {
	names := make([]map[string]string, len(fields))
	for i, f := range fields {
		options := Choices(f)
		if f.Hidden || len(options) == 0 {
			continue
		}
		names[i] = map[string]string{}
		for _, option := range options {
			names[i][option.Value] = option.Label
		}
	}
	return names
}
