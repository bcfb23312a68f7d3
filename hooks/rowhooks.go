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

// rowHook is the state of a row hook in a session.
type rowHook struct {
	name string
	// usedFields are the keys of the fields that the hook uses, or nil if these are not known
	// yet. The mutex of the session guards usedFields.
	usedFields    map[string]bool
	sizer         batchSizer
	distinctSizer distinctSizer
}

// RunRows calls the row hook with index hook for all rows. A call usually has 1,000 rows.
func (s *Session) RunRows(ctx context.Context, hook int, rows intray.HookRows) ([]intray.Change, error) {
	layouts, err := columnLayouts(rows)
	if err != nil {
		return nil, err
	}
	slot, err := s.acquireSlot(ctx, rows.Fields)
	if err != nil {
		return nil, err
	}
	r := &rowHookRun{Session: s, hook: s.rowHooks[hook], slot: slot, layouts: layouts, update: rows.Update, changes: rows.Reuse[:0]}
	spans, left := batchSpans(rows.Batches)
	for done := 0; left > 0; {
		next, err := r.callNext(ctx, spans, done, left)
		if err != nil {
			s.closeSlot(slot)
			return nil, err
		}
		done, left = done+next.rows(), left-next.rows()
		if done == next.rows() { // expect the same rate of changes in the remaining rows
			r.changes = slices.Grow(r.changes, len(r.changes)*left/done)
		}
	}
	s.releaseSlot(slot)
	return r.changes, nil
}

// callNext calls the hook with the rows of the next span, and returns the span. A span has rows of one batch only.
func (r *rowHookRun) callNext(ctx context.Context, spans []span, done, left int) (next span, err error) {
	if r.pure {
		if size := r.hook.distinctSizer.next(); size > 0 {
			next = sliceSpans(spans, done, done+min(left, size))[0]
			if finished, err := r.callDistinct(ctx, next); finished || err != nil {
				return next, err
			}
		}
	}
	next = sliceSpans(spans, done, done+min(left, r.hook.sizer.next()))[0]
	return next, r.callSpan(ctx, next)
}

// rowHookRun calls a row hook for all rows and collects its changes.
type rowHookRun struct {
	*Session
	hook    *rowHook
	slot    *workerSlot
	layouts []columnLayout
	update  bool
	changes []intray.Change
}

// callSpan calls the hook with the rows of a span. If a call with more than 1,000 rows
// fails, callSpan repeats it in a fresh worker, in calls of 1,000 rows.
func (r *rowHookRun) callSpan(ctx context.Context, rows span) error {
	if rows.rows() <= batchRows {
		return r.callSplitting(ctx, rows, false)
	}
	err := r.callOnce(ctx, rows, r.callInfo(rows), false)
	if err == nil || ctx.Err() != nil {
		return err
	}
	r.hook.sizer.resetToDefault()
	if err := r.replaceWorker(ctx, r.slot, r.slot.fields); err != nil {
		return err
	}
	for from := 0; from < rows.rows(); from += batchRows {
		if err := r.callSplitting(ctx, rows.slice(from, min(from+batchRows, rows.rows())), true); err != nil {
			return err
		}
	}
	return nil
}

// callSplitting calls the hook. It splits the rows in half if the request is too long. If trace
// is set, the worker sends a note before each row.
func (r *rowHookRun) callSplitting(ctx context.Context, rows span, trace bool) error {
	err := r.callWithRetry(ctx, rows, trace)
	var long *sandbox.TooLongError
	if rows.rows() < 2 || !errors.As(err, &long) {
		return r.explainWorkerError(ctx, err, r.callInfo(rows))
	}
	half := rows.rows() / 2
	if err := r.callSplitting(ctx, rows.slice(0, half), trace); err != nil {
		return err
	}
	return r.callSplitting(ctx, rows.slice(half, rows.rows()), trace)
}

