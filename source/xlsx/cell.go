package xlsx

import (
	"bytes"
	"strconv"
	"time"
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

// number makes a cell of the number in raw. What is no number is text: the file
// says otherwise, and nothing of it is lost.
func (r *rows) number(c *grid.Cell, st *style) {
	if st.general && isShort(r.raw) {
		c.Kind, c.Value = intray.CellNumber, r.keep(r.raw)
		return
	}
	v, ok := parseNumber(r.raw)
	if !ok {
		r.showText(c, st, r.keep(r.raw))
		return
	}
	r.showNumber(c, st, v)
}

func (r *rows) showNumber(c *grid.Cell, st *style, v float64) {
	epoch1904 := r.book.catalog.epoch1904
	from := len(r.memory)
	r.memory, c.Kind = st.format.AppendValue(r.memory, v, epoch1904)
	middle := len(r.memory)
	r.memory = st.format.AppendShown(r.memory, v, epoch1904)
	c.Value = r.memory[from:middle:middle]
	if shown := r.memory[middle:len(r.memory):len(r.memory)]; !bytes.Equal(c.Value, shown) {
		c.Shown = shown
	} else {
		r.memory = r.memory[:middle]
	}
}

// isShort says whether the format General shows a number just as it is written,
// which most numbers are: at most 10 digits, none of them idle.
func isShort(raw []byte) bool {
	if len(raw) > 0 && raw[0] == '-' {
		raw = raw[1:]
		if string(raw) == "0" {
			return false
		}
	}
	if len(raw) == 0 || len(raw) > 11 {
		return false
	}
	point, ok := onePoint(raw)
	if point < 0 {
		return ok && len(raw) <= 10 && (raw[0] != '0' || len(raw) == 1)
	}
	// Small ones may be shown with an exponent.
	return ok && raw[0] >= '1' && raw[0] <= '9' && point+1 < len(raw) && raw[len(raw)-1] != '0'
}

// onePoint finds the point among digits, -1 where there is none. Anything else
// is not ok.
func onePoint(raw []byte) (point int, ok bool) {
	point = -1
	for i, c := range raw {
		if c == '.' && point < 0 {
			point = i
		} else if c < '0' || c > '9' {
			return point, false
		}
	}
	return point, true
}

// parseNumber reads a number as XML has it; not Inf, NaN or another base.
func parseNumber(raw []byte) (float64, bool) {
	raw = trim(raw)
	for _, c := range raw {
		if (c < '0' || c > '9') && c != '.' && c != '-' && c != '+' && c|0x20 != 'e' {
			return 0, false
		}
	}
	v, err := strconv.ParseFloat(string(raw), 64)
	return v, err == nil
}

// date makes a cell of the ISO date or time in raw.
func (r *rows) date(c *grid.Cell, st *style) {
	t, kind, ok := parseDate(string(r.raw))
	if !ok {
		r.showText(c, st, r.keep(r.raw))
		return
	}
	if k := st.format.Kind(); k == intray.CellDate || k == intray.CellDateTime || k == intray.CellTime {
		r.showNumber(c, st, serial(t, kind, r.book.catalog.epoch1904))
		return
	}
	layout := map[intray.CellKind]string{intray.CellDate: time.DateOnly, intray.CellDateTime: "2006-01-02T15:04:05.999", intray.CellTime: "15:04:05.999"}[kind]
	c.Kind, c.Value = kind, r.keep([]byte(t.Format(layout)))
}

// parseDate reads a day, a time or both. A zone is refused: cells have none; a
// Z is how some programs end all times.
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

// serial gives the number that a workbook has for a day and time.
func serial(t time.Time, kind intray.CellKind, epoch1904 bool) float64 {
	const day = 24 * time.Hour
	midnight := t.Truncate(day)
	fraction := float64(t.Sub(midnight)) / float64(day)
	if kind == intray.CellTime {
		return fraction
	}
	if epoch1904 {
		return float64(daysFrom(midnight, 1904, 1, 1)) + fraction
	}
	days := daysFrom(midnight, 1899, 12, 30)
	if days <= 60 {
		days-- // the system has a 29 February 1900
	}
	return float64(days) + fraction
}

// daysFrom counts the days between a day and a midnight.
func daysFrom(midnight time.Time, year int, month time.Month, day int) int64 {
	return (midnight.Unix() - time.Date(year, month, day, 0, 0, 0, 0, time.UTC).Unix()) / 86400
}

// parseRef reads a reference such as B7 into a column, from 0, and a row, from
// 1. It refuses what lies outside of a worksheet.
func parseRef(ref []byte) (column int, row int64, ok bool) {
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

// parseRow reads the number of a row.
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

// appendColumn appends a column's letters.
func appendColumn(dst []byte, column int) []byte {
	if column >= 26 {
		dst = appendColumn(dst, column/26-1)
	}
	return append(dst, 'A'+byte(column%26))
}
