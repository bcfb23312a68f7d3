package sqlstore

import (
	"context"
	"fmt"

	"github.com/intraydata/intray/server/model"
)

// KeyMarks are the marks that connect a database with its master key.
type KeyMarks struct {
	// MasterID identifies the master key. It is "" in a new database.
	MasterID string
	// Keyring contains the internal keys, encrypted with the master key. It is "" in a database that
	// an earlier version created.
	Keyring string
}

// These are the names of the marks.
const (
	masterMark  = "master key"
	keyringMark = "internal keys"
)

// KeyMarks returns the marks of the master key.
func (s *Store) KeyMarks(ctx context.Context) (KeyMarks, error) {
	return model.View(ctx, s, func(tx model.Tx) (KeyMarks, error) { return ensureKeyMarks(ctx, tx, KeyMarks{}) })
}

// EnsureKeyMarks stores each mark that the database does not have, and returns all of them.
func (s *Store) EnsureKeyMarks(ctx context.Context, fresh KeyMarks) (marks KeyMarks, err error) {
	err = s.Update(ctx, func(tx model.Tx) error {
		marks, err = ensureKeyMarks(ctx, tx, fresh)
		return err
	})
	return marks, err
}

func ensureKeyMarks(ctx context.Context, tx model.Tx, fresh KeyMarks) (marks KeyMarks, err error) {
	if marks.MasterID, err = tx.Nodes.EnsureMark(ctx, masterMark, fresh.MasterID); err != nil {
		return KeyMarks{}, err
	}
	marks.Keyring, err = tx.Nodes.EnsureMark(ctx, keyringMark, fresh.Keyring)
	return marks, err
}

// ReplaceKeyMarks replaces the marks and all encrypted secrets of webhooks and SFTP servers in one
// transaction. reseal returns the new form of a secret in the row with the given id of an
// organization. If the marks are no longer old, ReplaceKeyMarks changes nothing and returns an error
// of kind Conflict.
func (s *Store) ReplaceKeyMarks(ctx context.Context, old, next KeyMarks, reseal func(sealed []byte, org, id string) ([]byte, error)) error {
	return s.Update(ctx, func(tx model.Tx) error {
		t := tx.Nodes.(nodeRows).txn
		for _, m := range []struct{ name, old, next string }{{masterMark, old.MasterID, next.MasterID}, {keyringMark, old.Keyring, next.Keyring}} {
			n, err := t.exec(ctx, "replace mark", `UPDATE marks SET mark = $1 WHERE name = $2 AND mark = $3`, m.next, m.name, m.old)
			if err != nil {
				return err
			}
			if n == 0 {
				return &model.Error{Kind: model.Conflict, Code: "master_key_replaced"}
			}
		}
		for _, column := range []struct{ table, name string }{{"credentials", "sealed"}, {"webhooks", "sealed"}, {"webhooks", "before"}} {
			if err := t.resealColumn(ctx, column.table, column.name, reseal); err != nil {
				return err
			}
		}
		return nil
	})
}

// resealColumn replaces all encrypted secrets in a column.
func (t *txn) resealColumn(ctx context.Context, table, column string, reseal func(sealed []byte, org, id string) ([]byte, error)) error {
	type row struct {
		org, id string
		sealed  []byte
	}
	rows, err := queryAll(ctx, t, table, func(r *row) []any { return []any{&r.org, &r.id, &r.sealed} },
		`SELECT org, id, `+column+` FROM `+table+` WHERE `+column+` IS NOT NULL`+t.forUpdate)
	if err != nil {
		return err
	}
	for _, r := range rows {
		sealed, err := reseal(r.sealed, r.org, r.id)
		if err != nil {
			return fmt.Errorf("encrypt the secret of %s in %s: %w", r.id, table, err)
		}
		if _, err := t.exec(ctx, "replace secret", `UPDATE `+table+` SET `+column+` = $1 WHERE org = $2 AND id = $3`, sealed, r.org, r.id); err != nil {
			return err
		}
	}
	return nil
}
