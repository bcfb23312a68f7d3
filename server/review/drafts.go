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

// CloseIdleDrafts closes the drafts that have not been used for five minutes. It
// closes unused drafts earlier as long as more than 16 drafts are open.
func (s *Service) CloseIdleDrafts() error { return s.drafts.closeIdle(s.env.Now()) }

const (
	// draftIdle is the time after which an unused draft is closed.
	draftIdle = 5 * time.Minute
	// maxDrafts is the number of open drafts above which unused drafts are closed early.
	maxDrafts = 16
	// copiesBytes is the maximum disk space for copies of rows that all open drafts keep, in bytes.
	copiesBytes = 2 << 30
)

// drafts holds the open drafts of this process. Their content is stored in the log and in blobs.
// A draft can therefore be closed at any time and opened by any process.
type drafts struct {
	mu   sync.Mutex
	open map[string]*openDraft
	// temp is the folder for their temporary files, and copies is the space for copies of rows.
	temp   string
	copies *draft.CacheSpace
}

// openDraft is the draft for one run of an import. It may not be open yet.
type openDraft struct {
	// users is the number of calls that are using the draft. used is the time when a call last
	// finished using it.
	users int
	used  time.Time

	// lock is read-locked while the draft is in use, and locked to reopen the draft.
	lock        sync.RWMutex
	draft       *draft.Draft
	revalidator *revalidate.Revalidator
	staged      *staging.Stage
	// prefix is that of the staged rows.
	prefix string
	// verified is the prefix of the staged rows that were verified as a whole because opening the
	// draft found damage.
	verified string
	// last is the position of the last log entry that the draft has applied.
	last atomic.Int64
	// changing contains a value while a change is being made. A goroutine that has sent
	// a value may look up earlier changes and append to the log.
	changing chan struct{}
}

// close closes the draft and its files.
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

// acquire returns the entry for a draft, which may not be open yet. The caller must
// release the entry.
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

// release ends the use of a draft and closes idle drafts.
func (d *drafts) release(o *openDraft, now time.Time) error {
	d.mu.Lock()
	o.users--
	o.used = now
	d.mu.Unlock()
	return d.closeIdle(now)
}

// closeIdle closes drafts that have not been used for draftIdle. It closes unused
// drafts earlier as long as more than maxDrafts are open.
func (d *drafts) closeIdle(now time.Time) error {
	d.mu.Lock()
	var idle []*openDraft
	for key, o := range d.open {
		if o.users == 0 && (now.Sub(o.used) >= draftIdle || len(d.open) > maxDrafts && o.used.Before(now)) {
			delete(d.open, key)
			idle = append(idle, o)
		}
	}
	d.mu.Unlock()
	errs := make([]error, 0, len(idle))
	for _, o := range idle {
		errs = append(errs, o.close())
	}
	return errors.Join(errs...)
}

// withDraft calls the function work with the current draft of an import under review.
func (s *Service) withDraft(ctx context.Context, imp model.Import, work func(o *openDraft) error) (err error) {
	if err := checkReviewable(imp); err != nil {
		return err
	}
	o := s.drafts.acquire(imp.RunPrefix(imp.Run))
	defer func() { err = errors.Join(err, s.drafts.release(o, s.env.Now())) }()
	if err := s.refreshDraft(ctx, imp, o); err != nil {
		return s.describeDamage(ctx, imp, err)
	}
	used := o.prefix
	err = func() error {
		defer o.lock.RUnlock()
		return work(o)
	}()
	if !isDamage(err) {
		return err
	}
	return s.replaceDraft(ctx, imp, o, used, err)
}

// isDamage reports whether err means that rows or changes were lost or have changed.
func isDamage(err error) bool {
	return errors.Is(err, staging.ErrDamaged) || errors.Is(err, staging.ErrUnfinished) || errors.Is(err, blob.ErrNotFound)
}

// describeDamage returns the error for the caller if a draft cannot be opened because its rows or
// changes are damaged: the import must then run again.
func (s *Service) describeDamage(ctx context.Context, imp model.Import, err error) error {
	if !isDamage(err) && !model.IsKind(err, model.Damaged) {
		return err
	}
	if _, gone := s.imports.Import(ctx, imp.Org, imp.ID); gone != nil { // the import was deleted in the meantime
		return gone
	}
	s.env.Log.ErrorContext(ctx, "rows under review are damaged", "import", imp.ID, "error", err)
	return model.NewError(model.Conflict, "rows_damaged", intray.NewMessage("review.rows_damaged", nil))
}

