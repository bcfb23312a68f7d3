package draft

import (
	"cmp"
	"context"
	"encoding/binary"
	"errors"
	"io"
	"os"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/RoaringBitmap/roaring/v2"

	"github.com/intraydata/intray"
	"github.com/intraydata/intray/internal/filesys"
	"github.com/intraydata/intray/internal/ordered"
)

// The rows that match a filter may be scattered over many row groups of the stage. Reading a
// window of such rows requires a read for each row group that contains any of them. The row
// caches hold copies of the rows to avoid these reads.

const (
	// maxCacheRows is the maximum number of rows in one cache.
	maxCacheRows = maxSortedRows
	// blockRows is the number of rows that a cache reads at a time.
	blockRows = 16
	// minRowsPerGroup is the average number of matching rows per row group at or above which a
	// cache is unnecessary.
	minRowsPerGroup = 20
	// minGroups is the maximum number of row groups for which a cache is unnecessary.
	minGroups = 8
	// maxFillers is the maximum number of goroutines that read rows for a cache.
	maxFillers = 2
	// A draft is idle if no call is in progress and the last one ended at least idleDelay ago.
	// A goroutine that fills a cache waits up to maxYield for the draft to become idle before it
	// reads each span.
	idleDelay = 5 * time.Millisecond
	maxYield  = 100 * time.Millisecond
)

// rowCache holds copies of rows of the stage in a temporary file, in ascending order. A block of
// blockRows rows is encoded like the rows of a revision, followed by its CRC-32C.
type rowCache struct {
	rows *roaring.Bitmap
	// folder contains the file.
	folder string
	// ends[i] is where block i ends in the file. Rows before the row number filled are in the file.
	ends   []int64
	filled atomic.Int64
	// space is the space for the caches of all drafts, and taken is the part that this cache has taken.
	space *CacheSpace
	taken int64
	// stopped means that the cache remains as it is, although it lacks rows.
	stopped atomic.Bool

	mu sync.RWMutex // write-locked to close the file
	// file is nil if the cache is closed.
	file *filesys.TempFile
}

func (d *Draft) newRowCache(rows *roaring.Bitmap) (*rowCache, error) {
	file, err := filesys.CreateTemp(d.cfg.Temp, "intray-rows-*")
	if err != nil {
		return nil, err
	}
	return &rowCache{
		rows: rows, folder: cmp.Or(d.cfg.Temp, os.TempDir()), file: file, space: d.cfg.CacheSpace,
		ends: make([]int64, (rows.GetCardinality()+blockRows-1)/blockRows),
	}, nil
}

// holds reports whether a row is in the file.
func (c *rowCache) holds(row uint32) bool {
	return c != nil && int64(row) < c.filled.Load() && c.rows.Contains(row)
}

// covers reports whether all rows are in the file, or will be unless an error occurs.
func (c *rowCache) covers(rows *roaring.Bitmap) bool {
	return c != nil && c.rows.AndCardinality(rows) == rows.GetCardinality() && (!c.stopped.Load() || c.holds(rows.Maximum()))
}

// read reads rows. All of them must be in the file.
func (c *rowCache) read(d *Draft, rows []uint32) (*intray.Batch, error) {
	c.mu.RLock()
	defer c.mu.RUnlock()
	if c.file == nil {
		return nil, os.ErrClosed
	}
	places := make([]int64, len(rows))
	for i, row := range rows {
		places[i] = int64(c.rows.Rank(row)) - 1
	}
	out := d.newBatch()
	var body []byte
	for i := 0; i < len(places); {
		number := places[i] / blockRows
		block, read, err := c.readBlock(d, number, body)
		if err != nil {
			return nil, err
		}
		body = read
		for i < len(places) && places[i]/blockRows == number {
			run := i + 1
			for run < len(places) && places[run] == places[run-1]+1 && places[run]/blockRows == number {
				run++
			}
			first := int(places[i] % blockRows)
			copyRows(out, block, first, first+run-i)
			i = run
		}
	}
	return out, nil
}

