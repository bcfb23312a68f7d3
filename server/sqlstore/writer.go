package sqlstore

import (
	"context"
	"slices"
	"sync"
	"sync/atomic"
	"time"
)

// writer admits one write transaction at a time, in the order of arrival, except that urgent
// ones come first. SQLite allows one writer at a time, and a pool of database/sql picks the next
// waiting caller at random. The zero value is ready to use.
type writer struct {
	mu   sync.Mutex
	busy bool
	// group is the open transaction, or nil. Only the writer uses it.
	group *group
	// groupTime is the time after which no other caller joins a group. The default is maxGroupTime.
	groupTime time.Duration
	// urgent and waiting contain one channel for each waiting caller, in the order of arrival. A
	// channel is closed when its caller becomes the writer.
	urgent, waiting []chan struct{}
	// waited is the total time that callers have waited, in nanoseconds.
	waited atomic.Int64
}

// acquire waits until the caller is the writer. It returns an error if ctx is done first. If it
// returns nil, the caller must call release or passOn. If the caller becomes the writer although ctx is
// done, acquire calls leave.
func (w *writer) acquire(ctx context.Context, urgent bool, leave func()) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	w.mu.Lock()
	if !w.busy {
		w.busy = true
		w.mu.Unlock()
		return nil
	}
	list := &w.waiting
	if urgent {
		list = &w.urgent
	}
	turn := make(chan struct{})
	*list = append(*list, turn)
	w.mu.Unlock()
	began := time.Now()
	defer func() { w.waited.Add(int64(time.Since(began))) }()
	select {
	case <-turn:
		return nil
	case <-ctx.Done():
	}
	w.mu.Lock()
	at := slices.Index(*list, turn)
	if at >= 0 {
		*list = slices.Delete(*list, at, at+1)
	}
	w.mu.Unlock()
	if at < 0 { // the caller became the writer at the same time
		leave()
	}
	return ctx.Err()
}

// release ends the turn of the writer and admits the next caller.
func (w *writer) release() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.busy = w.admit()
}

// passOn admits the next caller. If nobody is waiting, it returns false, and the caller remains the
// writer.
func (w *writer) passOn() bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.admit()
}

func (w *writer) admit() bool {
	for _, list := range []*[]chan struct{}{&w.urgent, &w.waiting} {
		if len(*list) > 0 {
			close((*list)[0])
			*list = slices.Delete(*list, 0, 1)
			return true
		}
	}
	return false
}
