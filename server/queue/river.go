package queue

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/jackc/pgx/v5/stdlib"
	"github.com/riverqueue/river"
	"github.com/riverqueue/river/riverdriver"
	"github.com/riverqueue/river/riverdriver/riverpgxv5"
	"github.com/riverqueue/river/riverdriver/riversqlite"
	"github.com/riverqueue/river/rivermigrate"
	"github.com/riverqueue/river/rivertype"
)

// riverQueue is a queue kept by River. T is what River takes for a transaction on the
// database.
type riverQueue[T any] struct {
	cfg    Config
	driver riverdriver.Driver[T]
	withTx func(tx Tx, work func(T) error) error
	insert *river.Client[T]

	mu sync.Mutex
	// working is nil before Start.
	working *river.Client[T]
}

func newRiverQueue[T any](driver riverdriver.Driver[T], cfg Config, lend func(Tx, func(T) error) error) (*riverQueue[T], error) {
	cfg = cfg.withDefaults()
	insert, err := river.NewClient(driver, cfg.riverConfig())
	if err != nil {
		return nil, fmt.Errorf("opening the queue: %w", err)
	}
	return &riverQueue[T]{cfg: cfg, driver: driver, withTx: lend, insert: insert}, nil
}

func (c Config) riverConfig() *river.Config {
	return &river.Config{
		ID:     c.Node,
		Logger: c.Logger,
		// An import may take hours. River's rescuer passes over jobs without
		// a timeout, so that nothing but Reclaim ends the job of another.
		JobTimeout:                  -1,
		RescueStuckJobsAfter:        time.Hour,
		MaxAttempts:                 10,
		FetchCooldown:               20 * time.Millisecond,
		FetchPollInterval:           500 * time.Millisecond,
		CompletedJobRetentionPeriod: time.Hour,
		CancelledJobRetentionPeriod: 24 * time.Hour,
		DiscardedJobRetentionPeriod: 24 * time.Hour,
		ErrorHandler:                failureLogger{c.Logger},
	}
}

// jobArgs is what River keeps of a job beside its kind.
type jobArgs struct {
	kind string
	Key  string `json:"key"`
}

func (a jobArgs) Kind() string { return a.kind }

func (q *riverQueue[T]) Migrate(ctx context.Context) error {
	m, err := rivermigrate.New(q.driver, &rivermigrate.Config{Logger: q.cfg.Logger})
	if err == nil {
		_, err = m.Migrate(ctx, rivermigrate.DirectionUp, nil)
	}
	if err != nil {
		return fmt.Errorf("migrating the queue: %w", err)
	}
	return nil
}

func (q *riverQueue[T]) Enqueue(ctx context.Context, tx Tx, job Job) error {
	err := q.withTx(tx, func(t T) error {
		_, err := q.insert.InsertTx(ctx, t, jobArgs{job.Kind, job.Key}, nil)
		return err
	})
	if err != nil {
		return fmt.Errorf("enqueueing a job %s: %w", job.Kind, err)
	}
	return nil
}

func (q *riverQueue[T]) Waiting(ctx context.Context, tx Tx, kind string) (int, error) {
	n := 0
	// A job that failed is not waiting before it is due again, or it would
	// hide for hours that nothing is.
	err := tx.QueryRowContext(ctx,
		`SELECT count(*) FROM river_job WHERE state = 'available' AND kind = $1`, kind).Scan(&n)
	if err != nil {
		return 0, fmt.Errorf("counting the jobs %s: %w", kind, err)
	}
	return n, nil
}

// SQLite gives the queue in the SQLite database of pool. The pool must have one
// connection and be the queue's alone; it is the caller's to close.
func SQLite(pool *sql.DB, cfg Config) (Queue, error) {
	return newRiverQueue(riversqlite.New(pool), cfg, func(tx Tx, work func(*sql.Tx) error) error {
		return work(tx.Tx)
	})
}

