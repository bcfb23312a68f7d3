package wire

// Questions holds the questions and answers of an import.
type Questions struct {
	_         struct{}          `doc:"The questions about an import."`
	Status    string            `json:"status" schema:"status"`
	Questions []Question        `json:"questions" doc:"At most 100 at a time. Empty unless the import is NEEDS_REVIEW."`
	Answers   map[string]string `json:"answers" doc:"All answers given so far, by question id."`
}

// Question is an open question.
type Question struct {
	_    struct{} `doc:"A question that only a person can answer."`
	ID   string   `json:"id" doc:"For example sheet, header_row, encoding, column:<field key> or field:<column index>."`
	Type string   `json:"type" doc:"The type of the notice about the question."`
	Message
	FieldKey    string   `json:"fieldKey,omitempty"`
	Header      string   `json:"header,omitempty"`
	Choices     []Choice `json:"choices" doc:"The likeliest first."`
	AnyColumn   bool     `json:"anyColumn" doc:"The index of any other column, counted from 0, is accepted too."`
	ManyColumns bool     `json:"manyColumns" doc:"Several columns are accepted: their indexes, joined by commas."`
	Answer      *string  `json:"answer" doc:"The answer given so far, while other questions are open."`
}

// Alternative is a value that the user can choose.
type Alternative struct {
	Value string `json:"value" doc:"The value to answer with."`
	Label
	Reason
	Examples []string `json:"examples" doc:"Cells or headers."`
}

// Choice is an answer to a question.
type Choice struct {
	Alternative
	Readings []Reading `json:"readings,omitempty" doc:"Some cells of the column and how this choice reads them. Only for questions about the format of dates or numbers."`
}

// Reading is a cell and the value that parsing it yields.
type Reading struct {
	Raw   string `json:"raw" doc:"The raw value of the cell."`
	Value string `json:"value" doc:"The value in the canonical form of its type. Empty if the cell has none."`
}

// LearnedMapping is a decision that Intray learned from a person.
type LearnedMapping struct {
	_              struct{} `doc:"A decision that Intray learned from a person."`
	Kind           string   `json:"kind" schema:"learned_kind"`
	Field          string   `json:"field" doc:"The key of the field."`
	Text           string   `json:"text" doc:"The header of the column, or the raw value of cells."`
	Value          *string  `json:"value" doc:"The value that the raw value is read as, empty for an empty cell. null for a column."`
	RememberedDate string   `json:"remembered_date" schema:"time"`
}

// Layout describes how Intray read the file of an import.
type Layout struct {
	_        struct{}          `doc:"How the file was read, and which columns feed which fields."`
	Status   string            `json:"status" schema:"status"`
	Filename string            `json:"filename"`
	Evidence []LayoutChoice    `json:"evidence"`
	Columns  []LayoutColumn    `json:"columns"`
	Fields   []LayoutField     `json:"fields" doc:"Without hidden fields."`
	Answers  map[string]string `json:"answers" doc:"All answers given so far, by question id."`
	Changes  int               `json:"changes" doc:"Number of changes to rows that are lost if the file is read again."`
}

// LayoutChoice is a property of a file, with its alternative values.
type LayoutChoice struct {
	Choice string `json:"choice" doc:"The property: format, encoding, delimiter, sheet, header row and others."`
	Evidence
	Answer       string        `json:"answer" doc:"The question id for choosing another value. Empty if the value is fixed."`
	Alternatives []Alternative `json:"rivals" doc:"The other possible values, the likeliest first."`
}

// LayoutColumn is a column of a file.
type LayoutColumn struct {
	Index    int      `json:"index"`
	Header   string   `json:"header"`
	Examples []string `json:"examples" doc:"Some of its cells."`
	Field    *string  `json:"field" doc:"The key of the field that the column feeds."`
}

// LayoutField is a field with the columns that map to it.
type LayoutField struct {
	Key            string  `json:"key"`
	Label          string  `json:"label"`
	Type           string  `json:"type"`
	Required       bool    `json:"required" doc:"Cells must not be empty."`
	RequireMapping bool    `json:"requireMapping" doc:"The field must have a column."`
	ManyToOne      bool    `json:"manyToOne" doc:"The field takes several columns."`
	Columns        []int   `json:"columns"`
	Score          float64 `json:"score" doc:"How certain the match is, from 0 to 1."`
	Reasons
	Decided string `json:"decided" schema:"decided" doc:"Who chose the columns."`
}
