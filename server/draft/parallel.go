package draft

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"io"
	"iter"
	"runtime"
	"slices"

	"github.com/RoaringBitmap/roaring/v2"

	"github.com/intraydata/intray"
	"github.com/intraydata/intray/internal/ordered"
	"github.com/intraydata/intray/validate"
)

// spanResult is the result of changing rows of one span.
type spanResult struct {
	rows  []uint32
	batch *intray.Batch
	// edits are in the order of the rows. Their Row is an index in rows.
	edits     []Edit
	cells     int64
	samples   []Sample
	conflicts []CellConflict
	// gained and lost hold, for each kind of problem, the rows that gained or lost it.
	gained, lost map[Kind][]uint32
	moves        [][]keyMove
}

// applyParallel changes rows span by span on all cores and merges the results in row order. It
// keeps only a few spans in memory at a time, unless Config.Whole is set.
func (m *changeBuilder) applyParallel(ctx context.Context, rows *roaring.Bitmap, progress func(done, total int64)) error {
	spans := m.draft.spansOf(rows)
	report := progressOf(spans, progress)
	all := &spanResult{batch: m.draft.newBatch()}
	workers := min(len(spans), runtime.GOMAXPROCS(0))
	started := 0
	results := ordered.Start(ctx, workers, 2*workers, func(context.Context) (span, error) {
		if started == len(spans) {
			return span{}, io.EOF
		}
		started++
		return spans[started-1], nil
	}, func() func(context.Context, span) (*spanResult, error) {
		w := m.worker()
		return func(ctx context.Context, at span) (*spanResult, error) { return w.processSpan(ctx, at, rows) }
	})
	defer results.Close()
	for _, at := range spans {
		r, err := results.Next(ctx)
		if err != nil {
			return err
		}
		b := r.batch // mergeResult may replace it
		if m.draft.cfg.Whole {
			all.add(r)
		} else if err := m.mergeResult(ctx, r); err != nil {
			return err
		}
		if b != nil {
			m.draft.cfg.Stage.Release(b)
		}
		report(at)
	}
	if !m.draft.cfg.Whole {
		return nil
	}
	if len(all.rows) > 0 && len(all.conflicts) == 0 {
		if err := m.worker().applyEdits(ctx, all); err != nil {
			return err
		}
	}
	return m.mergeResult(ctx, all)
}

// add copies the rows and edits of another result, to which the changes have not been applied.
func (r *spanResult) add(more *spanResult) {
	r.conflicts = append(r.conflicts, more.conflicts...)
	if len(more.rows) == 0 {
		return
	}
	for _, e := range more.edits {
		e.Row += len(r.rows)
		r.edits = append(r.edits, e)
	}
	r.rows = append(r.rows, more.rows...)
	copyRows(r.batch, more.batch, 0, more.batch.Rows())
}

// worker processes spans in one goroutine.
type worker struct {
	builder *changeBuilder
	fields  *fieldReader
	hashers []*validate.Hasher
	finder  finder
	// found, texts and edits are reused for each span.
	found []foundEdit
	texts []byte
	edits []Edit
	// dense is set if most rows of the previous chunk have changed, so that looking for the needle does not pay.
	dense bool
}

func (m *changeBuilder) worker() *worker {
	w := &worker{builder: m, finder: finder{needle: m.plan.needle, nameMatches: m.plan.nameMatches, draft: m.draft}}
	w.fields = m.draft.newFieldReader(m.before, m.plan.fields, &w.finder)
	for _, t := range m.draft.keyIndexes {
		w.hashers = append(w.hashers, t.key.Hasher())
	}
	return w
}

// foundEdit is an edit whose new raw value is worker.texts[start:end].
type foundEdit struct {
	row         uint32
	field, part int
	start, end  int
}

