package model

import "sync"

// InProgress notes what this process is working on. It tells work that is under
// way from work that was left behind, of which the store knows the same.
type InProgress struct {
	mu    sync.Mutex
	names map[string]bool
}

// NewInProgress returns a register without entries.
func NewInProgress() *InProgress { return &InProgress{names: map[string]bool{}} }

// TryAdd says whether the name was not there before.
func (h *InProgress) TryAdd(name string) bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.names[name] {
		return false
	}
	h.names[name] = true
	return true
}

// Remove takes a name off the register.
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
