package imports

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"runtime/debug"
	"slices"
	"time"

	"github.com/intraydata/intray"
	"github.com/intraydata/intray/engine"
	"github.com/intraydata/intray/output"
	"github.com/intraydata/intray/server/model"
	"github.com/intraydata/intray/server/schemas"
	"github.com/intraydata/intray/server/staging"
	"github.com/intraydata/intray/source"
)

const (
	// maxLost is how often an import may be lost with its process, or fail for
	// a reason that is not the file's, before it is given up.
	maxLost = 10
	// watchEvery is how often a run looks whether it still is the one.
	watchEvery = 500 * time.Millisecond
	// tryAgainAfter is when a run is tried again that had no room, or no store.
	tryAgainAfter = 15 * time.Second
	// handBackWithin bounds what a stopping run still writes to the store.
	handBackWithin = 3 * time.Second
)

// Why a run stops that is no longer wanted: its import was deleted or taken
// over, or this very run is not what is under way: its end was committed, or it
// was taken for lost.
var (
	errSuperseded = errors.New("the import is no longer this run's")
	errEnded      = errors.New("the import has ended with this run")
)

// RunNext claims the import that is next in turn and runs it to its end. It
// says whether there was one. A cancelled context hands the import back.
func (s *Service) RunNext(ctx context.Context) (bool, error) {
	var imp model.Import
	some := false
	err := s.env.Store.Update(ctx, func(tx model.Tx) (err error) {
		imp, err = tx.Imports.Claim(ctx, s.env.Node, s.cfg.RunsPerOrg, s.env.Now())
		if some = !model.IsKind(err, model.NotFound); !some {
			return nil
		}
		if err != nil {
			return err
		}
		if err := recall(ctx, tx, &imp); err != nil {
			return err
		}
		return s.syncUpload(ctx, tx, imp)
	})
	if err != nil {
		return false, fmt.Errorf("claim an import: %w", err)
	}
	if !some {
		return false, nil
	}
	s.activeRuns.TryAdd(imp.RunPrefix(imp.Run))
	defer s.activeRuns.Remove(imp.RunPrefix(imp.Run))
	s.env.CrashPoint("run.claimed")
	return true, s.runClaimed(ctx, imp)
}

// runClaimed works on a claimed import until it has ended or was handed back.
func (s *Service) runClaimed(ctx context.Context, imp model.Import) error {
	watched, stop := s.watchRun(ctx, imp)
	defer stop()
	var next model.Status
	var learned *learnedMappings
	err := guarded(func() (err error) {
		if next, err = s.process(watched, &imp); err != nil {
			return err
		}
		learned, err = s.learnedFrom(imp, next)
		return err
	})
	if err == nil {
		err = s.finish(watched, imp, next, learned)
	}
	after := context.WithoutCancel(ctx)
	switch {
	case err == nil:
		s.env.CrashPoint("run.finished")
	case errors.Is(context.Cause(watched), errEnded):
		err = nil // the end was committed and only the answer was lost, or a sweep has put the import back
	case errors.Is(context.Cause(watched), errSuperseded):
		s.env.DiscardBlobs(after, imp.RunPrefix(imp.Run))
		err = nil // it is nobody's fault, and another's work now
	case ctx.Err() != nil:
		_, err = s.returnToQueue(after, imp, s.requeue)
	default:
		ours, fault := s.returnToQueue(after, imp, s.retryAction(err))
		if !ours && fault == nil {
			return nil // it was deleted or taken over, and that is why the run failed
		}
		err = fmt.Errorf("import %s, run %d: %w", imp.ID, imp.Run, errors.Join(err, fault))
	}
	return err
}

// retryAction says how an import goes on after a run that failed: with a mark and
// later each time, or without a mark where the failure is that of the place,
// such as a disk without room.
func (s *Service) retryAction(err error) func(context.Context, model.Tx, model.Import) error {
	return func(ctx context.Context, tx model.Tx, imp model.Import) error {
		if model.IsKind(model.WrapStorageFull(err), model.Unavailable) {
			imp.Queued = s.env.Now().Add(tryAgainAfter)
			return s.requeue(ctx, tx, imp)
		}
		return s.requeueLost(ctx, tx, imp, s.env.Now().Add(time.Second<<imp.Lost))
	}
}