// callWithRetry calls the hook. If the call fails and the error does not include a row,
// callWithRetry repeats the call in a fresh worker that sends a note before each row. This
// identifies a row that ends the worker. If the second call succeeds, the hook was not the cause.
func (r *rowHookRun) callWithRetry(ctx context.Context, rows span, trace bool) error {
	info, fields := r.callInfo(rows), r.slot.fields
	for done := retryCount(0); ; {
		err := r.callOnce(ctx, rows, info, trace)
		switch {
		case !isRowUnknown(err) || ctx.Err() != nil:
			return err
		case !done.waitBeforeRetry(ctx, err) && trace:
			return r.explainWorkerError(ctx, err, info)
		}
		trace = true
		if replaceErr := r.replaceWorker(ctx, r.slot, fields); replaceErr != nil {
			if ctx.Err() == nil && errors.Is(replaceErr, sandbox.ErrClosed) {
				return replaceErr
			}
			return r.explainWorkerError(ctx, err, info)
		}
	}
}

// isRowUnknown reports whether a hook failed and the error does not include the row.
func isRowUnknown(err error) bool {
	var dead *sandbox.Failure
	var failed *intray.HookError
	return errors.As(err, &dead) && dead.Kind != sandbox.KindClosed || errors.As(err, &failed) && failed.Row == nil
}

func (r *rowHookRun) callInfo(rows span) callInfo {
	c := r.rowCallInfo(rows)
	c.hooks = []string{r.hook.name}
	return c
}

// rowCallInfo returns the description of a call to hooks that process single rows.
func (s *Session) rowCallInfo(rows span) callInfo {
	n := rows.rows()
	return callInfo{
		timeoutText: func() intray.Message { return s.timeoutText(n) }, minRowTime: s.cfg.BatchTimeout / 5,
		firstRow: rows.rowNumber(0), rowCount: rows.rowNumber(n-1) - rows.rowNumber(0) + 1,
	}
}

// callOnce calls the hook and appends its changes. If the hook reads a column that was not
// sent, callOnce repeats the call with that column.
func (r *rowHookRun) callOnce(ctx context.Context, rows span, info callInfo, trace bool) error {
	fields := layoutFields(r.layouts)
	send, known := r.usedColumns(r.hook, fields)
	call := &jsruntime.RowsCall{Kind: jsruntime.HookRow, Hooks: info.hooks, Mode: hookMode(r.update), Learn: !known, Trace: trace, Budget: r.engineBudget(r.cfg.BatchTimeout)}
	for {
		call.Rows = buildRows(r.layouts, []span{rows}, send)
		// Most hooks make a similar number of changes in each call.
		collector := changeCollector{changes: slices.Grow(r.changes, r.slot.changeCount), rowOffset: rows.rowOffset}
		start := time.Now()
		a, err := r.roundTrip(ctx, r.slot, call, answerBounds(r.layouts, rows.rows(), call.Learn), r.cfg.BatchTimeout, collector.appendChange)
		if err != nil {
			return err
		}
		r.slot.changeCount = len(collector.changes) - len(r.changes)
		r.recordOutput(a)
		r.recordUsedFields(r.hook, a, fields, call.Learn)
		r.hook.sizer.observe(rows.rows(), len(r.slot.request), time.Since(start))
		switch {
		case a.Failure != nil:
			return r.hookError(a.Failure, info)
		case len(a.Missed) == 0:
			r.changes = collector.changes
			return nil
		}
		if call.Fresh = true; !markMissed(send, a.Missed) {
			return errRepeatedColumns
		}
	}
}

// usedColumns reports which fields a row hook uses. Until that is known, it returns all fields.
func (s *Session) usedColumns(hook *rowHook, fields []intray.Field) (used []bool, known bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	used = make([]bool, len(fields))
	for i, f := range fields {
		used[i] = hook.usedFields == nil || hook.usedFields[f.Key]
	}
	return used, hook.usedFields != nil
}

// recordUsedFields records the fields in an answer as used. learned reports whether the
// call asked which fields are used.
func (s *Session) recordUsedFields(hook *rowHook, a *jsruntime.Answer, fields []intray.Field, learned bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if learned && hook.usedFields == nil {
		hook.usedFields = map[string]bool{}
	}
	if hook.usedFields == nil {
		return
	}
	for _, list := range [][]int{a.Used, a.Missed} {
		for _, field := range list {
			hook.usedFields[fields[field].Key] = true
		}
	}
}

// markMissed marks the fields that were used but not sent. It reports whether any of them
// was not marked before.
func markMissed(send []bool, missed []int) bool {
	marked := false
	for _, field := range missed {
		marked = marked || !send[field]
		send[field] = true
	}
	return marked
}

