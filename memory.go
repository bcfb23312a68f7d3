package intray

import "time"

// Memory is what persons decided in earlier imports of the same kind. It is
// offered again where it fits, and yields to [Answers].
type Memory struct {
	Columns []RememberedColumn
	Values  []RememberedValue
}

// RememberedColumn is a mapping that a person confirmed: a column of this header
// feeds the field of this key.
type RememberedColumn struct {
	// Field is the key of a field.
	Field string
	// Header is the header of the column, as the file had it.
	Header string
	// On is when the person confirmed it; of two that contradict each other the
	// later one counts.
	On time.Time
}

// RememberedValue is a text that a person mapped to a value: cells of the field
// that hold it, but for white space around it, are read as the value.
type RememberedValue struct {
	// Field is the key of a field.
	Field string
	// Text is what stands in the file.
	Text string
	// Value is what it is read as; "" makes the cell empty.
	Value string
	// On is when the person said so; the latest counts.
	On time.Time
}
