package queue

import (
	"context"
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
	"github.com/riverqueue/river/rivermigrate"
	"github.com/riverqueue/river/rivertype"
)

// riverQueue is a queue based on River.
type riverQueue struct {
	cfg    Config
	driver riverdriver.Driver[pgx.Tx]

	mu sync.Mutex
	// running is nil until Start is called.
	running *river.Client[pgx.Tx]
}

// maxAttempts is the maximum number of attempts at a job.
const maxAttempts = 10

// pollInterval is the interval between searches for jobs whose notification was lost.
const pollInterval = 4 * time.Second

func (c Config) riverConfig() *river.Config {
	return &river.Config{
		ID:     c.Node,
		Logger: c.Logger,
		// An import may take hours. River's rescuer ignores jobs without a timeout, so
		// only Reclaim ends jobs of other nodes.
		JobTimeout:                  -1,
		RescueStuckJobsAfter:        time.Hour,
		MaxAttempts:                 maxAttempts,
		FetchCooldown:               20 * time.Millisecond,
		CompletedJobRetentionPeriod: time.Hour,
		CancelledJobRetentionPeriod: 24 * time.Hour,
		DiscardedJobRetentionPeriod: 24 * time.Hour,
		ErrorHandler:                failureLogger{c.Logger},
	}
}

// jobArgs are the arguments of a job in River.
type jobArgs struct {
	kind string
	Key  string `json:"key"`
}

func (a jobArgs) Kind() string { return a.kind }

func (q *riverQueue) Migrate(ctx context.Context) error {
	m, err := rivermigrate.New(q.driver, &rivermigrate.Config{Logger: q.cfg.Logger})
	if err == nil {
		_, err = m.Migrate(ctx, rivermigrate.DirectionUp, nil)
	}
	if err != nil {
		return fmt.Errorf("migrate the queue: %w", err)
	}
	return nil
}

func (q *riverQueue) Enqueue(ctx context.Context, tx Tx, job Job) error {
	err := withTx(tx, func(t pgx.Tx) error { return q.insert(ctx, t, jobArgs{job.Kind, job.Key}) })
	if err != nil {
		return fmt.Errorf("enqueue a job %s: %w", job.Kind, err)
	}
	return nil
}

// dueAtOnce is the due time of new jobs. It has passed on the clock of every database. River
// would use the clock of this process, and a database whose clock is behind would hold back the
// job for the difference.
var dueAtOnce = time.Unix(0, 0).UTC()

// insert adds a job and notifies all processes when t is committed. River's client would skip the
// notification if it sent another one less than its fetch cooldown earlier. If the other
// processes had reacted to that one before t was committed, the job would wait for the next poll.
func (q *riverQueue) insert(ctx context.Context, t pgx.Tx, args jobArgs) error {
	encoded, err := json.Marshal(args)
	if err != nil {
		return err
	}
	tx := q.driver.UnwrapExecutor(t)
	if _, err := tx.JobInsertFastMany(ctx, &riverdriver.JobInsertFastManyParams{Jobs: []*riverdriver.JobInsertFastParams{{
		Args: args, EncodedArgs: encoded, Kind: args.kind, MaxAttempts: maxAttempts, Priority: river.PriorityDefault,
		Queue: river.QueueDefault, ScheduledAt: &dueAtOnce, State: rivertype.JobStateAvailable, Tags: []string{},
	}}}); err != nil {
		return err
	}
	return tx.NotifyMany(ctx, &riverdriver.NotifyManyParams{Topic: "river_insert", Payload: []string{`{"queue":"` + river.QueueDefault + `"}`}})
}

func (q *riverQueue) Waiting(ctx context.Context, tx Tx, kind string) (int, error) {
	n := 0
	// Failed jobs do not count until they are due again. Otherwise, jobs would be
	// reported for hours although none is due.
	err := tx.QueryRowContext(ctx,
		`SELECT count(*) FROM river_job WHERE state = 'available' AND kind = $1 AND scheduled_at <= now()`, kind).Scan(&n)
	if err != nil {
		return 0, fmt.Errorf("count the jobs %s: %w", kind, err)
	}
	return n, nil
}

