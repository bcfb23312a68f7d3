package model

import "sync"

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
