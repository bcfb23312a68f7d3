package resources_test

import (
	"fmt"
	"net/http"
	"regexp"
	"strings"
	"sync"
	"testing"

	"github.com/intraydata/intray/internal/livetest"
)

// client calls a site with one key, and checks every answer.
type client struct {
	t    testing.TB
	site *site
	key  string
}

// m is a JSON object.
type m = map[string]any

// backend is the client of the organization that every site begins with.
func (s *site) backend(t testing.TB) client { return client{t, s, livetest.BackendKey} }

// nobody has no key.
func (s *site) nobody(t testing.TB) client { return client{t, s, ""} }

// call sends a request. Headers are name and value in turn; an empty value
// removes the header.
func (c client) call(method, path string, body any, headers ...string) *livetest.Reply {
	c.t.Helper()
	return c.do(c.request(method, path, body, headers...))
}

func (c client) request(method, path string, body any, headers ...string) *http.Request {
	c.t.Helper()
	return c.site.Request(c.t, method, path, body, append([]string{"X-Service-License-Key", c.key}, headers...)...)
}

func (c client) do(request *http.Request) *livetest.Reply {
	c.t.Helper()
	reply := c.site.Do(c.t, request)
	c.site.check(c.t, request, reply)
	return reply
}

// check holds an answer against the document and against the rules that all
// answers keep. It may be called from any goroutine.
func (s *site) check(t testing.TB, request *http.Request, reply *livetest.Reply) {
	t.Helper()
	wrong := s.breaches(request.Method, request.URL.Path, reply)
	for _, w := range wrong {
		t.Errorf("%s %s: status %d: %s\n%.600s", request.Method, request.URL, reply.Status, w, reply.Body)
	}
}

func (s *site) breaches(method, path string, reply *livetest.Reply) (wrong []string) {
	operation, documented := s.document.find(method, path)
	for _, breach := range []string{
		numbered(reply), unexpected(reply.Status), s.secrets.within(reply), errorBody(method, reply), timesIn(method, reply),
		crossOrigin(method, operation, documented, reply),
	} {
		if breach != "" {
			wrong = append(wrong, breach)
		}
	}
	switch {
	case method == http.MethodHead, method == http.MethodOptions:
	case documented:
		if breach := s.document.conforms(operation, reply.Status, reply.Header.Get("Content-Type"), reply.Body); breach != "" {
			wrong = append(wrong, breach)
		}
	case reply.Status != http.StatusNotFound && reply.Status != http.StatusMethodNotAllowed:
		wrong = append(wrong, "the document does not have this operation")
	}
	return wrong
}

var uuidForm = regexp.MustCompile(`^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$`)

func numbered(reply *livetest.Reply) string {
	if id := reply.Header.Get("X-Request-Id"); !uuidForm.MatchString(id) {
		return fmt.Sprintf("X-Request-Id is %q", id)
	}
	return ""
}

// unexpected refuses statuses that no answer has.
func unexpected(status int) string {
	switch {
	case status == http.StatusUnprocessableEntity:
		return "422 is never an answer"
	case status >= 300 && status < 400:
		return "there are no redirects"
	case status == http.StatusInternalServerError:
		return "500 is never an answer to what a client sends"
	}
	return ""
}

// crossOrigin wants no CORS header on operations under a key, and each answer
// of signed addresses and of widget calls open to pages of any origin.
func crossOrigin(method string, o operation, documented bool, reply *livetest.Reply) string {
	h := reply.Header
	if h.Get("Access-Control-Allow-Credentials") != "" {
		return "no answer allows credentials to other origins"
	}
	switch {
	case !documented:
	case o.door() == "backendKey":
		for name := range h {
			if strings.HasPrefix(name, "Access-Control-") {
				return "an operation under a key sends " + name
			}
		}
	case o.signed() || o.door() == "hydrationToken":
		if h.Get("Access-Control-Allow-Origin") != "*" || !strings.Contains(h.Get("Access-Control-Expose-Headers"), "ETag") {
			return fmt.Sprintf("pages may not read the answer to their %s: %v", method, h)
		}
	}
	return ""
}

// secrets are texts that no answer may hold.
type secrets struct {
	sync.Mutex
	list []string
}

func (s *secrets) add(list ...string) {
	s.Lock()
	defer s.Unlock()
	s.list = append(s.list, list...)
}

func (s *secrets) within(reply *livetest.Reply) string {
	s.Lock()
	defer s.Unlock()
	headers := fmt.Sprint(reply.Header)
	for _, secret := range s.list {
		if strings.Contains(reply.Text(), secret) || strings.Contains(headers, secret) {
			return "the answer tells a secret"
		}
	}
	return ""
}
