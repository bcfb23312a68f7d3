package jobs_test

import (
	"context"
	"errors"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	"go.uber.org/goleak"

	"github.com/intraydata/intray/server/jobs"
	"github.com/intraydata/intray/server/model"
	"github.com/intraydata/intray/server/queue"
	"github.com/intraydata/intray/server/servertest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// fakeService is a Service that calls functions. A nil function does nothing.
type fakeService struct {
	runNext, connector, upload   func(ctx context.Context) (bool, error)
	heartbeat, recover, maintain func(ctx context.Context) error
	deliver, collectGC           func(ctx context.Context) error
	ready                        chan struct{}
	// claims means that each call of connector claims a connector.
	claims bool
	// waited is the number of calls to WaitForDeliveries.
	waited int
}

func callNext(ctx context.Context, function func(context.Context) (bool, error)) (bool, error) {
	if function == nil {
		return false, nil
	}
	return function(ctx)
}

func call(ctx context.Context, function func(context.Context) error) error {
	if function == nil {
		return nil
	}
	return function(ctx)
}

func (f *fakeService) RunNext(ctx context.Context) (bool, error) { return callNext(ctx, f.runNext) }
func (f *fakeService) RunNextConnector(ctx context.Context, claimed func()) (bool, error) {
	if f.claims {
		claimed()
	}
	return callNext(ctx, f.connector)
}
func (f *fakeService) DeliverNextResult(ctx context.Context, _ func()) (bool, error) {
	return callNext(ctx, f.upload)
}
func (f *fakeService) Deliver(ctx context.Context) error         { return call(ctx, f.deliver) }
func (f *fakeService) CollectGarbage(ctx context.Context) error  { return call(ctx, f.collectGC) }
func (f *fakeService) Scrub(context.Context) error               { return nil }
func (f *fakeService) RecordHeartbeat(ctx context.Context) error { return call(ctx, f.heartbeat) }
func (f *fakeService) RecoverRuns(ctx context.Context) error     { return call(ctx, f.recover) }
func (f *fakeService) RunMaintenance(ctx context.Context) error  { return call(ctx, f.maintain) }
func (f *fakeService) WaitForDeliveries()                        { f.waited++ }
func (f *fakeService) DeliveriesReady() <-chan struct{}          { return f.ready }

// TestClaimStartsWorker checks that connectors that are due at the same time start at the same time, up to the
// maximum number, although each of them takes long.
func TestClaimStartsWorker(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var running atomic.Int64
		f := &fakeService{claims: true, connector: func(ctx context.Context) (bool, error) {
			running.Add(1)
			<-ctx.Done()
			return true, nil
		}}
		w, _ := newWorker(f)
		runFor(t, w, time.Second)
		if got := running.Load(); got != 8 {
			t.Errorf("%d connectors run at the same time, want 8", got)
		}
	})
}

func newWorker(s jobs.Service) (*jobs.Worker, *servertest.Log) {
	log := &servertest.Log{}
	return jobs.New(s, slog.New(slog.NewTextHandler(log, nil))), log
}

// runFor runs the background work of a worker for the given time on the fake clock.
func runFor(t *testing.T, w *jobs.Worker, d time.Duration) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), d)
	defer cancel()
	w.RunBackground(ctx)
}

// runHandler returns the handler for the only kind of job.
func runHandler(t *testing.T, w *jobs.Worker) func(ctx context.Context) error {
	t.Helper()
	handlers := w.Handlers()
	handle := handlers[model.RunJob]
	if handle == nil || len(handlers) != 1 {
		t.Fatalf("handlers of %d kinds, want one of %q", len(handlers), model.RunJob)
	}
	return func(ctx context.Context) error { return handle(ctx, queue.Job{Kind: model.RunJob}) }
}

func TestOneJobEmptiesTheQueue(t *testing.T) {
	left := 3
	w, _ := newWorker(&fakeService{runNext: func(context.Context) (bool, error) {
		if left == 0 {
			return false, nil
		}
		left--
		return true, nil
	}})
	if err := runHandler(t, w)(t.Context()); err != nil || left != 0 {
		t.Errorf("%d imports are left, error %v", left, err)
	}
}

