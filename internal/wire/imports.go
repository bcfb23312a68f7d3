package wire

// Page is a part of a list.
type Page[T any] struct {
	Count    int64   `json:"count" doc:"Number of elements in the whole list, but at most 10,000 in lists of deliveries and of results."`
	Next     *string `json:"next" schema:"uri" doc:"URL of the next page."`
	Previous *string `json:"previous" schema:"uri" doc:"URL of the previous page."`
	Results  []T     `json:"results"`
}

// ImportSummary is an import in a list.
type ImportSummary struct {
	_                struct{} `name:"ImportListItem" doc:"An import in a list."`
	ID               string   `json:"id" schema:"uuid" doc:"Id of the import."`
	SchemaID         string   `json:"schema_id" schema:"uuid" doc:"The saved schema, or the id of the inline schema."`
	Status           string   `json:"status" schema:"status"`
	OriginalFilename string   `json:"original_filename" doc:"Empty if the file has no name."`
	CreatedDate      string   `json:"created_date" schema:"time"`
	ModifiedDate     string   `json:"modified_date" schema:"time"`
}

// Import is an import with its URLs and its outcome.
type Import struct {
	_ struct{} `doc:"An import."`
	ImportSummary
	Upload         string          `json:"upload" schema:"uri" doc:"Signed URL for uploading the file: one PUT with the bytes. Valid for 1,800 seconds after this response."`
	DirectUpload   string          `json:"direct_upload,omitempty" schema:"uri" doc:"Signed URL of createDirectUpload. Only if the server allows direct uploads to the bucket."`
	ReviewURL      string          `json:"review_url" schema:"uri" doc:"URL of the page where a person answers questions and fixes rows."`
	ResultMetadata *ResultMetadata `json:"result_metadata"`
	ImportErrors   []Notice        `json:"import_errors" schema:"nullable" doc:"At most 1,000, then one of type TRUNCATED."`
}

// ResultMetadata is the information that an import gathered about its file.
type ResultMetadata struct {
	_                struct{}               `doc:"What the import found out about the file. null before a run has ended."`
	ID               string                 `json:"id" schema:"uuid" doc:"Id of the upload."`
	Filename         *string                `json:"filename"`
	ImportIdentifier string                 `json:"importIdentifier"`
	User             *User                  `json:"user"`
	RawHeaders       []string               `json:"rawHeaders" schema:"nullable"`
	Fields           map[string]FieldSource `json:"fields" doc:"By field key."`
	NumDataRows      int64                  `json:"numDataRows"`
	NumOutputRows    int64                  `json:"numOutputRows"`
	NumRowsWithError int64                  `json:"numRowsWithError"`
	RowsWithError    []int64                `json:"rowsWithError" doc:"The first 10,000 data rows with an error, counted from 0."`
	Source           map[string]Evidence    `json:"source" doc:"What Intray decided about the file (format, encoding, delimiter, header row), each with the reason."`
	SHA256           string                 `json:"sha256" doc:"SHA-256 of the received file, in hexadecimal."`
}

// FieldSource is the column that maps to a field. The lists are nil unless the field is a
// many-to-one field.
type FieldSource struct {
	_                 struct{} `doc:"The column that feeds the field, or null. A field with manyToOne has lists of columns instead."`
	FileHeader        *string  `json:"fileHeader"`
	FileHeaders       []string `json:"fileHeaders,omitzero" doc:"With manyToOne only."`
	FileHeaderIndex   *int     `json:"fileHeaderIndex" doc:"Counted from 0."`
	FileHeaderIndexes []int    `json:"fileHeaderIndexes,omitzero" doc:"With manyToOne only. Counted from 0."`
	IsCustom          bool     `json:"isCustom"`
	ManyToOne         bool     `json:"manyToOne"`
}

// Evidence is the value that Intray chose for a property of a file, with the reason.
type Evidence struct {
	_     struct{} `name:"FileEvidence"`
	Value string   `json:"value"`
	Reason
}

