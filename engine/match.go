package engine

import (
	"context"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/intraydata/intray"
	"github.com/intraydata/intray/mapping"
)

// mappingAnswers holds people's decisions about the mapping, by field index and column index.
type mappingAnswers struct {
	// columns maps field indexes to the chosen columns. An empty list means no column.
	columns map[int][]int
	// extra maps the indexes of many-to-one fields to columns that people added to the
	// suggested ones.
	extra map[int][]int
	// unused lists the columns that must stay unmapped.
	unused map[int]bool
}

// parseMappingAnswers parses the answers about fields and columns. It ignores
// answers about fields and columns that do not exist.
func parseMappingAnswers(fields []intray.Field, columns int, answers intray.Answers) mappingAnswers {
	d := mappingAnswers{map[int][]int{}, map[int][]int{}, map[int]bool{}}
	for i, f := range fields {
		if value, asked := answers[intray.AnswerColumn+f.Key]; asked && !f.Hidden {
			d.setColumns(i, f.ManyToOne, value, columns)
		}
	}
	for _, id := range slices.Sorted(maps.Keys(answers)) {
		key := answers[id]
		if index, creates := strings.CutPrefix(id, intray.AnswerNewField); creates {
			if column, fits := intray.ColumnIndex(index, columns); fits {
				d.unused[column] = true // it gets a field of its own
			}
			continue
		}
		index, about := strings.CutPrefix(id, intray.AnswerField)
		column, fits := intray.ColumnIndex(index, columns)
		if !about || !fits {
			continue
		}
		field := slices.IndexFunc(fields, func(f intray.Field) bool { return f.Key == key && !f.Hidden })
		_, settled := d.columns[field]
		switch {
		case field >= 0 && !settled && fields[field].ManyToOne:
			d.extra[field] = append(d.extra[field], column)
		case field >= 0 && !settled:
			d.columns[field] = []int{column}
		case key == intray.NoAnswer:
			d.unused[column] = true
		}
	}
	for _, list := range d.columns {
		slices.Sort(list)
	}
	return d
}

func (d mappingAnswers) setColumns(field int, many bool, value string, columns int) {
	if value == intray.NoAnswer {
		d.columns[field] = nil
		return
	}
	names := strings.Split(value, ",")
	list := make([]int, 0, len(names))
	for _, one := range names {
		column, fits := intray.ColumnIndex(one, columns)
		if !fits || slices.Contains(list, column) || len(list) > 0 && !many {
			return
		}
		list = append(list, column)
	}
	d.columns[field] = list
}

// match maps the columns as people decided. For all other fields and columns, it asks
// package mapping.
func (o *Outcome) match(ctx context.Context, imp Import, columns []intray.Column) error {
	fields := imp.Schema.Fields
	d := parseMappingAnswers(fields, len(columns), imp.Answers)
	rest, free := d.remaining(fields, columns)
	m, questions, err := mapping.Config{Learned: imp.Memory.Columns, Keyed: slices.ContainsFunc(o.Evidence, func(e intray.Evidence) bool { return e.Choice == "header row" && e.Value == "names" })}.Suggest(ctx, rest, free)
	if err != nil {
		return err
	}
	for field, list := range d.columns {
		m.Fields[field] = chosenMatch(fields[field], list, columns)
	}
	for field, list := range d.extra {
		m.Fields[field] = extendedMatch(m.Fields[field], list, columns)
	}
	for column := range d.unused {
		m.Unmapped = append(m.Unmapped, column)
	}
	slices.Sort(m.Unmapped)
	o.Mapping = m
	if err := o.warnReassigned(ctx, imp, columns, d); err != nil {
		return err
	}
	for _, q := range questions {
		if q.Field == "" && len(d.columns)+len(d.extra) > 0 {
			continue // a person mapped a column, so the file does belong to this schema
		}
		o.askMapping(q, fields, columns, m)
	}
	return nil
}

