// Package queue stores durable jobs. A job is enqueued in a transaction, and runs at least
// once after that transaction is committed, even if processes crash.
//
// A [Job] names a kind of work and the object to work on. It has no payload: its [Handler]
// reads the current state from the store. A node is a process that runs jobs. [Queue.Reclaim]
// returns the jobs of a dead node to the queue. A [Queue] is part of the store's database.
//
// The package does not know what the kinds mean or which nodes are dead.
package queue

import (
	"cmp"
	"context"
	"database/sql"
	"log/slog"
	"time"
)

// Job is work to do.
type Job struct {
	// Kind is the kind of work, such as "run": at most 100 letters, digits, "_", "-" and
	// ".".
	Kind string
	// Key identifies the object to work on, or is "".
	Key string
}

// Handler does the work of one kind. After an error, the job is retried. When the context is
// cancelled, the handler must stop and return.
//
// A job has 10 attempts. The delays grow with the fourth power of the attempt: 1 s, 16 s, 81 s
// and so on, about 4 hours in total. After the last attempt, the job is dropped and an error
// is logged. An attempt that was cancelled does not count, and the job is due again at once.
type Handler func(ctx context.Context, job Job) error

// Tx is an open transaction of the store. No rows may be open on it.
type Tx struct {
	*sql.Tx
	// Conn is the connection of the transaction.
	Conn *sql.Conn
}

// Queue stores and runs jobs. It is safe for concurrent use.
type Queue interface {
	// Migrate updates the tables of the queue.
	Migrate(ctx context.Context) error
	// Enqueue adds a job, which starts after tx is committed.
	Enqueue(ctx context.Context, tx Tx, job Job) error
	// Waiting returns the number of jobs of the kind that are due and not running.
	Waiting(ctx context.Context, tx Tx, kind string) (int, error)
	// Reclaim enqueues the running jobs of a dead node again, as new jobs, and returns their
	// number. If the node is alive, the outcomes of its old jobs have no effect. Reclaim does
	// not limit the number of times that a job which kills its process is enqueued again.
	Reclaim(ctx context.Context, tx Tx, node string) (int, error)
	// Start starts running jobs of the kinds that have a handler, and returns at once. Jobs run
	// until Stop, even if ctx ends. Start must be called at most once, on a queue whose
	// configuration has a Node.
	Start(ctx context.Context, handlers map[string]Handler) error
	// Stop starts no more jobs, and waits until the running ones end or ctx is done. Then it
	// cancels their contexts and waits for at most Grace. It returns an error if some are
	// still running. Without Start, it does nothing.
	Stop(ctx context.Context) error
}

// Config configures a queue. A queue with the zero Config can enqueue jobs but not run them.
type Config struct {
	// Node identifies this process among those that share the database, in at most 100
	// characters. It must differ at each start.
	Node string
	// Workers is the maximum number of jobs that run at once. Default 4.
	Workers int
	// Grace is how long Stop waits for cancelled jobs. Default 5 s.
	Grace time.Duration
	// Logger logs failed jobs and internal errors. Default: no logging.
	Logger *slog.Logger
}

func (c Config) withDefaults() Config {
	c.Workers = cmp.Or(c.Workers, 4)
	c.Grace = cmp.Or(c.Grace, 5*time.Second)
	c.Logger = cmp.Or(c.Logger, slog.New(slog.DiscardHandler))
	return c
}