func (c *rowCache) readBlock(d *Draft, number int64, body []byte) (*intray.Batch, []byte, error) {
	start := int64(0)
	if number > 0 {
		start = c.ends[number-1]
	}
	body = slices.Grow(body[:0], int(c.ends[number]-start))[:c.ends[number]-start]
	if _, err := c.file.ReadAt(body, start); err != nil {
		return nil, body, err
	}
	text := body[:max(0, len(body)-checksumSize)]
	if len(body) < checksumSize || binary.LittleEndian.Uint32(body[len(text):]) != checksum(text) {
		return nil, body, errWrongChecksum
	}
	r := &decoder{rest: text}
	b := r.rows(d, int(min(blockRows, int64(c.rows.GetCardinality())-number*blockRows)))
	if r.err == nil && len(r.rest) > 0 {
		r.setInvalid()
	}
	return b, body, r.err
}

// close removes the file.
func (c *rowCache) close() error {
	if c == nil {
		return nil
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.file == nil {
		return nil
	}
	err := c.file.Close()
	c.file = nil
	c.space.release(c.taken)
	return err
}

// CacheSpace is disk space that several drafts share for copies of rows.
type CacheSpace struct{ free atomic.Int64 }

// NewCacheSpace returns a number of bytes of disk space.
func NewCacheSpace(bytes int64) *CacheSpace {
	s := &CacheSpace{}
	s.free.Store(bytes)
	return s
}

// take takes n bytes. It returns false if there are fewer.
func (s *CacheSpace) take(n int64) bool {
	if s.free.Add(-n) < 0 {
		s.free.Add(n)
		return false
	}
	return true
}

func (s *CacheSpace) release(n int64) { s.free.Add(n) }

var errLittleSpace = errors.New("there is little free disk space")

// rowCacheWriter appends rows to a cache.
type rowCacheWriter struct {
	cache *rowCache
	draft *Draft
	// pending are rows that do not fill a block.
	pending *intray.Batch
	blocks  int
	// size and written are the numbers of bytes and rows in the file.
	size, written int64
	body          []byte
}

// append appends rows. It returns false if the cache accepts no more rows.
func (w *rowCacheWriter) append(b *intray.Batch) (bool, error) {
	copyRows(w.pending, b, 0, b.Rows())
	return w.writeBlocks(w.pending.Rows() / blockRows * blockRows)
}

// flush writes the last rows.
func (w *rowCacheWriter) flush() error {
	_, err := w.writeBlocks(w.pending.Rows())
	return err
}

// writeBlocks writes the first rows of those that are pending.
func (w *rowCacheWriter) writeBlocks(rows int) (bool, error) {
	if rows == 0 {
		return true, nil
	}
	c := w.cache
	w.body = w.body[:0]
	for first := 0; first < rows; first += blockRows {
		block := w.draft.newBatch()
		copyRows(block, w.pending, first, min(first+blockRows, rows))
		start := len(w.body)
		w.body = writeRows(w.body, block)
		w.body = binary.LittleEndian.AppendUint32(w.body, checksum(w.body[start:]))
		c.ends[w.blocks] = w.size + int64(len(w.body))
		w.blocks++
	}
	if more, err := c.writeAt(w.body, w.size, w.draft.cfg.limits); !more || err != nil {
		return false, err
	}
	w.size += int64(len(w.body))
	w.written += int64(rows)
	filled := int64(1 << 32)
	if w.written < int64(c.rows.GetCardinality()) {
		next, err := c.rows.Select(uint32(w.written))
		if err != nil {
			return false, err
		}
		filled = int64(next)
	}
	c.filled.Store(filled)
	rest := w.draft.newBatch()
	copyRows(rest, w.pending, rows, w.pending.Rows())
	w.pending = rest
	return true, nil
}

// writeAt writes a part of the file. It returns false if the cache is closed or has no more space.
func (c *rowCache) writeAt(body []byte, at int64, l limits) (bool, error) {
	c.mu.RLock()
	defer c.mu.RUnlock()
	n := int64(len(body))
	if c.file == nil || at+n > l.cached || !c.space.take(n) {
		c.stopped.Store(true)
		return false, nil
	}
	c.taken += n
	if free, known := filesys.FreeSpace(c.folder); known && free < l.free {
		return false, errLittleSpace
	}
	_, err := c.file.WriteAt(body, at)
	return true, err
}

// rowCaches are the caches of a draft: one for rows with problems, and one for the
// results of the last search or the rows of the last sorted view.
type rowCaches struct {
	problems, search atomic.Pointer[rowCache]
}

// find returns the cache that holds most of the given rows, or nil.
func (s *rowCaches) find(rows []uint32) (best *rowCache) {
	most := 0
	for _, p := range []*atomic.Pointer[rowCache]{&s.problems, &s.search} {
		c, held := p.Load(), 0
		for _, row := range rows {
			if c.holds(row) {
				held++
			}
		}
		if held > most {
			best, most = c, held
		}
	}
	return best
}

// close closes all caches.
func (s *rowCaches) close() error {
	return errors.Join(s.problems.Swap(nil).close(), s.search.Swap(nil).close())
}

// isScattered reports whether the rows are scattered enough over the stage to need a cache.
func (d *Draft) isScattered(rows *roaring.Bitmap) bool {
	groups := d.cfg.Stage.CountRowGroups(rows)
	return groups > minGroups && rows.GetCardinality() < uint64(groups)*minRowsPerGroup
}

// unchangedRows returns those of the rows that exist as they are in the stage.
func (d *Draft) unchangedRows(s *snapshot, rows *roaring.Bitmap) *roaring.Bitmap {
	staged := roaring.And(rows, s.live)
	staged.AndNot(s.touched)
	staged.RemoveRange(uint64(d.staged), 1<<32)
	return staged
}

// cacheSorted starts caching the rows of a sorted view, because a window of them may need a read for each row.
func (d *Draft) cacheSorted(s *snapshot, rows *roaring.Bitmap) {
	staged := d.unchangedRows(s, rows)
	if d.cfg.Stage.CountRowGroups(staged) <= minGroups || d.caches.problems.Load().covers(staged) || d.caches.search.Load().covers(staged) {
		return
	}
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
		if rows = d.unchangedRows(d.now.Load(), rows); d.isScattered(rows) {
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

// cacheRows replaces a cache with one of other rows, which are read in the background. The cache serves the
// first rows while the others are read. It is only a copy: where it lacks rows, they are read from the stage.
func (d *Draft) cacheRows(to *atomic.Pointer[rowCache], rows *roaring.Bitmap) {
	if rows.IsEmpty() || rows.GetCardinality() > maxCacheRows {
		return
	}
	c, err := d.newRowCache(rows)
	if err != nil {
		return
	}
	_ = to.Swap(c).close()
	d.runInBackground(func(ctx context.Context) {
		// If the stage cannot be read, the next call that reads these rows returns the error. If the disk
		// is full, the file must not remain.
		if err := d.fillCache(ctx, c); err != nil {
			to.CompareAndSwap(c, nil)
			_ = c.close()
		}
	})
}

func (d *Draft) fillCache(ctx context.Context, c *rowCache) error {
	spans, it := d.spansOf(c.rows), c.rows.Iterator()
	next := func(context.Context) (rows []int64, err error) {
		if len(spans) == 0 {
			return nil, io.EOF
		}
		for it.HasNext() && it.PeekNext() < spans[0].end {
			rows = append(rows, int64(it.Next()))
		}
		spans = spans[1:]
		return rows, nil
	}
	// Reading one span takes about 1 ms.
	read := func(ctx context.Context, rows []int64) (*intray.Batch, error) {
		d.yieldToCalls(ctx)
		return d.cfg.Stage.Rows(ctx, rows)
	}
	workers := min(runtime.GOMAXPROCS(0), maxFillers)
	batches := ordered.Start(ctx, workers, workers+1, next, func() func(context.Context, []int64) (*intray.Batch, error) { return read })
	defer batches.Close()
	w := rowCacheWriter{cache: c, draft: d, pending: d.newBatch()}
	for {
		b, err := batches.Next(ctx)
		if errors.Is(err, io.EOF) {
			return w.flush()
		}
		if err != nil {
			return err
		}
		if more, err := w.append(b); !more || err != nil {
			return err
		}
	}
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
