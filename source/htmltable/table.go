package htmltable

import (
	"bytes"

	"golang.org/x/net/html"

	"github.com/intraydata/intray"
	"github.com/intraydata/intray/source"
	"github.com/intraydata/intray/source/workbook"
)

// maxDepth is the maximum nesting depth of tables.
const maxDepth = 32

// These are the maximum numbers of columns and rows that a cell can span, as in browsers.
const (
	maxColSpan = 1000
	maxRowSpan = 65534
)

// tableRow is one row of a table.
type tableRow struct {
	number int64
	hidden bool
	cells  []tableCell
	// merged holds the ranges that cells of the row span.
	merged []workbook.Range
	// arena holds the text of the cells.
	arena []byte
	// filled counts the cells with text. own counts the cells with text outside nested tables.
	filled, own int
}

// tableCell is a cell with text. In the arena, its value is stored from valueStart to
// valueEnd, followed by its displayed text up to formattedEnd.
type tableCell struct {
	column                             int
	kind                               intray.CellKind
	valueStart, valueEnd, formattedEnd int
}

// tableWalker handles the tags of one table.
type tableWalker struct {
	limits source.Limits
	flow   textFlow
	// countOnly is true if only the presence of text matters.
	countOnly bool
	// nestedTables has an entry for each open nested table. The entry is true within a
	// cell of the nested table.
	nestedTables             []bool
	inRow, inCell, inCaption bool
	// section is the open section. inFoot is true within the first foot of the table.
	section       tag
	sectionHidden bool
	inFoot        bool
	// headAt and footAt are the offsets of the first head and the first foot, or -1. headLate is
	// true if there are rows before the head. footEarly is true if there are rows after the foot.
	headAt, footAt      int64
	headLate, footEarly bool
	// skip holds the offsets of sections that are read in a separate pass. sectionOnly
	// is true if the walker reads a single section.
	skip        [2]int64
	skipping    bool
	sectionOnly bool

	// current is the current row and previous is the last complete row. rowEnded is
	// true if the last token ended a row.
	current, previous *tableRow
	rowEnded          bool
	// rowCount is the number of rows read, and cellCount is the sum of their numbers of columns.
	rowCount, cellCount int64
	// column is the column of the current cell. nextColumn is the column after the last cell.
	column, nextColumn int
	// cellRowSpan is the number of rows that the current cell spans.
	cellRowSpan int64
	// coveredUntil holds, for each column, the last row that a cell above covers.
	coveredUntil []int64
	// own is true if the current cell has text outside nested tables.
	own   bool
	typed typedValue

	caption    string
	formats    *formats
	epoch1904  bool
	tableEnded bool
	err        error
}

func newTableWalker(limits source.Limits) *tableWalker {
	return &tableWalker{limits: limits, headAt: -1, footAt: -1, skip: [2]int64{-1, -1}, current: &tableRow{}, previous: &tableRow{}, formats: &formats{}}
}

// handleToken handles the next token after the start tag of the table. It sets rowEnded
// at the end of a row, and tableEnded at the end of the table.
func (w *tableWalker) handleToken(t *tokenizer) error {
	w.rowEnded = false
	switch {
	case t.kind == html.TextToken:
		w.addText(t)
	case !t.isStart && !t.isEnd:
	case len(w.nestedTables) > 0:
		w.handleNestedTag(t)
	case t.tag == tagTable:
		w.handleTableTag(t)
	case t.tag == tagHead || t.tag == tagBody || t.tag == tagFoot:
		w.handleSectionTag(t)
	case t.tag == tagRow:
		w.endRow()
		if t.isStart {
			w.beginRow(t.isHidden())
		}
	case t.tag == tagCell:
		w.endCell()
		if t.isStart {
			w.beginCell(t)
		}
	case t.tag == tagCaption:
		w.endRow()
		if t.isStart {
			w.flow.reset()
			w.flow.countOnly, w.inCaption = false, true
		}
	case w.inCell || w.inCaption:
		w.flow.handleTag(t)
	}
	return w.err
}

