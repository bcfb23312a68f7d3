package htmltable

import (
	"bytes"

	"golang.org/x/net/html"

	"github.com/intraydata/intray"
	"github.com/intraydata/intray/source"
	"github.com/intraydata/intray/source/grid"
)

// deepest is how deep tables may be nested.
const deepest = 32

// The most rows and columns that a cell can span, as browsers have it.
const (
	mostColSpan = 1000
	mostRowSpan = 65534
)

// line is one row of a table.
type line struct {
	number int64
	hidden bool
	cells  []cell
	// merged are the ranges that its cells span.
	merged []grid.Range
	// arena holds the texts of the cells.
	arena []byte
	// filled counts the cells with text, own those with text outside of nested
	// tables.
	filled, own int
}

// cell is a cell with text: its value and what is shown for it, in the arena
// from the first place to the second and from there to the third.
type cell struct {
	column            int
	kind              intray.CellKind
	from, middle, end int
}

// walk goes through the tags of one table.
type walk struct {
	limits source.Limits
	flow   flow
	// dry says that only whether cells hold text is asked for.
	dry bool
	// levels are the nested tables that are open, and whether a cell is in each.
	levels                   []bool
	inRow, inCell, inCaption bool
	// section is the one that is open; inFoot says that it is the first of the
	// table's feet.
	section       tag
	sectionHidden bool
	inFoot        bool
	// headAt and footAt are where the first head and the first foot begin, -1
	// where there is none; headLate says that rows stand before the head,
	// footEarly that rows stand behind the foot.
	headAt, footAt      int64
	headLate, footEarly bool
	// skip are the places of sections that are read at another time; only says
	// that one section is read alone.
	skip     [2]int64
	skipping bool
	only     bool

	// now is the row at hand, done the one before, ended that there is one.
	now, done *line
	ended     bool
	// rows counts those that have ended, work the columns they came to.
	rows, work int64
	// column is that of the cell at hand, at the one behind the last cell.
	column, at int
	// deep is how many rows the cell at hand spans.
	deep int64
	// until says for each column up to which row it is covered from above.
	until []int64
	// own says that the cell at hand has text outside of nested tables.
	own   bool
	typed typed

	caption   string
	formats   *formats
	epoch1904 bool
	over      bool
	err       error
}

func newWalk(limits source.Limits) *walk {
	return &walk{limits: limits, headAt: -1, footAt: -1, skip: [2]int64{-1, -1}, now: &line{}, done: &line{}, formats: &formats{}}
}

// feed takes the next token behind the tag that begins the table. Afterwards
// ended says that a row has ended, and over that the table has.
func (w *walk) feed(t *tokens) error {
	w.ended = false
	switch {
	case t.kind == html.TextToken:
		w.text(t)
	case !t.starts && !t.ends:
	case len(w.levels) > 0:
		w.nested(t)
	case t.tag == tagTable:
		w.table(t)
	case t.tag == tagHead || t.tag == tagBody || t.tag == tagFoot:
		w.sections(t)
	case t.tag == tagRow:
		w.endRow()
		if t.starts {
			w.beginRow(t.hidden())
		}
	case t.tag == tagCell:
		w.endCell()
		if t.starts {
			w.beginCell(t)
		}
	case t.tag == tagCaption:
		w.endRow()
		if t.starts {
			w.flow.reset()
			w.flow.dry, w.inCaption = false, true
		}
	case w.inCell || w.inCaption:
		w.flow.tag(t)
	}
	return w.err
}

func (w *walk) fail(reason intray.Message) {
	if w.err == nil {
		w.err = &source.LimitError{Line: w.rows + 1, Reason: reason}
	}
}

func (w *walk) text(t *tokens) {
	if !w.inCell && !w.inCaption || w.skipping {
		return
	}
	text := t.text()
	w.own = w.own || len(w.levels) == 0 && !isBlank(text)
	w.flow.text(text)
	if len(w.flow.buf) > w.limits.CellBytes {
		w.fail(intray.NewMessage("cell.too_long_in_column", intray.Params{"column": w.column + 1, "limit": w.limits.CellBytes}))
	}
}

// nested takes a tag within a nested table, whose text is part of the cell.
func (w *walk) nested(t *tokens) {
	last := len(w.levels) - 1
	switch t.tag {
	case tagTable:
		w.flow.block = true
		if t.ends || !w.levels[last] { // a table between the cells of another ends that
			w.levels = w.levels[:last]
		}
		if t.starts {
			w.push()
		}
		w.flow.tag(t)
	case tagRow, tagHead, tagBody, tagFoot, tagCaption:
		w.flow.block = true
		w.levels[last] = t.tag == tagCaption && t.starts
	case tagCell:
		w.flow.space = true
		w.levels[last] = t.starts
	default:
		w.flow.tag(t)
	}
}

func (w *walk) push() {
	if len(w.levels) >= deepest {
		w.fail(intray.NewMessage("html.tables_too_deep", intray.Params{"limit": deepest}))
		return
	}
	w.levels = append(w.levels, false)
}