// warnReassigned adds a warning for each field that has no column because an answer
// assigned its column to a different field.
func (o *Outcome) warnReassigned(ctx context.Context, imp Import, columns []intray.Column, d mappingAnswers) error {
	if len(d.columns)+len(d.extra) == 0 {
		return nil
	}
	fields := imp.Schema.Fields
	before, _, err := mapping.Config{Learned: imp.Memory.Columns}.Suggest(ctx, fields, columns)
	if err != nil {
		return err
	}
	for i, f := range fields {
		_, said := d.columns[i]
		column := before.Fields[i].Column
		if said || column == intray.NoColumn || o.Mapping.Fields[i].Column != intray.NoColumn || d.unused[column] {
			continue
		}
		o.addNotice(intray.Notice{Type: intray.UnmappedFields, Level: intray.LevelWarning, Field: f.Key, Header: mapping.Shorten(columns[column].Header),
			Text: intray.NewMessage("mapping.column_given_away", intray.Params{"column": columnLabel(columns[column]), "field": mapping.Shorten(f.Label)})})
	}
	return nil
}

// chosenMatch returns the match of a field whose columns a person chose.
func chosenMatch(f intray.Field, list []int, columns []intray.Column) intray.Match {
	if len(list) == 0 {
		return intray.Match{Column: intray.NoColumn}
	}
	m := intray.Match{Column: list[0], Header: columns[list[0]].Header, Score: 1, Reasons: []intray.Message{intray.NewMessage("answer.by_person", nil)}}
	if f.ManyToOne {
		m.Columns = list
	}
	return m
}

// extendedMatch returns a suggested match with the columns that a person added.
func extendedMatch(m intray.Match, list []int, columns []intray.Column) intray.Match {
	if m.Column == intray.NoColumn {
		m = intray.Match{Score: 1}
	}
	for _, column := range list {
		m.Reasons = append(m.Reasons, intray.NewMessage("answer.column_by_person", intray.Params{"column": columnLabel(columns[column])}))
	}
	m.Columns = append(m.Columns, list...)
	slices.Sort(m.Columns)
	m.Column, m.Header = m.Columns[0], columns[m.Columns[0]].Header
	return m
}

// remaining returns the fields and columns that still need suggestions: it hides decided
// fields and removes decided columns.
func (d mappingAnswers) remaining(fields []intray.Field, columns []intray.Column) ([]intray.Field, []intray.Column) {
	rest := slices.Clone(fields)
	var gone []int
	for field, list := range d.columns {
		rest[field].Hidden = true
		gone = append(gone, list...)
	}
	for _, list := range d.extra {
		gone = append(gone, list...)
	}
	free := slices.DeleteFunc(slices.Clone(columns), func(c intray.Column) bool {
		return slices.Contains(gone, c.Index) || d.unused[c.Index]
	})
	return rest, free
}

// askMapping adds a question about the mapping. If no column matches any field, it
// adds a question for each field.
func (o *Outcome) askMapping(q mapping.Question, fields []intray.Field, columns []intray.Column, m intray.Mapping) {
	asked := intray.Question{Notice: intray.UnmappedFields, Field: q.Field, Text: q.Text, ID: intray.AnswerColumn + q.Field}
	switch {
	case len(q.CompetingFields) > 0:
		asked.ID = intray.AnswerField + strconv.Itoa(q.Columns[0].Index)
		asked.Choices = fieldChoices(q.CompetingFields, fields)
	case len(q.Columns) > 0:
		asked.Choices, asked.AnyColumn = columnChoices(q.Columns), true
	case q.Field == "":
		o.askAllFields(q.Text, fields, columns)
		return
	default:
		free := unmappedColumns(columns, m)
		asked.Choices, asked.AnyColumn = columnChoices(free), true
		if r, ok := mapping.RecommendByValues(unmappedFields(fields, m), free)[q.Field]; ok {
			asked.Choices = recommend(asked.Choices, r)
		}
	}
	if len(q.Columns) > 0 {
		asked.Notice, asked.Header = intray.ColumnConflict, mapping.Shorten(q.Columns[0].Header)
	}
	if len(q.CompetingFields) == 0 && !slices.ContainsFunc(fields, func(f intray.Field) bool { return f.Key == q.Field && f.RequireMapping }) {
		asked.Choices = append(asked.Choices, intray.Choice{Value: intray.NoAnswer, Label: intray.NewMessage("answer.no_column", nil)})
	}
	asked.Many = slices.ContainsFunc(fields, func(f intray.Field) bool { return f.Key == q.Field && f.ManyToOne })
	o.addQuestion(asked)
}

