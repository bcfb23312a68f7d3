package grid

import (
	"cmp"
	"slices"

	"github.com/intraydata/intray"
	"github.com/intraydata/intray/source"
)

const (
	// mostHeld is the most bytes of texts that merged ranges hold at a time for
	// the rows below.
	mostHeld = 64 << 20
	// mostFilled is the most bytes of texts that filling adds to a sheet.
	mostFilled = 4 << 30
)

// merges knows the merged ranges of a sheet: it counts those that reach into the
// table's body, and fills them row by row.
type merges struct {
	limits source.Limits
	// wanted says that ranges are to be filled.
	wanted bool
	// foretold says that all ranges were known before the first row; what the
	// rows tell of them is the same again.
	foretold bool
	// width is how many columns the first rows have. Filling stays within: a
	// range may claim many more.
	width int

	// body is the last row above the table's body, once placed; early are the
	// ranges noted before.
	body   int64
	placed bool
	early  []Range
	// count and first are those of the ranges in the body.
	count int64
	first Range

	// waiting are the ranges below the row at hand, in the order of their rows
	// where sorted.
	waiting []Range
	sorted  bool
	// owners are for each column the range that was opened in it last; until is
	// the last row that any of them reaches.
	owners []*opened
	until  int64
	held   int
	added  int64
	cells  []Cell
}

// opened is a range whose first cell was read.
type opened struct {
	Range
	cell Cell
}

// note takes ranges that were found.
func (m *merges) note(ranges []Range) {
	for _, g := range ranges {
		single := g.FirstRow == g.LastRow && g.FirstColumn == g.LastColumn
		if single || g.FirstRow < 1 || g.FirstColumn < 0 || g.LastRow < g.FirstRow || g.LastColumn < g.FirstColumn {
			continue
		}
		if !m.placed {
			m.early = append(m.early, g)
			continue
		}
		m.place(g)
	}
}

// setBody says where the body of the table begins: behind the row last.
func (m *merges) setBody(last int64) {
	m.body, m.placed = last, true
	for _, g := range m.early {
		m.place(g)
	}
	m.early = nil
}

func (m *merges) place(g Range) {
	if g.LastRow <= m.body {
		return
	}
	if m.count++; m.count == 1 || g.before(m.first) {
		m.first = g
	}
	if m.wanted {
		m.waiting, m.sorted = append(m.waiting, g), false
	}
}

func (g Range) before(other Range) bool {
	return g.FirstRow < other.FirstRow || g.FirstRow == other.FirstRow && g.FirstColumn < other.FirstColumn
}

// fill gives a row with the cells that merged ranges put into it, where it has
// none of its own. Rows are filled in their order; what it gives is gone with
// the next one.
func (m *merges) fill(row Row) (Row, error) {
	if err := m.open(row); err != nil {
		return row, err
	}
	if m.until < row.Number {
		return row, nil
	}
	m.cells = m.cells[:0]
	size, own := 0, 0
	for c, o := range m.owners {
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
			m.added += int64(cell.size())
		}
	}
	row.Cells = append(m.cells, row.Cells[own:]...)
	m.cells = row.Cells
	switch {
	case size > m.limits.RecordBytes:
		return row, &source.LimitError{Line: row.Number, Reason: intray.NewMessage("row.filled_too_long", intray.Params{"limit": m.limits.RecordBytes})}
	case m.added > mostFilled:
		return row, &source.LimitError{Line: row.Number, Reason: intray.NewMessage("workbook.merged_too_long", intray.Params{"limit": int64(mostFilled)})}
	}
	return row, nil
}

func (c Cell) size() int { return len(c.Value) + len(c.Shown) }

// open opens the ranges that begin in a row. Those that began in rows without
// cells have no value.
func (m *merges) open(row Row) error {
	if !m.sorted {
		slices.SortFunc(m.waiting, func(a, b Range) int {
			return cmp.Or(cmp.Compare(a.FirstRow, b.FirstRow), cmp.Compare(a.FirstColumn, b.FirstColumn))
		})
		m.sorted = true
	}
	for len(m.waiting) > 0 && m.waiting[0].FirstRow <= row.Number {
		g := m.waiting[0]
		m.waiting = m.waiting[1:]
		if g.FirstRow < row.Number {
			continue
		}
		if err := m.openRange(row, g); err != nil {
			return err
		}
	}
	return nil
}

// openRange gives the columns of a range to it. A range that overlaps another is
// none that an application makes, and is left alone.
func (m *merges) openRange(row Row, g Range) error {
	at, found := slices.BinarySearchFunc(row.Cells, g.FirstColumn, func(c Cell, column int) int { return cmp.Compare(c.Column, column) })
	if !found {
		return nil
	}
	if m.owners == nil {
		m.owners = make([]*opened, m.width)
	}
	end := min(g.LastColumn+1, len(m.owners))
	for c := g.FirstColumn; c < end; c++ {
		if o := m.owners[c]; o != nil && o.LastRow >= row.Number {
			return nil
		}
	}
	o := &opened{g, keep(Row{Cells: row.Cells[at : at+1]}).Cells[0]}
	for c := g.FirstColumn; c < end; c++ {
		m.owners[c] = o
	}
	m.until = max(m.until, g.LastRow)
	if m.held += o.cell.size(); m.held > mostHeld {
		return m.recount(row.Number)
	}
	return nil
}

// recount forgets the ranges that have ended.
func (m *merges) recount(number int64) error {
	m.held = 0
	for c, o := range m.owners {
		switch {
		case o == nil:
		case o.LastRow < number:
			m.owners[c] = nil
		case c == 0 || m.owners[c-1] != o:
			m.held += o.cell.size()
		}
	}
	if m.held > mostHeld {
		return &source.LimitError{Line: number, Reason: intray.NewMessage("row.merged_too_long", intray.Params{"limit": mostHeld})}
	}
	return nil
}

// spread gives the texts of a header's row with the names that are merged over
// several columns of it, and over no other rows than those of the header.
func (m *merges) spread(number int64, texts []string) []string {
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
