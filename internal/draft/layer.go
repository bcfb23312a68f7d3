package draft

import (
	"context"
	"fmt"

	"github.com/RoaringBitmap/roaring/v2"

	"github.com/intraydata/intray"
	"github.com/intraydata/intray/internal/stage"
)

// Kind is all problems with one field, code and level.
type Kind struct {
	// Field is the place of the field in the schema, or intray.NoField.
	Field int
	Code  string
	Level intray.Level
}

func kindOf(p *intray.Problem) Kind { return Kind{p.Field, p.Code, p.Level} }

// delta says which rows began and which ceased to be among some.
type delta struct{ gained, lost *roaring.Bitmap }

func newDelta() *delta { return &delta{roaring.New(), roaring.New()} }

func (d *delta) empty() bool { return d.gained.IsEmpty() && d.lost.IsEmpty() }

// put applies the delta to a bitmap, or takes it back, and gives a new bitmap.
func (d *delta) put(to *roaring.Bitmap, forward bool) *roaring.Bitmap {
	gained, lost := d.gained, d.lost
	if !forward {
		gained, lost = lost, gained
	}
	if to == nil {
		return gained.Clone()
	}
	out := roaring.AndNot(to, lost)
	out.Or(gained)
	return out
}

// layer is what one change made. It is never changed once it is on a draft.
type layer struct {
	seq int64
	// next is the number of the row that is added after it.
	next int64
	// rows are those whose content the layer holds, added ones included.
	rows *roaring.Bitmap
	// live says which rows were added, and which deleted.
	live *delta
	// kinds are the problems that are found in a row by itself, rules those of the
	// rules about all rows, by their place among the draft's.
	kinds map[Kind]*delta
	rules map[int]*delta

	// content holds the rows of a small layer, without problems of rules about all
	// rows; that of a large one is a stage.
	content *intray.Batch
	stage   *stage.Stage
	// size is that of the content, in bytes.
	size int
	// prefix is where the blobs of the layer are, or "".
	prefix string

	// below are the small layers that had the rows before, where this one is small.
	below []uint32
}

func newLayer(seq, next int64) *layer {
	return &layer{seq: seq, next: next, rows: roaring.New(), live: newDelta(), kinds: map[Kind]*delta{}, rules: map[int]*delta{}}
}

// large says that the rows are in a stage.
func (l *layer) large() bool { return l.stage != nil }

// changed are all rows whose content or life the layer changed.
func (l *layer) changed() *roaring.Bitmap { return roaring.FastOr(l.rows, l.live.gained, l.live.lost) }

func (l *layer) kind(k Kind) *delta {
	d := l.kinds[k]
	if d == nil {
		d = newDelta()
		l.kinds[k] = d
	}
	return d
}

// read gives some rows of the layer, which it must have, in order.
func (l *layer) read(ctx context.Context, rows []uint32) (*intray.Batch, error) {
	places := l.places(rows)
	if l.stage != nil {
		b, err := l.stage.Rows(ctx, places)
		if err != nil {
			return nil, fmt.Errorf("read the rows of change %d: %w", l.seq, err)
		}
		return b, nil
	}
	return pick(l.content, places), nil
}

// places are those of the rows in the content.
func (l *layer) places(rows []uint32) []int64 {
	places := make([]int64, len(rows))
	for i, row := range rows {
		if i > 0 && row == rows[i-1]+1 {
			places[i] = places[i-1] + 1
			continue
		}
		places[i] = int64(l.rows.Rank(row)) - 1
	}
	return places
}

func (l *layer) close() error {
	if l.stage == nil {
		return nil
	}
	return l.stage.Close()
}
