package output

import (
	"slices"

	"github.com/intraydata/intray"
)

// cellWriter is a rowWriter whose cells do not depend on other cells of the row. Cells with the same value
// are formatted once per batch.
type cellWriter interface {
	rowWriter
	// appendValue appends a cell, with everything between it and the previous cell of the row that does
	// not depend on the row. If it returns an error, the cell is formatted on its own.
	appendValue(b []byte, field int, v []byte, kind content) ([]byte, error)
	// isPlain reports whether no text of a column contains anything that is escaped or put in quotes.
	isPlain(texts []byte) bool
}

// preparedColumn holds the formatted cells of a column whose values repeat.
type preparedColumn struct {
	// texts holds the formatted cells one after another, and ends their ends, after a zero.
	texts []byte
	ends  []uint32
	// codes holds the index of the formatted cell of each row. It is negative if the cell must be
	// formatted on its own. It is empty if the column is not prepared.
	codes []int32
	// plain reports that the column holds text that has no output format and for which isPlain is true.
	plain bool
}

// separate is the code of a cell that must be formatted on its own.
const separate = -1

// at returns the formatted cell of a row. It reports false if there is none.
func (p *preparedColumn) at(row int) ([]byte, bool) {
	if row >= len(p.codes) {
		return nil, false
	}
	code := p.codes[row]
	if code < 0 {
		return nil, false
	}
	return p.texts[p.ends[code]:p.ends[code+1]], true
}

// prepareBatch formats the distinct values of the columns that repeat. It reuses the memory of columns.
func prepareBatch(columns []preparedColumn, w cellWriter, fields []field, b *intray.Batch) []preparedColumn {
	columns = slices.Grow(columns[:0], len(fields))[:len(fields)]
	for i := range fields {
		columns[i].codes, columns[i].plain = columns[i].codes[:0], false
		if !fields[i].manyColumns && len(b.Fields[i].Values.Codes) > 0 {
			columns[i].prepare(w, i, &fields[i], &b.Fields[i])
		} else {
			f := &fields[i]
			columns[i].plain = f.shape == textShape && f.write == nil && w.isPlain(b.Fields[i].Values.Texts.Arena)
		}
	}
	for i := range b.Problems {
		p := &b.Problems[i]
		if p.Level != intray.LevelError || p.Field < 0 || p.Field >= len(columns) || p.Row < 0 || p.Row >= len(columns[p.Field].codes) {
			continue
		}
		columns[p.Field].codes[p.Row] = separate
	}
	return columns
}

// prepare formats the distinct values of a column, and null.
func (p *preparedColumn) prepare(w cellWriter, i int, f *field, c *intray.Cells) {
	p.texts, p.ends = p.texts[:0], append(p.ends[:0], 0)
	p.codes = append(p.codes, c.Values.Codes...)
	values := &c.Values.Texts
	var text []byte
	var failed map[int32]bool
	for code := range values.Len() + 1 {
		var v []byte
		kind := null
		if code < values.Len() {
			if v = values.At(code); len(v) > 0 || f.stringField {
				kind = canonical
			}
		}
		if kind == canonical && f.write != nil {
			text = f.write(text[:0], v)
			v = text
		}
		end := len(p.texts)
		var err error
		if p.texts, err = w.appendValue(p.texts, i, v, kind); err != nil {
			if failed == nil {
				failed = map[int32]bool{}
			}
			failed[int32(code)], p.texts = true, p.texts[:end]
		}
		p.ends = append(p.ends, uint32(len(p.texts)))
	}
	for _, row := range c.Nulls {
		p.codes[row] = int32(values.Len())
	}
	if failed == nil {
		return
	}
	for row, code := range p.codes { // the row writer reports the row
		if failed[code] {
			p.codes[row] = separate
		}
	}
}
