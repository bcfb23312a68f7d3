// Package jobs turns jobs into calls of the service, and keeps this process
// known as living among those that share a store.
//
// Each kind of job leads to calls of one kind. A [Worker] also does what has to be done from
// time to time, and what arrives and leaves by itself: connectors, results that are put
// back, messages to receivers. It decides nothing: what a job means is the service's
// business.
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
	// heartbeatInterval is the time between two beats, and between two sweeps.
	heartbeatInterval = 2 * time.Second
	// heartbeatTimeout is how long beats may fail before this process must take it
	// that the others count it as dead, and stop its runs.
	heartbeatTimeout = 8 * time.Second
	// deliveryInterval is the longest time between two looks for what is to be delivered.
	deliveryInterval = 250 * time.Millisecond
	// pullers and putters are how many connectors run here at once, and how many
	// results are put back; pollInterval is how often each looks for one that is due.
	connectorWorkers, deliveryWorkers, pollInterval = 8, 2, time.Second
	// garbageInterval is the time between two tidyings.
	garbageInterval = 5 * time.Minute
)

// Service is what a worker calls.
type Service interface {
	// RunNext runs the import that is next in turn; false means there is none.
	RunNext(ctx context.Context) (bool, error)
	RecordHeartbeat(ctx context.Context) error
	RunMaintenance(ctx context.Context) error
	Transfers
}

// Transfers is what a worker calls for what arrives and leaves by itself.
type Transfers interface {
	// Deliver sends what is due to receivers outside, and Delivered waits for what is
	// on its way.
	Deliver(ctx context.Context) error
	WaitForDeliveries()
	// RunNextConnector runs the connector that is due, and DeliverNextResult puts a result back that is;
	// false means there is none.
	RunNextConnector(ctx context.Context) (bool, error)
	DeliverNextResult(ctx context.Context) (bool, error)
	// CollectGarbage deletes what was kept for long enough, and what was left behind.
	CollectGarbage(ctx context.Context) error
	// DeliveriesReady has a word when there is something new to deliver.
	DeliveriesReady() <-chan struct{}
}

var _ Service = (*service.Service)(nil)

// Worker calls a service.
type Worker struct {
	service Service
	log     *slog.Logger

	mu   sync.Mutex
	runs map[int]context.CancelFunc
	next int
}

// New makes a worker.
func New(s Service, log *slog.Logger) *Worker {
	return &Worker{service: s, log: log, runs: map[int]context.CancelFunc{}}
}

// Handlers gives the handler of each kind of job.
func (w *Worker) Handlers() map[string]queue.Handler {
	return map[string]queue.Handler{model.RunJob: w.runImports}
}

// runImports works on imports until none is left for this process, so that one job
// that was enqueued is enough to empty the queue.
func (w *Worker) runImports(ctx context.Context, _ queue.Job) error {
	ctx, done := w.withFencing(ctx)
	defer done()
	for ctx.Err() == nil {
		ran, err := w.service.RunNext(ctx)
		if err != nil || !ran {
			return err
		}
	}
	return ctx.Err()
}

// withFencing gives a context that ends when this process counts as dead.
func (w *Worker) withFencing(ctx context.Context) (context.Context, func()) {
	ctx, cancel := context.WithCancel(ctx)
	w.mu.Lock()
	defer w.mu.Unlock()
	w.next++
	id := w.next
	w.runs[id] = cancel
	return ctx, func() {
		w.mu.Lock()
		delete(w.runs, id)
		w.mu.Unlock()
		cancel()
	}
}

func (w *Worker) cancelRuns() {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, cancel := range w.runs {
		cancel()
	}
}

// RunBackground beats and sweeps until ctx ends.
func (w *Worker) RunBackground(ctx context.Context) {
	var group sync.WaitGroup
	group.Go(func() { w.heartbeatLoop(ctx) })
	group.Go(func() { w.maintenanceLoop(ctx) })
	group.Go(func() { w.deliveryLoop(ctx) })
	group.Go(func() { w.garbageLoop(ctx) })
	for range connectorWorkers {
		group.Go(func() { w.pollWork(ctx, "a connector could not be run", w.service.RunNextConnector) })
	}
	for range deliveryWorkers {
		group.Go(func() { w.pollWork(ctx, "a result could not be put back", w.service.DeliverNextResult) })
	}
	group.Wait()
}

// pollWork does what is due, one after the other, until ctx ends.
func (w *Worker) pollWork(ctx context.Context, trouble string, do func(context.Context) (bool, error)) {
	ticker := time.NewTicker(pollInterval)
	defer ticker.Stop()
	for {
		for did := true; did && ctx.Err() == nil; {
			var err error
			if did, err = do(ctx); err != nil {
				if ctx.Err() == nil {
					w.log.Warn(trouble, "error", err)
				}
				break
			}
		}
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
		}
	}
}

// garbageLoop tidies up now and then until ctx ends.
func (w *Worker) garbageLoop(ctx context.Context) {
	ticker := time.NewTicker(garbageInterval)
	defer ticker.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
		}
		if err := w.service.CollectGarbage(ctx); err != nil && ctx.Err() == nil {
			w.log.Warn("tidying up failed", "error", err)
		}
	}
}

// deliveryLoop looks for what is due until ctx ends.
func (w *Worker) deliveryLoop(ctx context.Context) {
	defer w.service.WaitForDeliveries()
	ticker := time.NewTicker(deliveryInterval)
	defer ticker.Stop()
	for {
		if err := w.service.Deliver(ctx); err != nil && ctx.Err() == nil {
			w.log.Warn("deliveries could not be looked for", "error", err)
		}
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
		case <-w.service.DeliveriesReady():
		}
	}
}

func (w *Worker) heartbeatLoop(ctx context.Context) {
	last := time.Now()
	repeatEvery(ctx, func() {
		beating, cancel := context.WithTimeout(ctx, heartbeatInterval)
		defer cancel()
		err := w.service.RecordHeartbeat(beating)
		switch {
		case err == nil:
			last = time.Now()
		case ctx.Err() != nil:
		case time.Since(last) > heartbeatTimeout:
			w.log.Error("the store has not heard this process for too long; its runs stop", "error", err)
			w.cancelRuns()
		default:
			w.log.Warn("a beat failed", "error", err)
		}
	})
}

func (w *Worker) maintenanceLoop(ctx context.Context) {
	repeatEvery(ctx, func() {
		if err := w.service.RunMaintenance(ctx); err != nil && ctx.Err() == nil {
			w.log.Warn("a sweep failed", "error", err)
		}
	})
}

func repeatEvery(ctx context.Context, work func()) {
	ticker := time.NewTicker(heartbeatInterval)
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
