package script

import (
	"context"
	"errors"
	"slices"
	"sync"
	"time"

	"github.com/intraydata/intray"
	"github.com/intraydata/intray/internal/script/cage"
	"github.com/intraydata/intray/internal/script/realm"
)

// rowHook is what is known of a row hook.
type rowHook struct {
	name string
	// used are the fields that it uses, by their keys; nil as long as nobody knows.
	// The session guards it.
	used map[string]bool
	pace pace
}

// rowsCall calls a row hook with the rows of a batch.
type rowsCall struct {
	*Session
	hook   *rowHook
	one    *seat
	shapes []shape
	update bool
}

// Rows calls a row hook, by its place, with each row, about a thousand at a time.
func (s *Session) Rows(ctx context.Context, hook int, rows intray.HookRows) ([]intray.Change, error) {
	shapes, err := shapesOf(rows)
	if err != nil {
		return nil, err
	}
	one, err := s.take(ctx, rows.Fields)
	if err != nil {
		return nil, err
	}
	r := &rowsCall{Session: s, hook: s.rows[hook], one: one, shapes: shapes, update: rows.Update}
	all, left := spans(rows.Batches)
	var changes []intray.Change
	for ahead := 0; left > 0; {
		part := cut(all, ahead, ahead+min(left, r.hook.pace.next()))[0]
		part.ahead = ahead
		if changes, err = r.many(ctx, part, changes); err != nil {
			s.drop(one)
			return nil, err
		}
		n := part.to - part.from
		ahead, left = ahead+n, left-n
		if ahead == n { // the others have about as many changes
			changes = slices.Grow(changes, len(changes)*left/n)
		}
	}
	s.give(one)
	return changes, nil
}

// many calls the hook with a run of rows. Where that fails and they are more than a
// thousand, a fresh worker gets them by the thousand: what counts is what comes of
// that.
func (r *rowsCall) many(ctx context.Context, rows span, to []intray.Change) ([]intray.Change, error) {
	if rows.to-rows.from <= batchRows {
		return r.halves(ctx, rows, false, to)
	}
	changes, err := r.try(ctx, rows, r.about(rows), false, to)
	if err == nil || ctx.Err() != nil {
		return changes, err
	}
	r.hook.pace.slow()
	if err := r.replace(ctx, r.one, r.one.fields); err != nil {
		return nil, err
	}
	for from := rows.from; from < rows.to; from += batchRows {
		part := span{rows.batch, from, min(from+batchRows, rows.to), rows.ahead + from - rows.from}
		if to, err = r.halves(ctx, part, true, to); err != nil {
			return nil, err
		}
	}
	return to, nil
}

// halves calls the hook with a run of rows, in two parts where it is too long for
// one call, and adds what it changes.
func (r *rowsCall) halves(ctx context.Context, rows span, trace bool, to []intray.Change) ([]intray.Change, error) {
	changes, err := r.batch(ctx, rows, trace, to)
	var long *cage.TooLongError
	n := rows.to - rows.from
	if n < 2 || !errors.As(err, &long) {
		return changes, r.broken(ctx, err, r.about(rows))
	}
	half := rows.from + n/2
	if to, err = r.halves(ctx, span{rows.batch, rows.from, half, rows.ahead}, trace, to); err != nil {
		return nil, err
	}
	return r.halves(ctx, span{rows.batch, half, rows.to, rows.ahead + n/2}, trace, to)
}

// batch calls the hook with a run of rows. Where the worker dies, the rows are tried
// again in a fresh one, with trace: it tells of each row ahead, so it is known which
// row kills it. Where all goes well then, something else was to blame.
func (r *rowsCall) batch(ctx context.Context, rows span, trace bool, to []intray.Change) ([]intray.Change, error) {
	c, fields := r.about(rows), r.one.fields
	for done := tries(0); ; {
		changes, err := r.try(ctx, rows, c, trace, to)
		switch {
		case !r.unsure(err) || ctx.Err() != nil:
			return changes, err
		case !done.again(ctx, err) && trace:
			return nil, r.broken(ctx, err, c)
		}
		trace = true
		if fresh := r.replace(ctx, r.one, fields); fresh != nil {
			if ctx.Err() == nil && errors.Is(fresh, cage.ErrClosed) {
				return nil, fresh
			}
			return nil, r.broken(ctx, err, c)
		}
	}
}

