package engine

import (
	"context"
	"errors"
	"io"
	"iter"
	"strings"

	"github.com/intraydata/intray"
	"github.com/intraydata/intray/internal/rowplan"
	"github.com/intraydata/intray/source"
)

// HookLoader loads the hooks of one import.
type HookLoader func(ctx context.Context, hooks intray.Hooks, env intray.HookEnv) (HookRunner, error)

// HookRunner runs the hooks of one import. If a hook fails, the error is an [intray.HookError].
// Any other error is a failure of the sandbox. RunRows must be safe for concurrent use.
//
// Methods must not change batches, and must not use them after returning. Hooks are identified
// by their index in [intray.Hooks].
type HookRunner interface {
	// RunStep calls the hooks of a step and returns the changes that they request.
	RunStep(ctx context.Context, call intray.StepCall) (intray.StepChanges, error)
	// RunColumn calls a column hook with all cells of its field. The cells of other fields
	// may be empty.
	RunColumn(ctx context.Context, hook int, rows intray.HookRows) ([]intray.Change, error)
	// RunBulk calls a bulk hook with all rows, or with the rows that a person edited.
	RunBulk(ctx context.Context, hook int, rows intray.HookRows) ([]intray.Change, error)
	// RunRows calls a row hook for each row.
	RunRows(ctx context.Context, hook int, rows intray.HookRows) ([]intray.Change, error)
	// NotifyDeleted calls the row delete hooks with the rows that a person deletes.
	NotifyDeleted(ctx context.Context, rows intray.HookRows) error
	// Finish calls beforeFinishCallback with the rows of the result. It may iterate over
	// them several times. If the hook cancels the import, cancel is its message. Otherwise,
	// cancel is nil.
	Finish(ctx context.Context, schema *intray.Schema, rows iter.Seq2[*intray.Batch, error], about intray.FinishCall) (cancel *string, err error)
	// Close releases all resources.
	Close() error
}

// trackedHooks calls progress whenever a hook has returned.
type trackedHooks struct {
	HookRunner
	progress func()
}

func (h trackedHooks) RunStep(ctx context.Context, call intray.StepCall) (intray.StepChanges, error) {
	defer h.progress()
	return h.HookRunner.RunStep(ctx, call)
}

func (h trackedHooks) RunColumn(ctx context.Context, hook int, rows intray.HookRows) ([]intray.Change, error) {
	defer h.progress()
	return h.HookRunner.RunColumn(ctx, hook, rows)
}

func (h trackedHooks) RunBulk(ctx context.Context, hook int, rows intray.HookRows) ([]intray.Change, error) {
	defer h.progress()
	return h.HookRunner.RunBulk(ctx, hook, rows)
}

func (h trackedHooks) RunRows(ctx context.Context, hook int, rows intray.HookRows) ([]intray.Change, error) {
	defer h.progress()
	return h.HookRunner.RunRows(ctx, hook, rows)
}

const (
	// bulkRows is the maximum number of rows that a bulk hook receives.
	bulkRows = 200_000
	// columnRows is the maximum number of values that a column hook receives.
	columnRows = 1_000_000
)

// runPreHooks calls the column and bulk hooks, which need all rows, before the pipeline starts.
// It stores their changes in the plan, which applies them to each batch.
func (p *importRun) runPreHooks(ctx context.Context, plan *rowplan.Plan) error {
	columns, bulk := p.imp.Schema.Hooks.Column, p.imp.Schema.Hooks.BulkRow
	plan.HookChanges = rowplan.SortByRow(p.infos)
	if len(columns)+len(bulk) == 0 {
		return nil
	}
	rows, err := p.collectRows(ctx, plan, len(bulk) > 0)
	if err != nil {
		return err
	}
	if err := rows.applyToBatches(plan, plan.HookChanges); err != nil {
		return err
	}
	for _, kind := range []struct {
		hooks int
		call  func(ctx context.Context, hook int, rows intray.HookRows) ([]intray.Change, error)
	}{{len(columns), p.hooks.RunColumn}, {len(bulk), p.hooks.RunBulk}} {
		for hook := range kind.hooks {
			changes, err := kind.call(ctx, hook, rows.hookViews(plan))
			if err == nil {
				rows.changes = append(rows.changes, changes...)
				err = rows.applyToBatches(plan, changes)
			}
			if err != nil {
				return err
			}
		}
	}
	plan.HookChanges = rowplan.SortByRow(append(plan.HookChanges, rows.changes...))
	return nil
}

// allRows holds all rows of an import, for column and bulk hooks.
type allRows struct {
	batches []*intray.Batch
	changes []intray.Change
}

