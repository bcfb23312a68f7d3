package service

import (
	"context"
	"errors"
	"slices"
	"time"
)

// Answer is what was answered to a request.
type Answer struct {
	Status int
	Body   []byte
}

// ReplayID gives the id that the thing made by a request with this idempotency
// key gets, so that a repetition makes no second one even where the process
// died before the answer was kept.
func (s *Service) ReplayID(org, key string) string {
	return derivedID(s.keys.idempotency.MAC([]byte(org), []byte(key)))
}

// BeginReplay looks up the answer that was kept for an idempotency key. Without
// an error and without an answer the request is the caller's to carry out, and
// FinishReplay or DropReplay must follow. A key that was used for another
// request, or whose request is still under way, is a Conflict.
func (s *Service) BeginReplay(ctx context.Context, org, key, fingerprint string) (answer *Answer, err error) {
	answer, err = s.beginReplay(ctx, org, key, fingerprint)
	if errors.Is(err, errTakenMeanwhile) {
		answer, err = s.beginReplay(ctx, org, key, fingerprint)
	}
	return answer, err
}

// errTakenMeanwhile says that another request took the key between the look at
// it and the writing.
var errTakenMeanwhile = &Error{Kind: Conflict, Code: "key_taken_meanwhile"}

func (s *Service) beginReplay(ctx context.Context, org, key, fingerprint string) (answer *Answer, err error) {
	fresh := Replay{Org: org, Key: key, Fingerprint: fingerprint, Node: s.cfg.Node, Created: s.now()}
	err = s.cfg.Store.Update(ctx, func(tx Tx) error {
		kept, err := tx.Replays.Get(ctx, org, key)
		if IsKind(err, NotFound) {
			err = tx.Replays.Insert(ctx, fresh)
			if IsKind(err, Conflict) {
				return errTakenMeanwhile
			}
			return err
		}
		if err != nil {
			return err
		}
		answer, err = s.judgeReplay(ctx, tx, kept, fresh)
		return err
	})
	return answer, err
}

func (s *Service) judgeReplay(ctx context.Context, tx Tx, kept, fresh Replay) (*Answer, error) {
	if kept.Created.Before(s.now().Add(-keepReplays)) {
		return nil, tx.Replays.Save(ctx, fresh)
	}
	if kept.Fingerprint != fresh.Fingerprint {
		return nil, refuse(Conflict, "idempotency_key_reused", "This Idempotency-Key was used for another request. Use a new key for a new request.")
	}
	if kept.Status != 0 {
		body, err := s.keys.replays.Open(kept.Sealed, kept.Org, kept.Key)
		return &Answer{kept.Status, body}, err
	}
	nodes, err := tx.Nodes.All(ctx)
	if err != nil {
		return nil, err
	}
	if slices.Contains(nodes, kept.Node) {
		e := refuse(Conflict, "idempotency_key_in_use", "The first request with this Idempotency-Key is still under way. Try again in a moment.")
		e.RetryAfter = time.Second
		return nil, e
	}
	return nil, tx.Replays.Save(ctx, fresh)
}

// FinishReplay keeps the answer for repetitions, sealed.
func (s *Service) FinishReplay(ctx context.Context, org, key, fingerprint string, a Answer) error {
	sealed, err := s.keys.replays.Seal(a.Body, org, key)
	if err != nil {
		return err
	}
	return s.cfg.Store.Update(ctx, func(tx Tx) error {
		return tx.Replays.Save(ctx, Replay{
			Org: org, Key: key, Fingerprint: fingerprint, Node: s.cfg.Node,
			Status: a.Status, Sealed: sealed, Created: s.now(),
		})
	})
}

// DropReplay forgets a request whose answer is not kept.
func (s *Service) DropReplay(ctx context.Context, org, key string) error {
	return s.cfg.Store.Update(ctx, func(tx Tx) error { return tx.Replays.Delete(ctx, org, key) })
}
