package intray

// Trace tells of one cell of a result where it came from and what each step made
// of it.
type Trace struct {
	// Row is the index among all data rows.
	Row int64
	// Line is where the record begins in the file, counted from 1.
	Line int64
	// Field is the key of the field.
	Field string
	// Columns are the columns that feed it, with their headers; none where no
	// column does.
	Columns []TracedColumn
	// Raw is the text that the file holds; a JSON array of texts where several
	// columns feed the field.
	Raw string
	// Value is the canonical text of the value; nil where the cell has none.
	Value *string
	// Steps are in the order in which they were taken.
	Steps []TraceStep
	// Problems are those of the cell, then those of the row as a whole.
	Problems []Problem
}

// TracedColumn is a column that feeds a traced cell.
type TracedColumn struct {
	// Index counts from 0 in the file's own order.
	Index  int
	Header string
}

// TraceStep is what one step made of a cell, and why.
type TraceStep struct {
	// Step names it: read, map, parse, check, output.
	Step string
	// Text is what the cell was after it; nil where it had no value. Of the step
	// output it is JSON.
	Text *string
	// Reasons say why, for a person to read.
	Reasons []Message
}
