package imports

import (
	"context"
	"errors"
	"slices"
	"strings"
	"time"

	"github.com/intraydata/intray/server/model"
)

// silentFor is how long a node may be silent before it counts as dead.
const silentFor = 8 * time.Second

// RecoverRuns takes back the runs of dead nodes and those that this one left behind, and
// wakes a worker where imports wait and none does.
func (s *Service) RecoverRuns(ctx context.Context) error {
	return errors.Join(s.expireSilentNodes(ctx), s.reclaimOwn(ctx), s.enqueueForgotten(ctx))
}

// Join takes this process in among those that share the store, and takes back
// what a process died over that ran on the same data folder: because the
// folder is locked, none of those can still live.
func (s *Service) Join(ctx context.Context) error {
	folder, _, _ := strings.Cut(s.env.Node, "/")
	var before []string
	err := s.env.Store.View(ctx, func(tx model.Tx) (err error) {
		before, err = tx.Nodes.List(ctx)
		return err
	})
	if err != nil {
		return err
	}
	for _, node := range before {
		if its, _, _ := strings.Cut(node, "/"); its == folder && node != s.env.Node {
			err = errors.Join(err, s.expireNode(ctx, node))
		}
	}
	return errors.Join(err, s.RecordHeartbeat(ctx))
}

// Leave tells the others that this process has ended its work.
func (s *Service) Leave(ctx context.Context) error { return s.expireNode(ctx, s.env.Node) }

// RecordHeartbeat says that this process lives. It wants to be called every 2 s.
func (s *Service) RecordHeartbeat(ctx context.Context) error {
	return s.env.Store.Update(ctx, func(tx model.Tx) error { return tx.Nodes.Heartbeat(ctx, s.env.Node) })
}

// expireNode takes back the imports and the jobs of a dead node.
func (s *Service) expireNode(ctx context.Context, node string) error {
	for done := false; !done; {
		err := s.env.Store.Update(ctx, func(tx model.Tx) error {
			refs, err := tx.Imports.InStatus(ctx, model.Running, node, model.MaintenanceBatch)
			if err != nil {
				return err
			}
			for _, ref := range refs {
				if err := s.reclaimImport(ctx, tx, ref, node); err != nil {
					return err
				}
			}
			if done = len(refs) < model.MaintenanceBatch; !done {
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
func (s *Service) reclaimImport(ctx context.Context, tx model.Tx, ref model.ImportRef, node string) error {
	imp, err := tx.Imports.Get(ctx, ref.Org, ref.ID)
	if model.IsKind(err, model.NotFound) {
		return nil
	}
	if err != nil || imp.Status != model.Running || imp.Node != node || imp.Run != ref.Run {
		return err
	}
	return s.requeueLost(ctx, tx, imp, s.env.Now())
}

// reclaimOwn takes back the imports that run here by their rows and in truth do
// not: the store was out of reach when they were to be handed back, or when it
// answered that they were claimed. What is seen so twice in a row is: a claim
// that was just committed is about to be noted.
func (s *Service) reclaimOwn(ctx context.Context) error {
	var here []model.ImportRef
	err := s.env.Store.View(ctx, func(tx model.Tx) (err error) {
		here, err = tx.Imports.InStatus(ctx, model.Running, s.env.Node, model.MaintenanceBatch)
		return err
	})
	if err != nil {
		return err
	}
	idle := slices.DeleteFunc(here, func(ref model.ImportRef) bool {
		return s.activeRuns.Contains(model.Import{ID: ref.ID}.RunPrefix(ref.Run))
	})
	again := slices.DeleteFunc(slices.Clone(idle), func(ref model.ImportRef) bool { return !slices.Contains(s.idleRuns, ref) })
	s.idleRuns = idle
	for _, ref := range again {
		s.env.Log.Warn("an import was left behind and is taken back", "import", ref.ID, "run", ref.Run)
		err = errors.Join(err, s.env.Store.Update(ctx, func(tx model.Tx) error { return s.reclaimImport(ctx, tx, ref, s.env.Node) }))
	}
	return err
}

func (s *Service) expireSilentNodes(ctx context.Context) error {
	var silent []string
	err := s.env.Store.View(ctx, func(tx model.Tx) (err error) {
		silent, err = tx.Nodes.Silent(ctx, silentFor)
		return err
	})
	for _, node := range silent {
		if node != s.env.Node {
			s.env.Log.Warn("a node is silent and counts as dead", "node", node)
			err = errors.Join(err, s.expireNode(ctx, node))
		}
	}
	return err
}

func (s *Service) enqueueForgotten(ctx context.Context) error {
	var pending []model.ImportRef
	err := s.env.Store.View(ctx, func(tx model.Tx) (err error) {
		pending, err = tx.Imports.InStatus(ctx, model.Pending, "", 1)
		return err
	})
	if err != nil || len(pending) == 0 {
		return err
	}
	return s.env.Store.Update(ctx, func(tx model.Tx) error {
		if waiting, err := tx.Jobs.Waiting(ctx, model.RunJob); err != nil || waiting > 0 {
			return err
		}
		return model.EnqueueRun(ctx, tx)
	})
}
