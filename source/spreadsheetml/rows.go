package spreadsheetml

import (
	"bytes"
	"context"
	"errors"
	"io"
	"strconv"
	"strings"
	"time"

	"github.com/intraydata/intray"
	"github.com/intraydata/intray/internal/textinput"
	"github.com/intraydata/intray/internal/xmlscan"
	"github.com/intraydata/intray/source"
	"github.com/intraydata/intray/source/workbook"
)

// maxRow is the maximum row number. It is far above the maximum of Excel.
const maxRow = 1 << 40

// rows reads the rows of one sheet.
type rows struct {
	book  *book
	sheet sheet
	scan  *xmlscan.Scanner
	// standard is the style of the table. columnStyles holds the style of each column, or nil
	// for columns without a style.
	standard     *style
	columnStyles []*style
	// hiddenColumns is true for each hidden column. merged holds the merged ranges that
	// start in the current row.
	hiddenColumns []bool
	merged        []workbook.Range
	// lastColumn is the last column for which a Column element was read. number is the
	// number of the last row that was read. lastIndex is the number that the file gives to it,
	// which is different if rows are out of order.
	lastColumn int64
	number     int64
	lastIndex  int64
	// unsorted is true if the cells of the row are not in column order.
	unsorted bool
	repairs  workbook.Repairs

	cells []workbook.Cell
	// textBuf holds the text of the current row, and raw the text of the current cell.
	textBuf, raw []byte
	cellCount    int64
	err          error
}

func openRows(ctx context.Context, b *book, s sheet) (*rows, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	text, err := textinput.NewTextReader(b.doc.in, b.doc.guess, s.offset)
	if err != nil {
		return nil, err
	}
	scan, err := newScanner(text, b.limits.CellBytes+markupBytes)
	if err != nil {
		return nil, err
	}
	r := &rows{book: b, sheet: s, scan: scan, textBuf: make([]byte, 0, 1<<10), standard: b.info.styles.standard}
	if _, err := scan.NextChild(); err != nil {
		return nil, err
	}
	for {
		more, err := r.scan.NextChild()
		switch {
		case err != nil:
			return nil, err
		case !more:
			r.err = io.EOF
			return r, nil
		case string(r.scan.Name) == "Table":
			if own := b.info.styles.lookup(r.scan.Attr("StyleID")); own != nil {
				r.standard = own
			}
			return r, nil
		}
		if err := r.scan.Skip(); err != nil {
			return nil, err
		}
	}
}

var errClosed = errors.New("read a closed sheet")

func (r *rows) Close() error {
	r.err = errClosed
	return nil
}

func (r *rows) Next(ctx context.Context) (workbook.Row, error) {
	for r.err == nil {
		if err := ctx.Err(); err != nil {
			return workbook.Row{}, err
		}
		row, err := r.readElement()
		if err != nil {
			r.err = workbook.AtRow(err, max(r.number, 1))
			break
		}
		if len(row.Cells) > 0 {
			return row, nil
		}
	}
	return workbook.Row{}, r.err
}

// readElement reads the next element of the table. It returns a row without cells if
// the element is not a row.
func (r *rows) readElement() (workbook.Row, error) {
	more, err := r.scan.NextChild()
	if err == nil && !more {
		err = io.EOF
	}
	if err != nil {
		return workbook.Row{}, err
	}
	switch string(r.scan.Name) {
	case "Row":
		return r.readRow()
	case "Column":
		if err := r.readColumn(); err != nil {
			return workbook.Row{}, err
		}
	}
	return workbook.Row{}, r.scan.Skip()
}

// readColumn reads the style and visibility of one or more columns.
func (r *rows) readColumn() error {
	most := int64(r.book.limits.Columns)
	index, err := parseIntAttr(r.scan.Attr("Index"), 1, 1<<31, r.lastColumn+1)
	if err != nil {
		return err
	}
	span, err := parseIntAttr(r.scan.Attr("Span"), 0, 1<<31, 0)
	if err != nil {
		return err
	}
	r.lastColumn = index + span
	if r.scan.AttrBool("Hidden") {
		for int64(len(r.hiddenColumns)) < min(index+span, most) {
			r.hiddenColumns = append(r.hiddenColumns, int64(len(r.hiddenColumns))+1 >= index)
		}
	}
	if st := r.book.info.styles.lookup(r.scan.Attr("StyleID")); st != nil {
		for c := index; c <= min(index+span, most); c++ {
			for int64(len(r.columnStyles)) < c {
				r.columnStyles = append(r.columnStyles, nil)
			}
			r.columnStyles[c-1] = st
		}
	}
	return nil
}