// askAllFields adds a question about the column of each field, with one notice for all of them.
func (o *Outcome) askAllFields(text intray.Message, fields []intray.Field, columns []intray.Column) {
	o.stop(intray.UnmappedFields, text)
	choices, recommended := columnChoices(columns), mapping.RecommendByValues(fields, columns)
	for _, f := range fields {
		if f.Hidden {
			continue
		}
		q := intray.Question{ID: intray.AnswerColumn + f.Key, Notice: intray.UnmappedFields, Field: f.Key, Choices: slices.Clip(choices), AnyColumn: true, Many: f.ManyToOne,
			Text: intray.NewMessage("question.column_of_field", intray.Params{"field": mapping.Shorten(f.Label)})}
		if r, ok := recommended[f.Key]; ok {
			q.Choices = recommend(q.Choices, r)
		}
		if !f.RequireMapping {
			q.Choices = append(q.Choices, intray.Choice{Value: intray.NoAnswer, Label: intray.NewMessage("answer.no_column", nil)})
		}
		o.appendQuestion(q)
	}
}

// recommend returns the choices with the recommended column first, with its reason.
func recommend(choices []intray.Choice, r mapping.Recommendation) []intray.Choice {
	at := slices.IndexFunc(choices, func(c intray.Choice) bool { return c.Value == strconv.Itoa(r.Column) })
	if at < 0 {
		return choices
	}
	best := choices[at]
	best.Reason = r.Reason
	return slices.Insert(slices.Delete(slices.Clone(choices), at, at+1), 0, best)
}

// unmappedFields returns the fields that have no column.
func unmappedFields(fields []intray.Field, m intray.Mapping) []intray.Field {
	var rest []intray.Field
	for i, f := range fields {
		if m.Fields[i].Column == intray.NoColumn {
			rest = append(rest, f)
		}
	}
	return rest
}

func unmappedColumns(columns []intray.Column, m intray.Mapping) []intray.Column {
	return slices.DeleteFunc(slices.Clone(columns), func(c intray.Column) bool {
		return !slices.Contains(m.Unmapped, c.Index)
	})
}

func columnChoices(columns []intray.Column) (choices []intray.Choice) {
	for _, c := range columns[:min(len(columns), maxColumns)] {
		choices = append(choices, intray.Choice{
			Value: strconv.Itoa(c.Index), Label: columnLabel(c), Examples: examples(c.Samples),
		})
	}
	return choices
}

// columnLabel returns the display name of a column, including its number, counted from 1.
func columnLabel(c intray.Column) intray.Message {
	if c.Header == "" {
		return intray.NewMessage("column.number", intray.Params{"column": c.Index + 1})
	}
	return intray.NewMessage("column.label", intray.Params{"header": mapping.Shorten(c.Header), "column": c.Index + 1})
}

func examples(samples []string) (short []string) {
	for _, s := range samples[:min(len(samples), maxExamples)] {
		short = append(short, mapping.Shorten(s))
	}
	return short
}

func fieldChoices(keys []string, fields []intray.Field) (choices []intray.Choice) {
	for _, f := range fields {
		if slices.Contains(keys, f.Key) && len(choices) < maxChoices {
			choices = append(choices, intray.Choice{Value: f.Key, Label: intray.Literal(mapping.Shorten(f.Label))})
		}
	}
	return append(choices, intray.Choice{Value: intray.NoAnswer, Label: intray.NewMessage("answer.no_field", nil)})
}
