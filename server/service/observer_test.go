package service_test

import (
	"context"
	"fmt"
	"maps"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/intraydata/intray"
	"github.com/intraydata/intray/engine"
	"github.com/intraydata/intray/server/imports"
	"github.com/intraydata/intray/server/model"
	"github.com/intraydata/intray/server/service"
	"github.com/intraydata/intray/source/formats"
)

// recordingObserver counts what a service reports. It is safe for concurrent use.
type recordingObserver struct {
	model.Unobserved
	mu     sync.Mutex
	counts map[string]int64
}

func (o *recordingObserver) add(name string, n int64) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.counts[name] += n
}

// take returns the counts since the last call.
func (o *recordingObserver) take() map[string]int64 {
	o.mu.Lock()
	defer o.mu.Unlock()
	taken := maps.Clone(o.counts)
	clear(o.counts)
	return taken
}

func (o *recordingObserver) RunEnded(run model.EndedRun) {
	if run.Outcome == "" { // the process has crashed
		return
	}
	o.add("run "+string(run.Outcome), 1)
	if run.Rows > 0 {
		o.add("rows", run.Rows)
	}
	for code, n := range run.Problems {
		o.add("problem "+code, n)
	}
}

func (o *recordingObserver) ImportFailed(reason model.FailureReason) {
	o.add("failed "+string(reason), 1)
}

func (o *recordingObserver) observe(_ *fixture, cfg *service.Config) { cfg.Observer = o }

// TestObserver checks what an observer learns about runs.
func TestObserver(t *testing.T) {
	t.Parallel()
	o := &recordingObserver{counts: map[string]int64{}}
	failing := func(_ *fixture, cfg *service.Config) {
		cfg.Engine = engine.New(engine.Config{Formats: formats.Formats(""), Workers: 1, LoadHooks: func(context.Context, intray.Hooks, intray.HookEnv) (engine.HookRunner, error) {
			return nil, &intray.HookError{Hook: "rowHooks[0]", Text: intray.Literal("no")}
		}})
	}
	f := newFixture(t, o.observe, failing)
	want := func(what string, want map[string]int64) {
		t.Helper()
		if diff := cmp.Diff(want, o.take()); diff != "" {
			t.Errorf("%s (-want +got):\n%s", what, diff)
		}
	}
	f.finishedImport(goodFile, "")
	want("a clean file", map[string]int64{"run successful": 1, "rows": 2})
	f.finishedImport(badFile, `{"invalidDataBehavior":"BLOCK_SUBMIT"}`)
	want("a file for review", map[string]int64{"run needs_review": 1, "rows": 2, "problem email": 1})
	f.finishedImport("", "")
	want("an empty file", map[string]int64{"run failed": 1, "failed file": 1})

	d := doc(t, contacts, "")
	d.Hooks = decoded(t, `{"rowHooks":["record => record"]}`)
	hooked, err := f.CreateImport(f.ctx, f.org, imports.Draft{Doc: d})
	must(t, err)
	must(t, f.upload(hooked, goodFile))
	f.runAll()
	want("a hook that fails", map[string]int64{"run failed": 1, "failed hook": 1})

	imp := f.pendingImport(goodFile, "")
	f.damage(imp.Raw.Key, func([]byte) []byte { return []byte("changed") })
	f.runAll()
	f.wantStatus(imp, model.Failed)
	want("a damaged file", map[string]int64{"run failed": 1, "failed damage": 1})

	f.pendingImport(goodFile, "")
	f.Faults.ArmUse("Blobs.create", 1)
	if _, err := f.RunNext(f.ctx); err == nil {
		t.Error("the run did not fail")
	}
	want("file storage that fails", map[string]int64{"run error": 1})
}

// TestObserverOfLostRuns checks why an import fails whose runs crash.
func TestObserverOfLostRuns(t *testing.T) {
	t.Parallel()
	o := &recordingObserver{counts: map[string]int64{}}
	f := newFixture(t, o.observe, crashAt("run.staged"))
	f.pendingImport(goodFile, "")
	for run := range 10 {
		if got := o.take(); len(got) > 0 {
			t.Errorf("before run %d: %v", run, got)
		}
		f.expectCrash(func() { _, _ = f.RunNext(f.ctx) })
		must(t, f.Leave(f.ctx))
	}
	if got := fmt.Sprint(o.take()); got != "map[failed lost_runs:1]" {
		t.Errorf("after ten lost runs: %s", got)
	}
}
