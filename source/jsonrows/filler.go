package jsonrows

import "github.com/intraydata/intray"

// A filler is a worker of the second pass.
type filler struct {
	scan *scan
	// cells holds for each column where in the text the cell of the element at
	// hand is.
	cells []span
	most  int
}

type span struct {
	from, to int
	number   bool
}

// newFiller makes a worker whose batches have at most so many records.
func newFiller(b *book, s *shape, most int) *filler {
	f := &filler{cells: make([]span, len(s.columns)), most: most}
	f.scan = newScan(b.in, s.names, b.opt.Limits, f)
	return f
}

func (f *filler) leaf(n *name, _ []byte, from, to int, number bool) bool {
	if n.column == noColumn {
		return from == to
	}
	f.cells[n.column] = span{from, to, number}
	return true
}

func (f *filler) again() { clear(f.cells) }

// read makes a batch of a chunk. Lines are counted from 1.
func (f *filler) read(job *chunk) {
	if job.bad = job.from; !f.scan.begin(job.text, job.from) {
		return
	}
	batch := &job.batch
	batch.Adopt(job.text)
	text := job.text
	job.text = nil
	for at := f.scan.next(0); at < len(text); at = f.scan.next(at) {
		if job.crowded = batch.Len() == f.most; job.crowded {
			return
		}
		job.bad = job.from + int64(at)
		if at = f.scan.row(at); at == none {
			return
		}
		f.hand(batch)
	}
	job.count, job.plain = int64(batch.Len()), true
}

// hand appends one record to the batch.
func (f *filler) hand(batch *intray.Records) {
	for _, cell := range f.cells {
		batch.AppendSpan(cell.from, cell.to)
		if cell.number {
			batch.MarkNumber()
		}
	}
	clear(f.cells)
	batch.EndRecord(int64(batch.Len()) + 1)
}
