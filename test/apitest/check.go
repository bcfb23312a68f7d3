package apitest

import (
	"fmt"
	"math"
	"net/http"
	"regexp"
	"strings"
	"sync"
	"testing"

	"github.com/intraydata/intray/test/livetest"
)

// CheckReply checks a response against the document and against the rules for all
// responses. It is safe for concurrent use.
func (s *Site) CheckReply(t testing.TB, request *http.Request, reply *livetest.Reply) {
	t.Helper()
	wrong := s.Breaches(request.Method, request.URL.Path, reply)
	for _, w := range wrong {
		t.Errorf("%s %s: status %d: %s\n%.600s", request.Method, request.URL, reply.Status, w, reply.Body)
	}
}

// Breaches returns a description of each rule that a response violates.
func (s *Site) Breaches(method, path string, reply *livetest.Reply) (wrong []string) {
	if reply.Status < http.StatusOK {
		return nil // The final response follows and is checked instead.
	}
	operation, documented := s.Document.FindOperation(method, path)
	for _, breach := range []string{
		checkRequestID(reply), checkStatus(reply), s.Secrets.foundIn(reply), checkErrorBody(method, reply), checkTimes(method, reply),
		checkCORS(method, operation, documented, reply),
	} {
		if breach != "" {
			wrong = append(wrong, breach)
		}
	}
	switch {
	case method == http.MethodHead, method == http.MethodOptions:
	case documented:
		if breach := s.Document.checkConformance(operation, reply.Status, reply.Header.Get("Content-Type"), reply.Body); breach != "" {
			wrong = append(wrong, breach)
		}
	case isPage(path):
	case reply.Status != http.StatusNotFound && reply.Status != http.StatusMethodNotAllowed:
		wrong = append(wrong, "the document does not have this operation")
	}
	return wrong
}

// isPage reports whether a path belongs to the review page. The document lists only API
// operations.
func isPage(path string) bool {
	return strings.HasPrefix(path, "/review/") || strings.HasPrefix(path, "/assets/")
}

var uuidPattern = regexp.MustCompile(`^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$`)

// IsUUID reports whether text is a UUID in canonical form.
func IsUUID(text string) bool { return uuidPattern.MatchString(text) }

func checkRequestID(reply *livetest.Reply) string {
	if id := reply.Header.Get("X-Request-Id"); !IsUUID(id) {
		return fmt.Sprintf("X-Request-Id is %q", id)
	}
	return ""
}

// checkStatus returns an error message for statuses that the API never returns, or "".
func checkStatus(reply *livetest.Reply) string {
	status := reply.Status
	switch {
	case status == http.StatusUnprocessableEntity:
		return "the API never returns 422"
	case status >= 300 && status < 400:
		return "the API never redirects"
	case status >= 500 && status != http.StatusServiceUnavailable:
		return "a request must not cause a server error"
	case (status == http.StatusServiceUnavailable || status == http.StatusTooManyRequests) && reply.Header.Get("Retry-After") == "":
		return "Retry-After is missing"
	}
	return ""
}

// checkCORS checks that operations that require a backend key send no CORS headers, and
// that signed URLs and widget calls allow every origin to read the response.
func checkCORS(method string, o Operation, documented bool, reply *livetest.Reply) string {
	h := reply.Header
	if h.Get("Access-Control-Allow-Credentials") != "" {
		return "the response allows credentials to other origins"
	}
	switch {
	case !documented:
	case o.SecurityScheme() == "backendKey":
		for name := range h {
			if strings.HasPrefix(name, "Access-Control-") {
				return "an operation under a backend key sends " + name
			}
		}
	case o.HasSignedPath() || o.SecurityScheme() == "hydrationToken":
		if h.Get("Access-Control-Allow-Origin") != "*" || !strings.Contains(h.Get("Access-Control-Expose-Headers"), "ETag") {
			return fmt.Sprintf("other origins may not read the response to %s: %v", method, h)
		}
	}
	return ""
}

// Secrets is a list of strings that must not occur in any response. It is safe for
// concurrent use.
type Secrets struct {
	mu   sync.Mutex
	list []string
}

// Add adds secrets to the list.
func (s *Secrets) Add(list ...string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.list = append(s.list, list...)
}

func (s *Secrets) foundIn(reply *livetest.Reply) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	text := reply.Text() + fmt.Sprint(reply.Header)
	for _, secret := range s.list {
		if strings.Contains(text, secret) {
			return "the response contains a secret"
		}
	}
	return ""
}

var (
	messageCode = regexp.MustCompile(`^[a-z0-9_]+\.[a-z0-9_]+$`)
	snakeCase   = regexp.MustCompile(`^[a-z]+(_[a-z0-9]+)*$`)
	timePattern = regexp.MustCompile(`^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$`)
	timeFields  = map[string]bool{"created_date": true, "modified_date": true, "savedAt": true}
)

