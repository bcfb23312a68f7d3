package model

import (
	"context"
	"encoding/base64"
	"fmt"
	"io"
	"log/slog"
	"time"

	"github.com/google/uuid"
	"github.com/intraydata/intray"
	"github.com/intraydata/intray/server/blob"
	"github.com/intraydata/intray/server/queue"
	"github.com/intraydata/intray/server/secrets"
)

// Env is what all use cases work with.
type Env struct {
	Store  Store
	Blobs  blob.Store
	Master secrets.Master
	// Node names this process among those that share the store. Processes that can
	// never run at the same time, because they lock the same data folder, share the
	// part up to the first "/".
	Node string
	// Clock returns the time.
	Clock func() time.Time
	// Rand is the source of ids and keys.
	Rand io.Reader
	// Log receives what operators should know.
	Log *slog.Logger
	// CrashPoint is called at each named point that must survive a crash, for tests
	// that crash there.
	CrashPoint func(point string)
}

// Now is the time in the precision that the store keeps.
func (e *Env) Now() time.Time { return e.Clock().UTC().Truncate(time.Microsecond) }

// RunJob is the kind of the jobs that wake a worker to run imports. They name
// no import: the worker takes whichever is next.
const RunJob = "run"

// EnqueueRun wakes a worker once the transaction is committed.
func EnqueueRun(ctx context.Context, tx Tx) error {
	return tx.Jobs.Enqueue(ctx, queue.Job{Kind: RunJob})
}

// CheckStores reports whether the store and the blobs can be used now.
func (e *Env) CheckStores(ctx context.Context) error {
	if err := e.Store.Ping(ctx); err != nil {
		return NewError(Unavailable, "store_unavailable", intray.NewMessage("service.database_silent", nil))
	}
	if err := e.Blobs.CheckWritable(ctx); err != nil {
		return NewError(Unavailable, "blobs_unavailable", intray.NewMessage("service.file_storage_unavailable", nil))
	}
	return nil
}

// NewID makes a random id.
func (e *Env) NewID() (string, error) {
	id, err := uuid.NewRandomFromReader(e.Rand)
	if err != nil {
		return "", fmt.Errorf("make an id: %w", err)
	}
	return id.String(), nil
}

// IDOrNew gives the id that the caller fixed, or a new one.
func (e *Env) IDOrNew(fixed string) (string, error) {
	if fixed != "" {
		return fixed, nil
	}
	return e.NewID()
}

// RandomText gives n random bytes as URL-safe text.
func (e *Env) RandomText(n int) (string, error) {
	b := make([]byte, n)
	if _, err := io.ReadFull(e.Rand, b); err != nil {
		return "", fmt.Errorf("read random bytes: %w", err)
	}
	return base64.RawURLEncoding.EncodeToString(b), nil
}

// MaintenanceBatch bounds how many rows of each kind one round of maintenance touches.
const MaintenanceBatch = 200

// SecretLabel is the label of the key that seals the secrets of webhooks and of SFTP
// credentials. It is part of what is stored: never change it.
const SecretLabel = "sftp secrets"
