package service_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"runtime"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/intraydata/intray"
	"github.com/intraydata/intray/engine"
	"github.com/intraydata/intray/server/blob"
	"github.com/intraydata/intray/server/imports"
	"github.com/intraydata/intray/server/model"
	"github.com/intraydata/intray/server/servertest"
	"github.com/intraydata/intray/server/service"
)

const goodResult = `[{"email":"ada@example.org","name":"Ada"},{"email":"bob@example.org","name":"Bob"}]`

// withoutSpace removes white space from a result.
func withoutSpace(text string) string {
	return strings.NewReplacer("\n", "", " ", "").Replace(text)
}

func (f *fixture) wantResult(imp model.Import, want string) {
	f.Helper()
	imp = f.wantStatus(imp, model.Successful)
	if diff := cmp.Diff(want, withoutSpace(f.result(imp))); diff != "" {
		f.Errorf("the result (-want +got):\n%s", diff)
	}
}

func TestRunEnds(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	const oneRow = `[{"email":"ada@example.org","name":"Ada"}]`
	for _, c := range []struct {
		name, file, settings string
		status               model.Status
		result               string
		rows, errors, output int64
	}{
		{"a clean file", goodFile, "", model.Successful, goodResult, 2, 0, 2},
		{"a bad row", badFile, "", model.Successful, oneRow, 2, 1, 1},
		{"a bad row that blocks", badFile, `{"invalidDataBehavior":"BLOCK_SUBMIT"}`, model.NeedsReview, "", 2, 1, 0},
		{"no row", "E-Mail,Name\n", "", model.NeedsReview, "", 0, 0, 0},
		{"no column", "A,B\n1,2\n", "", model.NeedsReview, "", 0, 0, 0},
		{"no file", "", "", model.Failed, "", 0, 0, 0},
		{"a broken file", "[{\"E-Mail\":\"ada@example.org\"},", "", model.Failed, "", 0, 0, 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			imp := f.finishedImport(c.file, c.settings)
			if imp.Status != c.status || imp.Outcome == nil {
				t.Fatalf("the import is %s with outcome %+v, want %s", imp.Status, imp.Outcome, c.status)
			}
			if c.result != "" {
				f.wantResult(imp, c.result)
			}
			if o := imp.Outcome; o.DataRows != c.rows || o.ErrorRows != c.errors || o.OutputRows != c.output || !o.Finished.Equal(servertest.Started.Truncate(time.Microsecond)) {
				t.Errorf("outcome %+v, want %d rows, %d with an error, %d in the result", o, c.rows, c.errors, c.output)
			}
			u, err := f.Upload(f.ctx, f.org, imp.UploadID)
			must(t, err)
			if u.Status != imp.Status.UploadStatus() || u.TotalRows != c.rows || int64(len(u.Problems.InvalidRows)) != c.errors || u.Result != imp.Result {
				t.Errorf("the upload does not match the import: %+v", u)
			}
			if c.status == model.Failed {
				f.wantNoBlobsOfRun(imp, 1)
				f.Clock.Advance(-30 * time.Second)
			}
		})
	}
}

// If the process crashes at any crash point of a run, a new process with the same data folder
// repeats the run.
func TestCrashedRun(t *testing.T) {
	t.Parallel()
	for _, point := range []string{"run.claimed", "run.staged", "run.result"} {
		t.Run(point, func(t *testing.T) {
			t.Parallel()
			f := newFixture(t, crashAt(point))
			imp := f.pendingImport(goodFile, "")
			f.expectCrash(func() { _, _ = f.RunNext(f.ctx) })
			f.wantStatus(imp, model.Running)
			f.Service = f.newNode("folder/two")
			must(t, f.Join(f.ctx))
			if imp := f.wantStatus(imp, model.Pending); imp.Lost != 1 || imp.Node != "" {
				t.Errorf("lost %d times, node %q; want once and none", imp.Lost, imp.Node)
			}
			f.wantCounts(imports.Counts{Repeated: 1, Lost: 1})
			if n := f.waitingJobs(); n == 0 {
				t.Error("no job waits for the import")
			}
			f.runAll()
			f.wantResult(imp, goodResult)
			f.wantNoBlobsOfRun(imp, 1)
			f.wantResult(imp, goodResult)
		})
	}
}

