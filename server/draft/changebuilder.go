package draft

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync/atomic"

	"github.com/RoaringBitmap/roaring/v2"

	"github.com/intraydata/intray"
	"github.com/intraydata/intray/server/staging"
	"github.com/intraydata/intray/validate"
)

// changeBuilder builds one change. It holds the snapshots before and after that change.
type changeBuilder struct {
	draft *Draft
	plan  *changePlan
	// dry is set for a preview.
	dry       bool
	revision  *revision
	before    *snapshot
	after     *snapshot
	result    ChangeResult
	conflicts []CellConflict
	// sampled is set once result has maxSamples samples.
	sampled atomic.Bool
	// offered is set once ChangeOptions.Save has been called.
	offered bool
	// writer stages the rows of a large revision, and written is the number of rows staged.
	writer     *staging.Writer
	written    int64
	size       int
	keyChanges []keyChanges
}

// keyChanges is the effect of a change on one key.
type keyChanges struct {
	moves []keyMove
	// many is set if there are too many moves to look up one by one. In that case,
	// index holds all rows after the change.
	many  bool
	index *validate.Index
}

// buildChange performs an operation without publishing the result.
func (d *Draft) buildChange(ctx context.Context, o Operation, dry bool, progress func(done, total int64)) (*changeBuilder, error) {
	j, err := o.plan(d)
	if err != nil {
		return nil, err
	}
	s := d.now.Load()
	rows, err := d.selectRows(s, j.where, func() (*roaring.Bitmap, error) { return d.matchingRows(ctx, s, j.where.Filter, nil) })
	if err != nil {
		return nil, err
	}
	m := &changeBuilder{draft: d, plan: j, dry: dry, before: s, revision: newRevision(d.seq+1, d.next), keyChanges: make([]keyChanges, len(d.keyIndexes))}
	if err := m.build(ctx, rows, progress); err != nil {
		return m, err
	}
	if len(m.conflicts) > 0 {
		return m, &ConflictError{m.conflicts}
	}
	if err := m.finishRows(ctx); err != nil {
		return m, err
	}
	if err := m.applyTableRules(ctx); err != nil {
		return m, err
	}
	if dry {
		m.after = s.applied(m.revision, d.snapshotConfig(), true)
	} else {
		m.after = s.withRevision(m.revision, d.snapshotConfig())
	}
	before, after := m.before.errors(), m.after.errors()
	better := roaring.AndNot(before, after)
	m.result.Valid = int64(better.AndCardinality(m.after.live))
	m.result.Invalid = int64(roaring.AndNot(after, before).GetCardinality())
	m.result.Added = int64(m.revision.live.gained.GetCardinality())
	m.result.Deleted = int64(m.revision.live.lost.GetCardinality())
	if !m.revision.rows.IsEmpty() || !m.revision.live.isEmpty() {
		m.result.Seq = m.revision.seq
	}
	return m, nil
}

func (m *changeBuilder) build(ctx context.Context, rows *roaring.Bitmap, progress func(done, total int64)) error {
	switch {
	case m.plan.remove:
		return m.removeRows(ctx, rows)
	case m.plan.added != nil:
		return m.addRows(ctx)
	case m.plan.accept:
		s := m.before
		rows = roaring.And(rows, roaring.FastOr(s.matching(nil, func(k Kind) bool {
			return k.Field < 0 && k.Code == acceptable
		})...))
	case m.plan.cells != nil:
		if err := m.findMissing(); err != nil {
			return err
		}
	}
	return m.applyParallel(ctx, rows, progress)
}

// findMissing records a conflict for each edited cell of a deleted row.
func (m *changeBuilder) findMissing() error {
	for row, cells := range m.plan.cells {
		if int64(row) >= m.draft.next {
			return &RefusedError{Text: noRow(int64(row))}
		}
		if m.before.live.Contains(row) {
			continue
		}
		for _, t := range cells {
			m.conflicts = append(m.conflicts, CellConflict{Row: t.Row, Field: t.Field, Part: t.Part, Gone: true, Seen: t.Seen})
		}
	}
	return nil
}

