package intray

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

// All are all columns that feed the field; none where nothing does.
func (m Match) All() []int {
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
	// Rivals are the other values that it could have, likeliest first; none
	// where no other is worth a word.
	Rivals []Choice `json:"Rivals"`
	// Tie says that one of the rivals fits as well as the value does, so that a
	// person has to choose.
	Tie bool
}
