package script

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/intraydata/intray"
	"github.com/intraydata/intray/internal/script/cage"
	"github.com/intraydata/intray/internal/script/realm"
)

// Rows calls the row hooks with each row, a thousand at a time.
func (s *Session) Rows(ctx context.Context, rows intray.HookRows) ([]intray.Change, error) {
	shapes, err := shapesOf(rows)
	if err != nil {
		return nil, err
	}
	one, err := s.take(ctx, rows.Fields)
	if err != nil {
		return nil, err
	}
	var changes []intray.Change
	first := 0
	for _, b := range rows.Batches {
		for from := 0; from < b.Rows(); from += batchRows {
			part := span{b, from, min(from+batchRows, b.Rows())}
			found, err := s.batch(ctx, one, shapes, part)
			if err != nil {
				s.drop(one)
				return nil, err
			}
			for _, c := range found {
				c.Row += first + from
				changes = append(changes, c)
			}
		}
		first += b.Rows()
	}
	s.give(one)
	return changes, nil
}

// batch calls the row hooks with a run of rows. Where the worker dies, the rows
// are tried again one by one in a fresh one, to find the row that kills it.
func (s *Session) batch(ctx context.Context, one *seat, shapes []shape, rows span) ([]intray.Change, error) {
	began := time.Now()
	changes, err := s.tryRows(ctx, one, realm.HookRow, shapes, []span{rows}, rows.to-rows.from, s.cfg.Batch)
	var dead *cage.Failure
	var failed *intray.HookError
	switch {
	case errors.As(err, &dead), errors.As(err, &failed) && failed.Row == nil:
		one.worker.Close() // another one is needed, and there may be no room for both
		return nil, s.guilty(ctx, shapes, rows, err, began.Add(2*s.cfg.Batch))
	}
	return changes, err
}

// tryRows makes a call about rows, again where a hook looks at a column that was
// not sent.
func (s *Session) tryRows(ctx context.Context, one *seat, kind realm.HookKind, shapes []shape, list []span, n int, budget time.Duration) ([]intray.Change, error) {
	fields := fieldsOf(shapes)
	send, known := s.known(fields)
	if kind != realm.HookRow {
		for i := range send {
			send[i] = true
		}
		known = true
	}
	call := &realm.RowsCall{Kind: kind, Mode: "init", Learn: !known, Budget: s.inside(budget)}
	for {
		call.Rows = rowsOf(shapes, list, n, send)
		a, err := s.call(ctx, one, call, boundsOf(shapes, n, call.Learn), budget)
		if err != nil {
			return nil, err
		}
		s.learn(a, fields, kind == realm.HookRow && call.Learn)
		switch {
		case a.Failure != nil:
			return nil, hookError(a.Failure)
		case len(a.Missed) == 0:
			return changesOf(a.Changes, fields), nil
		}
		if call.Fresh = true; !anyNew(send, a.Missed) {
			return nil, unreadable(errors.New("it asks for columns that it has"))
		}
	}
}

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
	rows := realm.Rows{Count: n, Columns: make([]*realm.Column, len(shapes))}
	if len(list) > 0 {
		rows.First = list[0].batch.First + int64(list[0].from)
	}
	for i := range shapes {
		if send[i] {
			rows.Columns[i] = shapes[i].column(i, list)
		}
	}
	return rows
}

func boundsOf(shapes []shape, rows int, learn bool) realm.Bounds {
	b := realm.Bounds{Rows: rows, Learn: learn}
	for i := range shapes {
		parts := shapes[i].parts
		if shapes[i].field.ManyToOne && parts == 0 {
			parts = -1 // it has parts, and none of them
		}
		b.Parts = append(b.Parts, parts)
	}
	return b
}

// changesOf are changes in the words of the engine.
func changesOf(list []realm.Change, fields []intray.Field) []intray.Change {
	changes := make([]intray.Change, len(list))
	for i, c := range list {
		one := intray.Change{Row: c.Row, Field: c.Field, Part: c.Part, HasValue: c.HasValue, HasInfos: c.HasInfos}
		if c.HasValue && c.Value.Kind != realm.ValueNull {
			text := string(c.Value.Text)
			one.Value, one.IsNumber = &text, c.Value.Kind == realm.ValueNumber
		}
		for _, info := range c.Infos {
			one.Infos = append(one.Infos, intray.Info{Level: info.Level, Text: info.Message})
		}
		if c.HasOptions {
			one.Options = append([]intray.SelectOption{}, c.Options...)
		}
		changes[i] = one
	}
	return changes
}

func hookError(f *realm.Failure) *intray.HookError {
	e := &intray.HookError{Hook: f.Hook, Line: f.Line, Column: f.Column, Text: named(f.Name, f.Message)}
	if f.Row >= 0 {
		row := f.Row
		e.Row = &row
	}
	return e
}

