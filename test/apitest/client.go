package apitest

import (
	"crypto/rand"
	"net/http"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/intraydata/intray/test/livetest"
)

// ImportsPath is the path for creating and listing imports.
const ImportsPath = "/api/v1/headless/imports/"

// Client calls a site with one key and checks every response.
type Client struct {
	T    testing.TB
	Site *Site
	Key  string
}

// Client returns a client that sends a key, or no key if key is "".
func (s *Site) Client(t testing.TB, key string) Client { return Client{t, s, key} }

// WithoutKey returns a client that sends no key, like a user with a signed URL.
func (c Client) WithoutKey() Client {
	c.Key = ""
	return c
}

// Call sends a request. headers alternates names and values. An empty value removes the header.
func (c Client) Call(method, path string, body any, headers ...string) *livetest.Reply {
	c.T.Helper()
	return c.Do(c.Request(method, path, body, headers...))
}

// Request returns the request that Call sends.
func (c Client) Request(method, path string, body any, headers ...string) *http.Request {
	c.T.Helper()
	return c.Site.Request(c.T, method, path, body, append([]string{"X-Service-License-Key", c.Key}, headers...)...)
}

// Do sends a request unchanged.
func (c Client) Do(request *http.Request) *livetest.Reply {
	c.T.Helper()
	reply := c.Site.Do(c.T, request)
	c.Site.CheckReply(c.T, request, reply)
	return reply
}

// PutFile sends a file to a signed URL, without a key.
func (c Client) PutFile(address string, file any, headers ...string) *livetest.Reply {
	c.T.Helper()
	return c.WithoutKey().Call("PUT", address, file, append([]string{"Content-Type", "application/octet-stream"}, headers...)...)
}

// Import creates an import, uploads its file, and waits like AwaitImport.
func (c Client) Import(body, file any) *livetest.Reply {
	c.T.Helper()
	made := c.Call("POST", ImportsPath, body).WantStatus(http.StatusCreated)
	c.PutFile(made.String("upload"), file).WantStatus(http.StatusOK)
	return c.AwaitImport(made.String("id"))
}

// AwaitImport waits until an import ends or needs a review, and returns it.
func (c Client) AwaitImport(id string) *livetest.Reply {
	c.T.Helper()
	var reply *livetest.Reply
	Eventually(c.T, "import "+id+" ends", func() bool {
		reply = c.Call("GET", ImportsPath+id+"/", nil).WantStatus(http.StatusOK)
		status := reply.String("status")
		return status == "SUCCESSFUL" || status == "FAILED" || status == "NEEDS_REVIEW"
	})
	return reply
}

// Patience is the maximum time that Eventually waits.
const Patience = 60 * time.Second

// Eventually waits until a condition holds. It fails the test after Patience.
func Eventually(t testing.TB, what string, condition func() bool) {
	t.Helper()
	for end := time.Now().Add(Patience); time.Now().Before(end); time.Sleep(10 * time.Millisecond) {
		if condition() {
			return
		}
	}
	t.Fatalf("timed out after %s waiting until %s", Patience, what)
}

// Org is an organization with a backend key.
type Org struct {
	Name, BackendKey string
}

// Command runs a command of the program on the data of the running site.
func (s *Site) Command(t testing.TB, args ...string) (stdout, stderr string) {
	t.Helper()
	out, log, status := livetest.Run(t, t.TempDir(), s.env, append(args, s.store...)...)
	if status != 0 {
		t.Fatalf("intray %s: status %d: %s", strings.Join(args, " "), status, log)
	}
	return out, log
}

// NewOrg creates an organization for a single test.
func (s *Site) NewOrg(t testing.TB) Org {
	t.Helper()
	o := Org{Name: "org-" + strings.ToLower(rand.Text())}
	s.Command(t, "orgs", "create", o.Name)
	o.BackendKey, _ = s.NewKey(t, o.Name, "backend")
	return o
}

var revokeCommand = regexp.MustCompile(`keys revoke (\S+)`)

// NewKey creates a key. It returns the key and the id for revoking it.
func (s *Site) NewKey(t testing.TB, org, kind string, flags ...string) (key, id string) {
	t.Helper()
	out, log := s.Command(t, append([]string{"keys", "create", "--org", org, "--kind", kind}, flags...)...)
	match := revokeCommand.FindStringSubmatch(log)
	if match == nil {
		t.Fatalf("keys create does not print the id: %s", log)
	}
	key = strings.TrimSpace(out)
	s.Secrets.Add(key)
	return key, match[1]
}

// Neighbor returns a second organization, which all tests of a site share.
func (s *Site) Neighbor(t testing.TB) Org {
	t.Helper()
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.neighbor.Name == "" {
		s.neighbor = s.NewOrg(t)
	}
	return s.neighbor
}
