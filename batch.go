package intray

import (
	"slices"
)

// Batch is a run of parsed rows, kept field by field.
type Batch struct {
	// First is the index of the first row among all data rows of the import.
	First int64
	// Numbers are the indexes of the rows where they do not follow from First; nil
	// where they do. Batches of rows that were read have none.
	Numbers []int64
	// Lines holds for each row the line where its record begins, from 1.
	Lines []int64
	// Fields holds one entry for each field of the schema, in its order.
	Fields []Cells
	// Unmapped holds the raw cells of the columns that feed no field, where
	// the settings pass them through; else it is empty.
	Unmapped []UnmappedCells
	// Problems are ordered by row.
	Problems []Problem
	// Options are what single cells may hold instead of the options of their
	// fields, as hooks gave them; they are not kept with the rows.
	Options []CellOptions
}

// CellOptions are the options of one cell.
type CellOptions struct {
	// Row, Field and Part are those of a [Problem].
	Row, Field, Part int
	Options          []SelectOption
}

// Cells are the cells of one field over a batch.
type Cells struct {
	// Values holds one canonical text for each row; that of a null cell is
	// empty. What the text means is the field type's business: an e-mail
	// address, a decimal number, an ISO date.
	Values Texts
	// Nulls are the rows, ascending, whose cell has no value.
	Nulls []uint32
	// RawRows are the rows, ascending, whose raw text differs from the value.
	RawRows []uint32
	// Raws holds the raw text for each of RawRows.
	Raws Texts
}

// UnmappedCells are the raw cells of one column over a batch.
type UnmappedCells struct {
	// Column is the column's index in the file.
	Column int
	Cells  Texts
}

// Rows is the number of rows.
func (b *Batch) Rows() int { return len(b.Lines) }

// Reset empties the batch for another run of rows with the same number of
// fields, and keeps its memory.
func (b *Batch) Reset(fields int) {
	b.First, b.Numbers = 0, nil
	b.Lines = b.Lines[:0]
	b.Problems, b.Options = b.Problems[:0], b.Options[:0]
	b.Fields = slices.Grow(b.Fields[:0], fields)[:fields]
	for i := range b.Fields {
		b.Fields[i].Reset()
	}
	for i := range b.Unmapped {
		b.Unmapped[i].Cells.Reset()
	}
}

// Reset empties the cells and keeps their memory.
func (c *Cells) Reset() {
	c.Values.Reset()
	c.Nulls = c.Nulls[:0]
	c.RawRows = c.RawRows[:0]
	c.Raws.Reset()
}

// AppendValue adds a row whose value is the raw text itself.
func (c *Cells) AppendValue(value []byte) { c.Values.Append(value) }

// AppendParsed adds a row whose value differs from its raw text.
func (c *Cells) AppendParsed(value, raw []byte) {
	c.keepRaw(raw)
	c.Values.Append(value)
}

// AppendNull adds a row without a value. Raw text that is not empty is kept.
func (c *Cells) AppendNull(raw []byte) {
	c.Nulls = append(c.Nulls, uint32(c.Values.Len()))
	if len(raw) > 0 {
		c.keepRaw(raw)
	}
	c.Values.Append(nil)
}

func (c *Cells) keepRaw(raw []byte) {
	c.RawRows = append(c.RawRows, uint32(c.Values.Len()))
	c.Raws.Append(raw)
}

// Value gives the value of row i, and false where it is null.
func (c *Cells) Value(i int) ([]byte, bool) {
	if _, null := slices.BinarySearch(c.Nulls, uint32(i)); null {
		return nil, false
	}
	return c.Values.At(i), true
}

// Raw gives the text that row i was read from.
func (c *Cells) Raw(i int) []byte {
	if at, differs := slices.BinarySearch(c.RawRows, uint32(i)); differs {
		return c.Raws.At(at)
	}
	return c.Values.At(i)
}
