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

	cells Texts
	// ends holds for each record how many cells there are up to its end.
	ends []uint32
}

// Len is the number of records.
func (r *Records) Len() int { return len(r.ends) }

// Bytes is the amount of raw text held.
func (r *Records) Bytes() int { return len(r.cells.Arena) }

// Full says whether the batch has reached its limits.
func (r *Records) Full() bool {
	return r.Len() >= BatchRows || r.Bytes() >= BatchBytes || r.cells.Len() >= BatchCells || r.Len()*r.Width >= BatchCells
}

// AppendCell adds a copy of cell to the record under construction.
func (r *Records) AppendCell(cell []byte) { r.cells.Append(cell) }

// EndRecord closes the record under construction, which began at line.
func (r *Records) EndRecord(line int64) {
	r.Lines = append(r.Lines, line)
	r.ends = append(r.ends, uint32(r.cells.Len()))
}

// NumCells is the number of cells of record i.
func (r *Records) NumCells(i int) int {
	first, end := r.span(i)
	return int(end - first)
}

// Cell gives cell c of record i. It is part of the batch's arena: it must not
// be changed, and it is gone with the next Reset.
func (r *Records) Cell(i, c int) []byte {
	first, _ := r.span(i)
	return r.cells.At(int(first) + c)
}

func (r *Records) span(i int) (first, end uint32) {
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
	r.cells.Truncate(int(cells))
	r.Lines = r.Lines[:n]
	r.ends = r.ends[:n]
}

// Reset empties the batch and keeps its memory.
func (r *Records) Reset() {
	r.First = 0
	r.Lines = r.Lines[:0]
	r.ends = r.ends[:0]
	r.cells.Reset()
}
