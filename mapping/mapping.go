// Package mapping assigns the columns of a file to the fields of a schema.
//
// [Suggest] proposes an [intray.Match] for each field, with a score and with
// reasons for people, by the names of fields and columns and by samples of the
// cells. It does not decide what these leave open: it returns a [Question] for
// a person. An [intray.LearnedColumn] is what a person confirmed before. A
// [HeaderRow] recognizes the row of a file that names the fields of a schema.
// The package stores nothing and reads no files.
package mapping

import (
	"context"
	"math"
	"slices"

	"github.com/intraydata/intray"
)

// Question is what headers and values leave open.
type Question struct {
	// Field is the key of the field without a column, or "" if the question is
	// about the whole file.
	Field string
	// Columns are the columns that may map to the field, at most 5; empty if none
	// fits.
	Columns []intray.Column
	// Text describes the question and its reason. It names at most 5 columns
	// or fields, each cut after 100 characters, and counts the others.
	Text intray.Message
	// CompetingFields are the keys of all fields that match the one column;
	// empty if only one does.
	CompetingFields []string
}

// Config configures Suggest. The zero Config works.
type Config struct {
	// ExactOnly maps only columns whose header is exactly a name of the field.
	// Default false.
	ExactOnly bool
	// Keyed means that the headers are keys of records rather than a row of a
	// file, so that questions do not mention one. Default false.
	Keyed bool
	// Learned are mappings that a person confirmed. Default none.
	Learned []intray.LearnedColumn
}

// Suggest is [Config.Suggest] with the zero Config.
func Suggest(ctx context.Context, fields []intray.Field, columns []intray.Column) (intray.Mapping, []Question, error) {
	return Config{}.Suggest(ctx, fields, columns)
}

// Suggest returns the mapping that headers and values decide, and questions
// about what they leave open: a field or a column that two fit equally well,
// certain or not (from a score of 0.6 on), a field that requires a column and
// has no certain one, and a file in which no column feeds any field. If columns
// came close, the question names them, the nearest first.
//
// A column feeds at most one field, and a field has one column. Matches are
// made in this order: what a person confirmed, then the exact key or label of
// the field, an exact alternate name, and the same names in another spelling
// (case, spaces, punctuation, camel case). The rest is decided as a whole, by
// what the names mean in the lexicon, by their spelling and by the samples of
// the columns. A match with a score below 0.9 is not made; the reasons of an
// open field list the columns that came close. Opposites, such as a minimum and
// a maximum price, never match. Columns that are different kinds of what the
// field means, such as an order date and a ship date for a date, fit it equally
// well, unless the rest of the schema mentions one of the kinds.
//
// A field with ManyToOne takes every column that any of these steps would have
// assigned to it, unless another field matches the column as well: all columns
// with one of its names, those of a series such as "Phone 1" and "Phone 2", and
// those with the same meaning. Its score is that of the least certain column.
// It includes merely related columns, such as a mobile phone for a phone, only if
// nothing is closer. Its reasons list such columns.
//
// The order of fields and columns affects only the order of the result. The
// time is proportional to the fields and the columns, not to their product: a
// name or a meaning that more than 64 columns share does not distinguish them
// and is skipped. The only errors are those of ctx and of the lexicon's files.
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

// grades returns the grades in which names are compared.
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

// reason builds the message for a column when its header, shortened, is known.
// Most candidates are dropped, and their reasons are never built.
type reason func(header string) intray.Message

// fixed is a reason that is the same for all columns.
func fixed(m intray.Message) reason { return func(string) intray.Message { return m } }

// made returns the messages of reasons for a column.
func made(reasons []reason, column intray.Column) []intray.Message {
	header := Shorten(column.Header)
	list := make([]intray.Message, len(reasons))
	for i, why := range reasons {
		list[i] = why(header)
	}
	return list
}

// percent returns a share of 1 as a rounded percentage.
func percent(share float64) int { return int(math.RoundToEven(share * 100)) }

// columnMessage names a column. Columns count from 1.
func columnMessage(c intray.Column) intray.Message {
	return intray.NewMessage("column.named", intray.Params{"header": Shorten(c.Header), "column": c.Index + 1})
}

// quoted names an element of a list.
func quoted(name string) intray.Message {
	return intray.NewMessage("text.quoted", intray.Params{"text": Shorten(name)})
}

// joinParts is the value of a parameter: the first of total parts, and the
// number of the others.
func joinParts(parts []intray.Message, total int) any {
	if more := total - len(parts); more > 0 {
		return intray.NewMessage("list.more", intray.Params{"list": parts, "n": more})
	}
	return parts
}