// Postgres gives the queue in the PostgreSQL database of pool. Transactions
// lent to it must be those of database/sql over pgx. The pool is the caller's
// to close.
func Postgres(pool *pgxpool.Pool, cfg Config) (Queue, error) {
	return newRiverQueue(riverpgxv5.New(pool), cfg, func(tx Tx, work func(pgx.Tx) error) error {
		return tx.Conn.Raw(func(driverConn any) error {
			conn, ok := driverConn.(*stdlib.Conn)
			if !ok {
				return errors.New("the transaction is not one of pgx")
			}
			return work(borrowedTx{conn.Conn()})
		})
	})
}

type pgxConn = pgx.Conn

// borrowedTx is the transaction that is open on a connection, and is ended by
// whoever began it.
type borrowedTx struct{ *pgxConn }

var errBorrowed = errors.New("the transaction is only lent")

func (t borrowedTx) Conn() *pgx.Conn                       { return t.pgxConn }
func (t borrowedTx) Begin(context.Context) (pgx.Tx, error) { return nil, errBorrowed }
func (t borrowedTx) Commit(context.Context) error          { return errBorrowed }
func (t borrowedTx) Rollback(context.Context) error        { return errBorrowed }

// LargeObjects is there because pgx.Tx has it; River does not call it.
func (t borrowedTx) LargeObjects() pgx.LargeObjects { return pgx.LargeObjects{} }

func (q *riverQueue[T]) Start(ctx context.Context, handlers map[string]Handler) error {
	q.mu.Lock()
	defer q.mu.Unlock()
	switch {
	case q.cfg.Node == "":
		return errors.New("starting the queue: the node has no name")
	case q.working != nil:
		return errors.New("starting the queue: it was started before")
	}
	cfg := q.cfg.riverConfig()
	cfg.Queues = map[string]river.QueueConfig{river.QueueDefault: {MaxWorkers: q.cfg.Workers}}
	cfg.Workers = river.NewWorkers()
	for kind, handle := range handlers {
		river.AddWorkerArgs(cfg.Workers, jobArgs{kind: kind}, &handlerWorker{handle: handle})
	}
	client, err := river.NewClient(q.driver, cfg)
	if err == nil {
		err = client.Start(context.WithoutCancel(ctx))
	}
	if err != nil {
		return fmt.Errorf("starting the queue: %w", err)
	}
	q.working = client
	return nil
}

func (q *riverQueue[T]) Stop(ctx context.Context) error {
	q.mu.Lock()
	client := q.working
	q.mu.Unlock()
	if client == nil || client.Stop(ctx) == nil {
		return nil
	}
	grace, cancel := context.WithTimeout(context.WithoutCancel(ctx), q.cfg.Grace)
	defer cancel()
	if err := client.StopAndCancel(grace); err != nil {
		return fmt.Errorf("stopping the queue: jobs are running still, %s after they were cancelled: %w", q.cfg.Grace, err)
	}
	return nil
}

// handlerWorker calls the handler of one kind.
type handlerWorker struct {
	river.WorkerDefaults[jobArgs]
	handle Handler
}

func (w *handlerWorker) Work(ctx context.Context, job *river.Job[jobArgs]) error {
	err := w.handle(ctx, Job{Kind: job.Kind, Key: job.Args.Key})
	if err != nil && ctx.Err() != nil {
		// It is not the job's fault that we stop.
		return river.JobSnooze(0)
	}
	return err
}

// failureLogger tells the logger of jobs that failed.
type failureLogger struct{ logger *slog.Logger }

func (f failureLogger) HandleError(ctx context.Context, job *rivertype.JobRow, err error) *river.ErrorHandlerResult {
	f.logFailure(ctx, job, err.Error())
	return nil
}

func (f failureLogger) HandlePanic(ctx context.Context, job *rivertype.JobRow, value any, trace string) *river.ErrorHandlerResult {
	f.logFailure(ctx, job, fmt.Sprintf("panic: %v\n%s", value, trace))
	return nil
}

