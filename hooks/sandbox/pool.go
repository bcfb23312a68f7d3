// Package sandbox runs untrusted code in sandboxed processes.
//
// A [Pool] manages workers: processes that run this program with the argument hook-worker, or
// Node. Each [Worker] is given to one caller, who makes calls (a request and an answer, both
// sequences of bytes) and closes it. A worker is never reused. Before a worker receives
// untrusted input, it restricts itself: it has no access to files, sockets or other programs,
// and its memory is limited. An idle worker is a worker that has started and restricted
// itself, and is not in use yet. A [Failure] is the reason why a worker ended.
//
// Requests and answers are sent through pipes as frames. A frame is one byte for the kind,
// the length of the payload in four bytes, little-endian, and the payload.
//
//	to the worker      S  setup, once        from the worker  R  ready, once
//	                   Q  request                             N  note: what it does now
//	                                                          A  answer
//	                                                          F  fault, as text
//
// The worker answers each Q with A, in order, or with F, which ends the worker. Up to a
// million N may come before an A. A failure includes the last of them. Before S, the worker
// receives L, which contains the restrictions and is not passed to the handler. Everything
// that a worker sends may be forged. The package checks the length, order and kind of
// frames; the caller must check the content of answers.
//
// The package has no knowledge of JavaScript, rows or organizations. It protects the
// service from untrusted code, but does not check the results of that code.
package sandbox

import (
	"context"
	"errors"
	"fmt"
	"os"
	"runtime"
	"sync"
	"time"
)

// ErrClosed reports that the pool is closed.
var ErrClosed = errors.New("the pool of hook workers is closed")

// retryDelay is the delay before the pool starts another idle worker after one failed to start
// or died before it was used.
const retryDelay = 100 * time.Millisecond

// Pool starts workers and keeps some of them idle. It is safe for concurrent use.
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
	// reserved is the number of workers that are in use or that callers are waiting for.
	reserved int
	reapers  sync.WaitGroup
}

// New opens a pool. It starts a worker first, so that a pool that it returns is known to work.
// It returns a *RefusedError if the mode is Strict and the system does not support the whole
// sandbox, and a *RuntimeError if Node is the runtime and does not start.
func New(cfg Config) (*Pool, error) {
	return newPool(cfg, ProbeCapabilities())
}

// newPool opens a pool on a system with the given capabilities.
func newPool(cfg Config, has Capabilities) (*Pool, error) {
	cfg, err := cfg.withDefaults()
	if err != nil {
		return nil, err
	}
	launcher, err := newLauncher(&cfg, has)
	if err != nil {
		return nil, err
	}
	p := &Pool{
		cfg: cfg, launcher: launcher,
		slots:       make(chan int, cfg.MaxWorkers),
		ready:       make(chan *Worker),
		startErrors: make(chan error),
		closing:     make(chan struct{}),
		launches:    make(chan func()),
		alive:       map[*Worker]struct{}{},
	}
	for slot := range cfg.MaxWorkers {
		p.slots <- slot
	}
	p.launchThread.Go(p.runLaunches)
	first, err := p.startWorker(<-p.slots)
	if err != nil {
		p.Close()
		var dead *Failure
		if cfg.Runtime == Node && errors.As(err, &dead) && dead.Kind != KindKilled {
			err = nodeFailed(err)
		}
		return nil, err
	}
	for range cfg.IdleWorkers {
		idle := first
		first = nil
		p.fillers.Go(func() { p.keepIdleWorker(idle) })
	}
	return p, nil
}

// Capabilities returns the features that this pool uses. Its method Missing describes the
// features that it does not use.
func (p *Pool) Capabilities() Capabilities { return p.launcher.capabilities() }

// Memory returns the memory limit of a worker, in bytes.
func (p *Pool) Memory() int64 { return p.cfg.Memory }

// Worker returns a worker that has never been used. If MaxWorkers are in use, it waits. The
// caller must close the worker.
func (p *Pool) Worker(ctx context.Context, limits Limits) (*Worker, error) {
	p.reserve(0)
	return p.waitReserved(ctx, limits)
}