// readRow reads the row that has just started.
func (r *rows) readRow() (workbook.Row, error) {
	number, err := parseIntAttr(r.scan.Attr("Index"), 1, maxRow, r.lastIndex+1)
	if err != nil {
		return workbook.Row{}, err
	}
	own := number
	if own <= r.lastIndex {
		r.repairs.Add(workbook.RowNumbers, strconv.FormatInt(own, 10))
	}
	if number = max(own, r.number+1); number > maxRow {
		return workbook.Row{}, &source.LimitError{Reason: intray.NewMessage("sheet.too_many_rows", intray.Params{"limit": int64(maxRow)})}
	}
	span, err := parseIntAttr(r.scan.Attr("Span"), 0, maxRow, 0)
	if err != nil {
		return workbook.Row{}, err
	}
	r.number, r.lastIndex = number, own+span
	row := workbook.Row{Number: number, Hidden: r.scan.AttrBool("Hidden"), Renumbered: number != own}
	rowStyle := r.book.info.styles.lookup(r.scan.Attr("StyleID"))
	r.cells, r.merged, r.textBuf = r.cells[:0], r.merged[:0], r.textBuf[:0]
	r.unsorted = false
	for next := int64(1); ; {
		more, err := r.scan.NextChild()
		if err != nil {
			return row, err
		}
		if !more {
			break
		}
		if string(r.scan.Name) != "Cell" {
			if err := r.scan.Skip(); err != nil {
				return row, err
			}
			continue
		}
		if next, err = r.readCell(next, rowStyle); err != nil {
			return row, err
		}
	}
	r.number += span // equal rows without cells
	if r.unsorted {
		r.cells = r.repairs.SortCells(number, r.cells)
	}
	row.Cells = r.cells
	return row, nil
}

// readCell reads the cell that has just started. next is the column of the cell if the
// cell does not specify one. readCell returns the column after the cell.
func (r *rows) readCell(next int64, st *style) (int64, error) {
	limits := r.book.limits
	index, across, down := next, int64(0), int64(0)
	for i := range r.scan.NumAttrs() {
		var err error
		value := r.scan.AttrValue(i)
		switch string(r.scan.AttrName(i)) {
		case "Index":
			index, err = parseIntAttr(value, 1, 1<<31, next)
		case "MergeAcross":
			across, err = parseIntAttr(value, 0, 1<<31, 0)
		case "MergeDown":
			down, err = parseIntAttr(value, 0, 1<<31, 0)
		case "StyleID":
			if own := r.book.info.styles.lookup(value); own != nil {
				st = own
			}
		}
		if err != nil {
			return 0, err
		}
	}
	r.unsorted = r.unsorted || index < next
	if index > int64(limits.Columns) {
		return 0, &source.LimitError{Reason: intray.NewMessage("row.too_many_cells", intray.Params{"limit": limits.Columns})}
	}
	if r.cellCount++; r.cellCount > limits.Cells {
		return 0, &source.LimitError{Reason: intray.NewMessage("sheet.too_many_cells", intray.Params{"limit": limits.Cells})}
	}
	if st == nil && index <= int64(len(r.columnStyles)) {
		st = r.columnStyles[index-1]
	}
	if st == nil {
		st = r.standard
	}
	found := len(r.cells)
	err := r.readValues(int(index)-1, st)
	if len(r.cells) > found && across+down > 0 {
		last := min(index+across, int64(limits.Columns))
		r.merged = append(r.merged, workbook.Range{FirstRow: r.number, LastRow: r.number + down, FirstColumn: int(index) - 1, LastColumn: int(last) - 1})
	}
	return index + across + 1, err
}

// PendingMerges implements [workbook.MergeReporter].
func (r *rows) PendingMerges() []workbook.Range {
	ranges := r.merged
	r.merged = nil
	return ranges
}

// Repairs implements [workbook.RepairReporter].
func (r *rows) Repairs() *workbook.Repairs { return &r.repairs }

// ColumnHidden implements [workbook.ColumnHider].
func (r *rows) ColumnHidden(column int) bool {
	return column < len(r.hiddenColumns) && r.hiddenColumns[column]
}

// readValues reads the content of a cell. It ignores all values after the first.
func (r *rows) readValues(column int, st *style) error {
	for found := false; ; {
		more, err := r.scan.NextChild()
		if err != nil || !more {
			return err
		}
		if found || string(r.scan.Name) != "Data" {
			if err := r.scan.Skip(); err != nil {
				return err
			}
			continue
		}
		found = true
		kind := parseValueType(r.scan.Attr("Type"))
		if r.raw, err = appendContent(r.scan, r.raw[:0], r.book.limits.CellBytes); err != nil {
			return err
		}
		if c := r.newCell(kind, st); len(c.Value) > 0 {
			c.Column = column
			r.cells = append(r.cells, c)
		}
		if len(r.textBuf) > r.book.limits.RecordBytes {
			return &source.LimitError{Reason: intray.NewMessage("row.too_long", intray.Params{"limit": r.book.limits.RecordBytes})}
		}
	}
}

// valueType is the type of a value, as specified by its Type attribute.
type valueType uint8

