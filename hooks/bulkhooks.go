package hooks

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/intraydata/intray"
	"github.com/intraydata/intray/hooks/jsruntime"
)

const (
	// lazyMinRows and lazyMinCells are from where on a call with all rows gets its
	// columns one by one, and only those that its hooks look at.
	lazyMinRows  = 10_000
	lazyMinCells = 100_000
	// packRows is how many rows of a column are sent at once then.
	packRows = 10_000
	// lazyAnswerFactor is how many times more such a call may change.
	lazyAnswerFactor = 4
)

func needsLazyCall(rows, fields int) bool { return rows > lazyMinRows || rows*fields > lazyMinCells }

// withRetry does something with a seat, and again in a fresh one where something else
// than a hook ended the worker.
func (s *Session) withRetry(ctx context.Context, fields []intray.Field, c callInfo, do func(one *workerSlot) error) error {
	for done := retryCount(0); ; {
		one, err := s.acquireSlot(ctx, fields)
		if err != nil {
			return err
		}
		if err = do(one); err == nil {
			s.releaseSlot(one)
			return nil
		}
		s.closeSlot(one)
		if !done.waitBeforeRetry(ctx, err) {
			return s.explainWorkerError(ctx, err, c)
		}
	}
}

// RunBulk calls a bulk hook, by its place, with all rows.
func (s *Session) RunBulk(ctx context.Context, hook int, rows intray.HookRows) (changes []intray.Change, err error) {
	shapes, err := columnLayouts(rows)
	if err != nil {
		return nil, err
	}
	list, n := batchSpans(rows.Batches)
	name := s.hookNames(jsruntime.HookBulkRow)[hook]
	c := callInfo{hooks: []string{name}, slow: func() intray.Message { return s.slow(n) }, within: func(reason intray.Message) intray.Message {
		return intray.NewMessage("hook.with_all_rows", intray.Params{"reason": reason})
	}}
	call := &jsruntime.RowsCall{Kind: jsruntime.HookBulkRow, Hooks: c.hooks, Mode: hookMode(rows.Update)}
	err = s.withRetry(ctx, rows.Fields, c, func(one *workerSlot) error {
		w := &bulkRun{Session: s, slot: one, shapes: shapes, spans: list, rows: n, info: c}
		changes, err = w.run(ctx, call, func(columns []*jsruntime.Column, lazy, fresh bool, left time.Duration) {
			call.Rows = jsruntime.Rows{Count: n, First: firstRowIndex(list), Indexes: rowIndexes(list), Columns: columns}
			call.Lazy, call.Fresh, call.Budget, call.Limit = lazy, fresh, s.engineBudget(left), w.answerLimit(lazy)
		})
		return err
	})
	return changes, err
}