func TestFailedRunEndsTheJob(t *testing.T) {
	fault := errors.New("the disk is gone")
	calls := 0
	w, _ := newWorker(&fakeService{runNext: func(context.Context) (bool, error) { calls++; return true, fault }})
	if err := runHandler(t, w)(t.Context()); !errors.Is(err, fault) || calls != 1 {
		t.Errorf("%d calls, error %v; want one call and its fault", calls, err)
	}
}

func TestCancelledJobRunsNoMoreImports(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	calls := 0
	w, _ := newWorker(&fakeService{runNext: func(context.Context) (bool, error) { calls++; cancel(); return true, nil }})
	if err := runHandler(t, w)(ctx); !errors.Is(err, context.Canceled) || calls != 1 {
		t.Errorf("%d calls, error %v; want one call and context.Canceled", calls, err)
	}
}

// Each periodic call must be made at its interval. When the worker stops, it must
// wait for deliveries.
func TestIntervals(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		start := time.Now()
		record := func(times *[]time.Duration) func(context.Context) error {
			return func(context.Context) error { *times = append(*times, time.Since(start)); return nil }
		}
		var heartbeats, recoveries, rounds, deliveries, collections []time.Duration
		f := &fakeService{heartbeat: record(&heartbeats), recover: record(&recoveries), maintain: record(&rounds), deliver: record(&deliveries), collectGC: record(&collections)}
		w, _ := newWorker(f)
		runFor(t, w, 11*time.Minute-time.Millisecond)
		for name, c := range map[string]struct {
			got             []time.Duration
			first, interval time.Duration
		}{
			"heartbeats":          {heartbeats, 2 * time.Second, 2 * time.Second},
			"recovery":            {recoveries, 2 * time.Second, 2 * time.Second},
			"maintenance":         {rounds, 2 * time.Second, 10 * time.Second},
			"deliveries":          {deliveries, 0, 2 * time.Second},
			"garbage collections": {collections, 5 * time.Minute, 5 * time.Minute},
		} {
			var want []time.Duration
			for at := c.first; at < 11*time.Minute-time.Millisecond; at += c.interval {
				want = append(want, at)
			}
			if !slices.Equal(c.got, want) {
				t.Errorf("%s: %d at %v…, want %d at %v…", name, len(c.got), c.got[:3], len(want), want[:3])
			}
		}
		if f.waited != 1 {
			t.Errorf("waited for deliveries %d times, want once", f.waited)
		}
	})
}

// The worker must start a new delivery as soon as it becomes due.
func TestReadyDeliveries(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		start := time.Now()
		var times []time.Duration
		f := &fakeService{ready: make(chan struct{}), deliver: func(context.Context) error { times = append(times, time.Since(start)); return nil }}
		w, _ := newWorker(f)
		time.AfterFunc(100*time.Millisecond, func() { f.ready <- struct{}{} })
		runFor(t, w, 2100*time.Millisecond)
		if diff := cmp.Diff([]time.Duration{0, 100 * time.Millisecond, 2 * time.Second}, times); diff != "" {
			t.Errorf("deliveries (-want +got):\n%s", diff)
		}
	})
}

