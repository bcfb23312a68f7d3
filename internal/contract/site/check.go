package site

import (
	"fmt"
	"net/http"
	"regexp"
	"strings"
	"sync"
	"testing"

	"github.com/intraydata/intray/internal/livetest"
)

// Check holds an answer against the document and against the rules that all
// answers keep. It may be called from any goroutine.
func (s *Site) Check(t testing.TB, request *http.Request, reply *livetest.Reply) {
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
	operation, documented := s.Document.Find(method, path)
	for _, breach := range []string{
		numbered(reply), unexpected(reply), s.Secrets.within(reply), errorBody(method, reply), timesIn(method, reply),
		crossOrigin(method, operation, documented, reply),
	} {
		if breach != "" {
			wrong = append(wrong, breach)
		}
	}
	switch {
	case method == http.MethodHead, method == http.MethodOptions:
	case documented:
		if breach := s.Document.conforms(operation, reply.Status, reply.Header.Get("Content-Type"), reply.Body); breach != "" {
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

func numbered(reply *livetest.Reply) string {
	if id := reply.Header.Get("X-Request-Id"); !IsUUID(id) {
		return fmt.Sprintf("X-Request-Id is %q", id)
	}
	return ""
}

// unexpected refuses statuses that no answer has.
func unexpected(reply *livetest.Reply) string {
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

// crossOrigin wants no CORS header on operations under a key, and each answer
// of signed addresses and of widget calls open to pages of any origin.
func crossOrigin(method string, o Operation, documented bool, reply *livetest.Reply) string {
	h := reply.Header
	if h.Get("Access-Control-Allow-Credentials") != "" {
		return "no answer allows credentials to other origins"
	}
	switch {
	case !documented:
	case o.Door() == "backendKey":
		for name := range h {
			if strings.HasPrefix(name, "Access-Control-") {
				return "an operation under a key sends " + name
			}
		}
	case o.Signed() || o.Door() == "hydrationToken":
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

func (s *Secrets) within(reply *livetest.Reply) string {
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
