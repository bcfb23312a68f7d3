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
	// ends[i] is where block i ends in the file. The first filled rows are in the file.
	ends   []int64
	filled atomic.Int64

	mu sync.RWMutex // write-locked while the file is closed
	// file is nil if the cache is closed.
	file *filesys.TempFile
}

func newRowCache(folder string, rows *roaring.Bitmap) (*rowCache, error) {
	file, err := filesys.CreateTemp(folder, "intray-rows-*")
	if err != nil {
		return nil, err
	}
	return &rowCache{rows: rows, folder: cmp.Or(folder, os.TempDir()), file: file, ends: make([]int64, (rows.GetCardinality()+blockRows-1)/blockRows)}, nil
}

// position returns the position of a row in the file. It returns false if the row is not in the file.
func (c *rowCache) position(row uint32) (int64, bool) {
	if !c.rows.Contains(row) {
		return 0, false
	}
	at := int64(c.rows.Rank(row)) - 1
	return at, at < c.filled.Load()
}

// covers reports whether all rows are cached, or will be when the cache is filled.
func (c *rowCache) covers(rows *roaring.Bitmap) bool {
	return c != nil && c.rows.AndCardinality(rows) == rows.GetCardinality()
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
		places[i], _ = c.position(row)
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
	return err
}

var errLittleSpace = errors.New("there is little free disk space")

// rowCacheWriter appends rows to a cache.
type rowCacheWriter struct {
	cache *rowCache
	draft *Draft
	// pending are rows that do not fill a block.
	pending *intray.Batch
	blocks  int
	size    int64
	body    []byte
}

// append appends rows. It returns false if the cache is full or closed.
func (w *rowCacheWriter) append(b *intray.Batch) (bool, error) {
	copyRows(w.pending, b, 0, b.Rows())
	rest := w.pending.Rows() % blockRows
	return w.writeBlocks(w.pending.Rows() - rest)
}

// flush writes the last rows.
func (w *rowCacheWriter) flush() (bool, error) { return w.writeBlocks(w.pending.Rows()) }

// writeBlocks writes the first rows of those that are pending.
func (w *rowCacheWriter) writeBlocks(rows int) (bool, error) {
	w.body = w.body[:0]
	for first := 0; first < rows; first += blockRows {
		block := w.draft.newBatch()
		copyRows(block, w.pending, first, min(first+blockRows, rows))
		start := len(w.body)
		w.body = writeRows(w.body, block)
		w.body = binary.LittleEndian.AppendUint32(w.body, checksum(w.body[start:]))
		w.cache.ends[w.blocks] = w.size + int64(len(w.body))
		w.blocks++
	}
	w.cache.mu.RLock()
	defer w.cache.mu.RUnlock()
	if w.cache.file == nil || w.size+int64(len(w.body)) > w.draft.cfg.limits.cached {
		return false, nil
	}
	if free, known := filesys.FreeSpace(w.cache.folder); known && free < w.draft.cfg.limits.free {
		return false, errLittleSpace
	}
	if _, err := w.cache.file.WriteAt(w.body, w.size); err != nil {
		return false, err
	}
	w.size += int64(len(w.body))
	w.cache.filled.Add(int64(rows))
	rest := w.draft.newBatch()
	copyRows(rest, w.pending, rows, w.pending.Rows())
	w.pending = rest
	return true, nil
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
			if c == nil {
				break
			}
			if _, in := c.position(row); in {
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

// cacheSorted starts caching the rows of a sorted view, because a window of them may need a read for each row.
func (d *Draft) cacheSorted(rows *roaring.Bitmap) {
	staged := rows.Clone()
	staged.RemoveRange(uint64(d.staged), 1<<32)
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

// cacheRows replaces a cache by one of other rows, which are read in the background. The cache serves the
// first rows while the others are read. It is only a copy: where it lacks rows, they are read from the stage.
func (d *Draft) cacheRows(to *atomic.Pointer[rowCache], rows *roaring.Bitmap) {
	if rows.IsEmpty() || rows.GetCardinality() > maxCacheRows {
		return
	}
	c, err := newRowCache(d.cfg.Temp, rows)
	if err != nil {
		return
	}
	_ = to.Swap(c).close()
	d.runInBackground(func(ctx context.Context) {
		// If the stage cannot be read, the next call that reads these rows returns the error. If the disk
		// is full, the file must not remain.
		if err := d.fillCache(ctx, c); err != nil {
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
	// Reading one span takes about 1 ms, which does not noticeably delay concurrent calls.
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
			_, err = w.flush()
			return err
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
