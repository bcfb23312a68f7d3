package model

import (
	"context"
	"io"
	"log/slog"
	"time"

	"github.com/intraydata/intray"
	"github.com/intraydata/intray/server/blob"
	"github.com/intraydata/intray/server/queue"
	"github.com/intraydata/intray/server/secrets"
)

// Env holds the dependencies that all use cases need.
type Env struct {
	Store  Store
	Blobs  blob.Store
	Master secrets.Master
	// Node identifies this process among the processes that share the store. Its part
	// before the first "/" identifies the data folder. Processes with the same data
	// folder never run at the same time, because they lock it.
	Node string
	// Clock returns the current time.
	Clock func() time.Time
	// Rand is the source of randomness for ids and keys.
	Rand io.Reader
	// Log receives messages for operators.
	Log *slog.Logger
	// CrashPoint is called at each point where a crash must not cause damage. Tests use
	// it to crash there.
	CrashPoint func(point string)
}

// Now returns the current time in UTC, truncated to microseconds like times in the
// store.
func (e *Env) Now() time.Time { return e.Clock().UTC().Truncate(time.Microsecond) }

// RunJob is the kind of the jobs that wake a worker to run imports. Such a job does
// not identify an import, because the worker claims the next one.
const RunJob = "run"

// EnqueueRun wakes a worker after the transaction has been committed.
func EnqueueRun(ctx context.Context, tx Tx) error {
	return tx.Jobs.Enqueue(ctx, queue.Job{Kind: RunJob})
}

// CheckStores returns an Unavailable error if the store or the blobs do not work.
func (e *Env) CheckStores(ctx context.Context) error {
	if err := e.Store.Ping(ctx); err != nil {
		return NewError(Unavailable, "store_unavailable", intray.NewMessage("service.database_silent", nil))
	}
	if err := e.Blobs.CheckWritable(ctx); err != nil {
		return NewError(Unavailable, "blobs_unavailable", intray.NewMessage("service.file_storage_unavailable", nil))
	}
	return nil
}

// MaintenanceBatch is the maximum number of rows of each kind that one round of
// maintenance processes.
const MaintenanceBatch = 200

// SecretLabel is the label of the key that encrypts the secrets of webhooks and SFTP
// credentials. Never change it: stored secrets could no longer be decrypted.
const SecretLabel = "sftp secrets"