func (f failureLogger) logFailure(ctx context.Context, job *rivertype.JobRow, what string) {
	level, text := slog.LevelWarn, "job failed, it is tried again"
	if job.Attempt >= job.MaxAttempts {
		level, text = slog.LevelError, "job failed for the last time"
	}
	f.logger.Log(ctx, level, text,
		"kind", job.Kind, "job", string(job.EncodedArgs), "attempt", job.Attempt, "error", what)
}

// reclaimPage is how many running jobs are looked at with one query.
const reclaimPage = 1000

func (q *riverQueue[T]) Reclaim(ctx context.Context, tx Tx, node string) (int, error) {
	taken := 0
	err := q.withTx(tx, func(t T) (err error) {
		taken, err = q.reclaim(ctx, t, node)
		return err
	})
	if err == nil {
		// A dead leader would keep its lease, and nobody else would lead.
		_, err = tx.ExecContext(ctx, `DELETE FROM river_leader WHERE leader_id = $1`, node)
	}
	if err != nil {
		return 0, fmt.Errorf("taking back the jobs of a node: %w", err)
	}
	return taken, nil
}

func (q *riverQueue[T]) reclaim(ctx context.Context, t T, node string) (int, error) {
	taken, after := 0, int64(0)
	for {
		running, err := q.driver.UnwrapExecutor(t).JobGetStuck(ctx, &riverdriver.JobGetStuckParams{
			AfterID: after,
			Max:     reclaimPage,
			// Every running job, whatever the clock of its node said.
			StuckHorizon: time.Now().AddDate(1, 0, 0),
		})
		if err != nil {
			return taken, err
		}
		lost := jobsAttemptedBy(running, node)
		if err := q.reenqueue(ctx, t, lost); err != nil {
			return taken, err
		}
		taken += len(lost)
		if len(running) < reclaimPage {
			return taken, nil
		}
		after = running[len(running)-1].ID
	}
}

// jobsAttemptedBy gives the jobs whose last try was made by node.
func jobsAttemptedBy(running []*rivertype.JobRow, node string) []*rivertype.JobRow {
	var own []*rivertype.JobRow
	for _, job := range running {
		if n := len(job.AttemptedBy); n > 0 && job.AttemptedBy[n-1] == node {
			own = append(own, job)
		}
	}
	return own
}

// reenqueue discards jobs and enqueues new ones like them. New rows, because a
// node that is not quite dead completes by row: it finds its own discarded and
// cannot complete the try of another.
func (q *riverQueue[T]) reenqueue(ctx context.Context, t T, lost []*rivertype.JobRow) error {
	if len(lost) == 0 {
		return nil
	}
	now := time.Now()
	discard := &riverdriver.JobRescueManyParams{}
	for _, job := range lost {
		a := jobArgs{kind: job.Kind}
		if err := json.Unmarshal(job.EncodedArgs, &a); err != nil {
			return fmt.Errorf("reading job %d: %w", job.ID, err)
		}
		if _, err := q.insert.InsertTx(ctx, t, a, nil); err != nil {
			return fmt.Errorf("enqueueing job %d again: %w", job.ID, err)
		}
		reason, err := json.Marshal(rivertype.AttemptError{
			At: now, Attempt: job.Attempt, Error: "the node died; the job was enqueued again"})
		if err != nil {
			return err
		}
		discard.ID = append(discard.ID, job.ID)
		discard.Error = append(discard.Error, reason)
		discard.FinalizedAt = append(discard.FinalizedAt, &now)
		discard.ScheduledAt = append(discard.ScheduledAt, job.ScheduledAt)
		discard.State = append(discard.State, string(rivertype.JobStateDiscarded))
	}
	_, err := q.driver.UnwrapExecutor(t).JobRescueMany(ctx, discard)
	return err
}
