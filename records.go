package intray

import (
	"iter"
	"slices"
)

// Column is one column of a file.
type Column struct {
	// Index is the position of the column in the file, counted from 0.
	Index int
	// Header is the header as it appears in the file, or "".
	Header string
	// Samples are up to 20 nonempty raw cells of the column.
	Samples []string
}

// CellKind is the type of a cell in the file. In text formats such as CSV, every cell is
// CellText.
type CellKind uint8

// These are the cell kinds, each with the format of its typed values.
const (
	// CellText is plain text. It has no typed value.
	CellText CellKind = iota
	// CellNumber is a decimal number with all its digits, such as -12.5, 1234 or 1.5e300.
	CellNumber
	// CellDate is a date, such as 2006-01-02.
	CellDate
	// CellDateTime is a date and time without a time zone, such as 2006-01-02T15:04:05. The
	// seconds have up to three fractional digits.
	CellDateTime
	// CellTime is a time of day, or a duration of any number of hours, such as 15:04:05,
	// 27:30:00.5 or -01:00:00.
	CellTime
	// CellBool is true or false.
	CellBool
	// CellError is the error value of a formula, such as #N/A or #DIV/0!.
	CellError
)

// A batch of records is full when it reaches any of these limits.
const (
	// BatchBytes is the maximum size of the raw text, in bytes. The last record may exceed it.
	BatchBytes = 1 << 19
	// BatchRows is the maximum number of records.
	BatchRows = 16384
	// BatchCells is the maximum number of cells. It is needed because an empty cell has no
	// bytes but uses memory. The last record may exceed it.
	BatchCells = 1 << 20
)

// Records is a sequence of records from a source: raw text, row by row. A record may have
// fewer or more cells than the file has columns.
type Records struct {
	// Width is the number of cells that IsFull counts for each record. It accounts for
	// fields of the schema, columns of the file and problems of a row, which may need more
	// memory than the cells of the record. Reset does not change it.
	Width int
	// First is the index of the first record among all data rows.
	First int64
	// Lines holds the line on which each record begins, counted from 1. For a workbook, it is
	// the number of the row in the sheet. For a JSON array, it is the number of the element.
	Lines []int64
	// Notices report what the source repaired or dropped in this batch. Their Row is an
	// index among all data rows.
	Notices []Notice
	// Added holds one entry for each record if hooks added all of them. Otherwise it is empty.
	Added []AddedRow

	// arena holds the text of the cells. spans holds the position of each cell in arena, in the format of
	// Span: the start in the upper 32 bits and the end in the lower 32 bits.
	arena []byte
	spans []Span
	// typed and kinds hold the typed value and the kind of each cell. Both are
	// empty as long as all cells are plain text.
	typed Texts
	kinds []CellKind
	// numbers has a bit set for each CellNumber whose value equals its text.
	numbers []uint64
	// ends holds, for each record, the number of cells up to its end.
	ends []uint32
	// fileCells holds, for each record, the number of its cells in the file if columns were added to the
	// table. Otherwise it is empty.
	fileCells []uint32
}

// Len returns the number of records.
func (r *Records) Len() int { return len(r.ends) }

// Bytes returns the size of the raw text in bytes.
func (r *Records) Bytes() int { return len(r.arena) }

// RawText returns the raw text of all cells, one after another in any order. It can contain other bytes
// of the file between them. It is valid until the next Reset and must not be changed.
func (r *Records) RawText() []byte { return r.arena }

// IsFull reports whether the batch has reached one of its limits.
func (r *Records) IsFull() bool {
	return r.Len() >= BatchRows || r.Bytes() >= BatchBytes || len(r.spans) >= BatchCells || r.Len()*r.Width >= BatchCells
}

// AppendCell appends a copy of cell to the current record.
func (r *Records) AppendCell(cell []byte) {
	from := len(r.arena)
	r.arena = append(r.arena, cell...)
	r.AppendSpan(from, len(r.arena))
}

// AppendRecord appends a copy of record i of the given batch.
func (r *Records) AppendRecord(from *Records, i int) {
	r.appendCells(from, i, 0, from.NumCells(i))
	if len(from.fileCells) > 0 {
		r.fileCells = append(r.fileCells, from.fileCells[i])
	}
	r.EndRecord(from.Lines[i])
}

// AppendDerived appends a copy of record i of the given batch, in which derived returns the text of each of
// added cells that follow the first columns cells. Cells that are missing before them are empty.
func (r *Records) AppendDerived(from *Records, i, columns, added int, derived func(n int) []byte) {
	cells := from.NumCells(i)
	r.appendCells(from, i, 0, min(cells, columns))
	for range columns - cells {
		r.AppendCell(nil)
	}
	for n := range added {
		r.AppendCell(derived(n))
	}
	r.appendCells(from, i, columns, cells)
	r.fileCells = append(r.fileCells, uint32(cells))
	r.EndRecord(from.Lines[i])
}

