package intray

import (
	"slices"
)

// Batch is a sequence of parsed rows, stored field by field.
type Batch struct {
	// First is the index of the first row among all data rows of the import.
	First int64
	// Numbers holds the index of each row among all data rows. It is nil if the rows are
	// consecutive from First, as in every batch that was read from a file.
	Numbers []int64
	// Lines holds the line on which each row's record begins, counted from 1.
	Lines []int64
	// Fields holds one entry for each field, in the order of the schema.
	Fields []Cells
	// Unmapped holds the raw cells of unmapped columns. It is empty unless
	// Settings.PassThroughUnmappedColumns is set.
	Unmapped []UnmappedCells
	// Problems are ordered by row.
	Problems []Problem
	// Options are the select options that hooks set for individual cells. They replace the
	// field's options. They are not stored with the rows.
	Options []CellOptions

	// keep is the argument of OnKeep, or nil.
	keep func() (release func())
}

// CellOptions are the select options of one cell.
type CellOptions struct {
	// Row, Field and Part locate the cell as in a [Problem].
	Row, Field, Part int
	Options          []SelectOption
}

// Cells holds the cells of one field in a batch.
type Cells struct {
	// Values holds one canonical value for each row, in the format of the field's type, such as
	// an email address, a decimal number or an ISO date. The value of a null cell is "".
	Values TextColumn
	// Nulls are the indexes, in the batch, of the rows whose cell is null, in ascending order.
	Nulls []uint32
	// RawRows are the indexes, in the batch, of the rows whose raw text differs from the value,
	// in ascending order.
	RawRows []uint32
	// Raws holds the raw text for each of RawRows.
	Raws TextColumn
}

// UnmappedCells holds the raw cells of one unmapped column in a batch.
type UnmappedCells struct {
	// Column is the column's index in the file.
	Column int
	Cells  Texts
}

// OnKeep sets a function that Keep calls. After the call, the producer must not change the batch until
// release is called, which happens once, in any goroutine.
func (b *Batch) OnKeep(keep func() (release func())) { b.keep = keep }

// Keep returns a batch with the same rows that remains valid until release is called. A consumer calls Keep
// at most once, before it requests the next batch. If the producer has not called OnKeep, the result is a
// copy.
func (b *Batch) Keep() (kept *Batch, release func()) {
	if b.keep != nil {
		return b, b.keep()
	}
	return b.clone(), func() {}
}

func (b *Batch) clone() *Batch {
	c := &Batch{
		First: b.First, Numbers: slices.Clone(b.Numbers), Lines: slices.Clone(b.Lines), Fields: slices.Clone(b.Fields),
		Unmapped: slices.Clone(b.Unmapped), Problems: slices.Clone(b.Problems), Options: slices.Clone(b.Options),
	}
	for i := range c.Fields {
		f := &c.Fields[i]
		f.Values, f.Raws = f.Values.clone(), f.Raws.clone()
		f.Nulls, f.RawRows = slices.Clone(f.Nulls), slices.Clone(f.RawRows)
	}
	for i := range c.Unmapped {
		c.Unmapped[i].Cells = c.Unmapped[i].Cells.clone()
	}
	return c
}

// Rows returns the number of rows.
func (b *Batch) Rows() int { return len(b.Lines) }

// Reset empties the batch and prepares it for rows with the given number of fields. It
// retains the allocated memory.
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

// Reset removes all cells and retains the allocated memory.
func (c *Cells) Reset() {
	c.Values.Reset()
	c.Nulls = c.Nulls[:0]
	c.RawRows = c.RawRows[:0]
	c.Raws.Reset()
}

// AppendValue appends a row whose value equals its raw text.
func (c *Cells) AppendValue(value []byte) { c.Values.Append(value) }

// AppendParsed appends a row whose value differs from its raw text.
func (c *Cells) AppendParsed(value, raw []byte) {
	c.appendRaw(raw)
	c.Values.Append(value)
}

// AppendNull appends a row whose value is null. It stores raw if raw is not empty.
func (c *Cells) AppendNull(raw []byte) {
	c.Nulls = append(c.Nulls, uint32(c.Values.Len()))
	if len(raw) > 0 {
		c.appendRaw(raw)
	}
	c.Values.Append(nil)
}

func (c *Cells) appendRaw(raw []byte) {
	c.RawRows = append(c.RawRows, uint32(c.Values.Len()))
	c.Raws.Append(raw)
}

// Value returns the value of row i. It reports false if the cell is null.
func (c *Cells) Value(i int) ([]byte, bool) {
	if _, null := slices.BinarySearch(c.Nulls, uint32(i)); null {
		return nil, false
	}
	return c.Values.At(i), true
}

// Raw returns the raw text of row i.
func (c *Cells) Raw(i int) []byte {
	if at, differs := slices.BinarySearch(c.RawRows, uint32(i)); differs {
		return c.Raws.At(at)
	}
	return c.Values.At(i)
}
