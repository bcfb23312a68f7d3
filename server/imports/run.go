package imports

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"path"
	"runtime/debug"
	"time"

	"github.com/intraydata/intray"
	"github.com/intraydata/intray/engine"
	"github.com/intraydata/intray/output"
	"github.com/intraydata/intray/server/blob"
	"github.com/intraydata/intray/server/model"
	"github.com/intraydata/intray/server/schemas"
	"github.com/intraydata/intray/server/staging"
	"github.com/intraydata/intray/source"
)

const (
	// maxLost is the maximum number of runs that crash or fail for reasons other than the file.
	maxLost = 10
	// storageRetryDelay is the delay before a run is repeated after the storage was full or unavailable.
	storageRetryDelay = 15 * time.Second
	// requeueTimeout is the maximum time for returning an import to the queue.
	requeueTimeout = 3 * time.Second
)

// RunNext claims and runs the next import. It reports whether there was one. While the disk is
// full, there is none. If ctx is canceled, RunNext returns the import to the queue.
func (s *Service) RunNext(ctx context.Context) (bool, error) {
	if s.env.CheckRoom() != nil {
		return false, nil // RecoverRuns enqueues the next job
	}
	// Claiming takes a global lock, so check first.
	if due, err := model.Get(ctx, s.env.Store, func(tx model.Tx) (bool, error) { return tx.Imports.IsDue(ctx, s.env.Now()) }); err != nil || !due {
		return false, err
	}
	var imp model.Import
	claimed := false
	limits := model.RunLimits{PerOrg: s.cfg.RunsPerOrg, PerOrgAndNode: max(1, s.cfg.Runs-1)}
	err := s.env.Store.Update(ctx, func(tx model.Tx) (err error) {
		imp, err = tx.Imports.Claim(ctx, s.env.Node, limits, s.env.Now())
		if claimed = !model.IsKind(err, model.NotFound); !claimed {
			return nil
		}
		if err != nil {
			return err
		}
		if imp.Outcome == nil { // then a running import has the same upload as a waiting one
			return nil
		}
		_, err = s.syncUpload(ctx, tx, imp, nil)
		return err
	})
	if err != nil {
		return false, fmt.Errorf("claim an import: %w", err)
	}
	if !claimed {
		return false, nil
	}
	s.activeRuns.TryAdd(imp.RunPrefix(imp.Run))
	defer s.activeRuns.Remove(imp.RunPrefix(imp.Run))
	s.env.CrashPoint("run.claimed")
	return true, s.runClaimed(ctx, imp)
}

// runClaimed runs a claimed import until it has ended or has been returned to the queue.
func (s *Service) runClaimed(ctx context.Context, imp model.Import) error {
	ctx = model.InOrg(ctx, imp.Org)
	watched, stop := s.watchRun(ctx, imp)
	defer stop()
	ended := endedRun{began: s.env.Now()}
	defer func() { s.observe(ended) }()
	var next model.Status
	var learned *learnedMappings
	err := recovered(func() (err error) {
		if err = s.loadMemory(watched, &imp); err != nil {
			return err
		}
		if next, err = s.process(watched, &imp, &ended); err != nil {
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
		ended.finish(imp, next)
		s.env.CrashPoint("run.finished")
	case errors.Is(context.Cause(watched), errEnded):
		ended.Outcome = model.RunSuperseded
		err = nil // only the response to the commit was lost, or the import is in the queue again
	case errors.Is(context.Cause(watched), errSuperseded):
		ended.Outcome = model.RunSuperseded
		s.env.DiscardBlobs(after, imp.RunPrefix(imp.Run))
		err = nil // a newer run continues, or no run is needed
	case errors.Is(context.Cause(watched), errStalled):
		ended.Outcome = model.RunStalled
		s.env.DiscardBlobs(after, imp.RunPrefix(imp.Run))
		err = nil // the import has failed
	case ctx.Err() != nil:
		ended.Outcome = model.RunInterrupted
		_, err = s.returnToQueue(after, imp, s.requeue)
	default:
		current, failure := s.returnToQueue(after, imp, s.requeueFailed(err))
		ended.Outcome = model.RunError
		if !current && failure == nil {
			ended.Outcome = model.RunSuperseded
			return nil // the run failed because its import was deleted, was canceled or has a newer run
		}
		err = &runError{imp.ID, imp.Org, imp.Run, errors.Join(err, failure)}
	}
	return err
}

// requeueFailed returns a function that queues an import after a failed run. Each
// failed run counts as lost and doubles the delay, unless the storage was full or unavailable.
func (s *Service) requeueFailed(err error) requeue {
	return func(ctx context.Context, tx model.Tx, imp model.Import, counts *requeued) error {
		if model.IsKind(model.WrapStorageFull(err), model.Unavailable) || model.IsBlobStoreUnavailable(err) {
			imp.Queued = s.env.Now().Add(storageRetryDelay)
			return s.requeue(ctx, tx, imp, counts)
		}
		return s.requeueLost(ctx, tx, imp, s.env.Now().Add(time.Second<<imp.Lost), counts)
	}
}

// recovered calls the function work and returns a panic as an error, so that a panic ends only
// one run and not the process.
func recovered(work func() error) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("panic: %v\n%s", p, debug.Stack())
		}
	}()
	return work()
}

