// Package review lets people settle an import: answer what is open, change, filter and
// export rows, merge corrected files, undo, and submit. Changes are entries in a log over
// the staged rows, so that any process can continue a review.
package review

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"iter"
	"slices"
	"time"

	"github.com/intraydata/intray"
	"github.com/intraydata/intray/engine"
	"github.com/intraydata/intray/server/auth"
	"github.com/intraydata/intray/server/draft"
	"github.com/intraydata/intray/server/imports"
	"github.com/intraydata/intray/server/model"
	"github.com/intraydata/intray/server/schemas"
	"github.com/intraydata/intray/server/secrets"
	"github.com/intraydata/intray/server/staging"
	"github.com/intraydata/intray/source"
)

// Service lets persons mend the rows of imports and answer what is open.
type Service struct {
	env                 *model.Env
	imports             *imports.Service
	engine              *engine.Engine
	reviewKey, visitKey secrets.Key
	// drafts are those of imports that persons review here.
	drafts *drafts
	// changeProgress are the changes of rows that are made here just now.
	changeProgress *changeProgress
	// submitting are the runs whose review is being submitted here.
	submitting *model.InProgress
}

// New returns the service upon env. The engine must be that of imports.
func New(env *model.Env, imports *imports.Service, engine *engine.Engine) *Service {
	return &Service{
		env: env, imports: imports, engine: engine, reviewKey: env.Master.Derive("review links"), visitKey: env.Master.Derive("review visits"),
		drafts: &drafts{open: map[string]*openDraft{}}, changeProgress: &changeProgress{byImport: map[string]Progress{}}, submitting: model.NewInProgress(),
	}
}

var (
	reviewLink = intray.NewMessage("link.review_link", nil)
	visitLink  = intray.NewMessage("link.review_session", nil)
)

// VisitLife is how long a person may go on reviewing before the link must be
// opened again.
const VisitLife = 12 * time.Hour

// StartVisit exchanges the review token of an import for one of a visit, which lasts
// VisitLife.
func (s *Service) StartVisit(ctx context.Context, id, token string) (model.Import, string, error) {
	imp, err := s.importForToken(ctx, s.reviewKey, id, token, reviewLink)
	if err != nil {
		return model.Import{}, "", err
	}
	visit, err := auth.SignGrant(s.visitKey, auth.Grant{Org: imp.Org, ID: imp.ID, Expires: auth.ExpiryUnix(s.env.Now().Add(VisitLife))})
	return imp, visit, err
}

// VisitedImport opens the import that a visit is for.
func (s *Service) VisitedImport(ctx context.Context, id, visit string) (model.Import, error) {
	return s.importForToken(ctx, s.visitKey, id, visit, visitLink)
}

// importForToken gives the import that a token of the key was made for.
func (s *Service) importForToken(ctx context.Context, key secrets.Key, id, token string, link intray.Message) (model.Import, error) {
	g, err := auth.VerifyGrant(key, token, link, s.env.Now())
	if err != nil {
		return model.Import{}, err
	}
	if g.ID != id {
		return model.Import{}, auth.AlteredError(link)
	}
	return s.imports.Import(ctx, g.Org, id)
}

// PageInfo is how the review page of an import is to look and what it is to say
// of its end.
type PageInfo struct {
	// Title is what the person knows the import by: the title of its settings, else
	// its identifier, else "".
	Title string
	// Invalid is what becomes of rows with an error.
	Invalid intray.InvalidDataBehavior
	// Styles are the styleOverrides of the settings, as they were sent; nil where
	// there are none.
	Styles map[string]any
}

// ReviewPageInfo returns that of an import.
func (s *Service) ReviewPageInfo(imp model.Import) (PageInfo, error) {
	schema, err := schemas.Frozen(imp)
	if err != nil {
		return PageInfo{}, err
	}
	face := PageInfo{Title: cmp.Or(schema.Settings.Title, schema.Settings.ImportIdentifier), Invalid: schema.Settings.InvalidDataBehavior}
	doc, err := schemas.Decode("", imp.Schema)
	if settings, are := doc.Settings.(map[string]any); are {
		face.Styles, _ = settings["styleOverrides"].(map[string]any)
	}
	return face, err
}

