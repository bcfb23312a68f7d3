package script

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/intraydata/intray"
	"github.com/intraydata/intray/internal/script/realm"
)

const (
	// manyRows and manyCells are from where on a call with all rows gets its
	// columns one by one, and only those that its hooks look at.
	manyRows  = 10_000
	manyCells = 100_000
	// packRows is how many rows of a column are sent at once then.
	packRows = 10_000
	// moreAnswer is how many times more such a call may change.
	moreAnswer = 4
)

func isLarge(rows, fields int) bool { return rows > manyRows || rows*fields > manyCells }

// retried does something with a seat, and again in a fresh one where something else
// than a hook ended the worker.
func (s *Session) retried(ctx context.Context, fields []intray.Field, c circumstance, do func(one *seat) error) error {
	for done := tries(0); ; {
		one, err := s.take(ctx, fields)
		if err != nil {
			return err
		}
		if err = do(one); err == nil {
			s.give(one)
			return nil
		}
		s.drop(one)
		if !done.again(ctx, err) {
			return s.broken(ctx, err, c)
		}
	}
}

// Bulk calls a bulk hook, by its place, with all rows.
func (s *Session) Bulk(ctx context.Context, hook int, rows intray.HookRows) (changes []intray.Change, err error) {
	shapes, err := shapesOf(rows)
	if err != nil {
		return nil, err
	}
	list, n := spans(rows.Batches)
	name := s.namesOf(realm.HookBulkRow)[hook]
	c := circumstance{hooks: []string{name}, slow: func() intray.Message { return s.slow(n) }, within: func(reason intray.Message) intray.Message {
		return intray.NewMessage("hook.with_all_rows", intray.Params{"reason": reason})
	}}
	call := &realm.RowsCall{Kind: realm.HookBulkRow, Hooks: c.hooks, Mode: modeOf(rows.Update)}
	err = s.retried(ctx, rows.Fields, c, func(one *seat) error {
		w := &wholeCall{Session: s, one: one, shapes: shapes, list: list, rows: n, c: c}
		changes, err = w.run(ctx, call, func(columns []*realm.Column, lazy, fresh bool, left time.Duration) {
			call.Rows = realm.Rows{Count: n, First: firstOf(list), Indexes: indexesOf(list), Columns: columns}
			call.Lazy, call.Fresh, call.Budget, call.Limit = lazy, fresh, s.inside(left), w.limit(lazy)
		})
		return err
	})
	return changes, err
}

