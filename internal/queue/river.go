package queue

import (
	"context"
	"fmt"
	"sync"
	"time"

	"github.com/riverqueue/river"
	"github.com/riverqueue/river/riverdriver"
	"github.com/riverqueue/river/rivermigrate"
)

// jobs is a queue kept by River. T is what River takes for a transaction on the
// database.
type jobs[T any] struct {
	cfg    Config
	driver riverdriver.Driver[T]
	lend   func(tx Tx, work func(T) error) error
	insert *river.Client[T]

	mu sync.Mutex
	// working is nil before Start.
	working *river.Client[T]
}

func newJobs[T any](driver riverdriver.Driver[T], cfg Config, lend func(Tx, func(T) error) error) (*jobs[T], error) {
	cfg = cfg.withDefaults()
	insert, err := river.NewClient(driver, cfg.river())
	if err != nil {
		return nil, fmt.Errorf("opening the queue: %w", err)
	}
	return &jobs[T]{cfg: cfg, driver: driver, lend: lend, insert: insert}, nil
}

func (c Config) river() *river.Config {
	return &river.Config{
		ID:     c.Node,
		Logger: c.Logger,
		// An import may take hours. River's rescuer passes over jobs without
		// a timeout, so that nothing but TakeBack ends the job of another.
		JobTimeout:                  -1,
		RescueStuckJobsAfter:        time.Hour,
		MaxAttempts:                 10,
		FetchCooldown:               20 * time.Millisecond,
		FetchPollInterval:           500 * time.Millisecond,
		CompletedJobRetentionPeriod: time.Hour,
		CancelledJobRetentionPeriod: 24 * time.Hour,
		DiscardedJobRetentionPeriod: 24 * time.Hour,
		ErrorHandler:                failures{c.Logger},
	}
}

// args is what River keeps of a job beside its kind.
type args struct {
	kind string
	Key  string `json:"key"`
}

func (a args) Kind() string { return a.kind }

func (q *jobs[T]) Migrate(ctx context.Context) error {
	m, err := rivermigrate.New(q.driver, &rivermigrate.Config{Logger: q.cfg.Logger})
	if err == nil {
		_, err = m.Migrate(ctx, rivermigrate.DirectionUp, nil)
	}
	if err != nil {
		return fmt.Errorf("migrating the queue: %w", err)
	}
	return nil
}

func (q *jobs[T]) Enqueue(ctx context.Context, tx Tx, job Job) error {
	err := q.lend(tx, func(t T) error {
		_, err := q.insert.InsertTx(ctx, t, args{job.Kind, job.Key}, nil)
		return err
	})
	if err != nil {
		return fmt.Errorf("enqueueing a job %s: %w", job.Kind, err)
	}
	return nil
}

func (q *jobs[T]) Waiting(ctx context.Context, tx Tx, kind string) (int, error) {
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
