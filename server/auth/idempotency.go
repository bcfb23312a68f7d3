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

// keepReplays is how long answers are kept for repeated requests.
const keepReplays = 72 * time.Hour

// ReplayedResponse is what was answered to a request.
type ReplayedResponse struct {
	Status int
	Body   []byte
}

// ReplayLock is the right to carry out the request of an idempotency key. Finish or
// Release must follow.
type ReplayLock struct {
	// ID is for the thing that the request makes, so that a repetition makes no
	// second one even where the process died before the answer was kept.
	ID string

	service *Service
	replay  model.Replay
}

// BeginReplay looks up the answer that was kept for an idempotency key. Where
// there is none the request is the caller's to carry out. A key that was used
// for another request, or whose request is still under way, is a Conflict.
// Answers are kept for 72 hours; after that the key is as good as new.
func (s *Service) BeginReplay(ctx context.Context, org, key, fingerprint string) (*ReplayedResponse, *ReplayLock, error) {
	fresh := model.Replay{Org: org, Key: key, Fingerprint: fingerprint, Node: s.env.Node, Created: s.env.Now()}
	first := s.activeReplays.TryAdd(replayName(fresh))
	answer, turn, err := s.beginReplay(ctx, fresh, first)
	if errors.Is(err, errTakenMeanwhile) {
		answer, turn, err = s.beginReplay(ctx, fresh, first)
	}
	if first && turn == nil {
		s.activeReplays.Remove(replayName(fresh))
	}
	return answer, turn, err
}

func replayName(r model.Replay) string { return r.Org + " " + r.Key }

// errTakenMeanwhile says that another request took the key between the look at
// it and the writing.
var errTakenMeanwhile = &model.Error{Kind: model.Conflict, Code: "key_taken_meanwhile"}

// beginReplay gives an answer or a turn. first says that this process carries
// out no other request with the key.
func (s *Service) beginReplay(ctx context.Context, fresh model.Replay, first bool) (answer *ReplayedResponse, turn *ReplayLock, err error) {
	err = s.env.Store.Update(ctx, func(tx model.Tx) error {
		kept, err := tx.Replays.Get(ctx, fresh.Org, fresh.Key)
		known := !model.IsKind(err, model.NotFound)
		if known && err != nil {
			return err
		}
		next := fresh
		if known {
			if answer, next, err = s.judgeReplay(ctx, tx, kept, fresh, first); answer != nil || err != nil {
				return err
			}
		}
		if !first {
			return keyInUse()
		}
		turn = s.newReplayLock(next)
		if known {
			return tx.Replays.Save(ctx, next)
		}
		err = tx.Replays.Insert(ctx, next)
		if model.IsKind(err, model.Conflict) {
			return errTakenMeanwhile
		}
		return err
	})
	if err != nil {
		return nil, nil, err
	}
	return answer, turn, nil
}

func (s *Service) judgeReplay(ctx context.Context, tx model.Tx, kept, fresh model.Replay, first bool) (*ReplayedResponse, model.Replay, error) {
	same, released := kept.Fingerprint == fresh.Fingerprint, kept.Status == 0 && kept.Node == ""
	switch {
	case kept.Created.Before(s.env.Now().Add(-keepReplays)), released && !same:
		return nil, fresh, nil
	case !same:
		return nil, fresh, model.NewError(model.Conflict, "idempotency_key_reused", intray.NewMessage("idempotency_key.reused", nil))
	case kept.Status != 0:
		body, err := s.replayCipher.Open(kept.Sealed, kept.Org, kept.Key)
		return &ReplayedResponse{kept.Status, body}, fresh, err
	}
	if kept.Node != s.env.Node || !first {
		nodes, err := tx.Nodes.List(ctx)
		if err != nil {
			return nil, fresh, err
		}
		if slices.Contains(nodes, kept.Node) {
			return nil, fresh, keyInUse()
		}
	}
	// The same request again: the first one broke off, and may have got far.
	kept.Node = s.env.Node
	return nil, kept, nil
}

func keyInUse() error {
	e := model.NewError(model.Conflict, "idempotency_key_in_use", intray.NewMessage("idempotency_key.in_use", nil))
	e.RetryAfter = time.Second
	return e
}

func (s *Service) newReplayLock(r model.Replay) *ReplayLock {
	begun := strconv.FormatInt(r.Created.UnixMicro(), 10)
	mac := s.idempotencyKey.MAC([]byte(r.Org), []byte(r.Key), []byte(r.Fingerprint), []byte(begun))
	return &ReplayLock{ID: model.DerivedID(mac), service: s, replay: r}
}

// Finish keeps the answer for repetitions, sealed.
func (t *ReplayLock) Finish(ctx context.Context, a ReplayedResponse) error {
	sealed, err := t.service.replayCipher.Seal(a.Body, t.replay.Org, t.replay.Key)
	if err != nil {
		return errors.Join(err, t.Release(ctx))
	}
	done := t.replay
	done.Status, done.Sealed = a.Status, sealed
	return t.save(ctx, done)
}

// Release gives the key free without an answer: the same request makes the same
// thing under it, and another request may take it over.
func (t *ReplayLock) Release(ctx context.Context) error {
	done := t.replay
	done.Node = ""
	return t.save(ctx, done)
}

// save saves a replay. Where that fails the same request may be carried out again
// in this process, and makes the same thing.
func (t *ReplayLock) save(ctx context.Context, done model.Replay) error {
	defer t.service.activeReplays.Remove(replayName(t.replay))
	return t.service.env.Store.Update(ctx, func(tx model.Tx) error { return tx.Replays.Save(ctx, done) })
}

// ForgetReplays deletes the answers that were kept for long enough.
func (s *Service) ForgetReplays(ctx context.Context) error {
	return s.env.Store.Update(ctx, func(tx model.Tx) error {
		return tx.Replays.DeleteBefore(ctx, s.env.Now().Add(-keepReplays))
	})
}
