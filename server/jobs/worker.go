// Package jobs calls the service to run jobs and periodic work.
//
// A [Worker] runs imports when a job requests it. It also records the heartbeat of
// this process, and calls the service for maintenance, connectors, uploads of
// results, and webhook deliveries. The service determines what is due.
package jobs

import (
	"context"
	"log/slog"
	"sync"
	"time"

	"github.com/intraydata/intray/server/model"
	"github.com/intraydata/intray/server/queue"
	"github.com/intraydata/intray/server/service"
)

const (
	// heartbeatInterval is the interval between heartbeats, and between searches for runs of ended
	// processes.
	heartbeatInterval = 2 * time.Second
	// maintenanceInterval is the interval between rounds of maintenance. The first one is after
	// heartbeatInterval.
	maintenanceInterval = 10 * time.Second
	// heartbeatTimeout is the maximum time without a successful heartbeat. After that,
	// other processes may consider this process dead, so it must stop its runs.
	heartbeatTimeout = 7 * time.Second
	// deliveryInterval is the maximum time between two calls to Deliver.
	deliveryInterval = 2 * time.Second
	// connectorWorkers is the maximum number of connectors that run at the same time,
	// and uploadWorkers is the maximum number of results that are uploaded at the same
	// time. Every pollInterval, one more worker looks for work.
	connectorWorkers, uploadWorkers, pollInterval = 8, 2, 4 * time.Second
	// garbageInterval is the interval between garbage collections.
	garbageInterval = 5 * time.Minute
	// scrubInterval is the interval between verifications of some stored files.
	scrubInterval = 10 * time.Second
)

// Service contains the methods that a worker calls.
type Service interface {
	// RunNext runs the next import. It reports whether there was one.
	RunNext(ctx context.Context) (bool, error)
	RecordHeartbeat(ctx context.Context) error
	// RecoverRuns reclaims runs of ended processes.
	RecoverRuns(ctx context.Context) error
	RunMaintenance(ctx context.Context) error
	Transfers
}

// Transfers contains the methods for connectors and deliveries.
type Transfers interface {
	// Deliver starts the webhook deliveries that are due. WaitForDeliveries waits until
	// no delivery is in progress.
	Deliver(ctx context.Context) error
	WaitForDeliveries()
	// RunNextConnector runs one connector that is due, and DeliverNextResult uploads
	// one result that is due. Both report whether there was one, and call claimed as soon as they have
	// claimed it.
	RunNextConnector(ctx context.Context, claimed func()) (bool, error)
	DeliverNextResult(ctx context.Context, claimed func()) (bool, error)
	// CollectGarbage deletes expired data and orphaned blobs.
	CollectGarbage(ctx context.Context) error
	// Scrub verifies the stored files of some imports.
	Scrub(ctx context.Context) error
	// DeliveriesReady returns a channel that receives a value when a new delivery becomes due.
	DeliveriesReady() <-chan struct{}
}

var _ Service = (*service.Service)(nil)

// Worker calls a service. Use New to create one.
type Worker struct {
	service Service
	log     *slog.Logger

	mu sync.Mutex
	// runs holds the functions that cancel running jobs.
	runs map[int]context.CancelFunc
	next int
}

// New returns a Worker.
func New(s Service, log *slog.Logger) *Worker {
	return &Worker{service: s, log: log, runs: map[int]context.CancelFunc{}}
}

// Handlers returns the handler for each kind of job.
func (w *Worker) Handlers() map[string]queue.Handler {
	return map[string]queue.Handler{model.RunJob: w.runImports}
}

// runImports runs imports until none is left for this process. One job is therefore
// enough to empty the queue.
func (w *Worker) runImports(ctx context.Context, _ queue.Job) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	w.mu.Lock()
	w.next++
	id := w.next
	w.runs[id] = cancel
	w.mu.Unlock()
	defer func() {
		w.mu.Lock()
		defer w.mu.Unlock()
		delete(w.runs, id)
	}()
	for ctx.Err() == nil {
		ran, err := w.service.RunNext(ctx)
		if err != nil || !ran {
			return err
		}
	}
	return ctx.Err()
}

