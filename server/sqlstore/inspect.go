package sqlstore

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"net/url"
	"os"
	"path/filepath"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"
)

// OpenToInspect opens an existing database for methods that only read. It does not create, migrate or
// repair anything. On PostgreSQL, it does not connect. The version of the tables may differ from that of
// this program, see SchemaVersion.
func OpenToInspect(ctx context.Context, cfg Config) (*Store, error) {
	cfg.Logger = cmp.Or(cfg.Logger, slog.New(slog.DiscardHandler))
	cfg.Queue.Logger = cmp.Or(cfg.Queue.Logger, cfg.Logger)
	s := &Store{logger: cfg.Logger, outcomes: newOutcomeCache()}
	open := s.inspectSQLite
	if cfg.Path == "" {
		open = s.open
	}
	if err := open(ctx, cfg); err != nil {
		return nil, errors.Join(fmt.Errorf("open the store: %w", err), s.Close())
	}
	return s, nil
}

func (s *Store) inspectSQLite(ctx context.Context, cfg Config) error {
	path, err := filepath.Abs(cfg.Path)
	if err != nil {
		return fmt.Errorf("find the database: %w", err)
	}
	file, err := os.Open(path)
	if err != nil {
		return fmt.Errorf("find the database: %w", err)
	}
	_ = file.Close()
	if err := checkLog(path); err != nil {
		return err
	}
	s.dialect, s.writer = sqliteDialect(), &writer{}
	reading := url.Values{"mode": {"ro"}, "_pragma": {"busy_timeout(5000)", "query_only(1)"}}
	if _, err := os.Stat(path + "-wal"); errors.Is(err, fs.ErrNotExist) {
		// No process uses the database. SQLite would otherwise create a write-ahead log.
		reading.Set("immutable", "1")
	}
	s.read = s.openPool(path, reading, readers)
	s.write = s.read
	return s.read.PingContext(ctx)
}

// SchemaVersion returns the version of the tables, and the one that this program supports. The first one
// is 0 in an empty database.
func (s *Store) SchemaVersion(ctx context.Context) (has, supported int64, err error) {
	p, err := s.migrations()
	if err != nil {
		return 0, 0, fmt.Errorf("read the migrations: %w", err)
	}
	sources := p.ListSources()
	supported = sources[len(sources)-1].Version
	exists := `SELECT count(*) FROM sqlite_master WHERE name = 'goose_db_version'`
	if s.writer == nil {
		exists = `SELECT count(*) FROM pg_tables WHERE tablename = 'goose_db_version' AND schemaname = ANY (current_schemas(false))`
	}
	tables := 0
	if err := s.read.QueryRowContext(ctx, exists).Scan(&tables); err != nil || tables == 0 {
		return 0, supported, err
	}
	err = s.read.QueryRowContext(ctx, `SELECT COALESCE(MAX(version_id), 0) FROM goose_db_version`).Scan(&has)
	return has, supported, err
}

// QuickCheck is like CheckIntegrity, but omits the checks that take long.
func (s *Store) QuickCheck(ctx context.Context) ([]string, error) {
	if s.writer == nil {
		return nil, nil
	}
	return s.queryTexts(ctx, `SELECT quick_check FROM pragma_quick_check WHERE quick_check <> 'ok' LIMIT 10`)
}

// describedNodes is the version of the tables from which processes describe themselves.
const describedNodes = 28

// NodeState is a process that shares the database.
type NodeState struct {
	ID string
	// Host is the name of its machine, and Version the version of its program. Both are "" if they are
	// unknown.
	Host, Version string
	// Silent is the time since its last heartbeat.
	Silent time.Duration
	// Ahead is how far its clock was ahead of the clock of the database, or 0 if it is unknown.
	Ahead time.Duration
}

// NodeStates returns the processes that have not left, from tables with a version from SchemaVersion.
func (s *Store) NodeStates(ctx context.Context, tables int64) ([]NodeState, error) {
	described := `host, version, -clock_skew`
	if tables < describedNodes {
		described = `'', '', 0`
	}
	rows, err := s.read.QueryContext(ctx, `SELECT id, `+described+`, (`+s.dialect.now+` - beat) * 1000 FROM nodes ORDER BY id`)
	if err != nil {
		return nil, fmt.Errorf("list the processes: %w", err)
	}
	defer func() { _ = rows.Close() }()
	var list []NodeState
	for rows.Next() {
		var n NodeState
		if err := rows.Scan(&n.ID, &n.Host, &n.Version, &n.Ahead, &n.Silent); err != nil {
			return nil, fmt.Errorf("list the processes: %w", err)
		}
		list = append(list, n)
	}
	return list, rows.Err()
}

// PostgresState describes a PostgreSQL server and the role of this program.
type PostgresState struct {
	// Version is the number of the version, such as 150004 for 15.4.
	Version int
	// Encrypted means that the connection uses TLS. Local means that it does not leave this machine.
	Encrypted, Local bool
	// Standby means that the server replicates another one. ReadOnly means that transactions cannot write,
	// by default.
	Standby, ReadOnly bool
	// Fsync, FullPages and SynchronousCommit are settings of the server.
	Fsync, FullPages, SynchronousCommit string
	// MaxConnections is the number of connections that roles such as this one can open, and Connections the
	// number of open ones. PoolSize is the maximum for one process of this program.
	MaxConnections, Connections, PoolSize int
	Role                                  string
	// CanCreate means that the role can create tables.
	CanCreate bool
	// Ahead is how far the clock of the server is ahead of the clock of this process.
	Ahead time.Duration
}

// InspectPostgres returns the state of the PostgreSQL server.
func (s *Store) InspectPostgres(ctx context.Context, cfg Config) (state PostgresState, err error) {
	config, err := pgxpool.ParseConfig(cfg.URL)
	if err != nil {
		return PostgresState{}, errInvalidURL
	}
	state.PoolSize = int(poolSize(config, cfg.URL))
	var now time.Time
	began := time.Now()
	for range 2 { // the first query includes the time to connect
		began = time.Now()
		if err := s.read.QueryRowContext(ctx, `SELECT clock_timestamp()`).Scan(&now); err != nil {
			return PostgresState{}, err
		}
	}
	state.Ahead = now.Sub(began.Add(time.Since(began) / 2))
	err = s.read.QueryRowContext(ctx, `
		SELECT current_setting('server_version_num')::int,
			COALESCE((SELECT ssl FROM pg_stat_ssl WHERE pid = pg_backend_pid()), false),
			COALESCE(host(inet_client_addr()) = host(inet_server_addr()), true),
			pg_is_in_recovery(), current_setting('transaction_read_only') = 'on',
			current_setting('fsync'), current_setting('full_page_writes'), current_setting('synchronous_commit'),
			current_setting('max_connections')::int - current_setting('superuser_reserved_connections')::int,
			(SELECT count(*) FROM pg_stat_activity WHERE backend_type = 'client backend'),
			current_user, COALESCE(has_schema_privilege(current_schema(), 'CREATE'), false)`).Scan(
		&state.Version, &state.Encrypted, &state.Local, &state.Standby, &state.ReadOnly, &state.Fsync, &state.FullPages, &state.SynchronousCommit,
		&state.MaxConnections, &state.Connections, &state.Role, &state.CanCreate)
	return state, err
}
