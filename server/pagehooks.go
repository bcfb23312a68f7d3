package server

import (
	"context"
	"errors"
	"iter"

	"github.com/intraydata/intray"
	"github.com/intraydata/intray/engine"
	"github.com/intraydata/intray/hooks"
)

// mixedHooks runs the hooks of an import, some of which run in the page that embeds its importer. Hooks
// that run on the server come first in each list.
type mixedHooks struct {
	// own are the hooks that run on the server. server runs them; it is nil if own is empty.
	own    intray.Hooks
	server engine.HookRunner
	page   *hooks.PageRunner
}

// loadMixed is the HookLoader of the engine for imports that may have hooks of a page.
func (h *hookRunner) loadMixed(ctx context.Context, all intray.Hooks, env intray.HookEnv) (engine.HookRunner, error) {
	own, others := all.WithoutPage()
	if !others {
		return h.open(ctx, all, env)
	}
	m := &mixedHooks{own: own, page: hooks.NewPageRunner(h.pages, env, all)}
	if own.Count() > 0 {
		var err error
		if m.server, err = h.open(ctx, own, env); err != nil {
			return nil, err
		}
	}
	return m, nil
}

func (m *mixedHooks) Close() error {
	if m.server == nil {
		return nil
	}
	return m.server.Close()
}

func (m *mixedHooks) RunRows(ctx context.Context, hook int, rows intray.HookRows) ([]intray.Change, error) {
	if hook < len(m.own.Row) {
		return m.server.RunRows(ctx, hook, rows)
	}
	return m.page.RunRows(ctx, hook, rows)
}

func (m *mixedHooks) RunBulk(ctx context.Context, hook int, rows intray.HookRows) ([]intray.Change, error) {
	if hook < len(m.own.BulkRow) {
		return m.server.RunBulk(ctx, hook, rows)
	}
	return m.page.RunBulk(ctx, hook, rows)
}

func (m *mixedHooks) RunColumn(ctx context.Context, hook int, rows intray.HookRows) ([]intray.Change, error) {
	if hook < len(m.own.Column) {
		return m.server.RunColumn(ctx, hook, rows)
	}
	return m.page.RunColumn(ctx, hook, rows)
}

func (m *mixedHooks) RunStep(ctx context.Context, call intray.StepCall) (list intray.StepChanges, err error) {
	if m.server != nil {
		if list, err = m.server.RunStep(ctx, call); err != nil {
			return nil, err
		}
	}
	more, err := m.page.RunStep(ctx, call)
	return append(list, more...), err
}

func (m *mixedHooks) NotifyDeleted(ctx context.Context, rows intray.HookRows) error {
	var err error
	if len(m.own.RowDelete) > 0 {
		err = m.server.NotifyDeleted(ctx, rows)
	}
	return errors.Join(err, m.page.NotifyDeleted(ctx, rows))
}

func (m *mixedHooks) Finish(ctx context.Context, schema *intray.Schema, rows iter.Seq2[*intray.Batch, error], about intray.FinishCall) (cancel *string, err error) {
	if m.server == nil {
		return nil, nil
	}
	return m.server.Finish(ctx, schema, rows, about)
}
