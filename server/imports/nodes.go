package imports

import (
	"context"
	"errors"
	"slices"
	"strings"
	"time"

	"github.com/intraydata/intray"
	"github.com/intraydata/intray/server/model"
)

// NodeTimeout is the time without a heartbeat after which other nodes consider a node dead. They
// look for dead nodes every 2 s, so its imports run again within 10 s.
const NodeTimeout = 7 * time.Second

// RecoverRuns reclaims the runs of dead nodes and the abandoned runs of this process. If an
// import is pending and no job is waiting, it enqueues a job. It also reads the settings of
// organizations. Call it from one goroutine only.
func (s *Service) RecoverRuns(ctx context.Context) error {
	return errors.Join(s.env.LoadOrgs(ctx), s.expireSilentNodes(ctx), s.reportCopiedFolder(ctx), s.reclaimAbandoned(ctx), s.enqueueMissingJob(ctx))
}

// Join registers this process as a node. It reclaims the runs of earlier processes with the same
// data folder, if they have certainly ended.
func (s *Service) Join(ctx context.Context) error {
	if err := s.env.LoadOrgs(ctx); err != nil {
		return err
	}
	nodes, err := s.sameFolder(ctx)
	if err != nil {
		return err
	}
	for _, node := range nodes {
		if s.env.HasEnded(node) {
			_, failure := s.expireDeadNode(ctx, node)
			err = errors.Join(err, failure)
		}
	}
	s.joined = s.env.Now()
	return errors.Join(err, s.RecordHeartbeat(ctx))
}

// sameFolder returns all other nodes whose data folder has the same name as that of this process.
func (s *Service) sameFolder(ctx context.Context) ([]string, error) {
	folder, _, _ := strings.Cut(s.env.Node, "/")
	nodes, err := model.View(ctx, s.env.Store, func(tx model.Tx) ([]string, error) { return tx.Nodes.List(ctx) })
	return slices.DeleteFunc(nodes, func(node string) bool {
		other, _, _ := strings.Cut(node, "/")
		return other != folder || node == s.env.Node
	}), err
}

// reportCopiedFolder logs an error if another process is alive whose data folder has the same name.
// An earlier process with the same folder is silent once this process has run for NodeTimeout.
func (s *Service) reportCopiedFolder(ctx context.Context) error {
	if s.joined.IsZero() || s.env.Now().Sub(s.joined) <= NodeTimeout {
		return nil
	}
	nodes, err := s.sameFolder(ctx)
	if err != nil {
		return err
	}
	s.joined = time.Time{}
	if len(nodes) > 0 {
		folder, _, _ := strings.Cut(s.env.Node, "/")
		s.env.Log.Error("another process uses the same folder.id; delete folder.id from the copied data folder and restart its process", "folder.id", folder, "node", nodes[0])
	}
	return nil
}

// Leave unregisters this process and returns its runs to the queue.
func (s *Service) Leave(ctx context.Context) error {
	_, err := s.expireNode(ctx, s.env.Node, false)
	return err
}

// RecordHeartbeat records that this process is alive, and measures the clock skew. Call it every
// 2 s, from one goroutine only.
func (s *Service) RecordHeartbeat(ctx context.Context) error {
	var skew time.Duration
	beat := model.Heartbeat{ID: s.env.Node, Host: s.env.Host, Version: s.env.Version, ClockSkew: time.Duration(s.clockSkew.Load()), Kills: s.env.OOMKills()}
	err := s.env.Store.UpdateOne(ctx, func(tx model.Tx) error {
		// The time in the middle differs from that of the statement by at most half its duration.
		began := s.env.Now()
		at, err := tx.Nodes.Heartbeat(ctx, beat)
		skew = at.Sub(began.Add(s.env.Now().Sub(began) / 2))
		return err
	})
	if err != nil {
		s.failedHeartbeats.Add(1)
		return err
	}
	s.lastHeartbeat.Store(s.env.Now())
	before := time.Duration(s.clockSkew.Swap(int64(skew)))
	if isSkewed := skew.Abs() > maxClockSkew; isSkewed && before.Abs() <= maxClockSkew {
		s.env.Log.Warn("the clocks of this process and of the database differ; synchronize them with NTP", "database_ahead", skew)
	} else if !isSkewed && before.Abs() > maxClockSkew {
		s.env.Log.Info("the clocks of this process and of the database agree again")
	}
	return nil
}

// maxClockSkew is the maximum clock skew that is not reported.
const maxClockSkew = time.Second

// ClockSkew returns how far the clock of the database was ahead of the clock of this process at
// the last heartbeat, or 0 if the difference was at most 1 s.
func (s *Service) ClockSkew() time.Duration {
	if skew := time.Duration(s.clockSkew.Load()); skew.Abs() > maxClockSkew {
		return skew
	}
	return 0
}

// LastHeartbeat returns when this process last recorded a heartbeat. It is zero before the first one.
func (s *Service) LastHeartbeat() time.Time {
	last, _ := s.lastHeartbeat.Load().(time.Time)
	return last
}

// NodeStatus is the status of a process that shares the store.
type NodeStatus struct {
	model.Node
	// IsDead means that the process has recorded no heartbeat for so long that other processes run
	// its imports again.
	IsDead bool
	// Imports are the imports that the process runs.
	Imports []model.ImportRef
}

