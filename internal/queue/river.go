package queue

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/riverqueue/river/riverdriver"
	"github.com/riverqueue/river/rivertype"
)

// takeBackPage is how many running jobs are looked at with one query.
const takeBackPage = 1000

func (q *jobs[T]) TakeBack(ctx context.Context, tx Tx, node string) (int, error) {
	taken := 0
	err := q.lend(tx, func(t T) (err error) {
		taken, err = q.takeBack(ctx, t, node)
		return err
	})
	if err == nil {
		// A dead leader would keep its lease, and nobody else would lead.
		_, err = tx.ExecContext(ctx, `DELETE FROM river_leader WHERE leader_id = $1`, node)
	}
	if err != nil {
		return 0, fmt.Errorf("taking back the jobs of a node: %w", err)
	}
	return taken, nil
}

func (q *jobs[T]) takeBack(ctx context.Context, t T, node string) (int, error) {
	taken, after := 0, int64(0)
	for {
		running, err := q.driver.UnwrapExecutor(t).JobGetStuck(ctx, &riverdriver.JobGetStuckParams{
			AfterID: after,
			Max:     takeBackPage,
			// Every running job, whatever the clock of its node said.
			StuckHorizon: time.Now().AddDate(1, 0, 0),
		})
		if err != nil {
			return taken, err
		}
		lost := jobsOf(running, node)
		if err := q.replace(ctx, t, lost); err != nil {
			return taken, err
		}
		taken += len(lost)
		if len(running) < takeBackPage {
			return taken, nil
		}
		after = running[len(running)-1].ID
	}
}

// jobsOf gives the jobs whose last try was made by node.
func jobsOf(running []*rivertype.JobRow, node string) []*rivertype.JobRow {
	var own []*rivertype.JobRow
	for _, job := range running {
		if n := len(job.AttemptedBy); n > 0 && job.AttemptedBy[n-1] == node {
			own = append(own, job)
		}
	}
	return own
}

// replace discards jobs and enqueues new ones like them. New rows, because a
// node that is not quite dead completes by row: it finds its own discarded and
// cannot complete the try of another.
func (q *jobs[T]) replace(ctx context.Context, t T, lost []*rivertype.JobRow) error {
	if len(lost) == 0 {
		return nil
	}
	now := time.Now()
	discard := &riverdriver.JobRescueManyParams{}
	for _, job := range lost {
		a := args{kind: job.Kind}
		if err := json.Unmarshal(job.EncodedArgs, &a); err != nil {
			return fmt.Errorf("reading job %d: %w", job.ID, err)
		}
		if _, err := q.insert.InsertTx(ctx, t, a, nil); err != nil {
			return fmt.Errorf("enqueueing job %d again: %w", job.ID, err)
		}
		reason, err := json.Marshal(rivertype.AttemptError{
			At: now, Attempt: job.Attempt, Error: "the node died; the job was enqueued again"})
		if err != nil {
			return err
		}
		discard.ID = append(discard.ID, job.ID)
		discard.Error = append(discard.Error, reason)
		discard.FinalizedAt = append(discard.FinalizedAt, &now)
		discard.ScheduledAt = append(discard.ScheduledAt, job.ScheduledAt)
		discard.State = append(discard.State, string(rivertype.JobStateDiscarded))
	}
	_, err := q.driver.UnwrapExecutor(t).JobRescueMany(ctx, discard)
	return err
}
