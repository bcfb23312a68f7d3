package queue_test

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/jackc/pgx/v5/stdlib"
	"go.uber.org/goleak"

	"github.com/intraydata/intray/server/queue"
	"github.com/intraydata/intray/server/servertest"
	"github.com/intraydata/intray/server/sqlstore/storetest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// fixture is a PostgreSQL database that several queues share.
type fixture struct {
	*testing.T
	db   *sql.DB
	pool *pgxpool.Pool
}

func newFixture(t *testing.T) *fixture {
	pool, err := pgxpool.New(t.Context(), storetest.PostgresURL(t))
	must(t, err)
	t.Cleanup(pool.Close)
	db := stdlib.OpenDBFromPool(pool)
	t.Cleanup(func() { must(t, db.Close()) })
	return &fixture{t, db, pool}
}

// wantNotifications fails the test unless other processes are notified n times of the jobs that
// enqueue adds.
func (f *fixture) wantNotifications(n int, enqueue func()) {
	ctx, cancel := context.WithTimeout(f.Context(), 30*time.Second)
	defer cancel()
	conn, err := f.pool.Acquire(ctx)
	must(f, err)
	defer conn.Release()
	_, err = conn.Exec(ctx, `LISTEN "public.river_insert"`)
	must(f, err)
	enqueue()
	for range n {
		_, err := conn.Conn().WaitForNotification(ctx)
		must(f, err)
	}
}

// openQueue opens a queue and creates its tables.
func (f *fixture) openQueue(cfg queue.Config) queue.Queue {
	f.Helper()
	q := queue.Postgres(f.pool, cfg)
	must(f, q.Migrate(f.Context()))
	return q
}

// startQueue starts a queue with a handler for jobs of kind "run".
func (f *fixture) startQueue(cfg queue.Config, handle queue.Handler) queue.Queue {
	f.Helper()
	q := f.openQueue(cfg)
	must(f, q.Start(f.Context(), map[string]queue.Handler{"run": handle}))
	f.Cleanup(func() { must(f, q.Stop(cancelledContext())) })
	return q
}

// inTx calls a function in a transaction. It commits the transaction if the function returns
// true.
func (f *fixture) inTx(work func(tx queue.Tx) (commit bool)) {
	f.Helper()
	conn, err := f.db.Conn(f.Context())
	must(f, err)
	defer func() { _ = conn.Close() }()
	tx, err := conn.BeginTx(f.Context(), nil)
	must(f, err)
	defer func() { _ = tx.Rollback() }()
	if work(queue.Tx{Tx: tx, Conn: conn}) {
		must(f, tx.Commit())
	}
}

func (f *fixture) enqueue(q queue.Queue, keys ...string) {
	f.Helper()
	f.inTx(func(tx queue.Tx) bool {
		for _, key := range keys {
			must(f, q.Enqueue(f.Context(), tx, queue.Job{Kind: "run", Key: key}))
		}
		return true
	})
}

// jobsByState returns the number of jobs in each state.
func (f *fixture) jobsByState() map[string]int {
	f.Helper()
	rows, err := f.db.QueryContext(f.Context(), `SELECT CAST(state AS TEXT), count(*) FROM river_job GROUP BY state`)
	must(f, err)
	defer func() { _ = rows.Close() }()
	all := map[string]int{}
	for rows.Next() {
		var state string
		var n int
		must(f, rows.Scan(&state, &n))
		all[state] = n
	}
	must(f, rows.Err())
	return all
}

func (f *fixture) waiting(q queue.Queue, kind string) (n int) {
	f.Helper()
	f.inTx(func(tx queue.Tx) bool {
		var err error
		n, err = q.Waiting(f.Context(), tx, kind)
		must(f, err)
		return false
	})
	return n
}

var must = servertest.Must

func wantEqual(t testing.TB, got, want any) {
	t.Helper()
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("difference (-want +got):\n%s", diff)
	}
}

// receive waits for a value from a channel and returns it.
func receive[V any](f *fixture, from <-chan V) V {
	f.Helper()
	select {
	case v := <-from:
		return v
	case <-time.After(30 * time.Second):
		f.Fatal("no value arrived")
		panic("not reached")
	}
}

