// Package memstore is an implementation of [model.Store] in memory, for tests only.
//
// A [Store] is the handle of one process on a database that [New] creates and [Store.Share] shares.
// The database consists of immutable maps. A transaction replaces the maps that it changes by copies,
// and a commit makes them the current ones. A rollback therefore needs no work, and a View reads one
// state however long it takes. Transactions that write run one after the other.
//
// The package starts no goroutines except in [Store.RunJobs], and blocks only on channels and timers. It
// can therefore be used in a bubble of package testing/synctest. [Config.Intercept] makes chosen
// transactions fail, before they are committed or after.
//
// It is not a replacement for sqlstore: it stores Go values, not rows of SQL, so that it tests neither
// the encoding of entities nor the locks of PostgreSQL. Usage is counted when it is read, and not by
// triggers.
package memstore

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"github.com/intraydata/intray"
	"github.com/intraydata/intray/server/model"
)

// Point is a point in a transaction at which it can be made to fail.
type Point string

const (
	// Read precedes a View or ViewOne.
	Read Point = "read"
	// Begin precedes an Update.
	Begin Point = "begin"
	// Commit precedes the commit of an Update. An error rolls the transaction back.
	Commit Point = "commit"
	// Committed follows the commit of an Update. After an error, the caller does not know that the
	// transaction was committed.
	Committed Point = "committed"
)

// Config configures a handle. The zero value is valid.
type Config struct {
	// Clock is the clock of the database. It determines which nodes are silent and which jobs are
	// due. Default time.Now. Share ignores it.
	Clock func() time.Time
	// Intercept is called at each point of each transaction. If it returns an error, the call fails
	// with it. It may block. While it is called with Commit, no other transaction can write. Nil
	// means that nothing is called.
	Intercept func(ctx context.Context, at Point) error
}

// FailNth returns a function for Config.Intercept that returns err at the n-th occurrence of a point,
// counted from 1.
func FailNth(at Point, n int, err error) func(ctx context.Context, at Point) error {
	var calls atomic.Int64
	return func(_ context.Context, reached Point) error {
		if reached == at && calls.Add(1) == int64(n) {
			return err
		}
		return nil
	}
}

// database is the state that handles share.
type database struct {
	clock func() time.Time
	// writing contains a value while a transaction writes.
	writing chan struct{}

	mu      sync.Mutex
	current *tables
	// runners receive a value when a job was enqueued.
	runners map[chan struct{}]bool
}

// Store is a handle on a database. All methods are safe for concurrent use.
type Store struct {
	db        *database
	intercept func(ctx context.Context, at Point) error
}

var _ model.Store = (*Store)(nil)

// New returns a handle on a new, empty database.
func New(cfg Config) *Store {
	if cfg.Clock == nil {
		cfg.Clock = time.Now
	}
	db := &database{clock: cfg.Clock, writing: make(chan struct{}, 1), current: &tables{}, runners: map[chan struct{}]bool{}}
	return (&Store{db: db}).Share(cfg)
}

// Share returns another handle on the same database.
func (s *Store) Share(cfg Config) *Store {
	if cfg.Intercept == nil {
		cfg.Intercept = func(context.Context, Point) error { return nil }
	}
	return &Store{db: s.db, intercept: cfg.Intercept}
}

func (db *database) now() time.Time { return db.clock().UTC().Truncate(time.Microsecond) }

func (db *database) snapshot() *tables {
	db.mu.Lock()
	defer db.mu.Unlock()
	return db.current
}

// Update implements [model.Store]. It calls work once.
func (s *Store) Update(ctx context.Context, work func(model.Tx) error) error {
	if err := s.intercept(ctx, Begin); err != nil {
		return err
	}
	if err := s.write(ctx, work); err != nil {
		return err
	}
	return s.intercept(ctx, Committed)
}

// UpdateOne implements [model.Store]. It waits for other transactions like Update.
func (s *Store) UpdateOne(ctx context.Context, work func(model.Tx) error) error {
	return s.Update(ctx, work)
}

func (s *Store) write(ctx context.Context, work func(model.Tx) error) error {
	// A select would choose at random if the context had ended, too.
	if err := ended(ctx); err != nil {
		return err
	}
	select {
	case s.db.writing <- struct{}{}:
	case <-ctx.Done():
		return ended(ctx)
	}
	defer func() { <-s.db.writing }()
	changed := *s.db.snapshot()
	t := &txn{tables: &changed, db: s.db, writable: true}
	if err := work(newTx(t)); err != nil {
		return err
	}
	if err := s.intercept(ctx, Commit); err != nil {
		return err
	}
	if err := ended(ctx); err != nil {
		return fmt.Errorf("commit: %w", err)
	}
	s.db.mu.Lock()
	defer s.db.mu.Unlock()
	s.db.current = &changed
	if t.enqueued {
		s.db.wakeRunners()
	}
	return nil
}

// View implements [model.Store].
func (s *Store) View(ctx context.Context, work func(model.Tx) error) error {
	if err := s.intercept(ctx, Read); err != nil {
		return err
	}
	if err := ended(ctx); err != nil {
		return err
	}
	return work(newTx(&txn{tables: s.db.snapshot(), db: s.db}))
}

// ViewOne implements [model.Store].
func (s *Store) ViewOne(ctx context.Context, work func(model.Tx) error) error {
	return s.View(ctx, work)
}

// Ping returns an error only if ctx is done.
func (s *Store) Ping(ctx context.Context) error { return ended(ctx) }

// Forget does nothing.
func (s *Store) Forget(ctx context.Context) error { return ended(ctx) }

// ended returns the error of a context that has ended, as sqlstore does.
func ended(ctx context.Context) error {
	err := ctx.Err()
	if errors.Is(err, context.DeadlineExceeded) {
		busy := model.NewError(model.Unavailable, "busy", intray.NewMessage("service.database_busy", nil))
		busy.RetryAfter = 2 * time.Second
		return fmt.Errorf("%w (%w)", busy, err)
	}
	return err
}