// FileCells returns the number of cells that record i has in the file.
func (r *Records) FileCells(i int) int {
	if len(r.fileCells) > 0 {
		return int(r.fileCells[i])
	}
	return r.NumCells(i)
}

// appendCells appends copies of the cells [first, end) of record i of the given batch.
func (r *Records) appendCells(from *Records, i, first, end int) {
	for c := first; c < end; c++ {
		if kind, value := from.TypedCell(i, c); kind != CellText {
			r.AppendTyped(from.Cell(i, c), kind, value)
		} else {
			r.AppendCell(from.Cell(i, c))
		}
	}
}

// AdoptArena makes text the arena of the batch. The batch must be empty, and it takes
// ownership of text. AppendSpan appends cells that are part of text. Other methods append
// copies to it. AdoptArena returns the previous arena so that the caller can reuse it.
func (r *Records) AdoptArena(text []byte) (before []byte) {
	before, r.arena = r.arena, text
	return before
}

// AppendSpan appends the text between two positions of the arena as a cell of the current record.
func (r *Records) AppendSpan(from, to int) { r.spans = append(r.spans, NewSpan(from, to)) }

// Span is the position of the text of a cell in the arena of its batch: the start in the upper 32 bits and
// the end in the lower 32 bits.
type Span uint64

// NewSpan returns the span between two positions.
func NewSpan(from, to int) Span { return Span(from)<<32 | Span(to) }

// SpanRoom returns room for the spans of the next n cells, which EndSpans appends. The first kept spans
// in it are those of the room that an earlier call returned. The room is valid until the next change of
// the batch other than by EndSpans.
func (r *Records) SpanRoom(kept, n int) []Span {
	cells := len(r.spans)
	r.spans = slices.Grow(r.spans[:cells+kept], n-kept)[:cells]
	return r.spans[cells : cells+n]
}

// EndSpans appends the first n spans of the room, which starts with the next span afterwards, as the cells
// of a record that begins on the given line.
func (r *Records) EndSpans(n int, line int64) {
	r.spans = r.spans[:len(r.spans)+n]
	r.EndRecord(line)
}

// Swap exchanges the records of two batches. It does not change their Width.
func (r *Records) Swap(other *Records) {
	*r, *other = *other, *r
	r.Width, other.Width = other.Width, r.Width
}

// AppendTyped appends a workbook cell to the current record. shown is the text that a
// spreadsheet application displays. value is the stored value in the format of its kind.
func (r *Records) AppendTyped(shown []byte, kind CellKind, value []byte) {
	for len(r.kinds) < len(r.spans) { // earlier cells were plain
		r.kinds = append(r.kinds, CellText)
		r.typed.Append(nil)
	}
	r.AppendCell(shown)
	r.kinds = append(r.kinds, kind)
	r.typed.Append(value)
}

// MarkNumber makes cell c of the last record a CellNumber whose value is its text. It is
// cheaper than AppendTyped.
func (r *Records) MarkNumber(c int) {
	first, _ := r.cellRange(r.Len() - 1)
	at := int(first) + c
	for len(r.numbers) <= at>>6 {
		r.numbers = append(r.numbers, 0)
	}
	r.numbers[at>>6] |= 1 << (at & 63)
}

// TypedCell returns the kind of cell c of record i, and its typed value unless the kind is
// CellText. The value is valid until the next Reset and must not be changed.
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

// HasTypedValues reports whether any cell may have a typed value that differs from its text.
func (r *Records) HasTypedValues() bool { return len(r.kinds) > 0 }

// IsNumber reports whether cell c of record i is a CellNumber whose value is its text.
func (r *Records) IsNumber(i, c int) bool {
	first, _ := r.cellRange(i)
	at := int(first) + c
	return at>>6 < len(r.numbers) && r.numbers[at>>6]>>(at&63)&1 == 1
}

// HasTyped reports whether any cell may have a kind other than CellText.
func (r *Records) HasTyped() bool { return len(r.kinds)+len(r.numbers) > 0 }

// EndRecord ends the current record, which began on the given line.
func (r *Records) EndRecord(line int64) {
	r.Lines = append(r.Lines, line)
	r.ends = append(r.ends, uint32(len(r.spans)))
}

// NumCells returns the number of cells of record i.
func (r *Records) NumCells(i int) int {
	first, end := r.cellRange(i)
	return int(end - first)
}

// Cell returns cell c of record i. It is valid until the next Reset and must not be changed.
func (r *Records) Cell(i, c int) []byte {
	first, _ := r.cellRange(i)
	span := r.spans[int(first)+c]
	from, to := span>>32, span&(1<<32-1)
	return r.arena[from:to:to]
}

