package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"

	"github.com/intraydata/intray/internal/service"
)

// errMark says that the master key is another one than that of the rows: no
// key would be known and no secret could be read.
var errMark = errors.New("the master key is not the one that this database was begun with: " +
	"give the right INTRAY_MASTER_KEY, or put the right master.key back into the data folder")

// checkMark compares the mark with that of the database, and sets it in a new
// one.
func (s *Store) checkMark(ctx context.Context, mark string) error {
	if mark == "" {
		return nil
	}
	return s.Update(ctx, func(tx service.Tx) error {
		t, ok := tx.Nodes.(nodes)
		if !ok {
			return fmt.Errorf("the rows of nodes are a %T", tx.Nodes)
		}
		return t.mark(ctx, mark)
	})
}

func (r nodes) mark(ctx context.Context, mark string) error {
	if err := r.waitFor(ctx, lockMigrate); err != nil {
		return err
	}
	var kept string
	err := r.tx.QueryRowContext(ctx, `SELECT mark FROM marks`).Scan(&kept)
	if errors.Is(err, sql.ErrNoRows) {
		_, err = r.tx.ExecContext(ctx, `INSERT INTO marks (mark) VALUES ($1)`, mark)
		return err
	}
	if err == nil && kept != mark {
		return errMark
	}
	return err
}
