package jsonrows

import (
	"context"
	"fmt"
	"io/fs"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/intraydata/intray"
)

// reader reads the records of a JSON file in the second pass.
type reader struct {
	pass      *pass
	newWorker func(maxRows int) func(*chunk)
	walker    *elementWalker
	columns   []intray.Column
	evidence  []intray.Evidence

	// headerRow holds the columns whose names form the first record if the file is read as is.
	headerRow []intray.Column
	// cells holds the cells of the current element, indexed by column.
	cells [][]byte
	// numbers reports which cells are numbers.
	numbers []bool
	// rows is the number of records returned.
	rows int64
	// rowBytes is the approximate length of an element, in bytes.
	rowBytes int
	// skip is the number of elements before the first record.
	skip int64
	// nextErr is the error that all further calls to Next return.
	nextErr error
}

// newReader returns a reader for the second pass. s is the result of the first pass.
func newReader(b *book, p tableLocation, s *sheetShape) *reader {
	r := &reader{
		// The first pass has rejected duplicate names.
		pass:     newPass(b, p, b.chunk, jsontext.AllowDuplicateNames(true)),
		columns:  s.columns,
		cells:    make([][]byte, len(s.columns)),
		numbers:  make([]bool, len(s.columns)),
		evidence: headerEvidence(b, s),
		skip:     s.skip,
		rowBytes: int(s.bytes / max(s.count, 1)),
	}
	r.newWorker = func(maxRows int) func(*chunk) { return newFillWorker(b, s, maxRows).read }
	r.walker = newElementWalker(b, p, s.names, r.setCell)
	if b.opt.AsIs && !p.arrayElements {
		r.headerRow, r.columns = r.columns, withoutHeaders(r.columns)
	}
	return r
}

func headerEvidence(b *book, s *sheetShape) []intray.Evidence {
	if s.names == nil {
		return []intray.Evidence{s.header}
	}
	reason := intray.NewMessage("json_file.names_are_columns", intray.Params{"elements": s.count, "names": len(s.columns)})
	if b.opt.AsIs {
		reason = intray.JoinMessages(reason, intray.NewMessage("header.names_are_first_record", nil))
	}
	return []intray.Evidence{{Choice: "header row", Value: "names", Reason: reason}}
}

func withoutHeaders(columns []intray.Column) []intray.Column {
	bare := make([]intray.Column, len(columns))
	for i, c := range columns {
		bare[i] = intray.Column{Index: i, Samples: c.Samples}
	}
	return bare
}

func (r *reader) Columns() []intray.Column { return r.columns }

func (r *reader) Evidence() []intray.Evidence { return r.evidence }

func (r *reader) Close() error {
	r.nextErr = fmt.Errorf("read a closed JSON sheet: %w", fs.ErrClosed)
	r.pass.close()
	return nil
}

