// Package blob defines the storage of immutable files: uploads, staged segments and results.
//
// A blob has a key. It is written once, from beginning to end, and becomes visible
// only when it is complete. New content gets a new key. The exception is a blob that is
// written in several steps with an [Appender]: its users must know when it is complete. The package
// does not depend on imports or permissions: anyone who knows a key can read the blob.
//
// Keys are generated and never derived from names in requests. A key consists of parts joined by
// "/". A part consists of characters from [a-z0-9._-] and does not begin with ".". No key is the
// parent of another: if "a/b" is a key, "a" is not, because some stores treat "a" as a folder.
package blob

import (
	"context"
	"errors"
	"io"
	"iter"
	"regexp"
	"time"
)

var (
	// ErrNotFound means that there is no blob with the key.
	ErrNotFound = errors.New("blob not found")
	// ErrInUse means that there is another Appender for the blob, in this or another process.
	ErrInUse = errors.New("blob is being written")
	// ErrUnavailable means that the store was unreachable or did not respond in time, even after
	// several attempts. A later call can succeed. Local stores do not return it.
	ErrUnavailable = errors.New("blob store is unavailable")
	// ErrHeld means that blobs cannot be deleted at the moment, because of a [Holder]. A later call can
	// succeed.
	ErrHeld = errors.New("blobs cannot be deleted while they are being backed up")
	// ErrOtherVersion means that a blob exists, but does not have the expected ETag.
	ErrOtherVersion = errors.New("blob has another ETag")
)

// Store stores blobs. It is safe for concurrent use.
type Store interface {
	// Create starts writing a blob. Commit replaces any existing blob with the same key.
	Create(ctx context.Context, key string) (Writer, error)
	// Append opens a blob for writing at its end. It creates the blob if it does not exist. It
	// returns ErrInUse if the blob is already open for this. If another process has opened the
	// blob, a store can let either process continue and return ErrInUse to the other one when it
	// writes or flushes.
	Append(ctx context.Context, key string) (Appender, error)
	// Open opens a blob for reading. It returns ErrNotFound if the blob does not exist. If the blob is
	// deleted or replaced later, the reader still reads the same bytes, or returns an error.
	Open(ctx context.Context, key string) (Reader, error)
	// Delete deletes a blob. It is not an error if the blob does not exist.
	Delete(ctx context.Context, key string) error
	// DeleteAll deletes all blobs whose keys begin with prefix + "/", including unfinished ones.
	// It is not an error if there are no such blobs.
	DeleteAll(ctx context.Context, prefix string) error
	// CheckWritable returns an error if blobs cannot be written.
	CheckWritable(ctx context.Context) error
}

// Batcher is a Store in which flushing several blobs together costs less than flushing each of them.
type Batcher interface {
	// Batch returns a view of the store. If Commit of its writers returns nil, the blob is visible, but
	// survives a crash of the machine only after flush has returned nil.
	Batch() (store Store, flush func() error)
}

// Batch returns a Store for blobs that need not be durable before flush has returned nil. If the given
// store is not a Batcher, it returns that store.
func Batch(store Store) (batch Store, flush func() error) {
	if b, ok := store.(Batcher); ok {
		return b.Batch()
	}
	return store, func() error { return nil }
}

// Holder is a Store in which deletions can be suspended, for example during a backup.
type Holder interface {
	// Hold makes Delete and DeleteAll return ErrHeld, in all processes that have opened the store, until
	// release is called or this process ends. It waits for the deletions in progress.
	Hold(ctx context.Context) (release func() error, err error)
}

// Presigner is a Store to which others can send blobs directly, without its credentials.
type Presigner interface {
	// PresignPut returns a request that stores a blob of exactly size bytes, which must be at least 1.
	// Anybody can send it. The store refuses it if the blob exists, and after expires has passed. A
	// request that began before can still store the blob later.
	PresignPut(ctx context.Context, key string, size int64, expires time.Duration) (PresignedPut, error)
	// OpenVersion is like Open, but returns ErrOtherVersion if the ETag of the blob is not etag.
	OpenVersion(ctx context.Context, key, etag string) (Reader, error)
}

// PresignedPut is a PUT request whose body is a blob. The response has the ETag of the blob.
type PresignedPut struct {
	URL string
	// Headers are the headers to send, in addition to Host and Content-Length.
	Headers map[string]string
}

// Lister is a Store that can list its blobs.
type Lister interface {
	// List yields the finished blobs in any order. Blobs that are created or deleted in
	// the meantime may or may not be included.
	List(ctx context.Context) iter.Seq2[Entry, error]
}

// Entry is a finished blob.
type Entry struct {
	Key      string
	Size     int64
	Modified time.Time
}

// Writer writes a blob.
type Writer interface {
	io.Writer
	// Commit makes the blob visible under its key. If it returns nil, the blob survives
	// a crash of the process or the machine.
	Commit() error
	// Abort discards the blob. After Commit, Abort does nothing and can therefore be deferred.
	Abort()
}

// Appender adds bytes to the end of a blob. If the blob is deleted, Write and Sync return an error.
// If another process has continued the blob, all methods except ReadAt and Size return ErrInUse and
// change nothing. An Appender must not be used concurrently, except for ReadAt.
type Appender interface {
	io.Writer
	// ReaderAt reads what was written so far.
	io.ReaderAt
	// Size returns the number of bytes in the blob, including those that were not flushed yet.
	Size() int64
	// Truncate shortens the blob to size bytes.
	Truncate(size int64) error
	// Sync makes everything that was written durable. If it returns nil, the blob with these bytes
	// survives a crash of the process or the machine.
	Sync() error
	// Close ends writing. The bytes remain, and another Appender can continue.
	Close() error
}

// Reader is an open blob. ReadAt is safe for concurrent use.
type Reader interface {
	io.ReaderAt
	io.Closer
	Size() int64
}

var keyPart = regexp.MustCompile(`^[a-z0-9_-][a-z0-9._-]*(/[a-z0-9_-][a-z0-9._-]*)*$`)

// ValidKey reports whether key is valid according to the package comment and has at
// most 512 bytes.
func ValidKey(key string) bool { return len(key) <= 512 && keyPart.MatchString(key) }
