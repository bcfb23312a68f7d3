package queue

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"slices"
	"sync"
	"time"
)

// local is the queue of a database that only one process uses. It keeps the jobs in memory, which
// saves two transactions per job.
type local struct {
	cfg Config

	mu sync.Mutex
	// due are the jobs that no worker has started, and changed is signaled when there are more of them
	// or the queue stops.
	due     []localJob
	changed *sync.Cond
	// started and stopping report whether Start and Stop were called. cancel cancels the contexts
	// of the running jobs, and ended is closed when all workers have ended.
	started, stopping bool
	cancel            context.CancelFunc
	ended             chan struct{}
}

type localJob struct {
	Job
	// attempt counts the attempts from 1.
	attempt int
}

// Local returns a queue in memory, for a database that only this process uses. Its jobs are lost
// when the process ends, so the caller must enqueue jobs again for the work that it finds in the
// store when it starts.
func Local(cfg Config) Queue {
	q := &local{cfg: cfg.withDefaults(), ended: make(chan struct{})}
	q.changed = sync.NewCond(&q.mu)
	return q
}

func (q *local) Migrate(ctx context.Context) error { return ctx.Err() }

func (q *local) Enqueue(ctx context.Context, tx Tx, job Job) error {
	if err := ctx.Err(); err != nil {
		return fmt.Errorf("enqueue a job %s: %w", job.Kind, err)
	}
	if tx.AfterCommit == nil {
		return fmt.Errorf("enqueue a job %s: the transaction is read-only", job.Kind)
	}
	tx.AfterCommit(func() { q.add(localJob{job, 1}) })
	return nil
}

// add makes a job due.
func (q *local) add(job localJob) {
	q.mu.Lock()
	defer q.mu.Unlock()
	// Jobs have no payload, so further equal jobs would do nothing.
	if same := func(other localJob) bool { return other.Job == job.Job }; count(q.due, same) < q.cfg.Workers {
		q.due = append(q.due, job)
		q.changed.Signal()
	}
}

func count(jobs []localJob, matches func(localJob) bool) (n int) {
	for _, job := range jobs {
		if matches(job) {
			n++
		}
	}
	return n
}

func (q *local) Waiting(ctx context.Context, _ Tx, kind string) (int, error) {
	q.mu.Lock()
	defer q.mu.Unlock()
	return count(q.due, func(job localJob) bool { return job.Kind == kind }), ctx.Err()
}

// Reclaim returns 0, because the jobs of a process end with it.
func (q *local) Reclaim(ctx context.Context, _ Tx, _ string) (int, error) { return 0, ctx.Err() }

func (q *local) Start(ctx context.Context, handlers map[string]Handler) error {
	q.mu.Lock()
	defer q.mu.Unlock()
	switch {
	case q.cfg.Node == "":
		return errors.New("start the queue: the node has no name")
	case q.started:
		return errors.New("start the queue: already started")
	}
	q.started = true
	ctx, q.cancel = context.WithCancel(context.WithoutCancel(ctx))
	var workers sync.WaitGroup
	for range q.cfg.Workers {
		workers.Go(func() { q.work(ctx, handlers) })
	}
	go func() {
		workers.Wait()
		close(q.ended)
	}()
	return nil
}

// work runs jobs until the queue stops.
func (q *local) work(ctx context.Context, handlers map[string]Handler) {
	for {
		job, ok := q.next(handlers)
		if !ok {
			return
		}
		err := callHandler(ctx, handlers[job.Kind], job.Job)
		switch {
		case err == nil:
		case ctx.Err() != nil: // an attempt that was canceled does not count
			q.add(job)
		default:
			q.retry(job, err)
		}
	}
}

// next waits for a job that has a handler. It returns false if the queue stops.
func (q *local) next(handlers map[string]Handler) (localJob, bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	for !q.stopping {
		i := slices.IndexFunc(q.due, func(job localJob) bool { return handlers[job.Kind] != nil })
		if i >= 0 {
			job := q.due[i]
			q.due = slices.Delete(q.due, i, i+1)
			return job, true
		}
		q.changed.Wait()
	}
	return localJob{}, false
}

// callHandler calls a handler and returns a panic as an error.
func callHandler(ctx context.Context, handle Handler, job Job) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("panic: %v\n%s", p, debug.Stack())
		}
	}()
	return handle(ctx, job)
}

// retry makes a failed job due again later, unless it was the last attempt.
func (q *local) retry(job localJob, err error) {
	logFailedJob(q.cfg.Logger, job.Kind, job.Key, job.attempt, err)
	if job.attempt >= maxAttempts {
		return
	}
	n := time.Duration(job.attempt)
	time.AfterFunc(n*n*n*n*time.Second, func() { q.add(localJob{job.Job, job.attempt + 1}) })
}

func (q *local) Stop(ctx context.Context) error {
	q.mu.Lock()
	started := q.started
	q.stopping = true
	q.changed.Broadcast()
	q.mu.Unlock()
	if !started {
		return nil
	}
	defer q.cancel()
	select {
	case <-q.ended:
		return nil
	case <-ctx.Done():
	}
	q.cancel()
	grace, cancel := context.WithTimeout(context.WithoutCancel(ctx), q.cfg.Grace)
	defer cancel()
	select {
	case <-q.ended:
		return nil
	case <-grace.Done():
		return stillRunning(q.cfg.Grace, grace.Err())
	}
}
