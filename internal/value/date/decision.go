package date

import "github.com/intraydata/intray"

// Hints are what is known of a column beside its cells. They decide only what
// the cells leave open.
type Hints struct {
	// Format and Locale are the field's own display format and locale. Leave them
	// empty where the field does not set them: defaults decide nothing.
	Format, Locale string
	// Neighbours are other columns of the same table whose order the data
	// decided.
	Neighbours []Neighbour
	// Pivot and Autofix go into the style.
	Pivot   uint8
	Autofix bool
}

// Neighbour is a column beside this one.
type Neighbour struct {
	Header string
	Style  Style
}

// Decision is the style of a column and why.
type Decision struct {
	// Style reads the column. What a tie leaves open is Undecided in it.
	Style Style
	// Evidence tells why the style is as it is.
	Evidence []intray.Message
	// Ties are the questions that the cells leave. Each choice of a tie can be
	// applied to the style.
	Ties []Tie
	// Cells is how many cells were not blank, Unread how many of them nothing
	// can be read from in any style.
	Cells, Unread int64
}

// Tie is a question for a person.
type Tie struct {
	// Form is the form of the cells in question, or the first of several; Named
	// where it is about the language of names.
	Form    Form
	Text    intray.Message
	Choices []Choice
}

// Choice is one answer. Order or Languages is set.
type Choice struct {
	Order     Order
	Languages Languages
	// Label is the answer in words, Examples what cells mean by it.
	Label    intray.Message
	Examples []Example

	forms uint16 // the forms that the answer is for, as bits
}

// Example is a cell and the date it means.
type Example struct{ Raw, Value string }

// Apply gives the style with this answer.
func (c Choice) Apply(s Style) Style {
	if c.Languages != 0 {
		s.Languages = c.Languages
	}
	for f := range s.Orders {
		if c.Order != Undecided && c.forms>>f&1 == 1 {
			s.Orders[f] = c.Order
		}
	}
	return s
}
