package script

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/intraydata/intray"
	"github.com/intraydata/intray/internal/script/cage"
	"github.com/intraydata/intray/internal/script/realm"
)

// seat is a worker that knows the hooks, for fields in one order.
type seat struct {
	worker *cage.Worker
	fields []realm.Field
	// since is when it was given back.
	since time.Time
	// request is room that is used again and again.
	request []byte
	// changed is how much the last call of row hooks changed.
	changed int
}

// take gives a seat whose worker knows the hooks and the fields.
//
// Only who has no seat at all waits for the cage; a session that has one goes on
// with it where no other is to be had. Who waits holds nothing, and gets what
// other sessions hold and do not use. So none waits for one that waits.
func (s *Session) take(ctx context.Context, fields []intray.Field) (*seat, error) {
	for done := tries(0); ; {
		one, err := s.free(ctx)
		if err != nil {
			return nil, err
		}
		if err = s.load(ctx, one, seatFields(fields)); err == nil {
			return one, nil
		}
		s.drop(one)
		if !done.again(ctx, err) {
			return nil, s.broken(ctx, err, s.loading())
		}
	}
}

// free gives a seat that nobody uses, which it may have to wait for.
func (s *Session) free(ctx context.Context) (*seat, error) {
	for {
		one, first, changed, err := s.claim()
		switch {
		case err != nil:
			return nil, err
		case one == nil:
			// As many as there may be are in use.
		case one.worker != nil:
			return one, nil
		default:
			if some, err := s.staff(ctx, one, first); some || err != nil {
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

// claim gives the seat that was used last, else a new one without a worker, else
// none. first says that the session has no other; changed is closed when a seat
// comes free or goes.
func (s *Session) claim() (one *seat, first bool, changed <-chan struct{}, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	last := len(s.idle) - 1
	switch {
	case s.closed:
		return nil, false, nil, errClosed
	case last >= 0:
		one = s.idle[last]
		s.idle = s.idle[:last]
	case s.made < s.cfg.Seats:
		one, first = &seat{}, s.made == 0
		s.made++
	}
	return one, first, s.changed, nil
}

// staff gets a worker for a new seat; without one the seat is gone.
func (s *Session) staff(ctx context.Context, one *seat, first bool) (some bool, err error) {
	if first {
		one.worker, err = s.await(ctx)
		some = err == nil
	} else {
		one.worker, some, err = s.cage.TryWorker(ctx, cage.Limits{})
	}
	switch {
	case err != nil:
		s.drop(one)
		return false, starting(err)
	case !some:
		s.mu.Lock()
		s.made-- // nobody else is told: there is nothing new to be had
		last := s.made == 0
		s.mu.Unlock()
		if last { // those that were there went in the meantime
			s.tell()
		}
	}
	return some, nil
}

func starting(err error) error { return fmt.Errorf("start a worker for hooks: %w", err) }

// tell wakes those who wait for a seat.
func (s *Session) tell() {
	s.mu.Lock()
	defer s.mu.Unlock()
	close(s.changed)
	s.changed = make(chan struct{})
}

// give puts a seat back, or ends it where others have none at all.
func (s *Session) give(one *seat) {
	one.since = time.Now()
	s.mu.Lock()
	spare := s.made > 1 && s.waiting.Load() > 0
	if !spare {
		s.idle = append(s.idle, one)
	}
	s.mu.Unlock()
	if spare {
		s.drop(one)
		return
	}
	s.tell()
}

// drop ends a worker; another one can take its place.
func (s *Session) drop(one *seat) {
	if one.worker != nil {
		one.worker.Close()
	}
	s.mu.Lock()
	s.made--
	s.mu.Unlock()
	s.tell()
}

// replace gives a seat a fresh worker in place of one that is of no use any more,
// and has it load the hooks for the fields, if there are any. What the session has
// and does not use is given up while it waits.
func (s *Session) replace(ctx context.Context, one *seat, fields []realm.Field) error {
	for done := tries(0); ; {
		one.worker.Close()
		one.fields = nil
		worker, some, err := s.cage.TryWorker(ctx, cage.Limits{})
		if err == nil && !some {
			worker, err = s.await(ctx)
		}
		if err != nil {
			return starting(err)
		}
		one.worker = worker
		if fields != nil {
			err = s.load(ctx, one, fields)
		}
		if !done.again(ctx, err) {
			return err
		}
	}
}

// unused is how long a session may hold a worker that it does not use while
// others wait for one.
const unused = 50 * time.Millisecond

// await waits for a worker, and holds none the while but those that are in use.
func (s *Session) await(ctx context.Context) (*cage.Worker, error) {
	s.waiting.Add(1)
	defer s.waiting.Add(-1)
	for {
		s.giveUp(0)
		wait, stop := context.WithTimeout(ctx, unused)
		worker, err := s.cage.Worker(wait, cage.Limits{})
		again := err != nil && wait.Err() != nil && ctx.Err() == nil
		stop()
		if !again {
			return worker, err
		}
		s.reclaim()
	}
}

// reclaim ends what other sessions hold and do not use.
func (s *Script) reclaim() {
	s.mu.Lock()
	all := slices.Collect(maps.Keys(s.sessions))
	s.mu.Unlock()
	for _, one := range all {
		one.giveUp(unused)
	}
}

// giveUp ends the workers that nobody has used for so long.
func (s *Session) giveUp(unused time.Duration) {
	s.mu.Lock()
	kept := s.idle[:0:0]
	for _, one := range s.idle {
		if time.Since(one.since) < unused {
			kept = append(kept, one)
			continue
		}
		one.worker.Close()
		s.made--
	}
	gone := len(kept) < len(s.idle)
	s.idle = kept
	s.mu.Unlock()
	if gone {
		s.tell()
	}
}

func seatFields(fields []intray.Field) []realm.Field {
	own := make([]realm.Field, len(fields))
	for i, f := range fields {
		own[i] = realm.Field{Key: f.Key, Many: f.ManyToOne}
	}
	return own
}

// apart is how much of a worker's memory the engine does not get: the rest of the
// process, and what is being sent.
const apart = 40 << 20

// load gives the hooks to a worker that does not have them for these fields.
func (s *Session) load(ctx context.Context, one *seat, fields []realm.Field) error {
	if one.fields != nil && slices.Equal(one.fields, fields) {
		return nil
	}
	one.fields = nil
	request := realm.Load{
		Fields: fields, Hooks: realm.HooksOf(s.hooks), Limit: s.cfg.Answer, Budget: s.inside(s.cfg.Batch),
		Pins:   realm.Pins{Now: s.pins.Now, Seed: s.pins.Seed},
		Memory: max(s.cage.Memory()-apart, s.cage.Memory()/2),
	}
	raw, err := s.send(ctx, one, request.Append(nil), s.cfg.Batch)
	if err != nil {
		return err
	}
	if a, err := realm.ReadAnswer(raw, realm.Bounds{}, leave); err == nil && a.Failure != nil {
		return s.failed(a.Failure, s.loading())
	}
	faults, err := realm.ReadLoaded(raw)
	if err != nil {
		return unreadable(err, one.worker.Note())
	}
	if len(faults) > 0 {
		return faultError(faults[0])
	}
	one.fields = fields
	return nil
}

// send makes a call. A worker that was ended because nobody called it for long
// is followed by another one, which gets the hooks first.
func (s *Session) send(ctx context.Context, one *seat, request []byte, budget time.Duration) (string, error) {
	raw, err := one.worker.Call(ctx, request, budget)
	var dead *cage.Failure
	if !errors.As(err, &dead) || dead.Kind != cage.KindIdle {
		return raw, err
	}
	if err := s.replace(ctx, one, one.fields); err != nil {
		return "", err
	}
	return one.worker.Call(ctx, request, budget)
}
