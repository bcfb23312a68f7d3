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
	_, err := r.exec(ctx, "noting that a node lives",
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

// Remove also forgets a node that is not known, and takes its jobs back.
func (r nodeRows) Remove(ctx context.Context, node string) error {
	// Two that bury one node would both put its jobs back.
	if err := r.acquireLock(ctx, lockExpireNode); err != nil {
		return err
	}
	if _, err := r.jobs.Reclaim(ctx, r.tx, node); err != nil {
		return translate(err)
	}
	_, err := r.exec(ctx, "burying a node", `DELETE FROM nodes WHERE id = $1`, node)
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

// errMark says that the master key is another one than that of the rows: no
// key would be known and no secret could be read.
var errMark = errors.New("the master key is not the one that this database was begun with: " +
	"give the right INTRAY_MASTER_KEY, or put the right master.key back into the data folder")

// masterMark names the mark of the master key.
const masterMark = "master key"

// HasMasterKey says whether the database was begun with a master key. Without that
// key it cannot be used.
func (s *Store) HasMasterKey(ctx context.Context) (begun bool, err error) {
	err = s.View(ctx, func(tx model.Tx) error {
		mark, err := tx.Nodes.EnsureMark(ctx, masterMark, "")
		begun = mark != ""
		return err
	})
	return begun, err
}

// BindMasterKey compares the mark of a master key with that of the database, and sets
// it in a new one. Another one is an error that tells what to do.
func (s *Store) BindMasterKey(ctx context.Context, mark string) error {
	return s.Update(ctx, func(tx model.Tx) error {
		kept, err := tx.Nodes.EnsureMark(ctx, masterMark, mark)
		if err == nil && kept != mark {
			return errMark
		}
		return err
	})
}

// EnsureMark sets nothing where fresh is "".
func (r nodeRows) EnsureMark(ctx context.Context, name, fresh string) (string, error) {
	if fresh != "" {
		_, err := r.exec(ctx, "setting a mark",
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
		return "", fmt.Errorf("reading a mark: %w", translate(err))
	}
	return kept, nil
}