func (f *fixture) wantCounts(want imports.Counts) {
	f.Helper()
	if diff := cmp.Diff(want, f.Counts()); diff != "" {
		f.Errorf("counts (-want +got):\n%s", diff)
	}
}

func (f *fixture) waitingJobs() (n int) {
	f.Helper()
	must(f.T, f.Store.View(f.ctx, func(tx model.Tx) (err error) {
		n, err = tx.Jobs.Waiting(f.ctx, model.RunJob)
		return err
	}))
	return n
}

func TestCrashAfterTheEnd(t *testing.T) {
	t.Parallel()
	f := newFixture(t, crashAt("run.finished"))
	imp := f.pendingImport(goodFile, "")
	f.expectCrash(func() { _, _ = f.RunNext(f.ctx) })
	f.Service = f.newNode("folder/two")
	must(t, f.Join(f.ctx))
	f.wantResult(imp, goodResult)
}

// silentNodesStore is a store that lists the given nodes as silent.
type silentNodesStore struct {
	model.Store
	silent []string
}

func (d silentNodesStore) ViewOne(ctx context.Context, work func(model.Tx) error) error {
	return d.Store.ViewOne(ctx, func(tx model.Tx) error {
		tx.Nodes = silentNodeRows{tx.Nodes, d.silent}
		return work(tx)
	})
}

type silentNodeRows struct {
	model.NodeRows
	silent []string
}

func (d silentNodeRows) Silent(context.Context, time.Duration) ([]string, error) {
	return d.silent, nil
}

func TestSilentNodesExpire(t *testing.T) {
	t.Parallel()
	f := newFixture(t, crashAt("run.claimed"))
	imp := f.pendingImport(goodFile, "")
	f.expectCrash(func() { _, _ = f.RunNext(f.ctx) })
	var log servertest.Log
	other := f.newNode("elsewhere/one", func(f *fixture, cfg *service.Config) {
		cfg.Store = silentNodesStore{f.Store, []string{"folder/one", "elsewhere/one"}}
		cfg.Log = slog.New(slog.NewTextHandler(&log, nil))
	})
	must(t, other.Join(f.ctx))
	f.wantStatus(imp, model.Running)
	must(t, other.RecoverRuns(f.ctx))
	f.wantStatus(imp, model.Pending)
	if want := `"process counts as dead; its imports run again" node=folder/one imports=1`; !strings.Contains(log.String(), want) {
		t.Errorf("the log does not contain %s:\n%s", want, log.String())
	}
	must(t, f.Store.View(f.ctx, func(tx model.Tx) error {
		all, err := tx.Nodes.List(f.ctx)
		if diff := cmp.Diff([]string{"elsewhere/one"}, all); diff != "" {
			t.Errorf("the remaining nodes (-want +got):\n%s", diff)
		}
		return err
	}))
}

// TestCopiedFolder checks that a process does not reclaim the imports of a live process whose data
// folder has the same name, and that the log reports the copy.
func TestCopiedFolder(t *testing.T) {
	t.Parallel()
	f := newFixture(t, crashAt("run.claimed"))
	must(t, f.Join(f.ctx))
	imp := f.pendingImport(goodFile, "")
	f.expectCrash(func() { _, _ = f.RunNext(f.ctx) })
	f.wantStatus(imp, model.Running)
	var log servertest.Log
	other := f.newNode("folder/two", func(_ *fixture, cfg *service.Config) {
		cfg.HasEnded = func(node string) bool { return node == "folder/zero" }
		cfg.Log = slog.New(slog.NewTextHandler(&log, nil))
	})
	must(t, other.Join(f.ctx))
	for range 4 {
		f.Clock.Advance(2 * time.Second)
		must(t, f.RecordHeartbeat(f.ctx))
		must(t, other.RecordHeartbeat(f.ctx))
		must(t, other.RecoverRuns(f.ctx))
	}
	f.wantStatus(imp, model.Running)
	if n := strings.Count(log.String(), "another process uses the same folder.id"); n != 1 {
		t.Errorf("the copy was reported %d times:\n%s", n, log.String())
	}
	// A process that knows that the other one has ended does not wait until it is silent.
	next := f.newNode("folder/three", func(_ *fixture, cfg *service.Config) {
		cfg.HasEnded = func(node string) bool { return node == "folder/one" }
	})
	must(t, next.Join(f.ctx))
	f.wantStatus(imp, model.Pending)
}

