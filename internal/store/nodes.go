package store

import (
	"context"
	"time"

	"github.com/intraydata/intray/internal/queue"
)

type nodes struct{ *txn }

func idCell(id *string) []any { return []any{id} }

func (r nodes) Beat(ctx context.Context, node string) error {
	_, err := r.exec(ctx, "noting that a node lives",
		`INSERT INTO nodes (id, beat) VALUES ($1, `+r.dialect.now+`)
		ON CONFLICT (id) DO UPDATE SET beat = excluded.beat`, node)
	return err
}

func (r nodes) Silent(ctx context.Context, after time.Duration) ([]string, error) {
	return many(ctx, r.txn, "node", idCell,
		`SELECT id FROM nodes WHERE beat <= `+r.dialect.now+` - $1 ORDER BY id`, after.Microseconds())
}

func (r nodes) All(ctx context.Context) ([]string, error) {
	return many(ctx, r.txn, "node", idCell, `SELECT id FROM nodes ORDER BY id`)
}

// Bury also forgets a node that is not known, and takes its jobs back.
func (r nodes) Bury(ctx context.Context, node string) error {
	// Two that bury one node would both put its jobs back.
	if err := r.waitFor(ctx, lockBury); err != nil {
		return err
	}
	if _, err := r.jobs.TakeBack(ctx, r.tx, node); err != nil {
		return translate(err)
	}
	_, err := r.exec(ctx, "burying a node", `DELETE FROM nodes WHERE id = $1`, node)
	return err
}

type jobs struct{ *txn }

func (r jobs) Enqueue(ctx context.Context, job queue.Job) error {
	return translate(r.jobs.Enqueue(ctx, r.tx, job))
}

func (r jobs) Waiting(ctx context.Context, kind string) (int, error) {
	n, err := r.jobs.Waiting(ctx, r.tx, kind)
	return n, translate(err)
}
