package draft

import (
	"context"
	"errors"
	"fmt"

	"github.com/RoaringBitmap/roaring/v2"

	"github.com/intraydata/intray"
	"github.com/intraydata/intray/internal/check"
	"github.com/intraydata/intray/internal/stage"
)

// making is a change under way, from the snapshot before it to that after it.
type making struct {
	draft *Draft
	job   *job
	// dry says that the change is not to be made.
	dry     bool
	layer   *layer
	before  *snapshot
	after   *snapshot
	verdict Verdict
	clashes []Clash
	// offered says that somebody was asked to keep it.
	offered bool
	// writer takes the rows of a large layer, and written counts them.
	writer  *stage.Writer
	written int64
	size    int
	tables  []tableMaking
}

// tableMaking is what a change does to one key.
type tableMaking struct {
	moves []move
	// many says that there are too many moves to look them up, and index is then
	// that of the rows after the change.
	many  bool
	index *check.Index
}

// make does an operation up to the point where others would see it.
func (d *Draft) make(ctx context.Context, o Operation, dry bool, progress func(done, total int64)) (*making, error) {
	j, err := o.job(d)
	if err != nil {
		return nil, err
	}
	s := d.now.Load()
	rows, err := d.selected(s, j.where, func() (*roaring.Bitmap, error) { return d.rowsOf(ctx, s, j.where.Filter, nil) })
	if err != nil {
		return nil, err
	}
	m := &making{draft: d, job: j, dry: dry, before: s, layer: newLayer(d.seq+1, d.next), tables: make([]tableMaking, len(d.tables))}
	if err := m.run(ctx, rows, progress); err != nil {
		return m, err
	}
	if len(m.clashes) > 0 {
		return m, &Conflict{m.clashes}
	}
	if err := m.endRows(ctx); err != nil {
		return m, err
	}
	if err := m.compare(ctx); err != nil {
		return m, err
	}
	if dry {
		m.after = s.shifted(m.layer, d.shape(), true)
	} else {
		m.after = s.with(m.layer, d.shape())
	}
	m.judge()
	return m, nil
}

func (m *making) run(ctx context.Context, rows *roaring.Bitmap, progress func(done, total int64)) error {
	switch {
	case m.job.remove:
		return m.remove(ctx, rows)
	case m.job.added != nil:
		return m.add(ctx)
	case m.job.accept:
		s := m.before
		rows = roaring.And(rows, roaring.FastOr(s.matching(nil, func(k Kind) bool {
			return k.Field < 0 && k.Code == acceptable
		})...))
	case m.job.cells != nil:
		if err := m.missing(); err != nil {
			return err
		}
	}
	return m.rework(ctx, rows, progress)
}

// missing finds cells of rows that are not there.
func (m *making) missing() error {
	for row, cells := range m.job.cells {
		if int64(row) >= m.draft.next {
			return &Refusal{Text: noRow(int64(row))}
		}
		if m.before.live.Contains(row) {
			continue
		}
		for _, t := range cells {
			m.clashes = append(m.clashes, Clash{Row: t.Row, Field: t.Field, Part: t.Part, Gone: true, Seen: t.Seen})
		}
	}
	return nil
}

// remove deletes rows.
func (m *making) remove(ctx context.Context, rows *roaring.Bitmap) error {
	m.layer.live.lost = rows.Clone()
	for k, of := range m.before.kinds {
		if lost := roaring.And(of, rows); !lost.IsEmpty() {
			m.layer.kind(k).lost = lost
		}
	}
	if len(m.tables) == 0 || rows.IsEmpty() {
		return nil
	}
	if int(rows.GetCardinality()) > m.draft.cfg.limits.moves {
		for i := range m.tables {
			m.tables[i].many = true
		}
		return nil
	}
	list := rows.ToArray()
	b, err := m.draft.gather(ctx, m.before, list)
	if err != nil {
		return err
	}
	for i, t := range m.draft.tables {
		h := t.key.Hasher()
		for at, row := range list {
			hash, has := h.Hash(b, at)
			m.tables[i].add(m.draft.cfg.limits.moves, move{row: row, before: place{hash, has}})
		}
	}
	return nil
}

// add takes a move, unless there are too many.
func (t *tableMaking) add(most int, moves ...move) {
	switch {
	case t.many:
	case len(t.moves)+len(moves) > most:
		t.many, t.moves = true, nil
	default:
		t.moves = append(t.moves, moves...)
	}
}

// add makes new rows.
func (m *making) add(ctx context.Context) error {
	first, n := m.draft.next, len(m.job.added)
	if first+int64(n) > 1<<32 {
		return &Refusal{Text: intray.NewMessage("review.no_room_for_rows", nil)}
	}
	if n == 0 {
		return nil
	}
	b := m.draft.cfg.Desk.Blank(first, n)
	var edits []Edit
	rows := make([]uint32, n)
	for i, cells := range m.job.added {
		rows[i] = uint32(first) + uint32(i)
		for _, t := range cells {
			edits = append(edits, Edit{Row: i, Field: t.Field, Part: t.Part, Text: t.Text})
		}
	}
	if err := m.draft.cfg.Desk.Change(ctx, b, edits); err != nil {
		return fmt.Errorf("read what was typed: %w", err)
	}
	w := m.worker()
	r := &result{rows: rows, batch: b, cells: int64(len(edits))}
	if err := w.diff(r, &before{problems: nil, places: make([][]place, len(m.tables))}); err != nil {
		return err
	}
	m.layer.live.gained.AddRange(uint64(first), uint64(first)+uint64(n))
	m.layer.next = first + int64(n)
	return m.take(ctx, r)
}

