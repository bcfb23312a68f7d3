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

// EditOrder is a change that a person asks for.
type EditOrder struct {
	// Op is an id that the caller makes: a change with the same one is made once.
	Op string
	// Kind and Request say what is asked for, in the words of the caller.
	Kind    string
	Request json.RawMessage
	// Change is that; nil where the last change is to be undone, or done again.
	Change draft.Operation
}

// maxOp is the longest id of a change, in bytes.
const maxOp = 100

// WithRows lets use look at the rows of an import under review.
func (s *Service) WithRows(ctx context.Context, imp model.Import, use func(d *draft.Draft) error) error {
	return s.withDraft(ctx, imp, func(o *openDraft) error { return refuseDraftError(use(o.draft)) })
}

// SetByHook says whether a hook gave a cell its value: it is not what the text is read as.
type SetByHook func(field int, text, value string) bool

// WithTable is Rows for who shows cells.
func (s *Service) WithTable(ctx context.Context, imp model.Import, use func(d *draft.Draft, made SetByHook) error) error {
	return s.withDraft(ctx, imp, func(o *openDraft) error { return refuseDraftError(use(o.draft, o.revalidator.ValueDiffers)) })
}

// ChangeRows makes a change, or undoes or redoes the last one, and gives what came
// of it. One that was made before is not made again. Where others have changed the
// rows at the same moment it is tried again upon what they made.
func (s *Service) ChangeRows(ctx context.Context, imp model.Import, order EditOrder) (draft.ChangeResult, error) {
	if order.Op == "" || len(order.Op) > maxOp || !model.IsPrintable(order.Op) {
		return draft.ChangeResult{}, model.InvalidField("op", intray.NewMessage("review.invalid_op", intray.Params{"n": maxOp}))
	}
	for range maxTries {
		v, err := s.changeOnce(ctx, imp, order)
		if !errors.Is(err, errOvertaken) {
			return v, err
		}
	}
	return draft.ChangeResult{}, busyRows()
}

// busyRows refuses a change that others overtook again and again.
func busyRows() error {
	return model.NewError(model.Conflict, "import_changed", intray.NewMessage("review.rows_busy", nil))
}

// maxTries is how often a change is tried that others overtake.
const maxTries = 5

// errOvertaken says that the log has an entry that the draft does not know.
var errOvertaken = errors.New("the rows were changed by another process meanwhile")

func (s *Service) changeOnce(ctx context.Context, imp model.Import, order EditOrder) (v draft.ChangeResult, err error) {
	if v, made, err := s.earlierChange(ctx, imp, order.Op); made || err != nil {
		return v, err
	}
	err = s.withDraft(ctx, imp, func(o *openDraft) (err error) {
		select {
		case o.changing <- struct{}{}:
			defer func() { <-o.changing }()
		case <-ctx.Done():
			return ctx.Err()
		}
		// An earlier call with the same id may have been under way until now.
		var made bool
		if v, made, err = s.earlierChange(ctx, imp, order.Op); made || err != nil {
			return err
		}
		v, err = s.applyChange(ctx, imp, o, order)
		return refuseDraftError(err)
	})
	return v, err
}

// earlierChange gives what came of an earlier call with the same id, if there was one.
// That of a run which was dropped is refused: its change is gone.
func (s *Service) earlierChange(ctx context.Context, imp model.Import, op string) (v draft.ChangeResult, made bool, err error) {
	var e model.Edit
	err = s.env.Store.View(ctx, func(tx model.Tx) (err error) {
		e, err = tx.Edits.FindByOp(ctx, imp.Org, imp.ID, op)
		return err
	})
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

// applyChange makes the change. It counts once it is in the log.
func (s *Service) applyChange(ctx context.Context, imp model.Import, o *openDraft, order EditOrder) (v draft.ChangeResult, err error) {
	entry := model.Edit{Org: imp.Org, ImportID: imp.ID, Run: imp.Run, Op: order.Op, Kind: order.Kind, Request: order.Request}
	turn := func(ctx context.Context, number int64) error {
		entry.Change = number
		return s.appendEdit(ctx, o, entry, draft.ChangeResult{Seq: number})
	}
	s.changeProgress.report(imp.ID, Progress{Op: order.Op, Kind: order.Kind})
	defer s.changeProgress.finish(imp.ID, order.Op)
	progress := func(done, total int64) { s.changeProgress.report(imp.ID, Progress{order.Op, order.Kind, done, total}) }
	switch {
	case order.Change != nil:
		entry.Kind = order.Kind
		v, err = o.draft.Change(ctx, order.Change, draft.ChangeOptions{Progress: progress, Save: func(ctx context.Context, k draft.StoredRevision, v draft.ChangeResult) error {
			entry.Change, entry.Revision = k.Seq, k.Body
			return s.appendEdit(ctx, o, entry, v)
		}})
		if err == nil && v.Seq == 0 {
			err = s.appendEdit(ctx, o, entry, v) // so that it changes nothing when it is sent again
		}
	case order.Kind == model.UndoEdit:
		v.Seq, err = o.draft.Undo(ctx, turn)
	case order.Kind == model.RedoEdit:
		v.Seq, err = o.draft.Redo(ctx, turn)
	default:
		err = fmt.Errorf("a change of the kind %q says nothing", order.Kind)
	}
	return v, err
}

// appendEdit adds an entry to the log, if that is still what the draft knows of it and
// the import is still under review.
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
		if err := reviewable(imp); err != nil || imp.Run != e.Run {
			return errors.Join(err, movedOnError(imp.Run != e.Run))
		}
		e.Seq, e.Made = o.last.Load()+1, s.env.Now()
		if err := tx.Edits.Append(ctx, e); model.IsKind(err, model.Conflict) {
			return errOvertaken
		} else if err != nil {
			return err
		}
		return nil
	})
	if err == nil {
		o.last.Add(1)
	}
	return err
}

func movedOnError(did bool) error {
	if !did {
		return nil
	}
	return model.NewError(model.Conflict, "import_changed", intray.NewMessage("review.import_read_again", nil))
}

// refuseDraftError makes refusals of what a draft refuses.
func refuseDraftError(err error) error {
	var refusal *draft.Refusal
	var conflict *draft.Conflict
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
	case errors.As(err, &conflict):
		return err // whoever calls shows both texts
	}
	return err
}
