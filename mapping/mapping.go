// Package mapping joins the columns of a file to the fields of a schema.
//
// [Suggest] proposes a [intray.Match] for each field with a score and with
// reasons that a person can read. What the names leave open it does not decide:
// it returns a [Question], which goes to a person. It reads headers only; it
// does not know what the cells hold.
package mapping

import (
	"context"

	"github.com/intraydata/intray"
)

// Question is something that the names leave open.
type Question struct {
	// Field is the key of the field that has no column, or "" where the
	// question is about the file as a whole.
	Field string
	// Columns are the columns that fit the field equally well, the first 5 of
	// them; empty where none fits.
	Columns []intray.Column
	// Text says what is open, why, and what to do. It names at most 5 columns
	// or fields, each cut behind 100 characters, and counts the others.
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
//
// It takes time in proportion to the fields and the columns, not to their
// product. The only error is that of ctx.
func Suggest(ctx context.Context, fields []intray.Field, columns []intray.Column) (intray.Mapping, []Question, error) {
	s := &suggestion{
		fields: fields, columns: columns,
		matches: make([]intray.Match, len(fields)),
		settled: make([]bool, len(fields)), taken: make([]bool, len(columns)),
		used: make([]bool, len(columns)), asked: make(map[string]bool),
	}
	for i, f := range fields {
		s.matches[i].Column = intray.NoColumn
		s.settled[i] = f.Hidden
	}
	for _, g := range grades {
		if err := s.assign(ctx, g); err != nil {
			return intray.Mapping{}, nil, err
		}
	}
	s.askForColumns()
	return intray.Mapping{Fields: s.matches, Unmapped: s.unmapped()}, s.questions, nil
}