// hookMode returns the second argument of row and bulk hooks.
func hookMode(update bool) string {
	if update {
		return "update"
	}
	return "init"
}

const (
	// batchRows is the usual number of rows of a call.
	batchRows = 1000
	// maxCallRows, targetCallTime and targetRequestSize (in bytes) limit the calls to fast
	// hooks, for which transferring the rows takes most of the time. JavaScript engines are
	// slower with longer strings.
	maxCallRows       = 5 * batchRows
	targetCallTime    = 3 * time.Millisecond
	targetRequestSize = 96 << 10
)

// batchSizer decides the number of rows per call to a row hook: 1,000, or more if that takes
// little time. If a larger call fails, it is repeated with 1,000 rows, and all later calls
// have 1,000 rows. This way, no hook has less time or memory than documented.
type batchSizer struct {
	mu    sync.Mutex
	rows  int
	fixed bool
}

// next returns the number of rows for the next call.
func (b *batchSizer) next() int {
	b.mu.Lock()
	defer b.mu.Unlock()
	return max(b.rows, batchRows)
}

// observe records the number of rows, the size in bytes and the duration of a call.
func (b *batchSizer) observe(rows, size int, took time.Duration) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.fixed || rows == 0 {
		return
	}
	inTargetTime := int(int64(rows) * int64(targetCallTime) / max(int64(took), 1))
	b.rows = min(inTargetTime, rows*targetRequestSize/max(size, 1), 2*rows, maxCallRows)
}

func (b *batchSizer) resetToDefault() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.rows, b.fixed = batchRows, true
}

// changeCollector collects changes and converts them to intray.Change.
type changeCollector struct {
	changes []intray.Change
	// rowOffset is added to the row numbers from the runtime.
	rowOffset int
	// values is the memory that the changes refer to. When it is full, it is replaced.
	values []string
}

func (c *changeCollector) appendChange(change *jsruntime.Change) {
	c.changes = append(c.changes, intray.Change{Row: c.rowOffset + change.Row, Field: change.Field, Part: change.Part, HasValue: change.HasValue, HasInfos: change.HasInfos})
	one := &c.changes[len(c.changes)-1]
	if change.HasValue && change.Value.Kind != jsruntime.ValueNull {
		one.Value, one.IsNumber = c.storeValue(change.Value.Text), change.Value.Kind == jsruntime.ValueNumber
	}
	for _, info := range change.Infos {
		one.Infos = append(one.Infos, intray.Info{Level: info.Level, Text: info.Message})
	}
	if change.HasOptions {
		one.Options = append([]intray.SelectOption{}, change.Options...)
	}
}

func (c *changeCollector) storeValue(text string) *string {
	if len(c.values) == cap(c.values) {
		c.values = make([]string, 0, batchRows)
	}
	c.values = append(c.values, text)
	return &c.values[len(c.values)-1]
}

// ignoreChange drops a change. It is used for calls that may not change cells.
func ignoreChange(*jsruntime.Change) {}

// NotifyDeleted calls the row delete hooks with rows that a user deletes. It ignores the
// return values of the hooks.
func (s *Session) NotifyDeleted(ctx context.Context, rows intray.HookRows) error {
	layouts, err := columnLayouts(rows)
	if err != nil {
		return err
	}
	all := slices.Repeat([]bool{true}, len(layouts))
	for _, b := range rows.Batches {
		for from := 0; from < b.Rows(); from += batchRows {
			part := span{batch: b, from: from, to: min(from+batchRows, b.Rows())}
			info := s.rowCallInfo(part)
			info.hooks, info.group = s.hookNames(jsruntime.HookRowDelete), "rowDeleteHooks"
			call := &jsruntime.RowsCall{Kind: jsruntime.HookRowDelete, Mode: hookMode(true), Rows: buildRows(layouts, []span{part}, all), Budget: s.engineBudget(s.cfg.BatchTimeout)}
			err := s.withRetry(ctx, rows.Fields, info, func(slot *workerSlot) error {
				a, err := s.roundTrip(ctx, slot, call, answerBounds(layouts, part.rows(), false), s.cfg.BatchTimeout, ignoreChange)
				if err != nil {
					return err
				}
				s.recordOutput(a)
				if a.Failure != nil {
					return s.hookError(a.Failure, info)
				}
				return nil
			})
			if err != nil {
				return err
			}
		}
	}
	return nil
}
