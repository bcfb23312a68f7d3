package hooks

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/intraydata/intray"
	"github.com/intraydata/intray/hooks/jsruntime"
	"github.com/intraydata/intray/hooks/sandbox"
)

// workerSlot is a worker whose hooks were loaded for one list of fields, in order.
type workerSlot struct {
	worker *sandbox.Worker
	fields []jsruntime.Field
	// idleSince is the time at which the last call ended.
	idleSince time.Time
	// request is the buffer of the last request.
	request []byte
	// changeCount is the number of changes in the last call to row hooks.
	changeCount int
	// distinct holds the distinct rows of the last call to a pure hook.
	distinct distinctRows
}

// acquireSlot returns a slot whose worker has loaded the hooks for the given fields.
//
// Only a session without slots waits for the pool. A session that has slots waits for one of
// these if the pool has no worker. A session that waits for the pool has no idle worker, and
// other sessions end their idle workers. Therefore, sessions never wait for each other in a
// cycle.
func (s *Session) acquireSlot(ctx context.Context, fields []intray.Field) (*workerSlot, error) {
	slot, faults, err := s.acquireOrFaults(ctx, fields)
	if err == nil && len(faults) > 0 {
		return nil, faultError(faults[0])
	}
	return slot, err
}

// acquireOrFaults is like acquireSlot, but also returns all faults of hooks that cannot be
// loaded. If there are any, the slot is nil.
func (s *Session) acquireOrFaults(ctx context.Context, fields []intray.Field) (*workerSlot, []jsruntime.Fault, error) {
	for done := retryCount(0); ; {
		slot, err := s.waitForSlot(ctx)
		if err != nil {
			return nil, nil, err
		}
		faults, err := s.loadHooks(ctx, slot, runtimeFields(fields))
		if err == nil && len(faults) == 0 {
			return slot, nil, nil
		}
		s.closeSlot(slot)
		if err == nil || !done.waitBeforeRetry(ctx, err) {
			return nil, faults, s.explainWorkerError(ctx, err, s.loadCallInfo())
		}
	}
}

