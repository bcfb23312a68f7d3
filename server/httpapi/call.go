package httpapi

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"strconv"
	"time"

	"github.com/intraydata/intray"
	"github.com/intraydata/intray/internal/jsonschema"
	"github.com/intraydata/intray/internal/wire"
	"github.com/intraydata/intray/server/model"
)

// authMethod says who may call an operation.
type authMethod uint8

const (
	// authNone operations need nothing.
	authNone authMethod = iota
	// authBackendKey operations need a backend licence key.
	authBackendKey
	// authHydrationToken operations need a hydration token.
	authHydrationToken
	// authSignedURL operations carry their right in the address.
	authSignedURL
	// authReviewLink operations need a review token.
	authReviewLink
	// authReviewCookie operations need the cookie that a review token was exchanged for.
	authReviewCookie
)

// operation is one row of the table of routes.
type operation struct {
	method string
	// path is as the contract spells it, with parameters in braces.
	path        string
	id          string
	summary     string
	description string
	auth        authMethod
	query       []parameter
	// requiredQuery names the query parameters that must be there.
	requiredQuery []string
	headers       []parameter
	// body is the shape of the JSON body; nil where none is read.
	body         *jsonschema.Schema
	optionalBody bool
	// cells says that the body may hold many cells.
	cells bool
	// rows says that initial_data is kept apart from the body.
	rows bool
	// upload says that the body is a file.
	upload bool
	// memory is how much a call may have in memory beside its body.
	memory int64
	// limit names the limiter that counts the calls.
	limit rateLimit
	// status and answer describe success; a status of 0 means that there is
	// none any more.
	status   int
	response *jsonschema.Schema
	media    string
	errors   []int
	serve    func(*API, *call) (*response, error)
}

// rateLimit names a limiter.
type rateLimit uint8

const (
	unlimited rateLimit = iota
	perCreate
	perPoll
)

// parameter describes one query parameter or header.
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
	// reviewed is the import that a person reviews.
	reviewed model.Import
	body     *body
	// fixedID is the id for what the call makes, where it carries an
	// idempotency key; else "".
	fixedID string
	// releaseFunc gives back the call's share of memory.
	releaseFunc func()
}

func (c *call) context() context.Context { return c.r.Context() }

// pathID gives the id in the path. One that is no id names nothing.
func (c *call) pathID(name string) (string, error) {
	id, ok := model.ParseID(c.r.PathValue(name))
	if !ok {
		return "", newError(http.StatusNotFound, "not_found", intray.NewMessage("request.unknown_id", nil))
	}
	return id, nil
}

// loadByID gives the thing whose id is in the path.
func loadByID[T any](c *call, get func(ctx context.Context, org, id string) (T, error)) (thing T, err error) {
	id, err := c.pathID("id")
	if err != nil {
		return thing, err
	}
	return get(c.context(), c.org, id)
}

// deleteByID removes the thing whose id is in the path.
func (c *call) deleteByID(name string, remove func(ctx context.Context, org, id string) error) error {
	id, err := c.pathID(name)
	if err != nil {
		return err
	}
	return remove(c.context(), c.org, id)
}

// acquireMemory takes the call's share of memory, in place of an earlier one.
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

// bodyObject gives the body as the object that its shape says it is.
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

// response is what a call gives back.
type response struct {
	status int
	header http.Header
	// body is encoded as JSON; nil means none.
	body any
	// raw is written as it is, in place of body.
	raw []byte
	// stream writes the body itself, in place of both.
	stream func(w io.Writer) error
}

// jsonResponse returns a response with a body, or err if it is not nil.
func jsonResponse(status int, body any, err error) (*response, error) {
	if err != nil {
		return nil, err
	}
	return &response{status: status, body: body}, nil
}

// uncachedResponse returns a response that no cache may store, or err if it is not nil.
func uncachedResponse(body any, err error) (*response, error) {
	if err != nil {
		return nil, err
	}
	return &response{status: http.StatusOK, body: body, header: http.Header{"Cache-Control": {"no-store"}}}, nil
}

