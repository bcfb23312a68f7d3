package sqlstore

import (
	"cmp"
	"context"
	"database/sql"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/jackc/pgx/v5/stdlib"
	"github.com/pressly/goose/v3"

	"github.com/intraydata/intray/internal/filesys"
	"github.com/intraydata/intray/server/queue"
)

// dialect contains the SQL and the settings in which the two databases differ.
type dialect struct {
	goose goose.Dialect
	// substitutions replaces words in the migrations.
	substitutions *strings.Replacer
	// now is an SQL expression for the current time of the database, in microseconds since 1970.
	now string
	// readOptions are the options of read transactions, which see one snapshot.
	readOptions *sql.TxOptions
	// forUpdate is appended to a query to lock its rows. It is "" if only one
	// transaction writes at a time.
	forUpdate string
	// truncateLog is a statement that empties the write-ahead log. It is "" if the
	// database manages its log itself.
	truncateLog string
	// countsInserts means that a trigger counts the imports that are inserted. Otherwise,
	// importRows.Insert counts them.
	countsInserts bool
	// lock is a statement that waits for the lock $1 and holds it until the
	// transaction ends. It is "" if only one transaction writes at a time.
	lock string
	// lockText is like lock, but each text $2 has a lock $1 of its own.
	lockText string
	// sessionLock and sessionUnlock are statements that acquire and release the
	// lock $1 for a connection. They are "" if only one process uses the database.
	sessionLock, sessionUnlock string
	// isolated means that each call sees only the rows in its scope.
	isolated bool
}

func sqliteDialect() dialect {
	return dialect{
		goose:         goose.DialectSQLite3,
		substitutions: strings.NewReplacer("${ID}", "TEXT", "${BYTES}", "BLOB", "${USAGE_TRIGGERS}", sqliteTriggers, "${GROWTH_TRIGGERS}", sqliteGrowthTriggers, "${MAPPING_TRIGGERS}", sqliteMappingTriggers, "${ISOLATION}", "", "${UNLOGGED}", "", "${LOCK_TABLES}", ""),
		now:           `CAST(unixepoch('subsec') * 1000000 AS INTEGER)`,
		// On SQLite, every read transaction sees a snapshot.
		readOptions: &sql.TxOptions{ReadOnly: true},
		truncateLog: `PRAGMA wal_checkpoint(TRUNCATE)`,
	}
}

func postgresDialect() dialect {
	return dialect{
		goose:         goose.DialectPostgres,
		substitutions: strings.NewReplacer("${ID}", `TEXT COLLATE "C"`, "${BYTES}", "BYTEA", "${USAGE_TRIGGERS}", postgresTriggers, "${GROWTH_TRIGGERS}", postgresGrowthTriggers, "${MAPPING_TRIGGERS}", postgresMappingTriggers, "${ISOLATION}", postgresIsolation, "${UNLOGGED}", "UNLOGGED", "${LOCK_TABLES}", postgresLockTables),
		// PostgreSQL's now() would return the start of the transaction.
		now:           `CAST(extract(epoch FROM clock_timestamp()) * 1000000 AS BIGINT)`,
		readOptions:   &sql.TxOptions{Isolation: sql.LevelRepeatableRead, ReadOnly: true},
		forUpdate:     ` FOR UPDATE`,
		countsInserts: true,
		lock:          `SELECT pg_advisory_xact_lock($1)`,
		lockText:      `SELECT pg_advisory_xact_lock(hashtextextended($2, $1))`,
		sessionLock:   `SELECT pg_advisory_lock($1)`,
		sessionUnlock: `SELECT pg_advisory_unlock($1)`,
		isolated:      true,
	}
}

// readers is the maximum number of concurrent read connections.
const readers = 4

// openSQLite opens two connection pools on one file. Only one connection writes, because
// SQLite allows one writer at a time and does not queue the others, which would starve.
// Store.writer queues them instead.
func (s *Store) openSQLite(ctx context.Context, cfg Config) error {
	path, err := makeFile(cfg.Path)
	if err != nil {
		return err
	}
	if err := checkLog(path); err != nil {
		return err
	}
	s.dialect, s.writer = sqliteDialect(), &writer{}
	writing := url.Values{
		"_pragma": {"busy_timeout(5000)", "journal_mode(WAL)", "synchronous(FULL)", "foreign_keys(1)", "secure_delete(1)"},
		"_txlock": {"immediate"},
	}
	reading := url.Values{"_pragma": {"busy_timeout(5000)", "query_only(1)"}}
	s.write = s.openPool(path, writing, 1)
	// The first writer puts a new file into write-ahead-log mode. A reader that
	// connected earlier would prevent this.
	if err := s.write.PingContext(ctx); err != nil {
		return fmt.Errorf("open %s: %w", path, err)
	}
	s.read = s.openPool(path, reading, readers)
	s.jobs = queue.Local(cfg.Queue)
	return nil
}

