package wire

// Page is a part of a list.
type Page[T any] struct {
	Count    int64   `json:"count" doc:"Number of elements in the whole list."`
	Next     *string `json:"next" doc:"URL of the next page."`
	Previous *string `json:"previous" doc:"URL of the previous page."`
	Results  []T     `json:"results"`
}

// ImportSummary is an import in a list.
type ImportSummary struct {
	_                struct{} `doc:"An import in a list."`
	ID               string   `json:"id" schema:"uuid"`
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
	Upload         string          `json:"upload" doc:"Signed URL for uploading the file: one PUT with the bytes. Valid for 1,800 seconds after this response."`
	ReviewURL      string          `json:"review_url" doc:"URL of the page where a person answers questions and fixes rows."`
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
	Value string `json:"value"`
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
	ID          string   `json:"id"`
	Name        string   `json:"name"`
	Email       string   `json:"email"`
	CompanyID   string   `json:"companyId"`
	CompanyName string   `json:"companyName"`
}

// Upload describes a received file.
type Upload struct {
	_                 struct{}  `doc:"A received file and the report on it."`
	ID                string    `json:"id" schema:"uuid"`
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

// RawUpload is the uploaded file itself.
type RawUpload struct {
	Filename    string `json:"filename"`
	StorageKey  string `json:"storage_key"`
	DownloadURL string `json:"download_url,omitempty" doc:"In the metadata only: signed URL of the received file, valid for 1,800 seconds."`
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
	URL string `json:"presigned_url" doc:"Signed URL of the result, valid for 1,800 seconds."`
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
	_        struct{}      `doc:"Where a cell came from and what each step did to it."`
	Field    string        `json:"field" doc:"The key of the field."`
	Columns  []CellColumn  `json:"columns" doc:"The columns that feed the field. Empty if none does."`
	Raw      string        `json:"raw" doc:"The raw value in the file, at most 65,536 bytes of it. A JSON array of strings if several columns feed the field."`
	Value    *string       `json:"value" doc:"The canonical form of the value, at most 65,536 bytes of it. null if the cell has no value."`
	Steps    []CellStep    `json:"steps" doc:"In the order in which they ran."`
	Problems []CellProblem `json:"problems" doc:"The problems of the cell, then those of the row as a whole."`
}

// CellColumn is a column of the file from which a cell came.
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
