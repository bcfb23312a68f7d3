package hooks

import (
	"context"
	"errors"
	"slices"
	"sync"
	"time"

	"github.com/intraydata/intray"
	"github.com/intraydata/intray/hooks/jsruntime"
	"github.com/intraydata/intray/hooks/sandbox"
)

// rowHook is what is known of a row hook.
type rowHook struct {
	name string
	// usedFields are the fields that it uses, by their keys; nil as long as nobody knows.
	// The session guards it.
	usedFields map[string]bool
	sizer      batchSizer
}

// rowHookRun calls a row hook with the rows of a batch.
type rowHookRun struct {
	*Session
	hook   *rowHook
	slot   *workerSlot
	shapes []columnLayout
	update bool
}

// RunRows calls a row hook, by its place, with each row, about a thousand at a time.
func (s *Session) RunRows(ctx context.Context, hook int, rows intray.HookRows) ([]intray.Change, error) {
	shapes, err := columnLayouts(rows)
	if err != nil {
		return nil, err
	}
	one, err := s.acquireSlot(ctx, rows.Fields)
	if err != nil {
		return nil, err
	}
	r := &rowHookRun{Session: s, hook: s.rowHooks[hook], slot: one, shapes: shapes, update: rows.Update}
	all, left := batchSpans(rows.Batches)
	var changes []intray.Change
	for ahead := 0; left > 0; {
		part := sliceSpans(all, ahead, ahead+min(left, r.hook.sizer.next()))[0]
		part.rowOffset = ahead
		if changes, err = r.callSpan(ctx, part, changes); err != nil {
			s.closeSlot(one)
			return nil, err
		}
		n := part.to - part.from
		ahead, left = ahead+n, left-n
		if ahead == n { // the others have about as many changes
			changes = slices.Grow(changes, len(changes)*left/n)
		}
	}
	s.releaseSlot(one)
	return changes, nil
}

// callSpan calls the hook with a run of rows. Where that fails and they are more than a
// thousand, a fresh worker gets them by the thousand: what counts is what comes of
// that.
func (r *rowHookRun) callSpan(ctx context.Context, rows span, to []intray.Change) ([]intray.Change, error) {
	if rows.to-rows.from <= batchRows {
		return r.callSplitting(ctx, rows, false, to)
	}
	changes, err := r.callOnce(ctx, rows, r.describeCall(rows), false, to)
	if err == nil || ctx.Err() != nil {
		return changes, err
	}
	r.hook.sizer.resetToDefault()
	if err := r.replaceWorker(ctx, r.slot, r.slot.fields); err != nil {
		return nil, err
	}
	for from := rows.from; from < rows.to; from += batchRows {
		part := span{rows.batch, from, min(from+batchRows, rows.to), rows.rowOffset + from - rows.from}
		if to, err = r.callSplitting(ctx, part, true, to); err != nil {
			return nil, err
		}
	}
	return to, nil
}

// callSplitting calls the hook with a run of rows, in two parts where it is too long for
// one call, and adds what it changes.
func (r *rowHookRun) callSplitting(ctx context.Context, rows span, trace bool, to []intray.Change) ([]intray.Change, error) {
	changes, err := r.callWithRetry(ctx, rows, trace, to)
	var long *sandbox.TooLongError
	n := rows.to - rows.from
	if n < 2 || !errors.As(err, &long) {
		return changes, r.explainWorkerError(ctx, err, r.describeCall(rows))
	}
	half := rows.from + n/2
	if to, err = r.callSplitting(ctx, span{rows.batch, rows.from, half, rows.rowOffset}, trace, to); err != nil {
		return nil, err
	}
	return r.callSplitting(ctx, span{rows.batch, half, rows.to, rows.rowOffset + n/2}, trace, to)
}

// callWithRetry calls the hook with a run of rows. Where the worker dies, the rows are tried
// again in a fresh one, with trace: it tells of each row ahead, so it is known which
// row kills it. Where all goes well then, something else was to blame.
func (r *rowHookRun) callWithRetry(ctx context.Context, rows span, trace bool, to []intray.Change) ([]intray.Change, error) {
	c, fields := r.describeCall(rows), r.slot.fields
	for done := retryCount(0); ; {
		changes, err := r.callOnce(ctx, rows, c, trace, to)
		switch {
		case !r.isRowUnknown(err) || ctx.Err() != nil:
			return changes, err
		case !done.waitBeforeRetry(ctx, err) && trace:
			return nil, r.explainWorkerError(ctx, err, c)
		}
		trace = true
		if fresh := r.replaceWorker(ctx, r.slot, fields); fresh != nil {
			if ctx.Err() == nil && errors.Is(fresh, sandbox.ErrClosed) {
				return nil, fresh
			}
			return nil, r.explainWorkerError(ctx, err, c)
		}
	}
}

