package value

import "github.com/intraydata/intray"

// Surveyed is a Parser whose cells can be read in several ways. Used without a
// survey it reads what can be read in one way alone.
type Surveyed interface {
	Parser
	// Survey begins to look at a column.
	Survey() Survey
	// Restore gives the Parser of a Decision by its Form. Any other text is an
	// error.
	Restore(form string) (Parser, error)
}

// Survey looks at the cells of one column, in their order. It is for one
// goroutine, and its memory is bounded.
type Survey interface {
	// Add takes the next cell.
	Add(c Cell)
	// Decide says how the column is to be read. Answers hold what a person chose,
	// by the forms of ties. It can be asked again.
	Decide(answers map[string]string, beside []Beside) Decision
}

// Beside is another column of the file whose cells have decided how it is read.
type Beside struct {
	Header   string
	Decision Decision
}

// Decision is how a column is read, and why.
type Decision struct {
	// Parser reads the column so.
	Parser Parser
	// Form is that as text, from which Surveyed.Restore makes the Parser again.
	Form string
	// Style is that in words, as other columns are told; "" where no cell needs
	// one.
	Style string
	// Reasons tell why.
	Reasons []intray.Message
	// Ties are what a person has to choose.
	Ties []Tie

	style any
}

// Tie is a choice that the cells of a column leave open.
type Tie struct {
	// Form names it among those of its column; "" where a column has only one.
	Form string
	Text intray.Message
	// Choices are the ways to read the cells, each with examples.
	Choices []intray.Choice
}