// guilty finds the first row that a hook fails at by itself, and else names the
// rows of the batch.
func (s *Session) guilty(ctx context.Context, shapes []shape, rows span, why error, until time.Time) error {
	told := broken(ctx, why, "rowHooks", "")
	var failed *intray.HookError
	if !errors.As(told, &failed) {
		return told
	}
	row, why := s.tryEach(ctx, shapes, rows, until)
	var better *intray.HookError
	switch {
	case why == nil:
		first := rows.batch.First + int64(rows.from)
		failed.Text = fmt.Sprintf("%s, at one of the data rows %d to %d.", trimEnd(failed.Text), first+1, first+int64(rows.to-rows.from))
		return failed
	case errors.As(why, &better) && better.Row != nil:
		return better
	}
	failed.Row = &row
	return failed
}

// tryEach calls the row hooks with one row after the other, in a fresh worker,
// and gives the first one that fails and why; nil where none does in time.
func (s *Session) tryEach(ctx context.Context, shapes []shape, rows span, until time.Time) (int64, error) {
	soon, stop := context.WithDeadline(ctx, until)
	defer stop()
	worker, err := s.worker(soon)
	if err != nil {
		return 0, nil
	}
	one := &seat{worker: worker}
	defer func() { one.worker.Close() }()
	if s.load(soon, one, seatFields(fieldsOf(shapes))) != nil {
		return 0, nil
	}
	for row := rows.from; row < rows.to; row++ {
		left := time.Until(until)
		if left <= 0 {
			return 0, nil
		}
		_, err := s.tryRows(ctx, one, realm.HookRow, shapes, []span{{rows.batch, row, row + 1}}, 1, left)
		late := time.Until(until) <= left/10 && left < s.cfg.Batch/4 // the rows before it took the time
		switch {
		case err != nil && (late || ctx.Err() != nil):
			return 0, nil
		case err != nil:
			return rows.batch.First + int64(row), err
		}
	}
	return 0, nil
}

// Bulk calls the bulk hooks, one after the other, with all rows.
func (s *Session) Bulk(ctx context.Context, rows intray.HookRows) ([]intray.Change, error) {
	shapes, err := shapesOf(rows)
	if err != nil {
		return nil, err
	}
	list, n := spans(rows.Batches)
	one, err := s.take(ctx, rows.Fields)
	if err != nil {
		return nil, err
	}
	changes, err := s.tryRows(ctx, one, realm.HookBulkRow, shapes, list, n, s.budget(n))
	if err != nil {
		s.drop(one)
		return nil, broken(ctx, err, "bulkRowHooks", "with all rows")
	}
	s.give(one)
	return changes, nil
}

// Column calls a column hook with all cells of its field, once for each column
// that feeds it.
func (s *Session) Column(ctx context.Context, hook int, rows intray.HookRows) ([]intray.Change, error) {
	field := slices.IndexFunc(rows.Fields, func(f intray.Field) bool { return f.Key == s.hooks.Column[hook].Field })
	if field < 0 {
		return nil, nil // the field was removed
	}
	shapes, err := shapesOf(rows)
	if err != nil {
		return nil, err
	}
	one, err := s.take(ctx, rows.Fields)
	if err != nil {
		return nil, err
	}
	name := fmt.Sprintf("columnHooks[%d]", hook)
	changes, err := s.column(ctx, one, name, shapes, rows, field)
	if err != nil {
		s.drop(one)
		return nil, broken(ctx, err, name, "with the whole column")
	}
	s.give(one)
	return changes, nil
}

func (s *Session) column(ctx context.Context, one *seat, name string, shapes []shape, rows intray.HookRows, field int) (changes []intray.Change, err error) {
	list, n := spans(rows.Batches)
	send := make([]bool, len(shapes))
	send[field] = true
	parts := 1
	if shapes[field].field.ManyToOne {
		parts = shapes[field].parts
	}
	for part := range parts {
		call := &realm.ColumnCall{Hooks: []string{name}, Field: field, Part: part, Rows: rowsOf(shapes, list, n, send), Budget: s.inside(s.budget(n))}
		a, err := s.call(ctx, one, call, boundsOf(shapes, n, false), s.budget(n))
		if err != nil {
			return nil, err
		}
		s.learnTimes(a)
		if a.Failure != nil {
			return nil, hookError(a.Failure)
		}
		changes = append(changes, changesOf(a.Changes, rows.Fields)...)
	}
	return changes, nil
}

func trimEnd(text string) string {
	for len(text) > 0 && (text[len(text)-1] == '.' || text[len(text)-1] == ' ' || text[len(text)-1] == ',') {
		text = text[:len(text)-1]
	}
	return text
}
