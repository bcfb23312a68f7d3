// Package mapping assigns the columns of a file to the fields of a schema.
//
// [Suggest] proposes an [intray.Match] for each field, with a score and with reasons for
// people. It uses the names of fields and columns and samples of the cells. If these do not
// decide, it returns a [Question] for a person. An [intray.LearnedColumn] is a mapping that
// a person confirmed in an earlier import. A [HeaderRow] recognizes the row of a file that
// contains the names of the fields. The package does not store data or read files.
package mapping

import (
	"context"
	"math"
	"slices"

	"github.com/intraydata/intray"
)

// Question asks a person about a part of the mapping that headers and values do not decide.
type Question struct {
	// Field is the key of the field without a column, or "" if the question is
	// about the whole file.
	Field string
	// Columns are the columns that may map to the field, at most 5. It is empty if none fits.
	Columns []intray.Column
	// Text describes the question and its reason. It names at most 5 columns or fields,
	// each truncated to 100 characters, and states how many more there are.
	Text intray.Message
	// CompetingFields are the keys of all fields that match the same column. It is empty if
	// only one field does.
	CompetingFields []string
}

// Config configures Suggest. The zero Config works.
type Config struct {
	// ExactOnly maps only columns whose header equals a name of the field exactly. The
	// default is false.
	ExactOnly bool
	// Keyed is set if the headers are keys of records, so that questions do not mention a
	// header row. The default is false.
	Keyed bool
	// Learned holds mappings that a person confirmed. The default is none.
	Learned []intray.LearnedColumn
}

// Suggest is [Config.Suggest] with the zero Config.
func Suggest(ctx context.Context, fields []intray.Field, columns []intray.Column) (intray.Mapping, []Question, error) {
	return Config{}.Suggest(ctx, fields, columns)
}

// Suggest returns the mapping that headers and values decide, and questions about everything
// else. It returns a question if two columns fit a field equally well or two fields fit a
// column equally well, with a score of at least 0.6. It returns a question if a field requires
// a column but no column is certain. It also returns a question if no column maps to any
// field. If columns came close, the question lists them, closest first.
//
// A column maps to at most one field, and a field has at most one column unless it is
// many-to-one. Suggest matches in this order: mappings that a person confirmed, the exact key or
// label of the field, an exact alternate name, and the same names in a different spelling (case,
// spaces, punctuation, camel case). It decides the remaining fields together, by the meaning of
// the names in the lexicon, their spelling and the samples of the columns. It makes no match
// with a score below 0.9. The reasons of an unmapped field list the columns that came close.
// Opposites, such as a minimum and a maximum price, never match. Columns that are different
// kinds of the field's concept, such as an order date and a ship date for a date, fit it equally
// well, unless the rest of the schema mentions one of the kinds.
//
// Every column that any of these steps would assign to a many-to-one field maps to it, unless
// a different field also matches the column. These are all columns with one of the field's
// names, columns of a series such as "Phone 1" and "Phone 2", and columns with the same
// meaning. The score is that of the least certain column. Columns that are only related to the
// field, such as a mobile phone for a phone, map to it only if no column is closer. The
// reasons list such columns.
//
// The order of fields and columns affects only the order of the result. The running time grows
// with the number of fields plus the number of columns, not with their product, because Suggest
// skips a name or a meaning that more than 64 columns share. Suggest returns an error only if
// ctx is canceled or the lexicon is invalid.
func (c Config) Suggest(ctx context.Context, fields []intray.Field, columns []intray.Column) (intray.Mapping, []Question, error) {
	s, err := c.decide(ctx, fields, columns)
	if err != nil {
		return intray.Mapping{}, nil, err
	}
	var rest []int
	for i, c := range s.columns {
		if !s.used[i] {
			rest = append(rest, c.Index)
		}
	}
	return intray.Mapping{Fields: s.matches, Unmapped: rest}, s.questions, nil
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

// reason returns a message, given the truncated header of the column. It is a function
// because most candidates are dropped and need no messages.
type reason func(header string) intray.Message

// fixed returns a reason that is the same for all columns.
func fixed(m intray.Message) reason { return func(string) intray.Message { return m } }

// made returns the messages of the reasons for a column.
func made(reasons []reason, column intray.Column) []intray.Message {
	header := Shorten(column.Header)
	list := make([]intray.Message, len(reasons))
	for i, why := range reasons {
		list[i] = why(header)
	}
	return list
}

// percent returns a share from 0 to 1 as a rounded percentage.
func percent(share float64) int { return int(math.RoundToEven(share * 100)) }

// columnMessage returns the name of a column for people. It counts columns from 1.
func columnMessage(c intray.Column) intray.Message {
	return intray.NewMessage("column.named", intray.Params{"header": Shorten(c.Header), "column": c.Index + 1})
}

// quoted returns the message for an element of a list.
func quoted(name string) intray.Message {
	return intray.NewMessage("text.quoted", intray.Params{"text": Shorten(name)})
}

// joinParts returns the value of a message parameter that lists the given parts and, if total
// exceeds their number, the number of remaining parts.
func joinParts(parts []intray.Message, total int) any {
	if more := total - len(parts); more > 0 {
		return intray.NewMessage("list.more", intray.Params{"list": parts, "n": more})
	}
	return parts
}
