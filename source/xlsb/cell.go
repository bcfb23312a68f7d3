package xlsb

import (
	"math"
	"strconv"

	"github.com/intraydata/intray"
	"github.com/intraydata/intray/internal/ooxml"
	"github.com/intraydata/intray/source/workbook"
)

// isCell reports whether a record is a cell.
func isCell(id recordID) bool {
	return id >= recCellBlank && id <= recShortString || id == recCellRichText
}

const (
	// columnBytes and styleBytes are the sizes of the column and of the style of a cell, which
	// are at the beginning of its record. The style includes a byte of flags. In a short record,
	// the column is missing, because it follows that of the previous cell.
	columnBytes, styleBytes = 4, 4
	// shortRecords is the difference between the identifiers of short and other records.
	shortRecords = recShortBlank - recCellBlank
	// longestValue is the size of the longest value that is not text: a float.
	longestValue = 8
)

// readCell reads the cell in the current record.
func (r *rows) readCell() error {
	body, err := r.records.body(columnBytes + styleBytes + longestValue)
	if err != nil {
		return err
	}
	id, at := r.records.id, columnBytes
	column := r.cellColumn(body)
	if id >= recShortBlank && id <= recShortString {
		id, at = id-shortRecords, 0
	}
	if column <= r.column {
		r.unsorted = true
	}
	r.column = column
	if len(body) < at+styleBytes {
		return r.shortCell()
	}
	if limit := r.limits.Columns; column >= limit {
		return r.limitError(intray.NewMessage("sheet.too_many_columns", intray.Params{"limit": limit}))
	}
	if id == recCellBlank {
		return nil
	}
	style := int(little.Uint32(body[at:]) & 0xFFFFFF)
	at += styleBytes
	return r.appendCell(id, r.styles.At(style), body, at)
}

// cellColumn returns the column of the cell in the current record, given the beginning of its body.
func (r *rows) cellColumn(body []byte) int {
	if id := r.records.id; id >= recShortBlank && id <= recShortString || len(body) < columnBytes {
		return r.column + 1
	}
	return int(min(little.Uint32(body), maxColumns))
}

func (r *rows) shortCell() error {
	return r.unreadable(intray.NewMessage("xlsb.short_cell", intray.Params{"cell": r.reference(r.column)}))
}

// appendCell appends a cell whose value starts at an offset of the body.
func (r *rows) appendCell(id recordID, st *ooxml.Style, body []byte, at int) error {
	c := workbook.Cell{Column: r.column}
	value := body[at:]
	switch id {
	case recCellRK:
		if len(value) < 4 {
			return r.shortCell()
		}
		r.setNumber(&c, st, workbook.DecodeRK(little.Uint32(value)))
	case recCellReal, recFormulaNumber:
		if len(value) < 8 {
			return r.shortCell()
		}
		r.setNumber(&c, st, math.Float64frombits(little.Uint64(value)))
	case recCellBool, recFormulaBool, recCellError, recFormulaError:
		if len(value) < 1 {
			return r.shortCell()
		}
		if id == recCellBool || id == recFormulaBool {
			r.textBuf = st.SetBool(&c, r.textBuf, value[0] != 0)
		} else {
			c.Kind, c.Value = intray.CellError, r.copyText(workbook.ErrorText(value[0]))
		}
	case recCellString:
		if len(value) < 4 {
			return r.shortCell()
		}
		if err := r.setSharedString(&c, st, little.Uint32(value)); err != nil {
			return err
		}
	case recCellRichText:
		at++ // the flags of the string
		fallthrough
	default:
		if err := r.readText(&c, st, at); err != nil {
			return err
		}
	}
	if len(c.Value) == 0 && c.Kind == intray.CellText {
		return nil
	}
	if r.rowBytes += len(c.Value) + len(c.Formatted); r.rowBytes > r.limits.RowBytes {
		return r.limitError(intray.NewMessage("row.too_long", intray.Params{"limit": r.limits.RowBytes}))
	}
	if len(r.cells) == maxColumns {
		return r.unreadable(intray.NewMessage("xlsx.too_many_cells", nil))
	}
	r.cells = append(r.cells, c)
	return nil
}

// copyText copies text to textBuf, where it remains valid as long as the row.
func (r *rows) copyText(text string) []byte {
	from := len(r.textBuf)
	r.textBuf = append(r.textBuf, text...)
	return r.textBuf[from:len(r.textBuf):len(r.textBuf)]
}

// setNumber sets the cell to a number.
func (r *rows) setNumber(c *workbook.Cell, st *ooxml.Style, v float64) {
	const most = 10_000_000_000 // the format General displays integers of up to 10 digits in full
	if i := int64(v); st.General && v > -most && v < most && float64(i) == v {
		from := len(r.textBuf)
		r.textBuf = strconv.AppendInt(r.textBuf, i, 10)
		c.Kind, c.Value = intray.CellNumber, r.textBuf[from:len(r.textBuf):len(r.textBuf)]
		return
	}
	r.textBuf = st.SetNumber(c, r.textBuf, v, r.epoch1904)
}

// setSharedString sets the cell to the shared string with the given index.
func (r *rows) setSharedString(c *workbook.Cell, st *ooxml.Style, number uint32) error {
	if int64(number) >= int64(r.strings.Len()) {
		return r.unreadable(intray.NewMessage("xlsx.no_such_string", intray.Params{"cell": r.reference(r.column), "number": strconv.FormatUint(uint64(number), 10), "count": r.strings.Len()}))
	}
	text, extended, err := r.strings.Text(int(number), r.textBuf)
	r.textBuf = extended
	if err == nil {
		r.textBuf = st.SetText(c, r.textBuf, text)
	}
	return err
}

// readText sets the cell to the text at an offset of the current record.
func (r *rows) readText(c *workbook.Cell, st *ooxml.Style, at int) error {
	raw, ok, err := r.records.text(at, r.limits.CellBytes)
	switch {
	case err != nil:
		return err
	case !ok:
		return r.shortCell()
	}
	from := len(r.textBuf)
	r.textBuf = appendUTF16(r.textBuf, raw)
	text := r.textBuf[from:len(r.textBuf):len(r.textBuf)]
	if len(text) > r.limits.CellBytes {
		return r.records.textTooLong(r.limits.CellBytes)
	}
	r.textBuf = st.SetText(c, r.textBuf, text)
	r.records.shrink()
	return nil
}
