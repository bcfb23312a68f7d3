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

// masterMark names the mark of the master key.
const masterMark = "master key"

// Begun says whether the database was begun with a master key. Without that
// key it cannot be used.
func (s *Store) Begun(ctx context.Context) (begun bool, err error) {
	err = s.View(ctx, func(tx service.Tx) error {
		mark, err := tx.Nodes.Mark(ctx, masterMark, "")
		begun = mark != ""
		return err
	})
	return begun, err
}

// Belong compares the mark of a master key with that of the database, and sets
// it in a new one. Another one is an error that tells what to do.
func (s *Store) Belong(ctx context.Context, mark string) error {
	return s.Update(ctx, func(tx service.Tx) error {
		kept, err := tx.Nodes.Mark(ctx, masterMark, mark)
		if err == nil && kept != mark {
			return errMark
		}
		return err
	})
}

// Mark sets nothing where fresh is "".
func (r nodes) Mark(ctx context.Context, name, fresh string) (string, error) {
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
