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
	// shelfBytes bounds a shelf.
	shelfBytes = 48 << 20
	// closeBy is how many rows a batch of the stage has of those that need no
	// shelf.
	closeBy = 100
	// shelfRows bounds it too.
	shelfRows = 300_000
	// enough is how many rows fit into a window anyway.
	enough = 8
	// lull is how long nobody must have called before there is time for a shelf, and
	// patience is how long each part of one waits for that.
	lull     = 5 * time.Millisecond
	patience = 10 * time.Millisecond
)

// shelf holds rows of the stage. It is never changed.
type shelf struct {
	rows  *roaring.Bitmap
	batch *intray.Batch
}

// read gives rows of the shelf, which must have them.
func (s *shelf) read(_ context.Context, rows []uint32) (*intray.Batch, error) {
	places := make([]int64, len(rows))
	for i, row := range rows {
		places[i] = int64(s.rows.Rank(row)) - 1
	}
	return pick(s.batch, places), nil
}

// shelves are those of a draft: that of the rows with problems, and that of the
// last search.
type shelves struct {
	problems, search atomic.Pointer[shelf]
}

// of gives the shelf that has the first of some rows, or nil.
func (s *shelves) of(rows []uint32) *shelf {
	if len(rows) == 0 {
		return nil
	}
	for _, p := range []*atomic.Pointer[shelf]{&s.problems, &s.search} {
		if f := p.Load(); f != nil && f.rows.Contains(rows[0]) {
			return f
		}
	}
	return nil
}

func (s *shelves) close() error {
	s.problems.Store(nil)
	s.search.Store(nil)
	return nil
}

// farApart says whether rows of the stage need a shelf.
func (d *Draft) farApart(rows *roaring.Bitmap) bool {
	groups := d.cfg.Stage.GroupsOf(rows)
	return groups > enough && rows.GetCardinality() < uint64(groups)*closeBy
}

// openShelves begins to put the rows with problems of rare kinds on a shelf.
func (d *Draft) openShelves(ctx context.Context) error {
	var rare []*roaring.Bitmap
	for _, k := range d.cfg.Stage.Manifest().Kinds {
		rows, err := d.cfg.Stage.Marked(ctx, k)
		if err != nil {
			return err
		}
		if d.farApart(rows) {
			rare = append(rare, rows)
		}
	}
	slices.SortFunc(rare, func(a, b *roaring.Bitmap) int { return cmp.Compare(a.GetCardinality(), b.GetCardinality()) })
	all := roaring.New()
	for _, rows := range rare {
		if more := roaring.Or(all, rows); more.GetCardinality() <= shelfRows {
			all = more
		}
	}
	d.shelve(&d.shelves.problems, all)
	return nil
}

// shelve puts rows of the stage on a shelf, in the background.
func (d *Draft) shelve(to *atomic.Pointer[shelf], rows *roaring.Bitmap) {
	if rows.IsEmpty() {
		return
	}
	d.beside(func(ctx context.Context) {
		made := &shelf{rows: roaring.New(), batch: d.blank()}
		var some []uint32
		size := 0
		it := rows.Iterator()
		// A span is read in a millisecond or so: who calls meanwhile does not notice.
		for _, at := range d.spansOf(rows) {
			if size >= shelfBytes {
				break
			}
			for some = some[:0]; it.HasNext() && it.PeekNext() < at.end; {
				some = append(some, it.Next())
			}
			d.giveWay(ctx)
			b, err := d.cfg.Stage.Rows(ctx, wide(some))
			if err != nil {
				return // who reads the rows is told of it
			}
			size += sizeOf(b)
			takeRun(made.batch, b, 0, b.Rows())
			made.rows.AddMany(some)
		}
		to.Store(made)
	})
}

// giveWay waits while others call, so that they have the processors, but not for long:
// it is for them that a shelf is made.
func (d *Draft) giveWay(ctx context.Context) {
	tick := time.NewTicker(time.Millisecond)
	defer tick.Stop()
	for end := time.Now().Add(patience); d.calls.busy() && time.Now().Before(end); {
		select {
		case <-tick.C:
		case <-ctx.Done():
			return
		}
	}
}

// calls are those of others.
type calls struct {
	open atomic.Int32
	last atomic.Int64 // when the last one ended, in nanoseconds
}

func (c *calls) begin() { c.open.Add(1) }

func (c *calls) end() {
	c.last.Store(time.Now().UnixNano())
	c.open.Add(-1)
}

func (c *calls) busy() bool {
	return c.open.Load() > 0 || time.Since(time.Unix(0, c.last.Load())) < lull
}

// beside does work in the background, until the draft is closed.
func (d *Draft) beside(work func(ctx context.Context)) {
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