// Postgres returns a queue in the PostgreSQL database of pool. Transactions passed to the queue
// must be database/sql transactions over pgx. The caller closes the pool.
func Postgres(pool *pgxpool.Pool, cfg Config) Queue {
	return &riverQueue{cfg: cfg.withDefaults(), driver: riverpgxv5.New(pool)}
}

// withTx calls a function with the pgx transaction of tx.
func withTx(tx Tx, work func(pgx.Tx) error) error {
	return tx.Conn.Raw(func(driverConn any) error {
		conn, ok := driverConn.(*stdlib.Conn)
		if !ok {
			return errors.New("the transaction is not a pgx transaction")
		}
		return work(borrowedTx{conn.Conn()})
	})
}

type pgxConn = pgx.Conn

// borrowedTx is the open transaction of a connection. Only the owner of the
// connection may end it.
type borrowedTx struct{ *pgxConn }

var errBorrowed = errors.New("the transaction belongs to the caller")

func (t borrowedTx) Conn() *pgx.Conn                       { return t.pgxConn }
func (t borrowedTx) Begin(context.Context) (pgx.Tx, error) { return nil, errBorrowed }
func (t borrowedTx) Commit(context.Context) error          { return errBorrowed }
func (t borrowedTx) Rollback(context.Context) error        { return errBorrowed }

// LargeObjects implements pgx.Tx. River does not call it.
func (t borrowedTx) LargeObjects() pgx.LargeObjects { return pgx.LargeObjects{} }

func (q *riverQueue) Start(ctx context.Context, handlers map[string]Handler) error {
	q.mu.Lock()
	defer q.mu.Unlock()
	switch {
	case q.cfg.Node == "":
		return errors.New("start the queue: the node has no name")
	case q.running != nil:
		return errors.New("start the queue: already started")
	}
	cfg := q.cfg.riverConfig()
	cfg.FetchPollInterval = pollInterval
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
		return fmt.Errorf("start the queue: %w", err)
	}
	q.running = client
	return nil
}

func (q *riverQueue) Stop(ctx context.Context) error {
	q.mu.Lock()
	client := q.running
	q.mu.Unlock()
	if client == nil || client.Stop(ctx) == nil {
		return nil
	}
	grace, cancel := context.WithTimeout(context.WithoutCancel(ctx), q.cfg.Grace)
	defer cancel()
	if err := client.StopAndCancel(grace); err != nil {
		return stillRunning(q.cfg.Grace, err)
	}
	return nil
}

func stillRunning(grace time.Duration, err error) error {
	return fmt.Errorf("stop the queue: jobs are still running %s after they were canceled: %w", grace, err)
}

// handlerWorker runs the jobs of one kind.
type handlerWorker struct {
	river.WorkerDefaults[jobArgs]
	handle Handler
}

func (w *handlerWorker) Work(ctx context.Context, job *river.Job[jobArgs]) error {
	err := w.handle(ctx, Job{Kind: job.Kind, Key: job.Args.Key})
	if err != nil && ctx.Err() != nil {
		// An attempt that was canceled because the process is stopping does not count.
		return river.JobSnooze(0)
	}
	return err
}

// failureLogger logs failed jobs.
type failureLogger struct{ logger *slog.Logger }

func (f failureLogger) HandleError(_ context.Context, job *rivertype.JobRow, err error) *river.ErrorHandlerResult {
	f.logFailure(job, err)
	return nil
}

func (f failureLogger) HandlePanic(_ context.Context, job *rivertype.JobRow, value any, trace string) *river.ErrorHandlerResult {
	f.logFailure(job, fmt.Errorf("panic: %v\n%s", value, trace))
	return nil
}

