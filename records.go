package intray

// Column is what a file has: one place in each of its records.
type Column struct {
	// Index counts from 0 in the file's own order.
	Index int
	// Header is the column's name as the file gives it, or "".
	Header string
	// Samples are a few raw cells of the column, empty ones left out. At most
	// 20.
	Samples []string
}

// CellKind is what a file itself says of a cell. Text formats say nothing: all
// their cells are CellText.
type CellKind uint8

// The kinds of cells, with the form of the typed value.
const (
	// CellText is text as such; there is no other value.
	CellText CellKind = iota
	// CellNumber is a decimal number with all its digits: -12.5, 1234, 1.5e300.
	CellNumber
	// CellDate is a day: 2006-01-02.
	CellDate
	// CellDateTime is a day and a time without a zone: 2006-01-02T15:04:05,
	// with up to three digits behind a point.
	CellDateTime
	// CellTime is a time of day, or a length of time of any number of hours:
	// 15:04:05, 27:30:00.5, -01:00:00.
	CellTime
	// CellBool is true or false.
	CellBool
	// CellError is the mark of a failed formula: #N/A, #DIV/0!.
	CellError
)

// Record batches end at whichever of these comes first.
const (
	// BatchBytes is about how much raw text a batch holds: 1 MiB.
	BatchBytes = 1 << 20
	// BatchRows is the most records of a batch.
	BatchRows = 16384
	// BatchCells is about the most cells of a batch: cells without text have
	// no bytes, and cost memory all the same.
	BatchCells = 1 << 20
)

// Records is a run of records as a source gave them: raw text, row-wise.
// A record may have fewer or more cells than the file has columns; the source
// leaves it as it found it.
type Records struct {
	// Width is how many cells a record can come to cost where that is more
	// than it has: by the fields of the schema, the columns of the file, or the
	// problems that a row can have. Reset keeps it.
	Width int
	// First is the index of the first record among all data rows.
	First int64
	// Lines holds for each record the line (or row of a sheet, or element of
	// an array) where it begins, counted from 1.
	Lines []int64
	// Notices tell what the source did with records of this batch, or left out
	// beside them. Their Row counts all data rows.
	Notices []Notice
	// Added is what hooks say of each record, where all of them are rows that
	// hooks added; else it is empty.
	Added []AddedRow

	// arena holds the text of the cells, spans where in it each is: from in the
	// upper half, to in the lower.
	arena []byte
	spans []uint64
	// typed holds the typed value of each cell, kinds what it is. Both are empty
	// as long as all cells are plain text.
	typed Texts
	kinds []CellKind
	// numbers has a bit for each cell that is a number as it stands.
	numbers []uint64
	// ends holds for each record how many cells there are up to its end.
	ends []uint32
}

// Len is the number of records.
func (r *Records) Len() int { return len(r.ends) }

// Bytes is the amount of raw text held.
func (r *Records) Bytes() int { return len(r.arena) }

// IsFull says whether the batch has reached its limits.
func (r *Records) IsFull() bool {
	return r.Len() >= BatchRows || r.Bytes() >= BatchBytes || len(r.spans) >= BatchCells || r.Len()*r.Width >= BatchCells
}

// AppendCell adds a copy of cell to the record under construction.
func (r *Records) AppendCell(cell []byte) {
	from := len(r.arena)
	r.arena = append(r.arena, cell...)
	r.AppendSpan(from, len(r.arena))
}

// AppendRecord adds a copy of record i of another batch.
func (r *Records) AppendRecord(from *Records, i int) {
	for c := range from.NumCells(i) {
		if kind, value := from.TypedCell(i, c); kind != CellText {
			r.AppendTyped(from.Cell(i, c), kind, value)
		} else {
			r.AppendCell(from.Cell(i, c))
		}
	}
	r.EndRecord(from.Lines[i])
}

// AdoptArena makes text the arena of an empty batch, which owns it from then on:
// cells that stand in it are added with AppendSpan, others are copied behind it.
// It gives back the arena that the batch had before, for the next text.
func (r *Records) AdoptArena(text []byte) (before []byte) {
	before, r.arena = r.arena, text
	return before
}

// AppendSpan adds the cell that stands at a place of the arena to the record
// under construction.
func (r *Records) AppendSpan(from, to int) {
	r.spans = append(r.spans, uint64(from)<<32|uint64(to))
}

// Swap exchanges the records of two batches; each keeps its Width.
func (r *Records) Swap(other *Records) {
	*r, *other = *other, *r
	r.Width, other.Width = other.Width, r.Width
}

// AppendTyped adds a cell of a workbook: the text that the application displays
// and the value behind it in the form of its kind.
func (r *Records) AppendTyped(shown []byte, kind CellKind, value []byte) {
	for len(r.kinds) < len(r.spans) { // plain cells came before
		r.kinds = append(r.kinds, CellText)
		r.typed.Append(nil)
	}
	r.AppendCell(shown)
	r.kinds = append(r.kinds, kind)
	r.typed.Append(value)
}

// MarkNumber says that the cell that was added last is a number, and its text that
// number as CellNumber has it. It costs less than AppendTyped.
func (r *Records) MarkNumber() {
	at := len(r.spans) - 1
	for len(r.numbers) <= at>>6 {
		r.numbers = append(r.numbers, 0)
	}
	r.numbers[at>>6] |= 1 << (at & 63)
}

