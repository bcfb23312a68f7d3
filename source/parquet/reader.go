package parquet

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"

	"github.com/intraydata/intray"
	"github.com/intraydata/intray/source"
)

const (
	// heldBytes is about how much the pages may have that are kept unpacked.
	// Columns beyond it unpack theirs anew for each run of rows.
	heldBytes = 128 << 20
	// runBytes is about how much text a run of rows has while it waits to be
	// handed on; runCells and runRows bound it too.
	runBytes = 16 << 20
	runCells = 1 << 20
	runRows  = 2048
	// sampleCells is how many cells a column shows, none of them longer than
	// sampleCell, and all of them together with about sampleBytes.
	sampleCells = 20
	sampleCell  = 64 << 10
	sampleBytes = 4 << 20
)

// reader pulls the records of a file. Columns are read one after the other for
// a run of rows, and the run is handed on row by row.
type reader struct {
	book          *book
	pages         *pageReader
	columns       []intray.Column
	columnReaders []*columnReader
	cursors       []*cursor
	chunks        []columnChunk

	// nextGroup is the next row group, left how many rows of the one at hand are not
	// handed on.
	nextGroup int
	rowsLeft  int64
	// runLen is how many rows are ready, and at the next of them.
	runLen, pos int
	// rowSizes are the lengths of the records from the next run on, waiting the
	// bytes of all lanes.
	rowSizes      []int
	bufferedBytes int
	// maxBuffered is about how many bytes may wait.
	maxBuffered int
	// rows counts the records handed on, line is the number of the next one.
	rows, line    int64
	headerPending bool
	failed        error
}

func newReader(b *book) *reader {
	r := &reader{book: b, pages: newPageReader(b), maxBuffered: runBytes, line: 1}
	for _, l := range b.tree.leaves {
		r.cursors = append(r.cursors, &cursor{pages: r.pages, leaf: l})
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

// readSamples reads the first run of rows for the samples of the columns. What is
// wrong with the file is told behind the records before it.
func (r *reader) readSamples(ctx context.Context) error {
	if len(r.columnReaders) > 0 {
		_ = r.nextRun(ctx) // it is kept as failed
	}
	if r.failed != nil && !isSourceError(r.failed) && !errors.Is(r.failed, io.EOF) {
		return r.failed
	}
	taken := 0
	for i, l := range r.columnReaders {
		column := &r.columns[i]
		for row := 0; row < r.runLen && len(column.Samples) < sampleCells && taken < sampleBytes; row++ {
			if cell, _ := r.cellText(l, row); len(cell) > 0 && len(cell) <= sampleCell {
				column.Samples = append(column.Samples, string(cell))
				taken += len(cell)
			}
		}
	}
	return nil
}

func isSourceError(err error) bool {
	var unreadable *source.UnreadableError
	var limit *source.LimitError
	return errors.As(err, &unreadable) || errors.As(err, &limit)
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
		for _, l := range r.columnReaders {
			batch.AppendCell([]byte(l.column.header))
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

// nextRun gets the next run of rows ready. Its error is kept as failed; where rows
// were ready before it, they come first.
func (r *reader) nextRun(ctx context.Context) error {
	for _, l := range r.columnReaders {
		r.bufferedBytes -= len(l.text)
		l.discard(r.runLen)
		l.compact()
		r.bufferedBytes += len(l.text)
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

// fillColumns fills all lanes with as many rows as they can have, and says how many.
func (r *reader) fillColumns(ctx context.Context) (n int, failed error) {
	for r.rowsLeft == 0 {
		if err := r.nextRowGroup(); err != nil {
			return 0, err
		}
	}
	n = int(min(r.rowsLeft, runRows, max(int64(runCells/len(r.columnReaders)), 1)))
	for _, l := range r.columnReaders {
		if err := ctx.Err(); err != nil {
			return 0, err
		}
		most, err := r.fillColumn(ctx, l, n)
		n = most
		if err != nil {
			if failed = locateError(err, r.line+int64(n), l.column.header); !isSourceError(failed) {
				return 0, failed
			}
		}
		if r.pages.held > r.pages.most {
			l.release()
		}
		if n == 0 {
			break
		}
	}
	return n, failed
}

// fillColumn fills a lane with up to n rows, and says how many of them it has.
func (r *reader) fillColumn(ctx context.Context, l *columnReader, n int) (int, error) {
	if l.buffered() >= n {
		return n, nil
	}
	if err := l.restore(); err != nil {
		return l.buffered(), err
	}
	for l.buffered() < n {
		row := l.buffered()
		if row > 0 && r.bufferedBytes >= r.maxBuffered {
			return row, nil
		}
		size, err := l.readCell(ctx)
		if err != nil {
			return row, err
		}
		r.bufferedBytes += size
		for len(r.rowSizes) <= row {
			r.rowSizes = append(r.rowSizes, 0)
		}
		if r.rowSizes[row] += size; r.rowSizes[row] > r.book.opt.Limits.RecordBytes {
			return row, limitError{intray.NewMessage("row.too_long", intray.Params{"limit": r.book.opt.Limits.RecordBytes})}
		}
	}
	return n, nil
}

// nextRowGroup goes on to the next row group.
func (r *reader) nextRowGroup() (err error) {
	for _, c := range r.cursors {
		if !c.atEnd() {
			return fmt.Errorf("read row group %d: %w", r.nextGroup, damageError{intray.NewMessage("parquet.too_many_values", intray.Params{"column": source.Excerpt(c.leaf.path)})})
		}
	}
	if r.nextGroup == len(r.book.footer.rowGroups) {
		return io.EOF
	}
	g := r.book.footer.rowGroups[r.nextGroup]
	r.nextGroup++
	if r.chunks, err = r.book.footer.readChunks(g, len(r.cursors), r.chunks[:0]); err != nil {
		return err
	}
	for i, c := range r.cursors {
		c.openChunk(r.chunks[i])
	}
	r.rowsLeft = g.rows
	return nil
}

// cellText is the text of a waiting cell as it is handed on.
func (r *reader) cellText(l *columnReader, row int) ([]byte, intray.CellKind) {
	text, kind := l.cell(row)
	if kind == intray.CellDateTime && r.book.opt.Typed {
		text = trimZone(text)
	}
	return text, kind
}

// appendRow appends the next row.
func (r *reader) appendRow(batch *intray.Records) {
	for _, l := range r.columnReaders {
		switch text, kind := r.cellText(l, r.pos); kind {
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
