package ods

import (
	"bytes"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/intraydata/intray"
	"github.com/intraydata/intray/internal/xmlscan"
	"github.com/intraydata/intray/source/workbook"
)

// valueType is the encoding of a cell's value.
type valueType uint8

const (
	// typeText is also the type of cells that declare no type.
	typeText valueType = iota
	typeNumber
	typeDate
	typeTime
	typeBool
)

func parseValueType(text []byte) valueType {
	switch string(text) {
	case "float", "percentage", "currency":
		return typeNumber
	case "date":
		return typeDate
	case "time":
		return typeTime
	case "boolean":
		return typeBool
	}
	return typeText
}

// cellAttrs are the attributes of a cell.
type cellAttrs struct {
	valueType valueType
	// values holds the raw values, indexed by type.
	values [typeBool + 1][]byte
	// formula is true if the value is the result of a formula. typeKnown is true if the
	// application marks results that are errors, and isError if this result is one.
	formula, typeKnown, isError bool
	// repeated, width and height are raw counts: how many times the cell is repeated, and how
	// many columns and rows a merged cell covers.
	repeated, width, height []byte
}

// readCellAttrs reads the attributes of the cell that has just started.
func readCellAttrs(s *xmlscan.Scanner) (c cellAttrs) {
	for i := range s.NumAttrs() {
		name, value := s.AttrName(i), s.AttrValue(i)
		switch s.NamespaceOf(s.AttrPrefix(i)) {
		case nsOffice:
			switch string(name) {
			case "value-type":
				c.valueType = parseValueType(value)
			case "value":
				c.values[typeNumber] = value
			case "date-value":
				c.values[typeDate] = value
			case "time-value":
				c.values[typeTime] = value
			case "boolean-value":
				c.values[typeBool] = value
			case "string-value":
				c.values[typeText] = value
			}
		case nsTable:
			switch string(name) {
			case "number-columns-repeated":
				c.repeated = value
			case "number-columns-spanned":
				c.width = value
			case "number-rows-spanned":
				c.height = value
			case "formula":
				c.formula = true
			}
		case nsCalc:
			if string(name) == "value-type" {
				c.typeKnown, c.isError = true, string(value) == "error"
			}
		}
	}
	return c
}

// readCovered reads cells that are covered by a merged cell. The application displays only the
// merged cell, so the values are reported and not returned.
func (r *rows) readCovered() error {
	fromCell, fromText, spans := len(r.cells), len(r.textBuf), len(r.spans)
	rowBytes := r.rowBytes
	if err := r.readCell(); err != nil {
		return err
	}
	for _, c := range r.cells[fromCell:] {
		value := c.Value
		if len(value) == 0 {
			value = c.Formatted
		}
		r.repairs.AddValue(workbook.CoveredCells, c.Column, r.number+1, value)
	}
	r.cells, r.textBuf, r.spans, r.rowBytes = r.cells[:fromCell], r.textBuf[:fromText], r.spans[:spans], rowBytes
	return nil
}

// readCell reads the cell that has just started.
func (r *rows) readCell() error {
	c := readCellAttrs(r.scan)
	times, err := r.parseRepeat(c.repeated)
	if err != nil {
		return err
	}
	if c.width != nil || c.height != nil {
		r.addSpan(c.width, c.height)
	}
	from := len(r.textBuf)
	if r.textBuf, err = r.scan.Decode(r.textBuf, c.values[c.valueType]); err != nil {
		return err
	}
	value := r.textBuf[from:len(r.textBuf):len(r.textBuf)]
	shown, err := r.readDisplayText()
	if err != nil {
		return err
	}
	// The buffer also holds raw values, each at most once, and the displayed text that
	// replaces the value of an error.
	if len(r.textBuf) > 3*r.limits.RowBytes {
		return r.rowTooLong()
	}
	if !utf8.Valid(value) || !utf8.Valid(shown) {
		return r.unreadable(intray.NewMessage("cell.not_utf8_in_column", intray.Params{"column": r.column + 1}))
	}
	return r.appendCells(r.buildCell(&c, value, shown), times)
}

// readDisplayText returns the displayed text of the cell and moves to the end of the
// cell. It returns nil if the cell has no paragraphs.
func (r *rows) readDisplayText() ([]byte, error) {
	from := len(r.textBuf)
	if text, ok := r.readLeaf(); ok {
		r.textBuf = append(r.textBuf, text...)
		return r.textBuf[from:len(r.textBuf):len(r.textBuf)], nil
	}
	written, err := r.readParagraphs()
	if err != nil || !written {
		return nil, err
	}
	return r.textBuf[from:len(r.textBuf):len(r.textBuf)], nil
}

