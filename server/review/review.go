// Package review implements the review of imports: answering questions, filtering, changing and
// exporting rows, merging corrected files, undoing changes, and submitting. Changes are stored
// in a log on top of the staged rows. Any process can therefore continue a review.
package review

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"slices"
	"strings"
	"time"

	"github.com/intraydata/intray"
	"github.com/intraydata/intray/engine"
	"github.com/intraydata/intray/output"
	"github.com/intraydata/intray/server/auth"
	"github.com/intraydata/intray/server/draft"
	"github.com/intraydata/intray/server/imports"
	"github.com/intraydata/intray/server/model"
	"github.com/intraydata/intray/server/schemas"
	"github.com/intraydata/intray/server/secrets"
	"github.com/intraydata/intray/server/staging"
	"github.com/intraydata/intray/source"
)

// Service implements reviews. It is safe for concurrent use.
type Service struct {
	env                   *model.Env
	imports               *imports.Service
	engine                *engine.Engine
	reviewKey, sessionKey secrets.Key
	// rehydrationKey signs the tokens in the keys of embedded importers that continue an import.
	rehydrationKey secrets.Key
	// linkLife is the lifetime of review links.
	linkLife time.Duration
	// drafts are the open drafts of this process.
	drafts *drafts
	// changeProgress holds the progress of the changes that this process is making.
	changeProgress *changeProgress
	// submitting holds the runs that this process is submitting.
	submitting *model.InProgress
}

// Config configures a Service.
type Config struct {
	// LinkLife is the lifetime of review links.
	LinkLife time.Duration
	// TempDir is the folder for temporary files. The default is the result of os.TempDir.
	TempDir string
}

// New returns a Service. imports must use the same engine.
func New(env *model.Env, imports *imports.Service, engine *engine.Engine, cfg Config) *Service {
	return &Service{
		env: env, imports: imports, engine: engine, linkLife: cfg.LinkLife, reviewKey: env.Keys.TokenKey("review links"), sessionKey: env.Keys.TokenKey("review visits"),
		rehydrationKey: env.Keys.TokenKey("rehydration"),
		drafts:         &drafts{open: map[string]*openDraft{}, temp: cfg.TempDir, copies: draft.NewCacheSpace(copiesBytes)}, changeProgress: &changeProgress{byImport: map[string]Progress{}}, submitting: model.NewInProgress(),
	}
}

var (
	reviewLink  = intray.NewMessage("link.review_link", nil)
	sessionLink = intray.NewMessage("link.review_session", nil)
)

// SessionLife is the lifetime of a review session. After that, the user must open the link again.
const SessionLife = 12 * time.Hour

// Session is a review session.
type Session struct {
	Import model.Import
	// Framed is set if the review is shown in a frame of another page. The token is then in a header, and
	// otherwise in a cookie.
	Framed bool
}

// framed is the purpose of the tokens of sessions that are shown in a frame.
const framed = "frame"

// StartReviewSession exchanges the review token of an import, or a key from RehydrationKey, for the token
// of a new review session.
func (s *Service) StartReviewSession(ctx context.Context, id, token string) (Session, string, error) {
	key := s.reviewKey
	rest, isRehydration := strings.CutPrefix(token, rehydrationPrefix)
	if isRehydration {
		key = s.rehydrationKey
		_, token, _ = strings.Cut(rest, "_")
	}
	imp, _, err := s.importForToken(ctx, key, id, token, reviewLink)
	if err != nil {
		return Session{}, "", err
	}
	grant := s.reviewGrant(imp)
	started := Session{imp, isRehydration || imp.Sync != ""}
	if started.Framed {
		grant.What = framed
	}
	grant.Expires = min(grant.Expires, auth.ExpiryUnix(s.env.Now().Add(SessionLife)))
	session, err := auth.SignGrant(s.sessionKey, grant)
	return started, session, err
}

// ReviewSession returns the session of a session token.
func (s *Service) ReviewSession(ctx context.Context, id, token string) (Session, error) {
	imp, grant, err := s.importForToken(ctx, s.sessionKey, id, token, sessionLink)
	return Session{imp, grant.What == framed}, err
}

