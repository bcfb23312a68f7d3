package imports

import (
	"context"
	"errors"
	"iter"
	"math"
	"slices"
	"sync/atomic"
	"time"

	"github.com/intraydata/intray"
	"github.com/intraydata/intray/server/blob"
	"github.com/intraydata/intray/server/model"
)

const (
	// watchInterval is the interval at which a run checks whether it is still current.
	watchInterval = 500 * time.Millisecond
	// stopPatience is the time after which a canceled run that has not ended is reported.
	stopPatience = 10 * time.Second
)

// The reasons for canceling a run. A run is superseded if its import was deleted or has a newer
// run. It has ended if its end was committed, or if it was considered lost and queued again. It
// has stalled if its import failed because the run made no progress.
var (
	errSuperseded = errors.New("the run was superseded")
	errEnded      = errors.New("the run has ended")
	errStalled    = errors.New("the run has stalled")
)

// Counts are numbers of events in this process.
type Counts struct {
	// Stalled is the number of runs that made no progress and were canceled.
	Stalled int64
	// Stuck is the number of runs that were canceled but have not ended. They occupy workers.
	Stuck int64
	// Repeated is the number of runs, of this process or of processes that have ended, after
	// which this process queued the import again. Lost is the number of those that crashed or
	// failed, and therefore count toward the maximum of an import.
	Repeated, Lost int64
	// FailedHeartbeats is the number of heartbeats that were not recorded.
	FailedHeartbeats int64
	// DamageFound is the number of times that a stored file was found missing or changed.
	DamageFound int64
}

// Counts returns the current counts.
func (s *Service) Counts() Counts {
	return Counts{
		Stalled: s.stalledRuns.Load(), Stuck: s.stuckRuns.Load(), Repeated: s.repeatedRuns.Load(), Lost: s.lostRuns.Load(),
		FailedHeartbeats: s.failedHeartbeats.Load(), DamageFound: s.env.DamageFound(),
	}
}

// requeued counts the runs that a transaction repeats, and lists why imports fail that it does not
// run again. The transaction may be repeated itself.
type requeued struct {
	repeated, lost int64
	failed         []model.FailureReason
}

// updateRuns runs a transaction that may queue imports again, and counts their runs after it has
// been committed.
func (s *Service) updateRuns(ctx context.Context, work func(tx model.Tx, counts *requeued) error) error {
	var counts requeued
	err := s.env.Store.Update(ctx, func(tx model.Tx) error {
		counts = requeued{}
		return work(tx, &counts)
	})
	if err == nil {
		s.repeatedRuns.Add(counts.repeated)
		s.lostRuns.Add(counts.lost)
		for _, reason := range counts.failed {
			s.env.Observer.ImportFailed(reason)
		}
	}
	return err
}

// progressKey is the key of the progress counter of a run in its context.
type progressKey struct{}

// progressOf returns a function that records progress of the run with the given context. Call it
// for each read, batch or response of a hook, but not for each cell.
func progressOf(ctx context.Context) func() {
	counter, isRun := ctx.Value(progressKey{}).(*atomic.Uint64)
	if !isRun {
		return func() {}
	}
	return func() { counter.Add(1) }
}

// trackedReader records the progress of a run with each read.
type trackedReader struct {
	blob.Reader
	record func()
}

func (r trackedReader) ReadAt(b []byte, offset int64) (int, error) {
	defer r.record()
	return r.Reader.ReadAt(b, offset)
}

// trackBatches yields the batches and records the progress of the run with each one.
func trackBatches(ctx context.Context, batches iter.Seq2[*intray.Batch, error]) iter.Seq2[*intray.Batch, error] {
	record := progressOf(ctx)
	return func(yield func(*intray.Batch, error) bool) {
		for b, err := range batches {
			if record(); !yield(b, err) {
				return
			}
		}
	}
}

