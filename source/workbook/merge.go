package workbook

import (
	"cmp"
	"slices"

	"github.com/intraydata/intray"
	"github.com/intraydata/intray/source"
	"github.com/intraydata/intray/source/headerdetect"
)

const (
	// maxHeldBytes is the maximum length of all text that merged ranges hold at a time
	// for later rows, in bytes.
	maxHeldBytes = 64 << 20
	// maxFilledBytes is the maximum length of all text that filling adds to a sheet, in bytes.
	maxFilledBytes = 4 << 30
)

// mergeTracker tracks the merged ranges of a sheet. It counts the ranges that reach
// into the body of the table, and fills them row by row.
type mergeTracker struct {
	limits source.Limits
	// enabled is true if ranges are to be filled.
	enabled bool
	// preloaded is true if all ranges were known before the first row. In that case,
	// ranges that the rows report are ignored.
	preloaded bool
	// width is the number of columns of the first rows. Columns beyond it are not filled,
	// because a range can declare many more columns.
	width int

	// body is the number of the last row above the body of the table. It is valid if
	// bodyKnown is true. early are the ranges found before body was known.
	body      int64
	bodyKnown bool
	early     []Range
	// count is the number of ranges that reach into the body. first is the first of these ranges.
	count int64
	first Range

	// pending holds the ranges that start below the current row. They are sorted by row if
	// sorted is true.
	pending []Range
	sorted  bool
	// activeByColumn holds the range that was opened last in each column. activeUntil
	// is the last row that any of these ranges reaches.
	activeByColumn []*activeRange
	activeUntil    int64
	heldBytes      int
	filledBytes    int64
	cells          []Cell
}

// activeRange is a range whose first cell has been read.
type activeRange struct {
	Range
	cell Cell
}

// addRanges adds ranges. It ignores invalid ranges and single cells.
func (m *mergeTracker) addRanges(ranges []Range) {
	for _, g := range ranges {
		single := g.FirstRow == g.LastRow && g.FirstColumn == g.LastColumn
		if single || g.FirstRow < 1 || g.FirstColumn < 0 || g.LastRow < g.FirstRow || g.LastColumn < g.FirstColumn {
			continue
		}
		if !m.bodyKnown {
			m.early = append(m.early, g)
			continue
		}
		m.addRange(g)
	}
}

// spansOf returns the ranges that start in the first rows as spans of rows. The row with index 0
// follows the row whose number is given by above.
func spansOf(ranges []Range, above int64) (list []headerdetect.Span) {
	for _, g := range ranges {
		if g.FirstRow > above && g.FirstRow <= above+2*sampleRows {
			last := min(g.LastRow-above-1, 2*sampleRows)
			list = append(list, headerdetect.Span{FirstRow: int(g.FirstRow - above - 1), LastRow: int(last), FirstColumn: g.FirstColumn, LastColumn: g.LastColumn})
		}
	}
	return list
}

// setBody sets the number of the last row above the body of the table.
func (m *mergeTracker) setBody(last int64) {
	m.body, m.bodyKnown = last, true
	for _, g := range m.early {
		m.addRange(g)
	}
	m.early = nil
}

func (m *mergeTracker) addRange(g Range) {
	if g.LastRow <= m.body {
		return
	}
	if m.count++; m.count == 1 || g.before(m.first) {
		m.first = g
	}
	if m.enabled {
		m.pending, m.sorted = append(m.pending, g), false
	}
}

func (g Range) before(other Range) bool {
	return g.FirstRow < other.FirstRow || g.FirstRow == other.FirstRow && g.FirstColumn < other.FirstColumn
}