// collectRows reads and parses all rows. Unless whole is set, it retains only the fields
// that have column hooks.
func (p *importRun) collectRows(ctx context.Context, plan *rowplan.Plan, whole bool) (*allRows, error) {
	reader, err := p.reopenSheet(ctx)
	if err != nil {
		return nil, err
	}
	defer reader.Close()
	rows := p.mergeRows(reader)
	all := &allRows{}
	fields := plan.ColumnFields(p.imp.Schema)
	recs := &intray.Records{Width: plan.RowWeight()}
	scratch := make([]byte, 0, rowplan.ScratchBytes)
	for {
		last, err := nextRecords(ctx, rows, recs)
		if err != nil {
			return nil, err
		}
		if recs.Len() > 0 {
			b := &intray.Batch{}
			plan.Parse(recs, b, scratch)
			if err := plan.FillAdded(b, recs.Added, scratch); err != nil {
				return nil, err
			}
			if !whole {
				plan.KeepFields(b, fields)
			}
			all.batches = append(all.batches, b)
			if err := checkRowLimit(b.First+int64(b.Rows()), whole); err != nil {
				return nil, err
			}
		}
		if last {
			return all, nil
		}
	}
}

// checkRowLimit returns an error if there are too many rows for the hooks.
func checkRowLimit(rows int64, whole bool) error {
	hook, limit := "columnHooks[0]", int64(columnRows)
	if whole {
		hook, limit = "bulkRowHooks[0]", bulkRows
	}
	if rows <= limit {
		return nil
	}
	return &intray.HookError{Hook: hook, Text: intray.NewMessage("hook.too_many_rows", intray.Params{"limit": limit})}
}

// nextRecords reads the next records. It treats an error in the file as the end of the
// rows, because the pipeline later reads the same rows and reports the error.
func nextRecords(ctx context.Context, reader source.Reader, recs *intray.Records) (last bool, err error) {
	err = reader.Next(ctx, recs)
	if errors.Is(err, io.EOF) || isFileError(err) {
		recs.Reset()
		return true, nil
	}
	return err != nil, err
}

func (c *allRows) hookViews(p *rowplan.Plan) intray.HookRows {
	list := make([]*intray.Batch, len(c.batches))
	for i, b := range c.batches {
		list[i] = p.HookView(b)
	}
	return p.HookRows(list...)
}

func (c *allRows) applyToBatches(p *rowplan.Plan, changes []intray.Change) error {
	changes = rowplan.SortByRow(changes)
	scratch := make([]byte, 0, rowplan.ScratchBytes)
	for _, b := range c.batches {
		if err := p.ApplyChanges(b, rowplan.ChangesIn(changes, b), scratch); err != nil {
			return err
		}
	}
	return nil
}

// Finish calls the beforeFinishCallback of the schema, if there is one, with the staged
// rows of an import whose verdict is Done. It sets the verdict to Open if the hook cancels
// the import and to Broken if the hook fails.
func (e *Engine) Finish(ctx context.Context, imp Import, out *Outcome, rows iter.Seq2[*intray.Batch, error]) (err error) {
	if imp.Schema.Hooks.BeforeFinish == "" || out.Verdict != Done || e.cfg.LoadHooks == nil {
		return nil
	}
	user := imp.User
	if user == nil {
		user = out.User
	}
	hooks, err := e.cfg.LoadHooks(ctx, intray.Hooks{BeforeFinish: imp.Schema.Hooks.BeforeFinish}, imp.HookEnv)
	if err == nil {
		defer func() { err = errors.Join(err, hooks.Close()) }()
		var cancel *string
		cancel, err = hooks.Finish(ctx, out.Schema(imp.Schema), rows, intray.FinishCall{
			ID: imp.ID, User: user, Filename: imp.Input.Name, Headers: out.Headers, Mapping: out.Mapping,
			RowsWithError: out.RowsWithError, Notices: out.Listed,
		})
		if err == nil && cancel != nil {
			out.Verdict = Open
			text := intray.Literal(*cancel)
			if strings.TrimSpace(*cancel) == "" {
				text = intray.NewMessage("hook.cancelled_without_message", intray.Params{"hook": "beforeFinishCallback"})
			}
			out.addNotice(intray.Notice{Type: intray.CancelledByHook, Level: intray.LevelError, Text: text})
		}
	}
	if out.failHook(err) {
		return nil
	}
	return err
}

// Schema returns the schema of the staged rows: a copy of the given schema, with fields
// added and removed as step hooks requested.
func (o *Outcome) Schema(of *intray.Schema) *intray.Schema {
	if o.Fields == nil {
		return of
	}
	own := *of
	own.Fields = o.Fields
	return &own
}
