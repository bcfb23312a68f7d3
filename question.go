package intray

import (
	"strconv"
	"strings"
	"time"
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
	Text Message
	// Choices are the answers that are offered, the likeliest first: at most 20
	// columns, or 1,000 sheets or fields.
	Choices []Choice
	// AnyColumn says that the index of any other column is taken as well.
	AnyColumn bool
	// Many says that several columns may be chosen: their indexes, joined by
	// commas.
	Many bool
}

// Choice is one answer to a question, or one value that a choice about a file
// may have.
type Choice struct {
	// Value is what an answer holds.
	Value string
	// Label is what a person reads; "" where that is the value.
	Label Message
	// Reason is what speaks for it; it may be "".
	Reason Message
	// Examples show what follows from it: cells, or headers.
	Examples []string
	// Readings are the values of some cells of the column under this choice. Only
	// questions about the format of dates or numbers have them. Questions stored by
	// an earlier version lack them and have Examples alone.
	Readings []Reading `json:",omitempty"`
}

// Reading is a cell of the column and the value it would be read as.
type Reading struct {
	// Raw is the text of the cell.
	Raw string
	// Value is the value in the canonical form of its type; "" if the cell has none.
	Value string
}

// Answers are what a person decided, by the ids of the questions. Answers to
// questions that do not arise have no effect.
//
//   - AnswerSheet: the value of a sheet as [SheetChoice] gives it
//   - AnswerEncoding: the name of an encoding
//   - AnswerDelimiter: what separates cells
//   - AnswerHeaderRow: the row of the header, counted from 1, or NoAnswer
//   - AnswerColumn and the key of a field: the index of its column, or NoAnswer;
//     of a field that takes several, their indexes joined by commas
//   - AnswerValue, the key of a field, a colon and a text: the value that cells of
//     that text are read as, or "" for none
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
	AnswerValue     = "value:"
	// NoAnswer is the answer that there is none: no header, no column.
	NoAnswer = "none"
)

// Accepts says whether value is an answer, for a file of so many columns.
func (q Question) Accepts(value string, columns int) bool {
	for _, c := range q.Choices {
		if c.Value == value {
			return true
		}
	}
	if q.Many && strings.Contains(value, ",") {
		return q.acceptsEach(value, columns)
	}
	_, ok := ColumnIndex(value, columns)
	return q.AnyColumn && ok
}

// acceptsEach says whether value lists answers, each once.
func (q Question) acceptsEach(value string, columns int) bool {
	seen := map[string]bool{}
	for one := range strings.SplitSeq(value, ",") {
		if _, ok := ColumnIndex(one, columns); !ok || seen[one] || !q.Accepts(one, columns) {
			return false
		}
		seen[one] = true
	}
	return true
}

// ColumnIndex reads the index of a column, for a file of so many columns.
func ColumnIndex(text string, columns int) (int, bool) {
	n, err := strconv.Atoi(text)
	return n, err == nil && n >= 0 && n < columns && strconv.Itoa(n) == text
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

// Mapping says for each field of a schema which column feeds it.
type Mapping struct {
	// Fields holds one entry for each field of the schema, in its order.
	Fields []Match
	// Unmapped are the indexes, ascending, of the columns that feed no field.
	Unmapped []int
}

// Match is the column of one field.
type Match struct {
	// Column is the column's index, or -1 where none feeds the field.
	Column int
	// Columns are all columns of a field with ManyToOne that has any, in the
	// file's order, beginning with Column. Other fields have none here.
	Columns []int
	// Header is the header of that column; of several, that of the first.
	Header string
	// Score says how sure the match is, from 0 to 1.
	Score float64
	// Reasons say why, for a person to read.
	Reasons []Message
}

// AllColumns are all columns that feed the field; none where nothing does.
func (m Match) AllColumns() []int {
	switch {
	case len(m.Columns) > 0:
		return m.Columns
	case m.Column != NoColumn:
		return []int{m.Column}
	}
	return nil
}

// NoColumn is the Column of a field that nothing feeds.
const NoColumn = -1

// Evidence is one choice made about a file, and what speaks for it.
type Evidence struct {
	// Choice names what was chosen: format, encoding, delimiter, quote, header
	// row, sheet, form.
	Choice string
	// Value is what it was decided to be.
	Value string
	// Reason says why, for a person to read.
	Reason Message
	// Alternatives are the other values that it could have, likeliest first; none
	// where no other is worth a word.
	Alternatives []Choice `json:"Rivals"`
	// Tie says that one of the rivals fits as well as the value does, so that a
	// person has to choose.
	Tie bool
}

// LearnedMappings is what persons decided in earlier imports of the same kind. It is
// offered again where it fits, and yields to [Answers].
type LearnedMappings struct {
	Columns []LearnedColumn
	Values  []LearnedValue
}

// LearnedColumn is a mapping that a person confirmed: a column of this header
// feeds the field of this key.
type LearnedColumn struct {
	// Field is the key of a field.
	Field string
	// Header is the header of the column, as the file had it.
	Header string
	// On is when the person confirmed it; of two that contradict each other the
	// later one counts.
	On time.Time
}

// LearnedValue is a text that a person mapped to a value: cells of the field
// that hold it, but for white space around it, are read as the value.
type LearnedValue struct {
	// Field is the key of a field.
	Field string
	// Text is what stands in the file.
	Text string
	// Value is what it is read as; "" makes the cell empty.
	Value string
	// On is when the person said so; the latest counts.
	On time.Time
}
