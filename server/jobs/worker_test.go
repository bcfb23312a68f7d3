package jobs_test

import (
	"context"
	"errors"
	"log/slog"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	"go.uber.org/goleak"

	"github.com/intraydata/intray/server/jobs"
	"github.com/intraydata/intray/server/model"
	"github.com/intraydata/intray/server/queue"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// fake is a service of functions; a missing one does nothing.
type fake struct {
	runNext func(ctx context.Context) (bool, error)
	beat    func(ctx context.Context) error
	sweep   func(ctx context.Context) error
	news    chan struct{}
	// delivered counts the looks for what is to be delivered.
	delivered int
	// tidied counts the tidyings.
	tidied int
}

func (f *fake) RunNext(ctx context.Context) (bool, error) {
	if f.runNext == nil {
		return false, nil
	}
	return f.runNext(ctx)
}

func (f *fake) Deliver(context.Context) error                   { f.delivered++; return nil }
func (f *fake) CollectGarbage(context.Context) error            { f.tidied++; return nil }
func (f *fake) RunNextConnector(context.Context) (bool, error)  { return false, nil }
func (f *fake) DeliverNextResult(context.Context) (bool, error) { return false, nil }
func (f *fake) WaitForDeliveries()                              {}
func (f *fake) DeliveriesReady() <-chan struct{}                { return f.news }

func (f *fake) RecordHeartbeat(ctx context.Context) error {
	if f.beat == nil {
		return nil
	}
	return f.beat(ctx)
}

func (f *fake) RunMaintenance(ctx context.Context) error {
	if f.sweep == nil {
		return nil
	}
	return f.sweep(ctx)
}

// newWorker makes a worker and gives what it logs.
func newWorker(s jobs.Service) (*jobs.Worker, *lines) {
	log := &lines{}
	return jobs.New(s, slog.New(slog.NewTextHandler(log, nil))), log
}

type lines struct {
	mu   sync.Mutex
	text strings.Builder
}

func (l *lines) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.Write(p)
}

func (l *lines) count(word string) int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return strings.Count(l.text.String(), word)
}

// run is the handler of the one kind of job.
func run(t *testing.T, w *jobs.Worker) func(ctx context.Context) error {
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
	w, _ := newWorker(&fake{runNext: func(context.Context) (bool, error) {
		if left == 0 {
			return false, nil
		}
		left--
		return true, nil
	}})
	if err := run(t, w)(t.Context()); err != nil || left != 0 {
		t.Errorf("%d imports are left, error %v", left, err)
	}
}

func TestFailedRunEndsTheJob(t *testing.T) {
	fault := errors.New("the disk is gone")
	calls := 0
	w, _ := newWorker(&fake{runNext: func(context.Context) (bool, error) { calls++; return true, fault }})
	if err := run(t, w)(t.Context()); !errors.Is(err, fault) || calls != 1 {
		t.Errorf("%d calls, error %v; want one and its fault", calls, err)
	}
}

func TestStoppedJobTakesNoMore(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	calls := 0
	w, _ := newWorker(&fake{runNext: func(context.Context) (bool, error) { calls++; cancel(); return true, nil }})
	if err := run(t, w)(ctx); !errors.Is(err, context.Canceled) || calls != 1 {
		t.Errorf("%d calls, error %v; want one and the word to stop", calls, err)
	}
}

func TestBeatsAndSweeps(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		began := time.Now()
		var beats, sweeps []time.Duration
		w, _ := newWorker(&fake{
			beat:  func(context.Context) error { beats = append(beats, time.Since(began)); return nil },
			sweep: func(context.Context) error { sweeps = append(sweeps, time.Since(began)); return nil },
		})
		ctx, cancel := context.WithTimeout(t.Context(), 7*time.Second)
		defer cancel()
		w.RunBackground(ctx)
		want := []time.Duration{2 * time.Second, 4 * time.Second, 6 * time.Second}
		if diff := cmp.Diff(want, beats) + cmp.Diff(want, sweeps); diff != "" {
			t.Errorf("beats and sweeps (-want +got):\n%s", diff)
		}
	})
}

// What is due to leave is looked for four times a second, and it is tidied up every
// five minutes.
func TestKeepDeliversAndTidies(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := &fake{}
		w, _ := newWorker(f)
		ctx, cancel := context.WithTimeout(t.Context(), 11*time.Minute)
		defer cancel()
		w.RunBackground(ctx)
		if f.tidied != 2 || f.delivered < 4*11*60-2 || f.delivered > 4*11*60+2 {
			t.Errorf("tidied %d times, looked for deliveries %d times", f.tidied, f.delivered)
		}
	})
}

// A sweep that takes long must not keep a beat waiting.
func TestSlowSweepKeepsNoBeat(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		beats := 0
		w, _ := newWorker(&fake{
			beat:  func(context.Context) error { beats++; return nil },
			sweep: func(ctx context.Context) error { <-ctx.Done(); return ctx.Err() },
		})
		ctx, cancel := context.WithTimeout(t.Context(), 61*time.Second)
		defer cancel()
		w.RunBackground(ctx)
		if beats != 30 {
			t.Errorf("%d beats in a minute, want 30", beats)
		}
	})
}