// cancelledContext returns a context that is already canceled.
func cancelledContext() context.Context {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	return ctx
}

func TestCommittedJobsRun(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	done := make(chan queue.Job, 9)
	q := f.startQueue(queue.Config{Node: "n"}, func(_ context.Context, job queue.Job) error {
		done <- job
		return nil
	})
	f.inTx(func(tx queue.Tx) bool {
		must(f, q.Enqueue(f.Context(), tx, queue.Job{Kind: "run", Key: "rolled back"}))
		return false
	})
	for _, key := range []string{"", "a key: ü \x01 \"'"} {
		f.enqueue(q, key)
		wantEqual(f, receive(f, done), queue.Job{Kind: "run", Key: key})
	}
	must(f, q.Stop(f.Context()))
	wantEqual(f, f.jobsByState(), map[string]int{"completed": 2})
}

func TestWaiting(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	q := f.openQueue(queue.Config{})
	f.enqueue(q, "1", "2")
	wantEqual(f, []int{f.waiting(q, "run"), f.waiting(q, "other")}, []int{2, 0})
}

// TestFindingReliability8WakeUp checks that each transaction that enqueues a job wakes the other
// processes, even right after another one. Without that, a job waited for the next poll: 494 ms
// (p95) on PostgreSQL.
func TestFindingReliability8WakeUp(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	q := f.openQueue(queue.Config{})
	f.wantNotifications(20, func() {
		for range 20 {
			f.enqueue(q, "k")
		}
	})
}

// TestFindingReliability5ClockSkew checks that new and reclaimed jobs are due on a database whose
// clock is behind that of the process, here by decades.
func TestFindingReliability5ClockSkew(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	q := f.openQueue(queue.Config{})
	f.enqueue(q, "new", "lost")
	f.inTx(func(tx queue.Tx) bool {
		_, err := tx.ExecContext(f.Context(), `UPDATE river_job SET state = 'running', attempt = 1, attempted_at = CURRENT_TIMESTAMP, attempted_by = ARRAY['dead'] WHERE id = (SELECT max(id) FROM river_job)`)
		must(f, err)
		_, err = q.Reclaim(f.Context(), tx, "dead")
		must(f, err)
		return true
	})
	due := 0
	must(f, f.db.QueryRow(`SELECT count(*) FROM river_job WHERE state = 'available' AND scheduled_at < '1990-01-01 00:00:00'`).Scan(&due))
	wantEqual(f, due, 2)
}

func TestRetries(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	for name, fail := range map[string]func() error{
		"error": func() error { return errors.New("wrong") },
		"panic": func() error { panic("wrong") },
	} {
		f.Run(name, func(t *testing.T) {
			var log servertest.Log
			tries, n := make(chan int, 9), 0
			q := f.startQueue(queue.Config{Node: name, Logger: slog.New(slog.NewTextHandler(&log, nil))},
				func(context.Context, queue.Job) error {
					n++
					defer func() { tries <- n }()
					if n == 1 {
						return fail()
					}
					return nil
				})
			f.enqueue(q, "k")
			wantEqual(t, []int{receive(f, tries), receive(f, tries)}, []int{1, 2})
			must(t, q.Stop(f.Context()))
			if !strings.Contains(log.String(), "job failed; it will be retried") {
				t.Errorf("the failure is not in the log:\n%s", log.String())
			}
		})
	}
}