// processSpan changes the given rows of a span. If Config.Whole is set, it only
// determines the edits.
func (w *worker) processSpan(ctx context.Context, at span, rows *roaring.Bitmap) (*spanResult, error) {
	r, err := w.changedRows(ctx, at, rows)
	if err != nil || len(r.rows) == 0 {
		return r, err
	}
	if w.builder.draft.cfg.Whole {
		r.edits = slices.Clone(r.edits)
		return r, nil
	}
	err = w.applyEdits(ctx, r)
	r.edits = nil
	return r, err
}

// changedRows determines which of the given rows of a span change, and their edits.
func (w *worker) changedRows(ctx context.Context, at span, rows *roaring.Bitmap) (*spanResult, error) {
	edits, list, err := w.findEdits(ctx, at, rows)
	if err != nil || len(list) == 0 {
		return &spanResult{}, err
	}
	d := w.builder.draft
	b, err := d.readRows(ctx, w.builder.before, list)
	if err != nil {
		return nil, err
	}
	r := &spanResult{rows: list, batch: b, edits: edits}
	if w.builder.plan.cells != nil {
		if r.edits, err = w.typedEdits(r); err != nil || len(r.conflicts) > 0 {
			r.rows = nil
		}
	}
	return r, err
}

// findEdits returns the rows of a span that change, out of the given ones, and their edits, which are
// valid until the next call. If the plan does not change raw values, it returns the given rows.
func (w *worker) findEdits(ctx context.Context, at span, rows *roaring.Bitmap) (edits []Edit, list []uint32, err error) {
	if w.builder.plan.change == nil {
		for it := iterateFrom(rows, at.first); it.HasNext(); {
			row := it.Next()
			if row >= at.end {
				break
			}
			list = append(list, row)
		}
		return nil, list, nil
	}
	pieces, err := w.fields.readSpan(ctx, at, rows)
	if err != nil {
		return nil, nil, err
	}
	w.found, w.texts = w.found[:0], w.texts[:0]
	for _, p := range pieces {
		if err := w.findInChunk(p); err != nil {
			return nil, nil, err
		}
	}
	if len(pieces) > 1 {
		slices.SortStableFunc(w.found, func(a, b foundEdit) int { return cmp.Compare(a.row, b.row) })
	}
	texts := string(w.texts)
	w.edits, list = w.edits[:0], make([]uint32, 0, len(w.found))
	for _, f := range w.found {
		if len(list) == 0 || list[len(list)-1] != f.row {
			list = append(list, f.row)
		}
		w.edits = append(w.edits, Edit{Row: len(list) - 1, Field: f.field, Part: f.part, Text: texts[f.start:f.end]})
	}
	return w.edits, list, nil
}

// findInChunk adds the edits to the rows of a chunk to w.found.
func (w *worker) findInChunk(p rowChunk) error {
	plan := w.builder.plan
	var has []bool
	if plan.needle != nil && !w.dense {
		if has = w.finder.rows(p.batch, plan.fields); has == nil {
			return nil
		}
	}
	known := len(w.found)
	for i, row := range p.rows {
		if has != nil && !has[p.at[i]] {
			continue
		}
		for _, f := range plan.fields {
			if !hasText(&p.batch.Fields[f], p.at[i]) {
				continue // keep has rejected the column
			}
			err := w.builder.draft.eachCell(p.batch, f, p.at[i], func(part int, text []byte) {
				start := len(w.texts)
				to, changes := plan.change(w.texts, f, text)
				if w.texts = to[:start]; changes {
					w.found, w.texts = append(w.found, foundEdit{row, f, part, start, len(to)}), to
				}
			})
			if err != nil {
				return fmt.Errorf("row %d: %w", row, err)
			}
		}
	}
	w.dense = 2*(len(w.found)-known) > len(p.rows)
	return nil
}

// hasText reports whether a column holds the raw value of a row.
func hasText(c *intray.Cells, row int) bool {
	if c.Values.Len() > 0 {
		return true
	}
	_, found := slices.BinarySearch(c.RawRows, uint32(row))
	return found
}

