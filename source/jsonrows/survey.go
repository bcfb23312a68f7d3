package jsonrows

import (
	"context"
	"errors"
	"io"
	"slices"

	"github.com/intraydata/intray"
	"github.com/intraydata/intray/source"
	"github.com/intraydata/intray/source/headerdetect"
)

// A column has at most sampleCells samples of at most sampleCell bytes each. The total size of
// all samples is about sampleBytes at most.
const (
	sampleCells = 20
	sampleCell  = 64 << 10
	sampleBytes = 4 << 20
)

const (
	// contextCheckInterval is the number of members or values between two checks of the
	// context while tableFinder searches for tables.
	contextCheckInterval = 64
	// surveyBytes is the number of bytes that one worker parses at a time in the first pass.
	surveyBytes = 256 << 10
)

// sheetShape is the result of the first pass: the columns and the number of elements.
type sheetShape struct {
	names   *nameTree
	columns []intray.Column
	count   int64
	// bytes is the total length of the elements, and of the text between them, in bytes.
	bytes int64
	// These apply if the elements are arrays: skip is the number of elements before the first
	// record, and header is the choice of the header.
	skip   int64
	header intray.Evidence
	// sampled is the total size of all samples in bytes.
	sampled int
}

// surveySheet reads a whole sheet to find its columns.
func surveySheet(ctx context.Context, b *book, p tableLocation) (*sheetShape, error) {
	if p.arrayElements {
		return surveyArrays(ctx, b, p)
	}
	limits := b.opt.Limits
	found := &sheetShape{names: newNameTree(limits)}
	if err := found.collect(ctx, b, p); err != nil {
		return nil, err
	}
	b.opt.Work.Add(surveyWork(found.count, found.bytes))
	found.columns = found.names.freeze()
	if cells := found.count * int64(len(found.columns)); cells > limits.Cells {
		return nil, &source.LimitError{Reason: intray.NewMessage("json_file.too_many_cells", intray.Params{"elements": found.count, "columns": len(found.columns), "limit": limits.Cells})}
	}
	return found, nil
}

// surveyWork returns the work of the first pass over a number of elements with a total length in
// bytes, in units of source.Work.
func surveyWork(elements, bytes int64) int64 { return 64*elements + 4*bytes }

// collect reads all elements of a table and collects their names and samples.
func (s *sheetShape) collect(ctx context.Context, b *book, p tableLocation) error {
	w := newElementWalker(b, p, s.names, s.addCell)
	pass := newPass(b, p, min(b.chunk, surveyBytes))
	pass.sequentialUntil = pass.offset + int64(pass.size)/4 // learn the names first
	pass.newWorker = func() func(*chunk) { return newSurveyWorker(b, s).read }
	defer pass.close()
	for {
		if err := ctx.Err(); err != nil {
			return err
		}
		job, err := pass.nextChunk(ctx)
		if err != nil {
			return err
		}
		if job != nil {
			for _, m := range job.observations {
				m.name.filled = true
				if m.cell != "" && s.samplesWanted(m.name) > 0 {
					s.addSample(m.name, m.cell)
				}
			}
			pass.chunks.recycle(job)
			continue
		}
		err = walkNextElement(pass, w)
		if errors.Is(err, io.EOF) {
			s.count, s.bytes = pass.count-1, pass.offset-p.start
			return nil
		}
		if err != nil {
			return err
		}
	}
}

// addCell adds a column for a name unless it has one, and adds the cell to the samples if more
// are needed.
func (s *sheetShape) addCell(n *nameNode, cell []byte) error {
	if err := s.names.addColumn(n); err != nil || len(cell) == 0 {
		return err
	}
	n.filled = true
	if s.samplesWanted(n) > 0 && len(cell) <= sampleCell {
		s.addSample(n, string(cell))
	}
	return nil
}

// samplesWanted returns the number of further samples that a column needs.
func (s *sheetShape) samplesWanted(n *nameNode) int {
	if s.sampled > sampleBytes {
		return 0
	}
	return sampleCells - len(n.samples)
}

func (s *sheetShape) addSample(n *nameNode, cell string) {
	n.samples = append(n.samples, cell)
	s.sampled += len(cell)
}

