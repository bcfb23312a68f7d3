package engine

import (
	"context"
	"errors"
	"iter"
	"strings"

	"github.com/intraydata/intray"
)

// Finish calls beforeFinishCallback, where the schema has one, with the staged
// rows of an import that is Done. The outcome tells what came of it: where the
// hook cancels, a person must settle why.
func (e *Engine) Finish(ctx context.Context, imp Import, out *Outcome, rows iter.Seq2[*intray.Batch, error]) (err error) {
	if imp.Schema.Hooks.BeforeFinish == "" || out.Verdict != Done || e.cfg.Script == nil {
		return nil
	}
	user := imp.User
	if user == nil {
		user = out.User
	}
	hooks, err := e.cfg.Script(ctx, intray.Hooks{BeforeFinish: imp.Schema.Hooks.BeforeFinish}, imp.Pins)
	if err == nil {
		defer func() { err = errors.Join(err, hooks.Close()) }()
		var cancel *string
		cancel, err = hooks.Finish(ctx, out.Schema(imp.Schema), rows, intray.Finish{
			ID: imp.ID, User: user, Filename: imp.Input.Name, Headers: out.Headers, Mapping: out.Mapping,
			RowsWithError: out.RowsWithError, Notices: out.Listed,
		})
		if err == nil && cancel != nil {
			out.Verdict = Open
			text := intray.Literal(*cancel) // the organization's own words
			if strings.TrimSpace(*cancel) == "" {
				text = intray.NewMessage("hook.cancelled_without_message", intray.Params{"hook": "beforeFinishCallback"})
			}
			out.tell(intray.Notice{Type: intray.CancelledByHook, Level: intray.LevelError, Text: text})
		}
	}
	if out.failHook(err) {
		return nil
	}
	return err
}

// Schema is that of the staged rows: the one of the run with the fields that
// hooks added or removed.
func (o *Outcome) Schema(of *intray.Schema) *intray.Schema {
	if o.Fields == nil {
		return of
	}
	own := *of
	own.Fields = o.Fields
	return &own
}