func (s *Store) openPool(path string, params url.Values, conns int) *sql.DB {
	if path = filepath.ToSlash(path); !strings.HasPrefix(path, "/") {
		path = "/" + path // a drive of Windows: file:///C:/intray-data/intray.db
	}
	dsn := url.URL{Scheme: "file", Path: path, RawQuery: params.Encode()}
	db := sql.OpenDB(sqliteConnector{dsn.String()})
	db.SetMaxOpenConns(conns)
	db.SetMaxIdleConns(conns)
	s.closers = append(s.closers, db.Close)
	return db
}

// makeFile creates the database file and returns its absolute path. SQLite would
// create a file that other users can read.
func makeFile(path string) (string, error) {
	path, err := filepath.Abs(path)
	if err != nil {
		return "", fmt.Errorf("find the database: %w", err)
	}
	f, err := os.OpenFile(path, os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return "", fmt.Errorf("create the database: %w", err)
	}
	if stat, err := f.Stat(); err == nil && stat.Size() == 0 { // SQLite creates its other files with the owner of this one
		filesys.InheritOwner(f, filepath.Dir(path))
	}
	return path, f.Close()
}

// pingAfter is the time after which an unused connection is checked before it is used.
const pingAfter = 30 * time.Second

// maxIdleInTransaction is how long a process may do nothing in a transaction before PostgreSQL
// rolls it back. A process that is frozen, or whose machine is cut off, would otherwise keep its
// locks, and no other process could take over its imports.
const maxIdleInTransaction = 5 * time.Second

// configureConnection prepares a new connection. The rows of organizations are isolated, and
// maxIdleInTransaction is set unless the database URL sets another limit. These are not startup
// parameters, because connection poolers such as PgBouncer may reject unknown ones.
func configureConnection(ctx context.Context, conn *pgx.Conn) error {
	const parameter = "idle_in_transaction_session_timeout"
	statements := isolateConnection
	if _, set := conn.Config().RuntimeParams[parameter]; !set {
		statements += fmt.Sprintf("; SET %s = %d", parameter, maxIdleInTransaction.Milliseconds())
	}
	_, err := conn.Exec(ctx, statements)
	return err
}

// poolSize returns the maximum number of connections of this process.
func poolSize(config *pgxpool.Config, url string) int32 {
	most := config.MaxConns
	if !strings.Contains(url, "pool_max_conns") {
		most = 16
	}
	return max(most, 4) // the queue listens on one connection, and migrations use up to three
}

// openPostgres opens one connection pool, which the queue uses as well.
func (s *Store) openPostgres(ctx context.Context, cfg Config) error {
	if err := CheckURL(cfg.URL); err != nil {
		return err
	}
	config, err := parseURL(cfg.URL)
	if err != nil {
		return err
	}
	config.MaxConns = poolSize(config, cfg.URL)
	config.ConnConfig.ConnectTimeout = cmp.Or(config.ConnConfig.ConnectTimeout, 5*time.Second)
	params := config.ConnConfig.RuntimeParams
	params["application_name"] = cmp.Or(params["application_name"], "intray")

	config.AfterConnect, config.PrepareConn = configureConnection, enterScope
	// A transaction on a connection that has broken is repeated, so a ping seldom helps.
	config.ShouldPing = func(_ context.Context, p pgxpool.ShouldPingParams) bool { return p.IdleDuration > pingAfter }
	pool, err := pgxpool.NewWithConfig(ctx, config)
	if err != nil {
		return fmt.Errorf("open the database: %w", err)
	}
	db := stdlib.OpenDBFromPool(pool)
	s.closers = append(s.closers, db.Close, func() error { pool.Close(); return nil })
	s.write, s.read, s.dialect = db, db, postgresDialect()
	s.jobs = queue.Postgres(pool, cfg.Queue)
	return nil
}