// Nodes returns the processes that share the store. A process that has ended properly is not included.
func (s *Service) Nodes(ctx context.Context) ([]NodeStatus, error) {
	return model.View(ctx, s.env.Store, func(tx model.Tx) (list []NodeStatus, err error) {
		nodes, err := tx.Nodes.Describe(ctx)
		for i := 0; i < len(nodes) && err == nil; i++ {
			status := NodeStatus{Node: nodes[i], IsDead: nodes[i].Silent >= NodeTimeout}
			status.Imports, err = tx.Imports.InStatus(ctx, model.Running, nodes[i].ID, model.MaintenanceBatch)
			list = append(list, status)
		}
		return list, err
	})
}

// expireDeadNode expires a node that has not left, and returns the number of its imports. If the
// kernel of its machine has killed a process for lack of memory since its last heartbeat, that
// process was probably the node. On another machine, this is unknown. It is also unknown if the node
// has claimed work after it was removed.
func (s *Service) expireDeadNode(ctx context.Context, node string) (imports int, err error) {
	last, err := model.View(ctx, s.env.Store, func(tx model.Tx) (model.OOMKills, error) { return tx.Nodes.OOMKills(ctx, node) })
	if model.IsKind(err, model.NotFound) { // it was removed, but may have claimed an import
		return s.expireNode(ctx, node, false)
	}
	if err != nil {
		return 0, err
	}
	return s.expireNode(ctx, node, s.env.OOMKills().MoreThan(last))
}

// expireNode reclaims the imports, deliveries, connectors and jobs of a node that has ended, and
// removes the node. outOfMemory reports whether the node was killed for lack of memory. It returns
// the number of imports.
func (s *Service) expireNode(ctx context.Context, node string, outOfMemory bool) (imports int, err error) {
	for done := false; !done; {
		found := 0
		err := s.updateRuns(ctx, func(tx model.Tx, counts *requeued) error {
			refs, err := tx.Imports.InStatus(ctx, model.Running, node, model.MaintenanceBatch)
			if err != nil {
				return err
			}
			for _, ref := range refs {
				if err := s.reclaimImport(ctx, tx, ref, node, outOfMemory, counts); err != nil {
					return err
				}
			}
			found = len(refs)
			if done = found < model.MaintenanceBatch; !done {
				return nil
			}
			if err := errors.Join(tx.Outbox.GiveBack(ctx, node), tx.Connectors.GiveBack(ctx, node)); err != nil {
				return err
			}
			return tx.Nodes.Remove(ctx, node)
		})
		if err != nil {
			return imports, err
		}
		imports += found
	}
	return imports, nil
}

// reclaimImport queues an import of a node that has ended, unless its run has ended. If the node
// was killed for lack of memory, any of its imports may be the cause, so each of them runs alone
// from then on. An import that was already alone is the cause, and fails.
func (s *Service) reclaimImport(ctx context.Context, tx model.Tx, ref model.ImportRef, node string, outOfMemory bool, counts *requeued) error {
	imp, err := tx.Imports.Get(ctx, ref.Org, ref.ID)
	if model.IsKind(err, model.NotFound) {
		return nil
	}
	if err != nil || imp.Status != model.Running || imp.Node != node || imp.Run != ref.Run {
		return err
	}
	switch {
	case !outOfMemory:
		return s.requeueLost(ctx, tx, imp, s.env.Now(), counts)
	case imp.Alone:
		s.env.Log.Error("import failed because its process was killed twice for lack of memory", "import", imp.ID, "org", imp.Org, "run", imp.Run)
		counts.failed = append(counts.failed, model.FailedByMemory)
		return s.failRun(ctx, tx, imp, intray.NewMessage("import.memory_exhausted", nil))
	}
	s.env.Log.Warn("the process of an import was killed for lack of memory; the import will run alone", "import", imp.ID, "org", imp.Org, "run", imp.Run)
	imp.Alone = true
	return s.requeue(ctx, tx, imp, counts)
}

// reclaimAbandoned reclaims imports that are running in this process according to
// the store but are not active. This happens if the store failed when they were
// claimed or returned. Because a claim is committed before the run becomes active,
// reclaimAbandoned reclaims only imports that it finds in two successive rounds.
func (s *Service) reclaimAbandoned(ctx context.Context) error {
	here, err := model.Get(ctx, s.env.Store, func(tx model.Tx) ([]model.ImportRef, error) {
		return tx.Imports.InStatus(ctx, model.Running, s.env.Node, model.MaintenanceBatch)
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
		s.env.Log.Warn("reclaim an abandoned import", "import", ref.ID, "run", ref.Run)
		err = errors.Join(err, s.updateRuns(ctx, func(tx model.Tx, counts *requeued) error {
			return s.reclaimImport(ctx, tx, ref, s.env.Node, false, counts)
		}))
	}
	return err
}

func (s *Service) expireSilentNodes(ctx context.Context) error {
	silent, err := model.Get(ctx, s.env.Store, func(tx model.Tx) ([]string, error) { return tx.Nodes.Silent(ctx, NodeTimeout) })
	for _, node := range silent {
		if node != s.env.Node {
			imports, failure := s.expireDeadNode(ctx, node)
			if failure == nil {
				s.env.Log.Warn("process counts as dead; its imports run again", "node", node, "imports", imports)
			}
			err = errors.Join(err, failure)
		}
	}
	return err
}

// enqueueMissingJob enqueues a job if an import is pending and no job is waiting.
func (s *Service) enqueueMissingJob(ctx context.Context) error {
	pending, err := model.Get(ctx, s.env.Store, func(tx model.Tx) ([]model.ImportRef, error) { return tx.Imports.InStatus(ctx, model.Pending, "", 1) })
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
