// Package queue keeps durable jobs. A job is enqueued in the transaction that
// makes it necessary and is worked at least once after that transaction has
// committed, whatever dies in between.
//
// A [Job] names a kind of work and the thing to work on; it carries no payload,
// so that what is done is decided by what the store says when it is done. The
// package does not know what the kinds mean.
package queue

import "context"

// Job is one piece of work to be done.
type Job struct {
	// Kind names the work, such as "run".
	Kind string
	// Key names the thing to work on, or is "".
	Key string
}

// Handler does the work of one kind. An error means that the job is tried
// again later; a cancelled context that it should hand back what it has.
type Handler func(ctx context.Context, job Job) error
