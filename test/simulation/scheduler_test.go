package simulation

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"sync"
	"testing/synctest"
	"time"

	"github.com/intraydata/intray"
	"github.com/intraydata/intray/server/model"
)

// verdict is what the scheduler decides about an operation.
type verdict int

const (
	proceed verdict = iota
	// fail makes the operation fail.
	fail
	// failCommit makes the commit of a transaction fail after its work was done.
	failCommit
	// crashed means that the process of the operation has crashed.
	crashed
)

var errCrashed = errors.New("the process has crashed")

// errInjected is the error of operations that fail. Like the error of a database that cannot be reached,
// it does not say whether a transaction was committed.
var errInjected = model.NewError(model.Unavailable, "store_unavailable", intray.Literal("injected fault"))

// errBlob is the error of a blob store that fails.
var errBlob = errors.New("injected fault of the blob store")

// operation is a step of a goroutine that waits until the scheduler lets it proceed.
type operation struct {
	of    *process
	label string
	// at and round are the time and the step of the scheduler when the operation arrived.
	at    time.Time
	round int
	// until is the time before which the operation does not proceed.
	until   time.Time
	verdict chan verdict
}

// scheduler lets one operation proceed at a time. Goroutines wait in it at each transaction, at each
// change or opening of a blob, at each delivery and at each crash point. Between two of these steps,
// they do nothing that other goroutines can observe.
type scheduler struct {
	mu      sync.Mutex
	waiting []*operation
	round   int
	// free lets all operations proceed at once.
	free bool
}

// wait waits until the scheduler lets an operation of a process proceed.
func (s *scheduler) wait(p *process, label string) verdict {
	s.mu.Lock()
	if p.dead {
		s.mu.Unlock()
		return crashed
	}
	if s.free {
		s.mu.Unlock()
		return proceed
	}
	o := &operation{of: p, label: label, at: time.Now(), round: s.round, verdict: make(chan verdict, 1)}
	s.waiting = append(s.waiting, o)
	s.mu.Unlock()
	return <-o.verdict
}

// settle waits until all goroutines wait for the scheduler or for time to pass, and returns the
// operations that may proceed. Their order does not depend on the order in which goroutines ran.
func (s *scheduler) settle() []*operation {
	synctest.Wait()
	s.mu.Lock()
	defer s.mu.Unlock()
	s.round++
	slices.SortStableFunc(s.waiting, func(a, b *operation) int {
		return cmp.Or(cmp.Compare(a.round, b.round), a.at.Compare(b.at), cmp.Compare(a.of.name, b.of.name), cmp.Compare(a.label, b.label))
	})
	now := time.Now()
	var ready []*operation
	for _, o := range s.waiting {
		if !o.until.After(now) && !o.of.frozen.After(now) {
			ready = append(ready, o)
		}
	}
	return ready
}

// release ends the waiting of an operation.
func (s *scheduler) release(o *operation, v verdict) {
	s.mu.Lock()
	s.waiting = slices.DeleteFunc(s.waiting, func(other *operation) bool { return other == o })
	s.mu.Unlock()
	o.verdict <- v
}

// kill makes all operations of a process fail from now on.
func (s *scheduler) kill(p *process) {
	s.mu.Lock()
	p.dead = true
	var own []*operation
	s.waiting = slices.DeleteFunc(s.waiting, func(o *operation) bool {
		if o.of == p {
			own = append(own, o)
		}
		return o.of == p
	})
	s.mu.Unlock()
	for _, o := range own {
		o.verdict <- crashed
		synctest.Wait() // so that the operations end in a fixed order
	}
	p.cancel()
	synctest.Wait()
}

func (s *scheduler) isDead(p *process) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return p.dead
}

// letAllProceed ends the scheduling: all operations proceed at once, in any order.
func (s *scheduler) letAllProceed() {
	s.mu.Lock()
	s.free = true
	waiting := s.waiting
	s.waiting = nil
	s.mu.Unlock()
	for _, o := range waiting {
		o.verdict <- proceed
	}
}

type activityKey struct{}

// named returns a context that names an activity in the labels of its operations.
func named(ctx context.Context, activity string) context.Context {
	return context.WithValue(ctx, activityKey{}, activity)
}

func activityOf(ctx context.Context) string {
	name, _ := ctx.Value(activityKey{}).(string)
	return name
}
