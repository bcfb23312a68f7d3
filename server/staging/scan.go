package staging

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"runtime"
	"sort"
	"sync"
	"time"

	"github.com/RoaringBitmap/roaring/v2"

	"github.com/intraydata/intray"
	"github.com/intraydata/intray/internal/ordered"
)

// Scan reads some fields of the batches of a stage, in any order, and reuses memory.
// It must not be used concurrently.
type Scan struct {
	cursor  *cursor
	columns []columns
}

// columns selects the columns of a field that are read.
type columns uint8

const (
	noColumns columns = iota
	rawColumn
	bothColumns
)

// Scan returns a Scan of the stage.
func (s *Stage) Scan() *Scan {
	return &Scan{cursor: newCursor(s), columns: make([]columns, len(s.manifest.Fields))}
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

// Keep selects the columns of fields that are read: their values and their raw values. If the values of a
// field are read, so are its raw values. A nil Keep selects all columns.
type Keep interface {
	// KeepValues reports whether the values of a field may be needed, before they are decompressed.
	KeepValues(field int) bool
	// KeepTexts reports whether a column of a field is needed. texts includes all distinct strings of the
	// column, each in one piece, and other bytes between them.
	KeepTexts(field int, texts []byte) bool
}

// ReadFields reads the given fields of the batch that contains row. It leaves all other fields,
// unmapped columns and problems empty, and the columns that keep does not select. keep may be nil. The
// batch is valid until the next call.
func (s *Scan) ReadFields(ctx context.Context, row int64, fields []int, keep Keep) (*intray.Batch, error) {
	c := s.cursor
	if row < 0 || row >= c.stage.manifest.Rows {
		return nil, fmt.Errorf("read staged rows: row %d does not exist", row)
	}
	clear(s.columns)
	for _, f := range fields {
		s.columns[f] = bothColumns
		if keep != nil && !keep.KeepValues(f) {
			s.columns[f] = rawColumn
		}
	}
	c.held = 0 // the current batch may contain different fields
	segment, g := c.stage.groupFor(row)
	if err := c.readRows(ctx, segment, g, s.columns, keep); err != nil {
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

// maxReaders is the maximum number of batches that are read at the same time. Each needs a few megabytes.
const maxReaders = 4

// Batches yields the batches of the stage as they were written, with their problems.
// A batch is valid until the next iteration, unless the consumer keeps it. Meanwhile, the
// following batches are read in the background. The sequence ends after an error.
func (s *Stage) Batches(ctx context.Context) iter.Seq2[*intray.Batch, error] {
	return func(yield func(*intray.Batch, error) bool) {
		readers := min(runtime.GOMAXPROCS(0), maxReaders)
		r := batchReader{stage: s}
		groups := s.RowGroups()
		batches := ordered.Start(ctx, readers, readers+1, func(context.Context) (g RowGroup, err error) {
			if len(groups) == 0 {
				return g, io.EOF
			}
			g, groups = groups[0], groups[1:]
			return g, nil
		}, func() func(context.Context, RowGroup) (*cursor, error) { return r.read })
		defer batches.Close()
		for first := int64(0); ; {
			c, err := batches.Next(ctx)
			if errors.Is(err, io.EOF) {
				return
			}
			if err = cmp.Or(err, ctx.Err()); err != nil {
				yield(nil, fmt.Errorf("read the staged rows from %d on: %w", first, err))
				return
			}
			b, kept := &c.current, false
			first = b.First + int64(b.Rows())
			b.OnKeep(func() func() {
				kept = true
				return func() { r.release(c) }
			})
			if !yield(b, nil) {
				return
			}
			if !kept {
				r.release(c)
			}
		}
	}
}

// batchReader reads batches in the background.
type batchReader struct {
	stage *Stage
	mu    sync.Mutex
	// free are cursors for reuse. The one that was used last is used first, because each cursor reads the
	// problems of a batch from a group, which it keeps for the next batches.
	free []*cursor
}

// read reads a batch into the memory of a cursor, which it returns.
func (r *batchReader) read(ctx context.Context, g RowGroup) (*cursor, error) {
	start := time.Now()
	defer func() { r.stage.reading.Add(int64(time.Since(start))) }()
	c := r.takeCursor()
	segment, _ := r.stage.groupFor(g.First)
	_, err := c.readBatch(ctx, segment, g)
	return c, err
}

func (r *batchReader) takeCursor() *cursor {
	r.mu.Lock()
	defer r.mu.Unlock()
	if len(r.free) == 0 {
		return newCursor(r.stage)
	}
	c := r.free[len(r.free)-1]
	r.free = r.free[:len(r.free)-1]
	return c
}

func (r *batchReader) release(c *cursor) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.free = append(r.free, c)
}

// ReadTime returns the total time in which all goroutines of Batches read rows. It includes the time in
// which they waited for the store or a processor.
func (s *Stage) ReadTime() time.Duration { return time.Duration(s.reading.Load()) }
