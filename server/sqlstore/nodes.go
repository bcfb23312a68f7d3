package sqlstore

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"time"

	"github.com/intraydata/intray/server/model"
	"github.com/intraydata/intray/server/queue"
)

type nodeRows struct{ *txn }

func idCell(id *string) []any { return []any{id} }

func (r nodeRows) Heartbeat(ctx context.Context, node string) error {
	_, err := r.exec(ctx, "save heartbeat",
		`INSERT INTO nodes (id, beat) VALUES ($1, `+r.dialect.now+`)
		ON CONFLICT (id) DO UPDATE SET beat = excluded.beat`, node)
	return err
}

func (r nodeRows) Silent(ctx context.Context, after time.Duration) ([]string, error) {
	return queryAll(ctx, r.txn, "node", idCell,
		`SELECT id FROM nodes WHERE beat <= `+r.dialect.now+` - $1 ORDER BY id`, after.Microseconds())
}

func (r nodeRows) List(ctx context.Context) ([]string, error) {
	return queryAll(ctx, r.txn, "node", idCell, `SELECT id FROM nodes ORDER BY id`)
}

// Remove removes a node and returns its jobs to the queue, even if the node is
// unknown.
func (r nodeRows) Remove(ctx context.Context, node string) error {
	// Without the lock, concurrent removals of a node would both return its jobs.
	if err := r.acquireLock(ctx, lockExpireNode); err != nil {
		return err
	}
	if _, err := r.jobs.Reclaim(ctx, r.tx, node); err != nil {
		return translate(err)
	}
	_, err := r.exec(ctx, "delete node", `DELETE FROM nodes WHERE id = $1`, node)
	return err
}

type jobRows struct{ *txn }

func (r jobRows) Enqueue(ctx context.Context, job queue.Job) error {
	return translate(r.jobs.Enqueue(ctx, r.tx, job))
}

func (r jobRows) Waiting(ctx context.Context, kind string) (int, error) {
	n, err := r.jobs.Waiting(ctx, r.tx, kind)
	return n, translate(err)
}

// errMark means that the rows were written with a different master key, so that
// every API key would be invalid and every secret unreadable.
var errMark = errors.New("the database was created with another master key: " +
	"set INTRAY_MASTER_KEY to that key, or restore the file master.key in the data folder")

// masterMark is the name of the mark of the master key.
const masterMark = "master key"

// HasMasterKey reports whether the database was created with a master key. If so,
// the database is unusable without that key.
func (s *Store) HasMasterKey(ctx context.Context) (has bool, err error) {
	err = s.View(ctx, func(tx model.Tx) error {
		mark, err := tx.Nodes.EnsureMark(ctx, masterMark, "")
		has = mark != ""
		return err
	})
	return has, err
}

// BindMasterKey compares the mark of the current master key with the mark in the
// database. In a new database, it stores the mark. If the marks differ, it returns
// an error that says what to do.
func (s *Store) BindMasterKey(ctx context.Context, mark string) error {
	return s.Update(ctx, func(tx model.Tx) error {
		kept, err := tx.Nodes.EnsureMark(ctx, masterMark, mark)
		if err == nil && kept != mark {
			return errMark
		}
		return err
	})
}

// EnsureMark returns the mark with the given name. If there is none, it stores and
// returns fresh. If fresh is "", it stores nothing.
func (r nodeRows) EnsureMark(ctx context.Context, name, fresh string) (string, error) {
	if fresh != "" {
		_, err := r.exec(ctx, "set mark",
			`INSERT INTO marks (name, mark) VALUES ($1, $2) ON CONFLICT DO NOTHING`, name, fresh)
		if err != nil {
			return "", err
		}
	}
	var kept string
	err := r.tx.QueryRowContext(ctx, `SELECT mark FROM marks WHERE name = $1`, name).Scan(&kept)
	if errors.Is(err, sql.ErrNoRows) {
		return "", nil
	}
	if err != nil {
		return "", fmt.Errorf("read mark: %w", translate(err))
	}
	return kept, nil
}
