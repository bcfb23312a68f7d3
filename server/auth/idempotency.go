package auth

import (
	"context"
	"errors"
	"slices"
	"strconv"
	"time"

	"github.com/intraydata/intray"
	"github.com/intraydata/intray/server/model"
)

// replayLife is the time for which a response is kept for repeated requests.
const replayLife = 72 * time.Hour

// ReplayedResponse is a stored response to a request.
type ReplayedResponse struct {
	Status int
	Body   []byte
}

// ReplayLock is the exclusive right to handle the request with an idempotency key.
// The owner must call Finish or Release.
type ReplayLock struct {
	// ID is the id of the object that the request creates. A repeated request gets the same ID.
	// Therefore, no second object is created even if the first process crashes.
	ID string

	service *Service
	replay  model.Replay
}

// BeginReplay returns the stored response for an idempotency key. If there is none,
// it returns a lock and the caller must handle the request. If the key was used for
// a different request, or if its request is in progress, BeginReplay returns a
// Conflict. Responses are kept for 72 hours. After that, the key can be used again.
func (s *Service) BeginReplay(ctx context.Context, org, key, fingerprint string) (*ReplayedResponse, *ReplayLock, error) {
	fresh := model.Replay{Org: org, Key: key, Fingerprint: fingerprint, Node: s.env.Node, Created: s.env.Now()}
	first := s.activeReplays.TryAdd(replayName(fresh))
	response, lock, err := s.beginReplay(ctx, fresh, first)
	if errors.Is(err, errKeyInserted) {
		response, lock, err = s.beginReplay(ctx, fresh, first)
	}
	if first && lock == nil {
		s.activeReplays.Remove(replayName(fresh))
	}
	return response, lock, err
}

func replayName(r model.Replay) string { return r.Org + " " + r.Key }

// errKeyInserted means that a concurrent request inserted the key after it was looked up.
var errKeyInserted = &model.Error{Kind: model.Conflict, Code: "key_inserted"}

// beginReplay returns a response or a lock. first must be true if this process is not handling
// any other request with the key, and false otherwise.
func (s *Service) beginReplay(ctx context.Context, fresh model.Replay, first bool) (response *ReplayedResponse, lock *ReplayLock, err error) {
	err = s.env.Store.Update(ctx, func(tx model.Tx) error {
		stored, err := tx.Replays.Get(ctx, fresh.Org, fresh.Key)
		known := !model.IsKind(err, model.NotFound)
		if known && err != nil {
			return err
		}
		next := fresh
		if known {
			if response, next, err = s.checkReplay(ctx, tx, stored, fresh, first); response != nil || err != nil {
				return err
			}
		}
		if !first {
			return keyInUseError()
		}
		begun := strconv.FormatInt(next.Created.UnixMicro(), 10)
		mac := s.idempotencyKey.MAC([]byte(next.Org), []byte(next.Key), []byte(next.Fingerprint), []byte(begun))
		lock = &ReplayLock{ID: model.DerivedID(mac), service: s, replay: next}
		if known {
			return tx.Replays.Save(ctx, next)
		}
		err = tx.Replays.Insert(ctx, next)
		if model.IsKind(err, model.Conflict) {
			return errKeyInserted
		}
		return err
	})
	if err != nil {
		return nil, nil, err
	}
	return response, lock, nil
}

// checkReplay returns the response of a stored replay. If there is none, it returns
// the replay to handle: fresh for a new request, or stored for an interrupted one.
func (s *Service) checkReplay(ctx context.Context, tx model.Tx, stored, fresh model.Replay, first bool) (*ReplayedResponse, model.Replay, error) {
	same, released := stored.Fingerprint == fresh.Fingerprint, stored.Status == 0 && stored.Node == ""
	switch {
	case stored.Created.Before(s.env.Now().Add(-replayLife)), released && !same:
		return nil, fresh, nil
	case !same:
		return nil, fresh, model.NewError(model.Conflict, "idempotency_key_reused", intray.NewMessage("idempotency_key.reused", nil))
	case stored.Status != 0:
		body, err := s.replayCipher.Open(stored.Sealed, stored.Org, stored.Key)
		return &ReplayedResponse{stored.Status, body}, fresh, err
	}
	if stored.Node != s.env.Node || !first {
		nodes, err := tx.Nodes.List(ctx)
		if err != nil {
			return nil, fresh, err
		}
		if slices.Contains(nodes, stored.Node) {
			return nil, fresh, keyInUseError()
		}
	}
	// The same request was interrupted. It keeps its ID, because its objects may already exist.
	stored.Node = s.env.Node
	return nil, stored, nil
}

func keyInUseError() error {
	e := model.NewError(model.Conflict, "idempotency_key_in_use", intray.NewMessage("idempotency_key.in_use", nil))
	e.RetryAfter = time.Second
	return e
}

// Check returns a Conflict if another process has taken over the request, because it considered this
// process dead. No other process can take it over until tx ends.
func (t *ReplayLock) Check(ctx context.Context, tx model.Tx) error {
	stored, err := tx.Replays.Get(ctx, t.replay.Org, t.replay.Key)
	if model.IsKind(err, model.NotFound) || err == nil && !t.owns(stored) {
		return keyInUseError()
	}
	return err
}

// owns reports whether a stored replay is the one for which this process holds the lock.
func (t *ReplayLock) owns(stored model.Replay) bool {
	return stored.Node == t.replay.Node && stored.Status == 0 && stored.Created.Equal(t.replay.Created)
}

// Finish encrypts and stores the response for repeated requests.
func (t *ReplayLock) Finish(ctx context.Context, a ReplayedResponse) error {
	sealed, err := t.service.replayCipher.Seal(a.Body, t.replay.Org, t.replay.Key)
	if err != nil {
		return errors.Join(err, t.Release(ctx))
	}
	done := t.replay
	done.Status, done.Sealed = a.Status, sealed
	return t.save(ctx, done)
}

// Release releases the key without storing a response. If the same request is repeated, it
// gets the same ID. A different request may also use the key.
func (t *ReplayLock) Release(ctx context.Context) error {
	done := t.replay
	done.Node = ""
	return t.save(ctx, done)
}

// save stores a replay and ends the request in this process. It stores nothing if another process has
// taken over the request, because it considered this process dead. If storing it fails, the same request
// can be handled again with the same ID.
func (t *ReplayLock) save(ctx context.Context, done model.Replay) error {
	defer t.service.activeReplays.Remove(replayName(t.replay))
	return t.service.env.Store.Update(ctx, func(tx model.Tx) error {
		stored, err := tx.Replays.Get(ctx, done.Org, done.Key)
		if err != nil || !t.owns(stored) {
			return err
		}
		return tx.Replays.Save(ctx, done)
	})
}

// ForgetReplays deletes expired responses. After a long stop there may be a million of them, so
// each transaction deletes at most DeleteBatch, and other writes run in between.
func (s *Service) ForgetReplays(ctx context.Context) error {
	before := s.env.Now().Add(-replayLife)
	return model.UpdateInBatches(ctx, s.env.Store, model.DeleteBatch, func(tx model.Tx) (int64, error) {
		return tx.Replays.DeleteBefore(ctx, before, model.DeleteBatch)
	})
}
