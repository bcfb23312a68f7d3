package intray

// Level is the severity of a problem.
type Level uint8

const (
	// LevelError makes a row invalid.
	LevelError Level = iota
	// LevelWarning is reported, but the row stays valid.
	LevelWarning
	// LevelInfo is reported, but the row stays valid.
	LevelInfo
)

var levelNames = [...]string{"error", "warning", "info"}

// String returns the wire name: error, warning or info.
func (l Level) String() string { return levelNames[l] }

// ParseLevel returns the level with the given wire name. It reports false if there is no
// such level.
func ParseLevel(name string) (Level, bool) {
	for i, n := range levelNames {
		if n == name {
			return Level(i), true
		}
	}
	return 0, false
}

// NoField is the value of Field for a problem that concerns a whole row.
const NoField = -1

// Problem is one fault in a cell or in a row as a whole.
type Problem struct {
	// Row is the index of the row within the batch that holds the problem.
	Row int
	// Field is the index of the field in the schema, or NoField.
	Field int
	// Part is the index of the column within a many-to-one field, or 0 for any other field.
	Part int
	// Code identifies the violated rule, such as "required" or "email". It consists of
	// lower-case letters, digits and underscores.
	Code  string
	Level Level
	// Text explains the problem and how to fix it. It does not repeat the content of the
	// cell, so that many problems share the same message.
	Text Message
}

// Notice is a message about an import as a whole, such as a choice that Intray made or
// could not make.
type Notice struct {
	Type  NoticeType
	Level Level
	Text  Message
	// Field is the key of the field concerned, or "".
	Field string
	// Header is the header of the column concerned, or "".
	Header string
	// Row is the index of the data row concerned, or nil.
	Row *int64
	// Part is the index of the column within a many-to-one field, or nil for any other field.
	Part *int
	// Value is the raw text concerned, or nil.
	Value *string
	// Total is the number of all notices. It is set only if the type is Truncated.
	Total int64
}

// NoticeType is the type of a notice. Its value is the wire name.
type NoticeType string

// Notice types.
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

// Trace shows the origin of one cell of a result and the effect of each step on it.
type Trace struct {
	// Row is the index of the row among all data rows.
	Row int64
	// Line is the line of the file on which the record begins, counted from 1.
	Line int64
	// Field is the key of the field.
	Field string
	// Columns lists the columns that map to the field. It is empty if there are none.
	Columns []TracedColumn
	// Raw is the raw text of the cell. For a many-to-one field, it is a JSON array of the raw
	// text of its columns.
	Raw string
	// Value is the canonical text of the value, or nil for null.
	Value *string
	// Steps are in order of execution.
	Steps []TraceStep
	// Problems are the problems of the cell, followed by those of the whole row.
	Problems []Problem
}

// TracedColumn is a column from which a traced cell came.
type TracedColumn struct {
	// Index is the position of the column in the file, counted from 0.
	Index  int
	Header string
}

// TraceStep is the effect of one step on a cell.
type TraceStep struct {
	// Step is one of read, map, parse, check and output.
	Step string
	// Text is the content of the cell after the step, or nil for null. For the step output,
	// it is JSON.
	Text *string
	// Reasons explain the step to people.
	Reasons []Message
}
