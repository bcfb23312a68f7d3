package xmlss

import (
	"context"
	"errors"
	"io"

	"github.com/intraydata/intray"
	"github.com/intraydata/intray/source"
	"github.com/intraydata/intray/source/grid"
)

// mostRow is the highest number of a row. Excel itself has fewer.
const mostRow = 1 << 40

// rows pulls the rows of one sheet.
type rows struct {
	book  *book
	sheet sheet
	scan  *scanner
	// columns are the styles of whole columns, nil where one has none.
	columns []*style
	// hidden are the columns that are not shown, merged the ranges that begin in
	// the row at hand.
	hidden []bool
	merged []grid.Range
	// last is the column that was described last, number the row that was read
	// last.
	last   int64
	number int64

	cells []grid.Cell
	// memory holds the texts of the row's cells, raw the one at hand.
	memory, raw []byte
	count       int64
	err         error
}

func openRows(ctx context.Context, b *book, s sheet) (*rows, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	text, err := b.doc.text(s.at)
	if err != nil {
		return nil, err
	}
	r := &rows{book: b, sheet: s, scan: newScanner(text, b.limits.CellBytes+markupBytes), memory: make([]byte, 0, 1<<10)}
	if _, err := r.scan.child(); err != nil {
		return nil, err
	}
	for {
		more, err := r.scan.child()
		switch {
		case err != nil:
			return nil, err
		case !more:
			r.err = io.EOF
			return r, nil
		case r.scan.is("Table"):
			return r, nil
		}
		if err := r.scan.skip(); err != nil {
			return nil, err
		}
	}
}

var errClosed = errors.New("read a closed sheet")

func (r *rows) Close() error {
	r.err = errClosed
	return nil
}

func (r *rows) Next(ctx context.Context) (grid.Row, error) {
	for r.err == nil {
		if err := ctx.Err(); err != nil {
			return grid.Row{}, err
		}
		row, err := r.element()
		if err != nil {
			r.err = r.onRow(err)
			break
		}
		if len(row.Cells) > 0 {
			return row, nil
		}
	}
	return grid.Row{}, r.err
}

// element reads the next element of the table; what is no row has no cells.
func (r *rows) element() (grid.Row, error) {
	more, err := r.scan.child()
	if err == nil && !more {
		err = io.EOF
	}
	if err != nil {
		return grid.Row{}, err
	}
	switch string(local(r.scan.name)) {
	case "Row":
		return r.row()
	case "Column":
		if err := r.column(); err != nil {
			return grid.Row{}, err
		}
	}
	return grid.Row{}, r.scan.skip()
}

// column notes the style of columns.
func (r *rows) column() error {
	most := int64(r.book.limits.Columns)
	index, err := whole(r.scan.attr("Index"), 1, 1<<31, r.last+1)
	if err != nil {
		return err
	}
	span, err := whole(r.scan.attr("Span"), 0, 1<<31, 0)
	if err != nil {
		return err
	}
	r.last = index + span
	if r.scan.attrTrue("Hidden") {
		for int64(len(r.hidden)) < min(index+span, most) {
			r.hidden = append(r.hidden, int64(len(r.hidden))+1 >= index)
		}
	}
	if st := r.book.survey.styles.of(r.scan.attr("StyleID")); st != nil {
		for c := index; c <= min(index+span, most); c++ {
			for int64(len(r.columns)) < c {
				r.columns = append(r.columns, nil)
			}
			r.columns[c-1] = st
		}
	}
	return nil
}

