package review

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/intraydata/intray"
	"github.com/intraydata/intray/server/draft"
	"github.com/intraydata/intray/server/model"
)

// EditRequest is a request to change rows.
type EditRequest struct {
	// Op is an id that the caller chooses. A change with the same id is made only once.
	Op string
	// Kind and Request describe the change in the log.
	Kind    string
	Request json.RawMessage
	// Change is the change to make. Nil undoes or redoes the last change.
	Change draft.Operation
}

// maxOp is the maximum length of Op, in bytes.
const maxOp = 100

// WithRows calls the function use with the draft of an import under review.
func (s *Service) WithRows(ctx context.Context, imp model.Import, use func(d *draft.Draft) error) error {
	return s.withDraft(ctx, imp, func(o *openDraft) error { return describeDraftError(use(o.draft)) })
}

// SetByHook reports whether a hook set the value of a cell. This is the case if the
// raw value parses to a different value.
type SetByHook func(field int, text, value string) bool

// WithTable calls the function use with the draft of an import under review, and with a
// SetByHook function for displaying its cells.
func (s *Service) WithTable(ctx context.Context, imp model.Import, use func(d *draft.Draft, made SetByHook) error) error {
	return s.withDraft(ctx, imp, func(o *openDraft) error { return describeDraftError(use(o.draft, o.revalidator.ValueDiffers)) })
}

// ChangeRows makes a change, or undoes or redoes the last one, and returns its
// result. If a change with the same Op was made before, it returns the result of
// that change. If other processes change rows at the same time, it retries.
func (s *Service) ChangeRows(ctx context.Context, imp model.Import, edit EditRequest) (draft.ChangeResult, error) {
	if edit.Op == "" || len(edit.Op) > maxOp || !model.IsPrintable(edit.Op) {
		return draft.ChangeResult{}, model.InvalidField("op", intray.NewMessage("review.invalid_op", intray.Params{"n": maxOp}))
	}
	for range maxTries {
		v, err := s.changeOnce(ctx, imp, edit)
		if !errors.Is(err, errOvertaken) {
			return v, err
		}
	}
	return draft.ChangeResult{}, busyRowsError()
}

// busyRowsError returns the error for a change that failed maxTries times because
// other processes changed rows first.
func busyRowsError() error {
	return model.NewError(model.Conflict, "import_changed", intray.NewMessage("review.rows_busy", nil))
}

// maxTries is the maximum number of attempts to make a change.
const maxTries = 5

// errOvertaken means that another process has appended an entry to the log.
var errOvertaken = errors.New("another process changed the rows")

func (s *Service) changeOnce(ctx context.Context, imp model.Import, edit EditRequest) (v draft.ChangeResult, err error) {
	if v, made, err := s.earlierChange(ctx, imp, edit.Op); made || err != nil {
		return v, err
	}
	err = s.withDraft(ctx, imp, func(o *openDraft) (err error) {
		select {
		case o.changing <- struct{}{}:
			defer func() { <-o.changing }()
		case <-ctx.Done():
			return ctx.Err()
		}
		// A concurrent call with the same id may just have finished.
		var made bool
		if v, made, err = s.earlierChange(ctx, imp, edit.Op); made || err != nil {
			return err
		}
		v, err = s.applyChange(ctx, imp, o, edit)
		return describeDraftError(err)
	})
	return v, err
}

// earlierChange returns the result of an earlier call with the same Op and reports
// whether there was one. It returns an error if the earlier call was made in a
// previous run, because its change was dropped.
func (s *Service) earlierChange(ctx context.Context, imp model.Import, op string) (v draft.ChangeResult, made bool, err error) {
	e, err := model.View(ctx, s.env.Store, func(tx model.Tx) (model.Edit, error) { return tx.Edits.FindByOp(ctx, imp.Org, imp.ID, op) })
	switch {
	case model.IsKind(err, model.NotFound):
		return v, false, nil
	case err == nil && e.Run != imp.Run:
		err = model.NewError(model.Conflict, "import_changed", intray.NewMessage("review.change_dropped", nil))
	case err == nil:
		err = json.Unmarshal(e.Result, &v)
	}
	return v, err == nil, err
}