const (
	typeString valueType = iota // also used for unknown types
	typeNumber
	typeDateTime
	typeBoolean
	typeError
)

func parseValueType(name []byte) valueType {
	switch string(name) {
	case "Number":
		return typeNumber
	case "DateTime":
		return typeDateTime
	case "Boolean":
		return typeBoolean
	case "Error":
		return typeError
	}
	return typeString
}

// newCell returns a cell with the value in raw. If the value does not match its type,
// the cell becomes text, so that nothing is lost.
func (r *rows) newCell(kind valueType, st *style) (c workbook.Cell) {
	plain := bytes.TrimSpace(r.raw)
	switch kind {
	case typeNumber:
		if st.general && workbook.IsVerbatim(plain) {
			return workbook.Cell{Kind: intray.CellNumber, Value: r.copyText(plain)}
		}
		if n, ok := workbook.ParseNumber(plain); ok {
			return r.newNumberCell(n, st)
		}
	case typeDateTime:
		if t, ok := parseTime(string(plain)); ok {
			return r.newDateCell(t, st)
		}
	case typeBoolean:
		switch strings.ToLower(string(plain)) {
		case "1", "true":
			return r.newBoolCell("true", "TRUE", st)
		case "0", "false":
			return r.newBoolCell("false", "FALSE", st)
		}
	case typeError:
		if len(plain) > 0 && plain[0] == '#' {
			return workbook.Cell{Kind: intray.CellError, Value: r.copyText(plain)}
		}
	}
	c.Value = r.copyText(r.raw)
	if !st.plain && len(c.Value) > 0 {
		from := len(r.textBuf)
		r.textBuf = st.AppendFormattedText(r.textBuf, c.Value)
		c.Formatted = r.textBuf[from:len(r.textBuf):len(r.textBuf)]
	}
	return c
}

// copyText copies text to textBuf, where it remains valid until the next row.
func (r *rows) copyText(text []byte) []byte {
	from := len(r.textBuf)
	r.textBuf = append(r.textBuf, text...)
	return r.textBuf[from:len(r.textBuf):len(r.textBuf)]
}

// newBoolCell returns a cell with a boolean, which is displayed like text.
func (r *rows) newBoolCell(value, text string, st *style) workbook.Cell {
	from := len(r.textBuf)
	r.textBuf = st.AppendFormattedText(r.textBuf, []byte(text))
	return workbook.Cell{Kind: intray.CellBool, Value: []byte(value), Formatted: r.textBuf[from:len(r.textBuf):len(r.textBuf)]}
}

// newNumberCell returns a cell with a number.
func (r *rows) newNumberCell(n float64, st *style) (c workbook.Cell) {
	epoch1904 := r.book.info.epoch1904
	from := len(r.textBuf)
	r.textBuf, c.Kind = st.AppendValue(r.textBuf, n, epoch1904)
	middle := len(r.textBuf)
	r.textBuf = st.AppendFormatted(r.textBuf, n, epoch1904)
	end := len(r.textBuf)
	c.Value = r.textBuf[from:middle:middle]
	if shown := r.textBuf[middle:end:end]; !bytes.Equal(c.Value, shown) {
		c.Formatted = shown
	}
	return c
}

// newDateCell returns a cell with a date and time. If its style is not a date or time format,
// the cell displays an ISO date, because the serial number would be meaningless to users.
func (r *rows) newDateCell(t time.Time, st *style) workbook.Cell {
	epoch1904 := r.book.info.epoch1904
	if k := st.Kind(); k == intray.CellTime || (k == intray.CellDate || k == intray.CellDateTime) && (workbook.HasSerial(t, epoch1904) || !epoch1904 && isDayZero(t)) {
		return r.newNumberCell(workbook.Serial(t, epoch1904), st)
	}
	layout, kind := time.DateOnly, intray.CellDate
	if !t.Equal(t.Truncate(24 * time.Hour)) {
		layout, kind = "2006-01-02T15:04:05.999", intray.CellDateTime
	}
	from := len(r.textBuf)
	r.textBuf = t.AppendFormat(r.textBuf, layout)
	return workbook.Cell{Kind: kind, Value: r.textBuf[from:len(r.textBuf):len(r.textBuf)]}
}

// isDayZero reports whether a date is the one that Excel stores for day 0 of the 1900 date system.
func isDayZero(t time.Time) bool {
	year, month, day := t.Date()
	return year == 1899 && month == time.December && day == 31
}

// parseTime parses a date with or without a time. It ignores a trailing Z, which some
// programs append to all times although cells have no time zone.
func parseTime(text string) (time.Time, bool) {
	text = strings.TrimSuffix(text, "Z")
	for _, layout := range []string{"2006-01-02T15:04:05", time.DateOnly} {
		if t, err := time.Parse(layout, text); err == nil {
			return t, true
		}
	}
	return time.Time{}, false
}