// handler serves an operation: who calls, what is asked, what is answered.
func (a *API) handler(op *operation) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		c := &call{w: w, r: r, op: op}
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

// perform carries a call out. The answer that it gives has next to nothing in
// memory, however slowly it is read.
func (a *API) perform(c *call) (*response, error) {
	defer c.releaseMemory()
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

// performWhole carries out a call whose body is read as a whole.
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

// encodeResponse encodes an answer, makes it short where it can be, and moves a large one to a
// file.
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

// reportError gives what the caller is told of an error. Faults of ours go to the log,
// once, here at the edge; what only went wrong because the caller was gone is
// no fault.
func (a *API) reportError(r *http.Request, err error) *apiError {
	e := toAPIError(err)
	if e.status < http.StatusInternalServerError {
		return e
	}
	level := slog.LevelError
	if r.Context().Err() != nil {
		level = slog.LevelDebug
		e = newError(http.StatusServiceUnavailable, "connection_closed", intray.NewMessage("request.connection_closed", nil))
	}
	a.cfg.Log.Log(r.Context(), level, "a request failed", "request_id", requestID(r.Context()), "method", r.Method, "route", r.Pattern, "error", err)
	return e
}

// writeError answers with an error, at once. What is left of the body is read after
// that, up to 32 MiB, since a sender may read nothing before he has sent all;
// one that waits to be asked for it is not asked.
func (a *API) writeError(w http.ResponseWriter, r *http.Request, e *apiError) {
	leave := r.ContentLength > maxDrain || r.Header.Get("Expect") != "" || e.status == http.StatusRequestTimeout
	if leave {
		w.Header().Set("Connection", "close")
	}
	control := http.NewResponseController(w)
	_ = control.EnableFullDuplex() // HTTP/2 is so by itself
	text := e.encode(requestID(r.Context()))
	e.setHeaders(w.Header())
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Content-Length", strconv.Itoa(len(text)))
	_ = control.SetWriteDeadline(time.Now().Add(idleLimit))
	w.WriteHeader(e.status)
	_, _ = w.Write(text)
	_ = control.Flush()
	_ = control.SetWriteDeadline(time.Time{})
	if !leave {
		drainBody(a.pacedReader(w, r))
	}
}

func (a *API) writeResponse(c *call, done *response) {
	header := c.w.Header()
	for name, values := range done.header {
		header[name] = values
	}
	if c.op.body == nil && !c.op.upload {
		drainBody(a.pacedReader(c.w, c.r)) // a body that nobody asked for
	}
	if header.Get("Content-Type") == "" && (len(done.raw) > 0 || done.stream != nil) {
		header.Set("Content-Type", "application/json")
	}
	if done.stream == nil {
		c.w.WriteHeader(done.status)
		_, _ = io.Copy(a.pacedWriter(c.w), onlyReader{bytes.NewReader(done.raw)})
		return
	}
	c.w.WriteHeader(done.status)
	if c.r.Method == http.MethodHead {
		_ = done.stream(headWriter{}) // it ends at its first byte, and closes what it holds
		return
	}
	if err := done.stream(a.pacedWriter(c.w)); err != nil {
		a.cfg.Log.Warn("an answer broke off", "request_id", requestID(c.context()), "route", c.r.Pattern, "error", err)
		panic(http.ErrAbortHandler) // so that the client does not take the part for the whole
	}
}

func encodeJSON(v any) ([]byte, error) {
	var text bytes.Buffer
	enc := json.NewEncoder(&text)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return nil, fmt.Errorf("encode an answer: %w", err)
	}
	return bytes.TrimRight(text.Bytes(), "\n"), nil
}

// formatTime is a time as the wire has it: UTC, microseconds, Z.
func formatTime(t time.Time) string { return t.UTC().Format("2006-01-02T15:04:05.000000Z") }

func wireUser(u model.User) wire.User {
	return wire.User{ID: u.ID, Name: u.Name, Email: u.Email, CompanyID: u.CompanyID, CompanyName: u.CompanyName}
}
