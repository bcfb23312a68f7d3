package model

import (
	"context"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/google/uuid"

	"github.com/intraydata/intray"
	"github.com/intraydata/intray/engine"
	"github.com/intraydata/intray/internal/filesys"
	"github.com/intraydata/intray/server/blob"
	"github.com/intraydata/intray/server/queue"
	"github.com/intraydata/intray/server/secrets"
)

// Env holds the dependencies that all use cases need.
type Env struct {
	Store Store
	Blobs blob.Store
	Keys  secrets.Keyring
	// Node identifies this process among the processes that share the store. Its part before the
	// first "/" identifies the data folder. No two processes serve from the same data folder at
	// the same time, because each of them locks it. The name of a copied data folder is the same.
	Node string
	// Host is the name of this machine, and Version the version of this program, for operators.
	Host, Version string
	// HasEnded reports whether the process of another node, whose data folder has the same name,
	// has certainly ended.
	HasEnded func(node string) bool
	// Reserve is the disk space for deletions on a full disk. It may be nil.
	Reserve Reserve
	// Quotas limit what each organization uses. OverQuota is called for each refused request. It
	// may be nil.
	Quotas    Quotas
	OverQuota func(org string, quota Quota)
	// OOMKills returns the OOM kills on this machine.
	OOMKills func() OOMKills
	// Observer receives what happens in this process.
	Observer Observer
	// Clock returns the current time.
	Clock func() time.Time
	// Rand is the source of randomness for ids and keys.
	Rand io.Reader
	// Log receives messages for operators.
	Log *slog.Logger
	// CrashPoint is called at each point where a crash must not cause damage. Tests use
	// it to crash there.
	CrashPoint func(point string)

	// suspects holds the keys of stored files, and the prefixes of stages, in which this
	// process has found damage.
	suspects sync.Map
	// damage is the number of times that damage was found.
	damage atomic.Int64
	// recentUsage saves queries when quotas are checked.
	recentUsage recentUsage
	specialOrgs specialOrgs
}

// Now returns the current time in UTC, truncated to microseconds like times in the store.
func (e *Env) Now() time.Time { return e.Clock().UTC().Truncate(time.Microsecond) }

// RunJob is the kind of the jobs that wake a worker to run imports. Such a job does
// not identify an import, because the worker claims the next one.
const RunJob = "run"

// EnqueueRun wakes a worker after the transaction has been committed.
func EnqueueRun(ctx context.Context, tx Tx) error {
	return tx.Jobs.Enqueue(ctx, queue.Job{Kind: RunJob})
}

// Reserve is disk space for the work that frees space when the disk is full. It is safe for
// concurrent use.
type Reserve interface {
	// Held reports whether the space is reserved.
	Held() bool
	// Release frees the space. It reports whether it was reserved.
	Release() bool
	// Refill reserves the space again if there is enough.
	Refill()
}

// UpdateToFree is like Store.Update, for work that frees disk space. If the disk is full, it
// releases the reserve and calls work again.
func (e *Env) UpdateToFree(ctx context.Context, work func(Tx) error) error {
	err := e.Store.Update(ctx, work)
	if e.Reserve != nil && errors.Is(err, &Error{Kind: Unavailable, Code: storageFull}) && e.Reserve.Release() {
		err = e.Store.Update(ctx, work)
	}
	return err
}

// CheckRoom returns an Unavailable error while the disk is full and the reserve is in use. New
// data would then occupy the space that deletions need.
func (e *Env) CheckRoom() error {
	if e.Reserve == nil || e.Reserve.Held() {
		return nil
	}
	return storageFullError("storage.full")
}

