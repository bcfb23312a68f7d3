package mapping

import (
	"slices"

	"github.com/intraydata/intray"
)

func (s *suggestion) ask(q Question) {
	s.questions = append(s.questions, q)
	s.asked[q.Field] = true
	for _, key := range q.Rivals {
		s.asked[key] = true
	}
}

// askConflict asks which of several columns feeds a field.
func (s *suggestion) askConflict(w wish) {
	var first []int
	for _, o := range w.offers {
		first = append(first, o.columns[:min(len(o.columns), maxNamed)]...)
	}
	slices.Sort(first)
	first = first[:min(len(first), maxNamed)]
	field := s.fields[w.field]
	q := Question{Field: field.Key}
	places := make([]intray.Message, len(first))
	for i, c := range first {
		q.Columns = append(q.Columns, s.columns[c])
		places[i] = columnMessage(s.columns[c])
	}
	q.Text = intray.NewMessage("question.columns_fit_field", intray.Params{"n": w.columns(), "field": Shorten(field.Label), "columns": listed(places, w.columns())})
	s.ask(q)
}

// askRivalry asks which of several fields a column feeds.
func (s *suggestion) askRivalry(o *offer) {
	column := s.columns[o.columns[0]]
	q := Question{Field: s.fields[o.fields[0]].Key, Columns: []intray.Column{column}}
	var labels []intray.Message
	for i, f := range o.fields {
		q.Rivals = append(q.Rivals, s.fields[f].Key)
		if i < maxNamed {
			labels = append(labels, quoted(s.fields[f].Label))
		}
	}
	q.Text = intray.NewMessage("question.fields_share_header", intray.Params{"column": Shorten(column.Header), "fields": listed(labels, len(o.fields))})
	s.ask(q)
}

// askForColumns asks about the fields that must have a column, have none, and
// are not in question already.
func (s *suggestion) askForColumns() {
	if len(s.questions) == 0 && !slices.Contains(s.used, true) {
		s.askForNames()
		return
	}
	for i, f := range s.fields {
		if s.matches[i].Column != intray.NoColumn || !needsColumn(f) || s.asked[f.Key] {
			continue
		}
		s.ask(Question{Field: f.Key, Text: intray.NewMessage("question.no_column", intray.Params{"field": Shorten(f.Label)})})
	}
}

// askForNames says that no column has to do with any field. A schema that shows no
// field asks for nothing.
func (s *suggestion) askForNames() {
	switch {
	case !slices.ContainsFunc(s.fields, func(f intray.Field) bool { return !f.Hidden }):
	case s.keyed:
		s.ask(Question{Text: intray.NewMessage("question.no_key_matches", nil)})
	default:
		s.ask(Question{Text: intray.NewMessage("question.no_header_matches", nil)})
	}
}

func needsColumn(f intray.Field) bool {
	if f.Hidden {
		return false
	}
	return f.RequireMapping || slices.ContainsFunc(f.Validators, func(v intray.Validator) bool {
		return v.Rule == "required" && v.Level == intray.LevelError
	})
}