// Column calls a column hook with all cells of its field, once for each column
// that feeds it.
func (s *Session) Column(ctx context.Context, hook int, rows intray.HookRows) (changes []intray.Change, err error) {
	field := slices.IndexFunc(rows.Fields, func(f intray.Field) bool { return f.Key == s.hooks.Column[hook].Field })
	if field < 0 {
		return nil, nil // the field was removed
	}
	shapes, err := shapesOf(rows)
	if err != nil {
		return nil, err
	}
	list, n := spans(rows.Batches)
	name := fmt.Sprintf("columnHooks[%d]", hook)
	c := circumstance{hooks: []string{name}, slow: func() intray.Message { return s.slow(n) }, within: func(reason intray.Message) intray.Message {
		return intray.NewMessage("hook.with_whole_column", intray.Params{"reason": reason})
	}}
	err = s.retried(ctx, rows.Fields, c, func(one *seat) error {
		changes = nil
		for part := range columnsOf(shapes[field]) {
			call := &realm.ColumnCall{Hooks: []string{name}, Field: field, Part: part}
			w := &wholeCall{Session: s, one: one, shapes: shapes, list: list, rows: n, c: c, sent: []int{field}}
			found, err := w.run(ctx, call, func(columns []*realm.Column, lazy, _ bool, left time.Duration) {
				call.Rows = realm.Rows{Count: n, First: firstOf(list), Columns: columns}
				call.Lazy, call.Budget, call.Limit = lazy, s.inside(left), w.limit(lazy)
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

// columnsOf is how many columns feed a field.
func columnsOf(one shape) int {
	if one.field.ManyToOne {
		return one.parts
	}
	return 1
}

// wholeCall is a call with all rows.
type wholeCall struct {
	*Session
	one    *seat
	shapes []shape
	list   []span
	rows   int
	c      circumstance
	// sent are the columns that the call begins with; nil is all of them, or none
	// where they are many.
	sent []int
}

// limit is what hooks may change where it is not that of the load.
func (w *wholeCall) limit(lazy bool) int {
	if lazy {
		return moreAnswer * w.cfg.Answer
	}
	return 0
}

// run makes a call, which prepare completes. Where the cells are many, they are
// sent before, column by column, as the hooks ask for them.
func (w *wholeCall) run(ctx context.Context, call request, prepare func(columns []*realm.Column, lazy, fresh bool, left time.Duration)) ([]intray.Change, error) {
	until := time.Now().Add(w.budget(w.rows))
	columns := make([]*realm.Column, len(w.shapes))
	width := len(w.shapes)
	if w.sent != nil {
		width = len(w.sent)
	}
	lazy := isLarge(w.rows, width)
	for f := range columns {
		if w.sent == nil && lazy || w.sent != nil && !slices.Contains(w.sent, f) {
			continue
		}
		if !lazy {
			columns[f] = w.shapes[f].column(f, w.list)
			continue
		}
		if err := w.keep(ctx, f, columns); err != nil {
			return nil, err
		}
	}
	for fresh := false; ; fresh = true {
		left := max(time.Until(until), w.cfg.Batch/10)
		prepare(columns, lazy, fresh, left)
		changes, missed, err := w.changes(ctx, call, left)
		if err != nil || len(missed) == 0 {
			return changes, err
		}
		for _, f := range missed {
			if columns[f] != nil || !lazy {
				return nil, errAgain
			}
			if err := w.keep(ctx, f, columns); err != nil {
				return nil, err
			}
		}
	}
}

// keep sends a column ahead of the call.
func (w *wholeCall) keep(ctx context.Context, f int, columns []*realm.Column) error {
	columns[f] = &realm.Column{Kept: true}
	if w.shapes[f].field.ManyToOne {
		columns[f].Parts = make([]realm.Column, w.shapes[f].parts)
	}
	for from := 0; from < w.rows; from += packRows {
		column := w.shapes[f].column(f, cut(w.list, from, min(from+packRows, w.rows)))
		pack := &realm.Keep{Field: f, Part: -1, From: from, Size: packRows, Column: column}
		if !w.shapes[f].field.ManyToOne {
			if err := w.send(ctx, pack); err != nil {
				return err
			}
			continue
		}
		for part := range column.Parts {
			pack.Part, pack.Column = part, &column.Parts[part]
			if err := w.send(ctx, pack); err != nil {
				return err
			}
		}
	}
	return nil
}

// send makes a call that has no answer to speak of.
func (w *wholeCall) send(ctx context.Context, pack *realm.Keep) error {
	pack.Budget = w.inside(w.cfg.Batch)
	return w.kept(ctx, w.one, pack, w.c)
}

// kept gives a worker a pack.
func (s *Session) kept(ctx context.Context, one *seat, pack *realm.Keep, c circumstance) error {
	a, err := s.call(ctx, one, pack, realm.Bounds{}, s.cfg.Batch, leave)
	if err == nil && a.Failure != nil {
		err = s.failed(a.Failure, c)
	}
	return err
}

// changes makes the call and gathers what it changes, part by part.
func (w *wholeCall) changes(ctx context.Context, call request, left time.Duration) (changes []intray.Change, missed []int, err error) {
	bounds := boundsOf(w.shapes, w.rows, false)
	var taken harvest
	for {
		before := len(taken.changes)
		a, err := w.call(ctx, w.one, call, bounds, left, taken.add)
		if err != nil {
			return nil, nil, err
		}
		w.learnTimes(a)
		if a.Failure != nil {
			return nil, nil, w.failed(a.Failure, w.c)
		}
		if !a.More {
			return taken.changes, a.Missed, nil
		}
		if bounds.Changes -= len(taken.changes) - before; bounds.Changes == 0 {
			bounds.Changes = -1 // none, and not as many as there are cells
		}
		call = &realm.More{Budget: w.inside(left)}
	}
}

// cut gives some of the rows of a list.
func cut(list []span, from, to int) (some []span) {
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
