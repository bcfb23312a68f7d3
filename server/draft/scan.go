package draft

import (
	"context"
	"runtime"
	"sort"
	"sync"
	"sync/atomic"

	"github.com/RoaringBitmap/roaring/v2"
	"golang.org/x/sync/errgroup"

	"github.com/intraydata/intray"
	"github.com/intraydata/intray/server/staging"
)

// span is a range of rows [first, end).
type span struct{ first, end uint32 }

// addedAtOnce is the maximum number of added rows that are read at a time.
const addedAtOnce = 4096

// spansOf returns the spans that contain at least one of the rows.
func (d *Draft) spansOf(rows *roaring.Bitmap) []span {
	var out []span
	at := 0
	for next := rows.NextValue(0); next >= 0; {
		row := uint32(next)
		var s span
		if row < d.staged {
			for d.spans[at].end <= row {
				at++
			}
			s = d.spans[at]
		} else {
			s = span{row, uint32(min(next+addedAtOnce, maxRows))}
		}
		out = append(out, s)
		next = rows.NextValue(s.end)
	}
	return out
}

// spanWork processes one span.
type spanWork func(ctx context.Context, at span) error

// eachSpan processes each span that contains at least one of the rows, on all cores
// and in any order. It calls newWork once per goroutine. It calls progress with row
// counts, but never concurrently.
func (d *Draft) eachSpan(ctx context.Context, rows *roaring.Bitmap, progress func(done, total int64), newWork func() spanWork) error {
	spans := d.spansOf(rows)
	var next atomic.Int64
	var group *errgroup.Group
	group, ctx = errgroup.WithContext(ctx)
	report := progressOf(spans, progress)
	for range min(len(spans), runtime.GOMAXPROCS(0)) {
		group.Go(func() error {
			do := newWork()
			for i := next.Add(1) - 1; i < int64(len(spans)); i = next.Add(1) - 1 {
				if err := ctx.Err(); err != nil {
					return err
				}
				if err := do(ctx, spans[i]); err != nil {
					return err
				}
				report(spans[i])
			}
			return nil
		})
	}
	return group.Wait()
}

// progressOf returns a function that adds the rows of a finished span to the row count and calls
// progress.
func progressOf(spans []span, progress func(done, total int64)) func(at span) {
	if progress == nil {
		return func(span) {}
	}
	var mu sync.Mutex
	var done, total int64
	for _, s := range spans {
		total += int64(s.end - s.first)
	}
	return func(at span) {
		mu.Lock()
		defer mu.Unlock()
		done += int64(at.end - at.first)
		progress(done, total)
	}
}

// fieldReader reads some fields of rows, span by span. Each goroutine needs its own.
type fieldReader struct {
	draft  *Draft
	snap   *snapshot
	fields []int
	// keep rejects columns of staged rows that need not be read. It may be nil.
	keep   staging.Keep
	scan   *staging.Scan
	places []int
	list   []uint32
}

func (d *Draft) newFieldReader(s *snapshot, fields []int, keep staging.Keep) *fieldReader {
	return &fieldReader{draft: d, snap: s, fields: fields, keep: keep, scan: d.cfg.Stage.Scan()}
}

// rowChunk holds some rows of a span. Row rows[i] of the draft is row at[i] of the
// batch. The batch may contain other rows, too.
type rowChunk struct {
	batch *intray.Batch
	rows  []uint32
	at    []int
}

// readSpan reads those of the given rows that are in a span. The result is valid
// until the next call. Only the fields of the reader are guaranteed to be filled, except for columns
// that keep rejects.
func (l *fieldReader) readSpan(ctx context.Context, at span, rows *roaring.Bitmap) ([]rowChunk, error) {
	l.list, l.places = l.list[:0], l.places[:0]
	var changed []uint32
	touched := l.snap.touched.IntersectsWithInterval(uint64(at.first), uint64(at.end))
	for it := iterateFrom(rows, at.first); it.HasNext(); {
		row := it.Next()
		if row >= at.end {
			break
		}
		if touched && l.snap.touched.Contains(row) {
			changed = append(changed, row)
			continue
		}
		l.list, l.places = append(l.list, row), append(l.places, int(row-at.first))
	}
	var out []rowChunk
	if len(l.list) > 0 {
		b, err := l.scan.ReadFields(ctx, int64(at.first), l.fields, l.keep)
		if err != nil {
			return nil, err
		}
		out = append(out, rowChunk{b, l.list, l.places})
	}
	if len(changed) > 0 {
		b, err := l.draft.readRows(ctx, l.snap, changed)
		if err != nil {
			return nil, err
		}
		out = append(out, rowChunk{b, changed, sequence(len(changed))})
	}
	return out, nil
}

// iterateFrom iterates over the rows of a bitmap that are not less than first.
func iterateFrom(rows *roaring.Bitmap, first uint32) roaring.IntPeekable {
	it := rows.Iterator()
	it.AdvanceIfNeeded(first)
	return it
}

// sequence returns the numbers from 0 to n-1.
func sequence(n int) []int {
	out := make([]int, n)
	for i := range out {
		out[i] = i
	}
	return out
}

// spanOf returns the span that contains a row of the stage.
func (d *Draft) spanOf(row uint32) span {
	at := sort.Search(len(d.spans), func(i int) bool { return d.spans[i].end > row })
	return d.spans[at]
}
