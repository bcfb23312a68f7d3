package server

import (
	"errors"
	"fmt"
	"io/fs"
	"net"
	"path/filepath"

	"github.com/jackc/pgx/v5/pgconn"
	"modernc.org/sqlite"
)

// explainDatabaseError returns an error that states why the database cannot be opened. It omits the
// messages for clients of the API, which are of no use to an operator. It contains no password.
// Errors that are neither from a database driver nor from the file system remain unchanged.
func (c *Config) explainDatabaseError(err error) error {
	var refused *pgconn.ConnectError
	var pg *pgconn.PgError
	var lite *sqlite.Error
	var file *fs.PathError
	switch {
	case errors.As(err, &pg):
		return fmt.Errorf("cannot open the database: %s", pg.Message)
	case errors.As(err, &refused):
		return fmt.Errorf("cannot open the database: %w", connectionError(refused))
	case errors.As(err, &lite):
		return fmt.Errorf("cannot open the database %s: %w", filepath.Join(c.Data, sqliteName), lite)
	case errors.As(err, &file):
		return fmt.Errorf("cannot open the database: %w", file)
	}
	return err
}

// connectionError returns the cause of a failed connection, without the list of all attempts.
func connectionError(err *pgconn.ConnectError) error {
	var dial *net.OpError
	var lookup *net.DNSError
	var attempts interface{ Unwrap() []error }
	switch {
	case errors.As(err, &dial):
		return dial
	case errors.As(err, &lookup):
		return lookup
	case errors.As(err.Unwrap(), &attempts):
		return attempts.Unwrap()[0]
	}
	return err.Unwrap()
}
