package review

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"github.com/intraydata/intray"
	"github.com/intraydata/intray/engine"
	"github.com/intraydata/intray/server/blob"
	"github.com/intraydata/intray/server/draft"
	"github.com/intraydata/intray/server/model"
	"github.com/intraydata/intray/server/revalidate"
	"github.com/intraydata/intray/server/schemas"
	"github.com/intraydata/intray/server/staging"
)

// CloseIdleDrafts closes the drafts that nobody has looked at for a while.
func (s *Service) CloseIdleDrafts() error { return s.drafts.closeIdle(s.env.Now()) }

const (
	// draftIdle is how long a draft stays open that nobody looks at.
	draftIdle = 5 * time.Minute
	// maxDrafts is how many are kept open that nobody looks at just now.
	maxDrafts = 16
)

// drafts are the drafts that this process has open: those of imports that persons
// review. What they hold is in the log of the store and in blobs, so that a draft
// can be closed at any time and opened anywhere.
type drafts struct {
	mu   sync.Mutex
	open map[string]*openDraft
}

// openDraft is the draft of one run of an import.
type openDraft struct {
	// users are those who have it, and used when the last of them let go.
	users int
	used  time.Time

	// lock is held by all who use the draft, and alone by who opens it anew.
	lock        sync.RWMutex
	draft       *draft.Draft
	revalidator *revalidate.Revalidator
	staged      *staging.Stage
	// last is the place in the log up to which the draft has come.
	last atomic.Int64
	// changing is held by who makes a change, from the look whether it was made before.
	changing chan struct{}
}

// close lets go of the files.
func (o *openDraft) close() error {
	var errs []error
	if o.draft != nil {
		errs = append(errs, o.draft.Close())
	}
	if o.staged != nil {
		errs = append(errs, o.staged.Close())
	}
	if o.revalidator != nil {
		errs = append(errs, o.revalidator.Close())
	}
	o.draft, o.staged, o.revalidator = nil, nil, nil
	o.last.Store(0)
	return errors.Join(errs...)
}

// acquire gives the place of a draft, which may not be open yet. The caller lets it
// go again.
func (d *drafts) acquire(key string) *openDraft {
	d.mu.Lock()
	defer d.mu.Unlock()
	o := d.open[key]
	if o == nil {
		o = &openDraft{changing: make(chan struct{}, 1)}
		d.open[key] = o
	}
	o.users++
	return o
}

// release ends the use of a draft, and closes those that nobody needs any more.
func (d *drafts) release(o *openDraft, now time.Time) error {
	d.mu.Lock()
	o.users--
	o.used = now
	d.mu.Unlock()
	return d.closeIdle(now)
}

// closeIdle closes drafts that nobody needs any more.
func (d *drafts) closeIdle(now time.Time) error {
	d.mu.Lock()
	var idle []*openDraft
	for key, one := range d.open {
		if one.users == 0 && (now.Sub(one.used) >= draftIdle || len(d.open) > maxDrafts && one.used.Before(now)) {
			delete(d.open, key)
			idle = append(idle, one)
		}
	}
	d.mu.Unlock()
	var errs []error
	for _, one := range idle {
		errs = append(errs, one.close())
	}
	return errors.Join(errs...)
}

// withDraft does something with the rows of an import under review, as the log has
// them by now.
func (s *Service) withDraft(ctx context.Context, imp model.Import, work func(o *openDraft) error) (err error) {
	if err := reviewable(imp); err != nil {
		return err
	}
	o := s.drafts.acquire(imp.RunPrefix(imp.Run))
	defer func() { err = errors.Join(err, s.drafts.release(o, s.env.Now())) }()
	if err := s.refreshDraft(ctx, imp, o); err != nil {
		return err
	}
	defer o.lock.RUnlock()
	err = work(o)
	if errors.Is(err, staging.ErrDamaged) || errors.Is(err, blob.ErrNotFound) { // perhaps it was deleted meanwhile
		if _, gone := s.imports.Import(ctx, imp.Org, imp.ID); gone != nil {
			return gone
		}
	}
	return err
}

// reviewable refuses imports that have no rows to change.
func reviewable(imp model.Import) error {
	switch {
	case imp.Status != model.NeedsReview:
		return model.NewError(model.Conflict, "not_in_review", intray.NewMessage("review.not_in_review", intray.Params{"status": string(imp.Status), "wanted": string(model.NeedsReview)}))
	case imp.Stage == "":
		return model.NewError(model.Conflict, "no_rows", intray.NewMessage("review.questions_first", nil))
	}
	return nil
}

// refreshDraft opens the draft where it is not, or where others have changed it, and
// leaves its turn held for reading.
func (s *Service) refreshDraft(ctx context.Context, imp model.Import, o *openDraft) error {
	for {
		var last int64
		err := s.env.Store.View(ctx, func(tx model.Tx) (err error) {
			last, err = tx.Edits.LastSeq(ctx, imp.Org, imp.ID, imp.Run)
			return err
		})
		if err != nil {
			return err
		}
		o.lock.RLock()
		if o.draft != nil && o.last.Load() >= last {
			return nil
		}
		o.lock.RUnlock()
		if err := s.reopenDraft(ctx, imp, o, last); err != nil {
			return err
		}
	}
}