func (w *tableWalker) setLimitError(reason intray.Message) {
	if w.err == nil {
		w.err = &source.LimitError{Line: w.rowCount + 1, Reason: reason}
	}
}

func (w *tableWalker) addText(t *tokenizer) {
	if !w.inCell && !w.inCaption || w.skipping {
		return
	}
	text := t.text()
	w.own = w.own || len(w.nestedTables) == 0 && !isBlank(text)
	w.flow.addText(text)
	if len(w.flow.buf) > w.limits.CellBytes {
		w.setLimitError(intray.NewMessage("cell.too_long_in_column", intray.Params{"column": w.column + 1, "limit": w.limits.CellBytes}))
	}
}

// handleNestedTag handles a tag within a nested table. The text of the nested table is
// part of the cell.
func (w *tableWalker) handleNestedTag(t *tokenizer) {
	last := len(w.nestedTables) - 1
	switch t.tag {
	case tagTable:
		w.flow.block = true
		if t.isEnd || !w.nestedTables[last] { // a table that starts between cells of a nested table ends that table
			w.nestedTables = w.nestedTables[:last]
		}
		if t.isStart {
			w.pushNested()
		}
		w.flow.handleTag(t)
	case tagRow, tagHead, tagBody, tagFoot, tagCaption:
		w.flow.block = true
		w.nestedTables[last] = t.tag == tagCaption && t.isStart
	case tagCell:
		w.flow.space = true
		w.nestedTables[last] = t.isStart
	default:
		w.flow.handleTag(t)
	}
}

func (w *tableWalker) pushNested() {
	if len(w.nestedTables) >= maxDepth {
		w.setLimitError(intray.NewMessage("html.tables_too_deep", intray.Params{"limit": maxDepth}))
		return
	}
	w.nestedTables = append(w.nestedTables, false)
}

// handleTableTag handles a table tag outside nested tables.
func (w *tableWalker) handleTableTag(t *tokenizer) {
	if t.isStart && (w.inCell || w.inCaption) {
		w.flow.block = true
		w.flow.handleTag(t)
		w.pushNested()
		return
	}
	w.endRow()
	w.tableEnded = true
}

func (w *tableWalker) handleSectionTag(t *tokenizer) {
	w.endRow()
	w.coveredUntil = w.coveredUntil[:0] // cells do not extend beyond their section
	if w.sectionOnly && w.section != tagOther {
		w.tableEnded = true
		return
	}
	w.section, w.inFoot, w.skipping, w.sectionHidden = tagOther, false, false, false
	if t.isEnd {
		return
	}
	w.section, w.sectionHidden = t.tag, t.isHidden()
	w.skipping = t.offset == w.skip[0] || t.offset == w.skip[1]
	switch {
	case t.tag == tagHead && w.headAt < 0:
		w.headAt, w.headLate = t.offset, w.rowCount > 0
	case t.tag == tagFoot && w.footAt < 0:
		w.footAt, w.inFoot = t.offset, true
	}
}

func (w *tableWalker) beginRow(hidden bool) {
	w.inRow, w.column, w.nextColumn = true, 0, 0
	arena, cells, merged := w.current.arena[:0], w.current.cells[:0], w.current.merged[:0]
	*w.current = tableRow{number: w.rowCount + 1, hidden: hidden || w.sectionHidden, arena: arena, cells: cells, merged: merged}
}

// endRow ends an open caption, cell and row.
func (w *tableWalker) endRow() {
	if w.inCaption {
		w.inCaption, w.caption = false, string(w.flow.finish())
	}
	w.endCell()
	if !w.inRow {
		return
	}
	w.inRow = false
	if w.skipping {
		return
	}
	if w.cellCount += int64(w.nextColumn); w.cellCount > w.limits.Cells {
		w.setLimitError(intray.NewMessage("sheet.too_many_cells", intray.Params{"limit": w.limits.Cells}))
	}
	w.rowCount++
	w.footEarly = w.footEarly || w.footAt >= 0 && !w.inFoot
	w.current, w.previous, w.rowEnded = w.previous, w.current, true
}

