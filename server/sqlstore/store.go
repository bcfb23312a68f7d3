// Package sqlstore stores the entities of package model in an SQL database: in an
// SQLite file or in a PostgreSQL database that many processes can share.
//
// A [Store] is an open database, and a txn is a transaction in it. A table lists the columns of
// an entity. The queries for an entity are methods of a type that embeds txn. The SQL is the
// same for both databases, with placeholders such as $1, except for the differences in dialect.
// Times are stored in microseconds since 1970, and lists and outcomes as JSON.
//
// The package enforces only rules that concern a single row. It does not store the
// contents of files, which are in blobs.
package sqlstore

import (
	"cmp"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"iter"
	"log/slog"
	"time"

	"github.com/intraydata/intray/server/model"
	"github.com/intraydata/intray/server/queue"
)

// Config selects the database. Exactly one of Path and URL must be set.
type Config struct {
	// Path is the path of the file of an SQLite database. If the file does not
	// exist, it is created so that only its owner can read it.
	Path string
	// URL is the URL of a PostgreSQL database: postgres://…, with the parameters of
	// pgx such as pool_max_conns (default 16, minimum 4).
	URL string
	// Queue configures the job queue. Its Logger defaults to Config.Logger.
	Queue queue.Config
	// Logger receives a record when the database is unreachable. Default: no logging.
	Logger *slog.Logger
}

// Store is an open database. All methods are safe for concurrent use.
type Store struct {
	// outcomes caches the decoded outcomes of imports.
	outcomes    *outcomeCache
	write, read *sql.DB
	locks       locks
	// writer orders the write transactions. It is nil on PostgreSQL.
	writer  *writer
	dialect dialect
	jobs    queue.Queue
	logger  *slog.Logger
	closers []func() error
}

var _ model.Store = (*Store)(nil)

// Open opens the database and migrates it. On PostgreSQL, several processes can call Open at the
// same time. Open returns an error if a newer version of this program migrated the database. If
// the database is unreachable, the error is of kind Unavailable.
func Open(ctx context.Context, cfg Config) (*Store, error) {
	cfg.Logger = cmp.Or(cfg.Logger, slog.New(slog.DiscardHandler))
	cfg.Queue.Logger = cmp.Or(cfg.Queue.Logger, cfg.Logger)
	s := &Store{logger: cfg.Logger, outcomes: newOutcomeCache()}
	err := s.open(ctx, cfg)
	if err == nil {
		err = s.migrate(ctx)
	}
	if err != nil {
		return nil, errors.Join(fmt.Errorf("open the store: %w", translate(err)), s.Close())
	}
	return s, nil
}

func (s *Store) open(ctx context.Context, cfg Config) error {
	switch {
	case cfg.Path != "" && cfg.URL != "":
		return errors.New("both a file and a URL are set; set only one")
	case cfg.URL != "":
		return s.openPostgres(ctx, cfg)
	case cfg.Path != "":
		return s.openSQLite(ctx, cfg)
	}
	return errors.New("neither a file nor a URL is set")
}

// Queue returns the queue in this database.
func (s *Store) Queue() queue.Queue { return s.jobs }

// Close waits until all transactions have ended and closes the database. The caller
// must stop the queue first.
func (s *Store) Close() error {
	errs := make([]error, 0, len(s.closers))
	for _, f := range s.closers {
		errs = append(errs, f())
	}
	return errors.Join(errs...)
}

// WriteWait returns the total time that write transactions have waited for others. On PostgreSQL,
// where they do not wait for each other in this process, it returns 0.
func (s *Store) WriteWait() time.Duration {
	if s.writer == nil {
		return 0
	}
	return time.Duration(s.writer.waited.Load())
}

// Ping returns an error if the database does not respond. It does not wait for transactions.
func (s *Store) Ping(ctx context.Context) error {
	var one int
	err := s.read.QueryRowContext(ctx, `SELECT 1`).Scan(&one)
	return s.logUnavailable(ctx, translate(err))
}