// A claim that was committed after its node was removed must not remain forever.
func TestClaimOfARemovedNode(t *testing.T) {
	t.Parallel()
	f := newFixture(t, crashAt("run.claimed"))
	imp := f.pendingImport(goodFile, "")
	f.expectCrash(func() { _, _ = f.RunNext(f.ctx) })
	must(t, f.Store.Update(f.ctx, func(tx model.Tx) error { return tx.Nodes.Remove(f.ctx, "folder/one") }))
	f.Service = f.newNode("elsewhere/one")
	must(t, f.Join(f.ctx))
	f.wantStatus(imp, model.Running)
	must(t, f.RecoverRuns(f.ctx))
	f.wantStatus(imp, model.Pending)
	f.runAll()
	f.wantResult(imp, goodResult)
}

func TestTenLostRuns(t *testing.T) {
	t.Parallel()
	f := newFixture(t, crashAt("run.staged"))
	imp := f.pendingImport(goodFile, "")
	for range 10 {
		f.wantStatus(imp, model.Pending)
		f.expectCrash(func() { _, _ = f.RunNext(f.ctx) })
		must(t, f.Leave(f.ctx))
	}
	imp = f.wantStatus(imp, model.Failed)
	want := []intray.Notice{{
		Type: intray.UnreadableFile, Level: intray.LevelError,
		Text: intray.NewMessage("import.given_up", intray.Params{"n": 10}),
	}}
	if diff := cmp.Diff(want, imp.Outcome.AllNotices()); diff != "" || imp.Outcome.Verdict != engine.Broken {
		t.Errorf("verdict %d, notices (-want +got):\n%s", imp.Outcome.Verdict, diff)
	}
	f.wantCounts(imports.Counts{Repeated: 9, Lost: 10})
	for run := range 10 {
		f.wantNoBlobsOfRun(imp, run+1)
	}
	if ran, err := f.RunNext(f.ctx); ran || err != nil {
		t.Errorf("the import ran again: %v, error %v", ran, err)
	}
}

// After each failed run, the wait before the next one doubles.
func TestFailingRunWaits(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	imp := f.pendingImport(goodFile, "")
	fault := errors.New("the disk is gone")
	f.Blobs.OnUse(func(_ context.Context, use, _ string) error {
		if use == "create" {
			return fault
		}
		return nil
	})
	for lost := 1; lost <= 3; lost++ {
		if ran, err := f.RunNext(f.ctx); !ran || !errors.Is(err, fault) {
			t.Fatalf("attempt %d: ran %v, error %v; want the fault", lost, ran, err)
		}
		if imp := f.wantStatus(imp, model.Pending); imp.Lost != lost {
			t.Errorf("attempt %d: lost %d times", lost, imp.Lost)
		}
		f.wantCounts(imports.Counts{Repeated: int64(lost), Lost: int64(lost)})
		wait := time.Second << (lost - 1)
		f.Clock.Advance(wait - time.Microsecond)
		if ran, err := f.RunNext(f.ctx); ran || err != nil {
			t.Errorf("attempt %d began before %v had passed, error %v", lost+1, wait, err)
		}
		f.Clock.Advance(time.Microsecond)
	}
	f.Blobs.OnUse(nil)
	f.runAll()
	f.wantResult(imp, goodResult)
}

// If the process is stopped at any crash point of a run, the import returns to the queue, and
// the run does not count as lost.
func TestStoppedRun(t *testing.T) {
	t.Parallel()
	for _, point := range []string{"run.claimed", "run.staged", "run.result"} {
		t.Run(point, func(t *testing.T) {
			t.Parallel()
			var stop context.CancelFunc
			f := newFixture(t, onCrashPoint(func(reached string) {
				if reached == point && stop != nil {
					stop()
				}
			}))
			imp := f.pendingImport(goodFile, "")
			ctx, cancel := context.WithCancel(f.ctx)
			stop = cancel
			if ran, err := f.RunNext(ctx); !ran || err != nil {
				t.Errorf("ran %v, error %v", ran, err)
			}
			stop = nil
			if imp := f.wantStatus(imp, model.Pending); imp.Lost != 0 {
				t.Errorf("the stop counts as %d lost runs", imp.Lost)
			}
			f.wantCounts(imports.Counts{Repeated: 1})
			if n := f.waitingJobs(); n == 0 {
				t.Error("no job waits for the import")
			}
			f.runAll()
			f.wantNoBlobsOfRun(imp, 1)
			f.wantResult(imp, goodResult)
		})
	}
}

