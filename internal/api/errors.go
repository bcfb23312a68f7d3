package api

import (
	"encoding/json"
	"errors"
	"maps"
	"math"
	"net/http"
	"strconv"
	"syscall"
	"time"

	"github.com/intraydata/intray/internal/service"
)

// statuses is the one table from a kind of refusal to an HTTP status.
var statuses = map[service.Kind]int{
	service.NotFound:    http.StatusNotFound,
	service.Invalid:     http.StatusBadRequest,
	service.Conflict:    http.StatusConflict,
	service.Denied:      http.StatusForbidden,
	service.TooLarge:    http.StatusRequestEntityTooLarge,
	service.Unavailable: http.StatusServiceUnavailable,
}

// refusal is an answer that is an error.
type refusal struct {
	status     int
	code       string
	text       string
	fields     map[string][]string
	retryAfter time.Duration
	allow      string
	// more is told beside the rest.
	more map[string]any
}

func (r *refusal) Error() string { return r.text }

func refuse(status int, code, text string) *refusal {
	return &refusal{status: status, code: code, text: text}
}

// invalidField refuses one parameter or field.
func invalidField(field, text string) *refusal {
	r := refuse(http.StatusBadRequest, "invalid", "The request is not valid: "+field+": "+text+".")
	r.fields = map[string][]string{field: {text}}
	return r
}

// refusalOf turns any error into what the caller is told. Faults of ours are
// told as such and no more.
func refusalOf(err error) *refusal {
	var mine *refusal
	if errors.As(err, &mine) {
		return mine
	}
	var e *service.Error
	if errors.As(err, &e) {
		r := &refusal{status: statuses[e.Kind], code: e.Code, text: e.Text, fields: e.Fields, retryAfter: e.RetryAfter}
		if e.Changes > 0 {
			r.more = map[string]any{"changes": e.Changes}
		}
		return r
	}
	if e := shortage(err); e != nil {
		return e
	}
	return refuse(http.StatusInternalServerError, "internal", "Something failed on our side. Try again; if it happens again, give the request_id to the operator.")
}

// shortage gives the refusal for what this machine has too little of just now;
// nil for other faults.
func shortage(err error) *refusal {
	switch {
	case errors.Is(err, syscall.ENOSPC), errors.Is(err, syscall.EDQUOT):
		e := refuse(http.StatusServiceUnavailable, "storage_full", "There is no room on the disk of the service just now. Try again later.")
		e.retryAfter = time.Minute
		return e
	case errors.Is(err, syscall.EMFILE), errors.Is(err, syscall.ENFILE):
		return refuse(http.StatusServiceUnavailable, "busy", "The service has too many files and connections open just now. Send the request again in some seconds.")
	case errors.As(err, new(*spoolError)):
		return refuse(http.StatusServiceUnavailable, "spool_unavailable", "The service cannot use its temporary folder just now. Try again; if it happens again, give the request_id to the operator.")
	}
	return nil
}

// encode gives the error body: detail, code and request_id, and beside them
// the fields. A field with one of those names keeps its messages in detail.
func (r *refusal) encode(requestID string) []byte {
	body := map[string]any{}
	for field, messages := range r.fields {
		body[field] = messages
	}
	maps.Copy(body, r.more)
	body["detail"], body["code"], body["request_id"] = r.text, r.code, requestID
	text, err := json.Marshal(body)
	if err != nil {
		return []byte(`{"detail":"The error could not be written.","code":"internal","request_id":""}`)
	}
	return text
}

// header sets what goes with the status.
func (r *refusal) header(h http.Header) {
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
