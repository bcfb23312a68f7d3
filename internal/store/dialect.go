package store

import (
	"context"
	"database/sql"
	"fmt"
	"net/url"
	"os"
	"path/filepath"

	"github.com/intraydata/intray/internal/queue"
	_ "modernc.org/sqlite" // the driver sqlite
)

// readers is how many connections read at once.
const readers = 4

// openSQLite opens three pools on one file. One connection writes, since more
// would starve each other: SQLite lets one write at a time and does not queue
// the rest. River has a connection of its own, so that its many small writes
// wait and those of the service do not.
func (s *Store) openSQLite(ctx context.Context, cfg Config) error {
	path, err := makeFile(cfg.Path)
	if err != nil {
		return err
	}
	s.dialect = sqliteDialect()
	writing := url.Values{
		"_pragma": {"busy_timeout(5000)", "journal_mode(WAL)", "synchronous(FULL)", "foreign_keys(1)", "secure_delete(1)"},
		"_txlock": {"immediate"},
	}
	reading := url.Values{"_pragma": {"busy_timeout(5000)", "query_only(1)"}}
	if s.write, err = s.pool(path, writing, 1); err != nil {
		return err
	}
	// The first writer turns a new file into one with a log, which a reader
	// that came before it would prevent.
	if err := s.write.PingContext(ctx); err != nil {
		return fmt.Errorf("opening %s: %w", path, err)
	}
	if s.read, err = s.pool(path, reading, readers); err != nil {
		return err
	}
	own, err := s.pool(path, writing, 1)
	if err != nil {
		return err
	}
	s.jobs, err = queue.SQLite(own, cfg.Queue)
	return err
}

func (s *Store) pool(path string, params url.Values, conns int) (*sql.DB, error) {
	dsn := url.URL{Scheme: "file", Path: path, RawQuery: params.Encode()}
	db, err := sql.Open("sqlite", dsn.String())
	if err != nil {
		return nil, fmt.Errorf("opening %s: %w", path, err)
	}
	db.SetMaxOpenConns(conns)
	db.SetMaxIdleConns(conns)
	s.closers = append(s.closers, db.Close)
	return db, nil
}

// makeFile makes an empty file where there is none, because SQLite would let
// others read it, and gives its absolute path.
func makeFile(path string) (string, error) {
	path, err := filepath.Abs(path)
	if err != nil {
		return "", fmt.Errorf("finding the database: %w", err)
	}
	f, err := os.OpenFile(path, os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return "", fmt.Errorf("making the database: %w", err)
	}
	return path, f.Close()
}
