// Package output writes finished rows as files that other programs read: JSON,
// NDJSON, CSV, XLSX and Parquet.
//
// [Write] streams the rows of an import in one [Format]. The schema's
// [intray.InvalidDataBehavior] selects the rows. [Explain] explains how Write treats a
// cell. The package does not store or validate data, and never changes the batches.
//
// # Rows
//
// Each row has every field, in the order of the schema. Null and empty text are distinct.
// If the settings pass unmapped columns through, each row also has a "$unmapped" object
// that contains the raw cells, keyed by column index.
//
// Values are canonical. The values of numbers and checkboxes are JSON literals. Those of
// multi-selects and many-to-one fields are JSON arrays. All other values are strings.
//
// Only problems of level error count. With IncludeInvalidRows, a cell that has such a
// problem is null. With IncludeInvalidValues, it is the raw text as a string, or the value
// if there is no raw text. An empty cell is "" in a string field and null in any other
// field. In a many-to-one field, these rules apply to each element.
//
// # CSV
//
// The header contains the keys, followed by $unmapped.INDEX for each unmapped column. Lines
// end with \n, a null cell is empty, and quotes follow RFC 4180. Write prefixes text with '
// if a spreadsheet could treat it as a formula: text that begins with TAB, CR, LF or NUL,
// or with = + - @ or their full-width and small forms, optionally after white space and
// invisible characters. Because spreadsheets can also split lines at other characters, Write
// inserts ' after each ; | TAB, CR or LF within text that precedes one of these signs,
// optionally after quotes, white space and invisible characters. It does not prefix numbers and
// checkboxes. Text after a negative number at the start of a row is in quotes.
//
// # XLSX
//
// Each sheet has the header and at most 1,048,575 rows. Further rows continue on the next sheet.
// Checkboxes are stored as booleans. Times, and dates from 1900-03-01 onward, are stored as
// Excel times and dates. Numbers are stored as numbers if they have at most 15 significant
// digits, because a workbook keeps no more. Everything else is stored as text, and never as a
// formula. A cell holds at most 32,767 characters. Longer text is truncated and ends with …, and
// the last sheet lists the truncated cells.
//
// # Parquet
//
// A file has one table. All of its columns are optional: one for each key, followed by
// $unmapped.INDEX for each unmapped column. If a name is already in use, the suffix _2, _3
// and so on is appended. The type of a field determines the type of its column:
//
//   - number: DOUBLE; if the field is rounded to a fixed number of decimal places,
//     DECIMAL(18, places), or INT64 without decimal places
//   - checkbox: BOOLEAN
//   - date: DATE; datetime and time: TIMESTAMP and TIME in microseconds, without a
//     time zone
//   - multi-select and many-to-one fields: a LIST of strings, which are the elements of the
//     JSON array without quotes
//   - any other type, and fields with an outputFormat: text
//
// If a column cannot hold a value, the cell is null, and the value is in the last column,
// $text. That column holds a JSON object keyed by column name, or null if there are no such
// values. This applies to numbers that would lose digits (the shortest decimal form of the
// DOUBLE is a different number) and, with IncludeInvalidValues, to the raw text of cells
// with an error. The schema alone determines whether $text exists, so that all files for
// one schema have the same columns. Invalid UTF-8 becomes U+FFFD.
//
// Data pages have version 1, plain or dictionary encoding, and zstd compression. A row group has
// at most 240,000 rows and about 16 MiB. Only one row group is in memory at a time.
package output

import (
	"strings"

	"github.com/intraydata/intray"
)

// Format is the wire name of a file format.
type Format string

// These are the supported formats.
const (
	// JSON is a single JSON array of row objects.
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

// ParseFormat returns the format with the given wire name. It returns an error if the name
// is unknown.
func ParseFormat(name string) (Format, error) {
	switch f := Format(name); f {
	case JSON, NDJSON, CSV, XLSX, Parquet:
		return f, nil
	}
	return "", &intray.MessageError{Message: intray.NewMessage("output.unknown_format", intray.Params{"format": name, "formats": []string{string(JSON), string(NDJSON), string(CSV), string(XLSX), string(Parquet)}})}
}

// ContentType returns the media type of the format.
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

// Extension returns the usual file name extension, including the dot.
func (f Format) Extension() string { return "." + strings.ToLower(string(f)) }
