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
	// lazyMinRows and lazyMinCells are the sizes above which a call is lazy: only the
	// columns that the hook reads are sent, in packs, ahead of the call.
	lazyMinRows  = 10_000
	lazyMinCells = 100_000
	// packRows is the number of rows in a pack.
	packRows = 10_000
	// lazyAnswerFactor is the factor by which the limit on changes is higher for a lazy call.
	lazyAnswerFactor = 4
)

func needsLazyCall(rows, fields int) bool { return rows > lazyMinRows || rows*fields > lazyMinCells }

// RunBulk calls the bulk hook whose index is hook. It passes all rows in one call.
func (s *Session) RunBulk(ctx context.Context, hook int, rows intray.HookRows) (changes []intray.Change, err error) {
	name := s.hookNames(jsruntime.HookBulkRow)[hook]
	call, err := s.newBulkCall(name, rows)
	if err != nil {
		return nil, err
	}
	call.info.addContext = func(reason intray.Message) intray.Message {
		return intray.NewMessage("hook.with_all_rows", intray.Params{"reason": reason})
	}
	call.newRequest = func(a attempt) request {
		return &jsruntime.RowsCall{
			Kind: jsruntime.HookBulkRow, Hooks: []string{name}, Mode: hookMode(rows.Update),
			Rows: rowsOfColumns(call.spans, a.columns), Lazy: a.lazy, Fresh: a.repeated, Limit: a.answerLimit, Budget: a.budget,
		}
	}
	err = s.withRetry(ctx, rows.Fields, call.info, func(slot *workerSlot) error {
		first := attempt{columns: make([]*jsruntime.Column, len(rows.Fields)), lazy: needsLazyCall(call.rowCount, len(rows.Fields))}
		if !first.lazy {
			for f := range first.columns {
				first.columns[f] = call.layouts[f].buildColumn(f, call.spans)
			}
		}
		changes, err = call.run(ctx, slot, first)
		return err
	})
	return changes, err
}