// Notice is an element of import_errors.
type Notice struct {
	Type  string `json:"type" schema:"notice"`
	Level string `json:"level" schema:"level"`
	Message
	RowIndex       *int64  `json:"rowIndex,omitempty" doc:"The data row, counted from 0."`
	FieldKey       string  `json:"fieldKey,omitempty"`
	Header         string  `json:"header,omitempty"`
	Value          *string `json:"value,omitempty" doc:"The raw value of the cell, at most 4,096 bytes of it."`
	ManyToOneIndex *int    `json:"manyToOneIndex,omitempty" doc:"Which of the columns of a field with manyToOne, counted from 0."`
	Total          int64   `json:"total,omitempty" doc:"With TRUNCATED: the number of elements in the whole list."`
}

// User is the person for whom a file is imported.
type User struct {
	_           struct{} `doc:"The person for whom the file is imported. Unknown values are empty."`
	ID          string   `json:"id" doc:"Id of the person in your system."`
	Name        string   `json:"name"`
	Email       string   `json:"email"`
	CompanyID   string   `json:"companyId"`
	CompanyName string   `json:"companyName"`
}

// Upload describes a received file.
type Upload struct {
	_                 struct{}  `doc:"A received file and the report on it."`
	ID                string    `json:"id" schema:"uuid" doc:"Id of the upload."`
	ImportIdentifier  string    `json:"import_identifier"`
	RawUpload         RawUpload `json:"raw_upload"`
	User              User      `json:"user"`
	CreatedDate       string    `json:"created_date" schema:"time"`
	UploadStatus      string    `json:"upload_status" schema:"upload_status"`
	TotalNumRows      int64     `json:"total_num_rows" doc:"Number of data rows, after maxRecords."`
	InvalidRowIndexes []int64   `json:"invalid_row_indexes" doc:"Data rows with an error, counted from 0. At most 1,000 in a list, 10,000 in the metadata."`
	Errors            []Notice  `json:"errors" doc:"At most 10 in a list, 1,000 in the metadata."`
	StorageKey        string    `json:"storage_key"`
	FieldOrder        []string  `json:"field_order"`
}

// DirectUpload describes how to send a file directly to the bucket.
type DirectUpload struct {
	_               struct{}          `doc:"A request that sends a file directly to the bucket."`
	URL             string            `json:"url" schema:"uri" doc:"Presigned URL for one PUT with the bytes. The bucket accepts it once."`
	Headers         map[string]string `json:"headers" doc:"The headers to send with the PUT, in addition to Content-Length."`
	ExpiresAt       string            `json:"expires_at" schema:"time" doc:"Until when the PUT can begin."`
	Commit          string            `json:"commit" schema:"uri" doc:"Signed URL of commitDirectUpload."`
	CommitExpiresAt string            `json:"commit_expires_at" schema:"time" doc:"Until when the upload can be committed. Then the file is deleted."`
}

// RawUpload refers to the uploaded file itself.
type RawUpload struct {
	Filename    string `json:"filename"`
	StorageKey  string `json:"storage_key"`
	DownloadURL string `json:"download_url,omitempty" schema:"uri" doc:"In the metadata only: signed URL of the received file, valid for 1,800 seconds."`
}

// Uploads is one page of the list of uploads.
type Uploads struct {
	Start           int64    `json:"start"`
	End             int64    `json:"end"`
	TotalNumUploads int64    `json:"total_num_uploads" doc:"Number of uploads that match the filter."`
	Data            []Upload `json:"data" doc:"Newest first."`
}

// PresignedURL is a signed URL for a file.
type PresignedURL struct {
	URL string `json:"presigned_url" schema:"uri" doc:"Signed URL of the result, valid for 1,800 seconds."`
}

// Lineage explains how the cells of a row came about.
type Lineage struct {
	_     struct{} `doc:"The lineage of the cells of a row."`
	Row   int64    `json:"row" doc:"The data row, counted from 0."`
	Line  int64    `json:"line" doc:"The line of the file where the row begins, counted from 1."`
	Cells []Cell   `json:"cells"`
}

