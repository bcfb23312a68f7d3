package model

import "sync"

// InProgress registers what this process is working on. It distinguishes work in progress
// from abandoned work, which look the same in the store.
type InProgress struct {
	mu    sync.Mutex
	names map[string]bool
}

// NewInProgress returns a register without entries.
func NewInProgress() *InProgress { return &InProgress{names: map[string]bool{}} }

// TryAdd adds a name and reports whether it was missing before.
func (h *InProgress) TryAdd(name string) bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.names[name] {
		return false
	}
	h.names[name] = true
	return true
}

// Remove removes a name from the register.
func (h *InProgress) Remove(name string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	delete(h.names, name)
}

// Contains reports whether the name is on the register.
func (h *InProgress) Contains(name string) bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.names[name]
}
