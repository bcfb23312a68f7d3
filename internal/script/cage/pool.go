// Package cage runs the code of strangers in jailed processes.
//
// A Cage keeps Workers: processes of this very program, started again with the
// argument hook-worker, or of Node. A Worker is taken fresh by one user, gets
// Calls (a request of bytes, an answer of bytes) and is ended after its user.
// It is never lent twice. The Jail is what a Worker locks itself into before it
// sees a byte of a stranger: no file, no socket, no other program, bounded
// memory. A Spare is a Worker that is started, jailed and waits to be taken. A
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
// worker. Before S comes L, which tells of the jail and
// never reaches the code that answers. Whatever comes from a worker may be forged
// by the stranger in it: the length, the order and the kind are checked here; what
// an answer means must be checked by whoever asked.
//
// The package knows no JavaScript, no rows and no organizations. It keeps code
// from harming others, not from giving wrong answers.
package cage

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"
)

// ErrClosed says that the cage was closed.
var ErrClosed = errors.New("the cage of the hooks is closed")

// pause is how long the cage waits before it starts a spare again after one
// could not be started, or died before it was taken.
const pause = 100 * time.Millisecond

// Cage starts workers and keeps spares. It may be used by many goroutines.
type Cage struct {
	cfg     Config
	jail    *jail
	slots   chan int
	warm    chan *Worker
	broken  chan error
	closing chan struct{}
	forks   chan func()
	fillers sync.WaitGroup
	thread  sync.WaitGroup
	guard   guard
	close   sync.Once

	mu    sync.Mutex
	shut  bool
	alive map[*Worker]struct{}
	// claims is how many workers are in use or waited for.
	claims int
	graves sync.WaitGroup
}

// New opens a cage. It starts a first worker, so that a cage that was made is
// one that works, and gives a *RefusedError where the jail is to be strict and
// this system cannot build it.
func New(cfg Config) (*Cage, error) {
	return newCage(cfg, Probe())
}

// newCage makes a cage of what there is.
func newCage(cfg Config, has Abilities) (*Cage, error) {
	cfg, err := cfg.complete()
	if err != nil {
		return nil, err
	}
	jail, err := newJail(&cfg, has)
	if err != nil {
		return nil, err
	}
	c := &Cage{
		cfg: cfg, jail: jail,
		slots:   make(chan int, cfg.Workers),
		warm:    make(chan *Worker),
		broken:  make(chan error),
		closing: make(chan struct{}),
		forks:   make(chan func()),
		alive:   map[*Worker]struct{}{},
	}
	for slot := range cfg.Workers {
		c.slots <- slot
	}
	c.thread.Go(c.fork)
	first, err := c.start(<-c.slots)
	if err != nil {
		c.Close()
		return nil, err
	}
	for range cfg.Spares {
		spare := first
		first = nil
		c.fillers.Go(func() { c.fill(spare) })
	}
	return c, nil
}

// Abilities tells what this cage uses of the system. Missing lists the rest.
func (c *Cage) Abilities() Abilities { return c.jail.abilities() }

// Memory is the most that a worker may hold, in bytes.
func (c *Cage) Memory() int64 { return c.cfg.Memory }

// Worker takes a fresh worker, which nobody had before. It waits for one while
// as many are in use as there may be. The caller closes it.
func (c *Cage) Worker(ctx context.Context, limits Limits) (*Worker, error) {
	c.claim(0)
	return c.claimed(ctx, limits)
}

// TryWorker is Worker for who can do without one: where as many workers are in
// use, or waited for, as there may be, it gives none and false at once. Else it
// waits for no longer than one takes to start.
func (c *Cage) TryWorker(ctx context.Context, limits Limits) (*Worker, bool, error) {
	if !c.claim(c.cfg.Workers) {
		return nil, false, nil
	}
	w, err := c.claimed(ctx, limits)
	return w, err == nil, err
}

// claim counts one who wants a worker, if there are fewer than most; 0 is any
// number.
func (c *Cage) claim(most int) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if most > 0 && c.claims >= most {
		return false
	}
	c.claims++
	return true
}

func (c *Cage) unclaim() {
	c.mu.Lock()
	c.claims--
	c.mu.Unlock()
}

// claimed waits for a worker. The claim ends with the worker, or here where
// there is none.
func (c *Cage) claimed(ctx context.Context, limits Limits) (*Worker, error) {
	w, err := c.wait(ctx)
	if err != nil {
		c.unclaim()
		return nil, err
	}
	w.take(limits)
	go func() {
		<-w.dead
		c.unclaim()
	}()
	return w, nil
}

