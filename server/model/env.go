package model

import (
	"context"
	"encoding/base64"
	"fmt"
	"io"
	"log/slog"
	"sync"
	"time"

	"github.com/google/uuid"

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

// NewID returns a random UUID.
func (e *Env) NewID() (string, error) {
	id, err := uuid.NewRandomFromReader(e.Rand)
	if err != nil {
		return "", fmt.Errorf("create an id: %w", err)
	}
	return id.String(), nil
}

// IDOrNew returns fixed, or a new id if fixed is "".
func (e *Env) IDOrNew(fixed string) (string, error) {
	if fixed != "" {
		return fixed, nil
	}
	return e.NewID()
}

// ParseID returns the canonical form of an id, which has 36 characters in lower
// case. It accepts upper and lower case.
func ParseID(text string) (string, bool) {
	if len(text) != 36 {
		return "", false
	}
	id, err := uuid.Parse(text)
	return id.String(), err == nil
}

// DerivedID returns an id that is derived only from the first 16 bytes of mac.
func DerivedID(mac []byte) string {
	var id uuid.UUID
	copy(id[:], mac)
	id[6] = id[6]&0x0f | 0x80 // version 8: custom format
	id[8] = id[8]&0x3f | 0x80 // RFC 9562 variant
	return id.String()
}

// RandomText returns n random bytes as URL-safe base64.
func (e *Env) RandomText(n int) (string, error) {
	b := make([]byte, n)
	if _, err := io.ReadFull(e.Rand, b); err != nil {
		return "", fmt.Errorf("read random bytes: %w", err)
	}
	return base64.RawURLEncoding.EncodeToString(b), nil
}

// InProgress is a set of names of work in progress in this process. It distinguishes
// such work from abandoned work, which looks the same in the store.
type InProgress struct {
	mu    sync.Mutex
	names map[string]bool
}

// NewInProgress returns an empty set.
func NewInProgress() *InProgress { return &InProgress{names: map[string]bool{}} }

// TryAdd adds a name. It returns false if the set already contains the name.
func (h *InProgress) TryAdd(name string) bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.names[name] {
		return false
	}
	h.names[name] = true
	return true
}

// Remove removes a name from the set.
func (h *InProgress) Remove(name string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	delete(h.names, name)
}

// Contains reports whether the set contains the name.
func (h *InProgress) Contains(name string) bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.names[name]
}