// replaceDraft closes a draft in which a call has found damage, and rebuilds its staged rows. used
// is the prefix of the rows that the call used; another call may have replaced them since.
// replaceDraft returns the error for the caller. If the rows were rebuilt, the caller can try again.
func (s *Service) replaceDraft(ctx context.Context, imp model.Import, o *openDraft, used string, damage error) error {
	o.lock.Lock()
	defer o.lock.Unlock()
	if err := o.close(); err != nil {
		return errors.Join(damage, err)
	}
	s.env.Suspect(imp.Stage)
	now := imp
	staged, err := s.imports.OpenStage(ctx, &now)
	if err != nil {
		return s.describeDamage(ctx, imp, err)
	}
	if err := staged.Close(); err != nil {
		return err
	}
	if now.Stage == used { // the staged rows are intact, so a change is damaged
		return s.describeDamage(ctx, imp, damage)
	}
	return model.NewError(model.Unavailable, "rows_rebuilt", intray.NewMessage("review.rows_rebuilt", nil))
}

// checkReviewable returns a Conflict if an import has no rows under review.
func checkReviewable(imp model.Import) error {
	switch {
	case imp.Status != model.NeedsReview:
		return notInReviewError(imp)
	case imp.Stage == "":
		return model.NewError(model.Conflict, "no_rows", intray.NewMessage("review.questions_first", nil))
	}
	return nil
}

func notInReviewError(imp model.Import) error {
	return model.NewError(model.Conflict, "not_in_review", intray.NewMessage("review.not_in_review", intray.Params{"status": string(imp.Status), "wanted": string(model.NeedsReview)}))
}

// refreshDraft opens the draft if it is closed, and reopens it if another process has changed
// it. If it succeeds, it returns with the draft read-locked. The caller must release the lock.
func (s *Service) refreshDraft(ctx context.Context, imp model.Import, o *openDraft) error {
	for {
		last, err := model.View(ctx, s.env.Store, func(tx model.Tx) (int64, error) { return tx.Edits.LastSeq(ctx, imp.Org, imp.ID, imp.Run) })
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

// reopenDraft opens the draft with all log entries applied, unless another goroutine
// has just done so.
func (s *Service) reopenDraft(ctx context.Context, imp model.Import, o *openDraft, last int64) error {
	o.lock.Lock()
	defer o.lock.Unlock()
	if o.draft != nil && o.last.Load() >= last {
		return nil
	}
	if err := o.close(); err != nil {
		return err
	}
	log, err := model.View(ctx, s.env.Store, func(tx model.Tx) (editLog, error) { return readLog(ctx, tx, imp) })
	if err != nil {
		return err
	}
	err = s.openWithLog(ctx, &imp, o, log)
	if errors.Is(err, staging.ErrDamaged) && !s.env.IsSuspect(imp.Stage) && imp.Stage != o.verified {
		s.env.Suspect(imp.Stage) // too large to be verified when it was opened
		err = s.openWithLog(ctx, &imp, o, log)
		if !s.env.IsSuspect(imp.Stage) {
			o.verified = imp.Stage // so that damage in a change does not cause this again
		}
	}
	if err != nil {
		return err
	}
	o.last.Store(log.last)
	return nil
}

// openWithLog opens the draft that consists of the staged rows of an import and a log. If the rows
// are rebuilt, openWithLog updates imp.Stage.
func (s *Service) openWithLog(ctx context.Context, imp *model.Import, o *openDraft, log editLog) error {
	staged, err := s.imports.OpenStage(ctx, imp)
	if err != nil {
		return err
	}
	o.staged, o.prefix = staged, imp.Stage
	if err := s.openOnStage(ctx, *imp, o, log); err != nil {
		return errors.Join(err, o.close())
	}
	return nil
}

// openOnStage opens the draft that consists of o.staged and a log.
func (s *Service) openOnStage(ctx context.Context, imp model.Import, o *openDraft, log editLog) error {
	schema, err := schemas.Frozen(imp)
	if err != nil {
		return err
	}
	o.revalidator, err = revalidate.Open(s.engine, engine.Import{Schema: schema, Answers: imp.Answers, Memory: imp.RecalledMemory(), HookEnv: imp.HookPins()}, &imp.Outcome.Outcome)
	if err != nil {
		return fmt.Errorf("open the revalidator: %w", err)
	}
	o.draft, err = draft.Open(ctx, draft.Config{
		Stage: o.staged, Blobs: s.env.Blobs, Prefix: imp.RunPrefix(imp.Run) + "/edits",
		Fields: schema.Fields, Parts: columnCounts(schema, imp.Outcome.Mapping), Revalidator: o.revalidator, Names: choiceLabels(schema.Fields),
		Temp: s.drafts.temp, CacheSpace: s.drafts.copies,
		Whole:     len(schema.Hooks.BulkRow) > 0, // bulk hooks receive all changed rows in one call
		Revisions: log.revisions, Undone: log.undone,
	})
	return err
}

// columnCounts returns the number of columns of each many-to-one field.
func columnCounts(schema *intray.Schema, m intray.Mapping) []int {
	parts := make([]int, len(schema.Fields))
	for i, f := range schema.Fields {
		if f.ManyToOne {
			parts[i] = len(m.Fields[i].AllColumns())
		}
	}
	return parts
}

// editLog is the state after replaying the log of a run.
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
		switch {
		case e.Kind == model.UndoEdit:
			log.undone++
		case e.Kind == model.RedoEdit:
			log.undone--
		case e.Change > 0: // a change with an effect discards the undone revisions
			log.revisions = append(log.revisions[:len(log.revisions)-log.undone], draft.StoredRevision{Seq: e.Change, Body: e.Revision})
			log.undone = 0
		}
		log.last = e.Seq
	}
	return log, nil
}