// Submission says what a submission would send, or did.
type Submission struct {
	// Rows are in the result, of which WithError have a cell that is blanked or
	// as received; Left are left out.
	Rows, WithError, Dropped int64
	// Blocked says that rows with an error keep the review from being submitted.
	Blocked bool
}

// ReviewSummary says what a submission would send by now.
func (s *Service) ReviewSummary(ctx context.Context, imp model.Import) (sub Submission, err error) {
	schema, err := schemas.Frozen(imp)
	if err != nil {
		return sub, err
	}
	err = s.withDraft(ctx, imp, func(o *openDraft) error {
		sub = submissionOf(o.draft.Totals(), schema.Settings.InvalidDataBehavior)
		return nil
	})
	return sub, err
}

func submissionOf(t draft.Totals, behavior intray.InvalidDataBehavior) Submission {
	sub := Submission{Rows: t.Rows, WithError: t.Errors}
	switch behavior {
	case intray.BlockSubmit:
		sub.Blocked = t.Errors > 0
	case intray.RemoveInvalidRows:
		sub.Rows, sub.WithError, sub.Dropped = t.Rows-t.Errors, 0, t.Errors
	}
	return sub
}

// SubmitReview ends a review: the rows as they are by now are sealed, the last hook
// is asked, the result is written, and the import is SUCCESSFUL. Where rows keep it
// from being submitted, or the hook cancels, it stays under review.
func (s *Service) SubmitReview(ctx context.Context, imp model.Import) (done model.Import, sub Submission, err error) {
	schema, err := schemas.Frozen(imp)
	if err != nil {
		return imp, sub, err
	}
	key := imp.RunPrefix(imp.Run)
	if !s.submitting.TryAdd(key) {
		return imp, sub, model.NewError(model.Conflict, "submission_in_progress", intray.NewMessage("review.submission_in_progress", nil))
	}
	defer s.submitting.Remove(key)
	err = s.withDraft(ctx, imp, func(o *openDraft) error {
		if sub = submissionOf(o.draft.Totals(), schema.Settings.InvalidDataBehavior); sub.Blocked {
			return model.NewError(model.Conflict, "rows_with_error", intray.NewMessage("review.rows_with_error", intray.Params{"n": sub.WithError}))
		}
		done, err = s.sealReview(ctx, imp, o, schema)
		return err
	})
	return done, sub, err
}

// sealReview writes the rows of a draft as a stage of its own, and the result from it.
// Nobody changes the rows meanwhile: the log must end where the draft does when the
// end is committed.
func (s *Service) sealReview(ctx context.Context, imp model.Import, o *openDraft, schema *intray.Schema) (model.Import, error) {
	last := o.last.Load()
	final := imp
	out := *imp.Outcome
	final.Outcome = &out
	final.Stage = finalPrefix(imp, last) + "/stage"
	if err := s.env.GuardBlob(ctx, finalPrefix(final, last)); err != nil {
		return imp, err
	}
	out.DataRows, out.ErrorRows, out.RowsWithError, out.Listed, out.Problems = 0, 0, nil, nil, 0
	out.Verdict, out.Questions = engine.Done, nil
	count := func(b *intray.Batch) { o.revalidator.Count(b, &out.Outcome) }
	if err := s.writeFinalRows(ctx, final.Stage, o.draft.Batches(ctx), schema, count); err != nil {
		return imp, err
	}
	out.Notices = slices.DeleteFunc(slices.Clone(out.Notices), func(n intray.Notice) bool { return n.Type == intray.CancelledByHook })
	out.Finished = s.env.Now()
	run := engine.Import{Input: source.Input{Name: imp.SourceName()}, Schema: schema, HookEnv: imp.HookPins()}
	if err := s.imports.BeforeFinish(ctx, &final, run, final.Stage); err != nil {
		return imp, err
	}
	if out.Verdict != engine.Done {
		return imp, s.notFinishedError(final)
	}
	if err := s.imports.WriteResult(ctx, &final, schema); err != nil {
		return imp, err
	}
	err := s.env.Store.Update(ctx, func(tx model.Tx) error {
		now, err := tx.Imports.Get(ctx, imp.Org, imp.ID)
		if err != nil {
			return model.DescribeNotFound(err, model.ImportMissing)
		}
		if err := reviewable(now); err != nil || now.Run != imp.Run {
			return errors.Join(err, movedOnError(now.Run != imp.Run))
		}
		if at, err := tx.Edits.LastSeq(ctx, imp.Org, imp.ID, imp.Run); err != nil || at != last {
			return errors.Join(err, model.NewError(model.Conflict, "rows_changed", intray.NewMessage("review.rows_changed_meanwhile", nil)))
		}
		if err := tx.Trash.Remove(ctx, finalPrefix(final, last)); err != nil {
			return err
		}
		return s.imports.Transition(ctx, tx, &final, model.Successful)
	})
	return final, err
}

