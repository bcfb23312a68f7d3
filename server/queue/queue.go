// Package queue runs jobs. A job is enqueued in a transaction, and runs at least once after that
// transaction has been committed.
//
// A [Job] identifies a kind of work and the object to work on. It has no payload: its [Handler]
// reads the current state from the store. A node is a process that runs jobs.
//
// There are two queues. [Postgres] stores the jobs in a database that several processes share, so
// that they run even if processes crash. [Queue.Reclaim] enqueues the jobs of a dead node again.
// [Local] keeps the jobs in memory, for a database that only one process uses.
//
// The package does not know the meaning of kinds, or which nodes are dead.
package queue

import (
	"cmp"
	"context"
	"database/sql"
	"log/slog"
	"time"
)

// Job is a unit of work.
type Job struct {
	// Kind is the kind of work, such as "run". It consists of at most 100 letters,
	// digits, "_", "-" and ".".
	Kind string
	// Key identifies the object to work on. It may be "".
	Key string
}

// Handler runs the jobs of one kind. If it returns an error, the job is retried.
// When its context is canceled, it must stop and return.
//
// A job has 10 attempts. The delays between them grow with the fourth power of the
// attempt number: 1 s, 16 s, 81 s and so on, about 4 hours in total. After the last
// attempt, the queue drops the job and logs an error. A canceled attempt does not
// count, and the job is immediately due again.
type Handler func(ctx context.Context, job Job) error

// Tx is an open transaction of the store. It must not have any open [sql.Rows].
type Tx struct {
	*sql.Tx
	// Conn is the connection on which the transaction is open.
	Conn *sql.Conn
	// AfterCommit registers a function that is called after the transaction has been committed. It is
	// nil if the transaction changes nothing. Only Local uses it.
	AfterCommit func(func())
}

// Queue stores and runs jobs. It is safe for concurrent use.
type Queue interface {
	// Migrate creates or updates the tables of the queue.
	Migrate(ctx context.Context) error
	// Enqueue adds a job. The job starts after tx has been committed.
	Enqueue(ctx context.Context, tx Tx, job Job) error
	// Waiting returns the number of jobs of the given kind that are due and not running.
	Waiting(ctx context.Context, tx Tx, kind string) (int, error)
	// Reclaim enqueues the running jobs of a dead node again as new jobs. It returns their
	// number. If the node is in fact alive, the results of its old jobs have no effect. Reclaim
	// does not limit how often it enqueues a job that crashes its process.
	Reclaim(ctx context.Context, tx Tx, node string) (int, error)
	// Start begins to run jobs of the kinds that have a handler, and returns immediately. Jobs
	// run until Stop is called, even if ctx is canceled. Start must be called at most once, and
	// requires Config.Node.
	Start(ctx context.Context, handlers map[string]Handler) error
	// Stop starts no more jobs and waits until the running jobs end or ctx is done. Then it
	// cancels the contexts of the remaining jobs and waits for at most Config.Grace. It returns
	// an error if jobs are still running after that. Without Start, it does nothing.
	Stop(ctx context.Context) error
}

// Config configures a queue. With the zero value, a queue can enqueue jobs but not run them.
type Config struct {
	// Node identifies this process among the processes that share the database. It has at most
	// 100 characters and must be different each time the process starts.
	Node string
	// Workers is the maximum number of jobs that run at the same time. The default is
	// 4.
	Workers int
	// Grace is how long Stop waits for canceled jobs. The default is 5 s.
	Grace time.Duration
	// Logger logs failed jobs and internal errors. By default, nothing is logged.
	Logger *slog.Logger
}

func (c Config) withDefaults() Config {
	c.Workers = cmp.Or(c.Workers, 4)
	c.Grace = cmp.Or(c.Grace, 5*time.Second)
	c.Logger = cmp.Or(c.Logger, slog.New(slog.DiscardHandler))
	return c
}