// importForToken returns the import that a token grants access to, and what the token contains. The token
// must belong to the current review link of the import.
func (s *Service) importForToken(ctx context.Context, key secrets.Key, id, token string, link intray.Message) (imp model.Import, g auth.Grant, err error) {
	if g, err = auth.VerifyGrant(ctx, s.env, key, token, link); err != nil {
		return imp, g, err
	}
	if g.ID != id {
		return imp, g, auth.AlteredError(link)
	}
	ctx = model.InOrg(ctx, g.Org)
	imp, err = s.imports.Import(ctx, g.Org, id)
	switch {
	case err != nil:
	case g.Version != imp.Review.Version:
		err = auth.RevokedError(link)
	case g.Expires == 0 && !s.env.Now().Before(s.ReviewExpiry(imp)): // a link of an earlier version of Intray
		err = auth.ExpiredError(link)
	}
	return imp, g, err
}

// PageInfo holds settings from the schema that the review page needs.
type PageInfo struct {
	// Title is the title of the import. If it has none, Title is its identifier, or "".
	Title string
	// Invalid determines what happens to rows with an error.
	Invalid intray.InvalidDataBehavior
	// Styles are the styleOverrides as they were received, or nil.
	Styles map[string]any
	// HasOptions is set if a field that a person can change has a list of options.
	HasOptions bool
}

// ReviewPageInfo returns the PageInfo of an import.
func (s *Service) ReviewPageInfo(imp model.Import) (PageInfo, error) {
	schema, err := schemas.Frozen(imp)
	if err != nil {
		return PageInfo{}, err
	}
	info := PageInfo{Title: cmp.Or(schema.Settings.Title, schema.Settings.ImportIdentifier), Invalid: schema.Settings.InvalidDataBehavior}
	info.HasOptions = slices.ContainsFunc(schema.Fields, func(f intray.Field) bool { return f.Type.Name.HasOptions() && !f.ReadOnly && !f.Hidden })
	doc, err := schemas.Decode("", imp.Schema)
	if settings, ok := doc.Settings.(map[string]any); ok {
		info.Styles, _ = settings["styleOverrides"].(map[string]any)
	}
	return info, err
}

// Submission summarizes the rows of a submission.
type Submission struct {
	// Rows is the number of rows in the result. WithError is the number of these rows
	// that have an error. Dropped is the number of rows that are not in the result.
	Rows, WithError, Dropped int64
	// Blocked is set if rows with an error prevent the submission.
	Blocked bool
}

// ReviewSummary returns the Submission that would result from submitting now.
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

// blockedError returns the error for rows with errors that prevent a submission.
func blockedError(sub Submission) error {
	return model.NewError(model.Conflict, "rows_with_error", intray.NewMessage("review.rows_with_error", intray.Params{"n": sub.WithError}))
}

// SubmitReview completes a review. It seals the current rows, calls the last hook,
// writes the result, and makes the import SUCCESSFUL. If rows block the submission
// or the hook cancels it, the import remains under review.
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
			return blockedError(sub)
		}
		done, err = s.sealReview(ctx, imp, o, schema)
		return err
	})
	return done, sub, err
}

// WriteReviewed writes the rows of a review as they would be submitted now. It returns a Conflict if rows
// with errors prevent that.
func (s *Service) WriteReviewed(ctx context.Context, imp model.Import, w io.Writer, format output.Format) error {
	schema, err := schemas.Frozen(imp)
	if err != nil {
		return err
	}
	return s.withDraft(ctx, imp, func(o *openDraft) error {
		if sub := submissionOf(o.draft.Totals(), schema.Settings.InvalidDataBehavior); sub.Blocked {
			return blockedError(sub)
		}
		_, err := output.Write(ctx, w, format, schema, o.draft.Batches(ctx))
		return err
	})
}

// ReviewedImport returns an import under review with the outcome that it would have if it were submitted
// now.
func (s *Service) ReviewedImport(ctx context.Context, imp model.Import) (model.Import, error) {
	schema, err := schemas.Frozen(imp)
	if err != nil {
		return imp, err
	}
	out := *imp.Outcome
	final := imp
	final.Outcome = &out
	err = s.withDraft(ctx, imp, func(o *openDraft) error {
		beginOutcome(&out)
		out.OutputRows = submissionOf(o.draft.Totals(), schema.Settings.InvalidDataBehavior).Rows
		rows := int64(0)
		for b, err := range o.draft.Batches(ctx) {
			if err != nil {
				return fmt.Errorf("count the reviewed rows: %w", err)
			}
			renumbered := *b
			renumbered.First = rows
			rows += int64(b.Rows())
			o.revalidator.Count(&renumbered, &out.Outcome)
		}
		return nil
	})
	return final, err
}

