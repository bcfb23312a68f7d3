// Package unfinished keeps track of the blobs that a process is writing, so that a deletion can
// drop them.
package unfinished

import (
	"errors"
	"io/fs"
	"sync"
)

// ErrDropped means that a blob was deleted while it was being written.
var ErrDropped = errors.New("deleted while it was being written")

// Blob is a blob that is being written. It belongs to at most one Set.
type Blob struct {
	Key string
	// Visible is set if readers can see what was written so far.
	Visible bool
	// OnDrop is called when the blob is deleted. It may be nil.
	OnDrop func()

	mu      sync.Mutex
	dropped bool
	closed  bool
}

// Err returns fs.ErrClosed if writing has ended, ErrDropped if the blob was deleted, and otherwise nil.
func (b *Blob) Err() error {
	b.mu.Lock()
	defer b.mu.Unlock()
	switch {
	case b.closed:
		return fs.ErrClosed
	case b.dropped:
		return ErrDropped
	}
	return nil
}

// Dropped reports whether the blob was deleted.
func (b *Blob) Dropped() bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.dropped
}

// Drop marks the blob as deleted.
func (b *Blob) Drop() {
	b.mu.Lock()
	b.dropped = true
	b.mu.Unlock()
	if b.OnDrop != nil {
		b.OnDrop()
	}
}

// close ends writing. It reports false if writing had ended before.
func (b *Blob) close() bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	wasOpen := !b.closed
	b.closed = true
	return wasOpen
}

// Set is the set of blobs that a process is writing. The zero value is empty. It is safe for
// concurrent use.
type Set struct {
	mu   sync.Mutex
	open map[*Blob]struct{}
}

// Add adds a blob. If exclusive is set, it reports false instead if the set has a visible blob with
// the same key that was not deleted.
func (s *Set) Add(b *Blob, exclusive bool) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if exclusive {
		for other := range s.open {
			if other.Key == b.Key && other.Visible && !other.Dropped() {
				return false
			}
		}
	}
	if s.open == nil {
		s.open = map[*Blob]struct{}{}
	}
	s.open[b] = struct{}{}
	return true
}

// Close ends writing a blob and removes it from the set. It reports false if writing had ended before.
func (s *Set) Close(b *Blob) bool {
	s.mu.Lock()
	delete(s.open, b)
	s.mu.Unlock()
	return b.close()
}

// Drop drops each selected blob.
func (s *Set) Drop(selected func(*Blob) bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for b := range s.open {
		if selected(b) {
			b.Drop()
		}
	}
}
