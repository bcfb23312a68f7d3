package wire

// Review is the content of the review page for an import.
type Review struct {
	Session             string         `json:"session,omitempty" doc:"For embedded imports: the token to send as Authorization: Bearer instead of the cookie. Only in the response of openReview."`
	ID                  string         `json:"id" schema:"uuid" doc:"Id of the import."`
	Title               string         `json:"title"`
	Status              string         `json:"status"`
	OriginalFilename    string         `json:"original_filename"`
	NumDataRows         int64          `json:"num_data_rows"`
	NumRowsWithError    int64          `json:"num_rows_with_error"`
	ImportErrors        []Notice       `json:"import_errors" doc:"At most 50."`
	InvalidDataBehavior string         `json:"invalidDataBehavior" doc:"What happens to rows with an error."`
	StyleOverrides      map[string]any `json:"styleOverrides" doc:"As in the settings."`
	OpenQuestions       int            `json:"openQuestions"`
	HasRows             bool           `json:"hasRows" doc:"There are rows to review."`
	UnmatchedValues     *int64         `json:"unmatchedValues" doc:"Number of cells whose text matched no option of their field when the file was last read, or 0 if rows have been changed since. Null if no field has options that values can be matched with."`
	Finished            *string        `json:"finished" schema:"time" doc:"When the file was last read."`
	First               *ReviewFirst   `json:"first,omitempty"`
}

// FilePreview is the top of a received file, as it is stored.
type FilePreview struct {
	_      struct{}       `doc:"The top of the received file, before a header is looked for."`
	Sheets []PreviewSheet `json:"sheets" doc:"A file without sheets has one without a name."`
	Sheet  int            `json:"sheet" doc:"The index of the sheet whose rows are listed."`
	Rows   [][]string     `json:"rows" doc:"Row n, counted from 1, is row n in answers about the header. At most 200 cells, each cut to about 300 bytes."`
	More   bool           `json:"more" doc:"The sheet may have further rows."`
}

// DerivedPreview is the first cells of columns that a person may add.
type DerivedPreview struct {
	_    struct{}   `doc:"The cells of added columns in the first rows of the table."`
	Rows [][]string `json:"rows" doc:"The first 5 rows. Each has one cell for each column, cut to about 300 bytes."`
}

// PreviewSheet is a sheet of a received file.
type PreviewSheet struct {
	Name   string `json:"name"`
	Hidden bool   `json:"hidden"`
	Answer string `json:"answer" doc:"The answer to the question sheet that selects this sheet."`
}

// ReviewFirst is the table and its first rows.
type ReviewFirst struct {
	_     struct{}    `doc:"The responses of table/ and rows/, if rows were requested, there are any and no question is open."`
	Table ReviewTable `json:"table"`
	Rows  ReviewRows  `json:"rows"`
}

// ReviewTable describes the table of the review page.
type ReviewTable struct {
	Columns []ReviewColumn `json:"columns"`
	Totals  ReviewTotals   `json:"totals"`
	Undo    int            `json:"undo" doc:"Number of changes that can be undone."`
	Redo    int            `json:"redo" doc:"Number of changes that can be redone."`
}

// ReviewColumn is a column of the table.
type ReviewColumn struct {
	_         struct{}       `doc:"A field, or one of the columns that feed a field with manyToOne."`
	Key       string         `json:"key"`
	Part      *int           `json:"part,omitempty" doc:"Which of the columns of the field, counted from 0."`
	Label     string         `json:"label"`
	Type      string         `json:"type" doc:"The type of the field."`
	Header    string         `json:"header,omitempty" doc:"The header of the column in the file."`
	ReadOnly  bool           `json:"readOnly"`
	Hidden    bool           `json:"hidden"`
	Required  bool           `json:"required"`
	Options   []ReviewOption `json:"options,omitempty" doc:"For select, multi-select, country and us-state-territory."`
	Delimiter string         `json:"delimiter,omitempty" doc:"The separator between the values of a multi-select."`
}

// ReviewOption is a value of a field that has a list of values.
type ReviewOption struct {
	Value string `json:"value"`
	Label string `json:"label"`
}

// ReviewTotals counts the rows under review.
type ReviewTotals struct {
	Rows     int64 `json:"rows"`
	Errors   int64 `json:"errors" doc:"Rows with a problem of this level."`
	Warnings int64 `json:"warnings"`
	Infos    int64 `json:"infos"`
}

// ReviewRows is a window of the rows in a view.
type ReviewRows struct {
	View  string      `json:"view" doc:"The id of the view."`
	Total int64       `json:"total" doc:"Number of rows in the view."`
	First int64       `json:"first" doc:"Position of the first of these rows in the view, counted from 0."`
	Rows  []ReviewRow `json:"rows"`
}

// ReviewRow is a row under review.
type ReviewRow struct {
	ID       string          `json:"id" doc:"The permanent id of the row."`
	Version  int64           `json:"version" doc:"Number of the last change to the row; 0 if there is none."`
	Line     int64           `json:"line,omitempty" doc:"The line of the file where the row begins, counted from 1. Missing for added rows."`
	Cells    []ReviewCell    `json:"cells" doc:"One for each column of the table."`
	Problems []ReviewProblem `json:"problems,omitempty"`
}

