package api

import (
	"bytes"
	"context"
	"io"
	"net/http"
	"time"

	"golang.org/x/sync/semaphore"

	"github.com/intraydata/intray"
	"github.com/intraydata/intray/internal/service"
)

const (
	// maxMemory is how much all calls together may have in memory.
	maxMemory = 64 << 20
	// memoryWait is how long a call waits for its share.
	memoryWait = 10 * time.Second
	// valueWeight is the most memory that a value or a name becomes beside its
	// text: the three of an object of one property, {"":0}, take some 330 bytes.
	valueWeight = 128
	// perRead is what a call may need that reads one thing of ordinary size.
	perRead = 4 << 20
	// perState is what reading a session's state may need.
	perState = 2 * service.MaxState
)

// weigher tells how much memory a JSON text may need that passes through it,
// by its punctuation. Commas within strings count, too: it is a bound.
type weigher struct {
	to     io.Writer
	weight int64
}

func (w *weigher) Write(p []byte) (int, error) {
	for _, mark := range []string{",", ":", "{", "["} {
		w.weight += valueWeight * int64(bytes.Count(p, []byte(mark)))
	}
	return w.to.Write(p)
}

// memory shares out the bytes that calls may have in memory at once. A call
// takes its share when all is there that it waits for from outside, so that
// nobody holds one while a sender or a reader is slow; and it takes one share,
// so that calls do not wait for each other in a circle.
type memory struct {
	room *semaphore.Weighted
	wait time.Duration
}

func newMemory() *memory { return &memory{semaphore.NewWeighted(maxMemory), memoryWait} }

// take waits for a share of n bytes, all of it where n is more. The share must
// be given back.
func (m *memory) take(ctx context.Context, n int64) (giveBack func(), err error) {
	n = min(n, maxMemory)
	if n <= 0 {
		return func() {}, nil
	}
	waiting, cancel := context.WithTimeout(ctx, m.wait)
	defer cancel()
	if err := m.room.Acquire(waiting, n); err != nil {
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		e := refuse(http.StatusServiceUnavailable, "busy", intray.NewMessage("service.too_many_large_requests", nil))
		e.retryAfter = 5 * time.Second
		return nil, e
	}
	return func() { m.room.Release(n) }, nil
}
