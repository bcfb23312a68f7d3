package service_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/intraydata/intray"
	"github.com/intraydata/intray/server/model"
	"github.com/intraydata/intray/server/servertest"
)

// TestCancelRunningImport cancels an import that runs in another process. Its run stops, and its blobs are
// deleted.
func TestCancelRunningImport(t *testing.T) {
	t.Parallel()
	onEachDatabase(t, cancelRunningImport)
}

func cancelRunningImport(t *testing.T, env *servertest.Env) {
	f := fixtureIn(t, env).withOrg()
	other := f.newNode("elsewhere/one")
	imp := f.pendingImport(goodFile, "")
	runs, returned := make(chan struct{}), make(chan struct{})
	f.Blobs.OnUse(func(ctx context.Context, use, key string) error {
		if use == "create" && strings.Contains(key, "/run-1/") {
			close(runs)
			<-ctx.Done() // only a canceled run continues
			return ctx.Err()
		}
		return nil
	})
	go func() {
		defer close(returned)
		if ran, err := f.RunNext(f.ctx); !ran || err != nil {
			t.Errorf("ran %v, error %v; want a run without an error", ran, err)
		}
	}()
	<-runs
	must(t, other.CancelImport(f.ctx, imp.ID))
	<-returned
	f.Blobs.OnUse(nil)
	f.wantCanceled(imp)
	f.Clock.Advance(model.StopGrace)
	must(t, f.RunMaintenance(f.ctx))
	f.wantNoBlobsOfRun(imp, 1)
	f.wantError(f.CancelImport(f.ctx, imp.ID), model.Conflict, "operation_refused")
}

// wantCanceled checks that an import has failed because an operator canceled it.
func (f *fixture) wantCanceled(imp model.Import) {
	f.Helper()
	failed := f.wantStatus(imp, model.Failed)
	want := []intray.Notice{{Type: intray.UnreadableFile, Level: intray.LevelError, Text: intray.NewMessage("import.canceled_by_operator", nil)}}
	if diff := cmp.Diff(want, failed.Outcome.AllNotices()); diff != "" {
		f.Errorf("the notices (-want +got):\n%s", diff)
	}
}

// TestCancelAtTheEnd cancels an import just before its run ends. The run does not report an error.
func TestCancelAtTheEnd(t *testing.T) {
	t.Parallel()
	onEachDatabase(t, func(t *testing.T, env *servertest.Env) {
		cancel := func() {}
		f := fixtureIn(t, env, onCrashPoint(func(point string) {
			if point == "run.result" {
				cancel()
			}
		})).withOrg()
		imp := f.pendingImport(goodFile, "")
		cancel = func() { must(t, f.CancelImport(f.ctx, imp.ID)) }
		f.runAll()
		f.wantCanceled(imp)
	})
}

// TestOperations checks in which status imports can be canceled and requeued.
func TestOperations(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	done, reviewed, awaiting := f.finishedImport(goodFile, ""), f.finishedImport(badFile, `{"invalidDataBehavior":"BLOCK_SUBMIT"}`), f.newImport("")
	for _, imp := range []model.Import{done, reviewed, awaiting} {
		f.wantError(f.CancelImport(f.ctx, imp.ID), model.Conflict, "operation_refused")
		f.wantError(f.RequeueImport(f.ctx, imp.ID), model.Conflict, "operation_refused")
		f.wantStatus(imp, imp.Status)
	}
	pending := f.pendingImport(goodFile, "")
	f.wantError(f.RequeueImport(f.ctx, pending.ID), model.Conflict, "operation_refused")
	later := pending
	later.Queued = f.Env.Clock.Now().Add(time.Hour)
	must(t, f.Store.Update(f.ctx, func(tx model.Tx) error { return tx.Imports.UpdateIf(f.ctx, later, model.Pending, later.Run) }))
	f.runAll()
	f.wantStatus(pending, model.Pending)
	must(t, f.RequeueImport(f.ctx, pending.ID))
	f.runAll()
	f.wantStatus(pending, model.Successful)
	waiting := f.pendingImport(goodFile, "")
	must(t, f.CancelImport(f.ctx, waiting.ID))
	f.wantCanceled(waiting)
	f.runAll()
	f.wantCanceled(waiting)
	f.wantError(f.CancelImport(f.ctx, "none"), model.NotFound, "not_found")
}