// TypedCell gives the kind of cell c of record i, and its typed value where it is
// not CellText. It is gone with the next Reset, as is what Cell gives.
func (r *Records) TypedCell(i, c int) (CellKind, []byte) {
	first, _ := r.cellRange(i)
	at := int(first) + c
	switch {
	case at < len(r.kinds) && r.kinds[at] != CellText:
		return r.kinds[at], r.typed.At(at)
	case at>>6 < len(r.numbers) && r.numbers[at>>6]>>(at&63)&1 == 1:
		return CellNumber, r.Cell(i, c)
	}
	return CellText, nil
}

// HasTyped says whether any cell has a kind of its own.
func (r *Records) HasTyped() bool { return len(r.kinds)+len(r.numbers) > 0 }

// EndRecord closes the record under construction, which began at line.
func (r *Records) EndRecord(line int64) {
	r.Lines = append(r.Lines, line)
	r.ends = append(r.ends, uint32(len(r.spans)))
}

// NumCells is the number of cells of record i.
func (r *Records) NumCells(i int) int {
	first, end := r.cellRange(i)
	return int(end - first)
}

// Cell gives cell c of record i. It is part of the batch's arena: it must not
// be changed, and it is gone with the next Reset.
func (r *Records) Cell(i, c int) []byte {
	first, _ := r.cellRange(i)
	span := r.spans[int(first)+c]
	from, to := span>>32, span&(1<<32-1)
	return r.arena[from:to:to]
}

// AppendColumn adds the cells of column c of all records to t. A record that is
// too short to have one adds the empty text.
func (r *Records) AppendColumn(c int, t *Texts) {
	first := uint32(0)
	for _, end := range r.ends {
		if at := first + uint32(c); at < end {
			span := r.spans[at]
			t.Arena = append(t.Arena, r.arena[span>>32:span&(1<<32-1)]...)
		}
		t.Ends = append(t.Ends, uint32(len(t.Arena)))
		first = end
	}
}

func (r *Records) cellRange(i int) (first, end uint32) {
	if i > 0 {
		first = r.ends[i-1]
	}
	return first, r.ends[i]
}

// Truncate keeps the first n records.
func (r *Records) Truncate(n int) {
	cells := uint32(0)
	if n > 0 {
		cells = r.ends[n-1]
	}
	r.spans = r.spans[:cells]
	end := uint64(0)
	for _, span := range r.spans {
		end = max(end, span&(1<<32-1))
	}
	r.arena = r.arena[:end]
	if len(r.kinds) > int(cells) {
		r.kinds = r.kinds[:cells]
		r.typed.Truncate(int(cells))
	}
	if len(r.numbers) > int(cells)>>6 {
		r.numbers = r.numbers[:cells>>6+1]
		r.numbers[cells>>6] &= 1<<(cells&63) - 1
	}
	r.Added = r.Added[:min(n, len(r.Added))]
	r.Lines = r.Lines[:n]
	r.ends = r.ends[:n]
}

// Reset empties the batch and keeps its memory.
func (r *Records) Reset() {
	r.First = 0
	r.Lines = r.Lines[:0]
	r.Notices = r.Notices[:0]
	r.Added = r.Added[:0]
	r.ends = r.ends[:0]
	r.arena = r.arena[:0]
	r.spans = r.spans[:0]
	r.typed.Reset()
	r.kinds = r.kinds[:0]
	r.numbers = r.numbers[:0]
}

// Texts is a list of short texts laid end to end in one arena, so that a
// million cells cost a few allocations. The zero value is an empty list.
type Texts struct {
	// Arena holds the texts, one after the other.
	Arena []byte
	// Ends holds, for each text, where it ends in Arena. A text starts where
	// the one before it ends.
	Ends []uint32
}

// Len is the number of texts.
func (t *Texts) Len() int { return len(t.Ends) }

// Append adds a copy of b as the last text.
func (t *Texts) Append(b []byte) {
	t.Arena = append(t.Arena, b...)
	t.Ends = append(t.Ends, uint32(len(t.Arena)))
}

// AppendString adds s as the last text.
func (t *Texts) AppendString(s string) {
	t.Arena = append(t.Arena, s...)
	t.Ends = append(t.Ends, uint32(len(t.Arena)))
}

// At gives text i. It is part of the arena: it must not be changed, and it is
// gone with the next Reset.
func (t *Texts) At(i int) []byte {
	start := uint32(0)
	if i > 0 {
		start = t.Ends[i-1]
	}
	return t.Arena[start:t.Ends[i]:t.Ends[i]]
}

// Reset empties the list and keeps its memory.
func (t *Texts) Reset() {
	t.Arena = t.Arena[:0]
	t.Ends = t.Ends[:0]
}

// Truncate keeps the first n texts.
func (t *Texts) Truncate(n int) {
	t.Ends = t.Ends[:n]
	end := uint32(0)
	if n > 0 {
		end = t.Ends[n-1]
	}
	t.Arena = t.Arena[:end]
}

// AddedRow is a row that a hook adds: texts that are read as the types of the
// fields, by their keys.
type AddedRow struct {
	// ID is what the hook knows the row by.
	ID    string
	Index *int64
	Cells map[string]string
}