// wantNoBlobsOfRun checks that the blobs of a discarded run are gone after StopGrace.
func (f *fixture) wantNoBlobsOfRun(imp model.Import, run int) {
	f.Helper()
	f.Clock.Advance(30 * time.Second)
	must(f.T, f.RunMaintenance(f.ctx))
	if left := f.Blobs.Keys(fmt.Sprintf("imports/%s/run-%d/", imp.ID, run)); len(left) > 0 {
		f.Errorf("run %d still has %v", run, left)
	}
}

// If a process reclaims an import from one that is still running it, and finishes first, the
// import keeps the result of the second run.
func TestSupersededRun(t *testing.T) {
	t.Parallel()
	for _, point := range []string{"run.claimed", "run.staged", "run.result"} {
		t.Run(point, func(t *testing.T) {
			t.Parallel()
			superseded := false
			var f *fixture
			f = newFixture(t, onCrashPoint(func(reached string) {
				if reached != point || superseded {
					return
				}
				superseded = true
				other := f.newNode("folder/two")
				must(f.T, other.Join(f.ctx))
				if ran, err := other.RunNext(f.ctx); !ran || err != nil {
					f.Errorf("the other process ran %v, error %v", ran, err)
				}
			}))
			imp := f.pendingImport(goodFile, "")
			_, _ = f.RunNext(f.ctx) // may return an error
			f.wantResult(imp, goodResult)
			if imp := f.reload(imp); imp.Run != 2 || !strings.Contains(imp.Result.Key, "/run-2/") || !strings.Contains(imp.Stage, "/run-2/") {
				t.Errorf("run %d, result %s, stage %s; want those of the second run", imp.Run, imp.Result.Key, imp.Stage)
			}
			f.wantNoBlobsOfRun(imp, 1)
			f.wantResult(imp, goodResult)
		})
	}
}

func TestDeleteRunningImport(t *testing.T) {
	t.Parallel()
	for _, point := range []string{"run.claimed", "run.staged", "run.result"} {
		t.Run(point, func(t *testing.T) {
			t.Parallel()
			var f *fixture
			var imp model.Import
			f = newFixture(t, onCrashPoint(func(reached string) {
				if reached == point {
					must(f.T, f.DeleteImport(f.ctx, f.org, imp.ID))
				}
			}))
			imp = f.pendingImport(goodFile, "")
			_, _ = f.RunNext(f.ctx)
			_, err := f.Import(f.ctx, f.org, imp.ID)
			f.wantError(err, model.NotFound, "not_found")
			f.Clock.Advance(31 * time.Second)
			must(t, f.RunMaintenance(f.ctx))
			if left := f.Blobs.Keys("imports/"); len(left) > 0 {
				t.Errorf("the deleted import still has %v", left)
			}
		})
	}
}

// The import of a blocked run is deleted. This ends the run.
func TestBlockedRunOfDeletedImport(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	imp := f.pendingImport(goodFile, "")
	f.Blobs.OnUse(func(ctx context.Context, use, key string) error {
		if use != "create" || !strings.Contains(key, "/run-1/") {
			return nil
		}
		must(f.T, f.DeleteImport(f.ctx, f.org, imp.ID))
		<-ctx.Done()
		return ctx.Err()
	})
	if ran, err := f.RunNext(f.ctx); !ran || err != nil {
		t.Errorf("ran %v, error %v; want a run without an error", ran, err)
	}
	f.Clock.Advance(30 * time.Second)
	must(t, f.RunMaintenance(f.ctx))
	if left := f.Blobs.Keys("imports/"); len(left) > 0 {
		t.Errorf("the deleted import still has %v", left)
	}
}

