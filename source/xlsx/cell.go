package xlsx

import (
	"bytes"
	"time"
	"unicode/utf8"

	"github.com/intraydata/intray"
	"github.com/intraydata/intray/internal/ooxml"
	"github.com/intraydata/intray/internal/xmlscan"
	"github.com/intraydata/intray/source"
	"github.com/intraydata/intray/source/workbook"
)

// cellType is the encoding of a cell's value.
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

// valueLeaf matches the content of most cells: a value without a formula.
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
	if limit := r.book.limits.Columns; r.column >= limit {
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

// setPosition sets the current column to that of ref. If the row has no number yet, it also sets
// the row number. Otherwise, the cell belongs to the row that contains it.
func (r *rows) setPosition(ref []byte) error {
	column, number, ok := parseCellRef(ref)
	if !ok {
		if column, number, ok = r.repairRef(ref); !ok {
			return r.unreadable(intray.NewMessage("xlsx.bad_reference", intray.Params{"cell": source.Excerpt(string(ref))}))
		}
		r.repairs.Add(workbook.CellReferences, string(ref))
	} else if r.ownNumber > 0 && number != r.ownNumber {
		r.repairs.Add(workbook.CellReferences, string(ref))
	}
	if r.ownNumber == 0 && number > 0 {
		r.setRowNumber(number)
	}
	if column <= r.column {
		r.unsorted = true
	}
	r.column = column
	return nil
}

// repairRef parses a reference that is malformed but whose column is certain: a1, $A$1, A and A0,
// and numbers that count the cells of a row from 0 or 1. The row is 0 if it is not known.
func (r *rows) repairRef(ref []byte) (column int, row int64, ok bool) {
	if len(ref) > maxRefBytes {
		return 0, 0, false
	}
	if n := parseIndex(ref); n >= 0 {
		if r.plainRef >= 0 && n == r.plainRef+1 || r.column < 0 && n <= 1 {
			r.plainRef = n
			return r.column + 1, 0, true
		}
		return 0, 0, false
	}
	ref = bytes.ToUpper(bytes.ReplaceAll(ref, []byte{'$'}, nil))
	if column, row, ok = parseCellRef(ref); ok {
		return column, row, true
	}
	if bytes.ContainsAny(ref, "123456789") {
		return 0, 0, false
	}
	column, _, ok = parseCellRef(append(bytes.TrimRight(ref, "0"), '1'))
	return column, 0, ok
}

// maxRefBytes is the maximum length of a malformed reference, in bytes.
const maxRefBytes = 16

// parseIndex parses a decimal number that is not negative. It returns -1 if the text is invalid.
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

// readValue reads the value of the cell into raw and moves to the end of the cell.
// Formulas are skipped, because their results are stored as values. rich reports
// whether the value is an inline string, in which escapes are already resolved.
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

// appendCell appends a cell whose value is in raw.
func (r *rows) appendCell(kind cellType, styled int, rich bool) error {
	c := workbook.Cell{Column: r.column}
	st := r.styles.At(styled)
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
		r.setBool(&c, st)
	case kind == typeError:
		c.Kind, c.Value = intray.CellError, r.copyText(r.raw)
	case kind == typeDate:
		r.setDate(&c, st)
	}
	if len(c.Value) == 0 && c.Kind == intray.CellText {
		return nil
	}
	if r.rowBytes += len(c.Value) + len(c.Formatted); r.rowBytes > r.book.limits.RowBytes {
		return r.limitError(intray.NewMessage("row.too_long", intray.Params{"limit": r.book.limits.RowBytes}))
	}
	if len(r.cells) == maxColumns {
		return r.unreadable(intray.NewMessage("xlsx.too_many_cells", nil))
	}
	r.cells = append(r.cells, c)
	return nil
}

// copyText copies text to textBuf, where it remains valid as long as the row.
func (r *rows) copyText(text []byte) []byte {
	from := len(r.textBuf)
	r.textBuf = append(r.textBuf, text...)
	return r.textBuf[from:len(r.textBuf):len(r.textBuf)]
}

// setSharedString sets the cell to the shared string whose index is in raw.
func (r *rows) setSharedString(c *workbook.Cell, st *ooxml.Style) error {
	number := parseIndex(r.raw)
	if number < 0 || number >= r.strings.Len() {
		return r.unreadable(intray.NewMessage("xlsx.no_such_string", intray.Params{"cell": r.reference(r.column), "number": source.Excerpt(string(r.raw)), "count": r.strings.Len()}))
	}
	text, extended, err := r.strings.Text(number, r.textBuf)
	r.textBuf = extended
	if err != nil {
		return err
	}
	r.setText(c, st, text)
	return nil
}

// setText sets the cell to text, which must remain valid as long as the row.
func (r *rows) setText(c *workbook.Cell, st *ooxml.Style, text []byte) {
	r.textBuf = st.SetText(c, r.textBuf, text)
}

// setNumberValue sets the cell to the number in raw. If raw is not a number, the cell
// becomes text, so that nothing is lost.
func (r *rows) setNumberValue(c *workbook.Cell, st *ooxml.Style) {
	if st.General && workbook.IsVerbatim(r.raw) {
		c.Kind, c.Value = intray.CellNumber, r.copyText(r.raw)
		return
	}
	v, ok := workbook.ParseNumber(trimSpace(r.raw))
	if !ok {
		r.setText(c, st, r.copyText(r.raw))
		return
	}
	r.setFormattedNumber(c, st, v)
}

func (r *rows) setFormattedNumber(c *workbook.Cell, st *ooxml.Style, v float64) {
	r.textBuf = st.SetNumber(c, r.textBuf, v, r.book.contents.Epoch1904)
}

func (r *rows) setBool(c *workbook.Cell, st *ooxml.Style) {
	v := xmlscan.IsTrue(r.raw)
	if !v && string(r.raw) != "0" && string(r.raw) != "false" {
		c.Kind, c.Value = intray.CellText, r.copyText(r.raw)
		return
	}
	r.textBuf = st.SetBool(c, r.textBuf, v)
}

// setDate sets the cell to the ISO date or time in raw.
func (r *rows) setDate(c *workbook.Cell, st *ooxml.Style) {
	t, kind, ok := parseDate(string(r.raw))
	if !ok {
		r.setText(c, st, r.copyText(r.raw))
		return
	}
	epoch1904 := r.book.contents.Epoch1904
	if k := st.Format.Kind(); k == intray.CellTime || (k == intray.CellDate || k == intray.CellDateTime) && (kind == intray.CellTime || workbook.HasSerial(t, epoch1904)) {
		r.setFormattedNumber(c, st, toSerial(t, kind, epoch1904))
		return
	}
	layout := map[intray.CellKind]string{intray.CellDate: time.DateOnly, intray.CellDateTime: "2006-01-02T15:04:05.999", intray.CellTime: "15:04:05.999"}[kind]
	c.Kind, c.Value = kind, r.copyText([]byte(t.Format(layout)))
}

// parseDate parses a date, a time or both. Cells have no time zone, so a zone is
// invalid, except for the Z that some programs append to all times.
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

// toSerial returns the serial number that the workbook format uses for a date and time.
func toSerial(t time.Time, kind intray.CellKind, epoch1904 bool) float64 {
	if kind == intray.CellTime {
		return float64(t.Sub(t.Truncate(24*time.Hour))) / float64(24*time.Hour)
	}
	return workbook.Serial(t, epoch1904)
}

// parseCellRef parses a reference such as B7 into a column, counted from 0, and a row,
// counted from 1. References outside the largest worksheet are invalid.
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

// parseRow parses a row number, which is counted from 1.
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
