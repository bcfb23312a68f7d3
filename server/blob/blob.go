// Package blob defines the storage of immutable files: uploads, staged segments, results.
//
// A blob has a key. It is written once, from beginning to end, and becomes visible as a
// whole. New content gets a new key. The package knows nothing about imports or permissions:
// whoever knows a key may read the blob.
//
// Keys are generated, never derived from names in requests. They consist of parts of
// [a-z0-9._-] that do not begin with ".", joined by "/".
package blob

import (
	"context"
	"errors"
	"io"
	"iter"
	"regexp"
	"time"
)

// ErrNotFound means that no blob has the key.
var ErrNotFound = errors.New("blob not found")

// Store stores blobs. It is safe for concurrent use.
type Store interface {
	// Create begins a blob. Commit replaces an existing blob with the same key.
	Create(ctx context.Context, key string) (Writer, error)
	// Open opens a blob for reading. A missing blob is ErrNotFound.
	Open(ctx context.Context, key string) (Reader, error)
	// Delete deletes a blob. A missing blob is not an error.
	Delete(ctx context.Context, key string) error
	// DeleteAll deletes all blobs whose keys begin with prefix and "/", including unfinished
	// ones. A prefix without blobs is not an error.
	DeleteAll(ctx context.Context, prefix string) error
	// CheckWritable returns nil if blobs can be written.
	CheckWritable(ctx context.Context) error
}

// Lister is a Store that can list its blobs.
type Lister interface {
	// List yields the finished blobs, in any order. It may or may not yield blobs that are
	// created or deleted meanwhile.
	List(ctx context.Context) iter.Seq2[Entry, error]
}

// Entry is a finished blob.
type Entry struct {
	Key      string
	Size     int64
	Modified time.Time
}

// Writer is a blob being written.
type Writer interface {
	io.Writer
	// Commit makes the blob visible under its key. When it returns nil, the blob survives a
	// crash of the process and of the machine.
	Commit() error
	// Abort discards the blob. After Commit, it does nothing, so that it can be deferred.
	Abort()
}

// Reader is an open blob. ReadAt is safe for concurrent use.
type Reader interface {
	io.ReaderAt
	io.Closer
	Size() int64
}

var keyPart = regexp.MustCompile(`^[a-z0-9_-][a-z0-9._-]*(/[a-z0-9_-][a-z0-9._-]*)*$`)

// ValidKey reports whether key is valid: see the package comment. The maximum is 512 bytes.
func ValidKey(key string) bool { return len(key) <= 512 && keyPart.MatchString(key) }
