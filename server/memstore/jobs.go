package memstore

import (
	"context"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/intraydata/intray/server/model"
	"github.com/intraydata/intray/server/queue"
)

// jobRow is an enqueued job. Node is the node that is running it, or "".
type jobRow struct {
	queue.Job
	ID      int64
	Node    string
	Attempt int
	Due     time.Time
}

type jobRows struct{ *txn }

// maxAttempts is the maximum number of attempts at a job.
const maxAttempts = 10

func (t *txn) enqueue(j queue.Job) error {
	if !t.writable {
		return errReadOnly
	}
	t.lastJob++
	t.enqueued = true
	return t.jobs.put(t, t.lastJob, jobRow{Job: j, ID: t.lastJob})
}

func (r jobRows) Enqueue(_ context.Context, j queue.Job) error { return r.enqueue(j) }

func (r jobRows) Waiting(_ context.Context, kind string) (int, error) {
	now := r.db.now()
	return r.jobs.count(func(j jobRow) bool { return j.Kind == kind && j.isDue(now) }), nil
}

func (j jobRow) isDue(now time.Time) bool { return j.Node == "" && !j.Due.After(now) }

func jobID(j jobRow) int64 { return j.ID }

// reclaimJobs enqueues the running jobs of a node again as new jobs.
func (t *txn) reclaimJobs(node string) error {
	for _, lost := range t.jobs.find(func(j jobRow) bool { return j.Node == node }, byKeyOrder(jobID), 0, -1) {
		if err := t.jobs.remove(t, lost.ID, anyRow); err != nil {
			return err
		}
		if err := t.enqueue(lost.Job); err != nil {
			return err
		}
	}
	return nil
}

// wakeRunners wakes each runner after a job was enqueued. The caller must hold the lock.
func (db *database) wakeRunners() {
	for runner := range db.runners {
		select {
		case runner <- struct{}{}:
		default:
		}
	}
}

// jobPoll is the interval between searches for jobs that become due.
const jobPoll = 500 * time.Millisecond

// RunJobs runs jobs as a node until ctx is canceled, at most workers at the same time. It waits for the
// running jobs. Failed jobs are repeated, and jobs that were canceled are enqueued again, as package
// queue describes.
func (s *Store) RunJobs(ctx context.Context, node string, workers int, handlers map[string]queue.Handler) {
	wake := make(chan struct{}, 1)
	s.db.mu.Lock()
	s.db.runners[wake] = true
	s.db.mu.Unlock()
	defer func() {
		s.db.mu.Lock()
		defer s.db.mu.Unlock()
		delete(s.db.runners, wake)
	}()
	var running sync.WaitGroup
	defer running.Wait()
	slots := make(chan struct{}, workers)
	kinds := slices.Sorted(maps.Keys(handlers))
	for ctx.Err() == nil {
		if len(slots) < workers && s.hasDueJob(kinds) {
			if j, err := s.claimJob(ctx, node, kinds); err == nil {
				slots <- struct{}{}
				running.Go(func() {
					s.endJob(ctx, j, handlers[j.Kind](ctx, j.Job))
					<-slots
					select {
					case wake <- struct{}{}:
					default:
					}
				})
				continue
			}
		}
		poll := time.NewTimer(jobPoll)
		select {
		case <-ctx.Done():
		case <-wake:
		case <-poll.C:
		}
		poll.Stop()
	}
}

// hasDueJob reports whether a job is due. It uses no transaction, so an idle node starts none.
func (s *Store) hasDueJob(kinds []string) bool {
	t := s.db.snapshot()
	now := s.db.now()
	return t.jobs.count(func(j jobRow) bool { return j.isDue(now) && slices.Contains(kinds, j.Kind) }) > 0
}

// changeJobs changes the jobs in a transaction.
func (s *Store) changeJobs(ctx context.Context, change func(t *txn) error) error {
	return s.Update(ctx, func(tx model.Tx) error { return change(tx.Jobs.(jobRows).txn) })
}

// claimJob claims the oldest job that is due. It returns NotFound if there is none.
func (s *Store) claimJob(ctx context.Context, node string, kinds []string) (claimed jobRow, err error) {
	err = s.changeJobs(ctx, func(t *txn) error {
		now := s.db.now()
		due := func(j jobRow) bool { return j.isDue(now) && slices.Contains(kinds, j.Kind) }
		list, err := t.jobs.changeWhere(t, due, byKeyOrder(jobID), 1, jobID, func(j *jobRow) {
			j.Node = node
			j.Attempt++
		})
		if err == nil && len(list) == 0 {
			err = notFound()
		}
		if err == nil {
			claimed = list[0]
		}
		return err
	})
	return claimed, err
}

// endJob deletes a job that has ended or failed for the last time, and enqueues it again otherwise. If
// the store fails, the job remains until its node is removed.
func (s *Store) endJob(ctx context.Context, j jobRow, failure error) {
	canceled := ctx.Err() != nil
	_ = s.changeJobs(context.WithoutCancel(ctx), func(t *txn) error {
		current := func(stored jobRow) bool { return stored.Node == j.Node && stored.Attempt == j.Attempt }
		if failure == nil || !canceled && j.Attempt >= maxAttempts {
			return model.IgnoreKind(t.jobs.remove(t, j.ID, current), model.NotFound)
		}
		t.enqueued = true
		return model.IgnoreKind(t.jobs.change(t, j.ID, current, func(stored *jobRow) {
			stored.Node = ""
			if canceled {
				stored.Attempt--
				return
			}
			delay := time.Duration(j.Attempt*j.Attempt*j.Attempt*j.Attempt) * time.Second
			stored.Due = s.db.now().Add(delay)
		}), model.NotFound)
	})
}
