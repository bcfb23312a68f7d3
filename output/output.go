// Package output writes finished rows as files that other programs read: JSON,
// NDJSON, CSV, XLSX and Parquet.
//
// [Write] streams the rows of an import that the schema's
// [intray.InvalidDataBehavior] keeps, in one [Format]. [Explain] returns how Write
// treats a cell. The package does not store or validate anything, and never changes the
// batches.
//
// # Rows
//
// Each row has every field of the schema, in its order. A null cell is null; empty text
// is empty text. If the schema's settings pass unmapped columns through, a row also has
// "$unmapped": their raw cells by column index.
//
// Values are canonical texts. Those of numbers and checkboxes are JSON literals, those
// of multi-selects and many-to-one fields are JSON arrays, and all others are strings.
//
// Only problems of level error count. Under IncludeInvalidRows a cell with such a problem
// is null. Under IncludeInvalidValues it is the raw text, as a string; a cell without raw
// text keeps its value. An empty cell is "" for a string field and null for others. For
// a many-to-one field this applies to each element.
//
// # CSV
//
// The header has the keys, then $unmapped.INDEX for each unmapped column. Lines end with
// \n, a null cell is empty, and quotes follow RFC 4180. Text that a spreadsheet could
// treat as a formula is prefixed with ': text that begins with TAB, CR, LF or NUL, or,
// after any blanks and invisible characters, with = + - @ or their full-width and small
// forms. Numbers and checkboxes are not prefixed.
//
// # XLSX
//
// A sheet has the header and at most 1,048,575 rows; more rows are on more sheets.
// Checkboxes are booleans. Dates and times are dates and times of the application, which
// counts them from March 1900 on. Numbers are numbers if a workbook keeps all their
// digits (15). Everything else is text, and no text is a formula. A cell holds 32,767
// characters: longer ones are truncated, end with … and are listed on a last sheet.
//
// # Parquet
//
// A file has one table whose columns are all optional: one for each key, then
// $unmapped.INDEX for each unmapped column. A name that is taken gets _2, _3 and so on. A
// field is written by its type:
//
//   - number: DOUBLE; if the field is rounded to a fixed number of decimal places,
//     DECIMAL(18, places), or INT64 without decimal places
//   - checkbox: BOOLEAN
//   - date: DATE; datetime and time: TIMESTAMP and TIME in microseconds, without a
//     time zone
//   - multi-select and many-to-one fields: a LIST of texts, the elements of the JSON
//     array without quotes
//   - all others, and fields with an outputFormat: text
//
// What such a column cannot hold is null there and text in the last column, $text: a JSON
// object by column name, or null if it is empty. That is a number that would lose digits
// (the shortest text of a DOUBLE is another number), and under IncludeInvalidValues the
// raw text of a cell with an error. The schema alone decides whether $text exists, so
// that files of one schema always have the same columns. Invalid UTF-8 becomes U+FFFD.
//
// Pages have version 1, plain values or a dictionary, and zstd compression. A row group
// has at most 240,000 rows and about 16 MiB. One row group is in memory at a time.
package output

import (
	"strings"

	"github.com/intraydata/intray"
)

// Format is a file format, by its wire name.
type Format string

// The formats.
const (
	// JSON is one array of row objects.
	JSON Format = "json"
	// NDJSON is one row object per line.
	NDJSON Format = "ndjson"
	// CSV is comma-separated text with a header line.
	CSV Format = "csv"
	// XLSX is a workbook, with a header in each sheet.
	XLSX Format = "xlsx"
	// Parquet is one Parquet file with typed columns.
	Parquet Format = "parquet"
)

// ParseFormat returns the format with a wire name. Unknown names are an error.
func ParseFormat(name string) (Format, error) {
	switch f := Format(name); f {
	case JSON, NDJSON, CSV, XLSX, Parquet:
		return f, nil
	}
	return "", &intray.MessageError{Message: intray.NewMessage("output.unknown_format", intray.Params{"format": name, "formats": []string{string(JSON), string(NDJSON), string(CSV), string(XLSX), string(Parquet)}})}
}

// ContentType returns the media type.
func (f Format) ContentType() string {
	switch f {
	case JSON:
		return "application/json"
	case NDJSON:
		return "application/x-ndjson"
	case CSV:
		return "text/csv; charset=utf-8"
	case XLSX:
		return "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"
	case Parquet:
		return "application/vnd.apache.parquet"
	}
	return "application/octet-stream"
}

// Extension returns the usual file name extension, with the dot.
func (f Format) Extension() string { return "." + strings.ToLower(string(f)) }