// about is what is known of a call with a run of rows.
func (r *rowsCall) about(rows span) circumstance {
	c := r.rowsAt(rows, r.update)
	c.hooks = []string{r.hook.name}
	return c
}

// rowsAt is what is known of a call of hooks with single rows.
func (s *Session) rowsAt(rows span, update bool) circumstance {
	n := rows.to - rows.from
	return circumstance{
		slow: func() intray.Message { return s.slow(n) }, share: s.cfg.Batch / 5, update: update,
		first: rows.number(0), rows: rows.number(n-1) - rows.number(0) + 1,
	}
}

// unsure says that it is not known which row made a call fail.
func (s *Session) unsure(err error) bool {
	var dead *cage.Failure
	var failed *intray.HookError
	return errors.As(err, &dead) && dead.Kind != cage.KindClosed || errors.As(err, &failed) && failed.Row == nil
}

// try makes a call about rows, again where the hook looks at a column that was not
// sent.
func (r *rowsCall) try(ctx context.Context, rows span, c circumstance, trace bool, to []intray.Change) ([]intray.Change, error) {
	fields := fieldsOf(r.shapes)
	n := rows.to - rows.from
	send, known := r.known(r.hook, fields)
	call := &realm.RowsCall{Kind: realm.HookRow, Hooks: c.hooks, Mode: modeOf(r.update), Learn: !known, Trace: trace, Budget: r.inside(r.cfg.Batch)}
	for {
		call.Rows = rowsOf(r.shapes, []span{rows}, n, send)
		// A hook mostly changes as much as it did of the rows before.
		taken := harvest{changes: slices.Grow(to, r.one.changed), ahead: rows.ahead}
		began := time.Now()
		a, err := r.call(ctx, r.one, call, boundsOf(r.shapes, n, call.Learn), r.cfg.Batch, taken.add)
		if err != nil {
			return nil, err
		}
		r.one.changed = len(taken.changes) - len(to)
		r.learn(r.hook, a, fields, call.Learn)
		r.hook.pace.learn(n, len(r.one.request), time.Since(began))
		switch {
		case a.Failure != nil:
			return nil, r.failed(a.Failure, c)
		case len(a.Missed) == 0:
			return taken.changes, nil
		}
		if call.Fresh = true; !anyNew(send, a.Missed) {
			return nil, errAgain
		}
	}
}

// errAgain is for an answer that only a hook gives that meddles.
var errAgain = unreadable(errors.New("it asks for columns that it has"), "")

// anyNew adds columns to those that are sent, and says whether one was not.
func anyNew(send []bool, missed []int) bool {
	some := false
	for _, field := range missed {
		some = some || !send[field]
		send[field] = true
	}
	return some
}

func fieldsOf(shapes []shape) []intray.Field {
	fields := make([]intray.Field, len(shapes))
	for i := range shapes {
		fields[i] = shapes[i].field
	}
	return fields
}

func rowsOf(shapes []shape, list []span, n int, send []bool) realm.Rows {
	rows := realm.Rows{Count: n, First: firstOf(list), Indexes: indexesOf(list), Columns: make([]*realm.Column, len(shapes))}
	for i := range shapes {
		if send[i] {
			rows.Columns[i] = shapes[i].column(i, list)
		}
	}
	return rows
}

// firstOf is the index of the first row.
func firstOf(list []span) int64 {
	if len(list) == 0 {
		return 0
	}
	return list[0].number(0)
}

// indexesOf are the indexes of rows that do not follow from the first; else nil.
func indexesOf(list []span) (indexes []int64) {
	if len(list) == 0 || list[0].batch.Numbers == nil {
		return nil
	}
	for _, one := range list {
		indexes = append(indexes, one.batch.Numbers[one.from:one.to]...)
	}
	return indexes
}

// modeOf is what hooks are told of why they are called.
func modeOf(update bool) string {
	if update {
		return "update"
	}
	return "init"
}