// RunColumn calls a column hook with all cells of its field, once for each column
// that feeds it.
func (s *Session) RunColumn(ctx context.Context, hook int, rows intray.HookRows) (changes []intray.Change, err error) {
	field := slices.IndexFunc(rows.Fields, func(f intray.Field) bool { return f.Key == s.hooks.Column[hook].Field })
	if field < 0 {
		return nil, nil // the field was removed
	}
	shapes, err := columnLayouts(rows)
	if err != nil {
		return nil, err
	}
	list, n := batchSpans(rows.Batches)
	name := fmt.Sprintf("columnHooks[%d]", hook)
	c := callInfo{hooks: []string{name}, slow: func() intray.Message { return s.slow(n) }, within: func(reason intray.Message) intray.Message {
		return intray.NewMessage("hook.with_whole_column", intray.Params{"reason": reason})
	}}
	err = s.withRetry(ctx, rows.Fields, c, func(one *workerSlot) error {
		changes = nil
		for part := range columnCount(shapes[field]) {
			call := &jsruntime.ColumnCall{Hooks: []string{name}, Field: field, Part: part}
			w := &bulkRun{Session: s, slot: one, shapes: shapes, spans: list, rows: n, info: c, initialColumns: []int{field}}
			found, err := w.run(ctx, call, func(columns []*jsruntime.Column, lazy, _ bool, left time.Duration) {
				call.Rows = jsruntime.Rows{Count: n, First: firstRowIndex(list), Columns: columns}
				call.Lazy, call.Budget, call.Limit = lazy, s.engineBudget(left), w.answerLimit(lazy)
			})
			if err != nil {
				return err
			}
			changes = append(changes, found...)
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	return changes, nil
}

// columnCount is how many columns feed a field.
func columnCount(one columnLayout) int {
	if one.field.ManyToOne {
		return one.parts
	}
	return 1
}

// bulkRun is a call with all rows.
type bulkRun struct {
	*Session
	slot   *workerSlot
	shapes []columnLayout
	spans  []span
	rows   int
	info   callInfo
	// initialColumns are the columns that the call begins with; nil is all of them, or none
	// where they are many.
	initialColumns []int
}

// answerLimit is what hooks may change where it is not that of the load.
func (w *bulkRun) answerLimit(lazy bool) int {
	if lazy {
		return lazyAnswerFactor * w.cfg.MaxAnswer
	}
	return 0
}

// run makes a call, which prepare completes. Where the cells are many, they are
// sent before, column by column, as the hooks ask for them.
func (w *bulkRun) run(ctx context.Context, call request, prepare func(columns []*jsruntime.Column, lazy, fresh bool, left time.Duration)) ([]intray.Change, error) {
	until := time.Now().Add(w.callBudget(w.rows))
	columns := make([]*jsruntime.Column, len(w.shapes))
	width := len(w.shapes)
	if w.initialColumns != nil {
		width = len(w.initialColumns)
	}
	lazy := needsLazyCall(w.rows, width)
	for f := range columns {
		if w.initialColumns == nil && lazy || w.initialColumns != nil && !slices.Contains(w.initialColumns, f) {
			continue
		}
		if !lazy {
			columns[f] = w.shapes[f].buildColumn(f, w.spans)
			continue
		}
		if err := w.sendColumn(ctx, f, columns); err != nil {
			return nil, err
		}
	}
	for fresh := false; ; fresh = true {
		left := max(time.Until(until), w.cfg.BatchTimeout/10)
		prepare(columns, lazy, fresh, left)
		changes, missed, err := w.collectChanges(ctx, call, left)
		if err != nil || len(missed) == 0 {
			return changes, err
		}
		for _, f := range missed {
			if columns[f] != nil || !lazy {
				return nil, errRepeatedColumns
			}
			if err := w.sendColumn(ctx, f, columns); err != nil {
				return nil, err
			}
		}
	}
}

// sendColumn sends a column ahead of the call.
func (w *bulkRun) sendColumn(ctx context.Context, f int, columns []*jsruntime.Column) error {
	columns[f] = &jsruntime.Column{Kept: true}
	if w.shapes[f].field.ManyToOne {
		columns[f].Parts = make([]jsruntime.Column, w.shapes[f].parts)
	}
	for from := 0; from < w.rows; from += packRows {
		column := w.shapes[f].buildColumn(f, sliceSpans(w.spans, from, min(from+packRows, w.rows)))
		pack := &jsruntime.KeepCall{Field: f, Part: -1, From: from, Size: packRows, Column: column}
		if !w.shapes[f].field.ManyToOne {
			if err := w.sendPack(ctx, pack); err != nil {
				return err
			}
			continue
		}
		for part := range column.Parts {
			pack.Part, pack.Column = part, &column.Parts[part]
			if err := w.sendPack(ctx, pack); err != nil {
				return err
			}
		}
	}
	return nil
}

// sendPack makes a call that has no answer to speak of.
func (w *bulkRun) sendPack(ctx context.Context, pack *jsruntime.KeepCall) error {
	pack.Budget = w.engineBudget(w.cfg.BatchTimeout)
	return w.storePack(ctx, w.slot, pack, w.info)
}

// storePack gives a worker a pack.
func (s *Session) storePack(ctx context.Context, one *workerSlot, pack *jsruntime.KeepCall, c callInfo) error {
	a, err := s.roundTrip(ctx, one, pack, jsruntime.Bounds{}, s.cfg.BatchTimeout, ignoreChange)
	if err == nil && a.Failure != nil {
		err = s.hookError(a.Failure, c)
	}
	return err
}

// collectChanges makes the call and gathers what it changes, part by part.
func (w *bulkRun) collectChanges(ctx context.Context, call request, left time.Duration) (changes []intray.Change, missed []int, err error) {
	bounds := answerBounds(w.shapes, w.rows, false)
	var taken changeCollector
	for {
		before := len(taken.changes)
		a, err := w.roundTrip(ctx, w.slot, call, bounds, left, taken.appendChange)
		if err != nil {
			return nil, nil, err
		}
		w.recordTimes(a)
		if a.Failure != nil {
			return nil, nil, w.hookError(a.Failure, w.info)
		}
		if !a.More {
			return taken.changes, a.Missed, nil
		}
		if bounds.Changes -= len(taken.changes) - before; bounds.Changes == 0 {
			bounds.Changes = -1 // none, and not as many as there are cells
		}
		call = &jsruntime.MoreCall{Budget: w.engineBudget(left)}
	}
}

// sliceSpans gives some of the rows of a list.
func sliceSpans(list []span, from, to int) (some []span) {
	for _, one := range list {
		n := one.to - one.from
		if from < n && to > 0 {
			some = append(some, span{batch: one.batch, from: one.from + max(from, 0), to: one.from + min(to, n)})
		}
		from -= n
		to -= n
	}
	return some
}
