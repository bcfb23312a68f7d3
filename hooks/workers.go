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

// workerSlot is a worker that knows the hooks, for fields in one order.
type workerSlot struct {
	worker *sandbox.Worker
	fields []jsruntime.Field
	// idleSince is when it was given back.
	idleSince time.Time
	// request is room that is used again and again.
	request []byte
	// changeCount is how much the last call of row hooks changed.
	changeCount int
}

// acquireSlot gives a seat whose worker knows the hooks and the fields.
//
// Only who has no seat at all waits for the pool; a session that has one goes on
// with it where no other is to be had. Who waits holds nothing, and gets what
// other sessions hold and do not use. So none waits for one that waits.
func (s *Session) acquireSlot(ctx context.Context, fields []intray.Field) (*workerSlot, error) {
	slot, faults, err := s.acquireOrFaults(ctx, fields)
	if err == nil && len(faults) > 0 {
		return nil, faultError(faults[0])
	}
	return slot, err
}

// acquireOrFaults is acquireSlot, but returns all hooks that cannot be loaded. There is
// no slot then.
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

// waitForSlot gives a seat that nobody uses, which it may have to wait for.
func (s *Session) waitForSlot(ctx context.Context) (*workerSlot, error) {
	for {
		one, first, changed, err := s.claimSlot()
		switch {
		case err != nil:
			return nil, err
		case one == nil:
			// As many as there may be are in use.
		case one.worker != nil:
			return one, nil
		default:
			if some, err := s.startWorker(ctx, one, first); some || err != nil {
				return one, err
			}
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
}

// claimSlot gives the seat that was used last, else a new one without a worker, else
// none. first says that the session has no other; changed is closed when a seat
// comes free or goes.
func (s *Session) claimSlot() (one *workerSlot, first bool, changed <-chan struct{}, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	last := len(s.idle) - 1
	switch {
	case s.closed:
		return nil, false, nil, errClosed
	case last >= 0:
		one = s.idle[last]
		s.idle = s.idle[:last]
	case s.slotCount < s.cfg.MaxWorkers:
		one, first = &workerSlot{}, s.slotCount == 0
		s.slotCount++
	}
	return one, first, s.slotsChanged, nil
}

// startWorker gets a worker for a new seat; without one the seat is gone.
func (s *Session) startWorker(ctx context.Context, one *workerSlot, first bool) (some bool, err error) {
	if first {
		one.worker, err = s.waitForWorker(ctx)
		some = err == nil
	} else {
		one.worker, some, err = s.pool.TryWorker(ctx, sandbox.Limits{})
	}
	switch {
	case err != nil:
		s.closeSlot(one)
		return false, startError(err)
	case !some:
		s.mu.Lock()
		s.slotCount-- // nobody else is told: there is nothing new to be had
		last := s.slotCount == 0
		s.mu.Unlock()
		if last { // those that were there went in the meantime
			s.notifyWaiters()
		}
	}
	return some, nil
}

func startError(err error) error { return fmt.Errorf("start a worker for hooks: %w", err) }

// notifyWaiters wakes those who wait for a seat.
func (s *Session) notifyWaiters() {
	s.mu.Lock()
	defer s.mu.Unlock()
	close(s.slotsChanged)
	s.slotsChanged = make(chan struct{})
}

// releaseSlot puts a seat back, or ends it where others have none at all.
func (s *Session) releaseSlot(one *workerSlot) {
	one.idleSince = time.Now()
	s.mu.Lock()
	spare := s.slotCount > 1 && s.waiting.Load() > 0
	if !spare {
		s.idle = append(s.idle, one)
	}
	s.mu.Unlock()
	if spare {
		s.closeSlot(one)
		return
	}
	s.notifyWaiters()
}

// closeSlot ends a worker; another one can take its place.
func (s *Session) closeSlot(one *workerSlot) {
	if one.worker != nil {
		one.worker.Close()
	}
	s.mu.Lock()
	s.slotCount--
	s.mu.Unlock()
	s.notifyWaiters()
}

// replaceWorker gives a seat a fresh worker in place of one that is of no use any more,
// and has it load the hooks for the fields, if there are any. What the session has
// and does not use is given up while it waits.
func (s *Session) replaceWorker(ctx context.Context, one *workerSlot, fields []jsruntime.Field) error {
	for done := retryCount(0); ; {
		one.worker.Close()
		one.fields = nil
		worker, some, err := s.pool.TryWorker(ctx, sandbox.Limits{})
		if err == nil && !some {
			worker, err = s.waitForWorker(ctx)
		}
		if err != nil {
			return startError(err)
		}
		one.worker = worker
		if fields != nil {
			var faults []jsruntime.Fault
			if faults, err = s.loadHooks(ctx, one, fields); len(faults) > 0 {
				err = faultError(faults[0])
			}
		}
		if !done.waitBeforeRetry(ctx, err) {
			return err
		}
	}
}

// idleGracePeriod is how long a session may hold a worker that it does not use while
// others wait for one.
const idleGracePeriod = 50 * time.Millisecond

// waitForWorker waits for a worker, and holds none the while but those that are in use.
func (s *Session) waitForWorker(ctx context.Context) (*sandbox.Worker, error) {
	s.waiting.Add(1)
	defer s.waiting.Add(-1)
	for {
		s.closeIdleWorkers(0)
		wait, stop := context.WithTimeout(ctx, idleGracePeriod)
		worker, err := s.pool.Worker(wait, sandbox.Limits{})
		again := err != nil && wait.Err() != nil && ctx.Err() == nil
		stop()
		if !again {
			return worker, err
		}
		s.reclaimIdleWorkers()
	}
}

// reclaimIdleWorkers ends what other sessions hold and do not use.
func (s *Runner) reclaimIdleWorkers() {
	s.mu.Lock()
	all := slices.Collect(maps.Keys(s.sessions))
	s.mu.Unlock()
	for _, one := range all {
		one.closeIdleWorkers(idleGracePeriod)
	}
}

// closeIdleWorkers ends the workers that nobody has used for so long.
func (s *Session) closeIdleWorkers(unused time.Duration) {
	s.mu.Lock()
	kept := s.idle[:0:0]
	for _, one := range s.idle {
		if time.Since(one.idleSince) < unused {
			kept = append(kept, one)
			continue
		}
		one.worker.Close()
		s.slotCount--
	}
	gone := len(kept) < len(s.idle)
	s.idle = kept
	s.mu.Unlock()
	if gone {
		s.notifyWaiters()
	}
}

func runtimeFields(fields []intray.Field) []jsruntime.Field {
	own := make([]jsruntime.Field, len(fields))
	for i, f := range fields {
		own[i] = jsruntime.Field{Key: f.Key, ManyToOne: f.ManyToOne}
	}
	return own
}

// reservedMemory is how much of a worker's memory the engine does not get: the rest of the
// process, and what is being sent.
const reservedMemory = 40 << 20

// loadHooks loads the hooks for the fields into a worker, unless it has them already.
// It returns those that cannot be loaded.
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

// sendRequest makes a call. A worker that was ended because nobody called it for long
// is followed by another one, which gets the hooks first.
func (s *Session) sendRequest(ctx context.Context, one *workerSlot, request []byte, budget time.Duration) (string, error) {
	raw, err := one.worker.Call(ctx, request, budget)
	var dead *sandbox.Failure
	if !errors.As(err, &dead) || dead.Kind != sandbox.KindIdle {
		return raw, err
	}
	if err := s.replaceWorker(ctx, one, one.fields); err != nil {
		return "", err
	}
	return one.worker.Call(ctx, request, budget)
}
