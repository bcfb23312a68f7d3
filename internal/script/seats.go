package script

import (
	"context"
	"errors"
	"fmt"
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
}

// take gives a seat whose worker knows the hooks and the fields.
func (s *Session) take(ctx context.Context, fields []intray.Field) (*seat, error) {
	select {
	case <-s.turns:
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	one, err := s.ready(ctx)
	if err == nil {
		err = s.load(ctx, one, seatFields(fields))
	}
	if err != nil {
		s.drop(one)
		return nil, err
	}
	return one, nil
}

// ready gives a seat that was used before, where there is one: its worker runs
// already.
func (s *Session) ready(ctx context.Context) (*seat, error) {
	one, err := s.again()
	if one != nil || err != nil {
		return one, err
	}
	worker, err := s.worker(ctx)
	if err != nil {
		return nil, err
	}
	return &seat{worker: worker}, nil
}

// again gives the seat that was used last, or nil.
func (s *Session) again() (*seat, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	last := len(s.idle) - 1
	switch {
	case s.closed:
		return nil, errClosed
	case last < 0:
		return nil, nil
	}
	one := s.idle[last]
	s.idle = s.idle[:last]
	return one, nil
}

func (s *Session) worker(ctx context.Context) (*cage.Worker, error) {
	worker, err := s.cage.Worker(ctx, cage.Limits{})
	if err != nil {
		return nil, fmt.Errorf("start a worker for hooks: %w", err)
	}
	return worker, nil
}

// give puts a seat back.
func (s *Session) give(one *seat) {
	s.mu.Lock()
	s.idle = append(s.idle, one)
	s.mu.Unlock()
	s.turns <- struct{}{}
}

// drop ends a worker; another one can take its place.
func (s *Session) drop(one *seat) {
	if one != nil {
		one.worker.Close()
	}
	s.turns <- struct{}{}
}

func seatFields(fields []intray.Field) []realm.Field {
	own := make([]realm.Field, len(fields))
	for i, f := range fields {
		own[i] = realm.Field{Key: f.Key, Many: f.ManyToOne}
	}
	return own
}

// load gives the hooks to a worker that does not have them for these fields.
func (s *Session) load(ctx context.Context, one *seat, fields []realm.Field) error {
	if one.fields != nil && slices.Equal(one.fields, fields) {
		return nil
	}
	one.fields = nil
	request := realm.Load{
		Fields: fields, Hooks: realm.HooksOf(s.hooks), Limit: s.cfg.Answer, Budget: s.inside(s.cfg.Batch),
		Pins: realm.Pins{Now: s.pins.Now, Seed: s.pins.Seed},
	}
	raw, err := s.send(ctx, one, request.Append(nil), s.cfg.Batch)
	if err != nil {
		return broken(ctx, err, "hooks", "while the hooks were read")
	}
	if a, err := realm.ReadAnswer(raw, realm.Bounds{}); err == nil && a.Failure != nil {
		return hookError(a.Failure)
	}
	faults, err := realm.ReadLoaded(raw)
	if err != nil {
		return broken(ctx, unreadable(err), "hooks", "while the hooks were read")
	}
	if len(faults) > 0 {
		return faultError(faults[0])
	}
	one.fields = fields
	return nil
}

// send makes a call. A worker that was ended because nobody called it for long
// is followed by another one, which gets the hooks first.
func (s *Session) send(ctx context.Context, one *seat, request []byte, budget time.Duration) ([]byte, error) {
	raw, err := one.worker.Call(ctx, request, budget)
	var dead *cage.Failure
	if !errors.As(err, &dead) || dead.Kind != cage.KindIdle {
		return raw, err
	}
	worker, err := s.worker(ctx)
	if err != nil {
		return nil, err
	}
	fields := one.fields
	one.worker, one.fields = worker, nil
	if fields != nil {
		if err := s.load(ctx, one, fields); err != nil {
			return nil, err
		}
	}
	return one.worker.Call(ctx, request, budget)
}
