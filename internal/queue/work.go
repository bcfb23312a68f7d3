package queue

import (
	"context"
	"errors"
	"fmt"
	"log/slog"

	"github.com/riverqueue/river"
	"github.com/riverqueue/river/rivertype"
)

func (q *jobs[T]) Start(ctx context.Context, handlers map[string]Handler) error {
	q.mu.Lock()
	defer q.mu.Unlock()
	switch {
	case q.cfg.Node == "":
		return errors.New("starting the queue: the node has no name")
	case q.working != nil:
		return errors.New("starting the queue: it was started before")
	}
	cfg := q.cfg.river()
	cfg.Queues = map[string]river.QueueConfig{river.QueueDefault: {MaxWorkers: q.cfg.Workers}}
	cfg.Workers = river.NewWorkers()
	for kind, handle := range handlers {
		river.AddWorkerArgs(cfg.Workers, args{kind: kind}, &worker{handle: handle})
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

func (q *jobs[T]) Stop(ctx context.Context) error {
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

// worker calls the handler of one kind.
type worker struct {
	river.WorkerDefaults[args]
	handle Handler
}

func (w *worker) Work(ctx context.Context, job *river.Job[args]) error {
	err := w.handle(ctx, Job{Kind: job.Kind, Key: job.Args.Key})
	if err != nil && ctx.Err() != nil {
		// It is not the job's fault that we stop.
		return river.JobSnooze(0)
	}
	return err
}

// failures tells the logger of jobs that failed.
type failures struct{ logger *slog.Logger }

func (f failures) HandleError(ctx context.Context, job *rivertype.JobRow, err error) *river.ErrorHandlerResult {
	f.tell(ctx, job, err.Error())
	return nil
}

func (f failures) HandlePanic(ctx context.Context, job *rivertype.JobRow, value any, trace string) *river.ErrorHandlerResult {
	f.tell(ctx, job, fmt.Sprintf("panic: %v\n%s", value, trace))
	return nil
}

func (f failures) tell(ctx context.Context, job *rivertype.JobRow, what string) {
	level, text := slog.LevelWarn, "job failed, it is tried again"
	if job.Attempt >= job.MaxAttempts {
		level, text = slog.LevelError, "job failed for the last time"
	}
	f.logger.Log(ctx, level, text,
		"kind", job.Kind, "job", string(job.EncodedArgs), "attempt", job.Attempt, "error", what)
}
