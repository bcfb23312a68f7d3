package xlsx

import (
	"bytes"
	"strconv"
	"time"
	"unicode/utf8"

	"github.com/intraydata/intray"
	"github.com/intraydata/intray/internal/xmlscan"
	"github.com/intraydata/intray/source"
	"github.com/intraydata/intray/source/workbook"
)

// cellType says how a cell's value is written.
type cellType uint8

const (
	typeNumber cellType = iota
	typeSharedString
	typeText
	typeBool
	typeError
	typeDate
	typeUnknown
)

func parseCellType(t []byte) cellType {
	switch string(t) {
	case "", "n":
		return typeNumber
	case "s":
		return typeSharedString
	case "str", "inlineStr":
		return typeText
	case "b":
		return typeBool
	case "e":
		return typeError
	case "d":
		return typeDate
	}
	return typeUnknown
}

// valueLeaf is what most cells are: a value without a formula.
var valueLeaf = xmlscan.NewLeaf("c", "v")

// readCell reads the cell that has just started.
func (r *rows) readCell() error {
	s := r.scan
	kind, styled, placed := typeNumber, 0, false
	for i := range s.NumAttrs() {
		name, value := s.AttrName(i), s.AttrValue(i)
		if len(name) != 1 {
			continue
		}
		switch name[0] {
		case 'r':
			placed = true
			if err := r.setPosition(value); err != nil {
				return err
			}
		case 's':
			styled = parseIndex(value)
		case 't':
			kind = parseCellType(value)
		}
	}
	if !placed {
		r.column++
	}
	if limit := r.book.arc.limits.Columns; r.column >= limit {
		return r.limitError(intray.NewMessage("sheet.too_many_columns", intray.Params{"limit": limit}))
	}
	if kind == typeUnknown {
		return r.unreadable(intray.NewMessage("xlsx.unknown_cell_type", intray.Params{"cell": r.reference(r.column), "type": source.Excerpt(string(s.Attr("t")))}))
	}
	rich, quick := false, false
	if r.raw, quick = s.ReadLeaf(&valueLeaf); !quick {
		var err error
		if rich, err = r.readValue(); err != nil {
			return err
		}
	}
	if len(r.raw) == 0 {
		return nil
	}
	return r.appendCell(kind, styled, rich)
}

// setPosition moves to the cell that a reference names.
func (r *rows) setPosition(ref []byte) error {
	column, number, ok := parseCellRef(ref)
	if !ok {
		return r.unreadable(intray.NewMessage("xlsx.bad_reference", intray.Params{"cell": source.Excerpt(string(ref))}))
	}
	if number != r.row.Number {
		if r.numbered {
			return r.unreadable(intray.NewMessage("xlsx.cell_in_other_row", intray.Params{"cell": string(ref), "row": r.row.Number}))
		}
		if err := r.setRowNumber(r.row.Number-1, number); err != nil {
			return err
		}
	}
	r.numbered = true
	if column <= r.column {
		r.unsorted = true
	}
	r.column = column
	return nil
}

// parseIndex reads a small number, -1 if it is none.
func parseIndex(text []byte) int {
	n := 0
	for _, c := range text {
		if c < '0' || c > '9' || n > 1<<30/10 {
			return -1
		}
		n = n*10 + int(c-'0')
	}
	if len(text) == 0 {
		return -1
	}
	return n
}

// readValue reads the value of the cell into raw and moves to the cell's end.
// Formulas are not looked at: their results are values. rich says that the value
// is an inline string, whose escapes are resolved.
func (r *rows) readValue() (rich bool, err error) {
	text := r.scratch[:0]
	for {
		more, err := r.scan.NextChild()
		if err != nil || !more {
			r.raw, r.scratch = text, text
			return rich, err
		}
		switch {
		case string(r.scan.Name) == "v" && !rich:
			text, err = appendContent(r.scan, text[:0])
		case string(r.scan.Name) == "is":
			rich = true
			text, err = appendRichText(r.scan, text[:0])
		default:
			err = r.scan.Skip()
		}
		if err != nil {
			return rich, err
		}
	}
}