// newElementWalker returns a walker for the elements of a table.
func newElementWalker(b *book, p tableLocation, tree *nameTree, visit func(*nameNode, []byte) error) *elementWalker {
	return &elementWalker{names: tree, visit: visit, cellBytes: b.opt.Limits.CellBytes, columns: b.opt.Limits.Columns, outerDepth: p.outerDepth()}
}

// walkNextElement reads one element and passes it to the walker.
func walkNextElement(p *pass, w *elementWalker) error {
	text, err := p.nextElement()
	if err != nil {
		return err
	}
	if err := w.walkElement(text); err != nil {
		return p.elements.locate(err)
	}
	return nil
}

// observation is a cell that a worker found in the first pass. cell is a sample for the
// column, or "" if it only matters that the column has text.
type observation struct {
	name *nameNode
	cell string
}

// surveyWorker parses chunks in the first pass.
type surveyWorker struct {
	scan *lineScanner
	// initial holds the status of each name when the worker was created. current holds the
	// status in the current chunk. Both are indexed by the id of the name.
	initial, current []nameStatus
	observations     []observation
}

// nameStatus describes the state of a name in the first pass: whether it has a column, whether
// an element has text for it, and how many more samples it needs.
type nameStatus struct {
	column, filled bool
	samples        uint8
}

// newSurveyWorker returns a worker for the first pass. It must not be called while the
// observations of a chunk are being merged.
func newSurveyWorker(b *book, s *sheetShape) *surveyWorker {
	y := &surveyWorker{initial: make([]nameStatus, s.names.count), current: make([]nameStatus, s.names.count)}
	y.addStatus(s, s.names.root)
	y.scan = newLineScanner(b.in, s.names, b.opt.Limits, y)
	// No leaf matters once all columns have text and enough samples.
	y.scan.skipLeaves = !slices.ContainsFunc(y.initial, func(w nameStatus) bool { return w.column && (!w.filled || w.samples > 0) })
	return y
}

func (y *surveyWorker) addStatus(s *sheetShape, n *nameNode) {
	y.initial[n.id] = nameStatus{column: n.column != noColumn, filled: n.filled, samples: uint8(s.samplesWanted(n))}
	for _, child := range n.children {
		y.addStatus(s, child)
	}
}

// addElement records the leaves of an element. It returns false if the name of a leaf has no column yet.
func (y *surveyWorker) addElement(text []byte, leaves []leaf) bool {
	for i := range leaves {
		l := &leaves[i]
		w := &y.current[l.name.id]
		if !w.column {
			return false
		}
		size := l.to - l.from
		if size == 0 || w.filled && (w.samples == 0 || size > sampleCell) {
			continue
		}
		w.filled = true
		if size > sampleCell {
			y.observations = append(y.observations, observation{name: l.name})
			continue
		}
		y.observations = append(y.observations, observation{l.name, string(text[l.from:l.to])})
		w.samples = max(w.samples, 1) - 1
	}
	return true
}

// read parses a chunk into its observations.
func (y *surveyWorker) read(job *chunk) {
	copy(y.current, y.initial)
	y.observations = job.observations
	job.count, job.badOffset, job.complete = y.readElements(job)
	job.observations = y.observations
}

func (y *surveyWorker) readElements(job *chunk) (count, bad int64, plain bool) {
	if !y.scan.reset(job.text, job.from) {
		return 0, job.from, false
	}
	for at := y.scan.nextElement(0); at < len(job.text); at = y.scan.nextElement(at) {
		from := at
		if at = y.scan.scanElement(at); at == notFound {
			return 0, job.from + int64(from), false
		}
		count++
	}
	return count, 0, true
}

// headerSearchRows is the maximum number of arrays that are searched for the header.
const headerSearchRows = 300

// arraySurvey is the first pass over a table whose elements are arrays.
type arraySurvey struct {
	sheetShape
	limits source.Limits
	width  int
	cells  int64
	// firstRows holds the first elements, and size is their approximate total size in bytes.
	firstRows [][]string
	size      int
}

// surveyArrays reads a whole sheet of arrays to find its width and its header.
func surveyArrays(ctx context.Context, b *book, p tableLocation) (*sheetShape, error) {
	s := &arraySurvey{limits: b.opt.Limits}
	pass := newPass(b, p, 0)
	w := newElementWalker(b, p, nil, nil)
	for {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		text, err := pass.nextElement()
		if errors.Is(err, io.EOF) {
			s.count = pass.count - 1
			b.opt.Work.Add(surveyWork(s.count, pass.offset-p.start))
			return s.finish(ctx, b.opt)
		}
		if err != nil {
			return nil, err
		}
		cells, err := w.arrayCells(text)
		if err == nil {
			err = s.addRow(cells)
		}
		if err != nil {
			return nil, pass.elements.locate(err)
		}
	}
}