// Without work, there is one call every 4 s. Up to eight connectors run and two results are
// uploaded at the same time: one more every 4 s. Each goroutine continues until nothing is due.
func TestPolling(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var connectors, uploads atomic.Int64
		count := func(calls *atomic.Int64) func(context.Context) (bool, error) {
			return func(context.Context) (bool, error) { calls.Add(1); return false, nil }
		}
		f := &fakeService{connector: count(&connectors), upload: count(&uploads)}
		w, _ := newWorker(f)
		runFor(t, w, 9*time.Second)
		if c, u := connectors.Load(), uploads.Load(); c != 3 || u != 3 {
			t.Errorf("%d calls for connectors, %d for uploads; want 3 and 3", c, u)
		}

		left := 5
		var mu sync.Mutex
		f = &fakeService{connector: func(context.Context) (bool, error) {
			mu.Lock()
			defer mu.Unlock()
			left--
			return left >= 0, nil
		}}
		w, _ = newWorker(f)
		runFor(t, w, time.Millisecond)
		if left != -1 {
			t.Errorf("%d connectors are left, want none", left)
		}

		running := func(calls *atomic.Int64) func(context.Context) (bool, error) {
			return func(ctx context.Context) (bool, error) { calls.Add(1); <-ctx.Done(); return false, nil }
		}
		connectors.Store(0)
		uploads.Store(0)
		w, _ = newWorker(&fakeService{connector: running(&connectors), upload: running(&uploads)})
		for _, c := range []struct {
			d    time.Duration
			c, u int64
		}{{time.Millisecond, 1, 1}, {5 * time.Second, 2, 2}, {time.Minute, 8, 2}} {
			connectors.Store(0)
			uploads.Store(0)
			runFor(t, w, c.d)
			if got, up := connectors.Load(), uploads.Load(); got != c.c || up != c.u {
				t.Errorf("after %s, %d connectors and %d uploads run, want %d and %d", c.d, got, up, c.c, c.u)
			}
		}
	})
}

// A failed call must be logged and must end the current round, but later rounds must still take
// place.
func TestFailuresAreLogged(t *testing.T) {
	fault := errors.New("no route")
	fail := func(context.Context) error { return fault }
	failNext := func(context.Context) (bool, error) { return true, fault }
	for text, c := range map[string]struct {
		service *fakeService
		d       time.Duration
		lines   int
	}{
		"maintenance failed":        {&fakeService{maintain: fail}, 13 * time.Second, 2},
		"runs not recovered":        {&fakeService{recover: fail}, 5 * time.Second, 2},
		"heartbeat not recorded":    {&fakeService{heartbeat: fail}, 5 * time.Second, 2},
		"garbage collection failed": {&fakeService{collectGC: fail}, 11 * time.Minute, 2},
		"deliveries not started":    {&fakeService{deliver: fail}, 3 * time.Second, 2},
		"connector not run":         {&fakeService{connector: failNext}, 5 * time.Second, 2},
		"result not uploaded":       {&fakeService{upload: failNext}, 5 * time.Second, 2},
	} {
		t.Run(text, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				w, log := newWorker(c.service)
				runFor(t, w, c.d)
				if n := strings.Count(log.String(), text); n != c.lines || n != strings.Count(log.String(), "level=WARN") || n != strings.Count(log.String(), "no route") {
					t.Errorf("%d warnings, want %d:\n%s", n, c.lines, log.String())
				}
			})
		})
	}
}

// Errors caused by stopping the worker must not be logged.
func TestStopLogsNothing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		wait := func(ctx context.Context) error { <-ctx.Done(); return ctx.Err() }
		waitNext := func(ctx context.Context) (bool, error) { return true, wait(ctx) }
		w, log := newWorker(&fakeService{maintain: wait, heartbeat: wait, collectGC: wait, deliver: wait, connector: waitNext, upload: waitNext})
		ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute+time.Second)
		defer cancel()
		go w.RunBackground(ctx)
		time.Sleep(time.Second)
		before := log.String()
		cancel()
		synctest.Wait()
		if log.String() != before {
			t.Errorf("logged %s", log.String())
		}
	})
}

// Slow maintenance, such as the deletion of files in a store that does not respond, must delay
// neither heartbeats nor the recovery of runs.
func TestSlowMaintenance(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		heartbeats, recoveries := 0, 0
		w, _ := newWorker(&fakeService{
			heartbeat: func(context.Context) error { heartbeats++; return nil },
			recover:   func(context.Context) error { recoveries++; return nil },
			maintain:  func(ctx context.Context) error { <-ctx.Done(); return ctx.Err() },
		})
		runFor(t, w, 61*time.Second)
		if heartbeats != 30 || recoveries != 30 {
			t.Errorf("%d heartbeats and %d recoveries in a minute, want 30 each", heartbeats, recoveries)
		}
	})
}

// endlessRun is an import that runs until it is canceled, on a worker that records heartbeats.
type endlessRun struct {
	log *servertest.Log
	// ended is closed when the run is canceled. err is the cause, and after is the time between
	// the start and the cancellation.
	ended chan struct{}
	after time.Duration
	err   error
}

