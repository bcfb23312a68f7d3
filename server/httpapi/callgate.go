package httpapi

import (
	"container/list"
	"context"
	"log/slog"
	"net/http"
	"sync"
	"time"

	"github.com/intraydata/intray"
)

const (
	// defaultCalls is the default maximum number of calls in progress.
	defaultCalls = 16
	// countedCallTime is the time for which a call counts. A call that takes longer usually waits for
	// something else than the CPU, such as another server.
	countedCallTime = 200 * time.Millisecond
	// burstTime is how long calls may wait in a row before the server counts as overloaded. Calls that
	// arrive at the same time are therefore all accepted. It is longer than countedCallTime, so that
	// slow calls alone do not cause refusals.
	burstTime = 250 * time.Millisecond
	// startWait is the maximum time that a call that starts an import waits while the server is
	// overloaded, and callWait is that of other calls. It is longer, because these calls usually concern
	// imports that the server has accepted. They rarely wait that long, because up to callsPerStart of
	// them overtake a call that starts an import.
	startWait, callWait = 20 * time.Millisecond, 500 * time.Millisecond
	callsPerStart       = 3
	// refusalLogInterval is the minimum time between two log entries about refused calls.
	refusalLogInterval = time.Minute
)

// callGate limits the number of calls in progress. Other calls wait. If calls have been waiting for
// burstTime without interruption, the server is overloaded. Calls that have waited for too long are then
// refused, until none was refused for burstTime, so that the others get a response in time. If the
// server accepted all calls, each would take longer and longer.
//
// Calls about imports that exist come before those that start one. Among them, the next call is the
// first one of the client with the fewest calls in progress, so that one client cannot prevent the
// calls of others. A call does not count while its body arrives, or while its client reads the
// response, however slow the client is. A callGate is safe for concurrent use.
type callGate struct {
	most int
	log  *slog.Logger

	mu sync.Mutex
	// inProgress is less than most only if nothing waits. byClient contains no zeros.
	inProgress int
	byClient   map[string]int
	// resuming contains the calls whose body has arrived, and waiting those that wait to begin, both
	// in the order of arrival. Calls that resume come first and are never refused.
	resuming, waiting list.List
	// starts and others are the two kinds of calls that wait to begin. overtook is the number of others
	// that were admitted in a row while a start was waiting.
	starts, others waitingKind
	overtook       int
	// logged is when a refusal was last logged.
	logged time.Time
}

// waitingKind is a kind of calls that wait to begin.
type waitingKind struct {
	// wait is the maximum time that a call waits while the server is overloaded.
	wait time.Duration
	// waiting is the number of calls that wait, and since is when it was last 0. refused is when a call
	// was last refused.
	waiting        int
	since, refused time.Time
}

// overloaded reports whether the server is overloaded by calls of this kind. Refusals can leave no call
// waiting, so they count for some time.
func (k *waitingKind) overloaded(now time.Time) bool {
	return now.Sub(k.since) > burstTime || now.Sub(k.refused) <= burstTime
}

// callSlot is the place of a call among those in progress.
type callSlot struct {
	gate   *callGate
	client string
	kind   *waitingKind
	// arrived is when the call began to wait.
	arrived time.Time
	// decided receives nil when the call is admitted, or an error when it is refused.
	decided chan error
	// timer ends the call when it has counted for countedCallTime.
	timer *time.Timer
	// ended means that the call does not count any more. The mutex of the gate protects it.
	ended bool
}

// newCallGate returns a gate for most calls in progress. 0 means the default.
func newCallGate(most int, log *slog.Logger) *callGate {
	if most <= 0 {
		most = defaultCalls
	}
	return &callGate{most: most, log: log, byClient: map[string]int{}, starts: waitingKind{wait: startWait}, others: waitingKind{wait: callWait}}
}

// enter waits until a call of a client may begin. starts means that the call starts an import. If the
// call is refused, the error has the status 503. The caller must call leave.
func (g *callGate) enter(ctx context.Context, client string, starts bool) (*callSlot, error) {
	kind := &g.others
	if starts {
		kind = &g.starts
	}
	s := &callSlot{gate: g, client: client, kind: kind, decided: make(chan error, 1)}
	g.mu.Lock()
	s.arrived = time.Now()
	if kind.waiting == 0 {
		kind.since = s.arrived
	}
	kind.waiting++
	element := g.waiting.PushBack(s)
	g.admit()
	g.mu.Unlock()
	return s.await(ctx, element)
}