// Forget moves the write-ahead log of an SQLite database into the database file,
// where deleted data is overwritten, and empties the log. If a reader prevents
// this, the next call does it. On PostgreSQL, Forget does nothing.
func (s *Store) Forget(ctx context.Context) error {
	if s.dialect.truncateLog == "" {
		return nil
	}
	if err := s.writer.acquire(ctx, false, s.leave); err != nil {
		return s.logUnavailable(ctx, translate(fmt.Errorf("wait for other writes: %w", err)))
	}
	defer s.writer.release()
	s.endGroup()
	_, err := s.write.ExecContext(ctx, s.dialect.truncateLog)
	return s.logUnavailable(ctx, translate(err))
}

// Update implements [model.Store]. On SQLite, calls run one after the other, in their order, and
// waiting calls are committed together. On PostgreSQL, a transaction that is rolled back because of
// a deadlock runs again. If a method of Tx returns an error of kind NotFound or Conflict, the
// function work can still use the transaction.
func (s *Store) Update(ctx context.Context, work func(model.Tx) error) error {
	return s.update(ctx, false, work)
}

// UpdateOne implements [model.Store].
func (s *Store) UpdateOne(ctx context.Context, work func(model.Tx) error) error {
	if s.writer == nil {
		return s.runOne(ctx, poolQuerier{s.write, model.OrgScope(ctx)}, work)
	}
	return s.update(ctx, true, work)
}

func (s *Store) update(ctx context.Context, urgent bool, work func(model.Tx) error) error {
	if err := s.checkScope(ctx); err != nil {
		return err
	}
	run := func() error { return s.runTx(ctx, s.write, nil, work) }
	if s.writer != nil {
		run = func() error { return s.updateTogether(ctx, urgent, work) }
	}
	err := run()
	for tries := 1; isSerializationFailure(err) && tries < maxUndone; tries++ {
		err = run()
	}
	return s.logUnavailable(ctx, translate(err))
}

// View implements [model.Store].
func (s *Store) View(ctx context.Context, work func(model.Tx) error) error {
	if err := s.checkScope(ctx); err != nil {
		return err
	}
	err := s.runTx(ctx, s.read, s.dialect.readOptions, work)
	return s.logUnavailable(ctx, translate(err))
}

// ViewOne implements [model.Store].
func (s *Store) ViewOne(ctx context.Context, work func(model.Tx) error) error {
	return s.runOne(ctx, readOnlyQuerier{poolQuerier{s.read, model.OrgScope(ctx)}}, work)
}

// runOne runs work without a transaction.
func (s *Store) runOne(ctx context.Context, db querier, work func(model.Tx) error) error {
	if err := s.checkScope(ctx); err != nil {
		return err
	}
	t := s.newTxn(db, queue.Tx{}, "")
	defer t.releaseLocks()
	tx := t.rows()
	err := work(tx)
	for tries := 1; isStaleConnection(err) && ctx.Err() == nil && tries < maxStale; tries++ {
		err = work(tx)
	}
	return s.logUnavailable(ctx, translate(err))
}

func (s *Store) runTx(ctx context.Context, db *sql.DB, opts *sql.TxOptions, work func(model.Tx) error) error {
	tx, err := begin(ctx, db, opts)
	for tries := 1; isStaleConnection(err) && tries < maxStale; tries++ {
		tx, err = begin(ctx, db, opts)
	}
	if err != nil {
		return err
	}
	hold := ""
	if opts == nil {
		hold = s.dialect.forUpdate
	}
	t := s.newTxn(tx, tx, hold)
	defer t.releaseLocks() // after the end of the transaction
	defer func() { _ = tx.Conn.Close() }()
	defer func() { _ = tx.Rollback() }()
	if err := work(t.rows()); err != nil {
		return err
	}
	err = tx.Commit()
	if errors.Is(err, sql.ErrTxDone) && ctx.Err() != nil {
		err = ctx.Err() // the driver rolled back the transaction because the context ended
	}
	if err != nil {
		return fmt.Errorf("commit: %w", err)
	}
	return nil
}