// waitForSlot waits for a slot that is not in use.
func (s *Session) waitForSlot(ctx context.Context) (*workerSlot, error) {
	for {
		slot, isOnly, changed, err := s.claimSlot()
		switch {
		case err != nil:
			return nil, err
		case slot == nil:
			// All slots are in use.
		case slot.worker != nil:
			return slot, nil
		default:
			if started, err := s.startWorker(ctx, slot, isOnly); started || err != nil {
				return slot, err
			}
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
}

// claimSlot returns the idle slot that was used most recently. If no slot is idle, it returns a
// new slot without a worker, or nil if there are already MaxWorkers slots. isOnly reports
// whether a new slot is the only one of the session. changed is closed when a slot becomes idle
// or is closed.
func (s *Session) claimSlot() (slot *workerSlot, isOnly bool, changed <-chan struct{}, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	last := len(s.idle) - 1
	switch {
	case s.closed:
		return nil, false, nil, errClosed
	case last >= 0:
		slot = s.idle[last]
		s.idle = s.idle[:last]
	case s.slotCount < s.cfg.MaxWorkers:
		slot, isOnly = &workerSlot{}, s.slotCount == 0
		s.slotCount++
	}
	return slot, isOnly, s.slotsChanged, nil
}

// startWorker starts the worker of a new slot. If it cannot, it removes the slot. It waits
// for the pool only if the session has no other slot.
func (s *Session) startWorker(ctx context.Context, slot *workerSlot, isOnly bool) (started bool, err error) {
	if isOnly {
		slot.worker, err = s.waitForWorker(ctx)
		started = err == nil
	} else {
		slot.worker, started, err = s.pool.TryWorker(ctx, sandbox.Limits{})
	}
	switch {
	case err != nil:
		s.closeSlot(slot)
		return false, startError(err)
	case !started:
		s.mu.Lock()
		s.slotCount-- // waiters are not notified, because no worker became available
		last := s.slotCount == 0
		s.mu.Unlock()
		if last { // the other slots were closed in the meantime
			s.notifyWaiters()
		}
	}
	return started, nil
}

func startError(err error) error { return fmt.Errorf("start a hook worker: %w", err) }

// notifyWaiters notifies the calls that are waiting for a slot.
func (s *Session) notifyWaiters() {
	s.mu.Lock()
	defer s.mu.Unlock()
	close(s.slotsChanged)
	s.slotsChanged = make(chan struct{})
}

// releaseSlot makes a slot idle. If another session is waiting for a worker and this
// session has other slots, it closes the slot instead.
func (s *Session) releaseSlot(slot *workerSlot) {
	slot.idleSince = time.Now()
	s.mu.Lock()
	dispensable := s.slotCount > 1 && s.waiting.Load() > 0
	if !dispensable {
		s.idle = append(s.idle, slot)
	}
	s.mu.Unlock()
	if dispensable {
		s.closeSlot(slot)
		return
	}
	s.notifyWaiters()
}

// closeSlot ends the worker of a slot and removes the slot.
func (s *Session) closeSlot(slot *workerSlot) {
	if slot.worker != nil {
		slot.worker.Close()
	}
	s.mu.Lock()
	s.slotCount--
	s.mu.Unlock()
	s.notifyWaiters()
}

// replaceWorker ends the worker of a slot and starts a new one. The new worker loads the
// hooks for fields unless fields is nil.
func (s *Session) replaceWorker(ctx context.Context, slot *workerSlot, fields []jsruntime.Field) error {
	for done := retryCount(0); ; {
		slot.worker.Close()
		slot.fields = nil
		worker, started, err := s.pool.TryWorker(ctx, sandbox.Limits{})
		if err == nil && !started {
			worker, err = s.waitForWorker(ctx)
		}
		if err != nil {
			return startError(err)
		}
		slot.worker = worker
		if fields != nil {
			var faults []jsruntime.Fault
			if faults, err = s.loadHooks(ctx, slot, fields); len(faults) > 0 {
				err = faultError(faults[0])
			}
		}
		if !done.waitBeforeRetry(ctx, err) {
			return err
		}
	}
}

// idleGracePeriod is how long a worker may be idle while another session is waiting for a worker.
const idleGracePeriod = 50 * time.Millisecond

// waitForWorker waits for a worker from the pool. Meanwhile, it ends the idle workers of this
// session. It also ends workers of other sessions after they have been idle for idleGracePeriod.
func (s *Session) waitForWorker(ctx context.Context) (*sandbox.Worker, error) {
	s.waiting.Add(1)
	defer s.waiting.Add(-1)
	for {
		s.closeIdleWorkers(0)
		wait, stop := context.WithTimeout(ctx, idleGracePeriod)
		worker, err := s.pool.Worker(wait, sandbox.Limits{})
		timedOut := err != nil && wait.Err() != nil && ctx.Err() == nil
		stop()
		if !timedOut {
			return worker, err
		}
		s.Runner.mu.Lock()
		all := slices.Collect(maps.Keys(s.sessions))
		s.Runner.mu.Unlock()
		for _, session := range all {
			session.closeIdleWorkers(idleGracePeriod)
		}
	}
}

// closeIdleWorkers ends the workers of the session that have been idle for at least idleFor.
func (s *Session) closeIdleWorkers(idleFor time.Duration) {
	s.mu.Lock()
	before := len(s.idle)
	s.idle = slices.DeleteFunc(s.idle, func(slot *workerSlot) bool {
		if time.Since(slot.idleSince) < idleFor {
			return false
		}
		slot.worker.Close()
		s.slotCount--
		return true
	})
	closed := len(s.idle) < before
	s.mu.Unlock()
	if closed {
		s.notifyWaiters()
	}
}

func runtimeFields(fields []intray.Field) []jsruntime.Field {
	list := make([]jsruntime.Field, len(fields))
	for i, f := range fields {
		list[i] = jsruntime.Field{Key: f.Key, ManyToOne: f.ManyToOne}
	}
	return list
}

// reservedMemory is the memory of a worker, in bytes, that is not available to its
// JavaScript engine. The rest of the process and the requests need it.
const reservedMemory = 40 << 20

// loadHooks loads the hooks for fields into a worker, unless they are already loaded. It
// returns the faults of hooks that cannot be loaded.
func (s *Session) loadHooks(ctx context.Context, slot *workerSlot, fields []jsruntime.Field) ([]jsruntime.Fault, error) {
	if slot.fields != nil && slices.Equal(slot.fields, fields) {
		return nil, nil
	}
	slot.fields = nil
	request := jsruntime.LoadCall{
		Fields: fields, Hooks: s.sources, Limit: s.cfg.MaxAnswer, Budget: s.engineBudget(s.cfg.BatchTimeout),
		Pins:   jsruntime.Pins{Now: s.pins.Now, Seed: s.pins.Seed},
		Memory: max(s.pool.Memory()-reservedMemory, s.pool.Memory()/2),
	}
	raw, err := s.sendRequest(ctx, slot, request.Append(nil), s.cfg.BatchTimeout)
	if err != nil {
		return nil, err
	}
	faults, failure, err := jsruntime.ReadLoaded(raw)
	switch {
	case err != nil:
		return nil, unreadableAnswer(err, slot.worker.LastNote())
	case failure != nil:
		return nil, s.hookError(failure, s.loadCallInfo())
	case len(faults) == 0:
		slot.fields = fields
	}
	return faults, nil
}

// sendRequest calls the worker of a slot. If the worker was ended because it was idle,
// sendRequest replaces it and repeats the call.
func (s *Session) sendRequest(ctx context.Context, slot *workerSlot, request []byte, budget time.Duration) (string, error) {
	raw, err := slot.worker.Call(ctx, request, budget)
	var dead *sandbox.Failure
	if !errors.As(err, &dead) || dead.Kind != sandbox.KindIdle {
		return raw, err
	}
	if err := s.replaceWorker(ctx, slot, slot.fields); err != nil {
		return "", err
	}
	return slot.worker.Call(ctx, request, budget)
}

// withRetry calls the function do with a slot. If something other than a hook ends the worker,
// withRetry calls the function again with a fresh worker.
func (s *Session) withRetry(ctx context.Context, fields []intray.Field, c callInfo, do func(slot *workerSlot) error) error {
	for done := retryCount(0); ; {
		slot, err := s.acquireSlot(ctx, fields)
		if err != nil {
			return err
		}
		if err = do(slot); err == nil {
			s.releaseSlot(slot)
			return nil
		}
		s.closeSlot(slot)
		if !done.waitBeforeRetry(ctx, err) {
			return s.explainWorkerError(ctx, err, c)
		}
	}
}

// retryDelays are the delays before a call is repeated because something other than a hook ended
// its worker. A system without free memory may recover after a while. A hook cannot cause these
// retries, so they do not need a stricter limit.
var retryDelays = []time.Duration{0, 100 * time.Millisecond, 500 * time.Millisecond, 2 * time.Second}

// retryCount is the number of retries so far.
type retryCount int

// waitBeforeRetry reports whether the call that returned err should be repeated. If so, it
// first waits for the next retry delay.
func (n *retryCount) waitBeforeRetry(ctx context.Context, err error) bool {
	if !isKilledExternally(err) || int(*n) == len(retryDelays) {
		return false
	}
	select {
	case <-time.After(retryDelays[*n]):
	case <-ctx.Done():
		return false
	}
	*n++
	return true
}

// isKilledExternally reports whether a worker was killed from outside the sandbox, for example
// by an operator, or by the kernel because the machine ran out of memory.
func isKilledExternally(err error) bool {
	var dead *sandbox.Failure
	return errors.As(err, &dead) && dead.Kind == sandbox.KindKilled
}
