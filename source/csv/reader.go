package csv

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"

	"github.com/intraydata/intray"
	"github.com/intraydata/intray/source"
)

// reader pulls the records of a CSV file.
type reader struct {
	scan     *scanner
	columns  []intray.Column
	evidence []intray.Evidence
	asIs     bool

	// held says that the scanner has cut a record that no batch has yet.
	held bool
	// blanks are the blank lines that are handed on once a record follows.
	blanks int64
	// rows counts the records handed on, total the cells of the sheet.
	rows, total int64
	// scratch is where cells are undone that hold quotes written twice.
	scratch []byte
	// failed is what every further call of Next answers.
	failed error
}

func (r *reader) Columns() []intray.Column { return r.columns }

func (r *reader) Evidence() []intray.Evidence { return r.evidence }

func (r *reader) Close() error {
	r.failed = fmt.Errorf("read a closed CSV sheet: %w", fs.ErrClosed)
	r.scan = nil
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
	batch.First = r.rows
	err := r.fill(ctx, batch)
	r.rows += int64(batch.Len())
	if err != nil && ctx.Err() == nil {
		r.failed = err
	}
	if batch.Len() > 0 {
		return nil
	}
	batch.Reset()
	return err
}

// fill appends records to the batch until it has enough.
func (r *reader) fill(ctx context.Context, batch *intray.Records) error {
	for !batch.Full() {
		if err := r.pull(ctx); err != nil {
			return err
		}
		if r.total > r.scan.split.limits.Cells {
			return r.scan.split.tooMuch("the sheet has more than %d cells", r.scan.split.limits.Cells)
		}
		r.hand(batch)
	}
	return nil
}

// pull makes sure that the scanner holds a record. Blank lines are counted: as
// found they are records, unless none follows them.
func (r *reader) pull(ctx context.Context) error {
	for !r.held {
		if err := r.scan.next(ctx); err != nil {
			return err
		}
		r.held = !r.scan.blank()
		if r.held || r.asIs {
			r.total += int64(len(r.scan.split.cells))
		}
		if r.asIs && !r.held {
			r.blanks++
		}
	}
	return nil
}

// hand appends one record: a blank line that stands before the one held, or
// the one held.
func (r *reader) hand(batch *intray.Records) {
	if r.blanks > 0 {
		batch.AppendCell(nil)
		batch.EndRecord(r.scan.line() - r.blanks)
		r.blanks--
		return
	}
	var cell []byte
	for i := range r.scan.split.cells {
		cell, r.scratch = r.scan.cell(i, r.scratch)
		batch.AppendCell(cell)
	}
	batch.EndRecord(r.scan.line())
	r.held = false
}

// newReader looks for the header, takes samples of what follows, and begins
// again behind the header.
func newReader(ctx context.Context, b *book) (source.Reader, error) {
	r := &reader{asIs: b.opt.AsIs, scan: newScanner(b.in, b.opt.Limits, b.start, 1)}
	if err := r.begin(ctx); err != nil {
		return nil, err
	}
	line, offset := r.scan.line()+r.scan.passed(), r.scan.offset()
	if err := r.sample(ctx); err != nil {
		return nil, err
	}
	r.scan = newScanner(b.in, b.opt.Limits, offset, line)
	return r, nil
}

// begin takes the header, where there is one to take.
func (r *reader) begin(ctx context.Context) error {
	if r.asIs {
		r.evidence = evidence("none", "every row is read as found", "every row is read as found")
		return nil
	}
	for {
		err := r.scan.next(ctx)
		if errors.Is(err, io.EOF) {
			r.evidence = evidence("none", "no line has any text", "there is no header")
			return nil
		}
		if err != nil {
			return err
		}
		if taken, err := r.takeHeader(); taken || err != nil {
			return err
		}
	}
}
