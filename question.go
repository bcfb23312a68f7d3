package intray

import (
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"
)

// Question is something about a file or its mapping that only a person can decide.
// The same file, schema and answers always yield the same questions.
type Question struct {
	// ID identifies the question within its import. It is one of the Answer constants, such as
	// "sheet". If the constant ends in a colon, a key or an index follows, as in "column:email".
	ID string
	// Notice is the type of the notice that announces the question.
	Notice NoticeType
	// Field is the key of the field concerned, or "".
	Field string
	// Header is the header of the column concerned, or "".
	Header string
	// Text is the question and its reason.
	Text Message
	// Choices are the suggested answers, most likely first: at most 20 columns, or
	// 1,000 sheets or fields.
	Choices []Choice
	// AnyColumn is set if the index of any other column is a valid answer, too.
	AnyColumn bool
	// Many is set if the answer may be several column indexes, joined by commas.
	Many bool
}

// Choice is a suggested answer to a question, or an alternative in [Evidence].
type Choice struct {
	// Value is the answer.
	Value string
	// Label is the text shown to people. If it is zero, Value is shown.
	Label Message
	// Reason supports the choice. It may be zero.
	Reason Message
	// Examples are cells or headers that show the effect of the choice.
	Examples []string
	// Readings shows how this choice would parse some cells of the column. It is empty
	// except in questions about the format of dates or numbers. Such questions stored by an
	// earlier version have only Examples.
	Readings []Reading `json:",omitempty"`
}

// Reading is a cell of a column and the value that parsing it would yield.
type Reading struct {
	// Raw is the raw text of the cell.
	Raw string
	// Value is the canonical text of the value, or "" for null.
	Value string
}

// Answers maps the IDs of questions to people's decisions. Answers to questions that do not
// arise have no effect.
//
//   - AnswerSheet: the value that [SheetChoice] returns for the sheet, or that [SheetsChoice]
//     returns for several sheets
//   - AnswerEncoding: the name of an encoding
//   - AnswerDelimiter: the character or text between cells
//   - AnswerColumnStarts: the positions of the characters at which the columns start, counted from
//     1, such as "1,11,25", or NoAnswer if the columns have no fixed width
//   - AnswerHeaderRow: the header row, counted from 1, the first and last row of a header such as
//     "2-3", or NoAnswer
//   - AnswerMisplacedQuotes: "quotes" to read quotation marks around several lines as quotes, or
//     "text" to read them as text if the lines look like rows
//   - AnswerDerived: the columns that a person adds to those of the file, as JSON; see [DerivedColumn]
//   - AnswerNewField + column index: the key and label of a field to create for the column, if
//     Settings.AllowCustomFields is set
//   - AnswerNewFields: AllColumns to create a field for each column that maps to none, named after its header
//   - AnswerColumn + field key: the index of the column, or NoAnswer. For a many-to-one
//     field, the indexes are joined by commas
//   - AnswerValue + field key + ":" + raw text: the value of cells with this text,
//     or "" for null. A number or date with the answer "" is null however it is written
//   - AnswerFormat + field key: one of the choices of the question. If the column
//     has several formats, ":" and the format follow the key
//   - AnswerField + column index: the key of the field, or NoAnswer
type Answers map[string]string

// These are the IDs of questions. Those that end in a colon are prefixes.
const (
	AnswerSheet        = "sheet"
	AnswerEncoding     = "encoding"
	AnswerDelimiter    = "delimiter"
	AnswerColumnStarts = "column_starts"
	AnswerHeaderRow    = "header_row"
	// AnswerMisplacedQuotes is about quotation marks that may be misplaced.
	AnswerMisplacedQuotes = "misplaced_quotes"
	// AnswerDerived is about columns that a person adds.
	AnswerDerived = "derived"
	// AnswerNewField and AnswerNewFields are about fields that people create.
	AnswerNewField  = "new:"
	AnswerNewFields = "new"
	AnswerColumn    = "column:"
	AnswerField     = "field:"
	AnswerFormat    = "format:"
	AnswerValue     = "value:"
	// AllColumns is the answer that fields are created for all columns without one.
	AllColumns = "all"
	// NoAnswer is the answer that there is no header, no column or no field.
	NoAnswer = "none"
)

// maxHeaderRows is the maximum number of rows of a header that a person can choose.
const maxHeaderRows = 10

// maxNewFieldKey is the maximum length of the key of a field that people create, in bytes. It is that of
// other keys.
const maxNewFieldKey = 255

// IsNewFieldKey reports whether people can create a field with a key: one that is not too long, without control
// characters, and not reserved for results, such as "$unmapped".
func IsNewFieldKey(key string) bool {
	return key != "" && len(key) <= maxNewFieldKey && key[0] != '$' && utf8.ValidString(key) && !strings.ContainsFunc(key, unicode.IsControl)
}

// ParseHeaderRows parses an answer to the question about the header: a row number such as "2", or
// the first and last row such as "2-3". Instead of the hyphen, an en dash is accepted. Rows are
// counted from 1, and a header has at most 10 rows.
func ParseHeaderRows(answer string) (first, count int, ok bool) {
	from, to, several := strings.Cut(strings.ReplaceAll(answer, "–", "-"), "-")
	if !several {
		to = from
	}
	first, err := strconv.Atoi(from)
	last, err2 := strconv.Atoi(to)
	count = last - first + 1
	return first, count, err == nil && err2 == nil && first > 0 && count > 0 && count <= maxHeaderRows
}

// maxColumnStart is the maximum position at which a column of fixed width can start.
const maxColumnStart = 1 << 16

