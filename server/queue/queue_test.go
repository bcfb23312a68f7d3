package queue_test

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"log/slog"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/jackc/pgx/v5/stdlib"
	"go.uber.org/goleak"
	_ "modernc.org/sqlite"

	"github.com/intraydata/intray/server/queue"
	"github.com/intraydata/intray/server/sqlstore/storetest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// rig is a database, and a way to queues on it.
type rig struct {
	*testing.T
	db   *sql.DB
	open func(cfg queue.Config) (queue.Queue, error)
}

func onEach(t *testing.T, test func(r *rig)) {
	for name, open := range map[string]func(*testing.T) *rig{"sqlite": sqliteRig, "postgres": postgresRig} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			test(open(t))
		})
	}
}

func sqliteRig(t *testing.T) *rig {
	path := filepath.Join(t.TempDir(), "queue.db")
	pool := func() *sql.DB {
		db, err := sql.Open("sqlite", "file:"+path+"?_pragma=busy_timeout(5000)&_pragma=journal_mode(WAL)&_txlock=immediate")
		must(t, err)
		db.SetMaxOpenConns(1)
		t.Cleanup(func() { must(t, db.Close()) })
		return db
	}
	return &rig{t, pool(), func(cfg queue.Config) (queue.Queue, error) { return queue.SQLite(pool(), cfg) }}
}

func postgresRig(t *testing.T) *rig {
	pool, err := pgxpool.New(t.Context(), storetest.PostgresURL(t))
	must(t, err)
	t.Cleanup(pool.Close)
	db := stdlib.OpenDBFromPool(pool)
	t.Cleanup(func() { must(t, db.Close()) })
	return &rig{t, db, func(cfg queue.Config) (queue.Queue, error) { return queue.Postgres(pool, cfg) }}
}

// queue opens a queue and brings its tables up to date.
func (r *rig) queue(cfg queue.Config) queue.Queue {
	r.Helper()
	q, err := r.open(cfg)
	must(r, err)
	must(r, q.Migrate(r.Context()))
	return q
}

// start starts a queue with one handler, of the kind "run".
func (r *rig) start(cfg queue.Config, handle queue.Handler) queue.Queue {
	r.Helper()
	q := r.queue(cfg)
	must(r, q.Start(r.Context(), map[string]queue.Handler{"run": handle}))
	r.Cleanup(func() { must(r, q.Stop(ended())) })
	return q
}

// within runs work in a transaction and commits it where work says so.
func (r *rig) within(work func(tx queue.Tx) (commit bool)) {
	r.Helper()
	conn, err := r.db.Conn(r.Context())
	must(r, err)
	defer func() { _ = conn.Close() }()
	tx, err := conn.BeginTx(r.Context(), nil)
	must(r, err)
	defer func() { _ = tx.Rollback() }()
	if work(queue.Tx{Tx: tx, Conn: conn}) {
		must(r, tx.Commit())
	}
}

func (r *rig) enqueue(q queue.Queue, keys ...string) {
	r.Helper()
	r.within(func(tx queue.Tx) bool {
		for _, key := range keys {
			must(r, q.Enqueue(r.Context(), tx, queue.Job{Kind: "run", Key: key}))
		}
		return true
	})
}

// rows gives how many jobs there are in each state.
func (r *rig) rows() map[string]int {
	r.Helper()
	rows, err := r.db.QueryContext(r.Context(), `SELECT CAST(state AS TEXT), count(*) FROM river_job GROUP BY state`)
	must(r, err)
	defer func() { _ = rows.Close() }()
	all := map[string]int{}
	for rows.Next() {
		var state string
		var n int
		must(r, rows.Scan(&state, &n))
		all[state] = n
	}
	must(r, rows.Err())
	return all
}

func (r *rig) waiting(q queue.Queue, kind string) (n int) {
	r.Helper()
	r.within(func(tx queue.Tx) bool {
		var err error
		n, err = q.Waiting(r.Context(), tx, kind)
		must(r, err)
		return false
	})
	return n
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func same(t testing.TB, got, want any) {
	t.Helper()
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("other than expected (-want +got):\n%s", diff)
	}
}

// next waits for a value; a test that gets none ends by the limit of go test.
func next[V any](r *rig, from <-chan V) V {
	r.Helper()
	select {
	case v := <-from:
		return v
	case <-time.After(30 * time.Second):
		r.Fatal("nothing came")
		panic("not reached")
	}
}

// ended is a context that is done.
func ended() context.Context {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	return ctx
}

func TestWorksWhatIsCommitted(t *testing.T) {
	t.Parallel()
	onEach(t, func(r *rig) {
		worked := make(chan queue.Job, 9)
		q := r.start(queue.Config{Node: "n"}, func(_ context.Context, job queue.Job) error {
			worked <- job
			return nil
		})
		r.within(func(tx queue.Tx) bool {
			must(r, q.Enqueue(r.Context(), tx, queue.Job{Kind: "run", Key: "undone"}))
			return false
		})
		for _, key := range []string{"", "a key: ü \x01 \"'"} {
			r.enqueue(q, key)
			same(r, next(r, worked), queue.Job{Kind: "run", Key: key})
		}
		must(r, q.Stop(r.Context()))
		same(r, r.rows(), map[string]int{"completed": 2})
	})
}

func TestWaiting(t *testing.T) {
	t.Parallel()
	onEach(t, func(r *rig) {
		q := r.queue(queue.Config{})
		r.enqueue(q, "1", "2")
		same(r, []int{r.waiting(q, "run"), r.waiting(q, "other")}, []int{2, 0})
	})
}