// typedEdits returns the edits that a Set makes to the rows of a result. It removes
// all unchanged rows from the result.
func (w *worker) typedEdits(r *spanResult) (edits []Edit, err error) {
	d, s := w.builder.draft, w.builder.before
	var positions []int64
	var rows []uint32
	for i, row := range r.rows {
		known := len(edits)
		for _, t := range w.builder.plan.cells[row] {
			now, err := d.cellText(r.batch, t.Field, t.Part, i)
			if err != nil {
				return nil, fmt.Errorf("row %d: %w", row, err)
			}
			if version := s.version(row); version != t.Version && now != t.Seen {
				r.conflicts = append(r.conflicts, CellConflict{Row: t.Row, Field: t.Field, Part: t.Part, Version: version, Seen: t.Seen, Now: now})
			}
			edits = append(edits, Edit{Row: len(rows), Field: t.Field, Part: t.Part, Text: t.Text})
		}
		if edits, err = w.effectiveEdits(r.batch, i, edits, known); err != nil {
			return nil, err
		}
		if len(edits) > known {
			positions, rows = append(positions, int64(i)), append(rows, row)
		}
	}
	r.rows, r.batch = rows, pickRows(r.batch, positions)
	return edits, nil
}

// effectiveEdits removes the edits of a row of b that have no effect or that a later edit overrides.
// The edits of the row begin at edits[from].
func (w *worker) effectiveEdits(b *intray.Batch, row int, edits []Edit, from int) ([]Edit, error) {
	kept := edits[:from]
	for i := from; i < len(edits); i++ {
		e := edits[i]
		overridden := slices.ContainsFunc(edits[i+1:], func(later Edit) bool { return later.Field == e.Field && later.Part == e.Part })
		now, err := w.builder.draft.cellText(b, e.Field, e.Part, row)
		if err != nil {
			return nil, err
		}
		if !overridden && now != e.Text {
			kept = append(kept, e)
		}
	}
	return kept, nil
}

// priorState is the state of rows before a change. fields is nil for added rows.
type priorState struct {
	problems []intray.Problem
	fields   []intray.Cells
}

// applyEdits applies the edits of a result and determines their effect on problems and keys.
func (w *worker) applyEdits(ctx context.Context, r *spanResult) error {
	old := &priorState{problems: slices.Clone(r.batch.Problems), fields: slices.Clone(r.batch.Fields)}
	r.cells = int64(len(r.edits))
	samples := maxSamples
	if w.builder.sampled.Load() {
		samples = 0
	}
	for _, e := range r.edits[:min(len(r.edits), samples)] {
		r.samples = append(r.samples, Sample{
			Row: int64(r.rows[e.Row]), Field: e.Field, Part: e.Part, Before: cellWithProblems(r.batch, e.Row, e.Field),
		})
	}
	if w.builder.plan.accept {
		dropProblems(r.batch, canAccept)
	} else if err := w.builder.draft.revalidate(ctx, r.batch, r.rows, r.edits); err != nil {
		return err
	}
	for i := range r.samples {
		r.samples[i].After = cellWithProblems(r.batch, r.edits[i].Row, r.edits[i].Field)
	}
	return w.diffProblems(r, old)
}

// revalidate applies edits to rows. It passes the row numbers to the Revalidator in the batch.
func (d *Draft) revalidate(ctx context.Context, b *intray.Batch, rows []uint32, edits []Edit) error {
	b.Numbers = toInt64(rows)
	err := d.cfg.Revalidator.Change(ctx, b, edits)
	b.Numbers = nil
	if err != nil {
		return fmt.Errorf("revalidate rows: %w", err)
	}
	return checkRowCount(b, rows)
}

// checkRowCount returns an error if the Revalidator removed or added rows.
func checkRowCount(b *intray.Batch, rows []uint32) error {
	if b.Rows() != len(rows) {
		return fmt.Errorf("the revalidator returned %d rows instead of %d", b.Rows(), len(rows))
	}
	return nil
}

// deletedAtOnce is the maximum number of rows per batch passed to Revalidator.Deleted.
const deletedAtOnce = 1000