// Close closes all drafts. This loses no changes, because all of them are in the log.
func (s *Service) Close() error {
	s.drafts.mu.Lock()
	defer s.drafts.mu.Unlock()
	errs := make([]error, 0, len(s.drafts.open))
	for key, o := range s.drafts.open {
		delete(s.drafts.open, key)
		o.lock.Lock()
		errs = append(errs, o.close())
		o.lock.Unlock()
	}
	return errors.Join(errs...)
}

// Progress is the progress of a change that this process is making.
type Progress struct {
	// Op and Kind identify the change.
	Op, Kind string
	// Done and Total are numbers of rows. Total is 0 until it is known.
	Done, Total int64
}

// changeProgress holds the progress of the changes that this process is making, by import.
type changeProgress struct {
	mu       sync.Mutex
	byImport map[string]Progress
}

func (m *changeProgress) report(id string, p Progress) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.byImport[id] = p
}

// finish removes the change with the given op, unless a different change has replaced it.
func (m *changeProgress) finish(id, op string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.byImport[id].Op == op {
		delete(m.byImport, id)
	}
}

// ChangeProgress returns the progress of the change that this process is making to
// an import. It returns false if there is none.
func (s *Service) ChangeProgress(id string) (Progress, bool) {
	s.changeProgress.mu.Lock()
	defer s.changeProgress.mu.Unlock()
	p, found := s.changeProgress.byImport[id]
	return p, found
}

// State is the state of a review. The review page polls it.
type State struct {
	Status model.Status
	Run    int
	// Change is the position of the last entry in the log of the run.
	Change int64
	// Totals holds the row counts of the draft. It is nil if no rows are under review.
	Totals *draft.Totals
}

// PollReview returns the current state of a review. before is an earlier state: if nothing has
// changed since then, PollReview reuses its totals. It returns a Denied error if the organization has
// been disabled.
func (s *Service) PollReview(ctx context.Context, org, id string, before State) (now State, err error) {
	if err := s.env.CheckOrg(org); err != nil {
		return now, err
	}
	var imp model.Import
	err = s.env.Store.View(ctx, func(tx model.Tx) error {
		if imp, err = tx.Imports.Get(ctx, org, id); err != nil {
			return model.DescribeNotFound(err, model.ImportMissing)
		}
		now = State{Status: imp.Status, Run: imp.Run}
		now.Change, err = tx.Edits.LastSeq(ctx, org, id, imp.Run)
		return err
	})
	if err != nil || checkReviewable(imp) != nil {
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
