package intray

// MaxFileSize is the default and the highest value of [Settings.MaxFileSize]:
// 1 GiB.
const MaxFileSize int64 = 1 << 30

// InvalidDataBehavior says what becomes of rows with a problem of [LevelError].
type InvalidDataBehavior string

const (
	// BlockSubmit sends the import to review.
	BlockSubmit InvalidDataBehavior = "BLOCK_SUBMIT"
	// RemoveInvalidRows leaves such rows out of the result. It is the default.
	RemoveInvalidRows InvalidDataBehavior = "REMOVE_INVALID_ROWS"
	// IncludeInvalidRows keeps them, with null in each invalid cell.
	IncludeInvalidRows InvalidDataBehavior = "INCLUDE_INVALID_ROWS"
	// IncludeInvalidValues keeps them, with the raw text in each invalid cell.
	IncludeInvalidValues InvalidDataBehavior = "INCLUDE_INVALID_ROWS_AND_VALUES"
)

// Settings steer one import. The zero value is not the default; take
// [DefaultSettings].
type Settings struct {
	// ImportIdentifier groups imports of one kind. Default "".
	ImportIdentifier string
	// Title is shown to the person who reviews. Default "".
	Title string
	// InvalidDataBehavior defaults to RemoveInvalidRows.
	InvalidDataBehavior InvalidDataBehavior
	// PassThroughUnmappedColumns adds the cells of columns that feed no field
	// to each row of the result, under "$unmapped". Default false.
	PassThroughUnmappedColumns bool
	// MaxRecords is the most data rows that are taken; further rows are
	// dropped with a warning. 0 means no limit and is the default.
	MaxRecords int64
	// MaxFileSize is the most bytes a file may have. Default MaxFileSize.
	MaxFileSize int64
	// DevelopmentMode marks the import as a trial. Default false.
	DevelopmentMode bool
	// WebhookURL is told of completed imports. Default "", nobody.
	WebhookURL string
	// NeedsReviewWebhookURL is told of imports that wait for a person.
	// Default "", nobody.
	NeedsReviewWebhookURL string
}

// DefaultSettings are the settings of a schema that sets none.
func DefaultSettings() Settings {
	return Settings{InvalidDataBehavior: RemoveInvalidRows, MaxFileSize: MaxFileSize}
}