func TestReclaim(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	started, end := make(chan string, 9), make(chan struct{})
	release := sync.OnceFunc(func() { close(end) })
	defer release()
	block := func(node string) queue.Handler {
		return func(_ context.Context, job queue.Job) error {
			started <- node + " " + job.Key
			<-end
			return nil
		}
	}
	// The only worker of this node is busy, so the node cannot run further jobs.
	dead := f.startQueue(queue.Config{Node: "dead", Workers: 1}, block("dead"))
	f.enqueue(dead, "k")
	wantEqual(f, receive(f, started), "dead k")

	alive := f.startQueue(queue.Config{Node: "alive"}, block("alive"))
	f.enqueue(alive, "own")
	wantEqual(f, receive(f, started), "alive own")
	for _, c := range []struct {
		node string
		want int
	}{{"unknown", 0}, {"dead", 1}, {"dead", 0}} {
		f.inTx(func(tx queue.Tx) bool {
			n, err := alive.Reclaim(f.Context(), tx, c.node)
			must(f, err)
			wantEqual(f, fmt.Sprint(c.node, n), fmt.Sprint(c.node, c.want))
			return true
		})
	}
	wantEqual(f, receive(f, started), "alive k")
	wantEqual(f, f.jobsByState(), map[string]int{"running": 2, "discarded": 1})

	// The "dead" node completes its job. This must have no effect on the copy of the job.
	release()
	must(f, dead.Stop(f.Context()))
	must(f, alive.Stop(f.Context()))
	wantEqual(f, f.jobsByState(), map[string]int{"completed": 2, "discarded": 1})
}

// A node that is slow completes its job while another node, which considers it dead, reclaims the
// job. This must not end the process of the slow node.
func TestCompletionDuringReclaim(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	started, end := make(chan string, 1), make(chan struct{})
	slow := f.startQueue(queue.Config{Node: "slow", Workers: 1}, func(_ context.Context, job queue.Job) error {
		started <- job.Key
		<-end
		return nil
	})
	f.enqueue(slow, "k")
	wantEqual(t, receive(f, started), "k")
	other := f.openQueue(queue.Config{})
	f.inTx(func(tx queue.Tx) bool {
		n, err := other.Reclaim(t.Context(), tx, "slow")
		must(t, err)
		wantEqual(t, n, 1)
		close(end)
		for waiting := 0; waiting == 0; time.Sleep(time.Millisecond) { // until the completion waits for the row
			must(t, f.db.QueryRow(`SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`).Scan(&waiting))
		}
		return true
	})
	wantEqual(t, receive(f, started), "k") // the copy of the job
	must(t, slow.Stop(t.Context()))
	wantEqual(t, f.jobsByState(), map[string]int{"completed": 1, "discarded": 1})
}

// After the tenth failure, the job must be dropped.
func TestLastAttempt(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	var log servertest.Log
	attempts := make(chan struct{}, 9)
	q := f.startQueue(queue.Config{Node: "n", Logger: slog.New(slog.NewTextHandler(&log, nil))}, func(context.Context, queue.Job) error {
		attempts <- struct{}{}
		return errors.New("wrong")
	})
	f.inTx(func(tx queue.Tx) bool {
		must(f, q.Enqueue(f.Context(), tx, queue.Job{Kind: "run"}))
		_, err := tx.ExecContext(f.Context(), `UPDATE river_job SET attempt = 9`)
		must(f, err)
		return true
	})
	receive(f, attempts)
	must(f, q.Stop(f.Context()))
	if text := log.String(); strings.Count(text, "level=ERROR msg=\"job failed for the last time\"") != 1 || strings.Contains(text, "retried") || !strings.Contains(text, "attempt=10 error=wrong") {
		f.Errorf("the log is:\n%s", text)
	}
	wantEqual(f, f.jobsByState(), map[string]int{"discarded": 1})
}

// All running jobs of a dead node must be reclaimed, even if there are more of them than one
// query reads.
func TestReclaimManyJobs(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	q := f.openQueue(queue.Config{})
	const others, lost = 1, 1000
	f.inTx(func(tx queue.Tx) bool {
		for n := range others + lost {
			must(f, q.Enqueue(f.Context(), tx, queue.Job{Kind: "run", Key: fmt.Sprint(n)}))
		}
		_, err := tx.ExecContext(f.Context(), `UPDATE river_job SET state = 'running', attempt = 1, attempted_at = CURRENT_TIMESTAMP, attempted_by = ARRAY['dead']`)
		must(f, err)
		_, err = tx.ExecContext(f.Context(), `UPDATE river_job SET attempted_by = ARRAY['other'] WHERE id = (SELECT min(id) FROM river_job)`)
		must(f, err)
		return true
	})
	f.inTx(func(tx queue.Tx) bool {
		n, err := q.Reclaim(f.Context(), tx, "dead")
		must(f, err)
		wantEqual(f, n, lost)
		return true
	})
	wantEqual(f, f.jobsByState(), map[string]int{"running": others, "discarded": lost, "available": lost})
	wantEqual(f, f.waiting(q, "run"), lost)
}

