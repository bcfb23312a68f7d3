package resources_test

import (
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"testing"

	"github.com/intraydata/intray/test/apitest"
	"github.com/intraydata/intray/test/livetest"
	"github.com/intraydata/intray/test/pgtest"
)

// together sends requests concurrently and returns the number of responses by status.
func (c client) together(requests []*http.Request) map[int]int {
	c.T.Helper()
	var mu sync.Mutex
	var all sync.WaitGroup
	counts := map[int]int{}
	for _, request := range requests {
		all.Go(func() {
			reply, err := c.Site.TryDo(c.T, request)
			if err != nil {
				c.T.Errorf("%s %s: %v", request.Method, request.URL, err)
				return
			}
			c.Site.CheckReply(c.T, request, reply)
			mu.Lock()
			defer mu.Unlock()
			counts[reply.Status]++
		})
	}
	all.Wait()
	return counts
}

// TestParallelNames concurrently creates schemas with the same name, and renames several
// schemas to the same name. Only one request of each kind may succeed.
func TestParallelNames(t *testing.T) {
	apitest.RunOnDatabases(t, func(t *testing.T, s *apitest.Site) {
		c := fresh(t, s)
		var creations, replacements []*http.Request
		for i := range 20 {
			creations = append(creations, c.Request("POST", schemasPath, schemaNamed("contended")))
			id := c.Call("POST", schemasPath, schemaNamed(fmt.Sprint("own ", i))).WantStatus(http.StatusCreated).String("id")
			replacements = append(replacements, c.Request("PUT", schemasPath+id+"/", schemaNamed("given")))
		}
		if got := c.together(creations); got[201] != 1 || got[409] != 19 {
			t.Errorf("creations: %v", got)
		}
		if got := c.together(replacements); got[200] != 1 || got[409] != 19 {
			t.Errorf("replacements: %v", got)
		}
	})
}

// TestParallelDeletions deletes the same resource many times concurrently. Only one request
// may succeed.
func TestParallelDeletions(t *testing.T) {
	apitest.RunOnDatabases(t, func(t *testing.T, s *apitest.Site) {
		c := fresh(t, s)
		th := c.makeThings()
		for _, call := range []struct {
			method, path string
			status       int
		}{
			{"DELETE", schemasPath + th.schema + "/", 204}, {"DELETE", credentialsPath + th.credential + "/", 204}, {"POST", uploadPath + th.upload + "/delete/", 200},
		} {
			var requests []*http.Request
			for range 12 {
				requests = append(requests, c.Request(call.method, call.path, nil))
			}
			if got := c.together(requests); got[call.status] != 1 || got[404] != 11 {
				t.Errorf("%s %s: %v", call.method, call.path, got)
			}
		}
	})
}

// TestDatabaseAway checks the responses of a running program while its database is
// unavailable, and after it is available again.
func TestDatabaseAway(t *testing.T) {
	t.Parallel()
	s := apitest.Start(t, apitest.PostgreSQL, livetest.Config{})
	c := backend(t, s)
	c.Call("GET", schemasPath, nil).WantStatus(http.StatusOK)
	at, err := url.Parse(s.Database)
	if err != nil {
		t.Fatal(err)
	}
	name := strings.TrimPrefix(at.Path, "/")
	for _, command := range []string{
		"ALTER DATABASE " + name + " WITH ALLOW_CONNECTIONS false",
		"SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '" + name + "'",
	} {
		if err := pgtest.Exec(t.Context(), pgtest.Server(), command); err != nil {
			t.Fatal(err)
		}
	}
	for _, path := range []string{"/readyz", schemasPath, uploadsPath} {
		reply := c.Call("GET", path, nil)
		if reply.Status != http.StatusServiceUnavailable || reply.Header.Get("Retry-After") == "" {
			t.Errorf("without its database %s gives %d, Retry-After %q: %s", path, reply.Status, reply.Header.Get("Retry-After"), reply.Body)
		}
	}
	if reply := c.Call("POST", schemasPath, schemaNamed("n"), "Idempotency-Key", "away"); reply.Status != http.StatusServiceUnavailable {
		t.Errorf("without its database a creation gives %d: %s", reply.Status, reply.Body)
	}
	c.Call("GET", "/healthz", nil).WantStatus(http.StatusOK)
	if err := pgtest.Exec(t.Context(), pgtest.Server(), "ALTER DATABASE "+name+" WITH ALLOW_CONNECTIONS true"); err != nil {
		t.Fatal(err)
	}
	apitest.Eventually(t, "the program is ready again", func() bool { return c.Call("GET", "/readyz", nil).Status == http.StatusOK })
	// Responses with a server error are not saved, so the key can be used again.
	c.Call("POST", schemasPath, schemaNamed("n"), "Idempotency-Key", "away").WantStatus(http.StatusCreated)
}
