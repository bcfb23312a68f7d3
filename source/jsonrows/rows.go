package jsonrows

import (
	"context"
	"errors"
	"io"

	"github.com/intraydata/intray"
	"github.com/intraydata/intray/source"
	"github.com/intraydata/intray/source/table"
)

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
