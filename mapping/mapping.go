// Package mapping joins the columns of a file to the fields of a schema.
//
// [Suggest] proposes a [intray.Match] for each field with a score and with
// reasons that a person can read. What the names leave open it does not decide:
// it returns a [Question], which goes to a person. It reads headers only; it
// does not know what the cells hold.
package mapping

import (
	"fmt"
	"slices"
	"strings"

	"github.com/intraydata/intray"
)

// Question is something that the names leave open.
type Question struct {
	// Field is the key of the field that has no column, or "" where the
	// question is about the file as a whole.
	Field string
	// Columns are the columns that fit the field equally well; empty where
	// none fits.
	Columns []intray.Column
	// Text says what is open, why, and what to do.
	Text string
	// Rivals are the keys of all fields that want the one column; empty where
	// one field does.
	Rivals []string
}

// Suggest gives the mapping that the names decide, and what they leave open: a
// field that two columns fit equally well, a field that must have a column and
// has none, and a file in which no column feeds any field.
//
// A column feeds at most one field. A closer match goes first: the field's key
// or label to the letter, then one of its alternate names to the letter, then
// the same names written otherwise (case, spaces, punctuation, camel case).
func Suggest(fields []intray.Field, columns []intray.Column) (intray.Mapping, []Question) {
	m := intray.Mapping{Fields: make([]intray.Match, len(fields))}
	for i := range m.Fields {
		m.Fields[i].Column = intray.NoColumn
	}
	questions := assign(&m, fields, columns)
	m.Unmapped = unmapped(m, columns)
	return m, append(questions, gaps(m, fields, questions)...)
}

// candidate is one column for one field.
type candidate struct {
	field  int
	column int
	fit    fit
}

// assign gives out columns, the closest matches first.
func assign(m *intray.Mapping, fields []intray.Field, columns []intray.Column) []Question {
	var questions []Question
	taken := make([]bool, len(columns))
	settled := make([]bool, len(fields))
	for _, grade := range grades {
		found := candidates(fields, columns, grade, settled, taken)
		for _, group := range byField(found) {
			if len(group) > 1 {
				questions = append(questions, conflict(fields[group[0].field], group, columns))
			}
			settled[group[0].field] = true
		}
		for _, c := range contested(found) {
			questions = append(questions, rivalry(fields, c, columns))
		}
		for _, c := range found {
			if taken[c.column] {
				continue
			}
			taken[c.column] = true
			if countField(found, c.field) == 1 && countColumn(found, c.column) == 1 {
				m.Fields[c.field] = match(columns[c.column], c.fit)
			}
		}
	}
	return questions
}

func candidates(fields []intray.Field, columns []intray.Column, g grade, settled, taken []bool) []candidate {
	var found []candidate
	for f := range fields {
		if fields[f].Hidden || settled[f] {
			continue
		}
		for c := range columns {
			if taken[c] {
				continue
			}
			if fit, ok := g.fits(fields[f], columns[c].Header); ok {
				found = append(found, candidate{f, c, fit})
			}
		}
	}
	return found
}

func match(column intray.Column, f fit) intray.Match {
	return intray.Match{Column: column.Index, Header: column.Header, Score: f.score, Reasons: []string{f.reason}}
}

// byField groups candidates of the same field; they stand side by side.
func byField(found []candidate) [][]candidate {
	var groups [][]candidate
	for i, c := range found {
		if i > 0 && found[i-1].field == c.field {
			groups[len(groups)-1] = append(groups[len(groups)-1], c)
			continue
		}
		groups = append(groups, []candidate{c})
	}
	return groups
}

// contested groups the candidates whose column several fields want.
func contested(found []candidate) [][]candidate {
	var groups [][]candidate
	seen := map[int]bool{}
	for _, c := range found {
		if seen[c.column] || countColumn(found, c.column) < 2 {
			continue
		}
		seen[c.column] = true
		var group []candidate
		for _, other := range found {
			if other.column == c.column {
				group = append(group, other)
			}
		}
		groups = append(groups, group)
	}
	return groups
}

func countField(found []candidate, field int) (n int) {
	for _, c := range found {
		if c.field == field {
			n++
		}
	}
	return n
}

func countColumn(found []candidate, column int) (n int) {
	for _, c := range found {
		if c.column == column {
			n++
		}
	}
	return n
}

func conflict(field intray.Field, group []candidate, columns []intray.Column) Question {
	q := Question{Field: field.Key}
	for _, c := range group {
		q.Columns = append(q.Columns, columns[c.column])
	}
	q.Text = fmt.Sprintf("%d columns fit the field %q equally well: %s. Rename or remove all but the right one.",
		len(group), field.Label, places(q.Columns))
	return q
}

func rivalry(fields []intray.Field, group []candidate, columns []intray.Column) Question {
	labels, rivals := make([]string, len(group)), make([]string, len(group))
	for i, c := range group {
		rivals[i] = fields[c.field].Key
		labels[i] = fmt.Sprintf("%q", fields[c.field].Label)
	}
	column := columns[group[0].column]
	return Question{
		Field:   fields[group[0].field].Key,
		Columns: []intray.Column{column},
		Rivals:  rivals,
		Text: fmt.Sprintf("The column %q fits several fields equally well: %s. Rename it to the one that it holds.",
			column.Header, strings.Join(labels, ", ")),
	}
}

// places names columns with their place, counted from 1 for people.
func places(columns []intray.Column) string {
	parts := make([]string, len(columns))
	for i, c := range columns {
		parts[i] = fmt.Sprintf("%q (column %d)", c.Header, c.Index+1)
	}
	return strings.Join(parts, ", ")
}

// gaps asks about fields that must have a column, have none, and are not in
// question already.
func gaps(m intray.Mapping, fields []intray.Field, asked []Question) []Question {
	mapped := func(match intray.Match) bool { return match.Column != intray.NoColumn }
	if len(asked) == 0 && !slices.ContainsFunc(m.Fields, mapped) {
		return []Question{{Text: "No column of the file has the name of a field. Check that the first row holds the names of the columns."}}
	}
	var questions []Question
	for i, match := range m.Fields {
		if mapped(match) || !needsColumn(fields[i]) || inQuestion(asked, fields[i].Key) {
			continue
		}
		questions = append(questions, Question{
			Field: fields[i].Key,
			Text:  fmt.Sprintf("No column has the name of the field %q, which must have one. Rename the column that holds it.", fields[i].Label),
		})
	}
	return questions
}

func inQuestion(asked []Question, key string) bool {
	return slices.ContainsFunc(asked, func(q Question) bool {
		return q.Field == key || slices.Contains(q.Rivals, key)
	})
}

func needsColumn(f intray.Field) bool {
	if f.Hidden {
		return false
	}
	return f.RequireMapping || slices.ContainsFunc(f.Validators, func(v intray.Validator) bool {
		return v.Rule == "required" && v.Level == intray.LevelError
	})
}

func unmapped(m intray.Mapping, columns []intray.Column) []int {
	var rest []int
	for _, c := range columns {
		if !slices.ContainsFunc(m.Fields, func(x intray.Match) bool { return x.Column == c.Index }) {
			rest = append(rest, c.Index)
		}
	}
	return rest
}