// finalPrefix is where what a submission makes is kept.
func finalPrefix(imp model.Import, last int64) string {
	return fmt.Sprintf("%s/final/%d", imp.RunPrefix(imp.Run), last)
}

// notFinishedError tells why a review is not over: the hook cancelled it, or failed.
func (s *Service) notFinishedError(imp model.Import) error {
	for _, n := range slices.Backward(imp.Outcome.Notices) {
		switch n.Type {
		case intray.CancelledByHook:
			return model.NewError(model.Conflict, "cancelled_by_hook", n.Text)
		case intray.HookFailed:
			return model.NewError(model.Conflict, "hook_failed", n.Text)
		}
	}
	return model.NewError(model.Conflict, "cancelled_by_hook", intray.NewMessage("review.cancelled_without_message", nil))
}

// writeFinalRows writes the rows of a draft as a stage, in which they are numbered anew,
// and counts them.
func (s *Service) writeFinalRows(ctx context.Context, prefix string, batches iter.Seq2[*intray.Batch, error], schema *intray.Schema, count func(*intray.Batch)) error {
	var w *staging.Writer
	defer func() {
		if w != nil {
			w.Abort()
		}
	}()
	rows := int64(0)
	for b, err := range batches {
		if err != nil {
			return fmt.Errorf("seal the reviewed rows: %w", err)
		}
		if w == nil {
			w = staging.NewWriter(ctx, s.env.Blobs, prefix, stageLayout(schema, b), staging.Config{})
		}
		own := *b
		own.First = rows
		rows += int64(b.Rows())
		count(&own)
		commit, err := w.StageBatch(&own)
		if err == nil {
			err = commit()
		}
		if err != nil {
			return fmt.Errorf("seal the reviewed rows: %w", err)
		}
	}
	if w == nil { // every row was deleted
		w = staging.NewWriter(ctx, s.env.Blobs, prefix, stageLayout(schema, &intray.Batch{}), staging.Config{})
	}
	if _, err := w.Close(ctx); err != nil {
		return fmt.Errorf("seal the reviewed rows: %w", err)
	}
	return nil
}

func stageLayout(schema *intray.Schema, b *intray.Batch) staging.Layout {
	layout := staging.Layout{}
	for _, f := range schema.Fields {
		layout.Fields = append(layout.Fields, f.Key)
	}
	for _, u := range b.Unmapped {
		layout.Unmapped = append(layout.Unmapped, u.Column)
	}
	return layout
}

// ReviewToken signs the right to see and settle an import. It lasts as long as
// the import.
func (s *Service) ReviewToken(imp model.Import) (string, error) {
	return auth.SignGrant(s.reviewKey, auth.Grant{Org: imp.Org, ID: imp.ID})
}