func TestTriesAgain(t *testing.T) {
	t.Parallel()
	onEach(t, func(r *rig) {
		for name, fail := range map[string]func() error{
			"error": func() error { return errors.New("wrong") },
			"panic": func() error { panic("wrong") },
		} {
			r.Run(name, func(t *testing.T) {
				var log lines
				tries, n := make(chan int, 9), 0
				q := r.start(queue.Config{Node: name, Logger: slog.New(slog.NewTextHandler(&log, nil))},
					func(context.Context, queue.Job) error {
						n++
						defer func() { tries <- n }()
						if n == 1 {
							return fail()
						}
						return nil
					})
				r.enqueue(q, "k")
				same(t, []int{next(r, tries), next(r, tries)}, []int{1, 2})
				must(t, q.Stop(r.Context()))
				if !strings.Contains(log.String(), "job failed, it is tried again") {
					t.Errorf("the failure is not in the log:\n%s", log.String())
				}
			})
		}
	})
}

func TestTakeBack(t *testing.T) {
	t.Parallel()
	onEach(t, func(r *rig) {
		begun, end := make(chan string, 9), make(chan struct{})
		release := sync.OnceFunc(func() { close(end) })
		defer release()
		hold := func(node string) queue.Handler {
			return func(_ context.Context, job queue.Job) error {
				begun <- node + " " + job.Key
				<-end
				return nil
			}
		}
		// With its only worker busy it takes nothing that is meant for others.
		dead := r.start(queue.Config{Node: "dead", Workers: 1}, hold("dead"))
		r.enqueue(dead, "k")
		same(r, next(r, begun), "dead k")

		alive := r.start(queue.Config{Node: "alive"}, hold("alive"))
		r.enqueue(alive, "own")
		same(r, next(r, begun), "alive own")
		for _, c := range []struct {
			node string
			want int
		}{{"unknown", 0}, {"dead", 1}, {"dead", 0}} {
			r.within(func(tx queue.Tx) bool {
				n, err := alive.Reclaim(r.Context(), tx, c.node)
				must(r, err)
				same(r, fmt.Sprint(c.node, n), fmt.Sprint(c.node, c.want))
				return true
			})
		}
		same(r, next(r, begun), "alive k")
		same(r, r.rows(), map[string]int{"running": 2, "discarded": 1})

		// The dead node was not dead: what it completes is no longer its job.
		release()
		must(r, dead.Stop(r.Context()))
		must(r, alive.Stop(r.Context()))
		same(r, r.rows(), map[string]int{"completed": 2, "discarded": 1})
	})
}

func TestStopWaits(t *testing.T) {
	t.Parallel()
	onEach(t, func(r *rig) {
		begun, end := make(chan struct{}), make(chan struct{})
		q := r.start(queue.Config{Node: "n"}, func(ctx context.Context, _ queue.Job) error {
			close(begun)
			<-end
			return ctx.Err()
		})
		r.enqueue(q, "k")
		next(r, begun)
		go close(end)
		must(r, q.Stop(context.Background()))
		same(r, r.rows(), map[string]int{"completed": 1})
	})
}

func TestStopCancels(t *testing.T) {
	t.Parallel()
	onEach(t, func(r *rig) {
		begun := make(chan struct{}, 9)
		q := r.start(queue.Config{Node: "n"}, func(ctx context.Context, _ queue.Job) error {
			begun <- struct{}{}
			<-ctx.Done()
			return fmt.Errorf("handed back: %w", ctx.Err())
		})
		r.enqueue(q, "k")
		next(r, begun)
		must(r, q.Stop(ended()))
		same(r, r.rows(), map[string]int{"available": 1})
		same(r, r.waiting(q, "run"), 1)
		var attempt int
		must(r, r.db.QueryRow(`SELECT attempt FROM river_job`).Scan(&attempt))
		same(r, attempt, 0)
	})
}

func TestStopGivesUp(t *testing.T) {
	t.Parallel()
	onEach(t, func(r *rig) {
		begun, end := make(chan struct{}), make(chan struct{})
		q := r.start(queue.Config{Node: "n", Grace: time.Millisecond}, func(context.Context, queue.Job) error {
			close(begun)
			<-end
			return nil
		})
		r.enqueue(q, "k")
		next(r, begun)
		if err := q.Stop(ended()); !errors.Is(err, context.DeadlineExceeded) {
			r.Errorf("Stop: %v, want that jobs are running still", err)
		}
		close(end)
		must(r, q.Stop(context.Background()))
	})
}

func TestStart(t *testing.T) {
	t.Parallel()
	onEach(t, func(r *rig) {
		worked := make(chan string, 9)
		handlers := map[string]queue.Handler{"run": func(_ context.Context, job queue.Job) error {
			worked <- job.Key
			return nil
		}}
		nameless := r.queue(queue.Config{})
		if nameless.Start(r.Context(), handlers) == nil {
			r.Error("a queue of no node was started")
		}
		must(r, nameless.Stop(ended()))

		ctx, cancel := context.WithCancel(r.Context())
		q := r.queue(queue.Config{Node: "n"})
		must(r, q.Start(ctx, handlers))
		cancel()
		if q.Start(r.Context(), handlers) == nil {
			r.Error("a queue was started twice")
		}
		r.enqueue(q, "k")
		same(r, next(r, worked), "k")
		must(r, q.Stop(context.Background()))
	})
}

// lines is a log that may be written and read at once.
type lines struct {
	mu   sync.Mutex
	text strings.Builder
}

func (l *lines) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.Write(p)
}

func (l *lines) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.String()
}