// watchRun returns a context that is canceled when the run is superseded, has ended or has
// stalled. It also returns a function that must be called when the run has stopped.
func (s *Service) watchRun(ctx context.Context, imp model.Import) (context.Context, func()) {
	progress, stopped := &atomic.Uint64{}, make(chan struct{})
	ctx, cancel := context.WithCancelCause(context.WithValue(ctx, progressKey{}, progress))
	go func() {
		s.cancelWhenDue(ctx, imp, progress, cancel)
		s.reportStuck(imp, stopped)
	}()
	return ctx, func() {
		cancel(nil)
		close(stopped)
	}
}

// cancelWhenDue cancels a run when there is a reason to. It returns when the context of the run
// is canceled.
func (s *Service) cancelWhenDue(ctx context.Context, imp model.Import, progress *atomic.Uint64, cancel context.CancelCauseFunc) {
	ticker := time.NewTicker(watchInterval)
	defer ticker.Stop()
	seen, since := progress.Load(), time.Now()
	for ctx.Err() == nil { // a select would choose at random if the ticker was ready, too
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
		}
		cause := s.stopReason(ctx, imp)
		if now := progress.Load(); now != seen {
			seen, since = now, time.Now()
		}
		if cause == nil && s.cfg.StallTimeout > 0 && time.Since(since) >= s.cfg.StallTimeout {
			cause = s.failStalled(ctx, imp)
		}
		if cause != nil {
			cancel(cause)
		}
	}
}

// failStalled makes the import of a stalled run fail and returns errStalled. It does not depend
// on the run, which may ignore that it is canceled. If the store fails or the run has ended, it
// returns nil.
func (s *Service) failStalled(ctx context.Context, run model.Import) error {
	failed := false
	err := s.env.Store.Update(ctx, func(tx model.Tx) error {
		failed = false
		imp, err := tx.Imports.Get(ctx, run.Org, run.ID)
		if err != nil || imp.Run != run.Run || imp.Status != model.Running {
			return err // stopReason returns the reason
		}
		failed = true
		minutes := int64(math.Ceil(s.cfg.StallTimeout.Minutes()))
		return s.failRun(ctx, tx, imp, intray.NewMessage("import.stalled", intray.Params{"n": minutes}))
	})
	if err != nil {
		if !model.IsKind(err, model.NotFound) {
			s.env.Log.Error("stalled run not canceled", "import", run.ID, "run", run.Run, "error", err)
		}
		return nil
	}
	if !failed {
		return nil
	}
	s.stalledRuns.Add(1)
	s.env.Observer.ImportFailed(model.FailedByStall)
	s.env.Log.Error("run canceled because it made no progress", "import", run.ID, "org", run.Org, "run", run.Run, "stall_timeout", s.cfg.StallTimeout)
	return errStalled
}

// reportStuck waits until a canceled run has stopped. It reports a run that does not stop soon.
func (s *Service) reportStuck(imp model.Import, stopped <-chan struct{}) {
	timer := time.NewTimer(stopPatience)
	defer timer.Stop()
	select {
	case <-stopped:
		return
	case <-timer.C:
	}
	s.env.Log.Error("a canceled run does not stop, and occupies a worker until it does", "import", imp.ID, "org", imp.Org, "run", imp.Run)
	s.stuckRuns.Add(1)
	<-stopped
	s.stuckRuns.Add(-1)
	s.env.Log.Info("the canceled run has stopped", "import", imp.ID, "run", imp.Run)
}

// stopReason returns the reason why a run must stop. It returns nil if the run may
// continue or if the store fails. It reads the import, which may be large, only if
// the import is no longer running on this node.
func (s *Service) stopReason(ctx context.Context, run model.Import) (reason error) {
	err := s.env.Store.View(ctx, func(tx model.Tx) error {
		reason = nil
		here, err := tx.Imports.InStatus(ctx, model.Running, s.env.Node, model.MaintenanceBatch)
		if err != nil || slices.Contains(here, model.ImportRef{Org: run.Org, ID: run.ID, Run: run.Run}) {
			return err
		}
		now, err := tx.Imports.Get(ctx, run.Org, run.ID)
		switch {
		case model.IsKind(err, model.NotFound), err == nil && now.Run != run.Run:
			reason = errSuperseded
			return nil
		case err == nil && now.Status != model.Running:
			reason = errEnded
		}
		return err
	})
	if err != nil {
		return nil
	}
	return reason
}
