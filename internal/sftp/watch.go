package sftp

import (
	"context"
	"sync"
	"time"
)

// grace is how long a server has for its answer once ctx has ended. It lets a
// server that answers be left in good order.
const grace = time.Second

// watch hangs up on a server that is waited for in vain.
type watch struct {
	detach   func() bool
	patience time.Duration

	mu      sync.Mutex
	timer   *time.Timer
	resting bool
	ended   bool // ctx
}

// watch begins to watch. The caller must stop it.
func (s *Session) watch(ctx context.Context) *watch {
	w := &watch{patience: s.cfg.Patience}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.timer = time.AfterFunc(w.patience, s.giveUp)
	w.detach = context.AfterFunc(ctx, w.end)
	return w
}

// rewind gives the server all its time again.
func (w *watch) rewind() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.resting = false
	w.set()
}

func (w *watch) set() {
	left := w.patience
	if w.ended {
		left = min(left, grace)
	}
	w.timer.Reset(left)
}

// rest stops the time while it is not the server that is waited for.
func (w *watch) rest() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.resting = true
	w.timer.Stop()
}

func (w *watch) end() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.ended = true
	if !w.resting {
		w.set()
	}
}

func (w *watch) stop() {
	w.detach()
	w.rest()
}
