package staging

import (
	"context"
	"fmt"
	"iter"
	"runtime/debug"
	"sort"

	"github.com/RoaringBitmap/roaring/v2"
	"github.com/parquet-go/parquet-go/format"

	"github.com/intraydata/intray"
)

// Scan reads some fields of the batches of a stage, in any order, into the same
// memory. It serves one goroutine at a time.
type Scan struct {
	cursor *cursor
	wanted []bool
}

// Scan makes what reads batches.
func (s *Stage) Scan() *Scan { return &Scan{cursor: newCursor(s)} }

// RowGroups are the row groups of all segments, in order: one for each batch that
// was staged.
func (s *Stage) RowGroups() []RowGroup {
	var all []RowGroup
	for i := range s.manifest.Segments {
		all = append(all, s.manifest.Segments[i].Groups...)
	}
	return all
}

// ReadFields reads the fields at these places of the batch that has the row; the
// others are left without cells, and so are passed columns and problems. The
// batch is the caller's until the next call.
func (s *Scan) ReadFields(ctx context.Context, row int64, fields []int) (*intray.Batch, error) {
	c := s.cursor
	segment, g, err := c.stage.groupContaining(row)
	if err == nil {
		c.held = 0
		err = c.load(ctx, segment.Name, g.Piece, g.Rows)
	}
	if err != nil {
		return nil, fmt.Errorf("read the staged rows from %d on: %w", row, err)
	}
	s.setWanted(fields)
	b := &c.current
	b.Reset(len(s.wanted))
	if err := s.decode(b); err != nil {
		return nil, fmt.Errorf("read the staged rows from %d on: %w: %s: %w", row, ErrDamaged, segment.Name, err)
	}
	if len(c.lines) == 0 || c.lines[0] != g.First {
		return nil, fmt.Errorf("read the staged rows from %d on: %w: %s holds other rows", row, ErrDamaged, segment.Name)
	}
	b.First = g.First
	return b, nil
}

func (s *Scan) setWanted(fields []int) {
	s.wanted = append(s.wanted[:0], make([]bool, len(s.cursor.stage.manifest.Fields))...)
	for _, f := range fields {
		s.wanted[f] = true
	}
}

// decode reads the columns that are wanted, and those that say which rows they are.
func (s *Scan) decode(b *intray.Batch) error {
	c := s.cursor
	for i := range b.Fields {
		if s.wanted[i] {
			if err := c.decoder.readField(&b.Fields[i]); err != nil {
				return err
			}
			continue
		}
		if err := c.decoder.skipColumns(2); err != nil {
			return err
		}
	}
	for i := range b.Unmapped {
		b.Unmapped[i].Cells.Reset()
	}
	if err := c.decoder.skipColumns(len(c.stage.manifest.Unmapped)); err != nil {
		return err
	}
	var err error
	if c.lines, err = c.decoder.readInts(c.lines); err != nil {
		return err
	}
	b.Lines, err = c.decoder.readInts(b.Lines)
	return err
}

// skipColumns passes over so many columns.
func (d *decoder) skipColumns(columns int) error {
	for range columns {
		h, _, err := d.nextPage()
		if err == nil && h.Type == format.DictionaryPage {
			h, _, err = d.nextPage()
		}
		if err != nil {
			return err
		}
		if h.Type != format.DataPageV2 {
			return errPage
		}
	}
	return nil
}

// groupContaining is groupFor for a row that may not be there.
func (s *Stage) groupContaining(row int64) (*Segment, RowGroup, error) {
	if row < 0 || row >= s.manifest.Rows {
		return nil, RowGroup{}, fmt.Errorf("there is no staged row %d", row)
	}
	segment, g := s.groupFor(row)
	return segment, g, nil
}

// RowsWithProblem gives the rows that have a problem of the kind, which must be one of the
// manifest's. The bitmap must not be changed.
func (s *Stage) RowsWithProblem(ctx context.Context, kind ProblemKind) (*roaring.Bitmap, error) {
	rows, err := s.loadBitmap(ctx, kind.Bitmap)
	if err != nil {
		return nil, fmt.Errorf("read the rows with problems: %w", err)
	}
	return rows, nil
}

// CountRowGroups says how many of the row groups hold any of the rows, which ascend.
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

// AppendRows adds the rows [from, to) of src, a batch of the same layout, to dst,
// without their problems.
func AppendRows(dst, src *intray.Batch, from, to int) { appendRows(dst, src, from, to) }

// Batches gives the whole stage, batch by batch as it was written, with the
// problems of each. A batch is gone with the next step; meanwhile the one behind
// it is read. After an error nothing follows.
func (s *Stage) Batches(ctx context.Context) iter.Seq2[*intray.Batch, error] {
	return func(yield func(*intray.Batch, error) bool) {
		running, stop := context.WithCancel(ctx)
		a := prefetcher{free: make(chan *cursor, 2), done: make(chan prefetched)}
		a.free <- newCursor(s)
		a.free <- newCursor(s)
		go a.read(running, s)
		defer func() {
			stop()
			for next := range a.done { // until nothing is read any more
				a.free <- next.cursor
			}
		}()
		for next := range a.done {
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
			a.free <- next.cursor
		}
	}
}

// prefetcher reads batches in the background. Its two cursors go round: from free to
// the reading, to whoever takes the steps, to free.
type prefetcher struct {
	free chan *cursor
	done chan prefetched
}

// prefetched is the batch of the rows from first on, in the memory of its cursor, or
// what kept it from being read.
type prefetched struct {
	cursor *cursor
	first  int64
	batch  *intray.Batch
	err    error
}

// read reads all batches, up to the first that fails. Every step is taken by
// somebody, so that it never waits for good.
func (a *prefetcher) read(ctx context.Context, s *Stage) {
	defer close(a.done)
	for i := range s.manifest.Segments {
		segment := &s.manifest.Segments[i]
		for _, g := range segment.Groups {
			next := prefetched{cursor: <-a.free, first: g.First}
			next.load(ctx, segment, g)
			a.done <- next
			if next.err != nil {
				return
			}
		}
	}
}

// load reads the batch. A panic is an error of this stage alone, as it would be
// where the rows are asked for.
func (n *prefetched) load(ctx context.Context, s *Segment, g RowGroup) {
	defer func() {
		if r := recover(); r != nil {
			n.err = fmt.Errorf("panic: %v\n%s", r, debug.Stack())
		}
	}()
	n.batch, n.err = n.cursor.readBatch(ctx, s, g)
}
