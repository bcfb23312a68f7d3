package httpapi

import (
	"context"
	"encoding/json"
	"errors"
	"maps"
	"math"
	"net"
	"net/http"
	"slices"
	"strconv"
	"syscall"
	"time"

	"github.com/intraydata/intray"
	"github.com/intraydata/intray/internal/filesys"
	"github.com/intraydata/intray/server/model"
)

// statusByKind maps the kinds of errors to HTTP statuses.
var statusByKind = map[model.Kind]int{
	model.NotFound:    http.StatusNotFound,
	model.Invalid:     http.StatusBadRequest,
	model.Conflict:    http.StatusConflict,
	model.Denied:      http.StatusForbidden,
	model.TooLarge:    http.StatusRequestEntityTooLarge,
	model.Unavailable: http.StatusServiceUnavailable,
	model.Damaged:     http.StatusInternalServerError,
	model.OverQuota:   http.StatusForbidden,
	model.TooMany:     http.StatusTooManyRequests,
	model.Locked:      http.StatusLocked,
}

// apiError is an error with its HTTP response.
type apiError struct {
	status     int
	code       string
	message    intray.Message
	fields     map[string][]intray.Message
	retryAfter time.Duration
	allow      string
	// extra contains additional properties of the body.
	extra map[string]any
	// unlogged means that the error is not logged for each request.
	unlogged bool
}

func (r *apiError) Error() string { return r.message.String() }

func newError(status int, code string, message intray.Message) *apiError {
	return &apiError{status: status, code: code, message: message}
}

// invalidField returns the error for an invalid parameter or field. The problem is a sentence
// without its subject and without a period.
func invalidField(field string, problem intray.Message) *apiError {
	r := newError(http.StatusBadRequest, "invalid", intray.NewMessage("request.invalid_field", intray.Params{"field": field, "problem": problem}))
	r.fields = map[string][]intray.Message{field: {problem}}
	return r
}

// toAPIError returns the response for an error. The response for an internal error
// contains no details.
func toAPIError(err error) *apiError {
	var mine *apiError
	if errors.As(err, &mine) {
		return mine
	}
	var e *model.Error
	if errors.As(err, &e) {
		r := &apiError{status: statusByKind[e.Kind], code: e.Code, message: e.Message, fields: e.Fields, retryAfter: e.RetryAfter}
		if e.Changes > 0 {
			r.extra = map[string]any{"changes": e.Changes}
		}
		return r
	}
	if e := resourceError(err); e != nil {
		return e
	}
	return newError(http.StatusInternalServerError, "internal", intray.NewMessage("service.internal_error", nil))
}

// resourceError returns a 503 response if the error means a temporary lack of
// resources, and nil otherwise.
func resourceError(err error) *apiError {
	switch {
	case model.IsDiskFull(err):
		e := newError(http.StatusServiceUnavailable, "storage_full", intray.NewMessage("storage.full", nil))
		e.retryAfter = time.Minute
		return e
	case filesys.IsTooManyOpenFiles(err):
		return newError(http.StatusServiceUnavailable, "busy", intray.NewMessage("service.too_many_open_files", nil))
	case errors.As(err, new(*spoolError)):
		return newError(http.StatusServiceUnavailable, "spool_unavailable", intray.NewMessage("service.temporary_folder_unavailable", nil))
	case model.IsBlobStoreUnavailable(err):
		e := newError(http.StatusServiceUnavailable, "blobs_unavailable", intray.NewMessage("service.file_storage_unreachable", nil))
		e.retryAfter = 5 * time.Second
		return e
	case isDiskRefusal(err):
		e := newError(http.StatusServiceUnavailable, "blobs_unavailable", intray.NewMessage("storage.unavailable", nil))
		e.retryAfter = 30 * time.Second
		return e
	case errors.Is(err, context.DeadlineExceeded):
		return newError(http.StatusServiceUnavailable, "busy", intray.NewMessage("service.overloaded", nil))
	}
	return nil
}

// isDiskRefusal reports whether err means that a disk is read-only, broken or not accessible.
// A connection can be refused with the same error codes.
func isDiskRefusal(err error) bool {
	if errors.As(err, new(*net.OpError)) {
		return false
	}
	return slices.ContainsFunc([]error{syscall.EPERM, syscall.EACCES, syscall.EROFS, syscall.EIO, syscall.ESTALE}, func(code error) bool { return errors.Is(err, code) })
}

// reservedNames are the names of the properties that every error body may have.
var reservedNames = []string{"detail", "code", "request_id", "message_code", "params", "field_messages"}

// encode returns the body: detail, code and request_id, the code and parameters of
// the message, and the errors of single fields. The error of a field with a
// reserved name is only in field_messages.
func (r *apiError) encode(requestID string) []byte {
	body := map[string]any{}
	for field, messages := range r.fields {
		if !slices.Contains(reservedNames, field) {
			body[field] = intray.RenderAll(messages)
		}
	}
	if maps.Copy(body, r.extra); len(r.fields) > 0 {
		body["field_messages"] = r.fields
	}
	if r.message.Code != "" {
		body["message_code"], body["params"] = r.message.Code, r.message.RawParams()
	}
	body["detail"], body["code"], body["request_id"] = r.message.String(), r.code, requestID
	encoded, err := json.Marshal(body)
	if err != nil {
		return []byte(`{"detail":"The error could not be written.","code":"internal","request_id":""}`)
	}
	return encoded
}

// setHeaders sets the headers that the status requires.
func (r *apiError) setHeaders(h http.Header) {
	if r.allow != "" {
		h.Set("Allow", r.allow)
	}
	after := r.retryAfter
	if after == 0 && r.status == http.StatusServiceUnavailable {
		after = 2 * time.Second
	}
	if after > 0 {
		h.Set("Retry-After", strconv.Itoa(int(math.Ceil(after.Seconds()))))
	}
}