// compare finds what the rules about all rows say of the change.
func (m *making) compare(ctx context.Context) error {
	for i, t := range m.draft.tables {
		made := &m.tables[i]
		if !made.many && len(made.moves) == 0 {
			continue
		}
		repeated := m.before.rules[m.draft.firstRule(i)]
		var d *delta
		var err error
		if made.many {
			var rows *roaring.Bitmap
			if made.index, rows, err = t.anew(ctx, m.before.with(m.layer, m.draft.shape()), nil); err == nil {
				d = &delta{roaring.AndNot(rows, repeated), roaring.AndNot(repeated, rows)}
			}
		} else {
			d, err = t.settle(ctx, m.before, repeated, made.moves)
		}
		if err != nil {
			return err
		}
		if d.empty() {
			continue
		}
		for at, r := range m.draft.rules {
			if r.key == i {
				m.layer.rules[at] = d
			}
		}
	}
	return nil
}

// firstRule is the first rule about a key.
func (d *Draft) firstRule(key int) int {
	for at, r := range d.rules {
		if r.key == key {
			return at
		}
	}
	return -1
}

// take adds what a worker made to the layer.
func (m *making) take(ctx context.Context, r *result) error {
	m.verdict.Cells += r.cells
	m.verdict.Rows += int64(len(r.rows))
	m.clashes = append(m.clashes, r.clashes...)
	for i := 0; i < len(r.samples) && len(m.verdict.Samples) < maxSamples; i++ {
		m.verdict.Samples = append(m.verdict.Samples, r.samples[i])
	}
	m.layer.rows.AddMany(r.rows)
	for k, rows := range r.gained {
		m.layer.kind(k).gained.AddMany(rows)
	}
	for k, rows := range r.lost {
		m.layer.kind(k).lost.AddMany(rows)
	}
	for i := range r.moves {
		m.tables[i].add(m.draft.cfg.limits.moves, r.moves[i]...)
	}
	// What would only be dropped again is not kept, unless all rows may have to be
	// compared with it.
	if len(r.rows) == 0 || len(m.clashes) > 0 || m.dry && len(m.tables) == 0 {
		return nil
	}
	return m.takeRows(ctx, r)
}

// takeRows keeps the rows: in memory as long as they are few, then in a stage.
func (m *making) takeRows(ctx context.Context, r *result) error {
	if m.layer.content == nil {
		m.layer.content = m.draft.blank()
	}
	if m.writer == nil {
		rows, bytes := m.draft.cfg.limits.small(m.before.held)
		takeRun(m.layer.content, r.batch, 0, r.batch.Rows())
		if m.size += sizeOf(r.batch); m.layer.content.Rows() <= rows && m.size <= bytes {
			return nil
		}
		m.begin(ctx)
		r.batch = m.layer.content
	}
	for first, n := 0, r.batch.Rows(); first < n; first += stagedAtOnce {
		part := r.batch
		if n > stagedAtOnce {
			part = blankOf(r.batch)
			takeRun(part, r.batch, first, min(first+stagedAtOnce, n))
		}
		if err := m.stage(part); err != nil {
			return err
		}
	}
	return nil
}

// stagedAtOnce is the most rows that are written, and read again, at a time.
const stagedAtOnce = 1 << 15

// stage writes rows of a large layer.
func (m *making) stage(b *intray.Batch) error {
	b.First = m.written
	commit, err := m.writer.Stage(b)
	if err == nil {
		err = commit()
	}
	m.written += int64(b.Rows())
	return err
}

// begin makes the layer a large one.
func (m *making) begin(ctx context.Context) {
	d := m.draft
	m.layer.prefix = d.layerPrefix(m.layer.seq)
	layout := stage.Layout{}
	manifest := d.cfg.Stage.Manifest()
	for _, f := range manifest.Fields {
		layout.Fields = append(layout.Fields, f.Key)
	}
	for _, u := range manifest.Unmapped {
		layout.Unmapped = append(layout.Unmapped, u.Index)
	}
	m.writer = stage.NewWriter(ctx, d.cfg.Blobs, m.layer.prefix+"/"+rowsName, layout, stage.Config{Codec: stage.Snappy})
}

// endRows seals the rows of a large layer.
func (m *making) endRows(ctx context.Context) error {
	if m.writer == nil {
		m.layer.size = m.size
		return nil
	}
	if _, err := m.writer.Close(ctx); err != nil {
		return err
	}
	m.layer.content = nil
	return m.layer.open(ctx, m.draft.cfg.Blobs)
}

// discard drops what was made.
func (m *making) discard() {
	if m.writer != nil {
		m.writer.Abort()
	}
	if m.offered {
		// An error does not say that it was not kept: the answer may have been lost.
		_ = m.layer.close()
	} else {
		m.draft.drop(m.layer)
	}
	var errs []error
	for i := range m.tables {
		if index := m.tables[i].index; index != nil {
			errs = append(errs, index.Close())
		}
	}
	_ = errors.Join(errs...) // files without a name, which go with the process
}

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
