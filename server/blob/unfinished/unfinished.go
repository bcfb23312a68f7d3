// Package unfinished keeps track of the blobs that a process is writing, so that a deletion can drop them.
package unfinished

import (
	"crypto/rand"
	"errors"
	"sync"
	"sync/atomic"
)

// ErrDropped means that a blob was deleted while it was written.
var ErrDropped = errors.New("deleted while it was written")

// Blob is a blob that is being written.
type Blob struct {
	Key string
	// Visible is set if readers can see what was written so far.
	Visible bool
	// OnDrop is called when the blob is deleted. It may be nil.
	OnDrop func()

	dropped atomic.Bool
}

// Dropped reports whether the blob was deleted.
func (b *Blob) Dropped() bool { return b.dropped.Load() }

// Drop marks the blob as deleted.
func (b *Blob) Drop() {
	b.dropped.Store(true)
	if b.OnDrop != nil {
		b.OnDrop()
	}
}

// Set is the set of blobs that a process is writing. The zero value is empty. It is safe for concurrent use.
type Set struct {
	mu   sync.Mutex
	open map[*Blob]struct{}
	name string
}

// Name returns a random name of the set. Other processes have others.
func (s *Set) Name() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.name == "" {
		s.name = rand.Text()
	}
	return s.name
}

// Add adds a blob. If exclusive is set, it reports false instead if the set has a visible blob with the same
// key that was not deleted.
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

// Remove removes a blob.
func (s *Set) Remove(b *Blob) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.open, b)
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