// Cell is the lineage of one cell.
type Cell struct {
	_        struct{}      `name:"CellLineage" doc:"Where a cell came from and what each step did to it."`
	Field    string        `json:"field" doc:"The key of the field."`
	Columns  []CellColumn  `json:"columns" doc:"The columns that feed the field. Empty if none does."`
	Raw      string        `json:"raw" doc:"The raw value in the file, at most 65,536 bytes of it. A JSON array of strings if several columns feed the field."`
	Value    *string       `json:"value" doc:"The canonical form of the value, at most 65,536 bytes of it. null if the cell has no value."`
	Steps    []CellStep    `json:"steps" doc:"In the order in which they ran."`
	Problems []CellProblem `json:"problems" doc:"The problems of the cell, then those of the row as a whole."`
}

// CellColumn is a column from which a cell came.
type CellColumn struct {
	Index  int    `json:"index" doc:"Counted from 0, in the order of the file."`
	Header string `json:"header"`
}

// CellStep is the effect of one step on a cell.
type CellStep struct {
	Step string  `json:"step" schema:"step"`
	Text *string `json:"text" doc:"The cell after the step, at most 4,096 bytes of it. null if it had no value. After output: the JSON in the result, with strings in quotes."`
	Reasons
}

// CellProblem is a problem of a cell.
type CellProblem struct {
	Code  string `json:"code" doc:"The rule that the cell breaks."`
	Level string `json:"level" schema:"level"`
	Message
	ManyToOneIndex *int `json:"manyToOneIndex,omitempty" doc:"Which of the columns, counted from 0."`
}

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
	_ struct{} `name:"QuestionChoice"`
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

// Lexicon is a file with learned mappings.
type Lexicon struct {
	_       struct{}        `doc:"The decisions that Intray learned for an import identifier."`
	Columns []LexiconColumn `json:"columns"`
	Values  []LexiconValue  `json:"values"`
}

// LexiconColumn is a learned mapping from a header to a field.
type LexiconColumn struct {
	Field          string `json:"field" doc:"The key of the field."`
	Header         string `json:"header" doc:"The header of the column."`
	RememberedDate string `json:"remembered_date,omitempty" schema:"time"`
}

// LexiconValue is a learned mapping from a raw value to a value of a field.
type LexiconValue struct {
	Field          string `json:"field" doc:"The key of the field."`
	Text           string `json:"text" doc:"The raw value of cells."`
	Value          string `json:"value" doc:"The value that the raw value is read as, empty for an empty cell."`
	RememberedDate string `json:"remembered_date,omitempty" schema:"time"`
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
	// Added is the number of columns at the end that a person added.
	Added int `json:"added" doc:"Number of columns at the end of the list that a person added, with the answer derived."`
	// NewFields is set if people can create fields.
	NewFields bool `json:"newFields" doc:"People can create fields for columns, with the answers new:INDEX."`
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
	Description    string  `json:"description"`
	Type           string  `json:"type"`
	Required       bool    `json:"required" doc:"Cells must not be empty."`
	RequireMapping bool    `json:"requireMapping" doc:"The field must have a column."`
	ManyToOne      bool    `json:"manyToOne" doc:"The field takes several columns."`
	Columns        []int   `json:"columns"`
	Score          float64 `json:"score" doc:"How certain the match is, from 0 to 1."`
	Reasons
	Decided string `json:"decided" schema:"decided" doc:"Who chose the columns."`
	Created bool   `json:"created" doc:"A person created the field for its column. It disappears when the column gets another field."`
}

// ReviewLink is a new review link.
type ReviewLink struct {
	URL     string `json:"review_url" schema:"uri" doc:"URL of the page where a person answers questions and fixes rows."`
	Expires string `json:"expires_date" schema:"time" doc:"Time when the link expires."`
}

// Rehydration is what a client library passes to the widget so that it continues an import.
type Rehydration struct {
	_                struct{}       `doc:"The argument of rehydrateHeadless of client libraries."`
	LicenseKey       string         `json:"licenseKey" doc:"Opens the review of this import only. It is not an API key."`
	HeadlessImportID string         `json:"headlessImportId" schema:"uuid" doc:"Id of the import."`
	Fields           any            `json:"fields" schema:"fields"`
	Settings         map[string]any `json:"settings" doc:"The merged settings, without URLs."`
	Hooks            map[string]any `json:"hooks" doc:"Empty, because the hooks run on the server."`
	State            map[string]any `json:"rehydrateState" doc:"Empty, because the state is on the server."`
}
