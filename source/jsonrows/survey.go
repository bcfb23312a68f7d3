package jsonrows

import (
	"context"
	"errors"
	"io"

	"github.com/intraydata/intray"
	"github.com/intraydata/intray/source"
)

// Samples of a column are this many cells, none of them longer than sampleCell;
// those of all columns hold about this many bytes.
const (
	sampleCells = 20
	sampleCell  = 64 << 10
	sampleBytes = 4 << 20
)

const (
	// askEvery is the number of members or values between two looks at the
	// context, where a table is looked for.
	askEvery = 64
	// surveyBytes is how much text one worker of the first pass reads at a time.
	surveyBytes = 256 << 10
)

// shape is what the first pass learns: the columns and the number of elements.
type shape struct {
	names   *names
	columns []intray.Column
	count   int64
	// bytes is how long the elements are together, with what is between them.
	bytes int64
	// skip is the number of elements before the first record, headed the first
	// of them that names the columns, or 0, and reason says why. They are set
	// where the elements are arrays.
	skip   int64
	headed int
	reason intray.Message
	// sampled is the number of bytes of all samples.
	sampled int
}

// survey reads a whole sheet for its columns.
func survey(ctx context.Context, b *book, p part) (*shape, error) {
	if p.rows {
		return surveyRows(ctx, b, p)
	}
	limits := b.opt.Limits
	found := &shape{names: newNames(limits)}
	if err := found.collect(ctx, b, p); err != nil {
		return nil, err
	}
	found.columns = found.names.freeze()
	if cells := found.count * int64(len(found.columns)); cells > limits.Cells {
		return nil, &source.LimitError{Reason: intray.NewMessage("json_file.too_many_cells", intray.Params{"elements": found.count, "columns": len(found.columns), "limit": limits.Cells})}
	}
	return found, nil
}

// collect walks through all elements.
func (s *shape) collect(ctx context.Context, b *book, p part) error {
	w := newWalk(b, p, s.names, s.leaf)
	way := newPass(b, p, min(b.chunk, surveyBytes))
	way.until = way.at + int64(way.size)/4 // names come first
	way.work = func() func(*chunk) { return newSurveyor(b, s).read }
	defer way.close()
	for {
		if err := ctx.Err(); err != nil {
			return err
		}
		job, err := way.chunk(ctx)
		if err != nil {
			return err
		}
		if job != nil {
			s.merge(job.met)
			way.ahead.giveBack(job)
			continue
		}
		err = step(way, w)
		if errors.Is(err, io.EOF) {
			s.count, s.bytes = way.count-1, way.at-p.start
			return nil
		}
		if err != nil {
			return err
		}
	}
}

// leaf makes a column of a name and keeps samples of its cells.
func (s *shape) leaf(n *name, cell []byte) error {
	if err := s.names.leaf(n); err != nil || len(cell) == 0 {
		return err
	}
	n.filled = true
	if s.wants(n) > 0 && len(cell) <= sampleCell {
		s.sample(n, string(cell))
	}
	return nil
}

// wants is how many more samples a column takes.
func (s *shape) wants(n *name) int {
	if s.sampled > sampleBytes {
		return 0
	}
	return sampleCells - len(n.samples)
}

func (s *shape) sample(n *name, cell string) {
	n.samples = append(n.samples, cell)
	s.sampled += len(cell)
}

// newWalk walks through the elements of a part.
func newWalk(b *book, p part, tree *names, visit func(*name, []byte) error) *walk {
	return &walk{names: tree, visit: visit, cellBytes: b.opt.Limits.CellBytes, columns: b.opt.Limits.Columns, outer: p.outer()}
}

// step pulls one element and walks through it.
func step(p *pass, w *walk) error {
	text, err := p.element()
	if err != nil {
		return err
	}
	if err := w.element(text); err != nil {
		return p.elements.locate(err)
	}
	return nil
}
