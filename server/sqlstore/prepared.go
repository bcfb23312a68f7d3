package sqlstore

import (
	"context"
	"database/sql"
	"errors"
	"fmt"

	"github.com/intraydata/intray/server/model"
)

// querier runs queries.
type querier interface {
	ExecContext(ctx context.Context, query string, args ...any) (sql.Result, error)
	QueryContext(ctx context.Context, query string, args ...any) (*sql.Rows, error)
	QueryRowContext(ctx context.Context, query string, args ...any) *sql.Row
}

// statements maps queries to prepared statements.
type statements map[string]*sql.Stmt

// prepare prepares the queries that create imports and that authenticate calls. SQLite otherwise
// compiles them each time, which takes longer than running them. On PostgreSQL, pgx prepares all
// queries, so prepare does nothing. Closing the database closes the statements.
func (s *Store) prepare(ctx context.Context) (err error) {
	if s.writer == nil {
		return nil
	}
	s.prepared, err = prepareAll(ctx, s.write, imports.inserting, schemas.inserting, countInsertedQuery(model.AwaitingUpload))
	if err != nil {
		return err
	}
	s.preparedReads, err = prepareAll(ctx, s.read, licences.query(byHash), schemas.query(byID), imports.query(byID))
	return err
}

func prepareAll(ctx context.Context, db *sql.DB, queries ...string) (statements, error) {
	all := statements{}
	for _, query := range queries {
		stmt, err := db.PrepareContext(ctx, query) //nolint:sqlclosecheck // closing the database closes it
		if err != nil {
			return nil, fmt.Errorf("prepare %s: %w", query, err)
		}
		all[query] = stmt
	}
	return all, nil
}

// preparedQuerier uses prepared statements for the queries that have one.
type preparedQuerier struct {
	querier
	statements statements
	// tx is the transaction of the querier, or nil if it has none.
	tx *sql.Tx
}

func (p preparedQuerier) find(ctx context.Context, query string) *sql.Stmt {
	stmt := p.statements[query]
	if stmt == nil || p.tx == nil {
		return stmt
	}
	return p.tx.StmtContext(ctx, stmt)
}

func (p preparedQuerier) ExecContext(ctx context.Context, query string, args ...any) (sql.Result, error) {
	if p.tx == nil {
		return nil, errors.New("a change needs a transaction")
	}
	if stmt := p.find(ctx, query); stmt != nil { //nolint:sqlclosecheck // the end of the transaction or of the database closes it
		return stmt.ExecContext(ctx, args...)
	}
	return p.querier.ExecContext(ctx, query, args...)
}

func (p preparedQuerier) QueryContext(ctx context.Context, query string, args ...any) (*sql.Rows, error) {
	if stmt := p.find(ctx, query); stmt != nil { //nolint:sqlclosecheck // the end of the transaction or of the database closes it
		return stmt.QueryContext(ctx, args...)
	}
	return p.querier.QueryContext(ctx, query, args...)
}