// process runs the import and returns its next status. If it returns an error, the
// run must be repeated. It adds what is known about the run to ended.
func (s *Service) process(ctx context.Context, imp *model.Import, ended *endedRun) (model.Status, error) {
	schema, err := schemas.Frozen(*imp)
	if err != nil {
		return "", err
	}
	raw, err := s.openOriginal(ctx, *imp)
	if model.IsKind(err, model.Damaged) {
		ended.damaged = true
		return s.failLostOriginal(ctx, imp, err)
	}
	if err != nil {
		return "", err
	}
	defer raw.Close()
	prefix := imp.RunPrefix(imp.Run) + "/stage"
	run := engineRun(ctx, *imp, raw, schema)
	blobs, flush := blob.Batch(s.env.Blobs)
	out, writer, err := s.stageRows(ctx, blobs, run, prefix, staging.Config{SingleFile: smallStage, Compressor: s.compressor})
	if writer != nil {
		defer writer.Abort()
	}
	if err != nil {
		return "", err
	}
	imp.Outcome = &model.Outcome{Outcome: *out, Finished: s.env.Now()}
	if err := setUser(imp, out.User); err != nil {
		imp.Outcome.Verdict, writer = engine.Broken, nil
		imp.Outcome.Notices = append(imp.Outcome.Notices, intray.Notice{Type: intray.HookFailed, Level: intray.LevelError, Text: intray.NewMessage("hook.invalid_user", intray.Params{"properties": userProperties})})
	}
	next, err := s.finishStage(ctx, imp, run, writer, blobs)
	if err == nil {
		err = flush()
	}
	if imp.Stage != "" {
		ended.Rows, ended.Problems = out.DataRows, writer.CountByCode()
	}
	return next, err
}

// openOriginal opens the received file of an import and verifies it as a whole, whatever its size.
func (s *Service) openOriginal(ctx context.Context, imp model.Import) (*model.FileReader, error) {
	raw, err := s.env.OpenFile(ctx, imp.Raw)
	if err != nil {
		return nil, err
	}
	raw.Reader = trackedReader{raw.Reader, progressOf(ctx)}
	if imp.Raw.Size <= model.VerifyFirst { // OpenFile has verified a small file
		return raw, nil
	}
	if err := raw.Verify(ctx); err != nil {
		return nil, errors.Join(err, raw.Close())
	}
	return raw, nil
}

// failLostOriginal makes an import fail because its received file was lost or has changed. If
// the whole file storage seems to be out of reach, it returns an error instead.
func (s *Service) failLostOriginal(ctx context.Context, imp *model.Import, lost error) (model.Status, error) {
	text := intray.NewMessage("import.original_damaged", nil)
	if errors.Is(lost, blob.ErrNotFound) {
		text = intray.NewMessage("import.original_missing", nil)
		if err := s.env.CheckBlobsPresent(ctx); err != nil {
			return "", errors.Join(lost, err)
		}
	}
	s.env.Log.ErrorContext(ctx, "received file lost", "import", imp.ID, "error", lost)
	imp.Outcome = s.env.FailedOutcome(text)
	return model.Failed, nil
}

// failRun makes a running import fail for a reason other than its content.
func (s *Service) failRun(ctx context.Context, tx model.Tx, imp model.Import, text intray.Message) error {
	if err := s.discardRun(ctx, tx, imp); err != nil {
		return err
	}
	imp.Outcome, imp.Node = s.env.FailedOutcome(text), ""
	return s.Transition(ctx, tx, &imp, model.Failed)
}