// kept is a worker that keeps itself known while it runs an import.
type kept struct {
	began time.Time
	log   *lines
	// ended is closed when the run was told to stop, at the time after began.
	ended chan struct{}
	after time.Duration
	err   error
}

// keep runs an import that never ends by itself beside beats that do beat.
func keep(ctx context.Context, t *testing.T, beat func(ctx context.Context, since time.Duration) error) *kept {
	t.Helper()
	k := &kept{began: time.Now(), ended: make(chan struct{})}
	var w *jobs.Worker
	w, k.log = newWorker(&fake{
		runNext: func(ctx context.Context) (bool, error) {
			<-ctx.Done()
			return true, nil
		},
		beat: func(ctx context.Context) error { return beat(ctx, time.Since(k.began)) },
	})
	handle := run(t, w)
	go w.RunBackground(ctx)
	go func() {
		defer close(k.ended)
		k.err = handle(ctx)
		k.after = time.Since(k.began)
	}()
	return k
}

// TestDeafWorkerStopsItsRuns lets the beats fail, or hang as they do where the
// network is gone: others count the node as dead after 8 s, and soon after that
// it must have stopped.
func TestDeafWorkerStopsItsRuns(t *testing.T) {
	ways := map[string]func(ctx context.Context, since time.Duration) error{
		"beats fail":      func(context.Context, time.Duration) error { return errors.New("no route") },
		"beats hang":      func(ctx context.Context, _ time.Duration) error { <-ctx.Done(); return ctx.Err() },
		"beats hang late": func(ctx context.Context, since time.Duration) error { return hangAfter(ctx, since, time.Minute) },
	}
	for name, beat := range ways {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				ctx, cancel := context.WithCancel(t.Context())
				defer synctest.Wait()
				defer cancel()
				k := keep(ctx, t, beat)
				select {
				case <-k.ended:
				case <-time.After(time.Hour):
					t.Fatal("the run goes on for an hour")
				}
				heard := time.Duration(0) // when the last beat was heard
				if name == "beats hang late" {
					heard = time.Minute
				}
				if deaf := k.after - heard; deaf < 8*time.Second || deaf > 12*time.Second || !errors.Is(k.err, context.Canceled) {
					t.Errorf("stopped %v after the last beat with %v, want 8 to 12 s and the word to stop", deaf, k.err)
				}
				if k.log.count("level=ERROR") == 0 {
					t.Error("the log does not tell why the run stopped")
				}
			})
		})
	}
}

func hangAfter(ctx context.Context, since, limit time.Duration) error {
	if since <= limit {
		return nil
	}
	<-ctx.Done()
	return ctx.Err()
}

func TestFewFailedBeatsStopNothing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		beats := 0
		k := keep(ctx, t, func(context.Context, time.Duration) error {
			if beats++; beats%4 != 0 { // three fail, one is heard
				return errors.New("no route")
			}
			return nil
		})
		time.Sleep(time.Hour) // by the bubble's clock
		select {
		case <-k.ended:
			t.Errorf("the run was stopped after %v", k.after)
		default:
		}
		if k.log.count("level=WARN") == 0 || k.log.count("level=ERROR") != 0 {
			t.Error("the log should warn of each failed beat and tell of no error")
		}
		cancel()
		synctest.Wait()
	})
}

// A worker that was deaf works again once it is heard.
func TestDeafWorkerRecovers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		var mu sync.Mutex
		trouble := errors.New("no route")
		set := func(err error) { mu.Lock(); defer mu.Unlock(); trouble = err }
		w, _ := newWorker(&fake{
			runNext: func(ctx context.Context) (bool, error) { <-ctx.Done(); return true, nil },
			beat:    func(context.Context) error { mu.Lock(); defer mu.Unlock(); return trouble },
		})
		go w.RunBackground(ctx)
		handle := run(t, w)
		_ = handle(ctx) // until it is deaf
		set(nil)
		time.Sleep(3 * time.Second)
		ended := make(chan struct{})
		go func() { defer close(ended); _ = handle(ctx) }()
		select {
		case <-ended:
			t.Error("the run was stopped although its node is heard")
		case <-time.After(time.Minute):
		}
		cancel()
		<-ended
	})
}

func TestTroubleIsLogged(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w, log := newWorker(&fake{sweep: func(context.Context) error { return errors.New("no route") }})
		ctx, cancel := context.WithTimeout(t.Context(), 5*time.Second)
		defer cancel()
		w.RunBackground(ctx)
		if log.count("no route") != 2 {
			t.Errorf("%d lines about two failed sweeps", log.count("no route"))
		}
	})
}

func TestStopIsNoTrouble(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		fail := func(ctx context.Context) error { <-ctx.Done(); return ctx.Err() }
		w, log := newWorker(&fake{sweep: fail, beat: fail})
		ctx, cancel := context.WithTimeout(t.Context(), 2500*time.Millisecond)
		defer cancel()
		w.RunBackground(ctx)
		if log.count("\n") != 0 {
			t.Errorf("the log tells of the stop: %s", log.text.String())
		}
	})
}