// addRow adds the cells of one element.
func (s *arraySurvey) addRow(cells [][]byte) error {
	s.width = max(s.width, len(cells))
	s.cells += int64(len(cells))
	switch {
	case s.width > s.limits.Columns:
		return tooManyColumnsError(s.limits.Columns)
	case s.cells > s.limits.Cells:
		return beyond(intray.NewMessage("sheet.too_many_cells", intray.Params{"limit": s.limits.Cells}))
	case len(s.firstRows) == headerSearchRows || s.size > sampleBytes:
		return nil
	}
	row := make([]string, len(cells))
	for i, cell := range cells {
		row[i] = string(cell)
		s.size += len(cell) + 16
	}
	s.firstRows = append(s.firstRows, row)
	return nil
}

// findHeader finds the header, or returns the requested one.
func (s *arraySurvey) findHeader(ctx context.Context, opt source.Options) (headerdetect.Layout, error) {
	switch {
	case opt.AsIs:
		return headerdetect.Layout{Reason: intray.NewMessage("header.not_searched", nil)}, nil
	case opt.HeaderRow == source.NoHeader:
		return headerdetect.Layout{Reason: intray.NewMessage("header.none_requested", nil)}, nil
	case opt.HeaderRow > len(s.firstRows):
		return headerdetect.Layout{}, &source.UnreadableError{Reason: intray.NewMessage("header.row_out_of_range", intray.Params{"row": opt.HeaderRow, "n": len(s.firstRows)})}
	case opt.HeaderRow > 0:
		first := opt.HeaderRow - 1
		return headerdetect.Layout{Width: s.width, First: first, Headers: min(max(1, opt.HeaderRows), len(s.firstRows)-first), Reason: intray.NewMessage("option.requested", nil)}, nil
	}
	layout, err := headerdetect.FindLayout(ctx, s.firstRows, 0)
	return layout.Prefer(s.firstRows, opt.HeaderScore), err
}

// finish finds the header and builds the columns.
func (s *arraySurvey) finish(ctx context.Context, opt source.Options) (*sheetShape, error) {
	layout, err := s.findHeader(ctx, opt)
	if err != nil {
		return nil, err
	}
	var names []string
	if layout.Headers > 0 {
		names = layout.ColumnNames(s.firstRows)
	}
	s.skip, s.header = int64(min(layout.BodyStart(), len(s.firstRows))), layout.Evidence(s.firstRows, 0)
	total := 0
	for i := range s.width {
		c := intray.Column{Index: i}
		if i < len(names) {
			c.Header = names[i]
			total += len(names[i])
			if over := s.limits.HeaderLimitReason(i+1, len(names[i]), total); !over.IsZero() {
				return nil, &source.LimitError{Reason: over}
			}
		}
		s.columns = append(s.columns, c)
	}
	for _, row := range s.firstRows[s.skip:] {
		for i, cell := range row {
			if c := &s.columns[i]; cell != "" && len(c.Samples) < sampleCells && len(cell) <= sampleCell {
				c.Samples = append(c.Samples, cell)
			}
		}
	}
	return &s.sheetShape, nil
}

// arrayCells returns the cells of an element, which must be an array.
func (w *elementWalker) arrayCells(text []byte) (cells [][]byte, err error) {
	w.text, w.scratch, w.cells, w.numbers = text, w.scratch[:0], w.cells[:0], w.numbers[:0]
	for at := skipSpace(text, 1); text[at] != ']'; {
		if len(w.cells) == w.columns {
			return nil, tooManyColumnsError(w.columns)
		}
		cell, end, err := w.cellAt(at, 1+w.outerDepth)
		if err != nil {
			return nil, err
		}
		w.cells, w.numbers = append(w.cells, cell), append(w.numbers, w.isNumber)
		if at = skipSpace(text, end); text[at] == ',' {
			at = skipSpace(text, at+1)
		}
	}
	return w.cells, nil
}
