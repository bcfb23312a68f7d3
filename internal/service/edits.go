package service

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/intraydata/intray"
	"github.com/intraydata/intray/internal/draft"
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

// Rows lets use look at the rows of an import under review.
func (s *Service) Rows(ctx context.Context, imp Import, use func(d *draft.Draft) error) error {
	return s.withDraft(ctx, imp, func(o *openDraft) error { return told(use(o.draft)) })
}

// Made says whether a hook gave a cell its value: it is not what the text is read as.
type Made func(field int, text, value string) bool

// Table is Rows for who shows cells.
func (s *Service) Table(ctx context.Context, imp Import, use func(d *draft.Draft, made Made) error) error {
	return s.withDraft(ctx, imp, func(o *openDraft) error { return told(use(o.draft, o.desk.Made)) })
}

// ChangeRows makes a change, or undoes or redoes the last one, and gives what came
// of it. One that was made before is not made again. Where others have changed the
// rows at the same moment it is tried again upon what they made.
func (s *Service) ChangeRows(ctx context.Context, imp Import, order EditOrder) (draft.Verdict, error) {
	if order.Op == "" || len(order.Op) > maxOp || !printable(order.Op) {
		return draft.Verdict{}, invalidField("op", intray.NewMessage("review.invalid_op", intray.Params{"n": maxOp}))
	}
	for range maxTries {
		v, err := s.changeOnce(ctx, imp, order)
		if !errors.Is(err, errOvertaken) {
			return v, err
		}
	}
	return draft.Verdict{}, busyRows()
}

// busyRows refuses a change that others overtook again and again.
func busyRows() error {
	return refuse(Conflict, "import_changed", intray.NewMessage("review.rows_busy", nil))
}

// maxTries is how often a change is tried that others overtake.
const maxTries = 5

// errOvertaken says that the log has an entry that the draft does not know.
var errOvertaken = errors.New("the rows were changed by another process meanwhile")

func (s *Service) changeOnce(ctx context.Context, imp Import, order EditOrder) (v draft.Verdict, err error) {
	if v, made, err := s.madeBefore(ctx, imp, order.Op); made || err != nil {
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
		if v, made, err = s.madeBefore(ctx, imp, order.Op); made || err != nil {
			return err
		}
		v, err = s.carryOut(ctx, imp, o, order)
		return told(err)
	})
	return v, err
}

// madeBefore gives what came of an earlier call with the same id, if there was one.
// That of a run which was dropped is refused: its change is gone.
func (s *Service) madeBefore(ctx context.Context, imp Import, op string) (v draft.Verdict, made bool, err error) {
	var e Edit
	err = s.cfg.Store.View(ctx, func(tx Tx) (err error) {
		e, err = tx.Edits.ByOp(ctx, imp.Org, imp.ID, op)
		return err
	})
	switch {
	case IsKind(err, NotFound):
		return v, false, nil
	case err == nil && e.Run != imp.Run:
		err = refuse(Conflict, "import_changed", intray.NewMessage("review.change_dropped", nil))
	case err == nil:
		err = json.Unmarshal(e.Told, &v)
	}
	return v, err == nil, err
}

// carryOut makes the change. It counts once it is in the log.
func (s *Service) carryOut(ctx context.Context, imp Import, o *openDraft, order EditOrder) (v draft.Verdict, err error) {
	entry := Edit{Org: imp.Org, ImportID: imp.ID, Run: imp.Run, Op: order.Op, Kind: order.Kind, Request: order.Request}
	turn := func(ctx context.Context, number int64) error {
		entry.Change = number
		return s.enter(ctx, o, entry, draft.Verdict{Seq: number})
	}
	s.makings.tell(imp.ID, Progress{Op: order.Op, Kind: order.Kind})
	defer s.makings.end(imp.ID, order.Op)
	progress := func(done, total int64) { s.makings.tell(imp.ID, Progress{order.Op, order.Kind, done, total}) }
	switch {
	case order.Change != nil:
		entry.Kind = order.Kind
		v, err = o.draft.Change(ctx, order.Change, draft.Call{Progress: progress, Keep: func(ctx context.Context, k draft.Kept, v draft.Verdict) error {
			entry.Change, entry.Layer = k.Seq, k.Body
			return s.enter(ctx, o, entry, v)
		}})
		if err == nil && v.Seq == 0 {
			err = s.enter(ctx, o, entry, v) // so that it changes nothing when it is sent again
		}
	case order.Kind == UndoEdit:
		v.Seq, err = o.draft.Undo(ctx, turn)
	case order.Kind == RedoEdit:
		v.Seq, err = o.draft.Redo(ctx, turn)
	default:
		err = fmt.Errorf("a change of the kind %q says nothing", order.Kind)
	}
	return v, err
}

// enter adds an entry to the log, if that is still what the draft knows of it and
// the import is still under review.
func (s *Service) enter(ctx context.Context, o *openDraft, e Edit, v draft.Verdict) error {
	var err error
	if e.Told, err = json.Marshal(v); err != nil {
		return err
	}
	err = s.cfg.Store.Update(ctx, func(tx Tx) error {
		imp, err := tx.Imports.Get(ctx, e.Org, e.ImportID)
		if err != nil {
			return named(err, importMissing)
		}
		if err := reviewable(imp); err != nil || imp.Run != e.Run {
			return errors.Join(err, movedOn(imp.Run != e.Run))
		}
		e.Seq, e.Made = o.last.Load()+1, s.now()
		if err := tx.Edits.Append(ctx, e); IsKind(err, Conflict) {
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

func movedOn(did bool) error {
	if !did {
		return nil
	}
	return refuse(Conflict, "import_changed", intray.NewMessage("review.import_read_again", nil))
}

// told makes refusals of what a draft refuses.
func told(err error) error {
	var refusal *draft.Refusal
	var conflict *draft.Conflict
	var failed *intray.HookError
	switch {
	case errors.As(err, &failed):
		return refuse(Conflict, "hook_failed", intray.NewMessage("review.hook_failed", intray.Params{"problem": failed.Describe()}))
	case errors.As(err, &refusal) && refusal.Stale:
		return refuse(Conflict, "rows_changed", refusal.Text)
	case errors.As(err, &refusal):
		return refuse(Invalid, "not_possible", refusal.Text)
	case errors.Is(err, draft.ErrNothing):
		return refuse(Conflict, "nothing_to_undo", intray.NewMessage("review.nothing_to_undo", nil))
	case errors.As(err, &conflict):
		return err // whoever calls shows both texts
	}
	return err
}
