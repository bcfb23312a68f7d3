// Package pgtest creates PostgreSQL databases for tests.
package pgtest

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"net/url"
	"os"
	"strings"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
)

// Variable is the environment variable with the URL of a PostgreSQL server for test databases.
const Variable = "INTRAY_TEST_POSTGRES_URL"

// owner is the role that owns the databases. Unlike a superuser, it is subject to row-level security.
const owner = "intray_test"

// Server returns the URL in [Variable], or "" if there is none.
func Server() string { return os.Getenv(Variable) }

// Create creates a database on a server. It returns the name of the database, and a URL to connect
// to it as a role that is not a superuser. If the role in the URL of the server may not create
// roles, the other URL contains the same role.
func Create(ctx context.Context, server string) (name, address string, err error) {
	u, err := url.Parse(server)
	if err != nil {
		return "", "", fmt.Errorf("parse the URL of a PostgreSQL server: %w", err)
	}
	name = "intray_test_" + strings.ToLower(rand.Text())
	create := "CREATE DATABASE " + name
	err = Exec(ctx, server, "CREATE ROLE "+owner+" LOGIN PASSWORD '"+owner+"'")
	switch code := errorCode(err); {
	case err == nil, code == "42710", code == "23505": // it exists, or is being created by another process
		u.User = url.UserPassword(owner, owner)
		create += " OWNER " + owner
	case code != "42501": // insufficient privilege
		return "", "", err
	}
	u.Path = "/" + name
	return name, u.String(), Exec(ctx, server, create)
}

// Drop drops a database and ends its connections.
func Drop(ctx context.Context, server, name string) error {
	return Exec(ctx, server, "DROP DATABASE IF EXISTS "+name+" WITH (FORCE)")
}

// Exec runs a statement on a server.
func Exec(ctx context.Context, server, statement string, args ...any) error {
	return Use(ctx, server, func(conn *pgx.Conn) error {
		if _, err := conn.Exec(ctx, statement, args...); err != nil {
			return fmt.Errorf("%s: %w", statement, err)
		}
		return nil
	})
}

// Use calls the function use with a connection to a server.
func Use(ctx context.Context, server string, use func(*pgx.Conn) error) error {
	conn, err := pgx.Connect(ctx, server)
	if err != nil {
		return fmt.Errorf("connect to PostgreSQL: %w", err)
	}
	defer func() { _ = conn.Close(ctx) }()
	return use(conn)
}

func errorCode(err error) string {
	if e, ok := errors.AsType[*pgconn.PgError](err); ok {
		return e.Code
	}
	return ""
}
