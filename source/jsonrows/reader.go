package jsonrows

import (
	"context"
	"errors"
	"fmt"
	"io/fs"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/intraydata/intray"
)

// reader pulls the records of a JSON file: the second pass.
type reader struct {
	elements *elements
	walk     *walk
	columns  []intray.Column
	evidence []intray.Evidence

	// heading is the record that the names make where all is read as found.
	heading []intray.Column
	// cells are those of the element at hand, by column.
	cells [][]byte
	// rows counts the records handed on.
	rows int64
	// failed is what every further call of Next answers.
	failed error
}

// newReader begins the second pass. The book's shape is known.
func newReader(b *book) *reader {
	r := &reader{
		// The first pass has refused names that are given twice.
		elements: newElements(b, jsontext.AllowDuplicateNames(true)),
		columns:  b.shape.columns,
		cells:    make([][]byte, len(b.shape.columns)),
		evidence: headerEvidence(b),
	}
	r.walk = newWalk(b, b.shape.names, r.leaf)
	if b.opt.AsIs {
		r.heading, r.columns = r.columns, nameless(r.columns)
	}
	return r
}

func headerEvidence(b *book) []intray.Evidence {
	reason := fmt.Sprintf("%d elements have %d names; they are the columns, in the order in which they first appear", b.shape.count, len(b.shape.columns))
	if b.opt.AsIs {
		reason += "; every row is read as found, so the names are the first record"
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
	r.elements = nil
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
	r.failed = r.fill(ctx, batch)
	r.rows += int64(batch.Len())
	if batch.Len() > 0 {
		return nil
	}
	batch.Reset()
	return r.failed
}

// fill appends records to the batch until it has enough.
func (r *reader) fill(ctx context.Context, batch *intray.Records) error {
	if len(r.heading) > 0 {
		hand(batch, heading(r.heading), 1)
		r.heading = nil
	}
	for !batch.Full() {
		if err := step(r.elements, r.walk); err != nil {
			return err
		}
		hand(batch, r.cells, r.elements.count)
		clear(r.cells)
	}
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
func hand(batch *intray.Records, cells [][]byte, line int64) {
	for _, cell := range cells {
		batch.AppendCell(cell)
	}
	batch.EndRecord(line)
}

// leaf keeps the text of a leaf until its record is handed on.
func (r *reader) leaf(n *name, cell []byte) error {
	switch {
	case n.column != noColumn:
		r.cells[n.column] = cell
	case len(cell) > 0:
		return errors.New("it has text where there was none when the columns were read: the file has changed")
	}
	return nil
}
