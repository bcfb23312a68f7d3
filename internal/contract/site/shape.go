package site

import (
	"fmt"
	"math"
	"net/http"
	"regexp"
	"strings"

	"github.com/intraydata/intray/internal/livetest"
)

var (
	snakeCase  = regexp.MustCompile(`^[a-z]+(_[a-z0-9]+)*$`)
	timeForm   = regexp.MustCompile(`^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$`)
	timeFields = map[string]bool{"created_date": true, "modified_date": true, "savedAt": true}
)

// IsTime says whether a text is a time of the one form: UTC, ISO 8601,
// microseconds and Z.
func IsTime(text string) bool { return timeForm.MatchString(text) }

// errorBody says why an error does not have the one shape of errors, or "".
func errorBody(method string, reply *livetest.Reply) string {
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

// fieldMessages wants an array of texts under each name but the three, and the number
// of changes where some would be lost.
func fieldMessages(body map[string]any) string {
	for name, value := range body {
		if name == "detail" || name == "code" || name == "request_id" {
			continue
		}
		if name == "changes" && body["code"] == "would_discard" {
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

// timesIn says which timestamp of an answer has another form than UTC, ISO
// 8601, microseconds and Z, or "".
func timesIn(method string, reply *livetest.Reply) string {
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
