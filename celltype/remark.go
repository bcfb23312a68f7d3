package celltype

import (
	"bytes"
	"strconv"

	"github.com/intraydata/intray"
)

// Remark is something about how a cell was read, or about its text, that is worth reporting once
// per column, with the number of cells. The cell has no problem.
type Remark uint8

// The remarks.
const (
	// SecondsLost means that the cell has seconds other than 0, and withSeconds is not set.
	SecondsLost Remark = iota
	// FractionLost means that the cell has a fraction of a second.
	FractionLost
	// TimeLost means that the cell of a date field has a time of day other than midnight.
	TimeLost
	// DateLost means that the cell of a time field has a date.
	DateLost
	// OffsetConverted means that the cell has a different UTC offset than its column, and the time was
	// converted.
	OffsetConverted
	// OffsetMissing means that the cell has no UTC offset, but others of its column have one.
	OffsetMissing
	// OffsetIgnored means that the cell has a UTC offset that was dropped, unlike those of its column.
	OffsetIgnored
	// YearUnlikely means that the year is probably in another calendar. It was read as written.
	YearUnlikely
	// SerialRead means that the text is a number that was read as a date of a spreadsheet.
	SerialRead
	// OtherCurrency means that the amount has a different currency than most of its column.
	OtherCurrency
	// NumberRounded means that the number has more decimals than the field.
	NumberRounded
	// ZerosRestored means that leading zeros of a ZIP code were missing, and ZIPShortened that its last
	// four digits were dropped.
	ZerosRestored
	ZIPShortened
	// DigitsLost means that the text is a number in scientific notation, without its last digits.
	DigitsLost
	// ErrorKept means that the text is an error value of a spreadsheet, or the # signs that a
	// spreadsheet displays if a column is too narrow.
	ErrorKept
	// ApostropheKept means that the text is a number after the apostrophe that marks text in a
	// spreadsheet.
	ApostropheKept
	// RemarkCount is the number of remarks.
	RemarkCount
)

// Remarks is a set of remarks.
type Remarks uint32

func (r Remark) set() Remarks { return 1 << r }

// setIf returns the set of this remark if the condition is true, and the empty set otherwise.
func (r Remark) setIf(condition bool) Remarks {
	if condition {
		return r.set()
	}
	return 0
}

// Has reports whether the set contains a remark.
func (s Remarks) Has(r Remark) bool { return s&r.set() != 0 }

// remarkReports are the levels and message codes of the remarks.
var remarkReports = [RemarkCount]struct {
	level intray.Level
	code  string
}{
	SecondsLost:     {intray.LevelInfo, "time.seconds_dropped"},
	FractionLost:    {intray.LevelInfo, "time.fractions_dropped"},
	TimeLost:        {intray.LevelInfo, "date.time_dropped"},
	DateLost:        {intray.LevelInfo, "time.date_dropped"},
	OffsetConverted: {intray.LevelInfo, "time.offsets_converted"},
	OffsetMissing:   {intray.LevelWarning, "time.offsets_missing"},
	OffsetIgnored:   {intray.LevelWarning, "time.offsets_ignored"},
	YearUnlikely:    {intray.LevelWarning, "date.years_unlikely"},
	SerialRead:      {intray.LevelWarning, "date.serials_read"},
	OtherCurrency:   {intray.LevelWarning, "number.currencies_differ"},
	NumberRounded:   {intray.LevelInfo, "number.rounded"},
	ZerosRestored:   {intray.LevelInfo, "us_zip.zeros_restored"},
	ZIPShortened:    {intray.LevelInfo, "us_zip.shortened"},
	DigitsLost:      {intray.LevelWarning, "text.digits_lost"},
	ErrorKept:       {intray.LevelWarning, "text.errors_kept"},
	ApostropheKept:  {intray.LevelWarning, "text.apostrophes_kept"},
}

// Report returns the level and the message of a remark about n cells of a field.
func (r Remark) Report(n int64, field string) (intray.Level, intray.Message) {
	report := remarkReports[r]
	return report.level, intray.NewMessage(report.code, intray.Params{"n": n, "field": field})
}

// MayHaveRemarks reports whether any of several texts, given without separators, may have remarks. It
// is much faster than TextRemarks.
func MayHaveRemarks(texts []byte) bool {
	return bytes.IndexByte(texts, '#') >= 0 || bytes.IndexByte(texts, '\'') >= 0 || bytes.Contains(texts, []byte("E+"))
}

// TextRemarks returns the remarks about a cell of type string.
func TextRemarks(raw []byte) Remarks {
	// Most cells have none of these bytes.
	if n := len(raw); n >= 3 && (raw[0] == '#' || raw[0] == '\'' || raw[n-3] == '+' || n > 4 && raw[n-4] == '+') {
		return textRemarks(raw)
	}
	return 0
}

func textRemarks(raw []byte) Remarks {
	switch raw[0] {
	case '#':
		return ErrorKept.setIf(isErrorText(raw))
	case '\'':
		return ApostropheKept.setIf(raw[1]-'0' < 10)
	}
	return DigitsLost.setIf(isRounded(raw))
}

// minHidden is the minimum number of # signs that a spreadsheet displays instead of a value.
const minHidden = 3

// errorTexts are the error values of spreadsheets, except for #N/A, which means a missing value.
var errorTexts = map[string]bool{
	"#REF!": true, "#VALUE!": true, "#NAME?": true, "#DIV/0!": true, "#NUM!": true, "#NULL!": true, "#SPILL!": true, "#CALC!": true,
	"#BEZUG!": true, "#WERT!": true, "#ZAHL!": true, "#VALEUR!": true, "#NOM?": true, "#NOMBRE?": true, "#VALOR!": true, "#NOME?": true,
}

// isErrorText reports whether text is an error value of a spreadsheet or a row of # signs.
func isErrorText(text []byte) bool {
	return errorTexts[string(text)] || len(text) >= minHidden && len(bytes.Trim(text, "#")) == 0
}

// minExactExponent is the exponent above which spreadsheets display numbers in scientific notation.
const minExactExponent = 9

// isRounded reports whether text is a large number in scientific notation, as spreadsheets display
// it, such as 4.00638E+12.
func isRounded(text []byte) bool {
	digits, exponent, _ := bytes.Cut(text, []byte("E+"))
	power, err := strconv.Atoi(string(exponent))
	if err != nil || power < minExactExponent {
		return false
	}
	for i, c := range bytes.TrimPrefix(digits, []byte{'-'}) {
		if c-'0' >= 10 && (i != 1 || c != '.' && c != ',') {
			return false
		}
	}
	return len(digits) > 2
}
