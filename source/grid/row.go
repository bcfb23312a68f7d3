package grid

import (
	"bytes"
	"slices"
)

// keep copies a row that is read ahead.
func keep(row Row) Row {
	size := 0
	for _, c := range row.Cells {
		size += len(c.Value) + len(c.Shown)
	}
	texts := make([]byte, 0, size)
	copied := func(text []byte) []byte {
		if text == nil {
			return nil
		}
		texts = append(texts, text...)
		return texts[len(texts)-len(text) : len(texts) : len(texts)]
	}
	row.Cells = slices.Clone(row.Cells)
	for i, c := range row.Cells {
		row.Cells[i].Value, row.Cells[i].Shown = copied(c.Value), copied(c.Shown)
	}
	return row
}

// shown is what the application displays.
func (c Cell) shown() []byte {
	if c.Shown == nil {
		return c.Value
	}
	return c.Shown
}

// width is the place behind the last cell.
func (r Row) width() int {
	if len(r.Cells) == 0 {
		return 0
	}
	return r.Cells[len(r.Cells)-1].Column + 1
}

// texts gives the cells of a row by their columns.
func (r Row) texts() []string {
	texts := make([]string, r.width())
	for _, c := range r.Cells {
		texts[c.Column] = string(c.shown())
	}
	return texts
}

// filled counts the cells with text, up to most, and gives the first of them.
func (r Row) filled(most int) (n int, first []byte) {
	for _, c := range r.Cells {
		text := bytes.TrimSpace(c.shown())
		if len(text) == 0 {
			continue
		}
		if n++; n == 1 {
			first = text
		}
		if n == most {
			break
		}
	}
	return n, first
}