// Cells returns the cells of record i with their indexes. They are valid until the next Reset and must not
// be changed.
func (r *Records) Cells(i int) iter.Seq2[int, []byte] {
	first, end := r.cellRange(i)
	return func(yield func(int, []byte) bool) {
		arena := r.arena
		for c, span := range r.spans[first:end] {
			from, to := span>>32, span&(1<<32-1)
			if !yield(c, arena[from:to:to]) {
				return
			}
		}
	}
}

// AppendColumn appends cell c of each record to t, or "" if the record is too short.
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

// AppendSpans appends the span of cell c of each record to dst. If a record is too short, the span is that
// of an empty text.
func (r *Records) AppendSpans(dst []Span, c int) []Span {
	first := uint32(0)
	for _, end := range r.ends {
		span := Span(0)
		if at := first + uint32(c); at < end {
			span = r.spans[at]
		}
		dst = append(dst, span)
		first = end
	}
	return dst
}

// Text returns the text of a span. It is valid until the next Reset and must not be changed.
func (r *Records) Text(s Span) []byte {
	from, to := s>>32, s&(1<<32-1)
	return r.arena[from:to:to]
}

func (r *Records) cellRange(i int) (first, end uint32) {
	if i > 0 {
		first = r.ends[i-1]
	}
	return first, r.ends[i]
}

// Truncate removes all records except the first n.
func (r *Records) Truncate(n int) {
	cells := uint32(0)
	if n > 0 {
		cells = r.ends[n-1]
	}
	r.spans = r.spans[:cells]
	end := uint64(0)
	for _, span := range r.spans {
		end = max(end, uint64(span&(1<<32-1)))
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
	r.fileCells = r.fileCells[:min(n, len(r.fileCells))]
}

// Reset empties the batch and retains the allocated memory.
func (r *Records) Reset() {
	r.First = 0
	r.Lines = r.Lines[:0]
	r.Notices = r.Notices[:0]
	r.Added = r.Added[:0]
	r.ends = r.ends[:0]
	r.fileCells = r.fileCells[:0]
	r.arena = r.arena[:0]
	r.spans = r.spans[:0]
	r.typed.Reset()
	r.kinds = r.kinds[:0]
	r.numbers = r.numbers[:0]
}

// Texts is a list of short strings in one arena, so that a million cells need only a few
// allocations. The zero value is an empty list.
type Texts struct {
	// Arena holds the strings one after another.
	Arena []byte
	// Ends holds the end of each string in Arena. Each string starts at the end of the
	// previous one.
	Ends []uint32
}

// Len returns the number of strings.
func (t *Texts) Len() int { return len(t.Ends) }

// Append appends a copy of b to the list.
func (t *Texts) Append(b []byte) {
	t.Arena = append(t.Arena, b...)
	t.Ends = append(t.Ends, uint32(len(t.Arena)))
}

// AppendString appends a copy of s to the list.
func (t *Texts) AppendString(s string) {
	t.Arena = append(t.Arena, s...)
	t.Ends = append(t.Ends, uint32(len(t.Arena)))
}

// AppendRange appends copies of the strings [from, to) of another list.
func (t *Texts) AppendRange(src *Texts, from, to int) {
	if from == to {
		return
	}
	start := uint32(0)
	if from > 0 {
		start = src.Ends[from-1]
	}
	rebase := uint32(len(t.Arena)) - start
	t.Arena = append(t.Arena, src.Arena[start:src.Ends[to-1]]...)
	for _, end := range src.Ends[from:to] {
		t.Ends = append(t.Ends, end+rebase)
	}
}

// At returns string i. The slice is valid until the next Reset and must not be changed.
func (t *Texts) At(i int) []byte {
	start := uint32(0)
	if i > 0 {
		start = t.Ends[i-1]
	}
	return t.Arena[start:t.Ends[i]:t.Ends[i]]
}

// Reset empties the list and retains the allocated memory.
func (t *Texts) Reset() {
	t.Arena = t.Arena[:0]
	t.Ends = t.Ends[:0]
}

func (t *Texts) clone() Texts {
	return Texts{Arena: slices.Clone(t.Arena), Ends: slices.Clone(t.Ends)}
}

// Truncate removes all strings except the first n.
func (t *Texts) Truncate(n int) {
	t.Ends = t.Ends[:n]
	end := uint32(0)
	if n > 0 {
		end = t.Ends[n-1]
	}
	t.Arena = t.Arena[:end]
}

// AddedRow is a row that a hook adds.
type AddedRow struct {
	// ID is the identifier that the hook chose for the row.
	ID string
	// Index is the index of the data row before which the added row is inserted. If it is nil,
	// the row is appended.
	Index *int64
	// Cells maps field keys to raw text, which is parsed as the type of the field.
	Cells map[string]string
}
