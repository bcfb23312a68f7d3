package model

import (
	"context"
	"crypto/md5" //nolint:gosec // compared with Content-MD5, not a security measure
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"syscall"
	"time"

	"github.com/intraydata/intray"
	"github.com/intraydata/intray/server/blob"
)

const (
	// StopGrace is how long a run that lost its import may still write.
	StopGrace = 30 * time.Second
	// GuardFor is how long a file may take to arrive. After that it counts as orphaned.
	GuardFor = 24 * time.Hour
	// acceptWithin is the time for recording a stored file, even if its sender is gone.
	acceptWithin = 10 * time.Second
)

// StoredFile describes a file that was written.
type StoredFile struct {
	Size   int64
	MD5    []byte
	SHA256 []byte
	Took   time.Duration
}

// StoreFile writes a blob. It makes the blob durable unless approve, which may be nil,
// returns an error.
func (e *Env) StoreFile(ctx context.Context, key string, from io.Reader, approve func(StoredFile) error) (StoredFile, error) {
	w, err := e.Blobs.Create(ctx, key)
	if err != nil {
		return StoredFile{}, fmt.Errorf("create a blob: %w", err)
	}
	defer w.Abort()
	began, md, sha := e.Now(), md5.New(), sha256.New()
	n, err := io.CopyBuffer(io.MultiWriter(w, md, sha), onlyReader{from}, make([]byte, 256<<10))
	if err != nil {
		return StoredFile{}, WrapStorageFull(err)
	}
	done := StoredFile{n, md.Sum(nil), sha.Sum(nil), e.Now().Sub(began)}
	if approve != nil {
		if err := approve(done); err != nil {
			return StoredFile{}, err
		}
	}
	return done, WrapStorageFull(w.Commit())
}

// DetachedContext returns a context for recording a stored file. It outlives the request
// for a moment, so that a complete file is not lost when its sender disconnects.
func DetachedContext(ctx context.Context) (context.Context, context.CancelFunc) {
	return context.WithTimeout(context.WithoutCancel(ctx), acceptWithin)
}

// WrapStorageFull returns an Unavailable error if err means that the disk is full, and err
// otherwise.
func WrapStorageFull(err error) error {
	if errors.Is(err, syscall.ENOSPC) || errors.Is(err, syscall.EDQUOT) {
		e := NewError(Unavailable, "storage_full", intray.NewMessage("storage.full_for_file", nil))
		e.RetryAfter = time.Minute
		return e
	}
	return err
}

// onlyReader hides WriterTo, so that io.CopyBuffer uses the buffer.
type onlyReader struct{ io.Reader }

// GuardBlob marks a blob as trash before it is written. The transaction that refers to the
// blob removes the mark, so that a crash in between leaves no orphaned blob.
func (e *Env) GuardBlob(ctx context.Context, key string) error {
	return e.Store.Update(ctx, func(tx Tx) error {
		return tx.Trash.Schedule(ctx, Trash{Prefix: key, Due: e.Now().Add(GuardFor)})
	})
}

// IsRolledBack reports whether err is a refusal, after which a transaction is certainly not
// committed. After any other error it may be committed, with only the response lost.
func IsRolledBack(err error) bool {
	var e *Error
	return errors.As(err, &e) && e.Kind != Unavailable
}

// DiscardBlobs deletes blobs now that the trash would delete later.
func (e *Env) DiscardBlobs(ctx context.Context, prefix string) {
	if err := e.DeleteBlobs(ctx, prefix); err != nil {
		e.Log.Warn("blobs not deleted; the trash will delete them", "prefix", prefix, "error", err)
	}
}

// DeleteBlobs deletes the blob with a key and all blobs below it.
func (e *Env) DeleteBlobs(ctx context.Context, prefix string) error {
	return errors.Join(e.Blobs.Delete(ctx, prefix), e.Blobs.DeleteAll(ctx, prefix))
}

// OpenFile opens a stored file. A deleted file is NotFound.
func (e *Env) OpenFile(ctx context.Context, key string) (blob.Reader, error) {
	if key == "" {
		return nil, NotFoundError(FileMissing)
	}
	r, err := e.Blobs.Open(ctx, key)
	if errors.Is(err, blob.ErrNotFound) {
		e.Log.Warn("blob of a stored file is missing", "blob", key)
		return nil, NotFoundError(FileMissing)
	}
	return r, err
}