// resume waits until a call that has left may continue. The caller must call leave.
func (g *callGate) resume(ctx context.Context, client string) (*callSlot, error) {
	s := &callSlot{gate: g, client: client, decided: make(chan error, 1)}
	g.mu.Lock()
	element := g.resuming.PushBack(s)
	g.admit()
	g.mu.Unlock()
	return s.await(ctx, element)
}

// await waits until the call is admitted or refused, or its client is gone.
func (s *callSlot) await(ctx context.Context, element *list.Element) (*callSlot, error) {
	var err error
	select {
	case err = <-s.decided:
	case <-ctx.Done():
		s.gate.withdraw(element, ctx.Err())
		err = <-s.decided
	}
	if err != nil {
		return nil, err
	}
	s.timer = time.AfterFunc(countedCallTime, s.end)
	return s, nil
}

// leave ends the call, and admits the next one. If the call does not count any more, it has no effect.
func (s *callSlot) leave() {
	s.timer.Stop()
	s.end()
}

func (s *callSlot) end() {
	g := s.gate
	g.mu.Lock()
	defer g.mu.Unlock()
	if s.ended {
		return
	}
	s.ended = true
	g.inProgress--
	if g.byClient[s.client]--; g.byClient[s.client] == 0 {
		delete(g.byClient, s.client)
	}
	g.admit()
}

// withdraw ends the wait of a call with an error, unless it was decided in the meantime.
func (g *callGate) withdraw(e *list.Element, err error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if s := e.Value.(*callSlot); len(s.decided) == 0 {
		g.decide(e, err)
	}
}

// admit admits the calls for which there is room. The caller must hold the lock.
func (g *callGate) admit() {
	for g.inProgress < g.most && g.resuming.Len()+g.waiting.Len() > 0 {
		next := g.resuming.Front()
		if next == nil {
			next = g.nextWaiting()
		}
		if next != nil {
			g.decide(next, nil)
		}
	}
}

// nextWaiting refuses the calls that have waited for too long. It returns the call to admit, or nil if
// none is left. The caller must hold the lock.
func (g *callGate) nextWaiting() *list.Element {
	now := time.Now()
	var start, other *list.Element
	for e := g.waiting.Front(); e != nil; {
		s, this := e.Value.(*callSlot), e
		e = e.Next()
		if s.kind.overloaded(now) && now.Sub(s.arrived) > s.kind.wait {
			s.kind.refused = now
			g.decide(this, errOverloaded())
			g.logRefusal(now)
			continue
		}
		first := &other
		if s.kind == &g.starts {
			first = &start
		}
		if *first == nil || g.byClient[s.client] < g.byClient[(*first).Value.(*callSlot).client] {
			*first = this
		}
	}
	if start == nil || other != nil && g.overtook < callsPerStart {
		if start != nil {
			g.overtook++
		}
		return other
	}
	g.overtook = 0
	return start
}

// decide ends the wait of a call. The caller must hold the lock.
func (g *callGate) decide(e *list.Element, err error) {
	s := e.Value.(*callSlot)
	if s.kind == nil {
		g.resuming.Remove(e)
	} else {
		g.waiting.Remove(e)
		s.kind.waiting--
	}
	if err == nil {
		g.inProgress++
		g.byClient[s.client]++
	}
	s.decided <- err
}

// errOverloaded returns the error for a refused call.
func errOverloaded() error {
	e := newError(http.StatusServiceUnavailable, "busy", intray.NewMessage("service.overloaded", nil))
	e.unlogged = true
	return e
}

// logRefusal logs that calls are refused, at most once in refusalLogInterval. The caller must hold the
// lock.
func (g *callGate) logRefusal(now time.Time) {
	if now.Sub(g.logged) >= refusalLogInterval {
		g.logged = now
		g.log.Info("requests are refused because the server is overloaded", "in_progress", g.inProgress, "waiting", g.waiting.Len())
	}
}
