package mapping

import (
	"fmt"
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
	places := make([]string, len(first))
	for i, c := range first {
		q.Columns = append(q.Columns, s.columns[c])
		// People count from 1.
		places[i] = fmt.Sprintf("%s (column %d)", quote(s.columns[c].Header), s.columns[c].Index+1)
	}
	q.Text = fmt.Sprintf("%d columns fit the field %s equally well: %s. Keep one of them; rename or remove the others.",
		w.columns(), quote(field.Label), listed(places, w.columns()))
	s.ask(q)
}

// askRivalry asks which of several fields a column feeds.
func (s *suggestion) askRivalry(o *offer) {
	column := s.columns[o.columns[0]]
	q := Question{Field: s.fields[o.fields[0]].Key, Columns: []intray.Column{column}}
	var labels []string
	for i, f := range o.fields {
		q.Rivals = append(q.Rivals, s.fields[f].Key)
		if i < maxNamed {
			labels = append(labels, quote(s.fields[f].Label))
		}
	}
	q.Text = fmt.Sprintf("The column %s fits several fields equally well: %s. Rename the header so that it matches only the field it belongs to.",
		quote(column.Header), listed(labels, len(o.fields)))
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
		s.ask(Question{Field: f.Key, Text: fmt.Sprintf(
			"The field %s must have a column, and no header matches it. Rename the header of the column that holds it.", quote(f.Label))})
	}
}

// askForNames says that no column has to do with any field. A schema that shows no
// field asks for nothing.
func (s *suggestion) askForNames() {
	switch {
	case !slices.ContainsFunc(s.fields, func(f intray.Field) bool { return !f.Hidden }):
	case s.keyed:
		s.ask(Question{Text: "No key of the records has the name of a field. Check that the records have the keys of the fields."})
	default:
		s.ask(Question{Text: "No column of the file has the name of a field. Check that the first row holds the names of the columns."})
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