// guarded makes an error of a panic, so that it costs one run and not the
// process, and with it everybody's.
func guarded(work func() error) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("panic: %v\n%s", p, debug.Stack())
		}
	}()
	return work()
}

// watchRun cancels the run when its import was deleted or taken over.
func (s *Service) watchRun(ctx context.Context, imp model.Import) (context.Context, func()) {
	ctx, cancel := context.WithCancelCause(ctx)
	go func() {
		ticker := time.NewTicker(watchEvery)
		defer ticker.Stop()
		for {
			select {
			case <-ctx.Done():
				return
			case <-ticker.C:
			}
			cancelIf(cancel, s.stopReason(ctx, imp))
		}
	}()
	return ctx, func() { cancel(nil) }
}

func cancelIf(cancel context.CancelCauseFunc, why error) {
	if why != nil {
		cancel(why)
	}
}

// stopReason says why a run is not wanted any more; nil where it is, or where
// that cannot be found out. It looks at the whole import, which may be large,
// only once that is no longer among those that run here.
func (s *Service) stopReason(ctx context.Context, run model.Import) (why error) {
	err := s.env.Store.View(ctx, func(tx model.Tx) error {
		why = nil
		here, err := tx.Imports.InStatus(ctx, model.Running, s.env.Node, model.MaintenanceBatch)
		if err != nil || slices.Contains(here, model.ImportRef{Org: run.Org, ID: run.ID, Run: run.Run}) {
			return err
		}
		now, err := tx.Imports.Get(ctx, run.Org, run.ID)
		switch {
		case model.IsKind(err, model.NotFound), err == nil && now.Run != run.Run:
			why = errSuperseded
			return nil
		case err == nil && now.Status != model.Running:
			why = errEnded
		}
		return err
	})
	if err != nil {
		return nil
	}
	return why
}

// process does the work of a run and gives the state that the import goes to.
// An error means that the run could not be brought to an end.
func (s *Service) process(ctx context.Context, imp *model.Import) (model.Status, error) {
	schema, err := schemas.Frozen(*imp)
	if err != nil {
		return "", err
	}
	raw, err := s.env.OpenFile(ctx, imp.Raw.Key)
	if err != nil {
		return "", err
	}
	defer raw.Close()
	var writer *staging.Writer
	prefix := imp.RunPrefix(imp.Run) + "/stage"
	open := func(fields []string, unmapped []int) (engine.Sink, error) {
		writer = staging.NewWriter(ctx, s.env.Blobs, prefix, staging.Layout{Fields: fields, Unmapped: unmapped}, staging.Config{})
		return writer, nil
	}
	run := engine.Import{
		Input:  source.Input{Name: imp.SourceName(), ReaderAt: raw, Size: raw.Size()},
		Schema: schema, Answers: imp.Answers, Memory: imp.RecalledMemory(), HookEnv: imp.HookPins(),
	}
	out, err := s.cfg.Engine.Run(ctx, run, open)
	if writer != nil {
		defer writer.Abort()
	}
	if err != nil {
		return "", err
	}
	imp.Outcome = &model.Outcome{Outcome: *out, Finished: s.env.Now()}
	if err := takeUser(imp, out.User); err != nil {
		imp.Outcome.Verdict, writer = engine.Broken, nil
		imp.Outcome.Notices = append(imp.Outcome.Notices, intray.Notice{Type: intray.HookFailed, Level: intray.LevelError, Text: intray.NewMessage("hook.invalid_user", intray.Params{"properties": userProperties})})
	}
	return s.finishStage(ctx, imp, run, writer, prefix)
}

// userProperties are those of the user that a step hook may set.
var userProperties = []string{"id", "name", "email", "companyId", "companyName"}

// takeUser takes the user that a step hook set.
func takeUser(imp *model.Import, document []byte) error {
	if document == nil {
		return nil
	}
	var user struct{ ID, Name, Email, CompanyID, CompanyName string }
	if err := json.Unmarshal(document, &user); err != nil {
		return err
	}
	imp.HasUser, imp.User = true, model.User(user)
	return nil
}

