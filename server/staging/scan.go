package staging

import (
	"context"
	"fmt"
	"iter"
	"runtime/debug"
	"sort"

	"github.com/RoaringBitmap/roaring/v2"

	"github.com/intraydata/intray"
)

// Scan reads some fields of the batches of a stage, in any order, and reuses memory.
// It must not be used concurrently.
type Scan struct {
	cursor *cursor
	wanted []bool
}

// Scan returns a Scan of the stage.
func (s *Stage) Scan() *Scan {
	return &Scan{cursor: newCursor(s), wanted: make([]bool, len(s.manifest.Fields))}
}

// RowGroups returns the row groups of all segments in order. Each batch that was
// staged has one row group.
func (s *Stage) RowGroups() []RowGroup {
	var all []RowGroup
	for i := range s.manifest.Segments {
		all = append(all, s.manifest.Segments[i].Groups...)
	}
	return all
}

// Keep reports whether a column of a field is needed: its values or its raw values. texts includes all
// distinct strings of the column, each in one piece, and other bytes between them. If the values are
// needed, so are the raw values.
type Keep func(field int, texts []byte) bool

// ReadFields reads the given fields of the batch that contains row. It leaves all other fields,
// unmapped columns and problems empty, and the columns that keep rejects. keep may be nil. The batch
// is valid until the next call.
func (s *Scan) ReadFields(ctx context.Context, row int64, fields []int, keep Keep) (*intray.Batch, error) {
	c := s.cursor
	if row < 0 || row >= c.stage.manifest.Rows {
		return nil, fmt.Errorf("read staged rows: row %d does not exist", row)
	}
	clear(s.wanted)
	for _, f := range fields {
		s.wanted[f] = true
	}
	c.held = 0 // the current batch may contain different fields
	segment, g := c.stage.groupFor(row)
	if err := c.readRows(ctx, segment, g, s.wanted, keep); err != nil {
		return nil, fmt.Errorf("read the staged rows from %d on: %w", row, err)
	}
	return &c.current, nil
}

// RowsWithProblem returns the rows that have a problem of the given kind, which must
// be in the manifest. The caller must not modify the bitmap.
func (s *Stage) RowsWithProblem(ctx context.Context, kind ProblemKind) (*roaring.Bitmap, error) {
	rows, err := s.loadBitmap(ctx, kind.Bitmap)
	if err != nil {
		return nil, fmt.Errorf("read the rows with problems: %w", err)
	}
	return rows, nil
}

// CountRowGroups returns the number of row groups that contain at least one of the rows.
func (s *Stage) CountRowGroups(rows *roaring.Bitmap) int {
	n := 0
	for i := range s.manifest.Segments {
		groups := s.manifest.Segments[i].Groups
		for at := 0; at < len(groups); at++ {
			next := rows.NextValue(uint32(groups[at].First))
			if next < 0 {
				return n
			}
			at += sort.Search(len(groups)-at, func(k int) bool { return groups[at+k].First+groups[at+k].Rows > next })
			if at < len(groups) {
				n++
			}
		}
	}
	return n
}

// Batches yields the batches of the stage as they were written, with their problems.
// A batch is valid until the next iteration. Meanwhile, the following batch is read
// in the background. The sequence ends after an error.
func (s *Stage) Batches(ctx context.Context) iter.Seq2[*intray.Batch, error] {
	return func(yield func(*intray.Batch, error) bool) {
		running, stop := context.WithCancel(ctx)
		p := prefetcher{free: make(chan *cursor, 2), done: make(chan prefetched)}
		p.free <- newCursor(s)
		p.free <- newCursor(s)
		go p.read(running, s)
		defer func() {
			stop()
			for next := range p.done { // until the reader has stopped
				p.free <- next.cursor
			}
		}()
		for next := range p.done {
			if next.err == nil {
				next.err = ctx.Err()
			}
			if next.err != nil {
				yield(nil, fmt.Errorf("read the staged rows from %d on: %w", next.first, next.err))
				return
			}
			if !yield(next.batch, nil) {
				return
			}
			p.free <- next.cursor
		}
	}
}

// prefetcher reads batches in the background. It has two cursors. Each cursor goes from free to
// the reading goroutine, then, with a prefetched batch, to the consumer, and then back to free.
type prefetcher struct {
	free chan *cursor
	done chan prefetched
}

// prefetched is a batch in the memory of its cursor, or the error that occurred while the batch
// was being read. first is the index of its first row.
type prefetched struct {
	cursor *cursor
	first  int64
	batch  *intray.Batch
	err    error
}

// read reads all batches until the first error. The consumer receives each of them,
// so read never blocks forever.
func (p *prefetcher) read(ctx context.Context, s *Stage) {
	defer close(p.done)
	for i := range s.manifest.Segments {
		segment := &s.manifest.Segments[i]
		for _, g := range segment.Groups {
			next := prefetched{cursor: <-p.free, first: g.First}
			next.load(ctx, segment, g)
			p.done <- next
			if next.err != nil {
				return
			}
		}
	}
}

// load reads the batch. It converts a panic to an error, because the consumer cannot
// recover a panic in this goroutine.
func (n *prefetched) load(ctx context.Context, s *Segment, g RowGroup) {
	defer func() {
		if r := recover(); r != nil {
			n.err = fmt.Errorf("panic: %v\n%s", r, debug.Stack())
		}
	}()
	n.batch, n.err = n.cursor.readBatch(ctx, s, g)
}
