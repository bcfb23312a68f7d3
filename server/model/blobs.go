package model

import (
	"context"
	"crypto/md5"
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
	// StopGrace is how long a run that lost its import may go on writing.
	StopGrace = 30 * time.Second
	// GuardFor is how long a file may be under way before it counts as left
	// behind.
	GuardFor = 24 * time.Hour
	// acceptWithin bounds what is done for a file that is stored already, even
	// if its sender has left.
	acceptWithin = 10 * time.Second
)

// StoredFile is what was found out while a file was written.
type StoredFile struct {
	Size   int64
	MD5    []byte
	SHA256 []byte
	Took   time.Duration
}

// StoreFile writes a blob and makes it durable if approve, which sees what was
// written, does not object.
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

// DetachedContext gives a context for keeping what is stored: it outlives the request
// by a moment, so that a file that arrived whole is not lost with its sender.
func DetachedContext(ctx context.Context) (context.Context, context.CancelFunc) {
	return context.WithTimeout(context.WithoutCancel(ctx), acceptWithin)
}

// WrapStorageFull says so where the disk is.
func WrapStorageFull(err error) error {
	if errors.Is(err, syscall.ENOSPC) || errors.Is(err, syscall.EDQUOT) {
		e := NewError(Unavailable, "storage_full", intray.NewMessage("storage.full_for_file", nil))
		e.RetryAfter = time.Minute
		return e
	}
	return err
}

// onlyReader hides WriterTo, so that the buffer's size is ours to choose.
type onlyReader struct{ io.Reader }

// GuardBlob marks a blob as rubbish before it is written; the transaction that
// comes to refer to it takes the mark away. So nothing stays behind when the
// process ends in between.
func (e *Env) GuardBlob(ctx context.Context, key string) error {
	return e.Store.Update(ctx, func(tx Tx) error {
		return tx.Trash.Schedule(ctx, Trash{Prefix: key, Due: e.Now().Add(GuardFor)})
	})
}

// IsRolledBack says whether err is a refusal, after which a transaction has certainly
// not been committed. After any other error it may have been, and only its
// answer was lost.
func IsRolledBack(err error) bool {
	var e *Error
	return errors.As(err, &e) && e.Kind != Unavailable
}

// DiscardBlobs removes blobs at once that the trash would remove later.
func (e *Env) DiscardBlobs(ctx context.Context, prefix string) {
	if err := e.DeleteBlobs(ctx, prefix); err != nil {
		e.Log.Warn("blobs are left for the trash", "prefix", prefix, "error", err)
	}
}

// DeleteBlobs deletes the blob with a key and all blobs below it.
func (e *Env) DeleteBlobs(ctx context.Context, prefix string) error {
	return errors.Join(e.Blobs.Delete(ctx, prefix), e.Blobs.DeleteAll(ctx, prefix))
}

// OpenFile opens a stored file. One that is gone is NotFound.
func (e *Env) OpenFile(ctx context.Context, key string) (blob.Reader, error) {
	if key == "" {
		return nil, NotFoundError(FileMissing)
	}
	r, err := e.Blobs.Open(ctx, key)
	if errors.Is(err, blob.ErrNotFound) {
		e.Log.Warn("a file that the store names is not among the blobs", "blob", key)
		return nil, NotFoundError(FileMissing)
	}
	return r, err
}