// beginCell puts a cell in the first column that is not covered by cells of rows above.
func (w *tableWalker) beginCell(t *tokenizer) {
	w.inCaption = false
	if !w.inRow {
		w.beginRow(false)
	}
	column := w.nextColumn
	for column < len(w.coveredUntil) && w.coveredUntil[column] >= w.current.number {
		column++
	}
	if column >= w.limits.Columns {
		w.setLimitError(intray.NewMessage("row.too_many_cells", intray.Params{"limit": w.limits.Columns}))
		return
	}
	wide, deep := parseSpan(t.attrValue("colspan"), maxColSpan), int64(1)
	if t.hasAttr("rowspan") {
		deep = int64(parseRowSpan(t.attrValue("rowspan")))
	}
	w.column, w.nextColumn, w.cellRowSpan = column, min(column+wide, w.limits.Columns), deep
	if deep > 1 {
		for len(w.coveredUntil) < w.nextColumn {
			w.coveredUntil = append(w.coveredUntil, 0)
		}
		for c := column; c < w.nextColumn; c++ {
			w.coveredUntil[c] = max(w.coveredUntil[c], w.current.number+deep-1)
		}
	}
	w.inCell, w.own = true, false
	w.flow.reset()
	w.flow.countOnly = w.countOnly
	if !w.countOnly {
		w.typed = w.readTypedValue(t)
	}
}

func (w *tableWalker) endCell() {
	if !w.inCell {
		return
	}
	w.inCell, w.nestedTables = false, w.nestedTables[:0]
	text := w.flow.finish()
	if w.skipping || len(text) == 0 && !w.typed.isNumber {
		return
	}
	w.current.filled++
	if w.own {
		w.current.own++
	}
	if w.countOnly {
		return
	}
	c := tableCell{column: w.column, valueStart: len(w.current.arena)}
	w.current.arena, c.kind = w.typed.appendValue(w.current.arena, text, w.epoch1904)
	c.valueEnd = len(w.current.arena)
	if c.kind != intray.CellText && !bytes.Equal(w.current.arena[c.valueStart:], text) {
		w.current.arena = append(w.current.arena, text...)
	}
	c.formattedEnd = len(w.current.arena)
	if c.formattedEnd > c.valueStart {
		w.current.cells = append(w.current.cells, c)
		if w.nextColumn > w.column+1 || w.cellRowSpan > 1 {
			last := w.current.number + w.cellRowSpan - 1
			w.current.merged = append(w.current.merged, workbook.Range{FirstRow: w.current.number, LastRow: last, FirstColumn: w.column, LastColumn: w.nextColumn - 1})
		}
	}
	if len(w.current.arena) > w.limits.RecordBytes {
		w.setLimitError(intray.NewMessage("row.too_long", intray.Params{"limit": w.limits.RecordBytes}))
	}
}

// finish ends the table at the end of the page. It reports whether the page ends within a cell.
func (w *tableWalker) finish(t *tokenizer) (cut bool) {
	cut = w.inCell || w.inCaption || t.partial
	w.rowEnded = false
	if !cut {
		w.endRow()
	}
	w.tableEnded = true
	return cut
}

// parseSpan parses the number of columns or rows that a cell spans. The result is between 1 and
// the limit most.
func parseSpan(text string, most int) int {
	n := 0
	for _, c := range []byte(text) {
		if c < '0' || c > '9' {
			break
		}
		n = min(10*n+int(c-'0'), most)
	}
	return max(n, 1)
}

// parseRowSpan parses the number of rows that a cell spans. 0 means all remaining rows
// of the section.
func parseRowSpan(text string) int {
	if text == "0" {
		return 1 << 40
	}
	return parseSpan(text, maxRowSpan)
}