// reopenDraft opens the draft as the log has it, unless somebody else just did.
func (s *Service) reopenDraft(ctx context.Context, imp model.Import, o *openDraft, last int64) error {
	o.lock.Lock()
	defer o.lock.Unlock()
	if o.draft != nil && o.last.Load() >= last {
		return nil
	}
	if err := o.close(); err != nil {
		return err
	}
	var log editLog
	err := s.env.Store.View(ctx, func(tx model.Tx) (err error) {
		log, err = readLog(ctx, tx, imp)
		return err
	})
	if err != nil {
		return err
	}
	schema, err := schemas.Frozen(imp)
	if err != nil {
		return err
	}
	o.revalidator, err = revalidate.Open(s.engine, engine.Import{Schema: schema, Answers: imp.Answers, Memory: imp.RecalledMemory(), HookEnv: imp.HookPins()}, &imp.Outcome.Outcome)
	if err != nil {
		return fmt.Errorf("make ready to change rows: %w", err)
	}
	if o.staged, err = staging.Open(ctx, s.env.Blobs, imp.Stage); err != nil {
		return fmt.Errorf("open the staged rows: %w", err)
	}
	o.draft, err = draft.Open(ctx, draft.Config{
		Stage: o.staged, Blobs: s.env.Blobs, Prefix: imp.RunPrefix(imp.Run) + "/edits",
		Fields: schema.Fields, Parts: columnCounts(schema, imp.Outcome.Mapping), Revalidator: o.revalidator, Names: choiceLabels(schema.Fields),
		Whole:     len(schema.Hooks.BulkRow) > 0, // they are called once, with all rows that changed
		Revisions: log.revisions, Undone: log.undone,
	})
	if err != nil {
		return errors.Join(err, o.close())
	}
	o.last.Store(log.last)
	return nil
}

// columnCounts are how many columns feed each field that takes several.
func columnCounts(schema *intray.Schema, m intray.Mapping) []int {
	parts := make([]int, len(schema.Fields))
	for i, f := range schema.Fields {
		if f.ManyToOne {
			parts[i] = len(m.Fields[i].AllColumns())
		}
	}
	return parts
}

// editLog is what the log of a run comes to.
type editLog struct {
	revisions []draft.StoredRevision
	undone    int
	last      int64
}

func readLog(ctx context.Context, tx model.Tx, imp model.Import) (log editLog, err error) {
	for e, err := range tx.Edits.ListAfter(ctx, imp.Org, imp.ID, imp.Run, 0) {
		if err != nil {
			return log, fmt.Errorf("read the log of a review: %w", err)
		}
		log.apply(e)
	}
	return log, nil
}

// apply follows one entry. A change makes those that were undone unreachable, unless it
// changed nothing.
func (l *editLog) apply(e model.Edit) {
	switch {
	case e.Kind == model.UndoEdit:
		l.undone++
	case e.Kind == model.RedoEdit:
		l.undone--
	case e.Change > 0:
		l.revisions = append(l.revisions[:len(l.revisions)-l.undone], draft.StoredRevision{Seq: e.Change, Body: e.Revision})
		l.undone = 0
	}
	l.last = e.Seq
}

// Close lets go of what is open. Nothing is lost: what was changed is kept.
func (s *Service) Close() error {
	s.drafts.mu.Lock()
	defer s.drafts.mu.Unlock()
	var errs []error
	for key, o := range s.drafts.open {
		delete(s.drafts.open, key)
		o.lock.Lock()
		errs = append(errs, o.close())
		o.lock.Unlock()
	}
	return errors.Join(errs...)
}

// Progress says how far a change of rows has come that this process makes.
type Progress struct {
	// Op and Kind are those of the change.
	Op, Kind string
	// Done and Total count rows; Total is 0 as long as it is not known.
	Done, Total int64
}

// changeProgress are the changes that this process makes just now, by import.
type changeProgress struct {
	mu       sync.Mutex
	byImport map[string]Progress
}

func (m *changeProgress) report(id string, p Progress) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.byImport[id] = p
}

// finish forgets a change, unless another one was told of since.
func (m *changeProgress) finish(id, op string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.byImport[id].Op == op {
		delete(m.byImport, id)
	}
}

// ChangeProgress tells of the change that this process makes to the rows of an import just
// now, if there is one.
func (s *Service) ChangeProgress(id string) (Progress, bool) {
	s.changeProgress.mu.Lock()
	defer s.changeProgress.mu.Unlock()
	p, under := s.changeProgress.byImport[id]
	return p, under
}

// State is what whoever looks at a review must know to be up to date.
type State struct {
	Status model.Status
	Run    int
	// Change is the last entry of the log of the run.
	Change int64
	// Totals are those of the rows; nil where there are none to review.
	Totals *draft.Totals
}

// PollReview gives that of an import. Totals are those of before, if nothing was changed
// since.
func (s *Service) PollReview(ctx context.Context, org, id string, before State) (now State, err error) {
	var imp model.Import
	err = s.env.Store.View(ctx, func(tx model.Tx) error {
		if imp, err = tx.Imports.Get(ctx, org, id); err != nil {
			return model.DescribeNotFound(err, model.ImportMissing)
		}
		now = State{Status: imp.Status, Run: imp.Run}
		now.Change, err = tx.Edits.LastSeq(ctx, org, id, imp.Run)
		return err
	})
	if err != nil || reviewable(imp) != nil {
		return now, err
	}
	if before.Totals != nil && before.Run == now.Run && before.Change == now.Change {
		now.Totals = before.Totals
		return now, nil
	}
	err = s.WithRows(ctx, imp, func(d *draft.Draft) error {
		t := d.Totals()
		now.Totals = &t
		return nil
	})
	return now, err
}