// CheckStores returns an Unavailable error if the store or the blobs do not work, or if the disk
// is full.
func (e *Env) CheckStores(ctx context.Context) error {
	if err := e.CheckRoom(); err != nil {
		return err
	}
	if err := e.Store.Ping(ctx); err != nil {
		return NewError(Unavailable, "store_unavailable", intray.NewMessage("service.database_silent", nil))
	}
	if err := e.Blobs.CheckWritable(ctx); err != nil {
		return NewError(Unavailable, "blobs_unavailable", intray.NewMessage("service.file_storage_unavailable", nil))
	}
	return nil
}

// FingerprintKey is the key of a blob that contains the fingerprint of the store. The blob shows
// that the blobs belong to the store.
const FingerprintKey = "anchor"

// CheckBlobsPresent returns an error if the blob with the fingerprint of the store cannot be
// opened. Then all blobs are probably out of reach, for example because a disk is not mounted.
func (e *Env) CheckBlobsPresent(ctx context.Context) error {
	r, err := e.Blobs.Open(ctx, FingerprintKey)
	if err != nil {
		return fmt.Errorf("open the fingerprint of the store: %w", err)
	}
	return r.Close()
}

// FailedOutcome returns the outcome of an import that fails for a reason other than its content.
func (e *Env) FailedOutcome(text intray.Message) *Outcome {
	return &Outcome{Finished: e.Now(), Outcome: engine.Outcome{
		Verdict: engine.Broken, Notices: []intray.Notice{{Type: intray.UnreadableFile, Level: intray.LevelError, Text: text}},
	}}
}

// MaintenanceBatch is the maximum number of rows of each kind that one round of
// maintenance processes.
const MaintenanceBatch = 200

// DeleteBatch is the maximum number of rows that one transaction deletes because of their age.
// Deleting that many rows takes tens of milliseconds.
const DeleteBatch = 1000

// UpdateInBatches calls the function change, each time in its own transaction, until it changes
// fewer than size rows. change returns the number of rows that it has changed. On SQLite, where
// transactions run one after the other, other transactions can run in between.
func UpdateInBatches(ctx context.Context, store Store, size int64, change func(Tx) (int64, error)) error {
	for {
		changed := int64(0)
		err := store.Update(ctx, func(tx Tx) (err error) {
			changed, err = change(tx)
			return err
		})
		if err != nil || changed < size {
			return err
		}
	}
}

// SecretLabel is the label of the key that encrypts the secrets of webhooks and SFTP
// credentials. Never change it, because stored secrets could then no longer be decrypted.
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

const (
	// StopGrace is the time for which a run may continue to write after it has lost its import.
	StopGrace = 30 * time.Second
	// GuardFor is the time between the creation of a blob and its deletion as an orphan. The
	// transaction that refers to the blob prevents the deletion.
	GuardFor = 24 * time.Hour
	// acceptWithin is the maximum time for recording a stored file, even after the
	// client has disconnected.
	acceptWithin = 10 * time.Second
)

// StoredFile describes a stored file.
type StoredFile struct {
	Size   int64
	SHA256 []byte
	Took   time.Duration
}

// StoreFile writes a blob. Before it makes the blob durable, StoreFile calls approve, which may
// be nil. If approve returns an error, StoreFile discards the blob.
func (e *Env) StoreFile(ctx context.Context, key string, from io.Reader, approve func(StoredFile) error) (StoredFile, error) {
	return e.StoreFileIn(ctx, e.Blobs, key, from, approve)
}

// StoreFileIn is like StoreFile, but writes to a [blob.Batch] of the blobs.
func (e *Env) StoreFileIn(ctx context.Context, blobs blob.Store, key string, from io.Reader, approve func(StoredFile) error) (StoredFile, error) {
	w, err := blobs.Create(ctx, key)
	if err != nil {
		return StoredFile{}, fmt.Errorf("create a blob: %w", err)
	}
	defer w.Abort()
	began := e.Now()
	done, err := copyFile(w, from)
	if err != nil {
		return StoredFile{}, WrapStorageFull(err)
	}
	done.Took = e.Now().Sub(began)
	if approve != nil {
		if err := approve(done); err != nil {
			return StoredFile{}, err
		}
	}
	return done, WrapStorageFull(w.Commit())
}

