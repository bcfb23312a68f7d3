package httpapi

import (
	"context"
	"errors"
	"io"
	"net/http"
	"strings"
	"time"
)

// requestState is the state of a request that all its handlers share.
type requestState struct {
	id string
	// authenticated means that the caller has a valid key, token, cookie or signed URL.
	authenticated bool
	// slot is the place of the call among those in progress, or nil if it does not count. client is
	// the address of its client.
	slot   *callSlot
	client string
}

// leave ends the call in progress, if it counts.
func (s *requestState) leave() {
	if s.slot != nil {
		s.slot.leave()
		s.slot = nil
	}
}

// resume waits until a call that has left counts again.
func (s *requestState) resume(ctx context.Context, gate *callGate) (err error) {
	s.slot, err = gate.resume(ctx, s.client)
	return err
}

type requestStateKey struct{}

func stateOf(ctx context.Context) *requestState {
	if state, ok := ctx.Value(requestStateKey{}).(*requestState); ok {
		return state
	}
	return &requestState{}
}

// RequestID returns the ID of the request with the given context, or "" if there is none.
func RequestID(ctx context.Context) string { return stateOf(ctx).id }

// markAuthenticated records that the caller of a request has a valid credential.
func (a *API) markAuthenticated(ctx context.Context) {
	stateOf(ctx).authenticated = true
	a.cfg.Authenticated(ctx)
}

// drainLimit limits how much of an unused body the server reads, and for how long.
type drainLimit struct {
	bytes int64
	time  time.Duration
}

var (
	// unknownDrain applies to callers that have not authenticated.
	unknownDrain = drainLimit{64 << 10, 2 * time.Second}
	// knownDrain applies to callers with a valid credential.
	knownDrain = drainLimit{32 << 20, 10 * time.Second}
)

func drainLimitOf(r *http.Request) drainLimit {
	if stateOf(r.Context()).authenticated {
		return knownDrain
	}
	return unknownDrain
}

// drainBody reads the part of a body that was not used, so that the connection can serve the
// next request. If the body does not end within the limit, drainBody closes the connection after
// the response.
func drainBody(w http.ResponseWriter, r *http.Request) {
	if r.Body == nil || r.Body == http.NoBody {
		return
	}
	limit := drainLimitOf(r)
	end := time.Now().Add(limit.time)
	control := http.NewResponseController(w)
	_ = control.SetReadDeadline(end)
	buffer := make([]byte, 4<<10)
	for left := limit.bytes; left > 0 && time.Now().Before(end); {
		n, err := r.Body.Read(buffer[:min(left, int64(len(buffer)))])
		left -= int64(n)
		if errors.Is(err, io.EOF) {
			_ = control.SetReadDeadline(time.Time{})
			return
		}
		if err != nil {
			break
		}
	}
	_ = control.SetReadDeadline(time.Now()) // net/http must not wait for the rest either
	closeAfterResponse(w)
}

// closeAfterResponse closes the connection after the response, even if the response has been
// sent. Otherwise, net/http would read the rest of the body as the next request. MaxBytesReader
// is its only interface for this.
func closeAfterResponse(w http.ResponseWriter) {
	for {
		wrapped, ok := w.(interface{ Unwrap() http.ResponseWriter })
		if !ok {
			break
		}
		w = wrapped.Unwrap()
	}
	_, _ = http.MaxBytesReader(w, io.NopCloser(strings.NewReader("x")), 0).Read(make([]byte, 1))
}

// drained returns a handler that drains the body of a request before it calls the handler
// serve, which reads none.
func drained(serve http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		drainBody(w, r)
		serve.ServeHTTP(w, r)
	})
}