// TryWorker is like Worker, but returns false immediately if MaxWorkers are in use or
// reserved by waiting callers. Otherwise, it waits only until a worker has started.
func (p *Pool) TryWorker(ctx context.Context, limits Limits) (*Worker, bool, error) {
	if !p.reserve(p.cfg.MaxWorkers) {
		return nil, false, nil
	}
	w, err := p.waitReserved(ctx, limits)
	return w, err == nil, err
}

// reserve counts one more worker as reserved and returns true. If limit workers are already
// reserved, it returns false. A limit of 0 means no limit.
func (p *Pool) reserve(limit int) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if limit > 0 && p.reserved >= limit {
		return false
	}
	p.reserved++
	return true
}

func (p *Pool) release() {
	p.mu.Lock()
	p.reserved--
	p.mu.Unlock()
}

// waitReserved waits for a worker. The reservation ends when the worker ends, or
// immediately if there is an error.
func (p *Pool) waitReserved(ctx context.Context, limits Limits) (*Worker, error) {
	w, err := p.waitForWorker(ctx)
	if err != nil {
		p.release()
		return nil, err
	}
	w.assign(limits)
	go func() {
		<-w.dead
		p.release()
	}()
	return w, nil
}

func (p *Pool) waitForWorker(ctx context.Context) (*Worker, error) {
	for {
		select {
		case <-p.closing:
			return nil, ErrClosed
		default:
		}
		select {
		case w := <-p.ready:
			if !w.hasEnded() { // keepIdleWorker can pass on a worker that has just died
				return w, nil
			}
		case err := <-p.startErrors:
			return nil, err
		case <-ctx.Done():
			return nil, context.Cause(ctx)
		case <-p.closing:
			return nil, ErrClosed
		}
	}
}

// Close ends all workers, including those in use, and waits until all have ended.
func (p *Pool) Close() {
	p.closeOnce.Do(func() {
		close(p.closing)
		p.mu.Lock()
		p.closed = true
		for w := range p.alive {
			w.fail(&Failure{Kind: KindClosed, Detail: "the service is stopping"})
		}
		p.mu.Unlock()
		p.fillers.Wait()
		p.reapers.Wait()
		close(p.launches)
		p.launchThread.Wait()
		p.launcher.close()
	})
}

// keepIdleWorker keeps one idle worker ready until the pool is closed.
func (p *Pool) keepIdleWorker(idle *Worker) {
	for {
		if idle == nil {
			idle = p.startIdleWorker()
		}
		if idle == nil {
			return
		}
		select {
		case p.ready <- idle:
		case <-idle.dead:
			p.waitRetryDelay()
		case <-p.closing:
			return
		}
		idle = nil
	}
}

// startIdleWorker starts a worker. It retries until it succeeds, or returns nil when the
// pool is closed.
func (p *Pool) startIdleWorker() *Worker {
	for killed := false; ; {
		select {
		case slot := <-p.slots:
			w, err := p.startWorker(slot)
			if err == nil {
				return w
			}
			var dead *Failure
			if !killed && errors.As(err, &dead) && dead.Kind == KindKilled {
				killed = true // the next attempt will probably succeed
				continue
			}
			p.reportStartError(err)
		case <-p.closing:
			return nil
		}
	}
}

// reportStartError passes the error to a caller that is waiting for a worker, if there is one.
func (p *Pool) reportStartError(err error) {
	select {
	case p.startErrors <- err:
	case <-time.After(retryDelay):
	case <-p.closing:
	}
}

func (p *Pool) waitRetryDelay() {
	select {
	case <-time.After(retryDelay):
	case <-p.closing:
	}
}