// applyChange makes a change. The change takes effect once it is in the log.
func (s *Service) applyChange(ctx context.Context, imp model.Import, o *openDraft, edit EditRequest) (v draft.ChangeResult, err error) {
	entry := model.Edit{Org: imp.Org, ImportID: imp.ID, Run: imp.Run, Op: edit.Op, Kind: edit.Kind, Request: edit.Request}
	save := func(ctx context.Context, number int64) error {
		entry.Change = number
		return s.appendEdit(ctx, o, entry, draft.ChangeResult{Seq: number})
	}
	s.changeProgress.report(imp.ID, Progress{Op: edit.Op, Kind: edit.Kind})
	defer s.changeProgress.finish(imp.ID, edit.Op)
	progress := func(done, total int64) { s.changeProgress.report(imp.ID, Progress{edit.Op, edit.Kind, done, total}) }
	switch {
	case edit.Change != nil:
		entry.Kind = edit.Kind
		v, err = o.draft.Change(ctx, edit.Change, draft.ChangeOptions{Progress: progress, Save: func(ctx context.Context, k draft.StoredRevision, v draft.ChangeResult) error {
			entry.Change, entry.Revision = k.Seq, k.Body
			return s.appendEdit(ctx, o, entry, v)
		}})
		if err == nil && v.Seq == 0 {
			err = s.appendEdit(ctx, o, entry, v) // ensures that repeating the request later has no effect
		}
	case edit.Kind == model.UndoEdit:
		v.Seq, err = o.draft.Undo(ctx, save)
	case edit.Kind == model.RedoEdit:
		v.Seq, err = o.draft.Redo(ctx, save)
	default:
		err = fmt.Errorf("change rows: unknown kind %q", edit.Kind)
	}
	return v, err
}

// appendEdit appends an entry to the log. It fails if the draft has not applied the
// whole log or if the import is no longer under review.
func (s *Service) appendEdit(ctx context.Context, o *openDraft, e model.Edit, v draft.ChangeResult) error {
	var err error
	if e.Result, err = json.Marshal(v); err != nil {
		return err
	}
	err = s.env.Store.Update(ctx, func(tx model.Tx) error {
		imp, err := tx.Imports.Get(ctx, e.Org, e.ImportID)
		if err != nil {
			return model.DescribeNotFound(err, model.ImportMissing)
		}
		if err := checkReviewable(imp); err != nil || imp.Run != e.Run {
			return errors.Join(err, runChangedError(imp.Run != e.Run))
		}
		e.Seq, e.Made = o.last.Load()+1, s.env.Now()
		err = tx.Edits.Append(ctx, e)
		if model.IsKind(err, model.Conflict) {
			return errOvertaken
		}
		return err
	})
	if err == nil {
		o.last.Add(1)
	}
	return err
}

// runChangedError returns an error if the import has been run again.
func runChangedError(changed bool) error {
	if !changed {
		return nil
	}
	return model.NewError(model.Conflict, "import_changed", intray.NewMessage("review.import_read_again", nil))
}

// describeDraftError converts errors from a draft to errors for the caller. It does not
// convert a [*draft.ConflictError], because the caller shows both values.
func describeDraftError(err error) error {
	var refusal *draft.RefusedError
	var failed *intray.HookError
	switch {
	case errors.As(err, &failed):
		return model.NewError(model.Conflict, "hook_failed", intray.NewMessage("review.hook_failed", intray.Params{"problem": failed.Describe()}))
	case errors.As(err, &refusal) && refusal.Stale:
		return model.NewError(model.Conflict, "rows_changed", refusal.Text)
	case errors.As(err, &refusal):
		return model.NewError(model.Invalid, "not_possible", refusal.Text)
	case errors.Is(err, draft.ErrNothing):
		return model.NewError(model.Conflict, "nothing_to_undo", intray.NewMessage("review.nothing_to_undo", nil))
	}
	return err
}
