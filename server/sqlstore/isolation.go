package sqlstore

import (
	"context"
	"database/sql"
	"errors"

	"github.com/jackc/pgx/v5"

	"github.com/intraydata/intray/server/model"
)

// PostgreSQL isolates organizations with row-level security, as a second line of defense: a query
// that forgets the organization finds only rows of the right one. Two settings of a connection
// control the policies. intray.isolated is on in every connection of this program. intray.org is
// the scope of the current call, see [model.OrgScope]. Without a scope, no row is visible.
//
// Policies do not apply to superusers and to roles with the attribute BYPASSRLS.

const (
	isolateConnection = `SET intray.isolated = 'on'`
	setScope          = `SELECT set_config('intray.org', $1, false)`
)

// scopeInConn is the key of the scope that is set in a connection, in the data of the connection.
const scopeInConn = "intray.org"

// enterScope sets the scope of ctx in a connection of the pool that is about to be used. If the
// connection is broken, it returns false, and the pool uses another one.
func enterScope(ctx context.Context, conn *pgx.Conn) (bool, error) {
	scope, data := model.OrgScope(ctx), conn.PgConn().CustomData()
	if set, isSet := data[scopeInConn]; isSet && set == scope {
		return true, nil
	}
	delete(data, scopeInConn) // unknown until the database has responded
	if _, err := conn.Exec(ctx, setScope, scope); err != nil {
		return false, ctx.Err()
	}
	data[scopeInConn] = scope
	return true, nil
}

// IsIsolated reports whether the database isolates organizations: on PostgreSQL, unless the role of
// this program is exempt from row-level security.
func (s *Store) IsIsolated(ctx context.Context) (bool, error) {
	if !s.dialect.isolated {
		return false, nil
	}
	exempt := false
	err := s.read.QueryRowContext(ctx, `SELECT rolsuper OR rolbypassrls FROM pg_roles WHERE rolname = current_user`).Scan(&exempt)
	return !exempt, s.logUnavailable(ctx, translate(err))
}

var errNoScope = errors.New("the context has no scope; call model.InOrg or model.AcrossOrgs")

// checkScope returns errNoScope if no row would be visible to a call with ctx.
func (s *Store) checkScope(ctx context.Context) error {
	if s.dialect.isolated && model.OrgScope(ctx) == "" {
		return errNoScope
	}
	return nil
}

// poolQuerier runs queries without a transaction, in the scope of a call.
type poolQuerier struct {
	db    *sql.DB
	scope string
}

func (q poolQuerier) ExecContext(ctx context.Context, query string, args ...any) (sql.Result, error) {
	return q.db.ExecContext(model.InOrg(ctx, q.scope), query, args...)
}

func (q poolQuerier) QueryContext(ctx context.Context, query string, args ...any) (*sql.Rows, error) {
	return q.db.QueryContext(model.InOrg(ctx, q.scope), query, args...)
}

func (q poolQuerier) QueryRowContext(ctx context.Context, query string, args ...any) *sql.Row {
	return q.db.QueryRowContext(model.InOrg(ctx, q.scope), query, args...)
}

// readOnlyQuerier is a poolQuerier that changes nothing.
type readOnlyQuerier struct{ poolQuerier }

func (readOnlyQuerier) ExecContext(context.Context, string, ...any) (sql.Result, error) {
	return nil, errors.New("the transaction is read-only")
}
