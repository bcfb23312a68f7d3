package intray

import (
	"bytes"
	"slices"
)

// TextColumn is a list of short strings, one for each row of a batch. If the strings repeat, it can
// store each distinct string once. The zero value is an empty list.
type TextColumn struct {
	// Texts holds the strings in the order of the rows if Codes is empty. Otherwise, it holds each
	// distinct string, and possibly strings of no row, in any order.
	Texts Texts
	// Codes holds, for each row, the index of its string in Texts. It is empty if every row has its
	// own string.
	Codes []int32
}

// Len returns the number of rows.
func (c *TextColumn) Len() int {
	if len(c.Codes) > 0 {
		return len(c.Codes)
	}
	return c.Texts.Len()
}

// At returns the string of row i. The slice is valid until the next Reset and must not be changed.
func (c *TextColumn) At(i int) []byte {
	if len(c.Codes) > 0 {
		i = int(c.Codes[i])
	}
	return c.Texts.At(i)
}

// Append appends a row with a copy of b.
func (c *TextColumn) Append(b []byte) {
	if len(c.Codes) > 0 {
		c.Expand()
	}
	c.Texts.Append(b)
}

// RowRange is the range of rows [From, To).
type RowRange struct{ From, To int }

// CountRows returns the number of rows in disjoint ranges.
func CountRows(ranges []RowRange) (n int) {
	for _, r := range ranges {
		n += r.To - r.From
	}
	return n
}

// KeepsCodes reports whether an empty column has the same codes as c after AppendRanges has appended n rows
// of c to it. This is the case if they are at least half of the rows.
func (c *TextColumn) KeepsCodes(n int) bool {
	return n > 0 && len(c.Codes) > 0 && 2*n >= len(c.Codes)
}

// AppendRanges appends copies of ranges of rows of another column. If c is empty and src.KeepsCodes returns
// true for the number of these rows, c has the same codes as src.
func (c *TextColumn) AppendRanges(src *TextColumn, ranges ...RowRange) {
	total := CountRows(ranges)
	if c.Len() == 0 && src.KeepsCodes(total) {
		c.Texts.AppendRange(&src.Texts, 0, src.Texts.Len())
		c.Codes = slices.Grow(c.Codes, total)
		for _, r := range ranges {
			c.Codes = append(c.Codes, src.Codes[r.From:r.To]...)
		}
		return
	}
	c.Expand()
	for _, r := range ranges {
		if len(src.Codes) == 0 {
			c.Texts.AppendRange(&src.Texts, r.From, r.To)
			continue
		}
		for _, code := range src.Codes[r.From:r.To] {
			c.Texts.Append(src.Texts.At(int(code)))
		}
	}
}

// Expand stores a string for each row.
func (c *TextColumn) Expand() {
	if len(c.Codes) == 0 {
		return
	}
	all := Texts{Arena: make([]byte, 0, c.Bytes()), Ends: make([]uint32, 0, len(c.Codes))}
	for _, code := range c.Codes {
		all.Append(c.Texts.At(int(code)))
	}
	c.Texts, c.Codes = all, c.Codes[:0]
}

// Bytes returns the size of the strings of all rows, in bytes.
func (c *TextColumn) Bytes() (n int) {
	if len(c.Codes) == 0 {
		return len(c.Texts.Arena)
	}
	for _, code := range c.Codes {
		n += len(c.Texts.At(int(code)))
	}
	return n
}

// Reset empties the list and retains the allocated memory.
func (c *TextColumn) Reset() {
	c.Texts.Reset()
	c.Codes = c.Codes[:0]
}

// Equal reports whether two columns hold the same strings, regardless of how they are stored.
func (c TextColumn) Equal(other TextColumn) bool {
	if c.Len() != other.Len() {
		return false
	}
	for i := range c.Len() {
		if !bytes.Equal(c.At(i), other.At(i)) {
			return false
		}
	}
	return true
}

func (c *TextColumn) clone() TextColumn {
	return TextColumn{Texts: c.Texts.clone(), Codes: slices.Clone(c.Codes)}
}