// beginOutcome removes from an outcome what counting the rows determines.
func beginOutcome(out *model.Outcome) {
	out.DataRows, out.ErrorRows, out.RowsWithError, out.Listed, out.Problems, out.Unmatched = 0, 0, nil, nil, 0, 0
	out.Verdict, out.Questions = engine.Done, nil
}

// sealReview writes the rows of a draft as a new stage, and the result from that stage. It fails if
// the log has received a new entry by the time the import is saved. Each call writes under its own
// prefix, because several processes may submit the same review, even after one of them has
// succeeded.
func (s *Service) sealReview(ctx context.Context, imp model.Import, o *openDraft, schema *intray.Schema) (model.Import, error) {
	last := o.last.Load()
	id, err := s.env.NewID()
	if err != nil {
		return imp, err
	}
	prefix := imp.FinalPrefix() + "/" + id
	if err := s.env.GuardBlob(ctx, prefix); err != nil {
		return imp, err
	}
	final, err := s.writeFinal(ctx, imp, prefix, o, schema)
	committing := err == nil
	if committing {
		err = s.finishReview(ctx, &final, prefix, last)
	}
	if err == nil || committing && !model.IsRolledBack(err) {
		return final, err
	}
	s.env.DiscardBlobs(context.WithoutCancel(ctx), prefix)
	// The import may have been deleted meanwhile, or its files after another submission.
	now, failed := s.imports.Import(ctx, imp.Org, imp.ID)
	if failed == nil {
		failed = checkReviewable(now)
	}
	if model.IsKind(failed, model.NotFound) || model.IsKind(failed, model.Conflict) {
		err = failed
	}
	return imp, err
}

// writeFinal writes the stage and the result of a submission under a prefix, and calls the last
// hook. It returns the import to save.
func (s *Service) writeFinal(ctx context.Context, imp model.Import, prefix string, o *openDraft, schema *intray.Schema) (model.Import, error) {
	final := imp
	out := *imp.Outcome
	final.Outcome = &out
	final.Stage = prefix + "/stage"
	beginOutcome(&out)
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
	err := s.imports.WriteResult(ctx, &final, schema, s.env.Blobs)
	return final, err
}

// finishReview saves a submitted import whose files are under a prefix. It returns a Conflict if the
// import is no longer under review, or if the last entry of the log is not the one with the given
// position.
func (s *Service) finishReview(ctx context.Context, final *model.Import, prefix string, last int64) error {
	submitted := *final
	return s.env.Store.Update(ctx, func(tx model.Tx) error {
		*final = submitted
		now, err := tx.Imports.Get(ctx, final.Org, final.ID)
		if err != nil {
			return model.DescribeNotFound(err, model.ImportMissing)
		}
		if err := checkReviewable(now); err != nil || now.Run != final.Run {
			return errors.Join(err, runChangedError(now.Run != final.Run))
		}
		if at, err := tx.Edits.LastSeq(ctx, final.Org, final.ID, final.Run); err != nil || at != last {
			return errors.Join(err, model.NewError(model.Conflict, "rows_changed", intray.NewMessage("review.rows_changed_meanwhile", nil)))
		}
		if err := tx.Trash.Remove(ctx, prefix); err != nil {
			return err
		}
		return s.imports.FinishReviewed(ctx, tx, final)
	})
}

// notFinishedError returns an error with the reason why the last hook prevented the submission.
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

// writeFinalRows writes the rows of a draft as a stage with consecutive row numbers. It calls
// the function count with each batch.
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
		renumbered := *b
		renumbered.First = rows
		rows += int64(b.Rows())
		count(&renumbered)
		commit, err := w.StageBatch(&renumbered)
		if err == nil {
			err = commit()
		}
		if err != nil {
			return fmt.Errorf("seal the reviewed rows: %w", err)
		}
	}
	if w == nil { // all rows were deleted
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
