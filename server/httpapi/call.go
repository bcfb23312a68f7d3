package httpapi

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/intraydata/intray"
	"github.com/intraydata/intray/internal/jsonschema"
	"github.com/intraydata/intray/internal/wire"
	"github.com/intraydata/intray/server/auth"
	"github.com/intraydata/intray/server/model"
	"github.com/intraydata/intray/server/widget"
)

// authMethod determines how an operation authenticates its caller.
type authMethod uint8

const (
	// authNone operations need no authentication.
	authNone authMethod = iota
	// authBackendKey operations need a backend API key.
	authBackendKey
	// authHydrationToken operations need a hydration token.
	authHydrationToken
	// authSignedURL operations need a signed URL.
	authSignedURL
	// authReviewLink operations need a review token.
	authReviewLink
	// authReviewCookie operations need the cookie set by openReview.
	authReviewCookie
	// authImportLink operations need the token of an import link.
	authImportLink
	// authFrontendKey operations need a frontend API key.
	authFrontendKey
	// authWidgetSession operations need the token of a session that openWidget returned.
	authWidgetSession
	// authLinkSession operations need the token of a session that openImportLink returned.
	authLinkSession
)

// operation is a row in the table of operations.
type operation struct {
	method string
	// path is the path in the contract, with parameters in braces.
	path        string
	id          string
	summary     string
	description string
	auth        authMethod
	query       []parameter
	// requiredQuery lists the required query parameters.
	requiredQuery []string
	headers       []parameter
	// body is the schema of the JSON body, or nil if the operation reads none.
	body         *jsonschema.Schema
	optionalBody bool
	// cells means that the body may contain many cells, so maxCells and maxCellValues apply.
	cells bool
	// rows means that initial_data is stored separately from the body.
	rows bool
	// starts means that the call starts an import. If many calls wait, such calls are refused first.
	starts bool
	// upload means that the body is a file.
	upload bool
	// memory is the amount of memory that a call may need in addition to its body, in bytes.
	memory int64
	// limit selects the limiter that counts the calls.
	limit rateLimit
	// status and response describe a successful response. The status of a removed operation is 0.
	// created means that another response is 201, without a body.
	status   int
	created  bool
	response *jsonschema.Schema
	media    string
	errors   []int
	serve    func(*API, *call) (*response, error)
}

// isDocument reports whether the operation returns a description of the API.
func (op *operation) isDocument() bool { return strings.HasPrefix(op.path, "/openapi") }

// rateLimit selects the rate limiter of an operation.
type rateLimit uint8

const (
	unlimited rateLimit = iota
	perCreate
	perPoll
)

// parameter describes a query parameter or header.
type parameter struct {
	name   string
	text   string
	schema *jsonschema.Schema
}

// call is one request to an operation.
type call struct {
	w       http.ResponseWriter
	r       *http.Request
	op      *operation
	org     string
	licence model.Licence
	session model.Session
	// reviewed is the import under review, if the caller is a reviewer.
	reviewed model.Import
	// widget is the session of an embedded importer, if the caller has one.
	widget widget.Session
	// link is the import link, if the caller has a session of one.
	link model.ImportLink
	// upload is the grant in the signed URL of an upload, after authorizeUpload.
	upload auth.Grant
	body   *body
	// fixedID is the id for the entity that the call creates if the request has an
	// idempotency key, or "" otherwise.
	fixedID string
	// releaseFunc releases the memory that the call has acquired. It is nil if the call holds
	// no memory.
	releaseFunc func()
}

func (c *call) context() context.Context { return c.r.Context() }

// enter restricts the rest of the call to an organization.
func (c *call) enter(org string) {
	c.org, c.r = org, c.r.WithContext(model.InOrg(c.context(), org))
}

// pathID returns the id in the path. If it is invalid, the error has the status
// 404.
func (c *call) pathID(name string) (string, error) {
	id, ok := model.ParseID(c.r.PathValue(name))
	if !ok {
		return "", newError(http.StatusNotFound, "not_found", intray.NewMessage("request.unknown_id", nil))
	}
	return id, nil
}

// loadByID calls the function get with the organization and the id in the path, and returns
// the result.
func loadByID[T any](c *call, get func(ctx context.Context, org, id string) (T, error)) (thing T, err error) {
	id, err := c.pathID("id")
	if err != nil {
		return thing, err
	}
	return get(c.context(), c.org, id)
}

