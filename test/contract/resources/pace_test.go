package resources_test

import (
	"net/http"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/intraydata/intray/test/apitest"
	"github.com/intraydata/intray/test/livetest"
)

// limited starts a program with limits on the rates of creating and polling imports.
func limited(t *testing.T, database string) *apitest.Site {
	t.Helper()
	args := []string{"--rate-create", strconv.Itoa(perMinute), "--rate-poll", strconv.Itoa(perMinute)}
	return apitest.Start(t, database, livetest.Config{Args: args})
}

const perMinute = 4

// untilRefused repeats call until the response is 429. used is the number of calls already made.
// The limits are per clock minute, and a new minute may begin during the test. At least one of
// 2*perMinute+1 calls must be rejected, and none before the allowance is used up.
func untilRefused(t *testing.T, used int, call func() *livetest.Reply) {
	t.Helper()
	for n := range 2*perMinute + 1 {
		reply := call()
		if reply.Status < 400 {
			continue
		}
		wait, err := strconv.Atoi(reply.Header.Get("Retry-After"))
		if reply.Status != http.StatusTooManyRequests || err != nil || wait < 1 || wait > 60 {
			t.Errorf("call %d: %d, Retry-After %q: %s", n, reply.Status, reply.Header.Get("Retry-After"), reply.Body)
		}
		if used+n < perMinute {
			t.Errorf("call %d is rejected, but %d are allowed", used+n, perMinute)
		}
		return
	}
	t.Errorf("no call of %d was rejected", 2*perMinute+1)
}

// withinAMinute calls the function do. It repeats the call up to twice if a new clock minute
// began in the meantime.
func withinAMinute(do func()) {
	for range 3 {
		began := time.Now().Truncate(time.Minute)
		do()
		if time.Now().Truncate(time.Minute).Equal(began) {
			return
		}
	}
}

func TestRateOfCreations(t *testing.T) {
	t.Parallel()
	s := limited(t, "sqlite")
	c := backend(t, s)
	// Rejected creations do not count toward the limit.
	for range 2*perMinute + 1 {
		c.Call("POST", importsPath, m{"fields": []any{}}).WantStatus(http.StatusBadRequest)
		c.Call("POST", importsPath, m{"schema_id": absent}).WantStatus(http.StatusNotFound)
	}
	first := c.once("kept", importsPath, `{"fields":[{"key":"k","label":"L"}]}`).WantStatus(http.StatusCreated)
	for range 2*perMinute + 1 {
		c.once("kept", importsPath, `{"fields":[{"key":"k","label":"L"}]}`).WantStatus(http.StatusCreated)
	}
	create := func() *livetest.Reply { return c.Call("POST", importsPath, m{"fields": contacts()}) }
	fresh(t, s).Call("POST", importsPath, m{"fields": contacts()}).WantStatus(http.StatusCreated)
	var refused, other, again *livetest.Reply
	withinAMinute(func() {
		untilRefused(t, 1, create)
		key := unique("refused")
		refused = c.once(key, importsPath, `{"fields":[{"key":"k","label":"L"}]}`)
		other = c.once(key, importsPath, `{"fields":[{"key":"k","label":"M"}]}`)
		again = c.once("kept", importsPath, `{"fields":[{"key":"k","label":"L"}]}`)
	})
	// Responses of rate-limited requests are not saved, so the key can be used again.
	refused.WantStatus(http.StatusTooManyRequests)
	other.WantStatus(http.StatusTooManyRequests)
	// Repeating a request creates nothing, so the limit does not apply to it.
	if again.Text() != first.Text() {
		t.Errorf("first %s, again %s", first.Body, again.Body)
	}
	// The limit applies neither to other operations with the same key nor to other keys of
	// the organization.
	c.Call("POST", schemasPath, schemaNamed(unique("s"))).WantStatus(http.StatusCreated)
	second, _ := s.NewKey(t, "default", "backend")
	client{s.Client(t, second)}.Call("POST", importsPath, m{"fields": contacts()}).WantStatus(http.StatusCreated)
}

func TestRateOfPolls(t *testing.T) {
	t.Parallel()
	s := limited(t, "sqlite")
	c := backend(t, s)
	id := c.Call("POST", importsPath, m{"fields": contacts()}).WantStatus(http.StatusCreated).String("id")
	other := c.Call("POST", importsPath, m{"fields": contacts()}).WantStatus(http.StatusCreated).String("id")
	poll := func(id string) func() *livetest.Reply {
		return func() *livetest.Reply { return c.Call("GET", importsPath+id+"/", nil) }
	}
	// Each organization has its own limit.
	outsider := fresh(t, s)
	for n := range 2*perMinute + 1 {
		reply := outsider.Call("GET", importsPath+id+"/", nil)
		if reply.Status != http.StatusNotFound && (n < perMinute || reply.Status != http.StatusTooManyRequests) {
			t.Errorf("another organization gets %d", reply.Status)
		}
	}
	var respelled *livetest.Reply
	withinAMinute(func() {
		untilRefused(t, 0, poll(id))
		respelled = poll(strings.ToUpper(id))()
	})
	if respelled.Status != http.StatusTooManyRequests {
		t.Errorf("another spelling of the id passes the limit: %d", respelled.Status)
	}
	poll(other)().WantStatus(http.StatusOK)
	c.Call("GET", importsPath, nil).WantStatus(http.StatusOK)
	c.Call("GET", importsPath+id+"/url/", nil).WantStatus(http.StatusConflict)
}

func TestNoRatesUnlessSet(t *testing.T) {
	apitest.RunOnDatabases(t, func(t *testing.T, s *apitest.Site) {
		c := backend(t, s)
		id := ""
		for range 25 {
			id = c.Call("POST", importsPath, m{"fields": contacts()}).WantStatus(http.StatusCreated).String("id")
		}
		for range 30 {
			c.Call("GET", importsPath+id+"/", nil).WantStatus(http.StatusOK)
		}
	})
}
