package store

import (
	"context"
	"database/sql"
	"strings"

	"github.com/pressly/goose/v3"
)

// dialect is what differs between the databases.
type dialect struct {
	goose goose.Dialect
	// words are filled into the migrations.
	words *strings.Replacer
	// now is the database's clock, in microseconds.
	now string
	// view are the options of transactions that see one consistent state.
	view *sql.TxOptions
	// hold is what a query adds so that others wait with its rows; "" where
	// only one transaction writes at a time.
	hold string
	// empty empties the log of changes; "" where that is not ours to do.
	empty string
	// lock, where it is not "", waits until no other transaction holds the
	// lock $1, and holds it until the transaction ends.
	lock string
	// alone and notAlone, where they are not "", take and give back the lock
	// $1 for a connection.
	alone, notAlone string
}

// The locks. They share one space of numbers with whatever else uses the
// database, hence the odd ones.
const (
	lockMigrate = 7_204_118_301
	lockClaim   = 7_204_118_302
	lockBury    = 7_204_118_303
	lockConnect = 7_204_118_304
)

func sqliteDialect() dialect {
	return dialect{
		goose: goose.DialectSQLite3,
		words: strings.NewReplacer("${ID}", "TEXT", "${BYTES}", "BLOB"),
		now:   `CAST(unixepoch('subsec') * 1000000 AS INTEGER)`,
		// A reader's transaction is a snapshot on SQLite.
		view:  &sql.TxOptions{ReadOnly: true},
		empty: `PRAGMA wal_checkpoint(TRUNCATE)`,
	}
}

func postgresDialect() dialect {
	return dialect{
		goose: goose.DialectPostgres,
		words: strings.NewReplacer("${ID}", `TEXT COLLATE "C"`, "${BYTES}", "BYTEA"),
		// now() would be when the transaction began.
		now:      `CAST(extract(epoch FROM clock_timestamp()) * 1000000 AS BIGINT)`,
		view:     &sql.TxOptions{Isolation: sql.LevelRepeatableRead, ReadOnly: true},
		hold:     ` FOR UPDATE`,
		lock:     `SELECT pg_advisory_xact_lock($1)`,
		alone:    `SELECT pg_advisory_lock($1)`,
		notAlone: `SELECT pg_advisory_unlock($1)`,
	}
}

// waitFor lets one transaction at a time go on.
func (t *txn) waitFor(ctx context.Context, lock int64) error {
	if t.dialect.lock == "" {
		return nil
	}
	_, err := t.exec(ctx, "waiting for a lock", t.dialect.lock, lock)
	return err
}
