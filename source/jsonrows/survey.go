package jsonrows

import (
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/intraydata/intray"
	"github.com/intraydata/intray/source"
)

// Samples of a column are this many cells; those of all columns hold this many
// bytes.
const (
	sampleCells = 20
	sampleBytes = 4 << 20
)

// askEvery is the number of elements between two looks at the context.
const askEvery = 1024

// shape is what the first pass learns: the columns and the number of elements.
type shape struct {
	names   *names
	columns []intray.Column
	count   int64
	// sampled is the number of bytes of all samples.
	sampled int
}

// survey reads the whole file for its columns.
func survey(ctx context.Context, b *book) (*shape, error) {
	limits := b.opt.Limits
	found := &shape{names: newNames(limits)}
	if err := found.collect(ctx, newElements(b), newWalk(b, found.names, found.leaf)); err != nil {
		return nil, err
	}
	found.columns = found.names.freeze()
	if cells := found.count * int64(len(found.columns)); cells > limits.Cells {
		return nil, &source.LimitError{Reason: fmt.Sprintf("%d elements of %d columns have more than %d cells together", found.count, len(found.columns), limits.Cells)}
	}
	return found, nil
}

// collect walks through all elements.
func (s *shape) collect(ctx context.Context, e *elements, w *walk) error {
	for {
		if s.count%askEvery == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		err := step(e, w)
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		s.count++
	}
}

// leaf makes a column of a name and keeps samples of its cells.
func (s *shape) leaf(n *name, cell []byte) error {
	if err := s.names.leaf(n); err != nil || len(cell) == 0 {
		return err
	}
	n.filled = true
	if len(n.samples) < sampleCells && s.sampled+len(cell) <= sampleBytes {
		n.samples = append(n.samples, string(cell))
		s.sampled += len(cell)
	}
	return nil
}

// newWalk walks through the elements of a book.
func newWalk(b *book, tree *names, visit func(*name, []byte) error) *walk {
	w := &walk{names: tree, visit: visit, cellBytes: b.opt.Limits.CellBytes}
	if b.array {
		w.outer = 1
	}
	return w
}

// step pulls one element and walks through it.
func step(e *elements, w *walk) error {
	text, err := e.next()
	if err != nil {
		return err
	}
	if err := w.element(text); err != nil {
		return e.locate(err)
	}
	return nil
}