// engineRun returns the input of the engine for a run of an import.
func engineRun(ctx context.Context, imp model.Import, raw blob.Reader, schema *intray.Schema) engine.Import {
	return engine.Import{
		Input:  source.Input{Name: imp.SourceName(), ReaderAt: raw, Size: raw.Size()},
		Schema: schema, Answers: imp.Answers, Memory: imp.RecalledMemory(), HookEnv: imp.HookPins(),
		Progress: progressOf(ctx),
	}
}

// smallStage is the maximum size, in bytes, of staged rows that are stored as a single file, which
// saves two flushes and, in S3, two requests.
const smallStage = 256 << 10

// stageRows reads and validates the rows of a file, and writes them to an unfinished stage. The
// writer is nil if there are no rows. The caller must close or abort it, even after an error.
func (s *Service) stageRows(ctx context.Context, blobs blob.Store, run engine.Import, prefix string, cfg staging.Config) (*engine.Outcome, *staging.Writer, error) {
	var writer *staging.Writer
	out, err := s.cfg.Engine.Run(ctx, run, func(fields []string, unmapped []int) (engine.Sink, error) {
		writer = staging.NewWriter(ctx, blobs, prefix, staging.Layout{Fields: fields, Unmapped: unmapped}, cfg)
		return writer, nil
	})
	return out, writer, err
}

// userProperties are the properties of the user that a step hook may set.
var userProperties = []string{"id", "name", "email", "companyId", "companyName"}

// setUser sets the user to the one that a step hook returned. If document is nil,
// the user does not change.
func setUser(imp *model.Import, document []byte) error {
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

// finishStage seals the staged rows. If no question is open and nobody must confirm the rows, it
// also writes the result to blobs.
func (s *Service) finishStage(ctx context.Context, imp *model.Import, run engine.Import, writer *staging.Writer, blobs blob.Store) (model.Status, error) {
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
	imp.Stage = writer.Location()
	if err := s.fillValues(ctx, imp.Outcome, schema, imp.Stage); err != nil {
		return "", err
	}
	s.env.CrashPoint("run.staged")
	if imp.Confirm && imp.Outcome.Verdict == engine.Done {
		return model.NeedsReview, nil // the last hook is called when the person submits the rows
	}
	if err := s.BeforeFinish(ctx, imp, run, imp.Stage); err != nil {
		return "", err
	}
	switch imp.Outcome.Verdict {
	case engine.Open:
		return model.NeedsReview, nil
	case engine.Broken:
		return model.Failed, nil
	}
	return model.Successful, s.WriteResult(ctx, imp, schema, blobs)
}

// BeforeFinish calls the last hook of the schema, if there is one.
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
	return s.cfg.Engine.Finish(ctx, run, &imp.Outcome.Outcome, trackBatches(ctx, staged.Batches(ctx)))
}

// userDocument returns the user as JSON for hooks, or nil if the import has no user.
func userDocument(imp model.Import) ([]byte, error) {
	if !imp.HasUser {
		return nil, nil
	}
	document, err := json.Marshal(map[string]string{
		"id": imp.User.ID, "name": imp.User.Name, "email": imp.User.Email,
		"companyId": imp.User.CompanyID, "companyName": imp.User.CompanyName,
	})
	if err != nil {
		return nil, fmt.Errorf("encode the user for a hook: %w", err)
	}
	return document, nil
}

// WriteResult writes the result of an import to blobs, next to the staged rows from which it is
// made. It sets the result file and the number of result rows in imp. The caller must save imp.
func (s *Service) WriteResult(ctx context.Context, imp *model.Import, schema *intray.Schema, blobs blob.Store) error {
	key := path.Dir(imp.Stage) + "/result.json"
	from, to := io.Pipe()
	written := make(chan struct{})
	defer func() {
		_ = from.Close() // stops the writing goroutine
		<-written
	}()
	go func() {
		defer close(written)
		to.CloseWithError(recovered(func() (err error) {
			staged, err := staging.Open(ctx, s.env.Blobs, imp.Stage)
			if err != nil {
				return fmt.Errorf("open the staged rows: %w", err)
			}
			defer func() { _ = staged.Close() }()
			imp.Outcome.OutputRows, err = output.Write(ctx, to, output.JSON, schema, trackBatches(ctx, staged.Batches(ctx)))
			return err
		}))
	}()
	done, err := s.env.StoreFileIn(ctx, blobs, key, from, nil)
	if err != nil {
		return fmt.Errorf("write the result: %w", err)
	}
	imp.Result = model.File{Key: key, Size: done.Size, SHA256: fmt.Sprintf("%x", done.SHA256)}
	s.env.CrashPoint("run.result")
	return nil
}