// maxUndone is the maximum number of times that a transaction is tried if the database keeps
// rolling it back.
const maxUndone = 20

// maxStale is the maximum number of broken connections that are tried in a row.
// After a restart of the database, the pool contains broken connections.
const maxStale = 20

func begin(ctx context.Context, db *sql.DB, opts *sql.TxOptions) (queue.Tx, error) {
	conn, err := db.Conn(ctx)
	if err != nil {
		return queue.Tx{}, fmt.Errorf("connect: %w", err)
	}
	tx, err := conn.BeginTx(ctx, opts)
	if err != nil {
		return queue.Tx{}, errors.Join(fmt.Errorf("begin transaction: %w", err), conn.Close())
	}
	return queue.Tx{Tx: tx, Conn: conn}, nil
}

// newTxn returns a transaction that runs its queries with db, which is tx or, without a transaction,
// a pool of connections. The caller must release its locks.
func (s *Store) newTxn(db querier, tx queue.Tx, hold string) *txn {
	return &txn{querier: db, tx: tx, dialect: s.dialect, jobs: s.jobs, forUpdate: hold, outcomes: s.outcomes, locks: &s.locks}
}

// rows returns the rows of all entities.
func (t *txn) rows() model.Tx {
	return model.Tx{
		Accounts:    accountRows{t},
		Schemas:     schemaRows{ownedRows[model.Schema]{t, schemas}},
		Imports:     importRows{t},
		Embedded:    embeddedRows{t},
		Uploads:     uploadRows{t},
		Sessions:    sessionRows{ownedRows[model.Session]{t, sessions}},
		Credentials: credentialRows{ownedRows[model.Credential]{t, credentials}},
		Replays:     replayRows{t},
		Rates:       rateRows{t},
		Memory:      memoryRows{t},
		ImportLinks: importLinkRows{ownedRows[model.ImportLink]{t, importLinks}},
		Edits:       editRows{t},
		Webhooks:    webhookRows{ownedRows[model.Webhook]{t, webhooks}},
		Deliveries:  deliveryRows{ownedRows[model.Delivery]{t, deliveries}},
		Outbox:      outboxRows{t},
		Connectors:  connectorRows{ownedRows[model.Connector]{t, connectors}},
		Pulled:      pulledRows{t},
		Pulls:       pullRows{t},
		Retention:   retentionRows{t},
		Deletions:   deletionRows{t},
		Owners:      ownerRows{t},
		OrgData:     orgDataRows{t},
		Usage:       usageRows{t},
		Trash:       trashRows{t},
		Nodes:       nodeRows{t},
		Jobs:        jobRows{t},
	}
}

// logUnavailable logs why a call to the database may succeed only later. The message that
// callers get does not contain the cause.
func (s *Store) logUnavailable(ctx context.Context, err error) error {
	switch {
	case errors.Is(err, &model.Error{Kind: model.Unavailable, Code: "busy"}):
		s.logger.WarnContext(ctx, "database too slow", "error", err)
	case model.IsKind(err, model.Unavailable):
		s.logger.WarnContext(ctx, "database unreachable", "error", err)
	}
	return err
}

// querier runs queries.
type querier interface {
	ExecContext(ctx context.Context, query string, args ...any) (sql.Result, error)
	QueryContext(ctx context.Context, query string, args ...any) (*sql.Rows, error)
	QueryRowContext(ctx context.Context, query string, args ...any) *sql.Row
}

// txn is a transaction. Each type that embeds it reads and writes the rows of one entity.
type txn struct {
	querier
	// tx is for the queue. It is zero in ViewOne.
	tx      queue.Tx
	dialect dialect
	jobs    queue.Queue
	// forUpdate is appended to a query for a row that this transaction may write back. It makes
	// the query wait until no other transaction is writing the row, and locks the row. It is ""
	// in a read-only transaction, or if only one transaction writes at a time.
	forUpdate string
	outcomes  *outcomeCache
	locks     *locks
	// locked are the locks that the transaction holds or waits for.
	locked []lock
}