// IsTime reports whether text is a time in the format of the API: ISO 8601 in UTC with
// microseconds and Z.
func IsTime(text string) bool { return timePattern.MatchString(text) }

// checkErrorBody describes how an error response differs from the documented error object,
// or returns "".
func checkErrorBody(method string, reply *livetest.Reply) string {
	if reply.Status < 400 || method == http.MethodHead {
		return ""
	}
	if got := reply.Header.Get("Content-Type"); got != "application/json" {
		return fmt.Sprintf("an error has the Content-Type %q", got)
	}
	value, err := Decode(reply.Body)
	body, isObject := value.(map[string]any)
	if err != nil || !isObject {
		return "the error is not a JSON object"
	}
	detail, _ := body["detail"].(string)
	code, _ := body["code"].(string)
	id, _ := body["request_id"].(string)
	replayed := reply.Header.Get("Idempotent-Replay") == "true"
	switch {
	case !isSentence(detail):
		return fmt.Sprintf("detail is not a sentence: %q", detail)
	case !snakeCase.MatchString(code):
		return fmt.Sprintf("code is not in snake_case: %q", code)
	case id != reply.Header.Get("X-Request-Id") && !replayed:
		return fmt.Sprintf("request_id is %q and X-Request-Id %q", id, reply.Header.Get("X-Request-Id"))
	}
	return checkFieldMessages(body)
}

// sentenceStart matches the beginning of a sentence: a capital letter or the name of a property.
var sentenceStart = regexp.MustCompile(`^([^a-z]|[a-z]+(_[a-z]+)+ )`)

func isSentence(text string) bool {
	return len(text) > 5 && sentenceStart.MatchString(text) && !strings.Contains(text, "\n") && !strings.Contains(text, "</")
}

// checkFieldMessages checks that each field name has an array of strings. In an error with the
// code discards_changes, "changes" must be a positive integer instead.
func checkFieldMessages(body map[string]any) string {
	if wrong := checkMessageCodes(body); wrong != "" {
		return wrong
	}
	for name, value := range body {
		switch name {
		case "detail", "code", "request_id", "message_code", "params", "field_messages":
			continue
		}
		if name == "changes" && body["code"] == "discards_changes" {
			if n, is := value.(float64); !is || n < 1 || n != math.Trunc(n) {
				return "changes is not a positive integer"
			}
			continue
		}
		messages, isList := value.([]any)
		if !isList || len(messages) == 0 {
			return fmt.Sprintf("%s has no array of messages", name)
		}
		for _, message := range messages {
			if text, isText := message.(string); !isText || text == "" {
				return fmt.Sprintf("%s has a message that is not a non-empty text", name)
			}
		}
	}
	return ""
}

// checkMessageCodes checks that detail has both a code and parameters or neither, and that every
// field message has a code or is literal text.
func checkMessageCodes(body map[string]any) string {
	code, coded := body["message_code"].(string)
	_, params := body["params"].(map[string]any)
	if coded != params || coded && !messageCode.MatchString(code) {
		return fmt.Sprintf("message_code is %q and params %v", body["message_code"], body["params"])
	}
	fields, _ := body["field_messages"].(map[string]any)
	for name, value := range fields {
		list, _ := value.([]any)
		if texts, are := body[name].([]any); are && len(texts) != len(list) || len(list) == 0 {
			return fmt.Sprintf("field_messages has %d messages about %s", len(list), name)
		}
		for _, one := range list {
			message, _ := one.(map[string]any)
			code, _ := message["code"].(string)
			if _, literal := message["text"].(string); !literal && !messageCode.MatchString(code) {
				return fmt.Sprintf("field_messages has %v about %s", one, name)
			}
		}
	}
	return ""
}

// checkTimes describes a timestamp that IsTime rejects in a JSON response, or returns "".
func checkTimes(method string, reply *livetest.Reply) string {
	if reply.Header.Get("Content-Type") != "application/json" || method == http.MethodHead {
		return ""
	}
	value, err := Decode(reply.Body)
	if err != nil {
		return fmt.Sprintf("the body is not JSON: %v", err)
	}
	return badTime("", value)
}

func badTime(name string, value any) string {
	switch v := value.(type) {
	case string:
		if timeFields[name] && !IsTime(v) {
			return fmt.Sprintf("%s is not UTC in ISO 8601 with microseconds: %q", name, v)
		}
	case []any:
		for _, element := range v {
			if wrong := badTime("", element); wrong != "" {
				return wrong
			}
		}
	case map[string]any:
		for name, inner := range v {
			if wrong := badTime(name, inner); wrong != "" {
				return wrong
			}
		}
	}
	return ""
}
