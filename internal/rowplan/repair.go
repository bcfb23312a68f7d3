package rowplan

import (
	"sync"

	"github.com/intraydata/intray"
	"github.com/intraydata/intray/internal/doubleencoding"
)

// RepairedCells describes the double-encoded cells of a field whose text was repaired before it was
// parsed.
type RepairedCells struct {
	// Cells is their number.
	Cells int64
	// Raw and Text are the raw and the repaired text of the first one, and Encoding is the encoding
	// as which its UTF-8 was read.
	Raw, Text, Encoding string
}

// repairCount counts the double-encoded cells of a field. It is safe for concurrent use.
type repairCount struct {
	mu    sync.Mutex
	found RepairedCells
	// row is the row of the first cell.
	row int64
}

// add adds the cells of a batch. first describes the first of them, in the given row.
func (r *repairCount) add(first RepairedCells, row int64) {
	r.mu.Lock()
	defer r.mu.Unlock()
	n := r.found.Cells + first.Cells
	if r.found.Cells == 0 || row < r.row {
		r.found, r.row = first, row
	}
	r.found.Cells = n
}

// Repaired describes the double-encoded cells of a field.
func (p *Plan) Repaired(field int) RepairedCells {
	r := p.Fields[field].repairs
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.found
}

// repairColumn returns the repaired texts of the double-encoded cells of a column, by row.
func (f *FieldPlan) repairColumn(column int, recs *intray.Records) (texts map[int][]byte) {
	var first RepairedCells
	var firstRow int64
	for row := range recs.Len() {
		raw := cellAt(recs, row, column)
		text, encoding, ok := doubleencoding.Repair(raw)
		if !ok {
			continue
		}
		if texts == nil {
			texts = map[int][]byte{}
			first = RepairedCells{Raw: string(raw), Text: string(text), Encoding: encoding}
			firstRow = recs.First + int64(row)
		}
		texts[row] = text
		first.Cells++
	}
	if first.Cells > 0 {
		f.repairs.add(first, firstRow)
	}
	return texts
}
