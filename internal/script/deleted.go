package script

import (
	"context"

	"github.com/intraydata/intray"
	"github.com/intraydata/intray/internal/script/realm"
)

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