func startEndlessRun(ctx context.Context, t *testing.T, heartbeat func(ctx context.Context, since time.Duration) error) *endlessRun {
	t.Helper()
	start := time.Now()
	r := &endlessRun{ended: make(chan struct{})}
	var w *jobs.Worker
	w, r.log = newWorker(&fakeService{
		runNext: func(ctx context.Context) (bool, error) {
			<-ctx.Done()
			return true, nil
		},
		heartbeat: func(ctx context.Context) error { return heartbeat(ctx, time.Since(start)) },
	})
	handle := runHandler(t, w)
	go w.RunBackground(ctx)
	go func() {
		defer close(r.ended)
		r.err = handle(ctx)
		r.after = time.Since(start)
	}()
	return r
}

// Other nodes consider a node dead 7 s after its last heartbeat. Its runs must then stop.
func TestRunsStopWithoutHeartbeat(t *testing.T) {
	for name, c := range map[string]struct {
		heartbeat func(ctx context.Context, since time.Duration) error
		// stopped is the time at which the run must be canceled: that of the first failed
		// heartbeat more than 7 s after the last successful one.
		stopped time.Duration
	}{
		"heartbeats fail": {func(context.Context, time.Duration) error { return errors.New("no route") }, 8 * time.Second},
		"heartbeats hang": {func(ctx context.Context, _ time.Duration) error { <-ctx.Done(); return ctx.Err() }, 8 * time.Second},
		"heartbeats hang after a minute": {func(ctx context.Context, since time.Duration) error {
			if since <= time.Minute {
				return nil
			}
			<-ctx.Done()
			return ctx.Err()
		}, 68 * time.Second},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				ctx, cancel := context.WithCancel(t.Context())
				defer synctest.Wait()
				defer cancel()
				r := startEndlessRun(ctx, t, c.heartbeat)
				select {
				case <-r.ended:
				case <-time.After(time.Hour):
					t.Fatal("the run continues for an hour")
				}
				if r.after != c.stopped || !errors.Is(r.err, context.Canceled) {
					t.Errorf("stopped after %v with %v, want context.Canceled after %v", r.after, r.err, c.stopped)
				}
				if !strings.Contains(r.log.String(), "level=ERROR") {
					t.Error("the log has no reason for the stop")
				}
			})
		})
	}
}

func TestFewMissedHeartbeatsStopNothing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		heartbeats := 0
		r := startEndlessRun(ctx, t, func(context.Context, time.Duration) error {
			if heartbeats++; heartbeats%4 != 0 { // three of four calls fail
				return errors.New("no route")
			}
			return nil
		})
		time.Sleep(time.Hour) // on the fake clock
		select {
		case <-r.ended:
			t.Errorf("the run was stopped after %v", r.after)
		default:
		}
		if log := r.log.String(); !strings.Contains(log, "level=WARN") || strings.Contains(log, "level=ERROR") {
			t.Error("the log must have warnings and no errors")
		}
		cancel()
		synctest.Wait()
	})
}

// A worker whose runs were stopped must run imports again once its heartbeats succeed.
func TestRecoveredHeartbeat(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		var mu sync.Mutex
		failure := errors.New("no route")
		w, _ := newWorker(&fakeService{
			runNext:   func(ctx context.Context) (bool, error) { <-ctx.Done(); return true, nil },
			heartbeat: func(context.Context) error { mu.Lock(); defer mu.Unlock(); return failure },
		})
		go w.RunBackground(ctx)
		handle := runHandler(t, w)
		if err := handle(ctx); !errors.Is(err, context.Canceled) {
			t.Errorf("the first run ended with %v", err)
		}
		mu.Lock()
		failure = nil
		mu.Unlock()
		time.Sleep(3 * time.Second) // on the fake clock
		ended := make(chan struct{})
		go func() { defer close(ended); _ = handle(ctx) }()
		select {
		case <-ended:
			t.Error("the run was stopped in spite of the heartbeats")
		case <-time.After(time.Minute):
		}
		cancel()
		<-ended
	})
}