// deleted yields the rows that a change deletes.
func (m *changeBuilder) deleted(ctx context.Context) iter.Seq2[*intray.Batch, error] {
	return func(yield func(*intray.Batch, error) bool) {
		for it := m.revision.live.lost.Iterator(); it.HasNext(); {
			var rows []uint32
			for it.HasNext() && len(rows) < deletedAtOnce {
				rows = append(rows, it.Next())
			}
			b, err := m.draft.readRows(ctx, m.before, rows)
			if err == nil {
				b.Numbers = toInt64(rows)
			}
			if !yield(b, err) || err != nil {
				return
			}
		}
	}
}

// cellWithProblems returns a cell together with its problems.
func cellWithProblems(b *intray.Batch, row, field int) Cell {
	c := cellOf(&b.Fields[field], row)
	for _, p := range problemsOf(b.Problems, row) {
		if p.Field == field {
			p.Row = 0
			c.Problems = append(c.Problems, p)
		}
	}
	return c
}

func rowKeys(h *validate.Hasher, b *intray.Batch) []rowKey {
	out := make([]rowKey, b.Rows())
	for i := range out {
		out[i].hash, out[i].has = h.Hash(b, i)
	}
	return out
}

// diffProblems determines which kinds of problems the rows gained and lost, and
// which keys changed.
func (w *worker) diffProblems(r *spanResult, old *priorState) error {
	dropProblems(r.batch, w.builder.draft.isRuleProblem)
	if err := checkRowCount(r.batch, r.rows); err != nil {
		return err
	}
	r.gained, r.lost = map[Kind][]uint32{}, map[Kind][]uint32{}
	was, is := old.problems, r.batch.Problems
	for i, row := range r.rows {
		var had, has []intray.Problem
		had, was = splitRow(was, i)
		has, is = splitRow(is, i)
		addKinds(r.lost, row, had, has)
		addKinds(r.gained, row, has, had)
	}
	r.moves = make([][]keyMove, len(w.hashers))
	for k, h := range w.hashers {
		r.moves[k] = keyMoves(h, w.builder.draft.keys[k].Fields(), r, old.fields)
	}
	return nil
}

// keyMoves returns the rows of a result whose key differs from the one that they had with the given columns.
func keyMoves(h *validate.Hasher, keyFields []int, r *spanResult, old []intray.Cells) (moves []keyMove) {
	if old != nil && !slices.ContainsFunc(keyFields, func(f int) bool { return !sameValues(&old[f], &r.batch.Fields[f]) }) {
		return nil
	}
	before := make([]rowKey, len(r.rows))
	if old != nil {
		before = rowKeys(h, &intray.Batch{Lines: r.batch.Lines, Fields: old})
	}
	for i, after := range rowKeys(h, r.batch) {
		if before[i] != after {
			moves = append(moves, keyMove{r.rows[i], before[i], after})
		}
	}
	return moves
}

// sameValues reports whether two columns have the same values, stored in the same way.
func sameValues(a, b *intray.Cells) bool {
	x, y := &a.Values, &b.Values
	return slices.Equal(a.Nulls, b.Nulls) && bytes.Equal(x.Texts.Arena, y.Texts.Arena) &&
		slices.Equal(x.Texts.Ends, y.Texts.Ends) && slices.Equal(x.Codes, y.Codes)
}

// splitRow returns the problems of a row and the remaining problems. The problems of
// the row must come first.
func splitRow(problems []intray.Problem, row int) (of, others []intray.Problem) {
	n := 0
	for n < len(problems) && problems[n].Row == row {
		n++
	}
	return problems[:n], problems[n:]
}

// addKinds adds a row to the rows of each kind of problem that occurs in the first list of
// problems but not in the second.
func addKinds(to map[Kind][]uint32, row uint32, some, others []intray.Problem) {
	for i := range some {
		k := kindOf(&some[i])
		if slices.ContainsFunc(others, func(p intray.Problem) bool { return kindOf(&p) == k }) {
			continue
		}
		if list := to[k]; len(list) == 0 || list[len(list)-1] != row {
			to[k] = append(list, row)
		}
	}
}
