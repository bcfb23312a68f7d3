package sqlstore

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"os"

	"modernc.org/sqlite"
)

// copyPages is the number of pages that are copied before the context is checked.
const copyPages = 4096

// CopyTo copies an SQLite database to a new file that only its owner can read. The copy contains all
// transactions that had been committed when CopyTo was called. Other transactions can run at the same time.
func (s *Store) CopyTo(ctx context.Context, path string) error {
	if s.writer == nil {
		return errors.New("copy the database: it is not an SQLite database")
	}
	file, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err == nil {
		err = file.Close()
	}
	if err != nil {
		return fmt.Errorf("copy the database: %w", err)
	}
	conn, err := s.read.Conn(ctx)
	if err != nil {
		return fmt.Errorf("copy the database: %w", translate(err))
	}
	defer func() { _ = conn.Close() }()
	// As long as this transaction is open, the source does not change, and the copy does not start again.
	tx, err := conn.BeginTx(ctx, &sql.TxOptions{ReadOnly: true})
	if err != nil {
		return fmt.Errorf("copy the database: %w", translate(err))
	}
	defer func() { _ = tx.Rollback() }()
	var tables int
	if err := tx.QueryRowContext(ctx, `SELECT count(*) FROM sqlite_schema`).Scan(&tables); err != nil {
		return fmt.Errorf("copy the database: %w", translate(err))
	}
	err = conn.Raw(func(driverConn any) error { return copyPagesTo(ctx, driverConn, path) })
	if err != nil {
		return fmt.Errorf("copy the database: %w", err)
	}
	return nil
}

// copyPagesTo copies all pages of the database of a connection to an empty file.
func copyPagesTo(ctx context.Context, driverConn any, path string) error {
	cached, ok := driverConn.(*cachingConn)
	if !ok {
		return fmt.Errorf("the connection is a %T", driverConn)
	}
	source, ok := cached.sqliteConn.(interface {
		NewBackup(to string) (*sqlite.Backup, error)
	})
	if !ok {
		return fmt.Errorf("the driver's connection %T cannot copy the database", cached.sqliteConn)
	}
	copied, err := source.NewBackup(path)
	if err != nil {
		return err
	}
	for more := true; more && err == nil; {
		if more, err = copied.Step(copyPages); err == nil {
			err = ctx.Err()
		}
	}
	return errors.Join(err, copied.Finish())
}

// Versions returns the version of the schema of the database, and the newest one that this program knows.
func (s *Store) Versions(ctx context.Context) (has, knows int64, err error) {
	p, err := s.migrations()
	if err != nil {
		return 0, 0, fmt.Errorf("read the migrations: %w", err)
	}
	return p.GetVersions(ctx)
}

// NewestVersion returns the newest version of the schema that this program knows.
func NewestVersion() (int64, error) {
	files, err := fs.Glob(migrations, "migrations/*.sql")
	if err != nil || len(files) == 0 {
		return 0, errors.Join(errors.New("there are no migrations"), err)
	}
	var version int64
	_, err = fmt.Sscanf(files[len(files)-1], "migrations/%d_", &version)
	return version, err
}
