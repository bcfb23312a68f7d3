package script

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/intraydata/intray"
	"github.com/intraydata/intray/internal/script/cage"
	"github.com/intraydata/intray/internal/script/realm"
)

// Rows calls the row hooks with each row, about a thousand at a time.
func (s *Session) Rows(ctx context.Context, rows intray.HookRows) ([]intray.Change, error) {
	shapes, err := shapesOf(rows)
	if err != nil {
		return nil, err
	}
	one, err := s.take(ctx, rows.Fields)
	if err != nil {
		return nil, err
	}
	all, left := spans(rows.Batches)
	var changes []intray.Change
	for ahead := 0; left > 0; {
		part := cut(all, ahead, ahead+min(left, s.pace.next()))[0]
		part.ahead = ahead
		if changes, err = s.many(ctx, one, shapes, part, rows.Update, changes); err != nil {
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

// many calls the row hooks with a run of rows. Where that fails and they are more
// than a thousand, a fresh worker gets them by the thousand: what counts is what
// comes of that.
func (s *Session) many(ctx context.Context, one *seat, shapes []shape, rows span, update bool, to []intray.Change) ([]intray.Change, error) {
	if rows.to-rows.from <= batchRows {
		return s.halves(ctx, one, shapes, rows, update, false, to)
	}
	changes, err := s.tryRows(ctx, one, shapes, rows, s.rowsAt(rows, update), false, to)
	if err == nil || ctx.Err() != nil {
		return changes, err
	}
	s.pace.slow()
	if err := s.replace(ctx, one, one.fields); err != nil {
		return nil, err
	}
	for from := rows.from; from < rows.to; from += batchRows {
		part := span{rows.batch, from, min(from+batchRows, rows.to), rows.ahead + from - rows.from}
		if to, err = s.halves(ctx, one, shapes, part, update, true, to); err != nil {
			return nil, err
		}
	}
	return to, nil
}

// halves calls the row hooks with a run of rows, in two parts where it is too
// long for one call, and adds what they change.
func (s *Session) halves(ctx context.Context, one *seat, shapes []shape, rows span, update, trace bool, to []intray.Change) ([]intray.Change, error) {
	changes, err := s.batch(ctx, one, shapes, rows, update, trace, to)
	var long *cage.TooLongError
	n := rows.to - rows.from
	if n < 2 || !errors.As(err, &long) {
		return changes, s.broken(ctx, err, s.rowsAt(rows, update))
	}
	half := rows.from + n/2
	if to, err = s.halves(ctx, one, shapes, span{rows.batch, rows.from, half, rows.ahead}, update, trace, to); err != nil {
		return nil, err
	}
	return s.halves(ctx, one, shapes, span{rows.batch, half, rows.to, rows.ahead + n/2}, update, trace, to)
}

// batch calls the row hooks with a run of rows. Where the worker dies, the rows
// are tried again in a fresh one, with trace: it tells of each row ahead, so it is
// known which row kills it. Where all goes well then, something else was to blame.
func (s *Session) batch(ctx context.Context, one *seat, shapes []shape, rows span, update, trace bool, to []intray.Change) ([]intray.Change, error) {
	c, fields := s.rowsAt(rows, update), one.fields
	for done := tries(0); ; {
		changes, err := s.tryRows(ctx, one, shapes, rows, c, trace, to)
		switch {
		case !s.unsure(err) || ctx.Err() != nil:
			return changes, err
		case !done.again(ctx, err) && trace:
			return nil, s.broken(ctx, err, c)
		}
		trace = true
		if fresh := s.replace(ctx, one, fields); fresh != nil {
			if ctx.Err() == nil && errors.Is(fresh, cage.ErrClosed) {
				return nil, fresh
			}
			return nil, s.broken(ctx, err, c)
		}
	}
}

// rowsAt is what is known of a call of row hooks.
func (s *Session) rowsAt(rows span, update bool) circumstance {
	n := rows.to - rows.from
	return circumstance{
		hooks: s.namesOf(realm.HookRow), group: "rowHooks", limit: s.most(n),
		share: s.cfg.Batch / 5,
		first: rows.number(0), rows: rows.number(n-1) - rows.number(0) + 1, update: update,
	}
}

// unsure says that it is not known which row made a call fail.
func (s *Session) unsure(err error) bool {
	var dead *cage.Failure
	var failed *intray.HookError
	return errors.As(err, &dead) && dead.Kind != cage.KindClosed || errors.As(err, &failed) && failed.Row == nil
}

// tryRows makes a call about rows, again where a hook looks at a column that was
// not sent.
func (s *Session) tryRows(ctx context.Context, one *seat, shapes []shape, rows span, c circumstance, trace bool, to []intray.Change) ([]intray.Change, error) {
	fields := fieldsOf(shapes)
	n := rows.to - rows.from
	send, known := s.known(fields)
	call := &realm.RowsCall{Kind: realm.HookRow, Mode: modeOf(c.update), Learn: !known, Trace: trace, Budget: s.inside(s.cfg.Batch)}
	for {
		call.Rows = rowsOf(shapes, []span{rows}, n, send)
		// A hook mostly changes as much as it did of the rows before.
		taken := harvest{changes: slices.Grow(to, one.changed), ahead: rows.ahead}
		began := time.Now()
		a, err := s.call(ctx, one, call, s.boundsOf(shapes, n, realm.HookRow, call.Learn), s.cfg.Batch, taken.add)
		if err != nil {
			return nil, err
		}
		one.changed = len(taken.changes) - len(to)
		s.learn(a, fields, call.Learn)
		s.pace.learn(n, len(one.request), time.Since(began))
		switch {
		case a.Failure != nil:
			return nil, s.failed(a.Failure, c)
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

// boundsOf are what an answer about rows keeps to: each hook of the kind changes
// a cell once.
func (s *Session) boundsOf(shapes []shape, rows int, kind realm.HookKind, learn bool) realm.Bounds {
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
	b.Changes = rows * cells * len(s.namesOf(kind))
	return b
}
