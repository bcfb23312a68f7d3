package queue

import (
	"context"
	"database/sql"
	"errors"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/jackc/pgx/v5/stdlib"
	"github.com/riverqueue/river/riverdriver/riverpgxv5"
	"github.com/riverqueue/river/riverdriver/riversqlite"
)

// SQLite gives the queue in the SQLite database of pool. The pool must have one
// connection and be the queue's alone; it is the caller's to close.
func SQLite(pool *sql.DB, cfg Config) (Queue, error) {
	return newJobs(riversqlite.New(pool), cfg, func(tx Tx, work func(*sql.Tx) error) error {
		return work(tx.Tx)
	})
}

// Postgres gives the queue in the PostgreSQL database of pool. Transactions
// lent to it must be those of database/sql over pgx. The pool is the caller's
// to close.
func Postgres(pool *pgxpool.Pool, cfg Config) (Queue, error) {
	return newJobs(riverpgxv5.New(pool), cfg, func(tx Tx, work func(pgx.Tx) error) error {
		return tx.Conn.Raw(func(driverConn any) error {
			conn, ok := driverConn.(*stdlib.Conn)
			if !ok {
				return errors.New("the transaction is not one of pgx")
			}
			return work(lentTx{conn.Conn()})
		})
	})
}

type pgxConn = pgx.Conn

// lentTx is the transaction that is open on a connection, and is ended by
// whoever began it.
type lentTx struct{ *pgxConn }

var errLent = errors.New("the transaction is only lent")

func (t lentTx) Conn() *pgx.Conn                       { return t.pgxConn }
func (t lentTx) Begin(context.Context) (pgx.Tx, error) { return nil, errLent }
func (t lentTx) Commit(context.Context) error          { return errLent }
func (t lentTx) Rollback(context.Context) error        { return errLent }

// LargeObjects is there because pgx.Tx has it; River does not call it.
func (t lentTx) LargeObjects() pgx.LargeObjects { return pgx.LargeObjects{} }
