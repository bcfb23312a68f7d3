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
	book    *book
	shelf   *shelf
	columns []intray.Column
	lanes   []*lane
	cursors []*cursor
	chunks  []chunk

	// group is the next row group, left how many rows of the one at hand are not
	// handed on.
	group int
	left  int64
	// run is how many rows are ready, and at the next of them.
	run, at int
	// sums are the lengths of the records from the next run on, waiting the
	// bytes of all lanes.
	sums    []int
	waiting int
	// most is about how many bytes may wait.
	most int
	// rows counts the records handed on, line is the number of the next one.
	rows, line int64
	heading    bool
	failed     error
}

func newReader(b *book) *reader {
	r := &reader{book: b, shelf: newShelf(b), most: runBytes, line: 1}
	for _, l := range b.tree.leaves {
		r.cursors = append(r.cursors, &cursor{shelf: r.shelf, leaf: l})
	}
	for i, c := range b.tree.columns {
		r.columns = append(r.columns, intray.Column{Index: i, Header: c.header})
		r.lanes = append(r.lanes, &lane{column: c, cursors: r.cursors[c.node.first:c.node.end], limit: b.opt.Limits.CellBytes})
	}
	if r.heading = b.opt.AsIs && len(r.columns) > 0; r.heading {
		for i := range r.columns {
			r.columns[i].Header = ""
		}
	}
	if len(r.lanes) == 0 {
		r.failed = io.EOF
	}
	return r
}

// sample reads the first run of rows for the samples of the columns. What is
// wrong with the file is told behind the records before it.
func (r *reader) sample(ctx context.Context) error {
	if len(r.lanes) > 0 {
		_ = r.next(ctx) // it is kept as failed
	}
	if r.failed != nil && !isTyped(r.failed) && !errors.Is(r.failed, io.EOF) {
		return r.failed
	}
	taken := 0
	for i, l := range r.lanes {
		column := &r.columns[i]
		for row := 0; row < r.run && len(column.Samples) < sampleCells && taken < sampleBytes; row++ {
			if cell, _ := r.shown(l, row); len(cell) > 0 && len(cell) <= sampleCell {
				column.Samples = append(column.Samples, string(cell))
				taken += len(cell)
			}
		}
	}
	return nil
}

func isTyped(err error) bool {
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
	r.run, r.at, r.lanes, r.cursors, r.heading = 0, 0, nil, nil, false
	return nil
}

func (r *reader) Next(ctx context.Context, batch *intray.Records) error {
	batch.Reset()
	if err := ctx.Err(); err != nil {
		return err
	}
	batch.First = r.rows
	if r.heading {
		r.heading = false
		for _, l := range r.lanes {
			batch.AppendCell([]byte(l.column.header))
		}
		batch.EndRecord(1)
	}
	for !batch.Full() {
		if r.at == r.run {
			if r.failed != nil || r.next(ctx) != nil {
				break
			}
		}
		r.hand(batch)
	}
	r.rows += int64(batch.Len())
	if batch.Len() > 0 {
		return nil
	}
	return r.failed
}

// next gets the next run of rows ready. Its error is kept as failed; where rows
// were ready before it, they come first.
func (r *reader) next(ctx context.Context) error {
	for _, l := range r.lanes {
		r.waiting -= len(l.text)
		l.pass(r.run)
		l.close()
		r.waiting += len(l.text)
	}
	r.sums = append(r.sums[:0], r.sums[min(r.run, len(r.sums)):]...)
	r.left -= int64(r.run)
	r.run, r.at = 0, 0
	var n int
	err := guarded(func() (err error) {
		n, err = r.fill(ctx)
		return err
	})
	r.run = n
	if err != nil {
		r.failed = told(err, r.line+int64(n), "")
	}
	if n > 0 {
		return nil
	}
	return r.failed
}

// fill fills all lanes with as many rows as they can have, and says how many.
func (r *reader) fill(ctx context.Context) (n int, failed error) {
	for r.left == 0 {
		if err := r.turn(); err != nil {
			return 0, err
		}
	}
	n = int(min(r.left, runRows, max(int64(runCells/len(r.lanes)), 1)))
	for _, l := range r.lanes {
		if err := ctx.Err(); err != nil {
			return 0, err
		}
		most, err := r.fillLane(ctx, l, n)
		n = most
		if err != nil {
			if failed = told(err, r.line+int64(n), l.column.header); !isTyped(failed) {
				return 0, failed
			}
		}
		if r.shelf.held > r.shelf.most {
			l.park()
		}
		if n == 0 {
			break
		}
	}
	return n, failed
}

// fillLane fills a lane with up to n rows, and says how many of them it has.
func (r *reader) fillLane(ctx context.Context, l *lane, n int) (int, error) {
	if l.ready() >= n {
		return n, nil
	}
	if err := l.wake(); err != nil {
		return l.ready(), err
	}
	for l.ready() < n {
		row := l.ready()
		if row > 0 && r.waiting >= r.most {
			return row, nil
		}
		size, err := l.add(ctx)
		if err != nil {
			return row, err
		}
		r.waiting += size
		for len(r.sums) <= row {
			r.sums = append(r.sums, 0)
		}
		if r.sums[row] += size; r.sums[row] > r.book.opt.Limits.RecordBytes {
			return row, limitReached{intray.NewMessage("row.too_long", intray.Params{"limit": r.book.opt.Limits.RecordBytes})}
		}
	}
	return n, nil
}

// turn goes on to the next row group.
func (r *reader) turn() (err error) {
	for _, c := range r.cursors {
		if !c.ended() {
			return fmt.Errorf("read row group %d: %w", r.group, damage{intray.NewMessage("parquet.too_many_values", intray.Params{"column": source.Excerpt(c.leaf.path)})})
		}
	}
	if r.group == len(r.book.footer.groups) {
		return io.EOF
	}
	g := r.book.footer.groups[r.group]
	r.group++
	if r.chunks, err = r.book.footer.chunks(g, len(r.cursors), r.chunks[:0]); err != nil {
		return err
	}
	for i, c := range r.cursors {
		c.begin(r.chunks[i])
	}
	r.left = g.rows
	return nil
}

// shown is the text of a waiting cell as it is handed on.
func (r *reader) shown(l *lane, row int) ([]byte, intray.CellKind) {
	text, kind := l.cell(row)
	if kind == intray.CellDateTime && r.book.opt.Typed {
		text = zoneless(text)
	}
	return text, kind
}

// hand appends the next row.
func (r *reader) hand(batch *intray.Records) {
	for _, l := range r.lanes {
		switch text, kind := r.shown(l, r.at); kind {
		case intray.CellText:
			batch.AppendCell(text)
		case intray.CellDateTime:
			batch.AppendTyped(text, kind, momentValue(text))
		default:
			batch.AppendTyped(text, kind, text)
		}
	}
	batch.EndRecord(r.line)
	r.line++
	r.at++
}
