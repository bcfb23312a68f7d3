package httpapi

import (
	"bytes"
	"context"
	"io"
	"net/http"
	"os"
	"sync"
	"time"

	"golang.org/x/sync/semaphore"

	"github.com/intraydata/intray"
	"github.com/intraydata/intray/server/imports"
)

// rateLimiter counts events by key in windows of a minute.
type rateLimiter struct {
	perMinute int
	clock     func() time.Time

	mu     sync.Mutex
	window time.Time
	counts map[string]int
}

// newRateLimiter makes a limiter that lets perMinute events of each key pass; 0
// lets all pass.
func newRateLimiter(perMinute int, clock func() time.Time) *rateLimiter {
	return &rateLimiter{perMinute: perMinute, clock: clock, counts: map[string]int{}}
}

// allow counts an event and gives the window in which it counts, or says when
// the next event is welcome.
func (l *rateLimiter) allow(key string) (in time.Time, err error) {
	if l.perMinute <= 0 {
		return time.Time{}, nil
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	now := l.clock()
	if window := now.Truncate(time.Minute); !window.Equal(l.window) { // a clock may be set back, too
		l.window = window
		clear(l.counts)
	}
	if l.counts[key] >= l.perMinute {
		e := newError(http.StatusTooManyRequests, "too_many_requests", intray.NewMessage("request.too_many", nil))
		e.retryAfter = l.window.Add(time.Minute).Sub(now)
		return time.Time{}, e
	}
	l.counts[key]++
	return l.window, nil
}

// refund takes back an event of a window that came to nothing. Windows that
// are over stay as they were.
func (l *rateLimiter) refund(key string, in time.Time) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if in.Equal(l.window) && l.counts[key] > 0 {
		l.counts[key]--
	}
}

const (
	// maxMemory is how much all calls together may have in memory.
	maxMemory = 64 << 20
	// memoryWait is how long a call waits for its share.
	memoryWait = 10 * time.Second
	// valueWeight is the most memory that a value or a name becomes beside its
	// text: the three of an object of one property, {"":0}, take some 330 bytes.
	valueWeight = 128
	// readMemory is what a call may need that reads one thing of ordinary size.
	readMemory = 4 << 20
	// stateMemory is what reading a session's state may need.
	stateMemory = 2 * imports.MaxState
)

// memoryEstimator tells how much memory a JSON text may need that passes through it,
// by its punctuation. Commas within strings count, too: it is a bound.
type memoryEstimator struct {
	to     io.Writer
	weight int64
}

func (w *memoryEstimator) Write(p []byte) (int, error) {
	for _, mark := range []string{",", ":", "{", "["} {
		w.weight += valueWeight * int64(bytes.Count(p, []byte(mark)))
	}
	return w.to.Write(p)
}

// memoryLimiter shares out the bytes that calls may have in memory at once. A call
// takes its share when all is there that it waits for from outside, so that
// nobody holds one while a sender or a reader is slow; and it takes one share,
// so that calls do not wait for each other in a circle.
type memoryLimiter struct {
	semaphore *semaphore.Weighted
	wait      time.Duration
}

func newMemoryLimiter() *memoryLimiter {
	return &memoryLimiter{semaphore.NewWeighted(maxMemory), memoryWait}
}

// acquire waits for a share of n bytes, all of it where n is more. The share must
// be given back.
func (m *memoryLimiter) acquire(ctx context.Context, n int64) (giveBack func(), err error) {
	n = min(n, maxMemory)
	if n <= 0 {
		return func() {}, nil
	}
	waiting, cancel := context.WithTimeout(ctx, m.wait)
	defer cancel()
	if err := m.semaphore.Acquire(waiting, n); err != nil {
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		e := newError(http.StatusServiceUnavailable, "busy", intray.NewMessage("service.too_many_large_requests", nil))
		e.retryAfter = 5 * time.Second
		return nil, e
	}
	return func() { m.semaphore.Release(n) }, nil
}

const (
	// idleLimit is how long a sender may be silent within a body.
	idleLimit = 30 * time.Second
	// minBytesPerSecond is how many bytes a second a body must bring on average, once it
	// has had idleLimit to begin.
	minBytesPerSecond = 1024
)

// pacedBody reads a body that must keep coming: a sender that holds a
// connection open and sends next to nothing is cut off.
type pacedBody struct {
	from    io.Reader
	control *http.ResponseController
	began   time.Time
	read    int64
}

func (a *API) pacedReader(w http.ResponseWriter, r *http.Request) io.Reader {
	return &pacedBody{from: r.Body, control: http.NewResponseController(w), began: time.Now()}
}

func (p *pacedBody) Read(b []byte) (int, error) {
	// Where deadlines cannot be set, as in tests without a connection, only
	// the average counts.
	_ = p.control.SetReadDeadline(time.Now().Add(idleLimit))
	n, err := p.from.Read(b)
	p.read += int64(n)
	passed := time.Since(p.began)
	if err == nil && passed > idleLimit && p.read < minBytesPerSecond*int64(passed/time.Second) {
		return n, os.ErrDeadlineExceeded
	}
	switch err { //nolint:errorlint // only the bare io.EOF is the end of the body
	case nil:
		return n, nil
	case io.EOF:
		_ = p.control.SetReadDeadline(time.Time{})
		return n, io.EOF
	}
	return n, &senderError{err}
}

// senderError is a failure to read what the sender sends: a body that broke off
// or is malformed. It is never a fault of ours.
type senderError struct{ cause error }

func (e *senderError) Error() string { return "read the body: " + e.cause.Error() }
func (e *senderError) Unwrap() error { return e.cause }

// pacedWriter writes an answer to a reader that must keep reading.
type pacedWriter struct {
	to      io.Writer
	control *http.ResponseController
}

func (a *API) pacedWriter(w http.ResponseWriter) io.Writer {
	return &pacedWriter{w, http.NewResponseController(w)}
}

func (p *pacedWriter) Write(b []byte) (int, error) {
	_ = p.control.SetWriteDeadline(time.Now().Add(idleLimit))
	n, err := p.to.Write(b)
	_ = p.control.SetWriteDeadline(time.Time{})
	return n, err
}

// headWriter takes nothing: the answer to HEAD has no body.
type headWriter struct{}

func (headWriter) Write([]byte) (int, error) { return 0, io.ErrClosedPipe }