// finishStage seals the staged rows and, where nothing is open, makes the result.
func (s *Service) finishStage(ctx context.Context, imp *model.Import, run engine.Import, writer *staging.Writer, prefix string) (model.Status, error) {
	schema := imp.Outcome.Schema(run.Schema)
	if imp.Outcome.Verdict == engine.Broken {
		return model.Failed, nil
	}
	if writer == nil {
		return model.NeedsReview, nil
	}
	if _, err := writer.Close(ctx); err != nil {
		return "", fmt.Errorf("seal the staged rows: %w", err)
	}
	imp.Stage = prefix
	if err := s.fillValues(ctx, imp.Outcome, schema, prefix); err != nil {
		return "", err
	}
	s.env.CrashPoint("run.staged")
	if err := s.BeforeFinish(ctx, imp, run, prefix); err != nil {
		return "", err
	}
	switch imp.Outcome.Verdict {
	case engine.Open:
		return model.NeedsReview, nil
	case engine.Broken:
		return model.Failed, nil
	}
	return model.Successful, s.MakeResult(ctx, imp, schema)
}

// BeforeFinish asks the last hook, where the schema has one.
func (s *Service) BeforeFinish(ctx context.Context, imp *model.Import, run engine.Import, prefix string) error {
	if run.Schema.Hooks.BeforeFinish == "" {
		return nil
	}
	staged, err := staging.Open(ctx, s.env.Blobs, prefix)
	if err != nil {
		return fmt.Errorf("open the staged rows: %w", err)
	}
	defer func() { _ = staged.Close() }()
	run.ID = imp.UploadID
	if run.User, err = userDocument(*imp); err != nil {
		return err
	}
	return s.cfg.Engine.Finish(ctx, run, &imp.Outcome.Outcome, staged.Batches(ctx))
}

// userDocument is the user as hooks are told of them; nil where there is none.
func userDocument(imp model.Import) ([]byte, error) {
	if !imp.HasUser {
		return nil, nil
	}
	document, err := json.Marshal(map[string]string{
		"id": imp.User.ID, "name": imp.User.Name, "email": imp.User.Email,
		"companyId": imp.User.CompanyID, "companyName": imp.User.CompanyName,
	})
	if err != nil {
		return nil, fmt.Errorf("tell a hook of the user: %w", err)
	}
	return document, nil
}

// MakeResult writes the result of an import from its staged rows and notes the file and
// the number of rows in imp. The transaction that saves imp must follow.
func (s *Service) MakeResult(ctx context.Context, imp *model.Import, schema *intray.Schema) error {
	key := imp.RunPrefix(imp.Run) + "/result.json"
	from, to := io.Pipe()
	defer func() { _ = from.Close() }() // the writer ends, whatever happens here
	go func() {
		to.CloseWithError(guarded(func() (err error) {
			imp.Outcome.OutputRows, err = s.writeRows(ctx, to, imp.Stage, output.JSON, schema)
			return err
		}))
	}()
	done, err := s.env.StoreFile(ctx, key, from, nil)
	if err != nil {
		return fmt.Errorf("write the result: %w", err)
	}
	imp.Result = model.File{Key: key, Size: done.Size, SHA256: fmt.Sprintf("%x", done.SHA256)}
	s.env.CrashPoint("run.result")
	return nil
}

// fillValues adds the texts of cells that came without to what was found.
func (s *Service) fillValues(ctx context.Context, o *model.Outcome, schema *intray.Schema, prefix string) error {
	if !o.LacksValues() {
		return nil
	}
	staged, err := staging.Open(ctx, s.env.Blobs, prefix)
	if err != nil {
		return fmt.Errorf("open the staged rows: %w", err)
	}
	defer func() { _ = staged.Close() }()
	return o.FillValues(ctx, schema.Fields, staged.Window)
}

// writeRows writes the finished rows of a stage in a format.
func (s *Service) writeRows(ctx context.Context, w io.Writer, prefix string, f output.Format, schema *intray.Schema) (int64, error) {
	staged, err := staging.Open(ctx, s.env.Blobs, prefix)
	if err != nil {
		return 0, fmt.Errorf("open the staged rows: %w", err)
	}
	defer func() { _ = staged.Close() }()
	return output.Write(ctx, w, f, schema, staged.Batches(ctx))
}

