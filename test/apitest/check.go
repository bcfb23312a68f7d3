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

// CheckReply holds an answer against the document and against the rules that all
// answers keep. It may be called from any goroutine.
func (s *Site) CheckReply(t testing.TB, request *http.Request, reply *livetest.Reply) {
	t.Helper()
	wrong := s.Breaches(request.Method, request.URL.Path, reply)
	for _, w := range wrong {
		t.Errorf("%s %s: status %d: %s\n%.600s", request.Method, request.URL, reply.Status, w, reply.Body)
	}
}

// Breaches says what is wrong with an answer by these rules.
func (s *Site) Breaches(method, path string, reply *livetest.Reply) (wrong []string) {
	if reply.Status < http.StatusOK {
		return nil // Another answer follows, which has all that this one lacks.
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

// isPage says whether a path is for a person with a browser. The document is
// about operations.
func isPage(path string) bool {
	return strings.HasPrefix(path, "/review/") || strings.HasPrefix(path, "/assets/")
}

var uuidForm = regexp.MustCompile(`^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$`)

// IsUUID says whether a text is a UUID in its one canonical form.
func IsUUID(text string) bool { return uuidForm.MatchString(text) }

func checkRequestID(reply *livetest.Reply) string {
	if id := reply.Header.Get("X-Request-Id"); !IsUUID(id) {
		return fmt.Sprintf("X-Request-Id is %q", id)
	}
	return ""
}

// checkStatus refuses statuses that no answer has.
func checkStatus(reply *livetest.Reply) string {
	status := reply.Status
	switch {
	case status == http.StatusUnprocessableEntity:
		return "422 is never an answer"
	case status >= 300 && status < 400:
		return "there are no redirects"
	case status >= 500 && status != http.StatusServiceUnavailable:
		return "a fault of ours is never an answer to what a client sends"
	case (status == http.StatusServiceUnavailable || status == http.StatusTooManyRequests) && reply.Header.Get("Retry-After") == "":
		return "it does not say when to try again"
	}
	return ""
}

// checkCORS wants no CORS header on operations under a key, and each answer
// of signed addresses and of widget calls open to pages of any origin.
func checkCORS(method string, o Operation, documented bool, reply *livetest.Reply) string {
	h := reply.Header
	if h.Get("Access-Control-Allow-Credentials") != "" {
		return "no answer allows credentials to other origins"
	}
	switch {
	case !documented:
	case o.SecurityScheme() == "backendKey":
		for name := range h {
			if strings.HasPrefix(name, "Access-Control-") {
				return "an operation under a key sends " + name
			}
		}
	case o.HasSignedPath() || o.SecurityScheme() == "hydrationToken":
		if h.Get("Access-Control-Allow-Origin") != "*" || !strings.Contains(h.Get("Access-Control-Expose-Headers"), "ETag") {
			return fmt.Sprintf("pages may not read the answer to their %s: %v", method, h)
		}
	}
	return ""
}

// Secrets are texts that no answer may hold.
type Secrets struct {
	mu   sync.Mutex
	list []string
}

// Add takes further texts.
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
			return "the answer tells a secret"
		}
	}
	return ""
}

var (
	messageCode = regexp.MustCompile(`^[a-z0-9_]+\.[a-z0-9_]+$`)
	snakeCase   = regexp.MustCompile(`^[a-z]+(_[a-z0-9]+)*$`)
	timeForm    = regexp.MustCompile(`^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$`)
	timeFields  = map[string]bool{"created_date": true, "modified_date": true, "savedAt": true}
)

// IsTime says whether a text is a time of the one form: UTC, ISO 8601,
// microseconds and Z.
func IsTime(text string) bool { return timeForm.MatchString(text) }

// checkErrorBody says why an error does not have the one shape of errors, or "".
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
		return "an error is no JSON object"
	}
	detail, _ := body["detail"].(string)
	code, _ := body["code"].(string)
	id, _ := body["request_id"].(string)
	replayed := reply.Header.Get("Idempotent-Replay") == "true"
	switch {
	case !isSentence(detail):
		return fmt.Sprintf("detail is no sentence: %q", detail)
	case !snakeCase.MatchString(code):
		return fmt.Sprintf("code is not in snake_case: %q", code)
	case id != reply.Header.Get("X-Request-Id") && !replayed:
		return fmt.Sprintf("request_id is %q and X-Request-Id %q", id, reply.Header.Get("X-Request-Id"))
	}
	return fieldMessages(body)
}

// startsWell wants a capital letter, or the name of a property.
var startsWell = regexp.MustCompile(`^([^a-z]|[a-z]+(_[a-z]+)+ )`)

func isSentence(text string) bool {
	return len(text) > 5 && startsWell.MatchString(text) && !strings.Contains(text, "\n") && !strings.Contains(text, "</")
}

// fieldMessages wants an array of texts under each name of a field, and the number of
// changes where some would be lost.
func fieldMessages(body map[string]any) string {
	if wrong := codes(body); wrong != "" {
		return wrong
	}
	for name, value := range body {
		switch name {
		case "detail", "code", "request_id", "message_code", "params", "field_messages":
			continue
		}
		if name == "changes" && body["code"] == "discards_changes" {
			if n, is := value.(float64); !is || n < 1 || n != math.Trunc(n) {
				return "changes is no number of changes"
			}
			continue
		}
		messages, isList := value.([]any)
		if !isList || len(messages) == 0 {
			return fmt.Sprintf("%s has no array of messages", name)
		}
		for _, message := range messages {
			if text, isText := message.(string); !isText || text == "" {
				return fmt.Sprintf("%s has a message that is no text", name)
			}
		}
	}
	return ""
}

// codes wants a code and parameters for the sentence, and for each one about a field.
func codes(body map[string]any) string {
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

// checkTimes says which timestamp of an answer has another form than UTC, ISO
// 8601, microseconds and Z, or "".
func checkTimes(method string, reply *livetest.Reply) string {
	if reply.Header.Get("Content-Type") != "application/json" || method == http.MethodHead {
		return ""
	}
	value, err := Decode(reply.Body)
	if err != nil {
		return fmt.Sprintf("the body is no JSON: %v", err)
	}
	return badTime("", value)
}

func badTime(name string, value any) string {
	switch v := value.(type) {
	case string:
		if timeFields[name] && !IsTime(v) {
			return fmt.Sprintf("%s is no time of the one form: %q", name, v)
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
