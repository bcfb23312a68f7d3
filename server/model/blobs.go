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
	// StopGrace is the time for which a run may continue to write after it has lost its
	// import.
	StopGrace = 30 * time.Second
	// GuardFor is the maximum time for receiving a file. After that, its blob is
	// treated as orphaned.
	GuardFor = 24 * time.Hour
	// acceptWithin is the maximum time for recording a stored file, even after the
	// client has disconnected.
	acceptWithin = 10 * time.Second
)

// StoredFile describes a stored file.
type StoredFile struct {
	Size   int64
	MD5    []byte
	SHA256 []byte
	Took   time.Duration
}

// StoreFile writes a blob. Before the blob becomes durable, it calls approve, which
// may be nil. If approve returns an error, StoreFile discards the blob.
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

// DetachedContext returns a context for recording a stored file. It expires after
// 10 s and is not canceled with ctx, so that a complete file is not lost when the
// client disconnects.
func DetachedContext(ctx context.Context) (context.Context, context.CancelFunc) {
	return context.WithTimeout(context.WithoutCancel(ctx), acceptWithin)
}

// WrapStorageFull returns an Unavailable error if err means that the disk or the
// quota is full. Otherwise, it returns err.
func WrapStorageFull(err error) error {
	if errors.Is(err, syscall.ENOSPC) || errors.Is(err, syscall.EDQUOT) {
		e := NewError(Unavailable, "storage_full", intray.NewMessage("storage.full_for_file", nil))
		e.RetryAfter = time.Minute
		return e
	}
	return err
}

// onlyReader hides the WriterTo implementation of a reader, so that io.CopyBuffer
// uses its buffer.
type onlyReader struct{ io.Reader }

// GuardBlob marks a blob as trash before it is written. The transaction that refers
// to the blob removes the mark. If the process crashes in between, the blob is
// therefore deleted.
func (e *Env) GuardBlob(ctx context.Context, key string) error {
	return e.Store.Update(ctx, func(tx Tx) error {
		return tx.Trash.Schedule(ctx, Trash{Prefix: key, Due: e.Now().Add(GuardFor)})
	})
}

// IsRolledBack reports whether err proves that the transaction was not committed: it
// is an *Error of a kind other than Unavailable. After any other error, the
// transaction may be committed although the response was lost.
func IsRolledBack(err error) bool {
	var e *Error
	return errors.As(err, &e) && e.Kind != Unavailable
}

// DiscardBlobs immediately deletes blobs that are already scheduled for deletion. It
// logs errors but does not return them, because the blobs are deleted later anyway.
func (e *Env) DiscardBlobs(ctx context.Context, prefix string) {
	if err := e.DeleteBlobs(ctx, prefix); err != nil {
		e.Log.Warn("blobs not deleted; the trash will delete them", "prefix", prefix, "error", err)
	}
}

// DeleteBlobs deletes the blob with key prefix and all blobs whose keys begin with
// prefix and "/".
func (e *Env) DeleteBlobs(ctx context.Context, prefix string) error {
	return errors.Join(e.Blobs.Delete(ctx, prefix), e.Blobs.DeleteAll(ctx, prefix))
}

// OpenFile opens a stored file. It returns NotFound if the file was deleted.
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