// fillValues reads from the stage the values of the cells that notices and questions mention.
func (s *Service) fillValues(ctx context.Context, o *model.Outcome, schema *intray.Schema, prefix string) error {
	if !o.LacksValues() {
		return nil
	}
	staged, err := staging.Open(ctx, s.env.Blobs, prefix)
	if err != nil {
		return fmt.Errorf("open the staged rows: %w", err)
	}
	defer func() { _ = staged.Close() }()
	record := progressOf(ctx)
	return o.FillValues(ctx, schema.Fields, func(ctx context.Context, first int64, n int) (*intray.Batch, error) {
		defer record()
		return staged.Window(ctx, first, n)
	})
}

// finish commits the end of a run and the learned mappings, unless the run was superseded.
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
			return s.discardRun(ctx, tx, imp)
		}
		return s.saveLearned(ctx, tx, imp, learned)
	})
}

// discardRun schedules the blobs of a run for deletion after StopGrace. By then, the run has
// stopped, even if it was slow to detect that it was lost.
func (s *Service) discardRun(ctx context.Context, tx model.Tx, imp model.Import) error {
	return tx.Trash.Schedule(ctx, model.Trash{Prefix: imp.RunPrefix(imp.Run), Due: s.env.Now().Add(model.StopGrace)})
}

// requeue queues an import again.
type requeue func(ctx context.Context, tx model.Tx, imp model.Import, counts *requeued) error

// returnToQueue calls again to queue an import that this process cannot finish. It reports
// whether the run is still current and has not ended. It deletes the blobs of the run if it is certain that they
// are not needed.
func (s *Service) returnToQueue(ctx context.Context, imp model.Import, again requeue) (current bool, err error) {
	ctx, cancel := context.WithTimeout(ctx, requeueTimeout)
	defer cancel()
	needed := true
	err = s.updateRuns(ctx, func(tx model.Tx, counts *requeued) error {
		now, err := tx.Imports.Get(ctx, imp.Org, imp.ID)
		if err != nil && !model.IsKind(err, model.NotFound) {
			return err
		}
		current = err == nil && now.Run == imp.Run
		needed = current && now.Status != model.Running // the end of the run was committed
		if needed || !current {
			return nil
		}
		return again(ctx, tx, now, counts)
	})
	if err == nil && !needed {
		s.env.DiscardBlobs(ctx, imp.RunPrefix(imp.Run))
	}
	return current && !needed, err
}

// requeue queues an import again and schedules the deletion of the blobs of its run.
// Because both happen in one transaction, the blobs remain if an earlier commit that
// refers to them succeeded although its response was lost.
func (s *Service) requeue(ctx context.Context, tx model.Tx, imp model.Import, counts *requeued) error {
	counts.repeated++
	if err := s.discardRun(ctx, tx, imp); err != nil {
		return err
	}
	if err := s.Transition(ctx, tx, &imp, model.Pending); err != nil {
		return err
	}
	return model.EnqueueRun(ctx, tx)
}

// requeueLost queues an import whose run was lost. The next run starts at notBefore
// or later. After maxLost lost runs, the import fails.
func (s *Service) requeueLost(ctx context.Context, tx model.Tx, imp model.Import, notBefore time.Time, counts *requeued) error {
	if err := s.discardRun(ctx, tx, imp); err != nil {
		return err
	}
	imp.Lost++
	counts.lost++
	imp.Queued = notBefore
	if err := s.Transition(ctx, tx, &imp, model.Pending); err != nil {
		return err
	}
	if imp.Lost < maxLost {
		counts.repeated++
		return model.EnqueueRun(ctx, tx)
	}
	counts.failed = append(counts.failed, model.FailedByLostRuns)
	imp.Outcome = s.env.FailedOutcome(intray.NewMessage("import.given_up", intray.Params{"n": imp.Lost}))
	return s.Transition(ctx, tx, &imp, model.Failed)
}

// RunAgain queues an import for another run and discards the stage of its last run.
func (s *Service) RunAgain(ctx context.Context, tx model.Tx, imp *model.Import) error {
	if err := s.discardRun(ctx, tx, *imp); err != nil {
		return fmt.Errorf("discard the last run: %w", err)
	}
	imp.Outcome, imp.Stage, imp.Lost, imp.Alone = nil, "", 0, false
	if err := s.Transition(ctx, tx, imp, model.Pending); err != nil {
		return err
	}
	return model.EnqueueRun(ctx, tx)
}