// row reads a row, which has just started.
func (r *rows) row() (grid.Row, error) {
	number, err := whole(r.scan.attr("Index"), 1, mostRow, r.number+1)
	if err != nil {
		return grid.Row{}, err
	}
	if number <= r.number {
		return grid.Row{}, damaged(intray.NewMessage("workbook.rows_out_of_order", intray.Params{"row": number, "previous": r.number}))
	}
	span, err := whole(r.scan.attr("Span"), 0, mostRow, 0)
	if err != nil {
		return grid.Row{}, err
	}
	r.number = number
	row := grid.Row{Number: number, Hidden: r.scan.attrTrue("Hidden")}
	rowStyle := r.book.survey.styles.of(r.scan.attr("StyleID"))
	r.cells, r.merged, r.memory = r.cells[:0], r.merged[:0], r.memory[:0]
	for next := int64(1); ; {
		more, err := r.scan.child()
		if err != nil {
			return row, err
		}
		if !more {
			break
		}
		if !r.scan.is("Cell") {
			if err := r.scan.skip(); err != nil {
				return row, err
			}
			continue
		}
		if next, err = r.cell(next, rowStyle); err != nil {
			return row, err
		}
	}
	r.number += span // rows that look alike and are empty
	row.Cells = r.cells
	return row, nil
}

// cell reads a cell, which has just started, and gives the column of the next.
func (r *rows) cell(next int64, st *style) (int64, error) {
	limits := r.book.limits
	index, across, down := next, int64(0), int64(0)
	for key, value, rest := attribute(r.scan.attrs); key != nil; key, value, rest = attribute(rest) {
		var err error
		switch string(local(key)) {
		case "Index":
			index, err = whole(value, 1, 1<<31, next)
		case "MergeAcross":
			across, err = whole(value, 0, 1<<31, 0)
		case "MergeDown":
			down, err = whole(value, 0, 1<<31, 0)
		case "StyleID":
			if own := r.book.survey.styles.of(value); own != nil {
				st = own
			}
		}
		if err != nil {
			return 0, err
		}
	}
	if index < next {
		return 0, damaged(intray.NewMessage("xmlss.cells_out_of_order", intray.Params{"column": index, "previous": next - 1}))
	}
	if index > int64(limits.Columns) {
		return 0, &source.LimitError{Reason: intray.NewMessage("row.too_many_cells", intray.Params{"limit": limits.Columns})}
	}
	if r.count++; r.count > limits.Cells {
		return 0, &source.LimitError{Reason: intray.NewMessage("sheet.too_many_cells", intray.Params{"limit": limits.Cells})}
	}
	if st == nil && index <= int64(len(r.columns)) {
		st = r.columns[index-1]
	}
	if st == nil {
		st = r.book.survey.styles.standard
	}
	found := len(r.cells)
	err := r.values(int(index)-1, st)
	if len(r.cells) > found && across+down > 0 {
		last := min(index+across, int64(limits.Columns))
		r.merged = append(r.merged, grid.Range{FirstRow: r.number, LastRow: r.number + down, FirstColumn: int(index) - 1, LastColumn: int(last) - 1})
	}
	return index + across + 1, err
}

// Merged is described at [grid.Merged].
func (r *rows) Merged() []grid.Range {
	ranges := r.merged
	r.merged = nil
	return ranges
}

// Hides is described at [grid.Hiding].
func (r *rows) Hides(column int) bool { return column < len(r.hidden) && r.hidden[column] }

// values reads what stands in a cell. Only the first value counts.
func (r *rows) values(column int, st *style) error {
	for found := false; ; {
		more, err := r.scan.child()
		if err != nil || !more {
			return err
		}
		if found || !r.scan.is("Data") {
			if err := r.scan.skip(); err != nil {
				return err
			}
			continue
		}
		found = true
		kind := typeOf(r.scan.attr("Type"))
		if r.raw, err = r.scan.content(r.raw[:0], r.book.limits.CellBytes); err != nil {
			return err
		}
		if c := r.shown(kind, st); len(c.Value) > 0 {
			c.Column = column
			r.cells = append(r.cells, c)
		}
		if len(r.memory) > r.book.limits.RecordBytes {
			return &source.LimitError{Reason: intray.NewMessage("row.too_long", intray.Params{"limit": r.book.limits.RecordBytes})}
		}
	}
}

// onRow says in an error which row it is about.
func (r *rows) onRow(err error) error {
	var damage *source.UnreadableError
	var limit *source.LimitError
	switch {
	case errors.As(err, &damage):
		return &source.UnreadableError{Line: max(r.number, 1), Reason: damage.Reason}
	case errors.As(err, &limit):
		return &source.LimitError{Line: max(r.number, 1), Reason: limit.Reason}
	}
	return err
}
