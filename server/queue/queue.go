// Package queue keeps durable jobs. A job is enqueued in the transaction that
// makes it necessary and is worked at least once after that transaction has
// committed, whatever dies in between.
//
// A [Job] names a kind of work and the thing to work on; it carries no payload,
// so that what is done is decided by what the store says when it is done. A
// [Handler] does the work of one kind. A node is a process that works jobs; its
// jobs are taken back when it has died. A [Queue] holds all of this in the
// database that the store uses.
//
// The package does not know what the kinds mean, and it does not find out which
// nodes are dead.
package queue

import (
	"cmp"
	"context"
	"database/sql"
	"log/slog"
	"time"
)

// Job is one piece of work to be done.
type Job struct {
	// Kind names the work, such as "run": at most 100 letters, digits, "_",
	// "-" and ".".
	Kind string
	// Key names the thing to work on, or is "".
	Key string
}

// Handler does the work of one kind. An error means that the job is tried
// again later; a cancelled context that it should hand back what it has.
//
// A job is tried 10 times, after 1 s, 16 s, 81 s and so on by the fourth power,
// over about 4 hours; then it is given up and the logger is told. A try that
// was cancelled does not count, and the job is due again at once.
type Handler func(ctx context.Context, job Job) error

// Tx is an open transaction of the store, lent to the queue. No rows may be
// open on it.
type Tx struct {
	*sql.Tx
	// Conn is the connection that the transaction is open on.
	Conn *sql.Conn
}

// Queue holds jobs. All methods may be called at once from many goroutines.
type Queue interface {
	// Migrate brings the queue's own tables up to date.
	Migrate(ctx context.Context) error
	// Enqueue adds a job, which begins after tx has committed.
	Enqueue(ctx context.Context, tx Tx, job Job) error
	// Waiting counts the jobs of the kind that are due and not begun.
	Waiting(ctx context.Context, tx Tx, kind string) (int, error)
	// Reclaim puts the jobs that node was working on back in the queue, as
	// new ones, and says how many they were. What node still does with the
	// old ones has no effect on the queue. A job that kills its process comes
	// back each time: to bound that is up to its handler.
	Reclaim(ctx context.Context, tx Tx, node string) (int, error)
	// Start begins to work jobs of the kinds that have a handler. It returns
	// at once; the work goes on, whatever becomes of ctx, until Stop. It must
	// be called at most once, on a queue whose configuration names the node.
	Start(ctx context.Context, handlers map[string]Handler) error
	// Stop begins no more jobs and waits for the running ones until ctx is
	// done. Then it cancels their contexts and waits for Grace. An error says
	// that some are running still. Without Start it does nothing.
	Stop(ctx context.Context) error
}

// Config is how a queue is worked. The zero Config can enqueue, not work.
type Config struct {
	// Node names this process among all that share the database: at most 100
	// characters, and another one with each start.
	Node string
	// Workers is the most jobs worked at once. Default 4.
	Workers int
	// Grace is how long Stop waits for jobs that it has cancelled. Default 5 s.
	Grace time.Duration
	// Logger is told of failed jobs and of faults. Default: nobody is.
	Logger *slog.Logger
}

func (c Config) withDefaults() Config {
	c.Workers = cmp.Or(c.Workers, 4)
	c.Grace = cmp.Or(c.Grace, 5*time.Second)
	c.Logger = cmp.Or(c.Logger, slog.New(slog.DiscardHandler))
	return c
}