// DigestFile returns the size and digest of a file without storing it.
func DigestFile(from io.Reader) (StoredFile, error) { return copyFile(io.Discard, from) }

var copyBuffers = sync.Pool{New: func() any { return new([256 << 10]byte) }}

// copyFile copies a file and returns its size and digest.
func copyFile(to io.Writer, from io.Reader) (StoredFile, error) {
	sum := sha256.New()
	buffer := copyBuffers.Get().(*[256 << 10]byte)
	defer copyBuffers.Put(buffer)
	n, err := io.CopyBuffer(io.MultiWriter(to, sum), onlyReader{from}, buffer[:])
	return StoredFile{Size: n, SHA256: sum.Sum(nil)}, err
}

// DetachedContext returns a context for recording a stored file. It expires after 10 s and is
// not canceled with ctx, so that a complete file is not lost when the client disconnects.
func DetachedContext(ctx context.Context) (context.Context, context.CancelFunc) {
	return context.WithTimeout(context.WithoutCancel(ctx), acceptWithin)
}

// WrapStorageFull returns an Unavailable error if err means that the disk or the
// quota is full. Otherwise, it returns err.
func WrapStorageFull(err error) error {
	if IsDiskFull(err) {
		return storageFullError("storage.full_for_file")
	}
	return err
}

// IsBlobStoreUnavailable reports whether err means that the blob store is unavailable.
func IsBlobStoreUnavailable(err error) bool { return errors.Is(err, blob.ErrUnavailable) }

// IsDiskFull reports whether err means that the disk or the quota of its user is full.
func IsDiskFull(err error) bool {
	return filesys.IsDiskFull(err)
}

// storageFull is the code of errors that mean that a disk is full.
const storageFull = "storage_full"

func storageFullError(message string) *Error {
	e := NewError(Unavailable, storageFull, intray.NewMessage(message, nil))
	e.RetryAfter = time.Minute
	return e
}

// onlyReader hides the WriterTo implementation of a reader, so that io.CopyBuffer uses the given
// buffer.
type onlyReader struct{ io.Reader }

// GuardBlob marks a blob as trash before it is written. The transaction that refers to the blob
// removes the mark. If the process crashes in between, the blob is therefore deleted.
func (e *Env) GuardBlob(ctx context.Context, key string) error {
	return e.Store.Update(ctx, func(tx Tx) error {
		return tx.Trash.Schedule(ctx, Trash{Prefix: key, Due: e.Now().Add(GuardFor)})
	})
}

// IsRolledBack reports whether err proves that the transaction was not committed: it is an
// *Error of a kind other than Unavailable. After any other error, the transaction may have been
// committed, and only the response lost.
func IsRolledBack(err error) bool {
	var e *Error
	return errors.As(err, &e) && e.Kind != Unavailable
}

// DiscardBlobs immediately deletes blobs that are scheduled for deletion or that nothing refers to. It
// logs errors but does not return them, because the blobs are deleted later anyway.
func (e *Env) DiscardBlobs(ctx context.Context, prefix string) {
	if err := e.DeleteBlobs(ctx, prefix); err != nil && !errors.Is(err, blob.ErrHeld) {
		attrs := []any{"prefix", prefix, "error", err}
		if of, isImport := strings.CutPrefix(prefix, importsFolder); isImport {
			id, _, _ := strings.Cut(of, "/")
			attrs = append(attrs, "import", id)
		}
		e.Log.WarnContext(ctx, "blobs not deleted; they will be deleted later", attrs...)
	}
}

// DeleteBlobs deletes the blob whose key is prefix, and all blobs whose keys begin with prefix
// and "/".
func (e *Env) DeleteBlobs(ctx context.Context, prefix string) error {
	return errors.Join(e.Blobs.Delete(ctx, prefix), e.Blobs.DeleteAll(ctx, prefix))
}