// exec runs a statement and returns the number of affected rows. action describes
// the statement in errors.
func (t *txn) exec(ctx context.Context, action, query string, args ...any) (int64, error) {
	res, err := t.ExecContext(ctx, query, args...)
	if err != nil {
		return 0, fmt.Errorf("%s: %w", action, translate(err))
	}
	return res.RowsAffected()
}

// execOne runs a statement that must affect a row. If it affects none, execOne returns NotFound.
func (t *txn) execOne(ctx context.Context, entity, query string, args ...any) error {
	n, err := t.exec(ctx, "change "+entity, query, args...)
	if err == nil && n == 0 {
		return notFound()
	}
	return err
}

// count returns the single number that a query selects.
func (t *txn) count(ctx context.Context, entity, query string, args ...any) (n int64, err error) {
	if err := t.QueryRowContext(ctx, query, args...).Scan(&n); err != nil {
		return 0, fmt.Errorf("count %s: %w", entity, translate(err))
	}
	return n, nil
}

// read passes each row of a query to scan as it reads it, until scan returns false or an error.
// Until read returns, the transaction must not be used for anything else.
func (t *txn) read(ctx context.Context, entity, query string, args []any, scan func(*sql.Rows) (bool, error)) error {
	rows, err := t.QueryContext(ctx, query, args...)
	if err != nil {
		return fmt.Errorf("read %s: %w", entity, translate(err))
	}
	defer func() { _ = rows.Close() }()
	more := true
	for more && err == nil && rows.Next() {
		more, err = scan(rows)
	}
	if more && err == nil {
		err = rows.Err()
	}
	if err != nil {
		return fmt.Errorf("read %s: %w", entity, translate(err))
	}
	return nil
}

// queryOne reads the first row of a query. If there is none, it returns NotFound.
func queryOne[T any](ctx context.Context, t *txn, entity string, cells func(*T) []any, query string, args ...any) (row T, err error) {
	found := false
	err = t.read(ctx, entity, query, args, func(rows *sql.Rows) (bool, error) {
		found = true
		return false, rows.Scan(cells(&row)...)
	})
	if err == nil && !found {
		err = notFound()
	}
	return row, err
}

// queryAll reads all rows of a query.
func queryAll[T any](ctx context.Context, t *txn, entity string, cells func(*T) []any, query string, args ...any) ([]T, error) {
	var all []T
	err := t.read(ctx, entity, query, args, func(rows *sql.Rows) (bool, error) {
		var row T
		err := rows.Scan(cells(&row)...)
		all = append(all, row)
		return true, err
	})
	if err != nil {
		return nil, err
	}
	return all, nil
}

// queryStream yields the rows of a query as it reads them. Until the iteration
// ends, the transaction must not be used for anything else.
func queryStream[T any](ctx context.Context, t *txn, entity string, cells func(*T) []any, query string, args ...any) iter.Seq2[T, error] {
	return func(yield func(T, error) bool) {
		err := t.read(ctx, entity, query, args, func(rows *sql.Rows) (bool, error) {
			var row T
			if err := rows.Scan(cells(&row)...); err != nil {
				return false, err
			}
			return yield(row, nil), nil
		})
		if err != nil {
			var none T
			yield(none, err)
		}
	}
}

type nodeRows struct{ *txn }

func idCell(id *string) []any { return []any{id} }

func (r nodeRows) Heartbeat(ctx context.Context, beat model.Heartbeat) (time.Time, error) {
	return queryOne(ctx, r.txn, "heartbeat", func(at *time.Time) []any { return []any{micros{at}} },
		`INSERT INTO nodes (id, started, beat, machine, oom_kills, host, version, clock_skew) VALUES ($1, `+r.dialect.now+`, `+r.dialect.now+`, $2, $3, $4, $5, $6)
		ON CONFLICT (id) DO UPDATE SET beat = excluded.beat, machine = excluded.machine, oom_kills = excluded.oom_kills,
			host = excluded.host, version = excluded.version, clock_skew = excluded.clock_skew RETURNING beat`,
		beat.ID, beat.Kills.Machine, beat.Kills.Count, beat.Host, beat.Version, beat.ClockSkew)
}