// fillRow fills the cells of a row that are covered by merged ranges. It does not change existing
// cells. Rows must be filled in ascending order. The result is valid until the next call.
func (m *mergeTracker) fillRow(row Row) (Row, error) {
	if row.Renumbered {
		return row, nil
	}
	if err := m.activateRanges(row); err != nil {
		return row, err
	}
	if m.activeUntil < row.Number {
		return row, nil
	}
	m.cells = m.cells[:0]
	size, own := 0, 0
	for c, o := range m.activeByColumn {
		switch {
		case own < len(row.Cells) && row.Cells[own].Column == c:
			m.cells = append(m.cells, row.Cells[own])
			size += row.Cells[own].size()
			own++
		case o != nil && o.LastRow >= row.Number:
			cell := o.cell
			cell.Column = c
			m.cells = append(m.cells, cell)
			size += cell.size()
			m.filledBytes += int64(cell.size())
		}
	}
	row.Cells = append(m.cells, row.Cells[own:]...)
	m.cells = row.Cells
	switch {
	case size > m.limits.RecordBytes:
		return row, &source.LimitError{Line: row.Number, Reason: intray.NewMessage("row.filled_too_long", intray.Params{"limit": m.limits.RecordBytes})}
	case m.filledBytes > maxFilledBytes:
		return row, &source.LimitError{Line: row.Number, Reason: intray.NewMessage("workbook.merged_too_long", intray.Params{"limit": int64(maxFilledBytes)})}
	}
	return row, nil
}

func (c Cell) size() int { return len(c.Value) + len(c.Formatted) }

// activateRanges opens the ranges that start in a row. It drops ranges that started in
// rows without cells, because they have no value.
func (m *mergeTracker) activateRanges(row Row) error {
	if !m.sorted {
		slices.SortFunc(m.pending, func(a, b Range) int {
			return cmp.Or(cmp.Compare(a.FirstRow, b.FirstRow), cmp.Compare(a.FirstColumn, b.FirstColumn))
		})
		m.sorted = true
	}
	for len(m.pending) > 0 && m.pending[0].FirstRow <= row.Number {
		g := m.pending[0]
		m.pending = m.pending[1:]
		if g.FirstRow < row.Number {
			continue
		}
		if err := m.activate(row, g); err != nil {
			return err
		}
	}
	return nil
}

// activate makes a range the active one in its columns. It ignores a range that
// overlaps an active one. Applications never write overlapping ranges.
func (m *mergeTracker) activate(row Row, g Range) error {
	at, found := slices.BinarySearchFunc(row.Cells, g.FirstColumn, func(c Cell, column int) int { return cmp.Compare(c.Column, column) })
	if !found {
		return nil
	}
	if m.activeByColumn == nil {
		m.activeByColumn = make([]*activeRange, m.width)
	}
	end := min(g.LastColumn+1, len(m.activeByColumn))
	for c := g.FirstColumn; c < end; c++ {
		if o := m.activeByColumn[c]; o != nil && o.LastRow >= row.Number {
			return nil
		}
	}
	o := &activeRange{g, cloneRow(Row{Cells: row.Cells[at : at+1]}).Cells[0]}
	for c := g.FirstColumn; c < end; c++ {
		m.activeByColumn[c] = o
	}
	m.activeUntil = max(m.activeUntil, g.LastRow)
	if m.heldBytes += o.cell.size(); m.heldBytes > maxHeldBytes {
		m.heldBytes = 0
		for c, o := range m.activeByColumn {
			switch {
			case o == nil:
			case o.LastRow < row.Number:
				m.activeByColumn[c] = nil
			case c == 0 || m.activeByColumn[c-1] != o:
				m.heldBytes += o.cell.size()
			}
		}
		if m.heldBytes > maxHeldBytes {
			return &source.LimitError{Line: row.Number, Reason: intray.NewMessage("row.merged_too_long", intray.Params{"limit": maxHeldBytes})}
		}
		return nil
	}
	return nil
}

// spreadHeader copies the name in the first cell of each range that starts in a header
// row to the empty cells of the range in that row.
func (m *mergeTracker) spreadHeader(number int64, texts []string) []string {
	for _, g := range m.early {
		if g.FirstRow != number || g.FirstColumn >= len(texts) {
			continue
		}
		for c := g.FirstColumn + 1; c <= min(g.LastColumn, m.width-1); c++ {
			for len(texts) <= c {
				texts = append(texts, "")
			}
			if texts[c] == "" {
				texts[c] = texts[g.FirstColumn]
			}
		}
	}
	return texts
}