// removeRows records the deletion of rows and its effect on problems and keys.
func (m *changeBuilder) removeRows(ctx context.Context, rows *roaring.Bitmap) error {
	m.revision.live.lost = rows.Clone()
	for k, of := range m.before.kinds {
		if lost := roaring.And(of, rows); !lost.IsEmpty() {
			m.revision.kindDelta(k).lost = lost
		}
	}
	if len(m.keyChanges) == 0 || rows.IsEmpty() {
		return nil
	}
	if int(rows.GetCardinality()) > m.draft.cfg.limits.moves {
		for i := range m.keyChanges {
			m.keyChanges[i].many = true
		}
		return nil
	}
	list := rows.ToArray()
	b, err := m.draft.readRows(ctx, m.before, list)
	if err != nil {
		return err
	}
	for i, t := range m.draft.keyIndexes {
		h := t.key.Hasher()
		for at, row := range list {
			hash, has := h.Hash(b, at)
			m.keyChanges[i].addMoves(m.draft.cfg.limits.moves, keyMove{row: row, before: rowKey{hash, has}})
		}
	}
	return nil
}

// addMoves appends moves. If the total would exceed the given limit, it sets the field many
// instead.
func (t *keyChanges) addMoves(most int, moves ...keyMove) {
	switch {
	case t.many:
	case len(t.moves)+len(moves) > most:
		t.many, t.moves = true, nil
	default:
		t.moves = append(t.moves, moves...)
	}
}

// addRows adds the new rows of the plan.
func (m *changeBuilder) addRows(ctx context.Context) error {
	first, n := m.draft.next, len(m.plan.added)
	if first+int64(n) > maxRows {
		return &RefusedError{Text: intray.NewMessage("review.no_room_for_rows", nil)}
	}
	if n == 0 {
		return nil
	}
	b := m.draft.cfg.Revalidator.BlankRows(first, n)
	var edits []Edit
	rows := make([]uint32, n)
	for i, cells := range m.plan.added {
		rows[i] = uint32(first) + uint32(i)
		for _, t := range cells {
			edits = append(edits, Edit{Row: i, Field: t.Field, Part: t.Part, Text: t.Text})
		}
	}
	if err := m.draft.cfg.Revalidator.Change(ctx, b, edits); err != nil {
		return fmt.Errorf("revalidate rows: %w", err)
	}
	w := m.worker()
	r := &spanResult{rows: rows, batch: b, cells: int64(len(edits))}
	if err := w.diffProblems(r, &priorState{}); err != nil {
		return err
	}
	m.revision.live.gained.AddRange(uint64(first), uint64(first)+uint64(n))
	m.revision.next = first + int64(n)
	return m.mergeResult(ctx, r)
}

// applyTableRules determines which rows begin or cease to violate a cross-row
// validator because of the change.
func (m *changeBuilder) applyTableRules(ctx context.Context) error {
	for i, t := range m.draft.keyIndexes {
		made := &m.keyChanges[i]
		if !made.many && len(made.moves) == 0 {
			continue
		}
		// All rules with the same key are violated by the same rows.
		repeated := m.before.rules[slices.IndexFunc(m.draft.rules, func(r rule) bool { return r.key == i })]
		var d *delta
		var err error
		if made.many {
			var rows *roaring.Bitmap
			if made.index, rows, err = t.rebuild(ctx, m.before.withRevision(m.revision, m.draft.snapshotConfig()), nil); err == nil {
				d = &delta{roaring.AndNot(rows, repeated), roaring.AndNot(repeated, rows)}
			}
		} else {
			d, err = t.findRepeated(ctx, m.before, repeated, made.moves)
		}
		if err != nil {
			return err
		}
		if d.isEmpty() {
			continue
		}
		for at, r := range m.draft.rules {
			if r.key == i {
				m.revision.rules[at] = d
			}
		}
	}
	return nil
}