func (f failureLogger) logFailure(job *rivertype.JobRow, err error) {
	logFailedJob(f.logger, job.Kind, string(job.EncodedArgs), job.Attempt, err)
}

// describedError is an error that adds attributes to its record in the log.
type describedError interface {
	error
	LogAttrs() []slog.Attr
}

func logFailedJob(logger *slog.Logger, kind, job string, attempt int, err error) {
	level, text := slog.LevelWarn, "job failed; it will be retried"
	if attempt >= maxAttempts {
		level, text = slog.LevelError, "job failed for the last time"
	}
	attrs := []slog.Attr{slog.String("kind", kind), slog.String("job", job), slog.Int("attempt", attempt)}
	if described, ok := errors.AsType[describedError](err); ok {
		attrs = append(attrs, described.LogAttrs()...)
	}
	logger.LogAttrs(context.Background(), level, text, append(attrs, slog.String("error", err.Error()))...)
}

// reclaimPage is the maximum number of running jobs that one query reads.
const reclaimPage = 1000

func (q *riverQueue) Reclaim(ctx context.Context, tx Tx, node string) (int, error) {
	reclaimed := 0
	err := withTx(tx, func(t pgx.Tx) (err error) {
		reclaimed, err = q.reclaim(ctx, t, node)
		return err
	})
	if err == nil {
		// Until its lease expires, a dead leader would prevent other nodes from becoming leader.
		_, err = tx.ExecContext(ctx, `DELETE FROM river_leader WHERE leader_id = $1`, node)
	}
	if err != nil {
		return 0, fmt.Errorf("reclaim the jobs of a node: %w", err)
	}
	return reclaimed, nil
}

// everyRun returns a time after the start of all running jobs, even if the clock of their node was
// wrong.
func everyRun() time.Time { return time.Now().AddDate(1, 0, 0) }

func (q *riverQueue) reclaim(ctx context.Context, t pgx.Tx, node string) (int, error) {
	reclaimed, after := 0, int64(0)
	for {
		running, err := q.driver.UnwrapExecutor(t).JobGetStuck(ctx, &riverdriver.JobGetStuckParams{
			AfterID:      after,
			Max:          reclaimPage,
			StuckHorizon: everyRun(),
		})
		if err != nil {
			return reclaimed, err
		}
		lost := jobsAttemptedBy(running, node)
		if err := q.reenqueue(ctx, t, lost); err != nil {
			return reclaimed, err
		}
		reclaimed += len(lost)
		if len(running) < reclaimPage {
			return reclaimed, nil
		}
		after = running[len(running)-1].ID
	}
}

// jobsAttemptedBy returns the jobs whose last attempt ran on node.
func jobsAttemptedBy(running []*rivertype.JobRow, node string) []*rivertype.JobRow {
	var own []*rivertype.JobRow
	for _, job := range running {
		if n := len(job.AttemptedBy); n > 0 && job.AttemptedBy[n-1] == node {
			own = append(own, job)
		}
	}
	return own
}

// reenqueue discards jobs and enqueues copies of them. The copies are new rows, so that a node
// that is in fact alive can complete only its own, discarded jobs and not the attempts of
// other nodes.
func (q *riverQueue) reenqueue(ctx context.Context, t pgx.Tx, lost []*rivertype.JobRow) error {
	if len(lost) == 0 {
		return nil
	}
	now := time.Now()
	discard := &riverdriver.JobRescueManyParams{StuckHorizon: everyRun()}
	for _, job := range lost {
		a := jobArgs{kind: job.Kind}
		if err := json.Unmarshal(job.EncodedArgs, &a); err != nil {
			return fmt.Errorf("read job %d: %w", job.ID, err)
		}
		if err := q.insert(ctx, t, a); err != nil {
			return fmt.Errorf("enqueue job %d again: %w", job.ID, err)
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