// table takes the tag of a table while no nested one is open.
func (w *walk) table(t *tokens) {
	if t.starts && (w.inCell || w.inCaption) {
		w.flow.block = true
		w.flow.tag(t)
		w.push()
		return
	}
	w.endRow()
	w.over = true
}

func (w *walk) sections(t *tokens) {
	w.endRow()
	w.until = w.until[:0] // cells do not reach beyond their section
	if w.only && w.section != tagOther {
		w.over = true
		return
	}
	w.section, w.inFoot, w.skipping, w.sectionHidden = tagOther, false, false, false
	if t.ends {
		return
	}
	w.section, w.sectionHidden = t.tag, t.hidden()
	w.skipping = t.at == w.skip[0] || t.at == w.skip[1]
	switch {
	case t.tag == tagHead && w.headAt < 0:
		w.headAt, w.headLate = t.at, w.rows > 0
	case t.tag == tagFoot && w.footAt < 0:
		w.footAt, w.inFoot = t.at, true
	}
}

func (w *walk) beginRow(hidden bool) {
	w.inRow, w.column, w.at = true, 0, 0
	arena, cells, merged := w.now.arena[:0], w.now.cells[:0], w.now.merged[:0]
	*w.now = line{number: w.rows + 1, hidden: hidden || w.sectionHidden, arena: arena, cells: cells, merged: merged}
}

// endRow ends what is open: a caption, a cell, a row.
func (w *walk) endRow() {
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
	if w.work += int64(w.at); w.work > w.limits.Cells {
		w.fail(intray.NewMessage("sheet.too_many_cells", intray.Params{"limit": w.limits.Cells}))
	}
	w.rows++
	w.footEarly = w.footEarly || w.footAt >= 0 && !w.inFoot
	w.now, w.done, w.ended = w.done, w.now, true
}

// beginCell finds the column of a cell, behind those that cells of rows above
// reach into.
func (w *walk) beginCell(t *tokens) {
	w.inCaption = false
	if !w.inRow {
		w.beginRow(false)
	}
	column := w.at
	for column < len(w.until) && w.until[column] >= w.now.number {
		column++
	}
	if column >= w.limits.Columns {
		w.fail(intray.NewMessage("row.too_many_cells", intray.Params{"limit": w.limits.Columns}))
		return
	}
	wide, deep := span(t.attr("colspan"), mostColSpan), int64(1)
	if t.has("rowspan") {
		deep = int64(rowSpan(t.attr("rowspan")))
	}
	w.column, w.at, w.deep = column, min(column+wide, w.limits.Columns), deep
	if deep > 1 {
		w.cover(column, w.at, w.now.number+deep-1)
	}
	w.inCell, w.own = true, false
	w.flow.reset()
	w.flow.dry = w.dry
	if !w.dry {
		w.typed = w.typedOf(t)
	}
}

func (w *walk) cover(from, to int, until int64) {
	for len(w.until) < to {
		w.until = append(w.until, 0)
	}
	for c := from; c < to; c++ {
		w.until[c] = max(w.until[c], until)
	}
}

func (w *walk) endCell() {
	if !w.inCell {
		return
	}
	w.inCell, w.levels = false, w.levels[:0]
	text := w.flow.finish()
	if w.skipping || len(text) == 0 && !w.typed.num {
		return
	}
	w.now.filled++
	if w.own {
		w.now.own++
	}
	if w.dry {
		return
	}
	c := cell{column: w.column, from: len(w.now.arena)}
	w.now.arena, c.kind = w.typed.append(w.now.arena, text, w.epoch1904)
	c.middle = len(w.now.arena)
	if c.kind != intray.CellText && !bytes.Equal(w.now.arena[c.from:], text) {
		w.now.arena = append(w.now.arena, text...)
	}
	c.end = len(w.now.arena)
	if c.end > c.from {
		w.now.cells = append(w.now.cells, c)
		if w.at > w.column+1 || w.deep > 1 {
			last := w.now.number + w.deep - 1
			w.now.merged = append(w.now.merged, grid.Range{FirstRow: w.now.number, LastRow: last, FirstColumn: w.column, LastColumn: w.at - 1})
		}
	}
	if len(w.now.arena) > w.limits.RecordBytes {
		w.fail(intray.NewMessage("row.too_long", intray.Params{"limit": w.limits.RecordBytes}))
	}
}

// finish ends the table where the text of the page ends. It says whether the
// end is missing from a cell.
func (w *walk) finish(t *tokens) (cut bool) {
	cut = w.inCell || w.inCaption || t.partial
	w.ended = false
	if !cut {
		w.endRow()
	}
	w.over = true
	return cut
}

// span reads how many columns a cell spans.
func span(text string, most int) int {
	n := 0
	for _, c := range []byte(text) {
		if c < '0' || c > '9' {
			break
		}
		n = min(10*n+int(c-'0'), most)
	}
	return max(n, 1)
}

// rowSpan reads how many rows a cell spans; 0 stands for all of the section.
func rowSpan(text string) int {
	if text == "0" {
		return 1 << 40
	}
	return span(text, mostRowSpan)
}
