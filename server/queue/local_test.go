package queue_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/intraydata/intray/server/queue"
	"github.com/intraydata/intray/server/servertest"
)

// commit enqueues jobs with a queue in memory, as a transaction that is committed.
func commit(t *testing.T, q queue.Queue, keys ...string) {
	t.Helper()
	for _, job := range enqueued(t, q, keys...) {
		job()
	}
}

// enqueued returns the functions that a transaction calls after it has been committed.
func enqueued(t *testing.T, q queue.Queue, keys ...string) (after []func()) {
	t.Helper()
	tx := queue.Tx{AfterCommit: func(f func()) { after = append(after, f) }}
	for _, key := range keys {
		must(t, q.Enqueue(t.Context(), tx, queue.Job{Kind: "run", Key: key}))
	}
	return after
}

func startLocal(t *testing.T, cfg queue.Config, handle queue.Handler) queue.Queue {
	t.Helper()
	cfg.Node = "n"
	q := queue.Local(cfg)
	must(t, q.Start(t.Context(), map[string]queue.Handler{"run": handle}))
	t.Cleanup(func() { must(t, q.Stop(cancelledContext())) })
	return q
}

func waitingLocal(t *testing.T, q queue.Queue, kind string) int {
	t.Helper()
	n, err := q.Waiting(t.Context(), queue.Tx{}, kind)
	must(t, err)
	return n
}

// TestLocalJobsRun checks that jobs run after their transaction has been committed, in parallel up
// to the number of workers, and that enough equal jobs wait to occupy all workers.
func TestLocalJobsRun(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		started, end := make(chan string, 99), make(chan struct{})
		q := startLocal(t, queue.Config{Workers: 3}, func(_ context.Context, job queue.Job) error {
			started <- job.Key
			<-end
			return nil
		})
		enqueued(t, q, "rolled back")
		commit(t, q, "a")
		synctest.Wait()
		wantEqual(t, len(started), 1)
		commit(t, q, "b", "b", "b", "b", "b", "b", "b")
		synctest.Wait()
		wantEqual(t, []int{len(started), waitingLocal(t, q, "run"), waitingLocal(t, q, "other")}, []int{3, 1, 0})
		commit(t, q, "c")
		close(end)
		synctest.Wait()
		keys := ""
		for range len(started) {
			keys += <-started
		}
		wantEqual(t, keys, "abbbc")
		wantEqual(t, waitingLocal(t, q, "run"), 0)
	})
}

func TestLocalRetries(t *testing.T) {
	for name, fail := range map[string]func() error{
		"error": func() error { return errors.New("wrong") },
		"panic": func() error { panic("wrong") },
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var log servertest.Log
				var attempts []string
				began := time.Now()
				q := startLocal(t, queue.Config{Logger: slog.New(slog.NewTextHandler(&log, nil))}, func(context.Context, queue.Job) error {
					attempts = append(attempts, time.Since(began).String())
					return fail()
				})
				commit(t, q, "k")
				time.Sleep(24 * time.Hour)
				synctest.Wait()
				wantEqual(t, len(attempts), 10)
				wantEqual(t, attempts[:4], []string{"0s", "1s", "17s", "1m38s"})
				if text := log.String(); strings.Count(text, "job failed; it will be retried") != 9 || strings.Count(text, "job failed for the last time") != 1 || !strings.Contains(text, "wrong") {
					t.Errorf("the log is:\n%s", text)
				}
			})
		})
	}
}

// TestLocalStop checks that Stop waits for running jobs, then cancels them, and gives up after the
// grace.
func TestLocalStop(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := startLocal(t, queue.Config{}, func(ctx context.Context, _ queue.Job) error {
			time.Sleep(time.Minute)
			return ctx.Err()
		})
		commit(t, q, "k")
		synctest.Wait()
		began := time.Now()
		must(t, q.Stop(context.Background()))
		wantEqual(t, time.Since(began), time.Minute)

		q = startLocal(t, queue.Config{}, func(ctx context.Context, _ queue.Job) error {
			<-ctx.Done()
			return fmt.Errorf("stopped: %w", ctx.Err())
		})
		commit(t, q, "k")
		synctest.Wait()
		must(t, q.Stop(cancelledContext()))
		wantEqual(t, waitingLocal(t, q, "run"), 1)

		end := make(chan struct{})
		q = startLocal(t, queue.Config{Grace: time.Second}, func(context.Context, queue.Job) error {
			<-end
			return nil
		})
		commit(t, q, "k")
		synctest.Wait()
		if err := q.Stop(cancelledContext()); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("Stop: %v, want DeadlineExceeded, because a job is still running", err)
		}
		close(end)
		must(t, q.Stop(context.Background()))
	})
}

func TestLocalRefuses(t *testing.T) {
	q := queue.Local(queue.Config{})
	if q.Start(t.Context(), nil) == nil {
		t.Error("Start of a queue without a node returned no error")
	}
	must(t, q.Stop(cancelledContext()))
	if q.Enqueue(t.Context(), queue.Tx{}, queue.Job{Kind: "run"}) == nil {
		t.Error("Enqueue without a transaction returned no error")
	}
	tx := queue.Tx{AfterCommit: func(func()) {}}
	for name, err := range map[string]error{
		"Enqueue": q.Enqueue(cancelledContext(), tx, queue.Job{Kind: "run"}), "Migrate": q.Migrate(cancelledContext()),
	} {
		if !errors.Is(err, context.Canceled) {
			t.Errorf("%s: %v, want context.Canceled", name, err)
		}
	}
	started := startLocal(t, queue.Config{}, nil)
	if started.Start(t.Context(), nil) == nil {
		t.Error("a second Start returned no error")
	}
}
