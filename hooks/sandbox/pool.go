// Package sandbox runs the code of strangers in sandboxed processes.
//
// A Pool keeps Workers: processes of this very program, started again with the
// argument hook-worker, or of Node. A Worker is taken fresh by one user, gets
// Calls (a request of bytes, an answer of bytes) and is ended after its user.
// It is never lent twice. The sandbox is what a Worker locks itself into before it
// sees a byte of a stranger: no file, no socket, no other program, bounded
// memory. A Spare is a Worker that is started, sandboxed and waits to be taken. A
// Failure says why a Worker is dead.
//
// Requests and answers travel in frames over pipes: one byte for the kind, the
// length of the payload as four bytes, least first, and the payload.
//
//	to the worker      S  setup, once        from the worker  R  ready, once
//	                   Q  request                             N  note: what it does now
//	                                                          A  answer
//	                                                          F  fault, a text
//
// Every Q is met by A, in their order, or by F, which ends the worker. Before an
// A come notes, a million at most: the last one is told where the call ends the
// worker. Before S comes L, which tells of the sandbox and
// never reaches the code that answers. Whatever comes from a worker may be forged
// by the stranger in it: the length, the order and the kind are checked here; what
// an answer means must be checked by whoever asked.
//
// The package knows no JavaScript, no rows and no organizations. It keeps code
// from harming others, not from giving wrong answers.
package sandbox

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"
)

// ErrClosed says that the pool was closed.
var ErrClosed = errors.New("the pool of hook workers is closed")

// retryDelay is how long the pool waits before it starts a spare again after one
// could not be started, or died before it was taken.
const retryDelay = 100 * time.Millisecond

// Pool starts workers and keeps spares. It may be used by many goroutines.
type Pool struct {
	cfg          Config
	launcher     *launcher
	slots        chan int
	ready        chan *Worker
	startErrors  chan error
	closing      chan struct{}
	launches     chan func()
	fillers      sync.WaitGroup
	launchThread sync.WaitGroup
	monitor      usageMonitor
	closeOnce    sync.Once

	mu     sync.Mutex
	closed bool
	alive  map[*Worker]struct{}
	// reserved is how many workers are in use or waited for.
	reserved int
	reapers  sync.WaitGroup
}

// New opens a pool. It starts a first worker, so that a pool that was made is
// one that works, and gives a *RefusedError where the sandbox is to be strict and
// this system cannot build it.
func New(cfg Config) (*Pool, error) {
	return newPool(cfg, ProbeCapabilities())
}

// newPool makes a pool of what there is.
func newPool(cfg Config, has Capabilities) (*Pool, error) {
	cfg, err := cfg.withDefaults()
	if err != nil {
		return nil, err
	}
	launcher, err := newLauncher(&cfg, has)
	if err != nil {
		return nil, err
	}
	c := &Pool{
		cfg: cfg, launcher: launcher,
		slots:       make(chan int, cfg.MaxWorkers),
		ready:       make(chan *Worker),
		startErrors: make(chan error),
		closing:     make(chan struct{}),
		launches:    make(chan func()),
		alive:       map[*Worker]struct{}{},
	}
	for slot := range cfg.MaxWorkers {
		c.slots <- slot
	}
	c.launchThread.Go(c.runLaunches)
	first, err := c.startWorker(<-c.slots)
	if err != nil {
		c.Close()
		return nil, err
	}
	for range cfg.IdleWorkers {
		spare := first
		first = nil
		c.fillers.Go(func() { c.keepIdleWorker(spare) })
	}
	return c, nil
}

// Capabilities tells what this pool uses of the system. Missing lists the rest.
func (c *Pool) Capabilities() Capabilities { return c.launcher.capabilities() }

// Memory is the most that a worker may hold, in bytes.
func (c *Pool) Memory() int64 { return c.cfg.Memory }

// Worker takes a fresh worker, which nobody had before. It waits for one while
// as many are in use as there may be. The caller closes it.
func (c *Pool) Worker(ctx context.Context, limits Limits) (*Worker, error) {
	c.reserve(0)
	return c.waitReserved(ctx, limits)
}

// TryWorker is Worker for who can do without one: where as many workers are in
// use, or waited for, as there may be, it gives none and false at once. Else it
// waits for no longer than one takes to start.
func (c *Pool) TryWorker(ctx context.Context, limits Limits) (*Worker, bool, error) {
	if !c.reserve(c.cfg.MaxWorkers) {
		return nil, false, nil
	}
	w, err := c.waitReserved(ctx, limits)
	return w, err == nil, err
}

// reserve counts one who wants a worker, if there are fewer than most; 0 is any
// number.
func (c *Pool) reserve(most int) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if most > 0 && c.reserved >= most {
		return false
	}
	c.reserved++
	return true
}

func (c *Pool) release() {
	c.mu.Lock()
	c.reserved--
	c.mu.Unlock()
}