// appendCell makes a cell of raw.
func (r *rows) appendCell(kind cellType, styled int, rich bool) error {
	c := workbook.Cell{Column: r.column}
	st := r.styles.styleAt(styled)
	switch {
	case rich:
		r.setText(&c, st, r.copyText(r.raw))
	case kind == typeNumber:
		r.setNumberValue(&c, st)
	case kind == typeSharedString:
		if err := r.setSharedString(&c, st); err != nil {
			return err
		}
	case kind == typeText:
		text := unescape(r.raw)
		if !utf8.Valid(text) {
			return r.unreadable(intray.NewMessage("cell.not_utf8", intray.Params{"cell": r.reference(r.column)}))
		}
		r.setText(&c, st, r.copyText(text))
	case kind == typeBool:
		r.setBool(&c)
	case kind == typeError:
		c.Kind, c.Value = intray.CellError, r.copyText(r.raw)
	case kind == typeDate:
		r.setDate(&c, st)
	}
	if len(c.Value) == 0 && c.Kind == intray.CellText {
		return nil
	}
	if r.rowBytes += len(c.Value) + len(c.Formatted); r.rowBytes > r.book.arc.limits.RowBytes {
		return r.limitError(intray.NewMessage("row.too_long", intray.Params{"limit": r.book.arc.limits.RowBytes}))
	}
	if len(r.cells) == maxColumns {
		return r.unreadable(intray.NewMessage("xlsx.too_many_cells", nil))
	}
	r.cells = append(r.cells, c)
	return nil
}

// copyText copies what must last as long as the row.
func (r *rows) copyText(text []byte) []byte {
	from := len(r.textBuf)
	r.textBuf = append(r.textBuf, text...)
	return r.textBuf[from:len(r.textBuf):len(r.textBuf)]
}

// setSharedString finds the shared string whose number is raw.
func (r *rows) setSharedString(c *workbook.Cell, st *style) error {
	number := parseIndex(r.raw)
	if number < 0 || number >= r.strings.count {
		return r.unreadable(intray.NewMessage("xlsx.no_such_string", intray.Params{"cell": r.reference(r.column), "number": source.Excerpt(string(r.raw)), "count": r.strings.count}))
	}
	if number < len(r.strings.positions) {
		r.setText(c, st, r.strings.get(number))
		return nil
	}
	from := len(r.textBuf)
	var err error
	if r.textBuf, err = r.strings.overflow.appendTo(r.textBuf, number-len(r.strings.positions)); err != nil {
		return err
	}
	r.setText(c, st, r.textBuf[from:len(r.textBuf):len(r.textBuf)])
	return nil
}

// setText makes a text cell of a text that lasts.
func (r *rows) setText(c *workbook.Cell, st *style, text []byte) {
	c.Kind, c.Value = intray.CellText, text
	if st.plainText || len(text) == 0 {
		return
	}
	from := len(r.textBuf)
	r.textBuf = st.format.AppendFormattedText(r.textBuf, text)
	c.Formatted = r.textBuf[from:len(r.textBuf):len(r.textBuf)]
}

func (r *rows) setBool(c *workbook.Cell) {
	c.Kind = intray.CellBool
	switch {
	case xmlscan.IsTrue(r.raw):
		c.Value, c.Formatted = r.copyText([]byte("true")), r.copyText([]byte("TRUE"))
	case string(r.raw) == "0" || string(r.raw) == "false":
		c.Value, c.Formatted = r.copyText([]byte("false")), r.copyText([]byte("FALSE"))
	default:
		c.Kind, c.Value = intray.CellText, r.copyText(r.raw)
	}
}

// setNumberValue makes a cell of the number in raw. What is no number is text: the file
// says otherwise, and nothing of it is lost.
func (r *rows) setNumberValue(c *workbook.Cell, st *style) {
	if st.general && isGeneralVerbatim(r.raw) {
		c.Kind, c.Value = intray.CellNumber, r.copyText(r.raw)
		return
	}
	v, ok := parseNumber(r.raw)
	if !ok {
		r.setText(c, st, r.copyText(r.raw))
		return
	}
	r.setFormattedNumber(c, st, v)
}

func (r *rows) setFormattedNumber(c *workbook.Cell, st *style, v float64) {
	epoch1904 := r.book.info.epoch1904
	from := len(r.textBuf)
	r.textBuf, c.Kind = st.format.AppendValue(r.textBuf, v, epoch1904)
	middle := len(r.textBuf)
	r.textBuf = st.format.AppendFormatted(r.textBuf, v, epoch1904)
	c.Value = r.textBuf[from:middle:middle]
	if shown := r.textBuf[middle:len(r.textBuf):len(r.textBuf)]; !bytes.Equal(c.Value, shown) {
		c.Formatted = shown
	} else {
		r.textBuf = r.textBuf[:middle]
	}
}

// isGeneralVerbatim says whether the format General shows a number just as it is written,
// which most numbers are: at most 10 digits, none of them idle.
func isGeneralVerbatim(raw []byte) bool {
	if len(raw) > 0 && raw[0] == '-' {
		raw = raw[1:]
		if string(raw) == "0" {
			return false
		}
	}
	if len(raw) == 0 || len(raw) > 11 {
		return false
	}
	point, ok := findPoint(raw)
	if point < 0 {
		return ok && len(raw) <= 10 && (raw[0] != '0' || len(raw) == 1)
	}
	// Small ones may be shown with an exponent.
	return ok && raw[0] >= '1' && raw[0] <= '9' && point+1 < len(raw) && raw[len(raw)-1] != '0'
}

