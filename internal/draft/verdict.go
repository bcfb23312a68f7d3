package draft

import (
	"context"
	"fmt"

	"github.com/RoaringBitmap/roaring/v2"
)

// Verdict says what a change does, or would do.
type Verdict struct {
	// Seq is the number of the change; 0 where it was not made, or nothing to do.
	Seq int64
	// Cells is how many cells change, and Rows in how many rows.
	Cells, Rows int64
	// Added and Deleted are rows.
	Added, Deleted int64
	// Valid is how many rows lose their last error, and Invalid how many get their
	// first, added ones included. Rows that are only compared to the changed ones
	// count too, deleted ones do not.
	Valid, Invalid int64
	// Samples are the first cells that change, 20 at most.
	Samples []Sample
}

// Sample is one cell that changes.
type Sample struct {
	Row         int64
	Field, Part int
	// Before and After are without problems of rules about all rows.
	Before, After Cell
}

// maxSamples is the most samples of a verdict.
const maxSamples = 20

// Call says who is told while a change is made. Both may be nil.
type Call struct {
	// Keep is given what is to be kept, and what the change does, before anybody sees
	// it; where it fails there is none, but blobs of it stay, as it may have been kept
	// all the same. What was undone cannot be redone from then on.
	Keep func(ctx context.Context, k Kept, v Verdict) error
	// Progress is told of rows, from another goroutine, one call at a time.
	Progress func(done, total int64)
}

// Preview says what a change would do, and keeps nothing.
func (d *Draft) Preview(ctx context.Context, o Operation, progress func(done, total int64)) (Verdict, error) {
	if err := d.lock(ctx); err != nil {
		return Verdict{}, fmt.Errorf("preview a change: %w", err)
	}
	defer d.unlock()
	m, err := d.make(ctx, o, true, progress)
	if m != nil {
		defer m.discard()
	}
	if err != nil {
		return Verdict{}, fmt.Errorf("preview a change: %w", err)
	}
	m.verdict.Seq = 0
	return m.verdict, nil
}

// Change makes a change. A [Refusal] and a [Conflict] are among its errors; after
// any error, that of the context too, nothing was changed.
func (d *Draft) Change(ctx context.Context, o Operation, call Call) (Verdict, error) {
	if err := d.lock(ctx); err != nil {
		return Verdict{}, fmt.Errorf("make a change: %w", err)
	}
	defer d.unlock()
	m, err := d.make(ctx, o, false, call.Progress)
	if err == nil && !m.layer.live.lost.IsEmpty() {
		err = d.cfg.Desk.Deleted(ctx, m.deleted(ctx))
	}
	if err == nil && m.verdict.Seq > 0 {
		err = d.publish(ctx, m, call)
	}
	if err != nil {
		if m != nil {
			m.discard()
		}
		return Verdict{}, fmt.Errorf("make a change: %w", err)
	}
	return m.verdict, nil
}

// publish keeps a change and shows it.
func (d *Draft) publish(ctx context.Context, m *making, call Call) error {
	k, err := d.encode(ctx, m.layer)
	if err != nil {
		return fmt.Errorf("keep it: %w", err)
	}
	if call.Keep != nil {
		m.offered = true
		if err := call.Keep(ctx, k, m.verdict); err != nil {
			return fmt.Errorf("keep it: %w", err)
		}
	}
	d.seq, d.next = m.layer.seq, m.layer.next
	d.now.Store(m.after)
	for _, t := range d.tables {
		switch made := &m.tables[t.at]; {
		case made.index != nil:
			t.adopt(made.index)
		default:
			t.take(made.moves)
		}
	}
	d.gone, d.undone = append(d.gone, d.undone...), nil
	d.sweep()
	return nil
}

// judge counts what changed for the rows as wholes.
func (m *making) judge() {
	before, after := m.before.errors(), m.after.errors()
	better := roaring.AndNot(before, after)
	m.verdict.Valid = int64(better.AndCardinality(m.after.live))
	m.verdict.Invalid = int64(roaring.AndNot(after, before).GetCardinality())
	m.verdict.Added = int64(m.layer.live.gained.GetCardinality())
	m.verdict.Deleted = int64(m.layer.live.lost.GetCardinality())
	if !m.layer.rows.IsEmpty() || !m.layer.live.empty() {
		m.verdict.Seq = m.layer.seq
	}
}