// boundsOf are what an answer about rows keeps to: a hook changes a cell once.
func boundsOf(shapes []shape, rows int, learn bool) realm.Bounds {
	b := realm.Bounds{Rows: rows, Learn: learn}
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
	// mostRows, longCall and longRequest, in bytes, bound how many more it is given
	// where hooks are so quick that most of the time would go into handing rows over.
	// Longer texts are kept apart by engines, at a price.
	mostRows    = 5 * batchRows
	longCall    = 3 * time.Millisecond
	longRequest = 96 << 10
)

// pace says how many rows a call of row hooks is about: a thousand, or more while
// that takes next to no time. What goes wrong with more is done again with a
// thousand, and a thousand it is from then on: no hook gets less time or memory
// for its rows than it was promised.
type pace struct {
	mu     sync.Mutex
	rows   int
	steady bool
}

func (p *pace) next() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return max(p.rows, batchRows)
}

// learn takes how long a call with so many rows took, and how many bytes it had.
func (p *pace) learn(rows, size int, took time.Duration) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.steady || rows == 0 {
		return
	}
	quick := int(int64(rows) * int64(longCall) / max(int64(took), 1))
	p.rows = min(quick, rows*longRequest/max(size, 1), 2*rows, mostRows)
}

func (p *pace) slow() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.rows, p.steady = batchRows, true
}

// harvest gathers changes, as the engine told them, in the words of the rest of
// the program.
type harvest struct {
	changes []intray.Change
	// ahead is how many rows stand before those that the engine counts.
	ahead int
	// values are what changes point to. Where they are full, others follow.
	values []string
}

// add takes a change over.
func (h *harvest) add(c *realm.Change) {
	h.changes = append(h.changes, intray.Change{Row: h.ahead + c.Row, Field: c.Field, Part: c.Part, HasValue: c.HasValue, HasInfos: c.HasInfos})
	one := &h.changes[len(h.changes)-1]
	if c.HasValue && c.Value.Kind != realm.ValueNull {
		one.Value, one.IsNumber = h.keep(c.Value.Text), c.Value.Kind == realm.ValueNumber
	}
	for _, info := range c.Infos {
		one.Infos = append(one.Infos, intray.Info{Level: info.Level, Text: info.Message})
	}
	if c.HasOptions {
		one.Options = append([]intray.SelectOption{}, c.Options...)
	}
}

func (h *harvest) keep(text string) *string {
	if len(h.values) == cap(h.values) {
		h.values = make([]string, 0, batchRows)
	}
	h.values = append(h.values, text)
	return &h.values[len(h.values)-1]
}

// leave is for calls of which no change is taken over.
func leave(*realm.Change) {}

// Deleted tells the hooks for it of each row that a person deletes. What they give
// back says nothing.
func (s *Session) Deleted(ctx context.Context, rows intray.HookRows) error {
	shapes, err := shapesOf(rows)
	if err != nil {
		return err
	}
	for _, b := range rows.Batches {
		for from := 0; from < b.Rows(); from += batchRows {
			if err := s.deleted(ctx, shapes, span{batch: b, from: from, to: min(from+batchRows, b.Rows())}); err != nil {
				return err
			}
		}
	}
	return nil
}

// deleted tells of a run of rows.
func (s *Session) deleted(ctx context.Context, shapes []shape, rows span) error {
	fields := fieldsOf(shapes)
	c := s.rowsAt(rows, true)
	c.hooks, c.group = s.namesOf(realm.HookRowDelete), "rowDeleteHooks"
	n := rows.to - rows.from
	all := make([]bool, len(shapes))
	for i := range all {
		all[i] = true
	}
	return s.retried(ctx, fields, c, func(one *seat) error {
		call := &realm.RowsCall{Kind: realm.HookRowDelete, Mode: modeOf(true), Rows: rowsOf(shapes, []span{rows}, n, all), Budget: s.inside(s.cfg.Batch)}
		a, err := s.call(ctx, one, call, boundsOf(shapes, n, false), s.cfg.Batch, leave)
		if err != nil {
			return err
		}
		s.learnTimes(a)
		if a.Failure != nil {
			return s.failed(a.Failure, c)
		}
		return nil
	})
}
