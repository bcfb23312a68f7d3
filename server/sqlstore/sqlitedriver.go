package sqlstore

import (
	"context"
	"database/sql/driver"
	"errors"
	"fmt"

	"modernc.org/sqlite"
)

// sqliteConnector opens connections to an SQLite database that keep their statements prepared. SQLite
// would otherwise compile each query every time, which takes longer than running most of them.
type sqliteConnector struct{ dsn string }

func (c sqliteConnector) Driver() driver.Driver { return &sqlite.Driver{} }

func (c sqliteConnector) Connect(context.Context) (driver.Conn, error) {
	opened, err := c.Driver().Open(c.dsn)
	if err != nil {
		return nil, fmt.Errorf("open the database: %w", err)
	}
	conn, ok := opened.(sqliteConn)
	if !ok {
		return nil, errors.Join(fmt.Errorf("the driver opened a %T, which lacks methods", opened), opened.Close())
	}
	return &cachingConn{sqliteConn: conn, statements: map[string]*cachedStatement{}}, nil
}

// sqliteConn lists the interfaces of the driver's connections that package sql uses.
type sqliteConn interface {
	driver.Conn
	driver.ConnBeginTx
	driver.ConnPrepareContext
	driver.ExecerContext
	driver.QueryerContext
	driver.SessionResetter
	driver.Validator
}

// maxStatements is the maximum number of statements that a connection keeps prepared. There are fewer
// queries, except for those whose text depends on the length of a list.
const maxStatements = 250

// cachingConn is a connection that prepares each query once. Like every connection of package sql, only
// one goroutine uses it at a time.
type cachingConn struct {
	sqliteConn
	statements map[string]*cachedStatement
}

type cachedStatement struct {
	driver.Stmt
	// reading is set until the rows of the last query are closed. The statement cannot run again
	// before that.
	reading bool
}

// find returns the prepared statement for a query, or nil if the query must be compiled.
func (c *cachingConn) find(ctx context.Context, query string) (*cachedStatement, error) {
	known := c.statements[query]
	if known != nil && known.reading || known == nil && len(c.statements) == maxStatements {
		return nil, nil
	}
	if known == nil {
		stmt, err := c.PrepareContext(ctx, query)
		if err != nil {
			return nil, err
		}
		known = &cachedStatement{Stmt: stmt}
		c.statements[query] = known
	}
	return known, nil
}

// isRepeated reports whether a query will run again. Queries without parameters belong to migrations,
// except for those that separate the members of a group.
func isRepeated(query string, args []driver.NamedValue) bool {
	return len(args) > 0 || query == beginMember || query == keepMember
}

func (c *cachingConn) ExecContext(ctx context.Context, query string, args []driver.NamedValue) (driver.Result, error) {
	if !isRepeated(query, args) {
		return c.sqliteConn.ExecContext(ctx, query, args)
	}
	stmt, err := c.find(ctx, query)
	if err != nil {
		return nil, err
	}
	if stmt == nil {
		return c.sqliteConn.ExecContext(ctx, query, args)
	}
	return stmt.Stmt.(driver.StmtExecContext).ExecContext(ctx, args)
}

func (c *cachingConn) QueryContext(ctx context.Context, query string, args []driver.NamedValue) (driver.Rows, error) {
	if !isRepeated(query, args) {
		return c.sqliteConn.QueryContext(ctx, query, args)
	}
	stmt, err := c.find(ctx, query)
	if err != nil {
		return nil, err
	}
	if stmt == nil {
		return c.sqliteConn.QueryContext(ctx, query, args)
	}
	rows, err := stmt.Stmt.(driver.StmtQueryContext).QueryContext(ctx, args)
	if err != nil {
		return nil, err
	}
	stmt.reading = true
	return &cachedRows{rows, stmt}, nil
}

// Close closes the statements and the connection.
func (c *cachingConn) Close() error {
	errs := []error{}
	for _, stmt := range c.statements {
		errs = append(errs, stmt.Close())
	}
	clear(c.statements)
	return errors.Join(append(errs, c.sqliteConn.Close())...)
}

// cachedRows are the rows of a cachedStatement.
type cachedRows struct {
	driver.Rows
	stmt *cachedStatement
}

func (r *cachedRows) Close() error {
	r.stmt.reading = false
	return r.Rows.Close()
}