// A run hangs and ignores that it is canceled. Its import fails, but its worker can run another
// import only after the run has stopped.
func TestS1StalledRunOccupiesItsWorker(t *testing.T) {
	t.Parallel()
	f := newFixture(t, func(_ *fixture, cfg *service.Config) { cfg.StallTimeout = time.Nanosecond })
	imp := f.pendingImport(goodFile, "")
	hangs, resume, returned := make(chan struct{}), make(chan struct{}), make(chan struct{})
	f.Blobs.OnUse(func(_ context.Context, use, key string) error {
		if use == "create" && strings.Contains(key, "/run-1/") {
			close(hangs)
			<-resume
		}
		return nil
	})
	go func() {
		defer close(returned)
		if ran, err := f.RunNext(f.ctx); !ran || err != nil {
			t.Errorf("ran %v, error %v; want a run without an error", ran, err)
		}
	}()
	<-hangs
	for f.reload(imp).Status == model.Running {
		runtime.Gosched()
	}
	failed := f.wantStatus(imp, model.Failed)
	want := []intray.Notice{{Type: intray.UnreadableFile, Level: intray.LevelError, Text: intray.NewMessage("import.stalled", intray.Params{"n": 1})}}
	if diff := cmp.Diff(want, failed.Outcome.AllNotices()); diff != "" {
		t.Errorf("the notices (-want +got):\n%s", diff)
	}
	select {
	case <-returned:
		t.Error("the worker is free although the run has not stopped")
	default:
	}
	f.Blobs.OnUse(nil)
	close(resume)
	<-returned
	if got := f.Counts().Stalled; got != 1 {
		t.Errorf("%d stalled runs are counted, want 1", got)
	}
	f.wantStatus(imp, model.Failed)
	f.wantNoBlobsOfRun(imp, 1)
}

// The store fails during a run, so the run can neither end nor return to the queue. The second
// round of maintenance reclaims the run.
func TestAbandonedRun(t *testing.T) {
	t.Parallel()
	for _, point := range []string{"run.staged", "run.result"} {
		t.Run(point, func(t *testing.T) {
			t.Parallel()
			unavailable, times := &unavailableStore{}, 0
			f := newFixture(t, func(f *fixture, cfg *service.Config) {
				unavailable.Store = f.Store
				cfg.Store = unavailable
			}, onCrashPoint(func(reached string) {
				if reached == point && times == 0 {
					times++
					unavailable.down.Store(true)
				}
			}))
			imp := f.pendingImport(goodFile, "")
			if ran, err := f.RunNext(f.ctx); !ran || !errors.Is(err, errDisconnected) {
				t.Fatalf("ran %v, error %v; want a run that cannot end", ran, err)
			}
			unavailable.down.Store(false)
			f.wantStatus(imp, model.Running)
			must(t, f.RunMaintenance(f.ctx))
			f.wantStatus(imp, model.Running) // possibly with a new claim
			must(t, f.RunMaintenance(f.ctx))
			if imp := f.wantStatus(imp, model.Pending); imp.Lost != 1 {
				t.Errorf("lost %d times, want once", imp.Lost)
			}
			f.runAll()
			f.wantResult(imp, goodResult)
		})
	}
}

// unavailableStore rejects updates while down is set.
type unavailableStore struct {
	model.Store
	down atomic.Bool
}

func (s *unavailableStore) Update(ctx context.Context, work func(model.Tx) error) error {
	if s.down.Load() {
		return errDisconnected
	}
	return s.Store.Update(ctx, work)
}

// Maintenance does not reclaim active runs.
func TestMaintenanceDuringRun(t *testing.T) {
	t.Parallel()
	var f *fixture
	f = newFixture(t, onCrashPoint(func(point string) {
		if point == "run.staged" {
			for range 3 {
				must(f.T, f.RunMaintenance(f.ctx))
			}
		}
	}))
	imp := f.pendingImport(goodFile, "")
	f.runAll()
	f.wantResult(imp, goodResult)
	if imp := f.reload(imp); imp.Run != 1 || imp.Lost != 0 {
		t.Errorf("run %d, lost %d times; want 1 and 0", imp.Run, imp.Lost)
	}
}

// A panic in any goroutine of a run ends only that run.
func TestPanics(t *testing.T) {
	t.Parallel()
	for name, at := range map[string]string{"the engine's": "/stage", "the result's": "/result.json", "the file's": "/raw-"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := newFixture(t)
			imp := f.pendingImport(goodFile, "")
			f.Blobs.OnUse(func(_ context.Context, _, key string) error {
				if strings.Contains(key, at) {
					panic("for a test")
				}
				return nil
			})
			if ran, err := f.RunNext(f.ctx); !ran || err == nil || !strings.Contains(err.Error(), "panic: for a test") {
				t.Errorf("ran %v, error %v; want the panic as an error", ran, err)
			}
			f.Blobs.OnUse(nil)
			f.wantStatus(imp, model.Pending)
			f.Clock.Advance(time.Minute)
			f.runAll()
			f.wantResult(imp, goodResult)
		})
	}
}