// buildCell returns a cell with the given value and displayed text. If the value does
// not match its type, the cell becomes text, so that nothing is lost.
func (r *rows) buildCell(c *cellAttrs, value, shown []byte) workbook.Cell {
	if c.isError || !c.typeKnown && c.formula && isErrorText(shown) {
		if len(shown) == 0 {
			shown = value
		}
		return workbook.Cell{Kind: intray.CellError, Value: shown}
	}
	cell := workbook.Cell{Kind: intray.CellText, Value: value}
	if c.valueType != typeText {
		from := len(r.textBuf)
		r.textBuf, cell.Kind = appendValue(r.textBuf, c.valueType, value)
		if cell.Kind != intray.CellText {
			cell.Value = r.textBuf[from:len(r.textBuf):len(r.textBuf)]
		}
	}
	switch {
	case len(cell.Value) == 0 && cell.Kind == intray.CellText:
		cell.Value = shown
	case shown != nil && !bytes.Equal(cell.Value, shown):
		cell.Formatted = shown
	case shown == nil && cell.Kind == intray.CellBool:
		cell.Formatted = bytes.ToUpper(cell.Value)
	}
	return cell
}

// appendCells appends the cell c the given number of times.
func (r *rows) appendCells(c workbook.Cell, times int64) error {
	size := int64(len(c.Value) + len(c.Formatted))
	if size == 0 && c.Kind != intray.CellError {
		r.column += times
		return nil
	}
	if limit := r.limits.Columns; r.column+times > int64(limit) {
		return r.limitError(intray.NewMessage("sheet.too_many_columns", intray.Params{"limit": limit}))
	}
	if r.rowBytes += size * times; r.rowBytes > int64(r.limits.RowBytes) {
		return r.rowTooLong()
	}
	if err := r.addRepeated((times - 1) * (size + repeatedCellBytes)); err != nil {
		return err
	}
	for range times {
		c.Column = int(r.column)
		r.cells = append(r.cells, c)
		r.column++
	}
	return nil
}

func (r *rows) rowTooLong() error {
	return r.limitError(intray.NewMessage("row.too_long", intray.Params{"limit": r.limits.RowBytes}))
}

// isErrorText reports whether text looks like the result of a failed formula, such as "#REF!".
func isErrorText(text []byte) bool {
	switch string(text) {
	case "#N/A", "#DIV/0!", "#VALUE!", "#REF!", "#NAME?", "#NUM!", "#NULL!", "#SPILL!", "#CALC!", "#FIELD!", "#BLOCKED!", "#CONNECT!", "#UNKNOWN!", "#GETTING_DATA":
		return true
	}
	number, found := bytes.CutPrefix(text, []byte("Err:"))
	return found && len(number) > 0 && len(bytes.Trim(number, "0123456789")) == 0
}

// appendValue appends a value in the format of its kind. If the value is invalid, it
// appends nothing and returns CellText.
func appendValue(dst []byte, k valueType, raw []byte) ([]byte, intray.CellKind) {
	raw = bytes.Trim(raw, " \t\r\n")
	switch k {
	case typeNumber:
		if out, ok := appendNumber(dst, raw); ok {
			return out, intray.CellNumber
		}
	case typeDate:
		return appendDate(dst, raw)
	case typeTime:
		if millis, ok := parseDuration(string(raw)); ok {
			return appendTime(dst, millis), intray.CellTime
		}
	case typeBool:
		if text := string(raw); text == "true" || text == "false" {
			return append(dst, raw...), intray.CellBool
		}
	}
	return dst, intray.CellText
}

// appendNumber appends a decimal number with all its digits in canonical form: digits
// on both sides of a point, a lowercase e, and no plus sign.
func appendNumber(dst, raw []byte) ([]byte, bool) {
	from := len(dst)
	rest, negative := bytes.CutPrefix(raw, []byte("-"))
	if negative {
		dst = append(dst, '-')
	} else {
		rest = bytes.TrimPrefix(raw, []byte("+"))
	}
	whole, rest := cutDigits(rest)
	var fraction []byte
	if len(rest) > 0 && rest[0] == '.' {
		fraction, rest = cutDigits(rest[1:])
	}
	if len(whole)+len(fraction) == 0 {
		return dst[:from], false
	}
	if len(whole) == 0 {
		whole = []byte("0")
	}
	dst = append(dst, whole...)
	if len(fraction) > 0 {
		dst = append(append(dst, '.'), fraction...)
	}
	if len(rest) == 0 {
		return dst, true
	}
	if rest[0]|0x20 != 'e' {
		return dst[:from], false
	}
	dst = append(dst, 'e')
	if rest = bytes.TrimPrefix(rest[1:], []byte("+")); len(rest) > 0 && rest[0] == '-' {
		dst, rest = append(dst, '-'), rest[1:]
	}
	exponent, rest := cutDigits(rest)
	if len(exponent) == 0 || len(rest) > 0 {
		return dst[:from], false
	}
	return append(dst, exponent...), true
}

// cutDigits splits text after its leading digits.
func cutDigits(text []byte) (run, rest []byte) {
	n := 0
	for n < len(text) && text[n] >= '0' && text[n] <= '9' {
		n++
	}
	return text[:n], text[n:]
}