// startWorker starts a worker and waits until it is ready. The slot is released when the
// worker ends.
func (p *Pool) startWorker(slot int) (*Worker, error) {
	proc, err := p.startProcess(slot)
	if err != nil {
		p.slots <- slot
		return nil, err
	}
	w := newWorker(&p.cfg, proc, &p.monitor)
	p.mu.Lock()
	p.alive[w] = struct{}{}
	shut := p.closed
	p.reapers.Add(1)
	p.mu.Unlock()
	go func() {
		defer p.reapers.Done()
		w.reap()
		p.mu.Lock()
		delete(p.alive, w)
		p.mu.Unlock()
		p.slots <- slot
	}()
	if shut {
		w.fail(&Failure{Kind: KindClosed, Detail: "the service is stopping"})
	}
	return w, w.initialize(p.launcher.restrictions())
}

const (
	// monitorInterval is the interval at which the resource usage of workers is measured.
	monitorInterval = 20 * time.Millisecond
	// maxThreads is the maximum number of threads of a worker, which is much higher than the
	// number that a runtime needs.
	maxThreads = 32
)

// usageMonitor measures, in one pass, all workers that are in use, because a separate timer for
// each worker would wake the program too often. It does not run while no worker is in use.
type usageMonitor struct {
	mu      sync.Mutex
	watched map[*Worker]struct{}
}

// track monitors a worker until it ends.
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

// checkAll checks the usage of all workers. It reports whether any worker is still running.
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

// checkUsage ends a worker that exceeds its limits. It returns false if the process has
// already ended.
func (w *Worker) checkUsage() bool {
	if w.hasEnded() {
		return false
	}
	held, threads, ok := w.proc.gauge.usage()
	switch {
	case !ok:
		return false
	case held > w.maxMemory:
		w.fail(&Failure{Kind: KindMemory, Detail: fmt.Sprintf("it used %d MiB of memory, more than %d", held>>20, w.maxMemory>>20)})
	case threads > maxThreads:
		w.fail(&Failure{Kind: KindThreads, Detail: fmt.Sprintf("it had %d threads, more than %d", threads, maxThreads)})
	}
	return true
}

// process is a child process, with the pipes to its standard input, output and error.
type process struct {
	os   *os.Process
	in   *os.File
	out  *os.File
	err  *os.File
	gone chan struct{}

	mu     sync.Mutex
	reaped bool
	gauge  gauge
}

// expirePipes limits how long the pipes of a process are read after its end, because a
// child of the process could keep them open.
func (p *process) expirePipes(after time.Duration) {
	end := time.Now().Add(after)
	for _, file := range []*os.File{p.in, p.out, p.err} {
		_ = file.SetDeadline(end)
	}
}

func (p *process) close() {
	for _, file := range []*os.File{p.in, p.out, p.err} {
		_ = file.Close()
	}
	p.gauge.close()
}

// environment returns the complete environment of a worker. It does not depend on the
// environment of this process.
func environment() []string { return []string{"TZ=UTC"} }

// runLaunches starts all processes from one thread that lives as long as the pool, because
// Linux kills a child when the thread that started it ends.
func (p *Pool) runLaunches() {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	for job := range p.launches {
		job()
	}
}

// startProcess starts a process from the thread of runLaunches.
func (p *Pool) startProcess(slot int) (proc *process, err error) {
	done := make(chan struct{})
	p.launches <- func() {
		defer close(done)
		proc, err = p.launcher.startProcess(slot)
	}
	<-done
	return proc, err
}

// pipes are the pipes between this program and a child.
type pipes struct{ in, out, err pipe }

type pipe struct{ read, write *os.File }

func openPipes() (p pipes, err error) {
	for _, one := range []*pipe{&p.in, &p.out, &p.err} {
		if one.read, one.write, err = os.Pipe(); err != nil {
			p.close()
			return pipes{}, err
		}
	}
	return p, nil
}

// childEnds returns the pipe ends that the child uses.
func (p *pipes) childEnds() []*os.File { return []*os.File{p.in.read, p.out.write, p.err.write} }

func (p *pipes) closeChildEnds() {
	for _, file := range p.childEnds() {
		_ = file.Close()
	}
}

func (p *pipes) close() {
	for _, one := range []pipe{p.in, p.out, p.err} {
		_ = one.read.Close()
		_ = one.write.Close()
	}
}