// Runs that fail because the disk is full do not count as lost runs.
func TestFullDiskDuringRuns(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	imp := f.pendingImport(goodFile, "")
	f.Blobs.LimitSize(0)
	for range 12 {
		if ran, err := f.RunNext(f.ctx); !ran || !errors.Is(err, syscall.ENOSPC) && !model.IsKind(err, model.Unavailable) || !strings.Contains(err.Error(), imp.ID) {
			t.Fatalf("ran %v, error %v; want that the disk is full, and the import", ran, err)
		}
		if ran, err := f.RunNext(f.ctx); ran || err != nil {
			t.Fatalf("ran %v, error %v; want a delay", ran, err)
		}
		f.Clock.Advance(15 * time.Second)
	}
	if imp := f.wantStatus(imp, model.Pending); imp.Lost != 0 {
		t.Errorf("lost %d times", imp.Lost)
	}
	f.Blobs.LimitSize(-1)
	f.runAll()
	f.wantResult(imp, goodResult)
}

// Runs that fail because the blob store is unavailable do not count as lost runs, however long that
// lasts.
func TestUnavailableBlobsDuringRuns(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	imp := f.pendingImport(goodFile, "")
	f.Blobs.OnUse(func(context.Context, string, string) error {
		return fmt.Errorf("no connection: %w", blob.ErrUnavailable)
	})
	for range 12 {
		if ran, err := f.RunNext(f.ctx); !ran || !errors.Is(err, blob.ErrUnavailable) {
			t.Fatalf("ran %v, error %v; want that the store is unavailable", ran, err)
		}
		f.Clock.Advance(15 * time.Second)
	}
	if imp := f.wantStatus(imp, model.Pending); imp.Lost != 0 {
		t.Errorf("lost %d times", imp.Lost)
	}
	f.Blobs.OnUse(nil)
	f.runAll()
	f.wantResult(imp, goodResult)
}

// All runs of a dead node are reclaimed, even if a single transaction cannot reclaim them all.
func TestManyRunsOfADeadNode(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	const runs = 401
	imp := f.pendingImport(goodFile, "")
	must(t, f.Store.Update(f.ctx, func(tx model.Tx) error {
		for n := range runs {
			lost := imp
			lost.ID, lost.Status, lost.Node, lost.Run = fmt.Sprintf("%08d", n), model.Running, "elsewhere/one", 1
			if err := tx.Imports.Insert(f.ctx, lost); err != nil {
				return err
			}
		}
		_, err := tx.Nodes.Heartbeat(f.ctx, model.Heartbeat{ID: "elsewhere/one"})
		return err
	}))
	must(t, f.newNode("elsewhere/two").Join(f.ctx))
	must(t, f.Store.View(f.ctx, func(tx model.Tx) error {
		left, err := tx.Imports.InStatus(f.ctx, model.Running, "", runs)
		if len(left) > 0 {
			t.Errorf("%d imports are still running", len(left))
		}
		return err
	}))
}

// Maintenance enqueues a job for a pending import that has none.
func TestMissingJob(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	imp := f.newImport("")
	if err := f.RunMaintenance(f.ctx); err != nil || f.waitingJobs() != 0 {
		t.Fatalf("error %v; %d jobs wait without a pending import", err, f.waitingJobs())
	}
	imp.Status = model.Pending
	must(t, f.Store.Update(f.ctx, func(tx model.Tx) error {
		return tx.Imports.UpdateIf(f.ctx, imp, model.AwaitingUpload, 0)
	}))
	for range 2 {
		must(t, f.RunMaintenance(f.ctx))
		if n := f.waitingJobs(); n != 1 {
			t.Errorf("%d jobs wait, want 1", n)
		}
	}
}

// TestClaimAfterRemoval checks that an import is run again if a process claims it after others have
// removed its node, for example because it was suspended, and then ends.
func TestClaimAfterRemoval(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	imp := f.pendingImport(goodFile, "")
	removed := f.newNode("other/one", crashAt("run.claimed")) // it has not joined
	f.expectCrash(func() { _, _ = removed.RunNext(f.ctx) })
	f.wantStatus(imp, model.Running)
	must(t, f.RecoverRuns(f.ctx))
	f.runAll()
	f.wantStatus(imp, model.Successful)
}
