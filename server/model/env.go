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

// Env has what all use cases need.
type Env struct {
	Store  Store
	Blobs  blob.Store
	Master secrets.Master
	// Node identifies this process among those that share the store. Processes that lock
	// the same data folder, and so never run at the same time, share the part up to the
	// first "/".
	Node string
	// Clock returns the time.
	Clock func() time.Time
	// Rand is the source of ids and keys.
	Rand io.Reader
	// Log is for operators.
	Log *slog.Logger
	// CrashPoint is called at each point that must survive a crash, for tests that crash
	// there.
	CrashPoint func(point string)
}

// Now returns the time in UTC, in microseconds like the store.
func (e *Env) Now() time.Time { return e.Clock().UTC().Truncate(time.Microsecond) }

// RunJob is the kind of the jobs that wake a worker to run imports. They name no import: the
// worker claims the next one.
const RunJob = "run"

// EnqueueRun wakes a worker after the transaction is committed.
func EnqueueRun(ctx context.Context, tx Tx) error {
	return tx.Jobs.Enqueue(ctx, queue.Job{Kind: RunJob})
}

// CheckStores returns an Unavailable error unless the store and the blobs work.
func (e *Env) CheckStores(ctx context.Context) error {
	if err := e.Store.Ping(ctx); err != nil {
		return NewError(Unavailable, "store_unavailable", intray.NewMessage("service.database_silent", nil))
	}
	if err := e.Blobs.CheckWritable(ctx); err != nil {
		return NewError(Unavailable, "blobs_unavailable", intray.NewMessage("service.file_storage_unavailable", nil))
	}
	return nil
}

// MaintenanceBatch is the maximum number of rows of each kind in a round of maintenance.
const MaintenanceBatch = 200

// SecretLabel is the label of the key that encrypts the secrets of webhooks and of SFTP
// credentials. Stored data depends on it: never change it.
const SecretLabel = "sftp secrets"
