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

// Rows of a filter that lie far apart are in as many batches of the stage, and a
// window of them would cost as many reads. So they are put on a shelf beside each
// other, in memory, as they are in the stage.

const (
	// maxCacheBytes bounds a shelf.
	maxCacheBytes = 48 << 20
	// minRowsPerGroup is how many rows a batch of the stage has of those that need no
	// shelf.
	minRowsPerGroup = 100
	// maxCacheRows bounds it too.
	maxCacheRows = 300_000
	// minGroups is how many rows fit into a window anyway.
	minGroups = 8
	// idleDelay is how long nobody must have called before there is time for a shelf, and
	// patience is how long each part of one waits for that.
	idleDelay = 5 * time.Millisecond
	maxYield  = 10 * time.Millisecond
)

// rowCache holds rows of the stage. It is never changed.
type rowCache struct {
	rows  *roaring.Bitmap
	batch *intray.Batch
}

// read gives rows of the shelf, which must have them.
func (s *rowCache) read(_ context.Context, rows []uint32) (*intray.Batch, error) {
	places := make([]int64, len(rows))
	for i, row := range rows {
		places[i] = int64(s.rows.Rank(row)) - 1
	}
	return pickRows(s.batch, places), nil
}

// rowCaches are those of a draft: that of the rows with problems, and that of the
// last search.
type rowCaches struct {
	problems, search atomic.Pointer[rowCache]
}

// find gives the shelf that has the first of some rows, or nil.
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

func (s *rowCaches) close() error {
	s.problems.Store(nil)
	s.search.Store(nil)
	return nil
}

// isScattered says whether rows of the stage need a shelf.
func (d *Draft) isScattered(rows *roaring.Bitmap) bool {
	groups := d.cfg.Stage.CountRowGroups(rows)
	return groups > minGroups && rows.GetCardinality() < uint64(groups)*minRowsPerGroup
}

// fillCaches begins to put the rows with problems of rare kinds on a shelf.
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

// cacheRows puts rows of the stage on a shelf, in the background.
func (d *Draft) cacheRows(to *atomic.Pointer[rowCache], rows *roaring.Bitmap) {
	if rows.IsEmpty() {
		return
	}
	d.runInBackground(func(ctx context.Context) {
		made := &rowCache{rows: roaring.New(), batch: d.newBatch()}
		var some []uint32
		size := 0
		it := rows.Iterator()
		// A span is read in a millisecond or so: who calls meanwhile does not notice.
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
				return // who reads the rows is told of it
			}
			size += sizeOf(b)
			copyRows(made.batch, b, 0, b.Rows())
			made.rows.AddMany(some)
		}
		to.Store(made)
	})
}

// yieldToCalls waits while others call, so that they have the processors, but not for long:
// it is for them that a shelf is made.
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

// callTracker are those of others.
type callTracker struct {
	open atomic.Int32
	last atomic.Int64 // when the last one ended, in nanoseconds
}

func (c *callTracker) begin() { c.open.Add(1) }

func (c *callTracker) end() {
	c.last.Store(time.Now().UnixNano())
	c.open.Add(-1)
}

func (c *callTracker) isBusy() bool {
	return c.open.Load() > 0 || time.Since(time.Unix(0, c.last.Load())) < idleDelay
}

// runInBackground does work in the background, until the draft is closed.
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
