package jsonrows

import (
	"context"
	"errors"
	"io"

	"github.com/intraydata/intray"
	"github.com/intraydata/intray/source"
	"github.com/intraydata/intray/source/table"
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

// met is text that a worker of the first pass met: a sample of a column, or ""
// where it is only known that the column has some.
type met struct {
	name *name
	cell string
	// before is what was open about the name.
	before wish
}

// merge takes over what a worker met, in its order.
func (s *shape) merge(all []met) {
	for _, m := range all {
		m.name.filled = true
		if m.cell != "" && s.wants(m.name) > 0 {
			s.sample(m.name, m.cell)
		}
	}
}

// A surveyor is a worker of the first pass.
type surveyor struct {
	scan *scan
	// wanted holds for each name what was open about it when the workers began,
	// open what is open in the chunk at hand.
	wanted, open []wish
	met          []met
	// first is the first of met that comes from the element at hand.
	first int
}

// wish is what the first pass has yet to learn about a name.
type wish struct {
	column, filled bool
	samples        uint8
}

// newSurveyor is called while no worker is busy.
func newSurveyor(b *book, s *shape) *surveyor {
	y := &surveyor{wanted: make([]wish, s.names.count), open: make([]wish, s.names.count)}
	y.note(s, s.names.root)
	y.scan = newScan(b.in, s.names, b.opt.Limits, y)
	return y
}

func (y *surveyor) note(s *shape, n *name) {
	y.wanted[n.id] = wish{column: n.column != noColumn, filled: n.filled, samples: uint8(s.wants(n))}
	for _, child := range n.children {
		y.note(s, child)
	}
}

// leaf makes sure that a leaf has a column.
func (y *surveyor) leaf(n *name, text []byte, from, to int, _ bool) bool {
	w := &y.open[n.id]
	switch size := to - from; {
	case !w.column:
		return false
	case size == 0 || w.filled && (w.samples == 0 || size > sampleCell):
	case size > sampleCell:
		y.met = append(y.met, met{name: n, before: *w})
	default:
		y.met = append(y.met, met{n, string(text[from:to]), *w})
		w.samples = max(w.samples, 1) - 1
	}
	w.filled = w.filled || to > from
	return true
}

func (y *surveyor) again() {
	for i := len(y.met) - 1; i >= y.first; i-- {
		y.open[y.met[i].name.id] = y.met[i].before
	}
	y.met = y.met[:y.first]
}

// read goes through a chunk.
func (y *surveyor) read(job *chunk) {
	copy(y.open, y.wanted)
	y.met = job.met
	job.count, job.bad, job.plain = y.elements(job)
	job.met = y.met
}

func (y *surveyor) elements(job *chunk) (count, bad int64, plain bool) {
	if !y.scan.begin(job.text, job.from) {
		return 0, job.from, false
	}
	for at := y.scan.next(0); at < len(job.text); at = y.scan.next(at) {
		from := at
		y.first = len(y.met)
		if at = y.scan.row(at); at == none {
			return 0, job.from + int64(from), false
		}
		count++
	}
	return count, 0, true
}

// findRows is how many of the first arrays are looked through for the header.
const findRows = 300

// rowsShape is what the first pass learns where each element is an array.
type rowsShape struct {
	shape
	limits source.Limits
	width  int
	cells  int64
	// texts are the first elements, which take about size bytes.
	texts [][]string
	size  int
}

// surveyRows reads a whole sheet for its width and its header.
func surveyRows(ctx context.Context, b *book, p part) (*shape, error) {
	s := &rowsShape{limits: b.opt.Limits}
	way := newPass(b, p, 0)
	w := newWalk(b, p, nil, nil)
	for {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		text, err := way.element()
		if errors.Is(err, io.EOF) {
			s.count = way.count - 1
			return s.finish(ctx, b.opt)
		}
		if err != nil {
			return nil, err
		}
		cells, err := w.row(text)
		if err == nil {
			err = s.take(cells)
		}
		if err != nil {
			return nil, way.elements.locate(err)
		}
	}
}

// take learns from one element.
func (s *rowsShape) take(cells [][]byte) error {
	s.width = max(s.width, len(cells))
	s.cells += int64(len(cells))
	switch {
	case s.width > s.limits.Columns:
		return tooManyColumns(s.limits.Columns)
	case s.cells > s.limits.Cells:
		return beyond(intray.NewMessage("sheet.too_many_cells", intray.Params{"limit": s.limits.Cells}))
	case len(s.texts) == findRows || s.size > sampleBytes:
		return nil
	}
	row := make([]string, len(cells))
	for i, cell := range cells {
		row[i] = string(cell)
		s.size += len(cell) + 16
	}
	s.texts = append(s.texts, row)
	return nil
}

// finish finds the header and makes the columns.
func (s *rowsShape) finish(ctx context.Context, opt source.Options) (*shape, error) {
	layout := table.Layout{Reason: intray.NewMessage("header.not_searched", nil)}
	var names []string
	if !opt.AsIs {
		var err error
		if layout, err = table.Find(ctx, s.texts, 0); err != nil {
			return nil, err
		}
		if layout = layout.Prefer(s.texts, opt.Names); layout.Headers > 0 {
			names = layout.Names(s.texts)
			s.headed = layout.First + 1
		}
	}
	s.skip, s.reason = int64(min(layout.Body(), len(s.texts))), layout.Reason
	total := 0
	for i := range s.width {
		c := intray.Column{Index: i}
		if i < len(names) {
			c.Header = names[i]
			total += len(names[i])
			if over := s.limits.OverHeader(i+1, len(names[i]), total); !over.IsZero() {
				return nil, &source.LimitError{Reason: over}
			}
		}
		s.columns = append(s.columns, c)
	}
	for _, row := range s.texts[s.skip:] {
		for i, cell := range row {
			if c := &s.columns[i]; cell != "" && len(c.Samples) < sampleCells && len(cell) <= sampleCell {
				c.Samples = append(c.Samples, cell)
			}
		}
	}
	return &s.shape, nil
}

// row gives the cells of an element that is an array.
func (w *walk) row(text []byte) (cells [][]byte, err error) {
	w.text, w.scratch, w.cells, w.numbers = text, w.scratch[:0], w.cells[:0], w.numbers[:0]
	for at := skipSpace(text, 1); text[at] != ']'; {
		if len(w.cells) == w.columns {
			return nil, tooManyColumns(w.columns)
		}
		cell, end, err := w.cell(at, 1+w.outer)
		if err != nil {
			return nil, err
		}
		w.cells, w.numbers = append(w.cells, cell), append(w.numbers, w.number)
		if at = skipSpace(text, end); text[at] == ',' {
			at = skipSpace(text, at+1)
		}
	}
	return w.cells, nil
}
