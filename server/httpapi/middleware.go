package httpapi

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"net/http"
	"regexp"
	"runtime/debug"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/google/uuid"
	"github.com/klauspost/compress/gzip"

	"github.com/intraydata/intray"
)

// frontHandler is the first handler of a request. It assigns the request id, normalizes the
// path, and responds to unknown routes and after panics.
type frontHandler struct {
	mux *http.ServeMux
	api *API
	// paths contains the paths of all routes without their methods. methods maps each of them to
	// its methods, sorted.
	paths   *http.ServeMux
	methods map[string][]string
}

func (f *frontHandler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	began := time.Now()
	id := f.api.newRequestID(r)
	r = r.WithContext(context.WithValue(r.Context(), requestStateKey{}, &requestState{id: id}))
	rec := &statusRecorder{ResponseWriter: w}
	rec.Header().Set("X-Request-Id", id)
	rec.Header().Set("X-Content-Type-Options", "nosniff")
	if f.api.scheme(r) == "https" {
		rec.Header().Set("Strict-Transport-Security", "max-age=31536000")
	}
	route := "none"
	// This runs after the other deferred function, so that it also observes
	// interrupted responses.
	defer func() { f.api.cfg.Observe(route, r.Method, observedStatus(rec, r), time.Since(began)) }()
	defer func() {
		if fault := recover(); fault != nil {
			f.handlePanic(rec, r, fault)
		}
	}()
	route = f.dispatch(rec, r)
}

// proxyRequestID matches the request IDs that a trusted proxy may choose. They are safe in a log.
var proxyRequestID = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[A-Za-z0-9_-]{16,64}$`) })

// newRequestID returns the ID that a trusted proxy has given a request, or a new one.
func (a *API) newRequestID(r *http.Request) string {
	if id := r.Header.Get("X-Request-Id"); proxyRequestID().MatchString(id) && a.isTrustedProxy(r.RemoteAddr) {
		return id
	}
	return uuid.NewString()
}

// clientGone is the status passed to Observe if the client disconnected before the response.
const clientGone = 499

func observedStatus(w *statusRecorder, r *http.Request) int {
	if w.status >= http.StatusInternalServerError && r.Context().Err() != nil {
		return clientGone
	}
	return w.status
}

// handlePanic responds to a request whose handler panicked, unless the response has started.
func (f *frontHandler) handlePanic(w *statusRecorder, r *http.Request, fault any) {
	if err, ok := fault.(error); ok && errors.Is(err, http.ErrAbortHandler) {
		panic(fault)
	}
	f.api.cfg.Log.Error("panic in a request", "request_id", RequestID(r.Context()), "panic", fault, "stack", string(debug.Stack()))
	if w.status != 0 {
		panic(http.ErrAbortHandler)
	}
	f.api.writeError(w, r, toAPIError(nil))
}

// dispatch calls the operation for the path and returns its route.
func (f *frontHandler) dispatch(w *statusRecorder, r *http.Request) string {
	if r.URL.Path == "" { // GET http://host HTTP/1.1
		r.URL.Path = "/"
	}
	path := r.URL.Path
	switch {
	case strings.Contains(path, "//"):
		f.api.writeError(w, r, newError(http.StatusNotFound, "no_route", intray.NewMessage("request.path_has_empty_segment", nil)))
		return "none"
	case hasDotSegment(path):
		f.api.writeError(w, r, noRoute())
		return "none"
	}
	if len(path) > 1 && strings.HasSuffix(path, "/") {
		r.URL.Path = strings.TrimSuffix(path, "/")
		r.URL.RawPath = strings.TrimSuffix(r.URL.RawPath, "/")
	}
	if e := f.checkRoute(r); e != nil {
		f.api.writeError(w, r, e)
		return "none"
	}
	_, pattern := f.mux.Handler(r)
	health := pattern == "GET /healthz" || pattern == "GET /readyz"
	if !health && !f.api.isKnownHost(r) {
		f.api.writeError(w, r, newError(http.StatusMisdirectedRequest, "unknown_host", intray.NewMessage("request.unknown_host", nil)))
		return pattern
	}
	if f.api.cfg.HealthOnly(r.Context()) {
		w.Header().Set("Connection", "close")
		if !health {
			f.api.writeError(w, r, newError(http.StatusServiceUnavailable, "busy", intray.NewMessage("service.too_many_connections", nil)))
			return pattern
		}
	}
	f.mux.ServeHTTP(w, r)
	return pattern
}

func hasDotSegment(path string) bool {
	for part := range strings.SplitSeq(path, "/") {
		if part == "." || part == ".." {
			return true
		}
	}
	return false
}

func noRoute() *apiError {
	return newError(http.StatusNotFound, "no_route", intray.NewMessage("request.unknown_path", nil))
}

// checkRoute returns a 404 error if the path is unknown, and a 405 error if it does not support
// the method. Only the most specific path counts: /webhooks/signing-secret does not support DELETE,
// although /webhooks/{id} does.
func (f *frontHandler) checkRoute(r *http.Request) *apiError {
	_, path := f.paths.Handler(r)
	methods := f.methods[path]
	switch {
	case path == "":
		return noRoute()
	case slices.Contains(methods, r.Method):
		return nil
	}
	e := newError(http.StatusMethodNotAllowed, "method_not_allowed", intray.NewMessage("request.method_not_allowed", intray.Params{"method": truncate(r.Method, 40), "methods": methods}))
	e.allow = strings.Join(methods, ", ")
	return e
}

// statusRecorder is a ResponseWriter that records the status.
type statusRecorder struct {
	http.ResponseWriter
	status int
}

func (r *statusRecorder) WriteHeader(status int) {
	if r.status == 0 && status >= 200 {
		r.status = status
	}
	r.ResponseWriter.WriteHeader(status)
}

func (r *statusRecorder) Write(b []byte) (int, error) {
	r.status = cmp.Or(r.status, http.StatusOK)
	return r.ResponseWriter.Write(b)
}

// Unwrap returns the wrapped writer for http.ResponseController.
func (r *statusRecorder) Unwrap() http.ResponseWriter { return r.ResponseWriter }

// minGzipSize is the minimum size of a response that is compressed, in bytes.
const minGzipSize = 1 << 10

var gzipWriters = sync.Pool{New: func() any {
	w, _ := gzip.NewWriterLevel(nil, gzip.BestSpeed)
	return w
}}

// compress returns the body to send. It compresses responses for the review page if the browser
// accepts gzip. They are repetitive and contain no secrets, and connections may be slow.
func (c *call) compress(text []byte) []byte {
	if c.op.auth != authReviewCookie || len(text) < minGzipSize {
		return text
	}
	header := c.w.Header()
	header.Add("Vary", "Accept-Encoding")
	if !takesGzip(c.r.Header.Get("Accept-Encoding")) {
		return text
	}
	var to bytes.Buffer
	to.Grow(len(text) / 4)
	w := gzipWriters.Get().(*gzip.Writer)
	defer gzipWriters.Put(w)
	w.Reset(&to)
	if _, err := w.Write(text); err != nil {
		return text
	}
	if err := w.Close(); err != nil {
		return text
	}
	header.Set("Content-Encoding", "gzip")
	return to.Bytes()
}

// takesGzip reports whether the value of an Accept-Encoding header accepts gzip.
func takesGzip(accepted string) bool {
	for coding := range strings.SplitSeq(accepted, ",") {
		name, weight, _ := strings.Cut(coding, ";")
		if strings.EqualFold(strings.TrimSpace(name), "gzip") {
			return strings.ReplaceAll(weight, " ", "") != "q=0"
		}
	}
	return false
}
