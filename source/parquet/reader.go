package parquet

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"

	"github.com/intraydata/intray"
	"github.com/intraydata/intray/internal/parquetio"
	"github.com/intraydata/intray/source"
)

const (
	// heldBytes is the approximate maximum size of the decompressed pages in memory. If it is
	// exceeded, columns decompress their pages again for each run of rows.
	heldBytes = 128 << 20
	// runBytes is the approximate maximum size of the text in a run of rows. runCells and
	// runRows are the maximum numbers of its cells and rows.
	runBytes = 16 << 20
	runCells = 1 << 20
	runRows  = 2048
	// A column has at most sampleCells samples of at most sampleCell bytes each. The total size
	// of all samples is at most about sampleBytes.
	sampleCells = 20
	sampleCell  = 64 << 10
	sampleBytes = 4 << 20
)

// reader returns the records of a file. It reads a run of consecutive rows column by column
// and returns it row by row.
type reader struct {
	book          *book
	pages         *parquetio.PageReader
	columns       []intray.Column
	columnReaders []*columnReader
	cursors       []*parquetio.Cursor
	chunks        []parquetio.ColumnChunk

	// nextGroup is the index of the next row group. rowsLeft is the number of rows that remain
	// in the current row group, including those of the current run.
	nextGroup int
	rowsLeft  int64
	// runLen is the number of rows in the run, and pos is the index of the next row to return.
	runLen, pos int
	// rowSizes holds the sizes of the buffered rows in bytes, starting with the first row of
	// the run.
	rowSizes      []int
	bufferedBytes int
	// maxBuffered is the approximate maximum size of buffered text in bytes. maxHeld is the
	// approximate maximum size of the pages held by the cursors, in bytes.
	maxBuffered, maxHeld int
	// rows is the number of records returned. line is the number of the next record.
	rows, line    int64
	headerPending bool
	failed        error
}

func newReader(b *book) *reader {
	r := &reader{book: b, pages: parquetio.NewPageReader(b.in, b.footer.Offset), maxBuffered: runBytes, maxHeld: heldBytes, line: 1}
	for _, l := range b.tree.leaves {
		r.cursors = append(r.cursors, parquetio.NewCursor(r.pages, &l.Leaf))
	}
	for i, c := range b.tree.columns {
		r.columns = append(r.columns, intray.Column{Index: i, Header: c.header})
		r.columnReaders = append(r.columnReaders, &columnReader{column: c, cursors: r.cursors[c.node.first:c.node.end], limit: b.opt.Limits.CellBytes})
	}
	if r.headerPending = b.opt.AsIs && len(r.columns) > 0; r.headerPending {
		for i := range r.columns {
			r.columns[i].Header = ""
		}
	}
	if len(r.columnReaders) == 0 {
		r.failed = io.EOF
	}
	return r
}

// readSamples reads the first run of rows and copies its first cells to the samples of the
// columns. It ignores damage. Next returns the records before the damage and then reports it.
func (r *reader) readSamples(ctx context.Context) error {
	if len(r.columnReaders) > 0 {
		_ = r.nextRun(ctx) // the error is stored in r.failed
	}
	if r.failed != nil && !isSourceError(r.failed) && !errors.Is(r.failed, io.EOF) {
		return r.failed
	}
	size := 0
	for i, c := range r.columnReaders {
		column := &r.columns[i]
		for row := 0; row < r.runLen && len(column.Samples) < sampleCells && size < sampleBytes; row++ {
			if cell, _ := r.cellText(c, row); len(cell) > 0 && len(cell) <= sampleCell {
				column.Samples = append(column.Samples, string(cell))
				size += len(cell)
			}
		}
	}
	return nil
}

func (r *reader) Columns() []intray.Column { return r.columns }

func (r *reader) Evidence() []intray.Evidence {
	reason := intray.NewMessage("parquet.column_names", intray.Params{"columns": columnCount(len(r.columns))})
	if r.book.opt.AsIs {
		reason = intray.JoinMessages(reason, intray.NewMessage("header.names_are_first_record", nil))
	}
	return append([]intray.Evidence{{Choice: "header row", Value: "names", Reason: reason}}, r.book.leafEvidence()...)
}

func columnCount(n int) intray.Message {
	return intray.NewMessage("count.columns", intray.Params{"n": n})
}

func (r *reader) Close() error {
	r.failed = fmt.Errorf("read a closed Parquet sheet: %w", fs.ErrClosed)
	r.runLen, r.pos, r.columnReaders, r.cursors, r.headerPending = 0, 0, nil, nil, false
	return nil
}