// isDate reports whether raw is a date in the format 2006-01-02.
func isDate(raw []byte) bool {
	if len(raw) != len(time.DateOnly) {
		return false
	}
	_, err := time.Parse(time.DateOnly, string(raw))
	return err == nil
}

// appendDate appends a date with or without a time. Cells have no time zone, so a zone
// is invalid, except for the Z that some programs append to all times.
func appendDate(dst, raw []byte) ([]byte, intray.CellKind) {
	if isDate(raw) {
		return append(dst, raw...), intray.CellDate
	}
	const full, shown, longest = "2006-01-02T15:04:05", "2006-01-02T15:04:05.999", 64
	if len(raw) > longest {
		return dst, intray.CellText
	}
	text := string(bytes.TrimSuffix(raw, []byte("Z")))
	t, err := time.Parse(full, text)
	if err != nil {
		t, err = time.Parse("2006-01-02T15:04", text)
	}
	t = t.Round(time.Millisecond)
	if err != nil || t.Year() > 9999 {
		return dst, intray.CellText
	}
	return t.AppendFormat(dst, shown), intray.CellDateTime
}

// durationUnit is a unit of time in a duration.
type durationUnit struct {
	letter byte
	millis int64
}

// dateUnits come before the T of a duration, and clockUnits after it, each in this order. The
// length of years and months varies, so their number must be 0.
var (
	dateUnits  = [...]durationUnit{{'Y', 0}, {'M', 0}, {'W', 7 * 86_400_000}, {'D', 86_400_000}}
	clockUnits = [...]durationUnit{{'H', 3_600_000}, {'M', 60_000}, {'S', 1000}}
)

// parseDuration parses an XML Schema duration such as -P1DT27H30M00.5S and returns it
// in milliseconds.
func parseDuration(text string) (millis int64, ok bool) {
	text, negative := strings.CutPrefix(text, "-")
	text, ok = strings.CutPrefix(text, "P")
	date, clock, timed := strings.Cut(text, "T")
	if !ok || text == "" || timed && clock == "" {
		return 0, false
	}
	days, ok := sumUnits(date, dateUnits[:])
	hours, also := sumUnits(clock, clockUnits[:])
	if negative {
		return -days - hours, ok && also
	}
	return days + hours, ok && also
}

// sumUnits returns the sum of numbers with units, in milliseconds. The units in text must be in
// the order of the parameter units.
func sumUnits(text string, units []durationUnit) (millis int64, ok bool) {
	for _, u := range units {
		n, size := parseThousandths(text)
		if size == 0 || size == len(text) || text[size] != u.letter {
			continue
		}
		if u.millis == 0 && n != 0 || u.letter != 'S' && n%1000 != 0 {
			return 0, false
		}
		millis += n / 1000 * u.millis
		if u.letter == 'S' {
			millis += n % 1000
		}
		text = text[size+1:]
	}
	return millis, text == ""
}

// parseThousandths parses the decimal number at the beginning of text. It returns the number in
// thousandths, rounded, and its length in bytes. If text does not start with a number, or the
// number has more than 10 digits before the decimal point, both results are 0.
func parseThousandths(text string) (thousandths int64, size int) {
	const longest = 10 // digits, so that the sum of all units fits into 64 bits
	for size < len(text) && text[size] >= '0' && text[size] <= '9' {
		size++
	}
	whole, err := strconv.ParseInt(text[:size], 10, 64)
	if err != nil || size > longest {
		return 0, 0
	}
	thousandths = whole * 1000
	if size == len(text) || text[size] != '.' {
		return thousandths, size
	}
	size++
	for scale := int64(1000); size < len(text) && text[size] >= '0' && text[size] <= '9'; size++ {
		digit := int64(text[size] - '0')
		if scale == 1 && digit >= 5 {
			thousandths++
		}
		scale /= 10
		thousandths += digit * scale
	}
	return thousandths, size
}

// appendTime appends a duration as hours, minutes and seconds, such as 27:30:00.5.
func appendTime(dst []byte, millis int64) []byte {
	if millis < 0 {
		dst, millis = append(dst, '-'), -millis
	}
	dst = appendPair(dst, millis/3_600_000)
	dst = appendPair(append(dst, ':'), millis/60_000%60)
	dst = appendPair(append(dst, ':'), millis/1000%60)
	rest := millis % 1000
	if rest == 0 {
		return dst
	}
	dst = append(dst, '.', byte('0'+rest/100), byte('0'+rest/10%10), byte('0'+rest%10))
	return bytes.TrimRight(dst, "0")
}

// appendPair appends a number, padded with zeros to two digits.
func appendPair(dst []byte, n int64) []byte {
	if n < 10 {
		dst = append(dst, '0')
	}
	return strconv.AppendInt(dst, n, 10)
}
