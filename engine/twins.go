package engine

import (
	"github.com/intraydata/intray"
	"github.com/intraydata/intray/internal/rowplan"
	"github.com/intraydata/intray/mapping"
)

// twinSniffer verifies that columns that fit a field equally well have the same values.
type twinSniffer struct {
	field   int
	columns []int
	differ  bool
}

// twinSniffers returns a sniffer for each field with such columns.
func twinSniffers(m intray.Mapping) (list []twinSniffer) {
	for i, match := range m.Fields {
		if len(match.Twins) > 0 {
			list = append(list, twinSniffer{field: i, columns: append([]int{match.Column}, match.Twins...)})
		}
	}
	return list
}

func (t *twinSniffer) observe(recs *intray.Records) {
	t.differ = t.differ || rowplan.DifferentRows(recs, t.columns[0], t.columns[1:]) > 0
}

// askTwins asks which of several columns maps to a field if their values differ.
func (o *Outcome) askTwins(schema *intray.Schema, t twinSniffer) {
	f := schema.Fields[t.field]
	columns, names := make([]intray.Column, 0, len(t.columns)), make([]intray.Message, 0, len(t.columns))
	for _, c := range t.columns {
		column := intray.Column{Index: c, Header: o.Headers[c], Samples: o.Examples[c]}
		columns, names = append(columns, column), append(names, columnLabel(column))
	}
	q := intray.Question{
		ID: intray.AnswerColumn + f.Key, Notice: intray.ColumnConflict, Field: f.Key, Header: mapping.Shorten(columns[0].Header),
		Choices: columnChoices(columns), AnyColumn: true,
		Text: intray.NewMessage("question.columns_fit_field", intray.Params{"n": len(columns), "field": mapping.Shorten(f.Label), "columns": names}),
	}
	if !f.RequireMapping {
		q.Choices = append(q.Choices, intray.Choice{Value: intray.NoAnswer, Label: intray.NewMessage("answer.no_column", nil)})
	}
	o.addQuestion(q)
}

// reportTwins adds a warning for each field if another column that fits it equally well has other
// values in later rows.
func (o *Outcome) reportTwins(plan *rowplan.Plan) {
	for i, key := range plan.Keys {
		if n := plan.DifferentTwins(i); n > 0 {
			o.addNotice(intray.Notice{Type: intray.ColumnConflict, Level: intray.LevelWarning, Field: key, Header: plan.Fields[i].Headers[0],
				Text: intray.NewMessage("mapping.twins_differ", intray.Params{"n": n, "field": mapping.Shorten(key), "column": mapping.Shorten(plan.Fields[i].Headers[0])})})
		}
	}
}
