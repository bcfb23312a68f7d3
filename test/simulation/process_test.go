package simulation

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"math/rand/v2"
	"time"

	"github.com/intraydata/intray/engine"
	"github.com/intraydata/intray/server/jobs"
	"github.com/intraydata/intray/server/memstore"
	"github.com/intraydata/intray/server/model"
	"github.com/intraydata/intray/server/service"
	"github.com/intraydata/intray/source/formats"
)

// process is a simulated process of Intray. After a crash, it never does anything again, and another
// process with the same data folder takes its place.
type process struct {
	*service.Service
	w    *world
	name string
	// skew is how far its clock is ahead.
	skew  time.Duration
	store *memstore.Store

	cancel context.CancelFunc
	// dead is guarded by the scheduler. frozen is the time until which the process is frozen.
	dead   bool
	frozen time.Time
	// failingCommit makes the next commit fail.
	failingCommit bool
	// calls counts the calls of RunNext.
	calls int
	// done is closed when all goroutines of the process have ended.
	done chan struct{}
}

// newProcess returns a process that does nothing yet. Its clock is ahead by skew.
func (w *world) newProcess(name string, skew time.Duration) *process {
	p := &process{w: w, name: name, skew: skew, cancel: func() {}, done: make(chan struct{})}
	p.store = w.store.Share(memstore.Config{Intercept: p.intercept})
	var err error
	p.Service, err = service.New(service.Config{
		Store: p.store, Blobs: &blobStore{w.blobs, p}, Keys: w.keys, Node: name,
		Clock: func() time.Time { return time.Now().Add(p.skew) }, Rand: w.randomOf(name),
		Engine:        engine.New(engine.Config{Formats: formats.Formats(""), Workers: 1, LoadHooks: loadHooks}),
		WebhookSender: &sender{p: p}, CrashPoint: func(point string) { w.wait(p, "crash point "+point) },
		Log: slog.New(slog.DiscardHandler), Runs: 2,
	})
	if err != nil {
		w.violate("start %s: %v", name, err)
	}
	return p
}

// randomOf returns the source of randomness of a process.
func (w *world) randomOf(name string) io.Reader {
	var seed [32]byte
	copy(seed[:], fmt.Sprintf("%d %s", w.seed, name))
	return rand.NewChaCha8(seed)
}

// intercept lets the scheduler decide about a transaction.
func (p *process) intercept(ctx context.Context, at memstore.Point) error {
	if at == memstore.Commit {
		if p.failingCommit {
			p.failingCommit = false
			return errInjected
		}
		return nil
	}
	if at == memstore.Committed {
		p.w.observe()
	}
	switch p.w.wait(p, activityOf(ctx)+": "+string(at)) {
	case fail:
		return errInjected
	case failCommit:
		p.failingCommit = true
	case crashed:
		return errCrashed
	}
	return nil
}

// start starts the work of the process in the background.
func (p *process) start() {
	ctx, cancel := context.WithCancel(context.Background())
	p.cancel = cancel
	go func() {
		defer close(p.done)
		for p.Join(named(ctx, "join")) != nil {
			select {
			case <-ctx.Done():
				return
			case <-time.After(time.Second):
			}
		}
		worker := jobs.New(namedWork{p}, slog.New(slog.DiscardHandler))
		ended := make(chan struct{})
		go func() {
			defer close(ended)
			p.store.RunJobs(named(ctx, "queue"), p.name, 2, worker.Handlers())
		}()
		worker.RunBackground(ctx)
		<-ended
	}()
}

// namedWork names the activities of a worker.
type namedWork struct{ *process }

func (n namedWork) RunNext(ctx context.Context) (bool, error) {
	n.calls++
	return n.process.RunNext(named(ctx, fmt.Sprintf("run#%d", n.calls)))
}

func (n namedWork) RecordHeartbeat(ctx context.Context) error {
	return n.process.RecordHeartbeat(named(ctx, "heartbeat"))
}

func (n namedWork) RecoverRuns(ctx context.Context) error {
	return n.process.RecoverRuns(named(ctx, "recover"))
}

func (n namedWork) RunMaintenance(ctx context.Context) error {
	return n.process.RunMaintenance(named(ctx, "maintain"))
}

func (n namedWork) Deliver(ctx context.Context) error {
	return n.process.Deliver(named(ctx, "deliver"))
}

func (n namedWork) CollectGarbage(ctx context.Context) error {
	return n.process.CollectGarbage(named(ctx, "garbage"))
}

// DeliveriesReady returns a channel that receives nothing. Otherwise, the worker would choose at random
// between this channel and its ticker, and histories would not be repeatable. Deliveries therefore begin
// up to 2 s later.
func (n namedWork) DeliveriesReady() <-chan struct{} { return nil }

// RunNextConnector does nothing, because there are no SFTP servers.
func (n namedWork) RunNextConnector(context.Context, func()) (bool, error) { return false, nil }

// DeliverNextResult does nothing, because there are no SFTP servers.
func (n namedWork) DeliverNextResult(context.Context, func()) (bool, error) { return false, nil }

// isLive reports whether a call to the process can be answered.
func (p *process) isLive() bool { return !p.w.isDead(p) }

var _ jobs.Service = namedWork{}

// view reads the database without the scheduler.
func view[T any](w *world, read func(tx model.Tx) (T, error)) T {
	got, err := model.View(context.Background(), w.store, read)
	if err != nil {
		w.violate("read the store: %v", err)
	}
	return got
}
