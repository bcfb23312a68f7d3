// Package sqlstore keeps the service's rows in a SQL database: in one SQLite file,
// or in a PostgreSQL database that many processes share.
//
// The nouns: a [Store] is the open database. A txn is one transaction on it,
// and for each noun of the service there is a type over it with that noun's
// rows, in a file of its own. The SQL is written once, with $1, and runs on
// both; what differs is in dialect. Times are kept to the microsecond, lists
// and outcomes as JSON.
//
// The package keeps no rules but those that a row can break by itself, and no
// bytes of files.
package sqlstore

import (
	"cmp"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"log/slog"

	"github.com/intraydata/intray/server/model"
	"github.com/intraydata/intray/server/queue"
)

// Config says which database to open. One of Path and URL must be set.
type Config struct {
	// Path is the file of a SQLite database. It is made where there is none,
	// readable by its owner only.
	Path string
	// URL is the address of a PostgreSQL database: postgres://… with the
	// parameters of pgx, such as pool_max_conns (default 16, at least 4).
	URL string
	// Mark tells which master key the rows hang on. A database that was begun
	// with another mark is refused. "" is not looked at.
	Mark string
	// Queue says how jobs are worked. Its Logger defaults to the one below.
	Queue queue.Config
	// Logger is told when the database is out of reach. Default: nobody is.
	Logger *slog.Logger
}

// Store is an open database. All methods may be called at once from many
// goroutines.
type Store struct {
	// outcomes are those that were decoded last.
	outcomes    *outcomeCache
	write, read *sql.DB
	dialect     dialect
	jobs        queue.Queue
	logger      *slog.Logger
	closers     []func() error
}

var _ model.Store = (*Store)(nil)

// Open opens the database and brings its tables up to date; several processes
// may do so at once on PostgreSQL. A database that a newer version of this
// program has brought up to date is refused. A database out of reach is an
// error of kind Unavailable.
func Open(ctx context.Context, cfg Config) (*Store, error) {
	cfg.Logger = cmp.Or(cfg.Logger, slog.New(slog.DiscardHandler))
	cfg.Queue.Logger = cmp.Or(cfg.Queue.Logger, cfg.Logger)
	s := &Store{logger: cfg.Logger, outcomes: newOutcomeCache()}
	err := s.open(ctx, cfg)
	if err == nil {
		err = s.migrate(ctx)
	}
	if err == nil && cfg.Mark != "" {
		err = s.BindMasterKey(ctx, cfg.Mark)
	}
	if err != nil {
		return nil, errors.Join(fmt.Errorf("opening the store: %w", translate(err)), s.Close())
	}
	return s, nil
}

func (s *Store) open(ctx context.Context, cfg Config) error {
	switch {
	case cfg.Path != "" && cfg.URL != "":
		return errors.New("both a file and an address are given; take one")
	case cfg.URL != "":
		return s.openPostgres(ctx, cfg)
	case cfg.Path != "":
		return s.openSQLite(ctx, cfg)
	}
	return errors.New("neither a file nor an address is given")
}

// Queue is the queue in this database.
func (s *Store) Queue() queue.Queue { return s.jobs }

// Close closes the database, once all transactions are done. The queue must
// have been stopped.
func (s *Store) Close() error {
	var errs []error
	for _, f := range s.closers {
		errs = append(errs, f())
	}
	return errors.Join(errs...)
}

// Ping says whether the store answers. It does not wait for transactions.
func (s *Store) Ping(ctx context.Context) error {
	var one int
	err := s.read.QueryRowContext(ctx, `SELECT 1`).Scan(&one)
	return s.logUnavailable(ctx, translate(err))
}

// Forget moves the log of a SQLite database into its file, where what was
// deleted is overwritten, and empties the log. A reader may keep it from that
// till the next time. PostgreSQL has its own ways, which are not ours to steer.
func (s *Store) Forget(ctx context.Context) error {
	if s.dialect.truncateLog == "" {
		return nil
	}
	_, err := s.write.ExecContext(ctx, s.dialect.truncateLog)
	return s.logUnavailable(ctx, translate(err))
}

// Update is described at [service.Store]. On SQLite transactions run one after
// the other; on PostgreSQL one that is undone for another, since the two waited
// for each other, runs again. An error that a method of Tx gives may be handled and the work
// may go on, if it is one of kind NotFound or Conflict.
func (s *Store) Update(ctx context.Context, work func(model.Tx) error) error {
	err := s.runTx(ctx, s.write, nil, work)
	for tries := 1; isSerializationFailure(err) && tries < maxUndone; tries++ {
		err = s.runTx(ctx, s.write, nil, work)
	}
	return s.logUnavailable(ctx, translate(err))
}

// View is described at [service.Store].
func (s *Store) View(ctx context.Context, work func(model.Tx) error) error {
	err := s.runTx(ctx, s.read, s.dialect.readOptions, work)
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
	defer func() { _ = tx.Conn.Close() }()
	defer func() { _ = tx.Rollback() }()
	hold := ""
	if opts == nil {
		hold = s.dialect.forUpdate
	}
	if err := work(s.newTx(tx, hold)); err != nil {
		return err
	}
	err = tx.Commit()
	if errors.Is(err, sql.ErrTxDone) && ctx.Err() != nil {
		err = ctx.Err() // it was undone because of that, before it could be committed
	}
	if err != nil {
		return fmt.Errorf("committing: %w", err)
	}
	return nil
}

// maxUndone is the most times that a transaction is tried that the database
// undoes each time for another one.
const maxUndone = 20

// maxStale is the most connections in a row that are tried where each turns out
// to be broken: those that a server has left behind when it started again.
const maxStale = 20

func begin(ctx context.Context, db *sql.DB, opts *sql.TxOptions) (queue.Tx, error) {
	conn, err := db.Conn(ctx)
	if err != nil {
		return queue.Tx{}, fmt.Errorf("connecting: %w", err)
	}
	tx, err := conn.BeginTx(ctx, opts)
	if err != nil {
		return queue.Tx{}, errors.Join(fmt.Errorf("beginning a transaction: %w", err), conn.Close())
	}
	return queue.Tx{Tx: tx, Conn: conn}, nil
}

func (s *Store) newTx(tx queue.Tx, hold string) model.Tx {
	t := &txn{tx: tx, dialect: s.dialect, jobs: s.jobs, forUpdate: hold, outcomes: s.outcomes}
	return model.Tx{
		Accounts:    accountRows{t},
		Schemas:     schemaRows{t},
		Imports:     importRows{t},
		Uploads:     uploadRows{t},
		Sessions:    sessionRows{t},
		Credentials: credentialRows{t},
		Replays:     replayRows{t},
		Memory:      memoryRows{t},
		Edits:       editRows{t},
		Webhooks:    webhookRows{t},
		Deliveries:  deliveryRows{t},
		Outbox:      outboxRows{t},
		Connectors:  connectorRows{t},
		Pulled:      pulledRows{t},
		Pulls:       pullRows{t},
		Retention:   retentionRows{t},
		Deletions:   deletionRows{t},
		Owners:      ownerRows{t},
		Trash:       trashRows{t},
		Nodes:       nodeRows{t},
		Jobs:        jobRows{t},
	}
}

// logUnavailable logs why the store is out of reach, which callers are not told.
func (s *Store) logUnavailable(ctx context.Context, err error) error {
	if model.IsKind(err, model.Unavailable) {
		s.logger.WarnContext(ctx, "the store is out of reach", "error", err)
	}
	return err
}
