// Package mapping joins the columns of a file to the fields of a schema.
//
// [Suggest] proposes a [intray.Match] for each field with a score and with
// reasons that a person can read, by the names of fields and columns and by the
// samples of their cells. What these leave open it does not decide: it returns
// a [Question], which goes to a person. An [intray.LearnedColumn] is what a
// person confirmed before. A [HeaderRow] tells which row of a file names the
// fields of a schema. The package keeps nothing and reads no files.
package mapping

import (
	"context"
	"slices"

	"github.com/intraydata/intray"
)

// Question is something that headers and values leave open.
type Question struct {
	// Field is the key of the field that has no column, or "" where the
	// question is about the file as a whole.
	Field string
	// Columns are the columns that may feed the field, at most 5 of them;
	// empty where none fits.
	Columns []intray.Column
	// Text says what is open, why, and what to do. It names at most 5 columns
	// or fields, each cut behind 100 characters, and counts the others.
	Text intray.Message
	// CompetingFields are the keys of all fields that want the one column; empty where
	// one field does.
	CompetingFields []string
}

// Config says how to map. The zero Config works.
type Config struct {
	// ExactOnly takes columns only where a header is a name of the field to the
	// letter. Default false.
	ExactOnly bool
	// Keyed says that the headers are keys of records and stand in no row of a
	// file; questions do not speak of one. Default false.
	Keyed bool
	// Learned are mappings that a person confirmed. Default none.
	Learned []intray.LearnedColumn
}

// Suggest is [Config.Suggest] without any configuration.
func Suggest(ctx context.Context, fields []intray.Field, columns []intray.Column) (intray.Mapping, []Question, error) {
	return Config{}.Suggest(ctx, fields, columns)
}

// Suggest gives the mapping that headers and values decide, and what they leave
// open: a field or a column that two fit equally well, be they certain or not (from a
// score of 0.6 on), a field that must have a column and has none that is certain,
// and a file in which no column feeds any field. Where columns came close, the
// question names them, the nearest first.
//
// A column feeds at most one field, and a field has one column. What a person
// confirmed goes first, then the field's key or label to the letter, one of its
// alternate names to the letter, and the same names written otherwise (case,
// spaces, punctuation, camel case). What is left is decided as a whole, by what
// the names mean in the lexicon, by how they are written and by the samples of
// the columns. A match of a score below 0.9 is not made; the reasons of a field
// that is left open tell which columns came close. Opposites, such as a least and a
// greatest price, are never taken for each other. Columns that are each of another
// kind of what the field means, such as an order date and a ship date for a date,
// fit it equally well, unless the rest of the schema speaks of one of the kinds.
//
// A field with ManyToOne takes every column that any of these steps would have
// given it, so long as no other field wants the column as much: all columns of
// one of its names, those of a series such as "Phone 1" and "Phone 2", and those
// that mean the same. Its score is that of the column that is least certain.
// What is merely near to it, as a mobile phone is to a phone, it takes only where
// nothing is nearer; its reasons tell of such columns.
//
// The order of fields and columns changes nothing but the order of the answer.
// It takes time in proportion to the fields and the columns, not to their
// product: a name or a meaning that more than 64 columns share tells none of
// them apart and is passed over. The only errors are that of ctx and those of
// the lexicon's own files.
func (c Config) Suggest(ctx context.Context, fields []intray.Field, columns []intray.Column) (intray.Mapping, []Question, error) {
	s, err := c.decide(ctx, fields, columns)
	if err != nil {
		return intray.Mapping{}, nil, err
	}
	return intray.Mapping{Fields: s.matches, Unmapped: s.unmapped()}, s.questions, nil
}

func (c Config) decide(ctx context.Context, fields []intray.Field, columns []intray.Column) (*suggestion, error) {
	s := &suggestion{
		fields: fields, columns: columns, keyed: c.Keyed,
		matches: make([]intray.Match, len(fields)), picks: make([][]pickedColumn, len(fields)), notes: make([][]intray.Message, len(fields)),
		settled: make([]bool, len(fields)), taken: make([]bool, len(columns)),
		used: make([]bool, len(columns)), asked: make(map[string]bool),
	}
	for i, f := range fields {
		s.matches[i].Column = intray.NoColumn
		s.settled[i] = f.Hidden
	}
	s.applyLearned(c.Learned)
	for _, g := range c.grades(s) {
		if err := s.assign(ctx, g); err != nil {
			return nil, err
		}
	}
	if !c.ExactOnly {
		if err := s.inferColumns(ctx); err != nil {
			return nil, err
		}
	}
	s.mergePicks()
	s.askForColumns()
	return s, nil
}

// grades are those by which names are compared.
func (c Config) grades(s *suggestion) []grade {
	many := slices.ContainsFunc(s.fields, func(f intray.Field) bool { return f.ManyToOne && !f.Hidden })
	switch {
	case c.ExactOnly:
		return grades[:exactGrades]
	case many:
		return slices.Concat(grades, seriesGrades)
	}
	return grades
}