// findPoint finds the point among digits, -1 where there is none. Anything else
// is not ok.
func findPoint(raw []byte) (point int, ok bool) {
	point = -1
	for i, c := range raw {
		if c == '.' && point < 0 {
			point = i
		} else if c < '0' || c > '9' {
			return point, false
		}
	}
	return point, true
}

// parseNumber reads a number as XML has it; not Inf, NaN or another base.
func parseNumber(raw []byte) (float64, bool) {
	raw = trimSpace(raw)
	for _, c := range raw {
		if (c < '0' || c > '9') && c != '.' && c != '-' && c != '+' && c|0x20 != 'e' {
			return 0, false
		}
	}
	v, err := strconv.ParseFloat(string(raw), 64)
	return v, err == nil
}

// setDate makes a cell of the ISO date or time in raw.
func (r *rows) setDate(c *workbook.Cell, st *style) {
	t, kind, ok := parseDate(string(r.raw))
	if !ok {
		r.setText(c, st, r.copyText(r.raw))
		return
	}
	if k := st.format.Kind(); k == intray.CellDate || k == intray.CellDateTime || k == intray.CellTime {
		r.setFormattedNumber(c, st, toSerial(t, kind, r.book.info.epoch1904))
		return
	}
	layout := map[intray.CellKind]string{intray.CellDate: time.DateOnly, intray.CellDateTime: "2006-01-02T15:04:05.999", intray.CellTime: "15:04:05.999"}[kind]
	c.Kind, c.Value = kind, r.copyText([]byte(t.Format(layout)))
}

// parseDate reads a day, a time or both. A zone is refused: cells have none; a
// Z is how some programs end all times.
func parseDate(text string) (t time.Time, kind intray.CellKind, ok bool) {
	if n := len(text); n > 0 && text[n-1] == 'Z' {
		text = text[:n-1]
	}
	for _, form := range []struct {
		layout string
		kind   intray.CellKind
	}{
		{time.DateOnly, intray.CellDate},
		{"2006-01-02T15:04:05", intray.CellDateTime},
		{"2006-01-02T15:04", intray.CellDateTime},
		{"15:04:05", intray.CellTime},
		{"T15:04:05", intray.CellTime},
		{"15:04", intray.CellTime},
	} {
		if t, err := time.Parse(form.layout, text); err == nil {
			return t, form.kind, true
		}
	}
	return time.Time{}, 0, false
}

// toSerial gives the number that a workbook has for a day and time.
func toSerial(t time.Time, kind intray.CellKind, epoch1904 bool) float64 {
	const day = 24 * time.Hour
	midnight := t.Truncate(day)
	fraction := float64(t.Sub(midnight)) / float64(day)
	if kind == intray.CellTime {
		return fraction
	}
	if epoch1904 {
		return float64(daysSince(midnight, 1904, 1, 1)) + fraction
	}
	days := daysSince(midnight, 1899, 12, 30)
	if days <= 60 {
		days-- // the system has a 29 February 1900
	}
	return float64(days) + fraction
}

// daysSince counts the days between a day and a midnight.
func daysSince(midnight time.Time, year int, month time.Month, day int) int64 {
	return (midnight.Unix() - time.Date(year, month, day, 0, 0, 0, 0, time.UTC).Unix()) / 86400
}

// parseCellRef reads a reference such as B7 into a column, from 0, and a row, from
// 1. It refuses what lies outside of a worksheet.
func parseCellRef(ref []byte) (column int, row int64, ok bool) {
	const letters, digits = 3, 7
	i := 0
	for i < len(ref) && i < letters && ref[i] >= 'A' && ref[i] <= 'Z' {
		column = column*26 + int(ref[i]-'A') + 1
		i++
	}
	if i == 0 || len(ref)-i > digits {
		return 0, 0, false
	}
	row, ok = parseRow(ref[i:])
	return column - 1, row, ok && column <= maxColumns
}

// parseRow reads the number of a row.
func parseRow(text []byte) (row int64, ok bool) {
	if len(text) == 0 || len(text) > 7 {
		return 0, false
	}
	for _, c := range text {
		if c < '0' || c > '9' {
			return 0, false
		}
		row = row*10 + int64(c-'0')
	}
	return row, row >= 1 && row <= maxRows && text[0] != '0'
}

// appendColumnName appends a column's letters.
func appendColumnName(dst []byte, column int) []byte {
	if column >= 26 {
		dst = appendColumnName(dst, column/26-1)
	}
	return append(dst, 'A'+byte(column%26))
}