func (r nodeRows) Describe(ctx context.Context) ([]model.Node, error) {
	cells := func(n *model.Node) []any {
		return []any{&n.ID, &n.Host, &n.Version, &n.Kills.Machine, &n.Kills.Count, &n.ClockSkew,
			micros{&n.Started}, micros{&n.Last}, &n.Silent, &n.Connectors, &n.Deliveries}
	}
	return queryAll(ctx, r.txn, "node", cells, `
		SELECT id, host, version, machine, oom_kills, clock_skew, started, beat, (`+r.dialect.now+` - beat) * 1000,
			(SELECT count(*) FROM connectors WHERE node <> '' AND node = nodes.id),
			(SELECT count(*) FROM deliveries WHERE node <> '' AND node = nodes.id)
		FROM nodes ORDER BY id`)
}

func (r nodeRows) OOMKills(ctx context.Context, node string) (model.OOMKills, error) {
	return queryOne(ctx, r.txn, "node", func(k *model.OOMKills) []any { return []any{&k.Machine, &k.Count} },
		`SELECT machine, oom_kills FROM nodes WHERE id = $1`, node)
}

func (r nodeRows) Silent(ctx context.Context, after time.Duration) ([]string, error) {
	return queryAll(ctx, r.txn, "node", idCell,
		`SELECT id FROM nodes WHERE beat <= `+r.dialect.now+` - $1
		UNION SELECT node FROM imports WHERE status = 'RUNNING' AND NOT EXISTS (SELECT 1 FROM nodes WHERE nodes.id = imports.node)
		UNION SELECT node FROM connectors WHERE node <> '' AND NOT EXISTS (SELECT 1 FROM nodes WHERE nodes.id = connectors.node)
		UNION SELECT node FROM deliveries WHERE node <> '' AND NOT EXISTS (SELECT 1 FROM nodes WHERE nodes.id = deliveries.node)
		ORDER BY 1`, after.Microseconds())
}

func (r nodeRows) List(ctx context.Context) ([]string, error) {
	return queryAll(ctx, r.txn, "node", idCell, `SELECT id FROM nodes ORDER BY id`)
}

// Remove removes a node and returns its jobs to the queue, even if the node is unknown.
func (r nodeRows) Remove(ctx context.Context, node string) error {
	// Without the lock, concurrent removals of a node would both return its jobs.
	if err := r.acquireLock(ctx, lock{number: lockExpireNode}); err != nil {
		return err
	}
	if _, err := r.jobs.Reclaim(ctx, r.tx, node); err != nil {
		return translate(err)
	}
	_, err := r.exec(ctx, "delete node", `DELETE FROM nodes WHERE id = $1`, node)
	return err
}

type jobRows struct{ *txn }

func (r jobRows) Enqueue(ctx context.Context, job queue.Job) error {
	return translate(r.jobs.Enqueue(ctx, r.tx, job))
}

func (r jobRows) Waiting(ctx context.Context, kind string) (int, error) {
	n, err := r.jobs.Waiting(ctx, r.tx, kind)
	return n, translate(err)
}

// EnsureMark returns the mark with the given name. If there is none, it stores and
// returns fresh. If fresh is "", it stores nothing.
func (r nodeRows) EnsureMark(ctx context.Context, name, fresh string) (string, error) {
	if fresh != "" {
		_, err := r.exec(ctx, "set mark",
			`INSERT INTO marks (name, mark) VALUES ($1, $2) ON CONFLICT DO NOTHING`, name, fresh)
		if err != nil {
			return "", err
		}
	}
	var kept string
	err := r.QueryRowContext(ctx, `SELECT mark FROM marks WHERE name = $1`, name).Scan(&kept)
	if errors.Is(err, sql.ErrNoRows) {
		return "", nil
	}
	if err != nil {
		return "", fmt.Errorf("read mark: %w", translate(err))
	}
	return kept, nil
}
