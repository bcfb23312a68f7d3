package intray

// Level is how bad a problem is.
type Level uint8

const (
	// LevelError makes a row invalid.
	LevelError Level = iota
	// LevelWarning is told and changes nothing.
	LevelWarning
	// LevelInfo is told and changes nothing.
	LevelInfo
)

var levelNames = [...]string{"error", "warning", "info"}

// String gives the wire name: error, warning or info.
func (l Level) String() string { return levelNames[l] }

// ParseLevel reads a wire name.
func ParseLevel(name string) (Level, bool) {
	for i, n := range levelNames {
		if n == name {
			return Level(i), true
		}
	}
	return 0, false
}

// NoField is the Field of a problem that concerns a whole row.
const NoField = -1

// Problem is one thing wrong with one cell, or with one row as a whole.
type Problem struct {
	// Row counts from the first row of the batch that holds the problem.
	Row int
	// Field is the place of the field in the schema, or NoField.
	Field int
	// Part is which of the columns of a field with ManyToOne is concerned,
	// counted from 0; 0 for all other fields.
	Part int
	// Code names the rule that was broken, such as "required" or "email". It
	// is made of lower-case letters, digits and underscores.
	Code string
	// Level is how bad it is.
	Level Level
	// Text says what is wrong and what to do, for the person who sent the
	// file. It does not repeat the cell's text, so that few texts serve many
	// problems.
	Text Message
}

// Notice is something to tell about an import as a whole: a choice that could
// not be made, or one that somebody should know of.
type Notice struct {
	Type  NoticeType
	Level Level
	Text  Message
	// Field is the key of the field concerned, or "".
	Field string
	// Header is the header of the column concerned, or "".
	Header string
	// Row is the data row concerned, counted from 0; nil where none is.
	Row *int64
	// Part is which of the columns of a field with ManyToOne is concerned,
	// counted from 0; nil for all other fields.
	Part *int
	// Value is the raw text concerned; nil where there is none.
	Value *string
	// Total is how many notices there are in all, with Truncated.
	Total int64
}

// NoticeType is the kind of a notice, by its wire name.
type NoticeType string

// The kinds of notices.
const (
	EmptyFile          NoticeType = "EMPTY_FILE"
	UnreadableFile     NoticeType = "UNREADABLE_FILE"
	TooLarge           NoticeType = "TOO_LARGE"
	EncodingUncertain  NoticeType = "ENCODING_UNCERTAIN"
	HeaderRowUncertain NoticeType = "HEADER_ROW_UNCERTAIN"
	SheetUncertain     NoticeType = "SHEET_UNCERTAIN"
	OtherTables        NoticeType = "OTHER_TABLES"
	UnmappedFields     NoticeType = "UNMAPPED_FIELDS"
	ColumnConflict     NoticeType = "COLUMN_CONFLICT"
	AmbiguousColumn    NoticeType = "AMBIGUOUS_COLUMN"
	ValueMapped        NoticeType = "VALUE_MAPPED"
	Validation         NoticeType = "VALIDATION"
	RepairedRow        NoticeType = "REPAIRED_ROW"
	MaxRecords         NoticeType = "MAX_RECORDS"
	NoRows             NoticeType = "NO_ROWS"
	AllRowsRemoved     NoticeType = "ALL_ROWS_REMOVED"
	HookFailed         NoticeType = "HOOK_FAILED"
	CancelledByHook    NoticeType = "CANCELLED_BY_HOOK"
	Truncated          NoticeType = "TRUNCATED"
)

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