// finish commits the end of a run, if the import is still this run's, and with it
// what is to be remembered.
func (s *Service) finish(ctx context.Context, ran model.Import, next model.Status, learned *learnedMappings) error {
	return s.env.Store.Update(ctx, func(tx model.Tx) error {
		imp := ran
		if next == model.Failed {
			imp.Stage, imp.Result = "", model.File{}
		}
		imp.Node = ""
		if err := s.Transition(ctx, tx, &imp, next); err != nil {
			return err
		}
		if next == model.Failed {
			return s.discard(ctx, tx, imp)
		}
		return s.saveLearned(ctx, tx, imp, learned)
	})
}

// discard marks what a run stored as rubbish, due when even a run that does not
// yet know that it was lost has stopped.
func (s *Service) discard(ctx context.Context, tx model.Tx, imp model.Import) error {
	return tx.Trash.Schedule(ctx, model.Trash{Prefix: imp.RunPrefix(imp.Run), Due: s.env.Now().Add(model.StopGrace)})
}

// returnToQueue puts an import that this process cannot finish back in the queue, if
// it still is this run's. What the run stored is removed where it certainly does
// not count.
func (s *Service) returnToQueue(ctx context.Context, imp model.Import, back func(context.Context, model.Tx, model.Import) error) (ours bool, err error) {
	ctx, cancel := context.WithTimeout(ctx, handBackWithin)
	defer cancel()
	counts := true
	err = s.env.Store.Update(ctx, func(tx model.Tx) error {
		now, err := tx.Imports.Get(ctx, imp.Org, imp.ID)
		if err != nil && !model.IsKind(err, model.NotFound) {
			return err
		}
		ours = err == nil && now.Run == imp.Run
		counts = ours && now.Status != model.Running // the end was committed after all
		if counts || !ours {
			return nil
		}
		return back(ctx, tx, now)
	})
	if err == nil && !counts {
		s.env.DiscardBlobs(ctx, imp.RunPrefix(imp.Run))
	}
	return ours, err
}

// requeue queues an import again and leaves what its run stored to the trash:
// it is removed only if this transaction commits, so never where a commit that
// was thought lost has made it count.
func (s *Service) requeue(ctx context.Context, tx model.Tx, imp model.Import) error {
	if err := s.discard(ctx, tx, imp); err != nil {
		return err
	}
	if err := s.Transition(ctx, tx, &imp, model.Pending); err != nil {
		return err
	}
	return model.EnqueueRun(ctx, tx)
}

// requeueLost queues an import whose run was lost, not before the time given,
// or gives it up when that happened too often.
func (s *Service) requeueLost(ctx context.Context, tx model.Tx, imp model.Import, notBefore time.Time) error {
	if err := s.discard(ctx, tx, imp); err != nil {
		return err
	}
	imp.Lost++
	imp.Queued = notBefore
	if err := s.Transition(ctx, tx, &imp, model.Pending); err != nil {
		return err
	}
	if imp.Lost < maxLost {
		return model.EnqueueRun(ctx, tx)
	}
	imp.Outcome = &model.Outcome{Finished: s.env.Now(), Outcome: engine.Outcome{
		Verdict: engine.Broken,
		Notices: []intray.Notice{{
			Type: intray.UnreadableFile, Level: intray.LevelError,
			Text: intray.NewMessage("import.given_up", intray.Params{"n": imp.Lost}),
		}},
	}}
	return s.Transition(ctx, tx, &imp, model.Failed)
}

// RunAgain queues an import anew. What its last run staged goes.
func (s *Service) RunAgain(ctx context.Context, tx model.Tx, imp *model.Import) error {
	if err := s.discard(ctx, tx, *imp); err != nil {
		return fmt.Errorf("discard the last run: %w", err)
	}
	imp.Outcome, imp.Stage, imp.Lost = nil, "", 0
	if err := s.Transition(ctx, tx, imp, model.Pending); err != nil {
		return err
	}
	return model.EnqueueRun(ctx, tx)
}
