package httpapi

import (
	"bytes"
	"context"
	"io"
	"net/http"
	"os"
	"time"

	"golang.org/x/sync/semaphore"

	"github.com/intraydata/intray"
	"github.com/intraydata/intray/server/imports"
)

const (
	// maxMemory is the total memory that all calls may use at the same time, in bytes.
	maxMemory = 64 << 20
	// memoryWait is the maximum time that a call waits for memory.
	memoryWait = 10 * time.Second
	// valueWeight is the maximum memory of a decoded value or name in addition to its text, in
	// bytes. For example, {"":0} consists of two values and one name, and takes about 330 bytes.
	valueWeight = 128
	// readMemory is the memory for reading an entity of ordinary size, in bytes.
	readMemory = 4 << 20
	// stateMemory is the memory for reading the state of a session, in bytes.
	stateMemory = 2 * imports.MaxState
)

// memoryEstimator copies JSON and estimates how much memory its decoded values need. It counts
// the punctuation. Punctuation within strings counts too, so the estimate is an upper bound.
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

// memoryLimiter distributes memory among calls. A call acquires memory only after its body has
// arrived, so that slow clients occupy no memory. It never waits for more memory while it
// holds some, so that calls cannot deadlock.
type memoryLimiter struct {
	semaphore *semaphore.Weighted
	wait      time.Duration
}

func newMemoryLimiter() *memoryLimiter {
	return &memoryLimiter{semaphore.NewWeighted(maxMemory), memoryWait}
}

// acquire waits until n bytes are available, or maxMemory if n is larger, and acquires them.
// It returns a function that releases them. The caller must call it.
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
	// idleLimit is the maximum pause while a body is being transferred.
	idleLimit = 30 * time.Second
	// minBytesPerSecond is the minimum average transfer rate of a body in each period of idleLimit.
	minBytesPerSecond = 1024
)

// pacedBody reads a body and enforces a minimum transfer rate, so that a client cannot occupy
// a connection while it sends hardly anything. The rate applies to each period of at least
// idleLimit, so that bytes sent early do not permit a slow rest. Only time spent waiting for the
// client counts.
//
// A call does not count as in progress until its whole body has arrived.
type pacedBody struct {
	from    io.Reader
	control *http.ResponseController
	// resume waits until the call counts again. It is nil if the call counts.
	resume func() error
	// waited is how long the current period has waited for the client, and read is the number of
	// bytes that arrived in it.
	waited time.Duration
	read   int64
}

func (a *API) pacedReader(w http.ResponseWriter, r *http.Request) io.Reader {
	p := &pacedBody{from: r.Body, control: http.NewResponseController(w)}
	if state := stateOf(r.Context()); state.slot != nil {
		state.leave()
		p.resume = func() error { return state.resume(r.Context(), a.calls) }
	}
	return p
}

func (p *pacedBody) Read(b []byte) (int, error) {
	// If deadlines are not supported, as in tests without a connection, only the average
	// transfer rate is enforced.
	before := time.Now()
	_ = p.control.SetReadDeadline(before.Add(idleLimit))
	n, err := p.from.Read(b)
	p.read, p.waited = p.read+int64(n), p.waited+time.Since(before)
	if err == nil && p.waited > idleLimit {
		if p.read < minBytesPerSecond*int64(p.waited/time.Second) {
			return n, os.ErrDeadlineExceeded
		}
		p.read, p.waited = 0, 0
	}
	switch err { // only an unwrapped io.EOF is the end of the body
	case nil:
		return n, nil
	case io.EOF:
		_ = p.control.SetReadDeadline(time.Time{})
		if p.resume != nil {
			if err := p.resume(); err != nil {
				return n, err
			}
			p.resume = nil
		}
		return n, io.EOF
	}
	return n, &senderError{err}
}

// senderError is an error that the client caused: the body was interrupted or is malformed.
type senderError struct{ cause error }

func (e *senderError) Error() string { return "read the body: " + e.cause.Error() }
func (e *senderError) Unwrap() error { return e.cause }

// pacedWriter writes a response. It fails if the client reads too slowly.
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

// headWriter fails at the first byte, because the response to a HEAD request has no body.
type headWriter struct{}

func (headWriter) Write([]byte) (int, error) { return 0, io.ErrClosedPipe }