// describeCall is what is known of a call with a run of rows.
func (r *rowHookRun) describeCall(rows span) callInfo {
	c := r.describeRows(rows, r.update)
	c.hooks = []string{r.hook.name}
	return c
}

// describeRows is what is known of a call of hooks with single rows.
func (s *Session) describeRows(rows span, update bool) callInfo {
	n := rows.to - rows.from
	return callInfo{
		slow: func() intray.Message { return s.slow(n) }, minRowTime: s.cfg.BatchTimeout / 5, update: update,
		firstRow: rows.rowNumber(0), rowCount: rows.rowNumber(n-1) - rows.rowNumber(0) + 1,
	}
}

// isRowUnknown says that it is not known which row made a call fail.
func (s *Session) isRowUnknown(err error) bool {
	var dead *sandbox.Failure
	var failed *intray.HookError
	return errors.As(err, &dead) && dead.Kind != sandbox.KindClosed || errors.As(err, &failed) && failed.Row == nil
}

// callOnce makes a call about rows, again where the hook looks at a column that was not
// sent.
func (r *rowHookRun) callOnce(ctx context.Context, rows span, c callInfo, trace bool, to []intray.Change) ([]intray.Change, error) {
	fields := layoutFields(r.shapes)
	n := rows.to - rows.from
	send, known := r.usedColumns(r.hook, fields)
	call := &jsruntime.RowsCall{Kind: jsruntime.HookRow, Hooks: c.hooks, Mode: hookMode(r.update), Learn: !known, Trace: trace, Budget: r.engineBudget(r.cfg.BatchTimeout)}
	for {
		call.Rows = buildRows(r.shapes, []span{rows}, n, send)
		// A hook mostly changes as much as it did of the rows before.
		taken := changeCollector{changes: slices.Grow(to, r.slot.changeCount), rowOffset: rows.rowOffset}
		began := time.Now()
		a, err := r.roundTrip(ctx, r.slot, call, answerBounds(r.shapes, n, call.Learn), r.cfg.BatchTimeout, taken.appendChange)
		if err != nil {
			return nil, err
		}
		r.slot.changeCount = len(taken.changes) - len(to)
		r.recordUsage(r.hook, a, fields, call.Learn)
		r.hook.sizer.observe(n, len(r.slot.request), time.Since(began))
		switch {
		case a.Failure != nil:
			return nil, r.hookError(a.Failure, c)
		case len(a.Missed) == 0:
			return taken.changes, nil
		}
		if call.Fresh = true; !markMissed(send, a.Missed) {
			return nil, errRepeatedColumns
		}
	}
}

// errRepeatedColumns is for an answer that only a hook gives that meddles.
var errRepeatedColumns = unreadableAnswer(errors.New("it asks for columns that it has"), "")

// markMissed adds columns to those that are sent, and says whether one was not.
func markMissed(send []bool, missed []int) bool {
	some := false
	for _, field := range missed {
		some = some || !send[field]
		send[field] = true
	}
	return some
}

func layoutFields(shapes []columnLayout) []intray.Field {
	fields := make([]intray.Field, len(shapes))
	for i := range shapes {
		fields[i] = shapes[i].field
	}
	return fields
}

func buildRows(shapes []columnLayout, list []span, n int, send []bool) jsruntime.Rows {
	rows := jsruntime.Rows{Count: n, First: firstRowIndex(list), Indexes: rowIndexes(list), Columns: make([]*jsruntime.Column, len(shapes))}
	for i := range shapes {
		if send[i] {
			rows.Columns[i] = shapes[i].buildColumn(i, list)
		}
	}
	return rows
}

// firstRowIndex is the index of the first row.
func firstRowIndex(list []span) int64 {
	if len(list) == 0 {
		return 0
	}
	return list[0].rowNumber(0)
}

// rowIndexes are the indexes of rows that do not follow from the first; else nil.
func rowIndexes(list []span) (indexes []int64) {
	if len(list) == 0 || list[0].batch.Numbers == nil {
		return nil
	}
	for _, one := range list {
		indexes = append(indexes, one.batch.Numbers[one.from:one.to]...)
	}
	return indexes
}

// hookMode is what hooks are told of why they are called.
func hookMode(update bool) string {
	if update {
		return "update"
	}
	return "init"
}

// answerBounds are what an answer about rows keeps to: a hook changes a cell once.
func answerBounds(shapes []columnLayout, rows int, learn bool) jsruntime.Bounds {
	b := jsruntime.Bounds{Rows: rows, Learn: learn}
	cells := 0
	for i := range shapes {
		parts := shapes[i].parts
		cells += max(parts, 1)
		if shapes[i].field.ManyToOne && parts == 0 {
			parts = -1 // it has parts, and none of them
		}
		b.Parts = append(b.Parts, parts)
	}
	b.Changes = rows * cells
	return b
}

