package xlsx

import (
	"unicode/utf8"

	"github.com/intraydata/intray"
	"github.com/intraydata/intray/source"
	"github.com/intraydata/intray/source/grid"
)

// kindOf says how a cell's value is written.
type kindOf uint8

const (
	ofNumber kindOf = iota
	ofShared
	ofText
	ofBool
	ofError
	ofDate
	ofUnknown
)

func cellKind(t []byte) kindOf {
	switch string(t) {
	case "", "n":
		return ofNumber
	case "s":
		return ofShared
	case "str", "inlineStr":
		return ofText
	case "b":
		return ofBool
	case "e":
		return ofError
	case "d":
		return ofDate
	}
	return ofUnknown
}

// readCell reads the cell that has just started.
func (r *rows) readCell() error {
	s := r.scan
	kind, styled, placed := ofNumber, 0, false
	for _, a := range s.attrs {
		value := s.buf[s.tag+a.value : s.tag+a.valueEnd]
		if a.nameEnd-a.name != 1 {
			continue
		}
		switch s.buf[s.tag+a.name] {
		case 'r':
			placed = true
			if err := r.place(value); err != nil {
				return err
			}
		case 's':
			styled = index(value)
		case 't':
			kind = cellKind(value)
		}
	}
	if !placed {
		r.column++
	}
	if limit := r.book.arc.limits.Columns; r.column >= limit {
		return r.limit(intray.NewMessage("sheet.too_many_columns", intray.Params{"limit": limit}))
	}
	if kind == ofUnknown {
		return r.unreadable(intray.NewMessage("xlsx.unknown_cell_type", intray.Params{"cell": r.reference(r.column), "type": source.Excerpt(string(s.attr("t")))}))
	}
	rich, quick := false, false
	if r.raw, quick = s.shortValue(); !quick {
		var err error
		if rich, err = r.readValue(); err != nil {
			return err
		}
	}
	if len(r.raw) == 0 {
		return nil
	}
	return r.add(kind, styled, rich)
}

// place moves to the cell that a reference names.
func (r *rows) place(ref []byte) error {
	column, number, ok := parseRef(ref)
	if !ok {
		return r.unreadable(intray.NewMessage("xlsx.bad_reference", intray.Params{"cell": source.Excerpt(string(ref))}))
	}
	if number != r.row.Number {
		if r.named {
			return r.unreadable(intray.NewMessage("xlsx.cell_in_other_row", intray.Params{"cell": string(ref), "row": r.row.Number}))
		}
		if err := r.setNumber(r.row.Number-1, number); err != nil {
			return err
		}
	}
	r.named = true
	if column <= r.column {
		r.mixed = true
	}
	r.column = column
	return nil
}

// index reads a small number, -1 if it is none.
func index(text []byte) int {
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
		more, err := r.scan.child()
		if err != nil || !more {
			r.raw, r.scratch = text, text
			return rich, err
		}
		switch {
		case string(r.scan.name) == "v" && !rich:
			text, err = r.scan.content(text[:0])
		case string(r.scan.name) == "is":
			rich = true
			text, err = r.scan.richText(text[:0])
		default:
			err = r.scan.skip()
		}
		if err != nil {
			return rich, err
		}
	}
}

// add makes a cell of raw.
func (r *rows) add(kind kindOf, styled int, rich bool) error {
	c := grid.Cell{Column: r.column}
	st := r.styles.at(styled)
	switch {
	case rich:
		r.showText(&c, st, r.keep(r.raw))
	case kind == ofNumber:
		r.number(&c, st)
	case kind == ofShared:
		if err := r.shared(&c, st); err != nil {
			return err
		}
	case kind == ofText:
		text := unescape(r.raw)
		if !utf8.Valid(text) {
			return r.unreadable(intray.NewMessage("cell.not_utf8", intray.Params{"cell": r.reference(r.column)}))
		}
		r.showText(&c, st, r.keep(text))
	case kind == ofBool:
		r.boolean(&c)
	case kind == ofError:
		c.Kind, c.Value = intray.CellError, r.keep(r.raw)
	case kind == ofDate:
		r.date(&c, st)
	}
	if len(c.Value) == 0 && c.Kind == intray.CellText {
		return nil
	}
	if r.given += len(c.Value) + len(c.Shown); r.given > r.book.arc.limits.RowBytes {
		return r.limit(intray.NewMessage("row.too_long", intray.Params{"limit": r.book.arc.limits.RowBytes}))
	}
	if len(r.cells) == maxColumns {
		return r.unreadable(intray.NewMessage("xlsx.too_many_cells", nil))
	}
	r.cells = append(r.cells, c)
	return nil
}

// keep copies what must last as long as the row.
func (r *rows) keep(text []byte) []byte {
	from := len(r.memory)
	r.memory = append(r.memory, text...)
	return r.memory[from:len(r.memory):len(r.memory)]
}

// shared finds the shared string whose number is raw.
func (r *rows) shared(c *grid.Cell, st *style) error {
	number := index(r.raw)
	if number < 0 || number >= r.strings.count {
		return r.unreadable(intray.NewMessage("xlsx.no_such_string", intray.Params{"cell": r.reference(r.column), "number": source.Excerpt(string(r.raw)), "count": r.strings.count}))
	}
	if number < len(r.strings.at) {
		r.showText(c, st, r.strings.get(number))
		return nil
	}
	from := len(r.memory)
	var err error
	if r.memory, err = r.strings.spill.appendTo(r.memory, number-len(r.strings.at)); err != nil {
		return err
	}
	r.showText(c, st, r.memory[from:len(r.memory):len(r.memory)])
	return nil
}

// showText makes a text cell of a text that lasts.
func (r *rows) showText(c *grid.Cell, st *style, text []byte) {
	c.Kind, c.Value = intray.CellText, text
	if st.bare || len(text) == 0 {
		return
	}
	from := len(r.memory)
	r.memory = st.format.AppendShownText(r.memory, text)
	c.Shown = r.memory[from:len(r.memory):len(r.memory)]
}

func (r *rows) boolean(c *grid.Cell) {
	c.Kind = intray.CellBool
	switch {
	case isTrue(r.raw):
		c.Value, c.Shown = r.keep([]byte("true")), r.keep([]byte("TRUE"))
	case string(r.raw) == "0" || string(r.raw) == "false":
		c.Value, c.Shown = r.keep([]byte("false")), r.keep([]byte("FALSE"))
	default:
		c.Kind, c.Value = intray.CellText, r.keep(r.raw)
	}
}