// waitReserved waits for a worker. The claim ends with the worker, or here where
// there is none.
func (c *Pool) waitReserved(ctx context.Context, limits Limits) (*Worker, error) {
	w, err := c.waitForWorker(ctx)
	if err != nil {
		c.release()
		return nil, err
	}
	w.assign(limits)
	go func() {
		<-w.dead
		c.release()
	}()
	return w, nil
}

func (c *Pool) waitForWorker(ctx context.Context) (*Worker, error) {
	select {
	case <-c.closing:
		return nil, ErrClosed
	default:
	}
	select {
	case w := <-c.ready:
		return w, nil
	case err := <-c.startErrors:
		return nil, err
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	case <-c.closing:
		return nil, ErrClosed
	}
}

// Close ends all workers, also those in use, and returns when none is left.
func (c *Pool) Close() {
	c.closeOnce.Do(func() {
		close(c.closing)
		c.mu.Lock()
		c.closed = true
		for w := range c.alive {
			w.fail(&Failure{Kind: KindClosed, Detail: "the service is stopping"})
		}
		c.mu.Unlock()
		c.fillers.Wait()
		c.reapers.Wait()
		close(c.launches)
		c.launchThread.Wait()
		c.launcher.close()
	})
}

// keepIdleWorker keeps one spare at hand until the pool closes.
func (c *Pool) keepIdleWorker(spare *Worker) {
	for {
		if spare == nil {
			spare = c.startIdleWorker()
		}
		if spare == nil {
			return
		}
		select {
		case c.ready <- spare:
		case <-spare.dead:
			c.waitRetryDelay()
		case <-c.closing:
			return
		}
		spare = nil
	}
}

// startIdleWorker starts a worker, again and again until one lives. It gives nil when the
// pool closes.
func (c *Pool) startIdleWorker() *Worker {
	for killed := false; ; {
		select {
		case slot := <-c.slots:
			w, err := c.startWorker(slot)
			if err == nil {
				return w
			}
			var dead *Failure
			if !killed && errors.As(err, &dead) && dead.Kind == KindKilled {
				killed = true // nothing is wrong with the next one
				continue
			}
			c.reportStartError(err)
		case <-c.closing:
			return nil
		}
	}
}

// reportStartError gives the reason to one who waits for a worker, if there is one.
func (c *Pool) reportStartError(err error) {
	select {
	case c.startErrors <- err:
	case <-time.After(retryDelay):
	case <-c.closing:
	}
}

func (c *Pool) waitRetryDelay() {
	select {
	case <-time.After(retryDelay):
	case <-c.closing:
	}
}

// startWorker makes a worker that is ready. The slot is given back when it is dead.
func (c *Pool) startWorker(slot int) (*Worker, error) {
	proc, err := c.startProcess(slot)
	if err != nil {
		c.slots <- slot
		return nil, err
	}
	w := newWorker(&c.cfg, proc, &c.monitor)
	c.mu.Lock()
	c.alive[w] = struct{}{}
	shut := c.closed
	c.reapers.Add(1)
	c.mu.Unlock()
	go func() {
		defer c.reapers.Done()
		w.reap()
		c.mu.Lock()
		delete(c.alive, w)
		c.mu.Unlock()
		c.slots <- slot
	}()
	if shut {
		w.fail(&Failure{Kind: KindClosed, Detail: "the service is stopping"})
	}
	return w, w.initialize(c.launcher.restrictions())
}

const (
	// monitorInterval is how often the guard looks at the workers.
	monitorInterval = 20 * time.Millisecond
	// maxThreads is far above what a runtime needs.
	maxThreads = 32
)

// usageMonitor looks at all workers that are lent, at the same moment: a program that
// wakes for each of them would be awake most of the time. Without workers it
// sleeps.
type usageMonitor struct {
	mu      sync.Mutex
	watched map[*Worker]struct{}
}

// track has a worker watched until it is gone.
func (g *usageMonitor) track(w *Worker) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if len(g.watched) == 0 {
		g.watched = map[*Worker]struct{}{}
		go g.run()
	}
	g.watched[w] = struct{}{}
}

func (g *usageMonitor) run() {
	ticker := time.NewTicker(monitorInterval)
	defer ticker.Stop()
	for g.checkAll() {
		<-ticker.C
	}
}

// checkAll says whether there is anybody to watch.
func (g *usageMonitor) checkAll() bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	for w := range g.watched {
		if !w.checkUsage() {
			delete(g.watched, w)
		}
	}
	return len(g.watched) > 0
}

// checkUsage kills a worker that holds too much. It says whether it is worth another
// look.
func (w *Worker) checkUsage() bool {
	select {
	case <-w.proc.gone:
		return false
	default:
	}
	held, threads, ok := w.proc.gauge.usage()
	switch {
	case !ok:
		return false
	case held > w.maxMemory:
		w.fail(&Failure{Kind: KindMemory, Detail: fmt.Sprintf("it held %d MiB of memory, and may hold %d", held>>20, w.maxMemory>>20)})
	case threads > maxThreads:
		w.fail(&Failure{Kind: KindThreads, Detail: fmt.Sprintf("it had %d threads, and may have %d", threads, maxThreads)})
	}
	return true
}