// RunColumn calls the column hook whose index is hook. It makes one call, with all cells, for
// each column of the hook's field.
func (s *Session) RunColumn(ctx context.Context, hook int, rows intray.HookRows) (changes []intray.Change, err error) {
	field := slices.IndexFunc(rows.Fields, func(f intray.Field) bool { return f.Key == s.hooks.Column[hook].Field })
	if field < 0 {
		return nil, nil // a step hook removed the field
	}
	name := fmt.Sprintf("columnHooks[%d]", hook)
	call, err := s.newBulkCall(name, rows)
	if err != nil {
		return nil, err
	}
	call.info.addContext = func(reason intray.Message) intray.Message {
		return intray.NewMessage("hook.with_whole_column", intray.Params{"reason": reason})
	}
	columns := 1
	if layout := call.layouts[field]; layout.field.ManyToOne {
		columns = layout.columns
	}
	err = s.withRetry(ctx, rows.Fields, call.info, func(slot *workerSlot) error {
		changes = nil
		for part := range columns {
			call.newRequest = func(a attempt) request {
				return &jsruntime.ColumnCall{
					Hooks: []string{name}, Field: field, Part: part,
					Rows: rowsOfColumns(call.spans, a.columns), Lazy: a.lazy, Limit: a.answerLimit, Budget: a.budget,
				}
			}
			first := attempt{columns: make([]*jsruntime.Column, len(rows.Fields)), lazy: needsLazyCall(call.rowCount, 1)}
			if !first.lazy {
				first.columns[field] = call.layouts[field].buildColumn(field, call.spans)
			} else if err := call.sendColumn(ctx, slot, field, first.columns); err != nil {
				return err
			}
			found, err := call.run(ctx, slot, first)
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

// bulkCall is a call to a hook with all rows.
type bulkCall struct {
	*Session
	layouts  []columnLayout
	spans    []span
	rowCount int
	info     callInfo
	// newRequest returns the request for an attempt.
	newRequest func(a attempt) request
}

// attempt holds the parts in which the requests of one call differ.
type attempt struct {
	// columns has an entry for each field. Columns that are nil are not sent.
	columns []*jsruntime.Column
	// lazy reports whether columns were sent in packs ahead of the request.
	lazy bool
	// repeated reports whether the hook ran before and read a column that was not sent.
	repeated bool
	// answerLimit, in bytes, replaces the usual limit on changes unless it is 0.
	answerLimit int
	// budget is the time limit of the engine.
	budget time.Duration
}

func (s *Session) newBulkCall(hook string, rows intray.HookRows) (*bulkCall, error) {
	layouts, err := columnLayouts(rows)
	if err != nil {
		return nil, err
	}
	call := &bulkCall{Session: s, layouts: layouts}
	call.spans, call.rowCount = batchSpans(rows.Batches)
	call.info = callInfo{hooks: []string{hook}, timeoutText: func() intray.Message { return s.timeoutText(call.rowCount) }}
	return call, nil
}

// run makes attempts until every column that the hook reads has been sent. All attempts share
// the time limit of one call.
func (c *bulkCall) run(ctx context.Context, slot *workerSlot, a attempt) ([]intray.Change, error) {
	deadline := time.Now().Add(c.callBudget(c.rowCount))
	if a.lazy {
		a.answerLimit = lazyAnswerFactor * c.cfg.MaxAnswer
	}
	for ; ; a.repeated = true {
		timeLeft := max(time.Until(deadline), c.cfg.BatchTimeout/10)
		a.budget = c.engineBudget(timeLeft)
		changes, missed, err := c.collectChanges(ctx, slot, c.newRequest(a), timeLeft)
		if err != nil || len(missed) == 0 {
			return changes, err
		}
		for _, field := range missed {
			if a.columns[field] != nil || !a.lazy {
				return nil, errRepeatedColumns
			}
			if err := c.sendColumn(ctx, slot, field, a.columns); err != nil {
				return nil, err
			}
		}
	}
}

// collectChanges sends a request and collects its changes, which may arrive in several
// answers. missed lists the fields that the hook read but that were not sent.
func (c *bulkCall) collectChanges(ctx context.Context, slot *workerSlot, r request, timeLeft time.Duration) (changes []intray.Change, missed []int, err error) {
	var collector changeCollector
	bounds := answerBounds(c.layouts, c.rowCount, false)
	maxChanges := bounds.MaxChanges
	for {
		bounds.MaxChanges = maxChanges - len(collector.changes)
		a, err := c.roundTrip(ctx, slot, r, bounds, timeLeft, collector.appendChange)
		if err != nil {
			return nil, nil, err
		}
		c.recordOutput(a)
		if a.Failure != nil {
			return nil, nil, c.hookError(a.Failure, c.info)
		}
		if !a.More {
			return collector.changes, a.Missed, nil
		}
		r = &jsruntime.MoreCall{Budget: c.engineBudget(timeLeft)}
	}
}

// sendColumn sends the column of a field in packs. In columns, it marks the column as sent ahead.
func (c *bulkCall) sendColumn(ctx context.Context, slot *workerSlot, field int, columns []*jsruntime.Column) error {
	layout := &c.layouts[field]
	columns[field] = &jsruntime.Column{Kept: true}
	if layout.field.ManyToOne {
		columns[field].Parts = make([]jsruntime.Column, layout.columns)
	}
	for from := 0; from < c.rowCount; from += packRows {
		column := layout.buildColumn(field, sliceSpans(c.spans, from, min(from+packRows, c.rowCount)))
		packs := []jsruntime.Column{*column}
		if layout.field.ManyToOne {
			packs = column.Parts
		}
		for part := range packs {
			pack := &jsruntime.KeepCall{Field: field, Part: part, ManyToOne: layout.field.ManyToOne, From: from, Size: packRows, Column: &packs[part]}
			if err := c.sendPack(ctx, slot, pack, c.info); err != nil {
				return err
			}
		}
	}
	return nil
}

// sendPack sends some rows of a column ahead of a lazy call.
func (s *Session) sendPack(ctx context.Context, slot *workerSlot, pack *jsruntime.KeepCall, info callInfo) error {
	pack.Budget = s.engineBudget(s.cfg.BatchTimeout)
	a, err := s.roundTrip(ctx, slot, pack, jsruntime.Bounds{}, s.cfg.BatchTimeout, ignoreChange)
	if err == nil && a.Failure != nil {
		err = s.hookError(a.Failure, info)
	}
	return err
}
