package draft

import (
	"cmp"
	"context"
	"slices"
	"sync/atomic"
	"time"

	"github.com/RoaringBitmap/roaring/v2"

	"github.com/intraydata/intray"
)

// The rows that match a filter may be scattered over many row groups of the stage. Reading a
// window of such rows requires a read for each row group that contains any of them. The row
// caches hold copies of the rows to avoid these reads.

const (
	// maxCacheBytes and maxCacheRows are the maximum size of one cache.
	maxCacheBytes = 64 << 20
	// minRowsPerGroup is the average number of matching rows per row group at or above which a
	// cache is unnecessary.
	minRowsPerGroup = 100
	maxCacheRows    = 300_000
	// minGroups is the maximum number of row groups for which a cache is unnecessary.
	minGroups = 8
	// A draft is idle if no call is in progress and the last one ended at least idleDelay ago.
	// Before each span, the goroutine that fills a cache waits up to maxYield for the draft to
	// become idle.
	idleDelay = 5 * time.Millisecond
	maxYield  = 10 * time.Millisecond
)

// rowCache holds copies of rows of the stage. It is immutable.
type rowCache struct {
	rows  *roaring.Bitmap
	batch *intray.Batch
}

// read returns rows from the cache. All of them must be cached.
func (s *rowCache) read(_ context.Context, rows []uint32) (*intray.Batch, error) {
	places := make([]int64, len(rows))
	for i, row := range rows {
		places[i] = int64(s.rows.Rank(row)) - 1
	}
	return pickRows(s.batch, places), nil
}

// rowCaches are the caches of a draft: one for rows with problems, and one for the
// results of the last search or the rows of the last sorted view.
type rowCaches struct {
	problems, search atomic.Pointer[rowCache]
}

// find returns the cache that contains the first of the given rows, or nil.
func (s *rowCaches) find(rows []uint32) *rowCache {
	if len(rows) == 0 {
		return nil
	}
	for _, p := range []*atomic.Pointer[rowCache]{&s.problems, &s.search} {
		if f := p.Load(); f != nil && f.rows.Contains(rows[0]) {
			return f
		}
	}
	return nil
}

// isScattered reports whether the rows are scattered enough over the stage to need a cache.
func (d *Draft) isScattered(rows *roaring.Bitmap) bool {
	groups := d.cfg.Stage.CountRowGroups(rows)
	return groups > minGroups && rows.GetCardinality() < uint64(groups)*minRowsPerGroup
}

// cacheSorted starts caching the rows of a sorted view. A window of them may need a read for each row. Scattered
// rows are cached when they are searched for or, if they have problems, when the draft is opened.
func (d *Draft) cacheSorted(rows *roaring.Bitmap) {
	if rows.GetCardinality() > maxCacheRows || d.isScattered(rows) || d.cfg.Stage.CountRowGroups(rows) <= minGroups {
		return
	}
	staged := rows.Clone()
	staged.RemoveRange(uint64(d.staged), 1<<32)
	d.cacheRows(&d.caches.search, staged)
}

// fillCaches starts caching the rows with rare kinds of problems in the background.
func (d *Draft) fillCaches(ctx context.Context) error {
	var rare []*roaring.Bitmap
	for _, k := range d.cfg.Stage.Manifest().Kinds {
		rows, err := d.cfg.Stage.RowsWithProblem(ctx, k)
		if err != nil {
			return err
		}
		if d.isScattered(rows) {
			rare = append(rare, rows)
		}
	}
	slices.SortFunc(rare, func(a, b *roaring.Bitmap) int { return cmp.Compare(a.GetCardinality(), b.GetCardinality()) })
	all := roaring.New()
	for _, rows := range rare {
		if more := roaring.Or(all, rows); more.GetCardinality() <= maxCacheRows {
			all = more
		}
	}
	d.cacheRows(&d.caches.problems, all)
	return nil
}

// cacheRows caches rows of the stage in the background.
func (d *Draft) cacheRows(to *atomic.Pointer[rowCache], rows *roaring.Bitmap) {
	if rows.IsEmpty() {
		return
	}
	d.runInBackground(func(ctx context.Context) {
		made := &rowCache{rows: roaring.New(), batch: d.newBatch()}
		var some []uint32
		size := 0
		it := rows.Iterator()
		// Reading one span takes about 1 ms, which does not noticeably delay concurrent calls.
		for _, at := range d.spansOf(rows) {
			if size >= maxCacheBytes {
				break
			}
			for some = some[:0]; it.HasNext() && it.PeekNext() < at.end; {
				some = append(some, it.Next())
			}
			d.yieldToCalls(ctx)
			b, err := d.cfg.Stage.Rows(ctx, toInt64(some))
			if err != nil {
				return // the next call that reads the rows returns the error
			}
			size += sizeOf(b)
			copyRows(made.batch, b, 0, b.Rows())
			made.rows.AddMany(some)
		}
		to.Store(made)
	})
}

// yieldToCalls waits until the draft is idle, but at most maxYield.
func (d *Draft) yieldToCalls(ctx context.Context) {
	tick := time.NewTicker(time.Millisecond)
	defer tick.Stop()
	for end := time.Now().Add(maxYield); d.calls.isBusy() && time.Now().Before(end); {
		select {
		case <-tick.C:
		case <-ctx.Done():
			return
		}
	}
}

// callTracker tracks the calls to a draft that are in progress.
type callTracker struct {
	open atomic.Int32
	last atomic.Int64 // end of the last call, in Unix nanoseconds
}

func (c *callTracker) begin() { c.open.Add(1) }

func (c *callTracker) end() {
	c.last.Store(time.Now().UnixNano())
	c.open.Add(-1)
}

func (c *callTracker) isBusy() bool {
	return c.open.Load() > 0 || time.Since(time.Unix(0, c.last.Load())) < idleDelay
}

// runInBackground calls the function work in a goroutine. The context that it passes to work is
// canceled when the draft is closed.
func (d *Draft) runInBackground(work func(ctx context.Context)) {
	d.background.Go(func() {
		ctx, stop := context.WithCancel(context.Background())
		defer stop()
		go func() {
			select {
			case <-d.closing:
				stop()
			case <-ctx.Done():
			}
		}()
		work(ctx)
	})
}
