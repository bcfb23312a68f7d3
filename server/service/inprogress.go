package service

import "sync"

// inProgress notes what this process is working on. It tells work that is under
// way from work that was left behind, of which the store knows the same.
type inProgress struct {
	mu    sync.Mutex
	names map[string]bool
}

func newInProgress() *inProgress { return &inProgress{names: map[string]bool{}} }

// tryAdd says whether the name was not there before.
func (h *inProgress) tryAdd(name string) bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.names[name] {
		return false
	}
	h.names[name] = true
	return true
}

func (h *inProgress) remove(name string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	delete(h.names, name)
}

func (h *inProgress) contains(name string) bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.names[name]
}
