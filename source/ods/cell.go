package ods

import (
	"bytes"
	"unicode/utf8"

	"github.com/intraydata/intray"
	"github.com/intraydata/intray/source/grid"
)

// kind is how the value of a cell is written.
type kind uint8

const (
	// kindText is also that of cells which say nothing.
	kindText kind = iota
	kindNumber
	kindDate
	kindTime
	kindBool
)

func kindOf(text []byte) kind {
	switch string(text) {
	case "float", "percentage", "currency":
		return kindNumber
	case "date":
		return kindDate
	case "time":
		return kindTime
	case "boolean":
		return kindBool
	}
	return kindText
}

// stored is what the attributes of a cell say.
type stored struct {
	kind kind
	// values are the raw values by their kinds.
	values [kindBool + 1][]byte
	// formula says that the value is the result of one; judged that the
	// application tells results that are errors, failed that this is one.
	formula, judged, failed bool
	// repeated, width and height are counts as they are written: of cells that
	// are alike, and of those that the cell is merged with.
	repeated, width, height []byte
}

// readStored reads the attributes of the cell that has just started.
func (s *scanner) readStored() (c stored) {
	for i := range s.attrs {
		a := &s.attrs[i]
		switch s.space(a.prefix) {
		case spaceOffice:
			c.setOffice(a)
		case spaceTable:
			c.setTable(a)
		case spaceCalc:
			if string(a.local) == "value-type" {
				c.judged, c.failed = true, string(a.value) == "error"
			}
		}
	}
	return c
}

func (c *stored) setTable(a *attribute) {
	switch string(a.local) {
	case "number-columns-repeated":
		c.repeated = a.value
	case "number-columns-spanned":
		c.width = a.value
	case "number-rows-spanned":
		c.height = a.value
	case "formula":
		c.formula = true
	}
}

func (c *stored) setOffice(a *attribute) {
	switch string(a.local) {
	case "value-type":
		c.kind = kindOf(a.value)
	case "value":
		c.values[kindNumber] = a.value
	case "date-value":
		c.values[kindDate] = a.value
	case "time-value":
		c.values[kindTime] = a.value
	case "boolean-value":
		c.values[kindBool] = a.value
	case "string-value":
		c.values[kindText] = a.value
	}
}

// readCovered passes cells that lie below a merged one: whatever they hold, the
// application shows the first.
func (r *rows) readCovered() error {
	times, err := r.times(r.scan.attr(spaceTable, "number-columns-repeated"))
	if err != nil {
		return err
	}
	r.column += times
	return r.scan.skip()
}

// readCell reads the cell that has just started.
func (r *rows) readCell() error {
	c := r.scan.readStored()
	times, err := r.times(c.repeated)
	if err != nil {
		return err
	}
	if c.width != nil || c.height != nil {
		r.noteSpan(c.width, c.height)
	}
	from := len(r.memory)
	if r.memory, err = r.scan.decode(r.memory, c.values[c.kind]); err != nil {
		return err
	}
	value := r.memory[from:len(r.memory):len(r.memory)]
	shown, err := r.readShown()
	if err != nil {
		return err
	}
	// Beside what is given, memory holds raw values: each once at most, and
	// those that an error hides.
	if len(r.memory) > 3*r.limits.RowBytes {
		return r.tooLongARow()
	}
	if !utf8.Valid(value) || !utf8.Valid(shown) {
		return r.unreadable(intray.NewMessage("cell.not_utf8_in_column", intray.Params{"column": r.column + 1}))
	}
	return r.add(r.settle(&c, value, shown), times)
}

// readShown reads what the cell displays to the end of the cell; nil where it
// says nothing about that.
func (r *rows) readShown() ([]byte, error) {
	from := len(r.memory)
	if text, ok := r.scan.shortText(); ok {
		r.memory = append(r.memory, text...)
		return r.memory[from:len(r.memory):len(r.memory)], nil
	}
	written, err := r.readParagraphs()
	if err != nil || !written {
		return nil, err
	}
	return r.memory[from:len(r.memory):len(r.memory)], nil
}

// settle makes a cell of its value and of what it displays. A value that cannot
// be read as what it says to be is text: nothing of it is lost.
func (r *rows) settle(c *stored, value, shown []byte) grid.Cell {
	if c.failed || !c.judged && c.formula && isMark(shown) {
		if len(shown) == 0 {
			shown = value
		}
		return grid.Cell{Kind: intray.CellError, Value: shown}
	}
	cell := grid.Cell{Kind: intray.CellText, Value: value}
	if c.kind != kindText {
		from := len(r.memory)
		r.memory, cell.Kind = appendValue(r.memory, c.kind, value)
		if cell.Kind != intray.CellText {
			cell.Value = r.memory[from:len(r.memory):len(r.memory)]
		}
	}
	switch {
	case len(cell.Value) == 0 && cell.Kind == intray.CellText:
		cell.Value = shown
	case shown != nil && !bytes.Equal(cell.Value, shown):
		cell.Shown = shown
	case shown == nil && cell.Kind == intray.CellBool:
		cell.Shown = bytes.ToUpper(cell.Value)
	}
	return cell
}

// add puts a cell as often as it counts.
func (r *rows) add(c grid.Cell, times int64) error {
	size := int64(len(c.Value) + len(c.Shown))
	if size == 0 && c.Kind != intray.CellError {
		r.column += times
		return nil
	}
	if limit := r.limits.Columns; r.column+times > int64(limit) {
		return r.limit(intray.NewMessage("sheet.too_many_columns", intray.Params{"limit": limit}))
	}
	if r.given += size * times; r.given > int64(r.limits.RowBytes) {
		return r.tooLongARow()
	}
	if err := r.repeat((times - 1) * (size + cellCost)); err != nil {
		return err
	}
	for range times {
		c.Column = int(r.column)
		r.cells = append(r.cells, c)
		r.column++
	}
	return nil
}

func (r *rows) tooLongARow() error {
	return r.limit(intray.NewMessage("row.too_long", intray.Params{"limit": r.limits.RowBytes}))
}

// isMark says whether a text is how applications display a failed formula.
func isMark(text []byte) bool {
	switch string(text) {
	case "#N/A", "#DIV/0!", "#VALUE!", "#REF!", "#NAME?", "#NUM!", "#NULL!", "#SPILL!", "#CALC!", "#FIELD!", "#BLOCKED!", "#CONNECT!", "#UNKNOWN!", "#GETTING_DATA":
		return true
	}
	number, found := bytes.CutPrefix(text, []byte("Err:"))
	return found && len(number) > 0 && len(bytes.Trim(number, "0123456789")) == 0
}