// Every operation must return the error of its context.
func TestCancelledContext(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	q := f.openQueue(queue.Config{})
	for name, call := range map[string]func(ctx context.Context, tx queue.Tx) error{
		"Enqueue": func(ctx context.Context, tx queue.Tx) error { return q.Enqueue(ctx, tx, queue.Job{Kind: "run"}) },
		"Waiting": func(ctx context.Context, tx queue.Tx) error { _, err := q.Waiting(ctx, tx, "run"); return err },
		"Reclaim": func(ctx context.Context, tx queue.Tx) error { _, err := q.Reclaim(ctx, tx, "n"); return err },
		"Migrate": func(ctx context.Context, _ queue.Tx) error { return q.Migrate(ctx) },
	} {
		f.inTx(func(tx queue.Tx) bool {
			if err := call(cancelledContext(), tx); !errors.Is(err, context.Canceled) {
				f.Errorf("%s: %v, want context.Canceled", name, err)
			}
			return false
		})
	}
}

func TestStopWaits(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	started, end := make(chan struct{}), make(chan struct{})
	q := f.startQueue(queue.Config{Node: "n"}, func(ctx context.Context, _ queue.Job) error {
		close(started)
		<-end
		return ctx.Err()
	})
	f.enqueue(q, "k")
	receive(f, started)
	go close(end)
	must(f, q.Stop(context.Background()))
	wantEqual(f, f.jobsByState(), map[string]int{"completed": 1})
}

func TestStopCancels(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	started := make(chan struct{}, 9)
	q := f.startQueue(queue.Config{Node: "n"}, func(ctx context.Context, _ queue.Job) error {
		started <- struct{}{}
		<-ctx.Done()
		return fmt.Errorf("stopped: %w", ctx.Err())
	})
	f.enqueue(q, "k")
	receive(f, started)
	must(f, q.Stop(cancelledContext()))
	wantEqual(f, f.jobsByState(), map[string]int{"available": 1})
	wantEqual(f, f.waiting(q, "run"), 1)
	var attempt int
	must(f, f.db.QueryRow(`SELECT attempt FROM river_job`).Scan(&attempt))
	wantEqual(f, attempt, 0)
}

func TestStopAfterGrace(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	started, end := make(chan struct{}), make(chan struct{})
	q := f.startQueue(queue.Config{Node: "n", Grace: time.Millisecond}, func(context.Context, queue.Job) error {
		close(started)
		<-end
		return nil
	})
	f.enqueue(q, "k")
	receive(f, started)
	if err := q.Stop(cancelledContext()); !errors.Is(err, context.DeadlineExceeded) {
		f.Errorf("Stop: %v, want DeadlineExceeded, because a job is still running", err)
	}
	close(end)
	must(f, q.Stop(context.Background()))
}

func TestStart(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	done := make(chan string, 9)
	handlers := map[string]queue.Handler{"run": func(_ context.Context, job queue.Job) error {
		done <- job.Key
		return nil
	}}
	nameless := f.openQueue(queue.Config{})
	if nameless.Start(f.Context(), handlers) == nil {
		f.Error("Start of a queue without a node returned no error")
	}
	must(f, nameless.Stop(cancelledContext()))

	ctx, cancel := context.WithCancel(f.Context())
	q := f.openQueue(queue.Config{Node: "n"})
	must(f, q.Start(ctx, handlers))
	cancel()
	if q.Start(f.Context(), handlers) == nil {
		f.Error("the second Start returned no error")
	}
	f.enqueue(q, "k")
	wantEqual(f, receive(f, done), "k")
	must(f, q.Stop(context.Background()))
}