const (
	// batchRows is how many rows a worker is given at once.
	batchRows = 1000
	// maxCallRows, targetCallTime and targetRequestSize, in bytes, bound how many more it is given
	// where hooks are so quick that most of the time would go into handing rows over.
	// Longer texts are kept apart by engines, at a price.
	maxCallRows       = 5 * batchRows
	targetCallTime    = 3 * time.Millisecond
	targetRequestSize = 96 << 10
)

// batchSizer says how many rows a call of row hooks is about: a thousand, or more while
// that takes next to no time. What goes wrong with more is done again with a
// thousand, and a thousand it is from then on: no hook gets less time or memory
// for its rows than it was promised.
type batchSizer struct {
	mu    sync.Mutex
	rows  int
	fixed bool
}

func (p *batchSizer) next() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return max(p.rows, batchRows)
}

// observe takes how long a call with so many rows took, and how many bytes it had.
func (p *batchSizer) observe(rows, size int, took time.Duration) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.fixed || rows == 0 {
		return
	}
	quick := int(int64(rows) * int64(targetCallTime) / max(int64(took), 1))
	p.rows = min(quick, rows*targetRequestSize/max(size, 1), 2*rows, maxCallRows)
}

func (p *batchSizer) resetToDefault() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.rows, p.fixed = batchRows, true
}

// changeCollector gathers changes, as the engine told them, in the words of the rest of
// the program.
type changeCollector struct {
	changes []intray.Change
	// rowOffset is how many rows stand before those that the engine counts.
	rowOffset int
	// values are what changes point to. Where they are full, others follow.
	values []string
}

// appendChange takes a change over.
func (h *changeCollector) appendChange(c *jsruntime.Change) {
	h.changes = append(h.changes, intray.Change{Row: h.rowOffset + c.Row, Field: c.Field, Part: c.Part, HasValue: c.HasValue, HasInfos: c.HasInfos})
	one := &h.changes[len(h.changes)-1]
	if c.HasValue && c.Value.Kind != jsruntime.ValueNull {
		one.Value, one.IsNumber = h.storeValue(c.Value.Text), c.Value.Kind == jsruntime.ValueNumber
	}
	for _, info := range c.Infos {
		one.Infos = append(one.Infos, intray.Info{Level: info.Level, Text: info.Message})
	}
	if c.HasOptions {
		one.Options = append([]intray.SelectOption{}, c.Options...)
	}
}

func (h *changeCollector) storeValue(text string) *string {
	if len(h.values) == cap(h.values) {
		h.values = make([]string, 0, batchRows)
	}
	h.values = append(h.values, text)
	return &h.values[len(h.values)-1]
}

// ignoreChange is for calls of which no change is taken over.
func ignoreChange(*jsruntime.Change) {}

// NotifyDeleted tells the hooks for it of each row that a person deletes. What they give
// back says nothing.
func (s *Session) NotifyDeleted(ctx context.Context, rows intray.HookRows) error {
	shapes, err := columnLayouts(rows)
	if err != nil {
		return err
	}
	for _, b := range rows.Batches {
		for from := 0; from < b.Rows(); from += batchRows {
			if err := s.callDeleteHooks(ctx, shapes, span{batch: b, from: from, to: min(from+batchRows, b.Rows())}); err != nil {
				return err
			}
		}
	}
	return nil
}

// callDeleteHooks tells of a run of rows.
func (s *Session) callDeleteHooks(ctx context.Context, shapes []columnLayout, rows span) error {
	fields := layoutFields(shapes)
	c := s.describeRows(rows, true)
	c.hooks, c.group = s.hookNames(jsruntime.HookRowDelete), "rowDeleteHooks"
	n := rows.to - rows.from
	all := make([]bool, len(shapes))
	for i := range all {
		all[i] = true
	}
	return s.withRetry(ctx, fields, c, func(one *workerSlot) error {
		call := &jsruntime.RowsCall{Kind: jsruntime.HookRowDelete, Mode: hookMode(true), Rows: buildRows(shapes, []span{rows}, n, all), Budget: s.engineBudget(s.cfg.BatchTimeout)}
		a, err := s.roundTrip(ctx, one, call, answerBounds(shapes, n, false), s.cfg.BatchTimeout, ignoreChange)
		if err != nil {
			return err
		}
		s.recordTimes(a)
		if a.Failure != nil {
			return s.hookError(a.Failure, c)
		}
		return nil
	})
}
