// Package blob keeps named bytes: uploads, staged segments, results.
//
// A blob has a key, is written once from beginning to end, and appears whole or
// not at all. Blobs never change; a new content gets a new key. The package
// knows nothing of imports: who may read a blob is decided by who knows its key.
//
// Keys are made by this program, never from a name that came from outside:
// parts of [a-z0-9._-], none of them "." or "..", joined by "/".
package blob

import (
	"context"
	"errors"
	"io"
	"iter"
	"regexp"
	"time"
)

// ErrNotFound says that there is no blob under the key.
var ErrNotFound = errors.New("blob not found")

// Store is a place for blobs. All methods may be called at once from many
// goroutines.
type Store interface {
	// Create begins a blob. What is written under a key that exists already
	// replaces it at Commit.
	Create(ctx context.Context, key string) (Writer, error)
	// Open gives a blob for reading, or ErrNotFound.
	Open(ctx context.Context, key string) (Reader, error)
	// Delete removes a blob. It is no error when there is none.
	Delete(ctx context.Context, key string) error
	// DeleteAll removes every blob whose key begins with prefix and "/",
	// unfinished ones included. It is no error when there is none.
	DeleteAll(ctx context.Context, prefix string) error
	// CheckWritable says whether blobs can be written just now.
	CheckWritable(ctx context.Context) error
}

// Lister is a Store that can tell what it holds.
type Lister interface {
	// List gives the finished blobs, in any order. Those that come and go meanwhile
	// may be among them.
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
	// Commit makes the blob visible under its key. When it returns nil the
	// bytes survive a crash of the process and of the machine.
	Commit() error
	// Abort drops what was written. After Commit it does nothing, so that it
	// can be deferred.
	Abort()
}

// Reader is a blob being read. ReadAt may be called from many goroutines.
type Reader interface {
	io.ReaderAt
	io.Closer
	Size() int64
}

var keyPart = regexp.MustCompile(`^[a-z0-9_-][a-z0-9._-]*(/[a-z0-9_-][a-z0-9._-]*)*$`)

// ValidKey says whether key has the form that the package asks for.
func ValidKey(key string) bool { return len(key) <= 512 && keyPart.MatchString(key) }
