package service

import "sync"

// inHand notes what this process is working on. It tells work that is under
// way from work that was left behind, of which the store knows the same.
type inHand struct {
	mu    sync.Mutex
	names map[string]bool
}

func newInHand() *inHand { return &inHand{names: map[string]bool{}} }

// add says whether the name was not there before.
func (h *inHand) add(name string) bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.names[name] {
		return false
	}
	h.names[name] = true
	return true
}

func (h *inHand) remove(name string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	delete(h.names, name)
}

func (h *inHand) has(name string) bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.names[name]
}
