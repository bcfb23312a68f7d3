// Package output writes finished rows as files that other programs read: JSON,
// NDJSON, CSV and XLSX.
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
// with = + - @, their full-width forms, TAB, CR or NUL. Numbers and checkboxes
// have not.
//
// # XLSX
//
// A sheet has the header and at most 1,048,575 rows; further rows are on further
// sheets. Checkboxes are truth values, days and times what the application shows
// as such where it counts them (from March 1900 on), numbers are numbers where a
// workbook keeps all their digits (15), and everything else is text; no text is a
// formula. A cell takes 32,767 characters: longer ones are cut, end with … and are
// listed on a last sheet.
package output

import (
	"fmt"
	"strings"
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
)

// ParseFormat reads a wire name. Names of formats that are not written yet, and
// all others, are an error.
func ParseFormat(name string) (Format, error) {
	switch f := Format(name); f {
	case JSON, NDJSON, CSV, XLSX:
		return f, nil
	case "parquet":
		return "", fmt.Errorf("the format %q is not yet written by this version; use json, ndjson, csv or xlsx", name)
	}
	return "", fmt.Errorf("unknown format %q; use json, ndjson, csv or xlsx", name)
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
	}
	return "application/octet-stream"
}

// Extension gives the usual ending of a file's name, with the dot.
func (f Format) Extension() string { return "." + strings.ToLower(string(f)) }
