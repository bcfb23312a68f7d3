package jsonrows

import (
	"context"
	"fmt"
	"io/fs"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/intraydata/intray"
)

// reader pulls the records of a JSON file: the second pass.
type reader struct {
	pass     *pass
	work     func(most int) func(*chunk)
	walk     *walk
	columns  []intray.Column
	evidence []intray.Evidence

	// heading is the record that the names make where all is read as found.
	heading []intray.Column
	// cells are those of the element at hand, by column.
	cells [][]byte
	// numbers says which of them are numbers.
	numbers []bool
	// rows counts the records handed on.
	rows int64
	// rowBytes is about how long an element is.
	rowBytes int
	// skip is the number of elements before the first record.
	skip int64
	// failed is what every further call of Next answers.
	failed error
}

// newReader begins the second pass. The shape is known.
func newReader(b *book, p part, s *shape) *reader {
	r := &reader{
		// The first pass has refused names that are given twice.
		pass:     newPass(b, p, b.chunk, jsontext.AllowDuplicateNames(true)),
		columns:  s.columns,
		cells:    make([][]byte, len(s.columns)),
		numbers:  make([]bool, len(s.columns)),
		evidence: headerEvidence(b, s),
		skip:     s.skip,
		rowBytes: int(s.bytes / max(s.count, 1)),
	}
	r.work = func(most int) func(*chunk) { return newFiller(b, s, most).read }
	r.walk = newWalk(b, p, s.names, r.leaf)
	if b.opt.AsIs && !p.rows {
		r.heading, r.columns = r.columns, nameless(r.columns)
	}
	return r
}

func headerEvidence(b *book, s *shape) []intray.Evidence {
	if s.names == nil {
		value := "none"
		if s.headed > 0 {
			value = fmt.Sprint(s.headed)
		}
		return []intray.Evidence{{Choice: "header row", Value: value, Reason: s.reason}}
	}
	reason := intray.NewMessage("json_file.names_are_columns", intray.Params{"elements": s.count, "names": len(s.columns)})
	if b.opt.AsIs {
		reason = intray.JoinMessages(reason, intray.NewMessage("header.names_are_first_record", nil))
	}
	return []intray.Evidence{{Choice: "header row", Value: "names", Reason: reason}}
}

func nameless(columns []intray.Column) []intray.Column {
	bare := make([]intray.Column, len(columns))
	for i, c := range columns {
		bare[i] = intray.Column{Index: i, Samples: c.Samples}
	}
	return bare
}

func (r *reader) Columns() []intray.Column { return r.columns }

func (r *reader) Evidence() []intray.Evidence { return r.evidence }

func (r *reader) Close() error {
	r.failed = fmt.Errorf("read a closed JSON sheet: %w", fs.ErrClosed)
	r.pass.close()
	return nil
}

func (r *reader) Next(ctx context.Context, batch *intray.Records) error {
	batch.Reset()
	if r.failed != nil {
		return r.failed
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	for batch.Len() == 0 && r.failed == nil {
		ahead, err := r.take(ctx, batch)
		if err != nil {
			return err
		}
		if !ahead {
			r.failed = r.fill(batch)
		}
	}
	if batch.Len() == 0 {
		r.pass.close()
		return r.failed
	}
	batch.First = r.rows
	r.rows += int64(batch.Len())
	return nil
}

// take gives the batch of the next chunk, if workers could read it.
func (r *reader) take(ctx context.Context, batch *intray.Records) (bool, error) {
	if len(r.heading) > 0 {
		return false, nil
	}
	if r.pass.ahead == nil && r.pass.size > 0 {
		most := min(intray.BatchRows, max(intray.BatchCells/max(len(r.columns), batch.Width, 1), 1))
		r.pass.size = min(r.pass.size, max(leastChunk, most*max(r.rowBytes, 1)*3/4))
		r.pass.work = func() func(*chunk) { return r.work(most) }
	}
	before := r.pass.count
	job, err := r.pass.chunk(ctx)
	if job == nil {
		return false, err
	}
	batch.Swap(&job.batch)
	for i := range batch.Lines {
		batch.Lines[i] += before
	}
	r.pass.ahead.giveBack(job)
	return true, nil
}

// fill appends records to the batch until it has enough, or workers can read.
func (r *reader) fill(batch *intray.Records) error {
	if len(r.heading) > 0 {
		hand(batch, heading(r.heading), make([]bool, len(r.heading)), 1)
		r.heading = nil
	}
	for !batch.Full() && (batch.Len() == 0 || r.pass.size == 0 || r.pass.at < r.pass.until) {
		if err := r.one(batch); err != nil {
			return err
		}
	}
	return nil
}

// one reads one element on its own.
func (r *reader) one(batch *intray.Records) error {
	if !r.pass.part.rows {
		if err := step(r.pass, r.walk); err != nil {
			return err
		}
		hand(batch, r.cells, r.numbers, r.pass.count)
		clear(r.cells)
		clear(r.numbers)
		return nil
	}
	text, err := r.pass.element()
	if err != nil || r.pass.count <= r.skip {
		return err
	}
	cells, err := r.walk.row(text)
	if err != nil {
		return r.pass.elements.locate(err)
	}
	hand(batch, cells, r.walk.numbers, r.pass.count)
	return nil
}

// heading gives the names of the columns as cells.
func heading(columns []intray.Column) [][]byte {
	cells := make([][]byte, len(columns))
	for i, c := range columns {
		cells[i] = []byte(c.Header)
	}
	return cells
}

// hand appends one record to the batch.
func hand(batch *intray.Records, cells [][]byte, numbers []bool, line int64) {
	for i, cell := range cells {
		batch.AppendCell(cell)
		if numbers[i] {
			batch.MarkNumber()
		}
	}
	batch.EndRecord(line)
}

// leaf keeps the text of a leaf until its record is handed on.
func (r *reader) leaf(n *name, cell []byte) error {
	switch {
	case n.column != noColumn:
		r.cells[n.column], r.numbers[n.column] = cell, r.walk.number
	case len(cell) > 0:
		return errChanged
	}
	return nil
}

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