// cancelRuns cancels the running jobs, because another process may already have
// taken over their imports.
func (w *Worker) cancelRuns() {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, cancel := range w.runs {
		cancel()
	}
}

// RunBackground performs the periodic work until ctx is canceled.
func (w *Worker) RunBackground(ctx context.Context) {
	var group sync.WaitGroup
	group.Go(func() { w.runHeartbeat(ctx) })
	group.Go(func() {
		repeat(ctx, heartbeatInterval, func() { w.logFailure(ctx, "runs not recovered", w.service.RecoverRuns(ctx)) })
	})
	group.Go(func() {
		work := func() { w.logFailure(ctx, "maintenance failed", w.service.RunMaintenance(ctx)) }
		select {
		case <-ctx.Done():
			return
		case <-time.After(heartbeatInterval):
			work()
		}
		repeat(ctx, maintenanceInterval, work)
	})
	group.Go(func() {
		repeat(ctx, garbageInterval, func() { w.logFailure(ctx, "garbage collection failed", w.service.CollectGarbage(ctx)) })
	})
	group.Go(func() {
		repeat(ctx, scrubInterval, func() { w.logFailure(ctx, "stored files not verified", w.service.Scrub(ctx)) })
	})
	group.Go(func() { w.runDeliveries(ctx) })
	group.Go(func() { w.pollWork(ctx, "connector not run", connectorWorkers, w.service.RunNextConnector) })
	group.Go(func() { w.pollWork(ctx, "result not uploaded", uploadWorkers, w.service.DeliverNextResult) })
	group.Wait()
}

// repeat calls the function work at the given interval until ctx is canceled.
func repeat(ctx context.Context, interval time.Duration, work func()) {
	ticker := time.NewTicker(interval)
	defer ticker.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
			work()
		}
	}
}

// logFailure logs an error, unless the cancellation of ctx may have caused it.
func (w *Worker) logFailure(ctx context.Context, text string, err error) {
	if err != nil && ctx.Err() == nil {
		w.log.Warn(text, "error", err)
	}
}

// pollWork starts a worker at each interval until ctx is canceled, unless the maximum number is
// working. A worker calls the function next until nothing is due, and each call that has claimed something
// starts another worker. Without work, there is therefore one call for each interval.
func (w *Worker) pollWork(ctx context.Context, failure string, workers int, next func(ctx context.Context, claimed func()) (bool, error)) {
	var group sync.WaitGroup
	defer group.Wait()
	working := make(chan struct{}, workers)
	var start func()
	start = func() {
		select {
		case working <- struct{}{}:
		default:
			return
		}
		group.Go(func() {
			defer func() { <-working }()
			for more := true; more && ctx.Err() == nil; {
				var err error
				if more, err = next(ctx, start); err != nil {
					w.logFailure(ctx, failure, err)
					return
				}
			}
		})
	}
	start()
	repeat(ctx, pollInterval, start)
}

func (w *Worker) runDeliveries(ctx context.Context) {
	defer w.service.WaitForDeliveries()
	ticker := time.NewTicker(deliveryInterval)
	defer ticker.Stop()
	for {
		w.logFailure(ctx, "deliveries not started", w.service.Deliver(ctx))
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
		case <-w.service.DeliveriesReady():
		}
	}
}

func (w *Worker) runHeartbeat(ctx context.Context) {
	last := time.Now()
	repeat(ctx, heartbeatInterval, func() {
		limited, cancel := context.WithTimeout(ctx, heartbeatInterval)
		defer cancel()
		err := w.service.RecordHeartbeat(limited)
		switch {
		case err == nil:
			last = time.Now()
		case ctx.Err() != nil:
		case time.Since(last) > heartbeatTimeout:
			w.log.Error("no heartbeat was recorded for too long; the runs of this process stop", "error", err)
			w.cancelRuns()
		default:
			w.log.Warn("heartbeat not recorded", "error", err)
		}
	})
}
