package service

import (
	"context"
	"errors"
	"slices"
	"strings"
	"time"
)

const (
	// silentFor is how long a node may be silent before it counts as dead.
	silentFor = 8 * time.Second
	// keepReplays is how long answers are kept for repeated requests.
	keepReplays = 72 * time.Hour
	// keepSessions is how long a session lives without being saved.
	keepSessions = 7 * 24 * time.Hour
	// sweepAtMost bounds what one sweep removes of each kind.
	sweepAtMost = 200
)

// Join takes this process in among those that share the store, and takes back
// what a process died over that ran on the same data folder: because the
// folder is locked, none of those can still live.
func (s *Service) Join(ctx context.Context) error {
	folder, _, _ := strings.Cut(s.cfg.Node, "/")
	var before []string
	err := s.cfg.Store.View(ctx, func(tx Tx) (err error) {
		before, err = tx.Nodes.List(ctx)
		return err
	})
	if err != nil {
		return err
	}
	for _, node := range before {
		if its, _, _ := strings.Cut(node, "/"); its == folder && node != s.cfg.Node {
			err = errors.Join(err, s.expireNode(ctx, node))
		}
	}
	return errors.Join(err, s.RecordHeartbeat(ctx))
}

// Leave tells the others that this process has ended its work.
func (s *Service) Leave(ctx context.Context) error { return s.expireNode(ctx, s.cfg.Node) }

// RecordHeartbeat says that this process lives. It wants to be called every 2 s.
func (s *Service) RecordHeartbeat(ctx context.Context) error {
	return s.cfg.Store.Update(ctx, func(tx Tx) error { return tx.Nodes.Heartbeat(ctx, s.cfg.Node) })
}

// expireNode takes back the imports and the jobs of a dead node.
func (s *Service) expireNode(ctx context.Context, node string) error {
	for done := false; !done; {
		err := s.cfg.Store.Update(ctx, func(tx Tx) error {
			refs, err := tx.Imports.InStatus(ctx, Running, node, sweepAtMost)
			if err != nil {
				return err
			}
			for _, ref := range refs {
				if err := s.reclaimImport(ctx, tx, ref, node); err != nil {
					return err
				}
			}
			if done = len(refs) < sweepAtMost; !done {
				return nil
			}
			if err := errors.Join(tx.Outbox.GiveBack(ctx, node), tx.Connectors.GiveBack(ctx, node)); err != nil {
				return err
			}
			return tx.Nodes.Remove(ctx, node)
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// reclaimImport queues an import that a node has lost, if it still is at that run.
func (s *Service) reclaimImport(ctx context.Context, tx Tx, ref ImportRef, node string) error {
	imp, err := tx.Imports.Get(ctx, ref.Org, ref.ID)
	if IsKind(err, NotFound) {
		return nil
	}
	if err != nil || imp.Status != Running || imp.Node != node || imp.Run != ref.Run {
		return err
	}
	return s.requeueLost(ctx, tx, imp, s.now())
}

// reclaimOwn takes back the imports that run here by their rows and in truth do
// not: the store was out of reach when they were to be handed back, or when it
// answered that they were claimed. What is seen so twice in a row is: a claim
// that was just committed is about to be noted.
func (s *Service) reclaimOwn(ctx context.Context) error {
	var here []ImportRef
	err := s.cfg.Store.View(ctx, func(tx Tx) (err error) {
		here, err = tx.Imports.InStatus(ctx, Running, s.cfg.Node, sweepAtMost)
		return err
	})
	if err != nil {
		return err
	}
	idle := slices.DeleteFunc(here, func(ref ImportRef) bool { return s.activeRuns.contains(Import{ID: ref.ID}.runPrefix(ref.Run)) })
	again := slices.DeleteFunc(slices.Clone(idle), func(ref ImportRef) bool { return !slices.Contains(s.idleRuns, ref) })
	s.idleRuns = idle
	for _, ref := range again {
		s.cfg.Log.Warn("an import was left behind and is taken back", "import", ref.ID, "run", ref.Run)
		err = errors.Join(err, s.cfg.Store.Update(ctx, func(tx Tx) error { return s.reclaimImport(ctx, tx, ref, s.cfg.Node) }))
	}
	return err
}

// RunMaintenance does what has to be done from time to time: it takes back the work of
// dead nodes and what this one left behind, wakes a worker for imports that none waits for, and removes what
// is due to go. It wants to be called every 2 s.
func (s *Service) RunMaintenance(ctx context.Context) error {
	return errors.Join(s.expireSilentNodes(ctx), s.reclaimOwn(ctx), s.enqueueForgotten(ctx), s.emptyTrash(ctx), s.forgetSessions(ctx), s.forgetReplays(ctx), s.drafts.closeIdle(s.now()))
}

func (s *Service) expireSilentNodes(ctx context.Context) error {
	var silent []string
	err := s.cfg.Store.View(ctx, func(tx Tx) (err error) {
		silent, err = tx.Nodes.Silent(ctx, silentFor)
		return err
	})
	for _, node := range silent {
		if node != s.cfg.Node {
			s.cfg.Log.Warn("a node is silent and counts as dead", "node", node)
			err = errors.Join(err, s.expireNode(ctx, node))
		}
	}
	return err
}

func (s *Service) enqueueForgotten(ctx context.Context) error {
	var pending []ImportRef
	err := s.cfg.Store.View(ctx, func(tx Tx) (err error) {
		pending, err = tx.Imports.InStatus(ctx, Pending, "", 1)
		return err
	})
	if err != nil || len(pending) == 0 {
		return err
	}
	return s.cfg.Store.Update(ctx, func(tx Tx) error {
		if waiting, err := tx.Jobs.Waiting(ctx, RunJob); err != nil || waiting > 0 {
			return err
		}
		return enqueueRun(ctx, tx)
	})
}

func (s *Service) forgetSessions(ctx context.Context) error {
	before := s.now().Add(-keepSessions)
	var stale []Session
	err := s.cfg.Store.View(ctx, func(tx Tx) (err error) {
		stale, err = tx.Sessions.ListStale(ctx, before, sweepAtMost)
		return err
	})
	if err != nil || len(stale) == 0 {
		return err
	}
	return s.cfg.Store.Update(ctx, func(tx Tx) error {
		for _, session := range stale {
			if err := s.dropSession(ctx, tx, session.Org, session.ID, before); err != nil {
				return err
			}
		}
		return nil
	})
}

func (s *Service) forgetReplays(ctx context.Context) error {
	s.sweeps++
	if s.sweeps%sweepAtMost != 1 {
		return nil
	}
	return s.cfg.Store.Update(ctx, func(tx Tx) error {
		if err := tx.Replays.DeleteBefore(ctx, s.now().Add(-keepReplays)); err != nil {
			return err
		}
		_, err := tx.Outbox.DeleteBefore(ctx, s.now().Add(-keepDeliveries), deliveriesAtOnce)
		return err
	})
}

// CollectGarbage deletes what was kept for long enough and, once a day, blobs that were left
// behind. To look for those takes a while, so that it is no part of a sweep. It wants
// to be called every few minutes, from one goroutine.
func (s *Service) CollectGarbage(ctx context.Context) error {
	_, err := s.Expire(ctx)
	if now := s.now(); now.Sub(s.lastTidy) >= orphanAfter {
		gone, lost := s.Orphans(ctx, false)
		if len(gone) > 0 {
			s.cfg.Log.Warn("blobs that nothing named were removed", "count", len(gone), "first", gone[0])
		}
		s.lastTidy, err = now, errors.Join(err, lost)
	}
	return err
}