// ReviewCell is a cell under review.
type ReviewCell struct {
	Text     string          `json:"text" doc:"The raw value."`
	Value    *string         `json:"value" doc:"The value that the raw value is read as."`
	Sent     string          `json:"sent,omitempty" doc:"The value in the outputFormat of the field, if it has one."`
	Problems []ReviewProblem `json:"problems,omitempty"`
	Cut      bool            `json:"cut,omitempty" doc:"The raw value is truncated to 4 KiB, or to 64 KiB if only one row is requested."`
	Made     bool            `json:"made,omitempty" doc:"The value was not read from this raw value: a hook set it, or the workbook displays less of it."`
}

// ReviewProblem is a problem of a row or cell under review.
type ReviewProblem struct {
	Level string `json:"level" schema:"level"`
	Code  string `json:"code" doc:"The rule that is broken."`
	Message
}

// ReviewCount counts the rows with one kind of problem.
type ReviewCount struct {
	Key   string `json:"key" doc:"The field. Empty for problems of whole rows."`
	Code  string `json:"code"`
	Level string `json:"level" schema:"level"`
	Rows  int64  `json:"rows"`
	Message
}

// ReviewValues lists the distinct values of a field.
type ReviewValues struct {
	Values []ReviewValue `json:"values"`
	More   int64         `json:"more" doc:"Number of further values."`
}

// ReviewValue is a value of a field and its number of cells.
type ReviewValue struct {
	Text        string             `json:"text"`
	Count       int64              `json:"count"`
	Suggestions []ReviewSuggestion `json:"suggestions" doc:"Values that it may have been meant as, the likeliest first, at most 3. Only for fields with a list of values, and if the filter asks for problems."`
	Cut         bool               `json:"cut,omitempty" doc:"The value is truncated to 64 KiB."`
}

// ReviewSuggestion is a suggested replacement for a value.
type ReviewSuggestion struct {
	Text  string `json:"text" doc:"The raw value to enter."`
	Label string `json:"label"`
	Reason
}

// ReviewNext is the next row with a problem.
type ReviewNext struct {
	Next *ReviewPosition `json:"next"`
}

// ReviewPosition is the position of a row in a view.
type ReviewPosition struct {
	ID    string `json:"id" doc:"The id of the row."`
	Place int64  `json:"place" doc:"Its position in the view, counted from 0."`
}

// EditResult is the effect of a change.
type EditResult struct {
	_       struct{}     `doc:"What a change did, or would do."`
	Change  int64        `json:"change" doc:"The number of the change; 0 if nothing changed."`
	Cells   int64        `json:"cells"`
	Rows    int64        `json:"rows"`
	Added   int64        `json:"added"`
	Deleted int64        `json:"deleted"`
	Valid   int64        `json:"valid" doc:"Rows that no longer have an error."`
	Invalid int64        `json:"invalid" doc:"Rows that have an error now and had none before."`
	Samples []EditSample `json:"samples" doc:"At most 20."`
}

// EditSample is a cell before and after a change.
type EditSample struct {
	ID     string     `json:"id" doc:"The row."`
	Key    string     `json:"key"`
	Part   *int       `json:"part,omitempty"`
	Before ReviewCell `json:"before"`
	After  ReviewCell `json:"after"`
}

// EditConflict is a cell that another user changed first. It is part of an error response.
type EditConflict struct {
	ID      string `json:"id" doc:"The row."`
	Key     string `json:"key"`
	Part    int    `json:"part"`
	Version int64  `json:"version"`
	Deleted bool   `json:"deleted"`
	Seen    string `json:"seen"`
	Now     string `json:"now"`
}

// Submission describes the effect of submitting an import.
type Submission struct {
	Status        string `json:"status" doc:"The status of the import."`
	Rows          int64  `json:"rows" doc:"Rows in the result."`
	RowsWithError int64  `json:"rowsWithError" doc:"Rows in the result that have an error."`
	RowsLeftOut   int64  `json:"rowsLeftOut" doc:"Rows that are dropped."`
	Blocked       bool   `json:"blocked" doc:"Rows with an error prevent the submission."`
}

// Corrections is the effect of uploading a file with corrected rows.
type Corrections struct {
	Verdict    EditResult           `json:"verdict"`
	Conflicts  int64                `json:"clashes" doc:"Conflicts: cells that the file changes and that were changed to something else here since the file was made. They keep the value that they have here, unless over is true. Changed cells that were too long for the file count too, and always keep their value."`
	Examples   []CorrectionConflict `json:"examples" doc:"The first conflicts, at most 20."`
	Unverified int64                `json:"untold" doc:"Rows whose values at the time when the file was made are unknown: each cell that differs counts as changed in the file."`
	Unknown    int64                `json:"unknown" doc:"Rows of the file that are not under review or that appear more than once."`
	Ignored    []string             `json:"ignored" doc:"Headers of columns that were ignored."`
}

// CorrectionConflict is a cell that was changed both in the review and in the file with
// corrected rows.
type CorrectionConflict struct {
	ID   string `json:"id" doc:"The row."`
	Key  string `json:"key"`
	Part *int   `json:"part,omitempty"`
	Here string `json:"here" doc:"The raw value here."`
	File string `json:"file" doc:"The raw value in the file."`
}

// ReviewState is the data of the event "state" in an event stream.
type ReviewState struct {
	Status string        `json:"status"`
	Run    int           `json:"run"`
	Change int64         `json:"change"`
	Totals *ReviewTotals `json:"totals"`
}

// ReviewProgress is the data of the event "progress" in an event stream.
type ReviewProgress struct {
	Op    string `json:"op"`
	Kind  string `json:"kind"`
	Done  int64  `json:"done"`
	Total int64  `json:"total"`
}