func (r *reader) Next(ctx context.Context, batch *intray.Records) error {
	batch.Reset()
	if err := ctx.Err(); err != nil {
		return err
	}
	batch.First = r.rows
	if r.headerPending {
		r.headerPending = false
		for _, c := range r.columnReaders {
			batch.AppendCell([]byte(c.column.header))
		}
		batch.EndRecord(1)
	}
	for !batch.IsFull() {
		if r.pos == r.runLen {
			if r.failed != nil || r.nextRun(ctx) != nil {
				break
			}
		}
		r.appendRow(batch)
	}
	r.rows += int64(batch.Len())
	if batch.Len() > 0 {
		return nil
	}
	return r.failed
}

// nextRun reads the next run of rows. It stores an error in r.failed, and returns it only if
// no rows were read before it.
func (r *reader) nextRun(ctx context.Context) error {
	for _, c := range r.columnReaders {
		r.bufferedBytes -= len(c.text)
		c.discard(r.runLen)
		r.bufferedBytes += len(c.text)
	}
	r.rowSizes = append(r.rowSizes[:0], r.rowSizes[min(r.runLen, len(r.rowSizes)):]...)
	r.rowsLeft -= int64(r.runLen)
	r.runLen, r.pos = 0, 0
	var n int
	err := recoverPanic(func() (err error) {
		n, err = r.fillColumns(ctx)
		return err
	})
	r.runLen = n
	if err != nil {
		r.failed = locateError(err, r.line+int64(n), "")
	}
	if n > 0 {
		return nil
	}
	return r.failed
}

// fillColumns buffers the next rows of all columns, up to the limits of a run, and returns the
// number of rows. If an error affects only later rows, it returns the rows and the error.
func (r *reader) fillColumns(ctx context.Context) (n int, failed error) {
	for r.rowsLeft == 0 {
		if err := r.nextRowGroup(); err != nil {
			return 0, err
		}
	}
	n = int(min(r.rowsLeft, runRows, max(int64(runCells/len(r.columnReaders)), 1)))
	for _, c := range r.columnReaders {
		if err := ctx.Err(); err != nil {
			return 0, err
		}
		var err error
		if n, err = r.fillColumn(ctx, c, n); err != nil {
			if failed = locateError(err, r.line+int64(n), c.column.header); !isSourceError(failed) {
				return 0, failed
			}
		}
		if r.pages.Held > r.maxHeld {
			c.release()
		}
		if n == 0 {
			break
		}
	}
	return n, failed
}

// fillColumn buffers the cells of a column for up to n rows, and returns the number of these
// rows for which a cell is buffered.
func (r *reader) fillColumn(ctx context.Context, c *columnReader, n int) (int, error) {
	if c.buffered() >= n {
		return n, nil
	}
	r.pages.Reclaim = func() {
		for _, other := range r.columnReaders {
			if other != c {
				other.release()
			}
		}
	}
	if err := c.restore(); err != nil {
		return c.buffered(), err
	}
	for c.buffered() < n {
		row := c.buffered()
		if row > 0 && r.bufferedBytes >= r.maxBuffered {
			return row, nil
		}
		size, err := c.readCell(ctx)
		if err != nil {
			return row, err
		}
		r.bufferedBytes += size
		for len(r.rowSizes) <= row {
			r.rowSizes = append(r.rowSizes, 0)
		}
		if r.rowSizes[row] += size; r.rowSizes[row] > r.book.opt.Limits.RecordBytes {
			return row, parquetio.Limited(intray.NewMessage("row.too_long", intray.Params{"limit": r.book.opt.Limits.RecordBytes}))
		}
	}
	return n, nil
}

func (r *reader) nextRowGroup() (err error) {
	for i, c := range r.cursors {
		if !c.AtEnd() {
			return fmt.Errorf("read row group %d: %w", r.nextGroup,
				parquetio.Damaged(intray.NewMessage("parquet.too_many_values", intray.Params{"column": source.Excerpt(r.book.tree.leaves[i].path)})))
		}
	}
	if r.nextGroup == len(r.book.footer.RowGroups) {
		return io.EOF
	}
	g := r.book.footer.RowGroups[r.nextGroup]
	r.nextGroup++
	if r.chunks, err = r.book.footer.ReadChunks(g, len(r.cursors), r.chunks[:0]); err != nil {
		return err
	}
	for i, c := range r.cursors {
		c.Open(r.chunks[i])
	}
	r.rowsLeft = g.Rows
	return nil
}

// cellText returns the text of a buffered cell in the format that the options require.
func (r *reader) cellText(c *columnReader, row int) ([]byte, intray.CellKind) {
	text, kind := c.cell(row)
	if kind == intray.CellDateTime && r.book.opt.Typed {
		text = trimZone(text)
	}
	return text, kind
}

func (r *reader) appendRow(batch *intray.Records) {
	for _, c := range r.columnReaders {
		switch text, kind := r.cellText(c, r.pos); kind {
		case intray.CellText:
			batch.AppendCell(text)
		case intray.CellDateTime:
			batch.AppendTyped(text, kind, typedTimestamp(text))
		default:
			batch.AppendTyped(text, kind, text)
		}
	}
	batch.EndRecord(r.line)
	r.line++
	r.pos++
}