// mergeResult adds the result of a worker to the change.
func (m *changeBuilder) mergeResult(ctx context.Context, r *spanResult) error {
	m.result.Cells += r.cells
	m.result.Rows += int64(len(r.rows))
	m.conflicts = append(m.conflicts, r.conflicts...)
	for i := 0; i < len(r.samples) && len(m.result.Samples) < maxSamples; i++ {
		m.result.Samples = append(m.result.Samples, r.samples[i])
	}
	m.sampled.Store(len(m.result.Samples) == maxSamples)
	m.revision.rows.AddMany(r.rows)
	for k, rows := range r.gained {
		m.revision.kindDelta(k).gained.AddMany(rows)
	}
	for k, rows := range r.lost {
		m.revision.kindDelta(k).lost.AddMany(rows)
	}
	for i := range r.moves {
		m.keyChanges[i].addMoves(m.draft.cfg.limits.moves, r.moves[i]...)
	}
	// A preview needs the rows only if a key index may have to be rebuilt from all rows.
	if len(r.rows) == 0 || len(m.conflicts) > 0 || m.dry && len(m.keyChanges) == 0 {
		return nil
	}
	return m.appendRows(ctx, r)
}

// appendRows adds the rows of a result to the revision. It keeps a small number of
// rows in memory and stages larger numbers.
func (m *changeBuilder) appendRows(ctx context.Context, r *spanResult) error {
	if m.revision.content == nil {
		m.revision.content = m.draft.newBatch()
	}
	if m.writer == nil {
		rows, bytes := m.draft.cfg.limits.inMemory(m.before.held)
		copyRows(m.revision.content, r.batch, 0, r.batch.Rows())
		if m.size += sizeOf(r.batch); m.revision.content.Rows() <= rows && m.size <= bytes {
			return nil
		}
		m.beginStage(ctx)
		r.batch = m.revision.content
	}
	for first, n := 0, r.batch.Rows(); first < n; first += stagedAtOnce {
		part := r.batch
		if n > stagedAtOnce {
			part = newBatchLike(r.batch)
			copyRows(part, r.batch, first, min(first+stagedAtOnce, n))
		}
		if err := m.writeStaged(part); err != nil {
			return err
		}
	}
	return nil
}

// stagedAtOnce is the maximum number of rows per row group of a large revision.
const stagedAtOnce = 1 << 15

// writeStaged stages rows of a large revision.
func (m *changeBuilder) writeStaged(b *intray.Batch) error {
	b.First = m.written
	commit, err := m.writer.StageBatch(b)
	if err == nil {
		err = commit()
	}
	m.written += int64(b.Rows())
	return err
}

// beginStage makes the revision a large one and creates the writer that stages its rows.
func (m *changeBuilder) beginStage(ctx context.Context) {
	d := m.draft
	m.revision.prefix = d.newRevisionPrefix(m.revision.seq)
	layout := staging.Layout{}
	manifest := d.cfg.Stage.Manifest()
	for _, f := range manifest.Fields {
		layout.Fields = append(layout.Fields, f.Key)
	}
	for _, u := range manifest.Unmapped {
		layout.Unmapped = append(layout.Unmapped, u.Index)
	}
	m.writer = staging.NewWriter(ctx, d.cfg.Blobs, m.revision.prefix+"/"+rowsFolder, layout, staging.Config{Codec: staging.Snappy})
}

// finishRows finishes the stage of a large revision.
func (m *changeBuilder) finishRows(ctx context.Context) error {
	if m.writer == nil {
		m.revision.size = m.size
		return nil
	}
	if _, err := m.writer.Close(ctx); err != nil {
		return err
	}
	m.revision.content = nil
	return m.revision.open(ctx, m.draft.cfg.Blobs)
}

// discard releases the resources of an unpublished change.
func (m *changeBuilder) discard() {
	if m.writer != nil {
		m.writer.Abort()
	}
	if m.offered {
		// Save may have succeeded although it returned an error, so the blobs must not be
		// deleted.
		_ = m.revision.close()
	} else {
		m.draft.deleteRevision(m.revision)
	}
	var errs []error
	for i := range m.keyChanges {
		if index := m.keyChanges[i].index; index != nil {
			errs = append(errs, index.Close())
		}
	}
	_ = errors.Join(errs...) // the temporary files are unlinked and disappear with the process
}