// deleteByID calls the function remove with the organization and the id in the path.
func (c *call) deleteByID(name string, remove func(ctx context.Context, org, id string) error) error {
	id, err := c.pathID(name)
	if err != nil {
		return err
	}
	return remove(c.context(), c.org, id)
}

// acquireMemory acquires n bytes of memory for the call. It first releases any memory that the
// call already holds.
func (c *call) acquireMemory(m *memoryLimiter, n int64) error {
	c.releaseMemory()
	giveBack, err := m.acquire(c.context(), n)
	if err == nil {
		c.releaseFunc = giveBack
	}
	return err
}

func (c *call) releaseMemory() {
	if c.releaseFunc != nil {
		c.releaseFunc()
		c.releaseFunc = nil
	}
}

// bodyObject returns the decoded body. The body's schema must be an object.
func (c *call) bodyObject() map[string]any {
	doc, _ := c.body.doc.(map[string]any)
	return doc
}

func stringField(doc map[string]any, name string) string {
	value, _ := doc[name].(string)
	return value
}

func intField(doc map[string]any, name string) int64 {
	number, _ := doc[name].(json.Number)
	n, err := number.Int64()
	if err != nil {
		f, _ := number.Float64()
		n = int64(f)
	}
	return n
}

// response is the response to a call.
type response struct {
	status int
	header http.Header
	// body is encoded as JSON. Nil means no body.
	body any
	// raw is written instead of body if it is not nil.
	raw []byte
	// stream, if not nil, writes the body. body and raw are then ignored.
	stream func(w io.Writer) error
}

// jsonResponse returns a response with a JSON body, or err if it is not nil.
func jsonResponse(status int, body any, err error) (*response, error) {
	if err != nil {
		return nil, err
	}
	return &response{status: status, body: body}, nil
}

// handler returns the handler of an operation.
func (a *API) handler(op *operation) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		c := &call{w: w, r: r, op: op}
		if !op.isDocument() { // a cache that does not know the key header could show data to others
			w.Header().Set("Cache-Control", "no-store")
		}
		if op.crossOrigin() {
			allowOrigins(w.Header())
		}
		done, err := a.perform(c)
		if err != nil {
			a.writeError(w, r, a.reportError(r, err))
			return
		}
		a.writeResponse(c, done)
	}
}

// perform runs a call. The returned response uses hardly any memory, however slowly
// the client reads it.
func (a *API) perform(c *call) (*response, error) {
	defer c.releaseMemory()
	if c.op.auth != authNone {
		if err := a.enter(c); err != nil {
			return nil, err
		}
		defer stateOf(c.context()).leave()
	}
	if err := a.authorize(c); err != nil {
		return nil, err
	}
	var done *response
	var err error
	if c.op.upload {
		done, err = c.op.serve(a, c)
	} else {
		done, err = a.performWhole(c)
	}
	if err != nil {
		return nil, err
	}
	return done, a.encodeResponse(c, done)
}

// enter waits until the call may begin.
func (a *API) enter(c *call) (err error) {
	state := stateOf(c.context())
	state.client = a.clientAddress(c.r)
	if state.slot, err = a.calls.enter(c.context(), state.client, c.op.starts); err != nil {
		a.identifySender(c)
	}
	return err
}

// identifySender checks the credential of a refused call whose body is too large to be read for an
// unknown caller. Otherwise, the client might not receive the response.
func (a *API) identifySender(c *call) {
	switch {
	case c.r.ContentLength >= 0 && c.r.ContentLength <= unknownDrain.bytes:
	case c.op.auth == authSignedURL: // the call is refused in any case
		_ = a.authorizeUpload(c)
	default:
		_ = a.authorize(c)
	}
}

// performWhole runs a call after it has read the whole body.
func (a *API) performWhole(c *call) (*response, error) {
	c.body = a.readBody(c.op, c.w, c.r)
	defer c.body.close()
	if err := c.acquireMemory(a.memory, c.body.weight()+c.op.memory); err != nil {
		return nil, err
	}
	c.body.decode()
	return a.idempotent(c, func() (*response, error) {
		if c.body.err != nil {
			return nil, c.body.err
		}
		if c.body.hasContent() {
			if issues := c.op.body.Validate(c.body.doc); len(issues) > 0 {
				return nil, model.ValidationError(issues)
			}
		}
		return c.op.serve(a, c)
	})
}

