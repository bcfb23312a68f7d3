// Package output writes finished rows as files that other programs read: JSON,
// NDJSON, CSV, XLSX and Parquet.
//
// A [Format] is the form of such a file. [Write] takes the batches of an
// import, keeps the rows that the schema's [intray.InvalidDataBehavior] keeps,
// and streams them. The package stores nothing, checks nothing, and never
// changes the batches.
//
// # Rows
//
// Each row holds every field of the schema, in its order. A null cell is null;
// empty text is empty text. Where the schema's settings pass unmapped columns
// through, a row also holds "$unmapped": their raw cells by column index.
//
// Values are canonical texts. Those of numbers and checkboxes are JSON
// literals, those of multi-selects and of fields fed by several columns are
// JSON arrays, and all others are strings.
//
// A problem counts only if its level is error. Under IncludeInvalidRows a cell
// with such a problem is null. Under IncludeInvalidValues it is the raw text,
// as a string; a cell without raw text of its own keeps its value, and an empty
// one stays as it is: "" for a string field, else null. Of a field that several
// columns feed this holds for each element.
//
// # CSV
//
// The header is the keys, then $unmapped.INDEX for each passed column. Lines
// end with \n, a null cell is empty, and quotes follow RFC 4180. Text that a
// spreadsheet could take for a formula has ' put before it: that which begins
// with TAB, CR, LF or NUL, or, behind any blanks and characters that are not seen,
// with = + - @ or their full-width and small forms. Numbers and checkboxes have
// not.
//
// # XLSX
//
// A sheet has the header and at most 1,048,575 rows; further rows are on further
// sheets. Checkboxes are truth values, days and times what the application shows
// as such where it counts them (from March 1900 on), numbers are numbers where a
// workbook keeps all their digits (15), and everything else is text; no text is a
// formula. A cell takes 32,767 characters: longer ones are cut, end with … and are
// listed on a last sheet.
//
// # Parquet
//
// One table, and each column may be null. Its columns are the keys, then
// $unmapped.INDEX for each passed column; a name that is there already gets _2,
// _3 and so on. A field is written by its type:
//
//   - number: DOUBLE; where the field is rounded to a fixed number of places,
//     DECIMAL(18, places), and INT64 without places
//   - checkbox: BOOLEAN
//   - date: DATE; datetime and time: TIMESTAMP and TIME in microseconds, without a
//     zone
//   - multi-select, and any field that several columns feed: a LIST of texts, those
//     that JSON has in its array without the quotes
//   - all others, and fields with an outputFormat: text
//
// What such a column cannot hold is null there, and the column $text, the last,
// has it as text: an object of JSON by column name, null where there is none. That is
// a number that would lose digits (as a double: one that the double, written out,
// is not), and under IncludeInvalidValues the raw text of a cell with an error. The
// column is there where the schema alone does not rule that out: a file of the same
// schema always has the same columns. Bytes that are no UTF-8 become U+FFFD.
//
// Pages are of version 1, plain or with a dictionary, compressed with zstd. A row
// group has at most 240,000 rows and about 16 MiB; one is held in memory at a
// time.
package output

import (
	"strings"

	"github.com/intraydata/intray"
)

// Format is the form of a file of rows, by its wire name.
type Format string

// The formats.
const (
	// JSON is one array of row objects.
	JSON Format = "json"
	// NDJSON is one row object a line.
	NDJSON Format = "ndjson"
	// CSV is comma-separated text with a header line.
	CSV Format = "csv"
	// XLSX is a workbook, with a header in each sheet.
	XLSX Format = "xlsx"
	// Parquet is one Parquet file with typed columns.
	Parquet Format = "parquet"
)

// ParseFormat reads a wire name. All others are an error.
func ParseFormat(name string) (Format, error) {
	switch f := Format(name); f {
	case JSON, NDJSON, CSV, XLSX, Parquet:
		return f, nil
	}
	return "", &intray.MessageError{Message: intray.NewMessage("output.unknown_format", intray.Params{"format": name, "formats": []string{string(JSON), string(NDJSON), string(CSV), string(XLSX), string(Parquet)}})}
}

// ContentType gives the media type.
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

// Extension gives the usual ending of a file's name, with the dot.
func (f Format) Extension() string { return "." + strings.ToLower(string(f)) }