// ChangeResult summarizes the effect of a change or of its preview.
type ChangeResult struct {
	// Seq is the number of the change. It is 0 for a preview and for a change without effect.
	Seq int64
	// Cells is the number of changed cells. Rows is the number of changed and added rows.
	Cells, Rows int64
	// Added and Deleted are the numbers of added and deleted rows.
	Added, Deleted int64
	// Valid is the number of rows that lose their last error. Invalid is the number of rows
	// that gain their first error, including added rows. Both include rows that are themselves
	// unchanged but share a key with a changed row. Both exclude deleted rows.
	Valid, Invalid int64
	// Samples are the first changed cells, at most 20.
	Samples []Sample
}

// Sample is one changed cell.
type Sample struct {
	Row         int64
	Field, Part int
	// Before and After do not include problems of cross-row validators.
	Before, After Cell
}

// maxSamples is the maximum number of samples in a ChangeResult.
const maxSamples = 20

// ChangeOptions contains optional callbacks for a change.
type ChangeOptions struct {
	// Save stores the revision before the change becomes visible. If Save fails, the change is
	// not made. The revision's blobs are kept anyway, because Save may have succeeded despite
	// the error. After Save succeeds, undone changes can no longer be redone.
	Save func(ctx context.Context, k StoredRevision, v ChangeResult) error
	// Progress receives row counts. It is never called concurrently.
	Progress func(done, total int64)
}

// Preview returns the result that a change would have, without making the change.
func (d *Draft) Preview(ctx context.Context, o Operation, progress func(done, total int64)) (ChangeResult, error) {
	if err := d.lock(ctx); err != nil {
		return ChangeResult{}, fmt.Errorf("preview a change: %w", err)
	}
	defer d.unlock()
	m, err := d.buildChange(ctx, o, true, progress)
	if m != nil {
		defer m.discard()
	}
	if err != nil {
		return ChangeResult{}, fmt.Errorf("preview a change: %w", err)
	}
	m.result.Seq = 0
	return m.result, nil
}

// Change makes a change. It returns a [*RefusedError] if the operation is invalid
// and a [*ConflictError] if cells have changed in the meantime. After any error,
// including cancellation, the draft is unchanged.
func (d *Draft) Change(ctx context.Context, o Operation, call ChangeOptions) (ChangeResult, error) {
	if err := d.lock(ctx); err != nil {
		return ChangeResult{}, fmt.Errorf("make a change: %w", err)
	}
	defer d.unlock()
	m, err := d.buildChange(ctx, o, false, call.Progress)
	if err == nil && !m.revision.live.lost.IsEmpty() {
		err = d.cfg.Revalidator.Deleted(ctx, m.deleted(ctx))
	}
	if err == nil && m.result.Seq > 0 {
		err = d.publish(ctx, m, call)
	}
	if err != nil {
		if m != nil {
			m.discard()
		}
		return ChangeResult{}, fmt.Errorf("make a change: %w", err)
	}
	return m.result, nil
}

// publish saves a change and makes it visible.
func (d *Draft) publish(ctx context.Context, m *changeBuilder, call ChangeOptions) error {
	k, err := d.encode(ctx, m.revision)
	if err != nil {
		return fmt.Errorf("save the change: %w", err)
	}
	if call.Save != nil {
		m.offered = true
		if err := call.Save(ctx, k, m.result); err != nil {
			return fmt.Errorf("save the change: %w", err)
		}
	}
	d.seq, d.next = m.revision.seq, m.revision.next
	d.now.Store(m.after)
	for _, t := range d.keyIndexes {
		switch made := &m.keyChanges[t.number]; {
		case made.index != nil:
			t.replaceIndex(made.index)
		default:
			t.recordMoves(made.moves)
		}
	}
	d.gone, d.undone = append(d.gone, d.undone...), nil
	d.dropUnused()
	return nil
}