func (r *reader) Next(ctx context.Context, batch *intray.Records) error {
	batch.Reset()
	if r.nextErr != nil {
		return r.nextErr
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	for batch.Len() == 0 && r.nextErr == nil {
		ahead, err := r.nextBatch(ctx, batch)
		if err != nil {
			return err
		}
		if !ahead {
			r.nextErr = r.fillBatch(batch)
		}
	}
	if batch.Len() == 0 {
		r.pass.close()
		return r.nextErr
	}
	batch.First = r.rows
	r.rows += int64(batch.Len())
	return nil
}

// nextBatch fills the batch with the next chunk, and reports whether workers could parse that
// chunk.
func (r *reader) nextBatch(ctx context.Context, batch *intray.Records) (bool, error) {
	if len(r.headerRow) > 0 {
		return false, nil
	}
	if r.pass.chunks == nil && r.pass.size > 0 {
		maxRows := min(intray.BatchRows, max(intray.BatchCells/max(len(r.columns), batch.Width, 1), 1))
		r.pass.size = min(r.pass.size, max(minChunkBytes, maxRows*max(r.rowBytes, 1)*3/4))
		r.pass.newWorker = func() func(*chunk) { return r.newWorker(maxRows) }
	}
	before := r.pass.count
	job, err := r.pass.nextChunk(ctx)
	if job == nil {
		return false, err
	}
	batch.Swap(&job.batch)
	for i := range batch.Lines {
		batch.Lines[i] += before
	}
	r.pass.chunks.recycle(job)
	return true, nil
}

// fillBatch reads elements one by one and appends their records to the batch until the batch
// is full or workers can continue.
func (r *reader) fillBatch(batch *intray.Records) error {
	if len(r.headerRow) > 0 {
		cells := make([][]byte, len(r.headerRow))
		for i, c := range r.headerRow {
			cells[i] = []byte(c.Header)
		}
		appendRecord(batch, cells, make([]bool, len(r.headerRow)), 1)
		r.headerRow = nil
	}
	for !batch.IsFull() && (batch.Len() == 0 || r.pass.size == 0 || r.pass.offset < r.pass.sequentialUntil) {
		if err := r.readElement(batch); err != nil {
			return err
		}
	}
	return nil
}

// readElement reads the next element and appends its record.
func (r *reader) readElement(batch *intray.Records) error {
	if !r.pass.table.arrayElements {
		if err := walkNextElement(r.pass, r.walker); err != nil {
			return err
		}
		appendRecord(batch, r.cells, r.numbers, r.pass.count)
		clear(r.cells)
		clear(r.numbers)
		return nil
	}
	text, err := r.pass.nextElement()
	if err != nil || r.pass.count <= r.skip {
		return err
	}
	cells, err := r.walker.arrayCells(text)
	if err != nil {
		return r.pass.elements.locate(err)
	}
	appendRecord(batch, cells, r.walker.numbers, r.pass.count)
	return nil
}

// appendRecord appends one record to the batch.
func appendRecord(batch *intray.Records, cells [][]byte, numbers []bool, line int64) {
	for _, cell := range cells {
		batch.AppendCell(cell)
	}
	batch.EndRecord(line)
	for i := range cells {
		if numbers[i] {
			batch.MarkNumber(i)
		}
	}
}

// setCell stores the text of a leaf in the current record.
func (r *reader) setCell(n *nameNode, cell []byte) error {
	switch {
	case n.column != noColumn:
		r.cells[n.column], r.numbers[n.column] = cell, r.walker.isNumber
	case len(cell) > 0:
		return errChanged
	}
	return nil
}

// fillWorker parses chunks in the second pass.
type fillWorker struct {
	scan    *lineScanner
	batch   *intray.Records
	columns int
	maxRows int
}

// newFillWorker returns a worker for batches of at most maxRows records.
func newFillWorker(b *book, s *sheetShape, maxRows int) *fillWorker {
	f := &fillWorker{columns: len(s.columns), maxRows: maxRows}
	f.scan = newLineScanner(b.in, s.names, b.opt.Limits, f)
	return f
}

// addElement appends the record of an element. Lines count from 1.
func (f *fillWorker) addElement(_ []byte, leaves []leaf) bool {
	cells := f.batch.SpanRoom(0, f.columns)
	clear(cells)
	for i := range leaves {
		l := &leaves[i]
		switch column := l.name.column; {
		case column != noColumn:
			cells[column] = intray.NewSpan(l.from, l.to)
		case l.from != l.to:
			return false
		}
	}
	f.batch.EndSpans(f.columns, int64(f.batch.Len())+1)
	for i := range leaves {
		if l := &leaves[i]; l.number {
			f.batch.MarkNumber(l.name.column)
		}
	}
	return true
}

// read parses a chunk into its batch.
func (f *fillWorker) read(job *chunk) {
	if job.badOffset = job.from; !f.scan.reset(job.text, job.from) {
		return
	}
	batch := &job.batch
	f.batch = batch
	batch.AdoptArena(job.text)
	text := job.text
	job.text = nil
	for at := f.scan.nextElement(0); at < len(text); at = f.scan.nextElement(at) {
		from := at
		if batch.Len() == f.maxRows {
			job.tooManyRows, at = true, notFound
		} else {
			at = f.scan.scanElement(at)
		}
		if at == notFound {
			job.badOffset = job.from + int64(from)
			return
		}
	}
	job.count, job.complete = int64(batch.Len()), true
}
