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

// Remove also returns the jobs of a node that is unknown.
func (r nodeRows) Remove(ctx context.Context, node string) error {
	// Concurrent removals of a node would both return its jobs.
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

// errMark means that the rows were written with another master key, so that no API key
// would be valid and no secret readable.
var errMark = errors.New("the database was created with another master key: " +
	"set INTRAY_MASTER_KEY to that key, or restore the file master.key in the data folder")

// masterMark is the name of the mark of the master key.
const masterMark = "master key"

// HasMasterKey reports whether the database was created with a master key. Without that key
// it is unusable.
func (s *Store) HasMasterKey(ctx context.Context) (has bool, err error) {
	err = s.View(ctx, func(tx model.Tx) error {
		mark, err := tx.Nodes.EnsureMark(ctx, masterMark, "")
		has = mark != ""
		return err
	})
	return has, err
}

// BindMasterKey compares the mark of a master key with the mark in the database, which it
// sets in a new database. If they differ, it returns an error that says what to do.
func (s *Store) BindMasterKey(ctx context.Context, mark string) error {
	return s.Update(ctx, func(tx model.Tx) error {
		kept, err := tx.Nodes.EnsureMark(ctx, masterMark, mark)
		if err == nil && kept != mark {
			return errMark
		}
		return err
	})
}

// EnsureMark sets no mark if fresh is "".
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
