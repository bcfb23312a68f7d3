package resources_test

import (
	"fmt"
	"net/http"
	"net/url"
	"os"
	"strings"
	"sync"
	"testing"

	"github.com/intraydata/intray/internal/livetest"
)

// together sends requests at the same time, and counts the statuses.
func (c client) together(requests []*http.Request) map[int]int {
	c.t.Helper()
	var mu sync.Mutex
	var all sync.WaitGroup
	counts := map[int]int{}
	for _, request := range requests {
		all.Go(func() {
			reply, err := c.site.Try(c.t, request)
			if err != nil {
				c.t.Errorf("%s %s: %v", request.Method, request.URL, err)
				return
			}
			c.site.check(c.t, request, reply)
			mu.Lock()
			defer mu.Unlock()
			counts[reply.Status]++
		})
	}
	all.Wait()
	return counts
}

// TestParallelNames makes schemas of one name at the same time, and gives one
// name to several.
func TestParallelNames(t *testing.T) {
	each(t, func(t *testing.T, s *site) {
		c := s.fresh(t)
		var creations, replacements []*http.Request
		for i := range 20 {
			creations = append(creations, c.request("POST", schemasPath, schemaNamed("contended")))
			id := c.call("POST", schemasPath, schemaNamed(fmt.Sprint("own ", i))).Want(http.StatusCreated).String("id")
			replacements = append(replacements, c.request("PUT", schemasPath+id+"/", schemaNamed("given")))
		}
		if got := c.together(creations); got[201] != 1 || got[409] != 19 {
			t.Errorf("creations: %v", got)
		}
		if got := c.together(replacements); got[200] != 1 || got[409] != 19 {
			t.Errorf("replacements: %v", got)
		}
	})
}

// TestParallelDeletions deletes one thing many times at once.
func TestParallelDeletions(t *testing.T) {
	each(t, func(t *testing.T, s *site) {
		c := s.fresh(t)
		th := c.makeThings()
		for _, call := range []struct {
			method, path string
			status       int
		}{
			{"DELETE", schemasPath + th.schema + "/", 204}, {"DELETE", credentialsPath + th.credential + "/", 204}, {"POST", uploadPath + th.upload + "/delete/", 200},
		} {
			var requests []*http.Request
			for range 12 {
				requests = append(requests, c.request(call.method, call.path, nil))
			}
			if got := c.together(requests); got[call.status] != 1 || got[404] != 11 {
				t.Errorf("%s %s: %v", call.method, call.path, got)
			}
		}
	})
}

// TestDatabaseAway takes the database away from a running program, and gives it
// back.
func TestDatabaseAway(t *testing.T) {
	t.Parallel()
	s := start(t, t.TempDir(), storeOf(t, t, "postgres"), livetest.Config{})
	c := s.backend(t)
	c.call("GET", schemasPath, nil).Want(http.StatusOK)
	at, err := url.Parse(s.database)
	if err != nil {
		t.Fatal(err)
	}
	name := strings.TrimPrefix(at.Path, "/")
	server := os.Getenv("INTRAY_TEST_POSTGRES_URL")
	for _, command := range []string{
		"ALTER DATABASE " + name + " WITH ALLOW_CONNECTIONS false",
		"SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '" + name + "'",
	} {
		if err := execPostgres(server, command); err != nil {
			t.Fatal(err)
		}
	}
	for _, path := range []string{"/readyz", schemasPath, uploadsPath} {
		reply := c.call("GET", path, nil)
		if reply.Status != http.StatusServiceUnavailable || reply.Header.Get("Retry-After") == "" {
			t.Errorf("without its database %s gives %d, Retry-After %q: %s", path, reply.Status, reply.Header.Get("Retry-After"), reply.Body)
		}
	}
	if reply := c.call("POST", schemasPath, schemaNamed("n"), "Idempotency-Key", "away"); reply.Status != http.StatusServiceUnavailable {
		t.Errorf("without its database a creation gives %d: %s", reply.Status, reply.Body)
	}
	c.call("GET", "/healthz", nil).Want(http.StatusOK)
	if err := execPostgres(server, "ALTER DATABASE "+name+" WITH ALLOW_CONNECTIONS true"); err != nil {
		t.Fatal(err)
	}
	eventually(t, "the program is ready again", func() bool { return c.call("GET", "/readyz", nil).Status == http.StatusOK })
	// What failed by our fault is not kept: the same key may try again.
	c.call("POST", schemasPath, schemaNamed("n"), "Idempotency-Key", "away").Want(http.StatusCreated)
}