func (c *Cage) wait(ctx context.Context) (*Worker, error) {
	select {
	case <-c.closing:
		return nil, ErrClosed
	default:
	}
	select {
	case w := <-c.warm:
		return w, nil
	case err := <-c.broken:
		return nil, err
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	case <-c.closing:
		return nil, ErrClosed
	}
}

// Close ends all workers, also those in use, and returns when none is left.
func (c *Cage) Close() {
	c.close.Do(func() {
		close(c.closing)
		c.mu.Lock()
		c.shut = true
		for w := range c.alive {
			w.fail(&Failure{Kind: KindClosed, Detail: "the service is stopping"})
		}
		c.mu.Unlock()
		c.fillers.Wait()
		c.graves.Wait()
		close(c.forks)
		c.thread.Wait()
		c.jail.close()
	})
}

// fill keeps one spare at hand until the cage closes.
func (c *Cage) fill(spare *Worker) {
	for {
		if spare == nil {
			spare = c.spare()
		}
		if spare == nil {
			return
		}
		select {
		case c.warm <- spare:
		case <-spare.dead:
			c.rest()
		case <-c.closing:
			return
		}
		spare = nil
	}
}

// spare starts a worker, again and again until one lives. It gives nil when the
// cage closes.
func (c *Cage) spare() *Worker {
	for killed := false; ; {
		select {
		case slot := <-c.slots:
			w, err := c.start(slot)
			if err == nil {
				return w
			}
			var dead *Failure
			if !killed && errors.As(err, &dead) && dead.Kind == KindKilled {
				killed = true // nothing is wrong with the next one
				continue
			}
			c.tell(err)
		case <-c.closing:
			return nil
		}
	}
}

// tell gives the reason to one who waits for a worker, if there is one.
func (c *Cage) tell(err error) {
	select {
	case c.broken <- err:
	case <-time.After(pause):
	case <-c.closing:
	}
}

func (c *Cage) rest() {
	select {
	case <-time.After(pause):
	case <-c.closing:
	}
}

// start makes a worker that is ready. The slot is given back when it is dead.
func (c *Cage) start(slot int) (*Worker, error) {
	proc, err := c.spawn(slot)
	if err != nil {
		c.slots <- slot
		return nil, err
	}
	w := newWorker(&c.cfg, proc, &c.guard)
	c.mu.Lock()
	c.alive[w] = struct{}{}
	shut := c.shut
	c.graves.Add(1)
	c.mu.Unlock()
	go func() {
		defer c.graves.Done()
		w.bury()
		c.mu.Lock()
		delete(c.alive, w)
		c.mu.Unlock()
		c.slots <- slot
	}()
	if shut {
		w.fail(&Failure{Kind: KindClosed, Detail: "the service is stopping"})
	}
	return w, w.begin(c.jail.order())
}

const (
	// look is how often the guard looks at the workers.
	look = 20 * time.Millisecond
	// mostThreads is far above what a runtime needs.
	mostThreads = 32
)

// guard looks at all workers that are lent, at the same moment: a program that
// wakes for each of them would be awake most of the time. Without workers it
// sleeps.
type guard struct {
	mu   sync.Mutex
	lent map[*Worker]struct{}
}

// add has a worker watched until it is gone.
func (g *guard) add(w *Worker) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if len(g.lent) == 0 {
		g.lent = map[*Worker]struct{}{}
		go g.watch()
	}
	g.lent[w] = struct{}{}
}

func (g *guard) watch() {
	ticker := time.NewTicker(look)
	defer ticker.Stop()
	for g.look() {
		<-ticker.C
	}
}

// look says whether there is anybody to watch.
func (g *guard) look() bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	for w := range g.lent {
		if !w.look() {
			delete(g.lent, w)
		}
	}
	return len(g.lent) > 0
}

// look kills a worker that holds too much. It says whether it is worth another
// look.
func (w *Worker) look() bool {
	select {
	case <-w.proc.gone:
		return false
	default:
	}
	held, threads, ok := w.proc.gauge.usage()
	switch {
	case !ok:
		return false
	case held > w.memory:
		w.fail(&Failure{Kind: KindMemory, Detail: fmt.Sprintf("it held %d MiB of memory, and may hold %d", held>>20, w.memory>>20)})
	case threads > mostThreads:
		w.fail(&Failure{Kind: KindThreads, Detail: fmt.Sprintf("it had %d threads, and may have %d", threads, mostThreads)})
	}
	return true
}