// encodeResponse encodes and compresses a response, and moves a large response to a file.
func (a *API) encodeResponse(c *call, done *response) error {
	if done.raw == nil && done.body != nil {
		encoded, err := encodeJSON(done.body)
		if err != nil {
			return err
		}
		done.raw = encoded
	}
	done.body = nil
	done.raw = c.compress(done.raw)
	if len(done.raw) <= keepInMemory {
		return nil
	}
	s := a.newSpool(0, nil)
	if _, err := s.Write(done.raw); err != nil {
		s.close()
		return err
	}
	done.raw, done.stream = nil, s.stream
	return nil
}

// reportError returns the response for an error. It logs internal errors as errors, unless they
// occurred because the client disconnected. A refusal by one of the limits of this package is no
// failure, so it is logged for information only.
func (a *API) reportError(r *http.Request, err error) *apiError {
	e := toAPIError(err)
	if e.status < http.StatusInternalServerError || e.unlogged {
		return e
	}
	level := slog.LevelError
	if refusal, ok := errors.AsType[*apiError](err); ok && refusal.code == "busy" {
		level = slog.LevelInfo
	}
	if r.Context().Err() != nil {
		level = slog.LevelDebug
		e = newError(http.StatusServiceUnavailable, "connection_closed", intray.NewMessage("request.connection_closed", nil))
	}
	a.cfg.Log.Log(r.Context(), level, "request failed", "request_id", RequestID(r.Context()), "method", r.Method, "route", r.Pattern, "error", err)
	return e
}

// writeError responds with an error immediately. It then drains the body, because some clients
// read the response only after they have sent everything. If the client is waiting for a 100
// Continue response, writeError sends none and does not read the body.
func (a *API) writeError(w http.ResponseWriter, r *http.Request, e *apiError) {
	limit := drainLimitOf(r)
	leave := limit == knownDrain && r.ContentLength > limit.bytes || r.Header.Get("Expect") != "" || e.status == http.StatusRequestTimeout
	if leave || r.ContentLength > limit.bytes {
		w.Header().Set("Connection", "close")
	}
	control := http.NewResponseController(w)
	_ = control.EnableFullDuplex() // not supported with HTTP/2, which does not need it
	text := e.encode(RequestID(r.Context()))
	e.setHeaders(w.Header())
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Content-Length", strconv.Itoa(len(text)))
	_ = control.SetWriteDeadline(time.Now().Add(idleLimit))
	w.WriteHeader(e.status)
	_, _ = w.Write(text)
	_ = control.Flush()
	_ = control.SetWriteDeadline(time.Time{})
	if !leave {
		drainBody(w, r)
	}
}

func (a *API) writeResponse(c *call, done *response) {
	header := c.w.Header()
	for name, values := range done.header {
		header[name] = values
	}
	drainBody(c.w, c.r) // the operation reads no body, or not what follows the end of a form
	if header.Get("Content-Type") == "" && (len(done.raw) > 0 || done.stream != nil) {
		header.Set("Content-Type", "application/json")
	}
	if done.stream == nil {
		c.w.WriteHeader(done.status)
		to := a.pacedWriter(c.w) // the client must receive each part in time
		for part := range slices.Chunk(done.raw, 32<<10) {
			if _, err := to.Write(part); err != nil {
				return
			}
		}
		return
	}
	c.w.WriteHeader(done.status)
	if c.r.Method == http.MethodHead {
		_ = done.stream(headWriter{}) // stops at the first byte and closes the files of the stream
		return
	}
	if err := done.stream(a.pacedWriter(c.w)); err != nil {
		a.cfg.Log.Warn("response interrupted", "request_id", RequestID(c.context()), "route", c.r.Pattern, "error", err)
		panic(http.ErrAbortHandler) // closes the connection, so that the client detects the incomplete response
	}
}

func encodeJSON(v any) ([]byte, error) {
	var text bytes.Buffer
	enc := json.NewEncoder(&text)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return nil, fmt.Errorf("encode response: %w", err)
	}
	return bytes.TrimRight(text.Bytes(), "\n"), nil
}

// formatTime formats a time in UTC with microseconds and Z.
func formatTime(t time.Time) string { return t.UTC().Format("2006-01-02T15:04:05.000000Z") }

func wireUser(u model.User) wire.User {
	return wire.User{ID: u.ID, Name: u.Name, Email: u.Email, CompanyID: u.CompanyID, CompanyName: u.CompanyName}
}
