package intray

import (
	"strconv"
	"strings"
)

// Question is something that a file leaves open, or a schema about a file: only
// a person can answer it. The same file, schema and answers give the same
// questions.
type Question struct {
	// ID names the question among those of its import: its kind alone, or kind,
	// colon and what it is about: "sheet", "column:email".
	ID string
	// Notice is the type of the notice that tells of the question.
	Notice NoticeType
	// Field is the key of the field concerned, or "".
	Field string
	// Header is the header of the column concerned, or "".
	Header string
	// Text asks, and says why.
	Text string
	// Choices are the answers that are offered, the likeliest first: at most 20
	// columns, or 1,000 sheets or fields.
	Choices []Choice
	// AnyColumn says that the index of any other column is taken as well.
	AnyColumn bool
}

// Choice is one answer to a question, or one value that a choice about a file
// may have.
type Choice struct {
	// Value is what an answer holds.
	Value string
	// Label is what a person reads; "" where that is the value.
	Label string
	// Reason is what speaks for it; it may be "".
	Reason string
	// Examples show what follows from it: cells, or headers.
	Examples []string
}

// Answers are what a person decided, by the ids of the questions. Answers to
// questions that do not arise have no effect.
//
//   - AnswerSheet: the value of a sheet as [SheetChoice] gives it
//   - AnswerEncoding: the name of an encoding
//   - AnswerDelimiter: what separates cells
//   - AnswerHeaderRow: the row of the header, counted from 1, or NoAnswer
//   - AnswerColumn and the key of a field: the index of its column, or NoAnswer
//   - AnswerFormat and the key of a field, with a colon and a form behind it where
//     its column has several: how its cells are read, by one of the choices
//   - AnswerField and the index of a column: the key of its field, or NoAnswer
type Answers map[string]string

// The ids of questions, and the beginnings of those that name a field or column.
const (
	AnswerSheet     = "sheet"
	AnswerEncoding  = "encoding"
	AnswerDelimiter = "delimiter"
	AnswerHeaderRow = "header_row"
	AnswerColumn    = "column:"
	AnswerField     = "field:"
	AnswerFormat    = "format:"
	// NoAnswer is the answer that there is none: no header, no column.
	NoAnswer = "none"
)

// Takes says whether value is an answer, for a file of so many columns.
func (q Question) Takes(value string, columns int) bool {
	for _, c := range q.Choices {
		if c.Value == value {
			return true
		}
	}
	n, err := strconv.Atoi(value)
	return q.AnyColumn && err == nil && n >= 0 && n < columns && strconv.Itoa(n) == value
}

// SheetChoice gives the value by which an answer names a sheet, from the names
// of all: its name where no other has it, else its number from 1 behind a #. So
// it is where the name begins with a # itself.
func SheetChoice(names []string, sheet int) string {
	name := names[sheet]
	for i, other := range names {
		if name == "" || strings.HasPrefix(name, "#") || i != sheet && other == name {
			return "#" + strconv.Itoa(sheet+1)
		}
	}
	return name
}
