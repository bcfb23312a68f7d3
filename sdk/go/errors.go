package intray

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"time"

	"github.com/intraydata/intray/sdk/go/api"
)

// APIError is an error that the server returned.
type APIError struct {
	// Code identifies the error for programs, such as "not_found". It is "http_error" if the response
	// is not an error of Intray, for example because a proxy sent it.
	Code string
	// Status is the HTTP status.
	Status int
	// Body is the error as the server sent it. It is empty if Code is "http_error".
	Body api.Error

	// retryAfter is the time that the server asks to wait, or a negative value if it does not ask.
	retryAfter time.Duration
}

// Error returns the problem and what to do about it, in English.
func (e *APIError) Error() string {
	if e.Body.Detail == "" {
		return fmt.Sprintf("intray: the server returned status %d", e.Status)
	}
	return fmt.Sprintf("intray: %s (%s, request %s)", e.Body.Detail, e.Code, e.Body.RequestID)
}

// maxErrorBytes limits the memory for the body of an error.
const maxErrorBytes = 1 << 20

// readError reads an error and closes its body.
func readError(response *http.Response) *APIError {
	defer response.Body.Close()
	e := &APIError{Status: response.StatusCode, retryAfter: -1}
	if seconds, err := strconv.Atoi(response.Header.Get("Retry-After")); err == nil {
		e.retryAfter = time.Duration(seconds) * time.Second
	}
	text, err := io.ReadAll(io.LimitReader(response.Body, maxErrorBytes))
	if err != nil || json.Unmarshal(text, &e.Body) != nil || e.Body.Code == "" {
		e.Body = api.Error{Code: "http_error"}
	}
	e.Code = e.Body.Code
	return e
}

// notJSON reports a success that is not from Intray.
func notJSON(response *http.Response) *APIError {
	return &APIError{Code: "http_error", Status: response.StatusCode, retryAfter: -1}
}

// ImportError reports an import that has no result: it failed, or a person must review it.
type ImportError struct {
	// Code is "NEEDS_REVIEW" if a person must review the import at Import.ReviewURL. Otherwise, it is
	// the type of the error with which the import failed, such as "UNREADABLE_FILE".
	Code   string
	Import *api.Import
}

// Error returns the first error of the import, in English.
func (e *ImportError) Error() string {
	text := "intray: import " + e.Import.ID
	if e.Import.Status == api.ImportStatusNEEDSREVIEW {
		text += " needs a review"
	} else {
		text += " failed"
	}
	if notice := firstError(e.Import); notice != nil {
		text += ": " + notice.Message
	}
	return text
}

// newImportError describes why an import has no result.
func newImportError(imp *api.Import) *ImportError {
	code := string(imp.Status)
	if notice := firstError(imp); notice != nil && imp.Status == api.ImportStatusFAILED {
		code = string(notice.Type)
	}
	return &ImportError{Code: code, Import: imp}
}

func firstError(imp *api.Import) *api.Notice {
	for i := range imp.ImportErrors {
		if imp.ImportErrors[i].Level == api.LevelError {
			return &imp.ImportErrors[i]
		}
	}
	return nil
}
