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

// newRateLimiter returns a limiter that allows perMinute events for each key; 0 allows all.
func newRateLimiter(perMinute int, clock func() time.Time) *rateLimiter {
	return &rateLimiter{perMinute: perMinute, clock: clock, counts: map[string]int{}}
}

// allow counts an event and returns its window, or an error with the time until the next
// window.
func (l *rateLimiter) allow(key string) (in time.Time, err error) {
	if l.perMinute <= 0 {
		return time.Time{}, nil
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	now := l.clock()
	if window := now.Truncate(time.Minute); !window.Equal(l.window) { // also if the clock was set back
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

// refund uncounts an event in the current window.
func (l *rateLimiter) refund(key string, in time.Time) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if in.Equal(l.window) && l.counts[key] > 0 {
		l.counts[key]--
	}
}

const (
	// maxMemory is the maximum memory of all calls together, in bytes.
	maxMemory = 64 << 20
	// memoryWait is the maximum time that a call waits for its share.
	memoryWait = 10 * time.Second
	// valueWeight is the maximum memory of a value or name in addition to its text, in
	// bytes: the three in {"":0} take about 330 bytes.
	valueWeight = 128
	// readMemory is the memory for reading an entity of ordinary size.
	readMemory = 4 << 20
	// stateMemory is the memory for reading the state of a session.
	stateMemory = 2 * imports.MaxState
)

// memoryEstimator estimates the memory for the values of the JSON that it copies, by the
// punctuation. Punctuation within strings counts too, so it is an upper bound.
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

// memoryLimiter distributes memory among calls. A call acquires its share only after its body
// has arrived, so that slow clients hold no memory. It acquires only one share at a time, so
// that calls cannot deadlock.
type memoryLimiter struct {
	semaphore *semaphore.Weighted
	wait      time.Duration
}

func newMemoryLimiter() *memoryLimiter {
	return &memoryLimiter{semaphore.NewWeighted(maxMemory), memoryWait}
}

// acquire waits for a share of n bytes, but at most maxMemory. The caller must call the
// function that it returns.
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
	// idleLimit is the maximum pause within a body.
	idleLimit = 30 * time.Second
	// minBytesPerSecond is the minimum average speed of a body after idleLimit.
	minBytesPerSecond = 1024
)

// pacedBody reads a body with a minimum speed, so that a client cannot hold a connection and
// send next to nothing.
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
	// If deadlines are not supported, as in tests without a connection, only the average
	// counts.
	_ = p.control.SetReadDeadline(time.Now().Add(idleLimit))
	n, err := p.from.Read(b)
	p.read += int64(n)
	passed := time.Since(p.began)
	if err == nil && passed > idleLimit && p.read < minBytesPerSecond*int64(passed/time.Second) {
		return n, os.ErrDeadlineExceeded
	}
	switch err { // only the bare io.EOF is the end of the body
	case nil:
		return n, nil
	case io.EOF:
		_ = p.control.SetReadDeadline(time.Time{})
		return n, io.EOF
	}
	return n, &senderError{err}
}

// senderError is an error of the client: a body that is interrupted or malformed.
type senderError struct{ cause error }

func (e *senderError) Error() string { return "read the body: " + e.cause.Error() }
func (e *senderError) Unwrap() error { return e.cause }

// pacedWriter writes a response to a client that must keep reading.
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

// headWriter accepts nothing, because the response to HEAD has no body.
type headWriter struct{}

func (headWriter) Write([]byte) (int, error) { return 0, io.ErrClosedPipe }