// ParseColumnStarts parses an answer to the question about the starts of columns of fixed width: at
// least two positions in ascending order, counted from 1 and separated by commas, with optional
// spaces. A position can be at most 65,536. The returned positions are counted from 0.
func ParseColumnStarts(answer string) (starts []int, ok bool) {
	for part := range strings.SplitSeq(answer, ",") {
		n, err := strconv.Atoi(strings.TrimSpace(part))
		if err != nil || n < 1 || n > maxColumnStart || len(starts) > 0 && n-1 <= starts[len(starts)-1] {
			return nil, false
		}
		starts = append(starts, n-1)
	}
	return starts, len(starts) > 1
}

// Accepts reports whether value is a valid answer for a file with the given number of columns.
func (q Question) Accepts(value string, columns int) bool {
	for _, c := range q.Choices {
		if c.Value == value {
			return true
		}
	}
	if q.ID == AnswerColumnStarts {
		_, ok := ParseColumnStarts(value)
		return ok
	}
	if q.Many && strings.Contains(value, ",") {
		return q.acceptsEach(value, columns)
	}
	_, ok := ColumnIndex(value, columns)
	return q.AnyColumn && ok
}

// acceptsEach reports whether value is a list of valid answers without duplicates.
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

// ColumnIndex parses the index of a column. It reports false unless text is the canonical
// decimal form of an index from 0 to columns-1.
func ColumnIndex(text string, columns int) (int, bool) {
	n, err := strconv.Atoi(text)
	return n, err == nil && n >= 0 && n < columns && strconv.Itoa(n) == text
}

// SheetChoice returns the answer that selects a sheet, given the names of all sheets. The
// answer is the name of the sheet. If the name is empty, not unique or starts with #, the
// answer is # followed by the number of the sheet, counted from 1.
func SheetChoice(names []string, sheet int) string {
	name := names[sheet]
	for i, other := range names {
		if name == "" || strings.HasPrefix(name, "#") || i != sheet && other == name {
			return "#" + strconv.Itoa(sheet+1)
		}
	}
	return name
}

// sheetNames is the part of an answer that adds the names of sheets as a column.
const sheetNames = "names"

// SheetsChoice returns the answer that selects several sheets to be read as one table, such as
// "#1,#3", or "#1,#3,names" to add the names of the sheets as a column.
func SheetsChoice(sheets []int, names bool) string {
	parts := make([]string, 0, len(sheets)+1)
	for _, sheet := range sheets {
		parts = append(parts, "#"+strconv.Itoa(sheet+1))
	}
	if names {
		parts = append(parts, sheetNames)
	}
	return strings.Join(parts, ",")
}

// ParseSheets parses an answer of [SheetsChoice] about a file with total sheets. It reports false for
// other answers, and for answers that name fewer than two sheets or a sheet twice.
func ParseSheets(answer string, total int) (sheets []int, names, ok bool) {
	list, names := strings.CutSuffix(answer, ","+sheetNames)
	for part := range strings.SplitSeq(list, ",") {
		number, marked := strings.CutPrefix(part, "#")
		n, err := strconv.Atoi(number)
		if !marked || err != nil || n < 1 || n > total || slices.Contains(sheets, n-1) {
			return nil, false, false
		}
		sheets = append(sheets, n-1)
	}
	return sheets, names, len(sheets) > 1
}

// Mapping assigns columns to the fields of a schema.
type Mapping struct {
	// Fields holds one match for each field, in the order of the schema.
	Fields []Match
	// Unmapped lists the indexes of the columns that map to no field, in ascending order.
	Unmapped []int
}

// Match is the column, or the columns, that map to one field.
type Match struct {
	// Column is the index of the column, or NoColumn.
	Column int
	// Columns lists all columns of a many-to-one field, in file order. The first one equals
	// Column. It is empty for other fields.
	Columns []int
	// Header is the header of Column.
	Header string
	// Score is the confidence in the match, from 0 to 1.
	Score float64
	// Reasons explain the match to people.
	Reasons []Message
	// Twins are other columns that fit the field equally well. In the samples, they have the same
	// values as Column, so that the choice makes no difference. An import verifies this for all rows.
	Twins []int `json:",omitempty"`
}

// AllColumns returns all columns that map to the field.
func (m Match) AllColumns() []int {
	switch {
	case len(m.Columns) > 0:
		return m.Columns
	case m.Column != NoColumn:
		return []int{m.Column}
	}
	return nil
}

// NoColumn is the value of Match.Column if no column maps to the field.
const NoColumn = -1

// Evidence is one choice made about a file, with its reason and alternatives.
type Evidence struct {
	// Choice is the property whose value was chosen, such as format, encoding, delimiter, quote,
	// header row or sheet.
	Choice string
	// Value is the chosen value.
	Value string
	// Reason explains the choice to people.
	Reason Message
	// Alternatives are the other plausible values, most likely first.
	Alternatives []Choice `json:"Rivals"`
	// Tie is set if an alternative fits as well as Value, so a person must choose.
	Tie bool
}

// LearnedMappings are decisions that people made in earlier imports of the same
// kind. [Answers] take precedence over them.
type LearnedMappings struct {
	Columns []LearnedColumn
	Values  []LearnedValue
}

// LearnedColumn is a confirmed mapping from a header to a field.
type LearnedColumn struct {
	// Field is the key of a field.
	Field string
	// Header is the header of the column as it appears in the file.
	Header string
	// On is the time of the decision. If decisions conflict, the latest one wins.
	On time.Time
}

// LearnedValue is a mapping, decided by a person, from raw text to a value of a field. Leading
// and trailing white space in cells is ignored.
type LearnedValue struct {
	// Field is the key of a field.
	Field string
	// Text is the raw text of the cells.
	Text string
	// Value is the value of cells with this text, or "" for null.
	Value string
	// On is the time of the decision. The latest one wins.
	On time.Time
}
