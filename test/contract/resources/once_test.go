package resources_test

import (
	"net"
	"net/http"
	"strings"
	"sync"
	"testing"

	"github.com/intraydata/intray/test/apitest"
	"github.com/intraydata/intray/test/livetest"
)

// posted is a POST operation that requires an API key, with two different valid bodies.
// Both are "" if the operation has no body.
type posted struct {
	name, path, body, other string
}

// posts returns all POST operations that require an API key.
func (c client) posts() []posted {
	c.T.Helper()
	th := c.makeThings()
	schema := `{"settings":{},"fields":[{"key":"k","label":"L"}],"name":"` + unique("s") + `"}`
	login := `{"hostname":"h.example","port":22,"user":"u","auth_type":"PASSWORD","password":"p"}`
	connector := `{"credentials":"` + th.credential + `","schema":"` + th.schema + `","directory":"/in","schedule":{"type":"daily_at_time","time_utc":"03:00"}}`
	listener, message := c.waiting()
	return []posted{
		{"createWebhook", webhooksPath, `{"url":"` + nowhere + `"}`, `{"url":"` + nowhere + `x"}`},
		{"rotateWebhook", webhooksPath + th.webhook + "/rotate/", "", ""},
		{"redeliver", webhooksPath + th.webhook + "/redeliver/", `{"since":"2026-01-01T00:00:00Z"}`, `{"since":"2026-01-02T00:00:00Z"}`},
		{"tellForwarded", webhooksPath + listener + "/waiting/", `{"delivery_id":"` + message + `","status_code":200,"message":"Taken."}`, `{"delivery_id":"` + message + `","status_code":201,"message":"Taken."}`},
		{"createConnector", connectorsPath, connector, strings.Replace(connector, "03:00", "04:00", 1)},
		{"runConnector", connectorsPath + th.connector + "/run/", "", ""},
		{"answerQuestions", importsPath + c.asking() + "/questions/", `{"answers":{"column:a":"0"}}`, `{"answers":{"column:a":"1"}}`},
		{"renewReviewLink", importsPath + c.asking() + "/review-link/", "", ""},
		{"createImport", importsPath, `{"fields":[{"key":"k","label":"L"}]}`, `{"fields":[{"key":"k","label":"M"}]}`},
		{"createImportLink", linksPath, `{"schema_id":"` + th.schema + `"}`, `{"schema_id":"` + th.schema + `","name":"x"}`},
		{"createSchema", schemasPath, schema, strings.Replace(schema, `"L"`, `"M"`, 1)},
		{"createCredential", credentialsPath, login, strings.Replace(login, "22", "23", 1)},
		{"testCredential", credentialsPath + th.credential + "/test_connection/", "", ""},
		{"createSession", sessionsPath + "auth/", `{"expires_in":60}`, `{"expires_in":61}`},
		{"createSession, no body", sessionsPath + "auth/", "", `{"expires_in":61}`},
		{"resumeSession", sessionsPath + th.session + "/auth/", `{"expires_in":60}`, `{}`},
		{"deleteUpload", uploadPath + th.upload + "/delete/", "", ""},
	}
}

// waiting creates a webhook that has no URL. It returns the ids of the webhook and of a message
// that waits to be retrieved from it.
func (c client) waiting() (listener, message string) {
	c.T.Helper()
	listener = c.Call("POST", webhooksPath, m{"url": nil}).WantStatus(http.StatusCreated).String("id")
	c.importFile("email\nanna@example.org\n", m{})
	list := c.Call("GET", webhooksPath+listener+"/waiting/?wait=20", nil).WantStatus(http.StatusOK).Array()
	if len(list) == 0 {
		c.T.Fatal("no message is waiting")
	}
	return listener, list[0].(m)["id"].(string)
}

// asking creates an import with questions about the columns of two fields.
func (c client) asking() string {
	c.T.Helper()
	return c.Import(m{"fields": []any{m{"key": "a", "label": "A"}, m{"key": "b", "label": "B"}}}, "x,y\n1,2\n").String("id")
}

// once sends a POST with an idempotency key.
func (c client) once(key, path, body string) *livetest.Reply {
	c.T.Helper()
	if body == "" {
		return c.Call("POST", path, nil, "Idempotency-Key", key)
	}
	return c.Call("POST", path, body, "Idempotency-Key", key)
}

// counts returns the numbers of imports, schemas, credentials and uploads of an organization.
func (c client) counts() (n [4]int) {
	c.T.Helper()
	for i, path := range []string{importsPath, schemasPath, credentialsPath, uploadsPath} {
		n[i] = len(idsIn(c.Call("GET", path, nil).WantStatus(http.StatusOK).Body))
	}
	return n
}

func TestReplays(t *testing.T) {
	apitest.RunOnDatabases(t, func(t *testing.T, s *apitest.Site) {
		c := fresh(t, s)
		tried := map[string]bool{}
		for _, p := range c.posts() {
			tried[strings.Split(p.name, ",")[0]] = true
			key := unique("key")
			first := c.once(key, p.path, p.body)
			if first.Status >= 300 {
				t.Fatalf("%s: %d %s", p.name, first.Status, first.Body)
			}
			before := c.counts()
			for _, path := range []string{p.path, strings.TrimSuffix(p.path, "/"), p.path + "?x=1"} {
				if again := c.once(key, path, p.body); again.Status != first.Status || again.Text() != first.Text() {
					t.Errorf("%s: first %d %s, again %d %s", p.name, first.Status, first.Body, again.Status, again.Body)
				}
			}
			if after := c.counts(); before != after {
				t.Errorf("%s: a repetition changed the counts from %v to %v", p.name, before, after)
			}
			if p.other != "" {
				c.once(key, p.path, p.other).WantStatus(http.StatusConflict)
			}
			// The same key with a different operation is a different request.
			c.once(key, uploadPath+absent+"/delete/", "").WantStatus(http.StatusConflict)
		}
		for _, o := range s.Document.WithSecurity("backendKey") {
			if o.Method == http.MethodPost && !tried[o.OperationID] {
				t.Errorf("%s was not tried", o.OperationID)
			}
		}
	})
}

// TestIdempotencyKeysBelongToOneOrganization checks that two organizations can use the same
// idempotency key.
func TestIdempotencyKeysBelongToOneOrganization(t *testing.T) {
	apitest.RunOnDatabases(t, func(t *testing.T, s *apitest.Site) {
		key := unique("key")
		a := fresh(t, s).once(key, schemasPath, `{"name":"a","settings":{},"fields":[{"key":"k","label":"L"}]}`).WantStatus(http.StatusCreated)
		b := neighbor(t, s).once(key, sessionsPath+"auth/", "").WantStatus(http.StatusCreated)
		if a.Text() == b.Text() {
			t.Error("an organization gets the response of another")
		}
	})
}

// TestRefusalsAreReplayed repeats rejected requests, one of them after the reason for the
// rejection no longer applies. The responses must be the same.
func TestRefusalsAreReplayed(t *testing.T) {
	apitest.RunOnDatabases(t, func(t *testing.T, s *apitest.Site) {
		c := fresh(t, s)
		blocking := c.Call("POST", schemasPath, schemaNamed("n")).WantStatus(http.StatusCreated).String("id")
		for name, call := range map[string]struct {
			body   string
			status int
		}{
			"taken": {`{"name":"n","settings":{},"fields":[{"key":"k","label":"L"}]}`, http.StatusConflict},
			"wrong": {`{"name":1}`, http.StatusBadRequest}, "broken": {`{`, http.StatusBadRequest},
		} {
			first := c.once(name, schemasPath, call.body).WantStatus(call.status)
			if again := c.once(name, schemasPath, call.body).WantStatus(call.status); again.Text() != first.Text() {
				t.Errorf("%s: first %s, again %s", name, first.Body, again.Body)
			}
			c.once(name, schemasPath, `{"name":2}`).WantStatus(http.StatusConflict)
		}
		missing := c.once("missing", importsPath, `{"schema_id":"`+absent+`"}`).WantStatus(http.StatusNotFound)
		if again := c.once("missing", importsPath, `{"schema_id":"`+absent+`"}`); again.Text() != missing.Text() {
			t.Errorf("first %s, again %s", missing.Body, again.Body)
		}
		c.Call("DELETE", schemasPath+blocking+"/", nil).WantStatus(http.StatusNoContent)
		c.once("taken", schemasPath, `{"name":"n","settings":{},"fields":[{"key":"k","label":"L"}]}`).WantStatus(http.StatusConflict)
		c.once("fresh", schemasPath, `{"name":"n","settings":{},"fields":[{"key":"k","label":"L"}]}`).WantStatus(http.StatusCreated)
	})
}

func TestIdempotencyKeyForm(t *testing.T) {
	apitest.RunOnDatabases(t, func(t *testing.T, s *apitest.Site) {
		c := backend(t, s)
		for _, key := range []string{strings.Repeat("k", 255), unique("a!~"), "0"} {
			c.once(unique("")[:20]+key[:min(len(key), 200)], sessionsPath+"auth/", "").WantStatus(http.StatusCreated)
		}
		for _, key := range []string{strings.Repeat("k", 256), "a b", "ü", "a\tb"} {
			if reply := c.once(key, sessionsPath+"auth/", "").WantStatus(http.StatusBadRequest); reply.Object()["Idempotency-Key"] == nil {
				t.Errorf("the header is not named: %s", reply.Body)
			}
		}
	})
}

// TestParallelRepetitions checks that sending the same request many times concurrently creates
// only one resource.
func TestParallelRepetitions(t *testing.T) {
	apitest.RunOnDatabases(t, func(t *testing.T, s *apitest.Site) {
		c := fresh(t, s)
		login := `{"hostname":"h.example","port":22,"user":"u","auth_type":"PASSWORD","password":"p"}`
		c.parallelOnce(credentialsPath, login)
		c.parallelOnce(importsPath, `{"fields":[{"key":"k","label":"L"}]}`)
		c.parallelOnce(schemasPath, `{"name":"n","settings":{},"fields":[{"key":"k","label":"L"}]}`)
		if got := c.counts(); got != [4]int{1, 1, 1, 0} {
			t.Errorf("there are %v imports, schemas, credentials and uploads, want one of each but uploads", got)
		}
	})
}

// parallelOnce checks that exactly one request creates a resource. All other responses must
// repeat its response or ask the client to wait.
func (c client) parallelOnce(path, body string) {
	c.T.Helper()
	const senders = 24
	key := unique("key")
	replies := make([]*livetest.Reply, senders)
	var all sync.WaitGroup
	for i := range senders {
		request := c.Request("POST", path, body, "Idempotency-Key", key)
		all.Go(func() {
			if reply, err := c.Site.TryDo(c.T, request); err != nil {
				c.T.Errorf("%s: %v", path, err)
			} else {
				c.Site.CheckReply(c.T, request, reply)
				replies[i] = reply
			}
		})
	}
	all.Wait()
	made := ""
	for _, reply := range replies {
		switch {
		case reply == nil:
		case reply.Status == http.StatusConflict && reply.String("code") == "idempotency_key_in_use":
		case reply.Status == http.StatusCreated && (made == "" || made == reply.Text()):
			made = reply.Text()
		default:
			c.T.Errorf("%s: %d %s, and %s", path, reply.Status, reply.Body, made)
		}
	}
	if again := c.once(key, path, body).WantStatus(http.StatusCreated); again.Text() != made {
		c.T.Errorf("%s: made %s, repeated %s", path, made, again.Body)
	}
}

// TestSecondCallWhileTheFirstRuns checks that a repeated call is rejected while the first one
// is still running, and returns the same response afterward.
func TestSecondCallWhileTheFirstRuns(t *testing.T) {
	apitest.RunOnDatabases(t, func(t *testing.T, s *apitest.Site) {
		silent, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		defer silent.Close()
		c := backend(t, s)
		login := m{"hostname": "127.0.0.1", "port": silent.Addr().(*net.TCPAddr).Port, "user": "anna", "auth_type": "PASSWORD", "password": "p"}
		path := credentialsPath + c.Call("POST", credentialsPath, login).WantStatus(http.StatusCreated).String("id") + "/test_connection/"
		request := c.Request("POST", path, nil, "Idempotency-Key", "held")
		done := make(chan *livetest.Reply, 1)
		go func() {
			reply, err := s.TryDo(t, request)
			if err != nil {
				t.Error(err)
			}
			done <- reply
		}()
		held, err := silent.Accept()
		if err != nil {
			t.Fatal(err)
		}
		second := c.once("held", path, "").WantStatus(http.StatusConflict)
		if second.Header.Get("Retry-After") == "" {
			t.Errorf("Retry-After is missing: %s", second.Body)
		}
		_ = held.Close()
		first := <-done
		if first == nil || first.Status != http.StatusOK {
			t.Fatalf("the first call: %+v", first)
		}
		if again := c.once("held", path, "").WantStatus(http.StatusOK); again.Text() != first.Text() {
			t.Errorf("first %s, again %s", first.Body, again.Body)
		}
	})
}

// TestReplaysAreSealed checks that saved responses are not stored in plain text.
func TestReplaysAreSealed(t *testing.T) {
	apitest.RunOnDatabases(t, func(t *testing.T, s *apitest.Site) {
		c := backend(t, s)
		made := c.once(unique("key"), sessionsPath+"auth/", `{"import_identifier":"`+unique("label")+`"}`).WantStatus(http.StatusCreated)
		if len(stored(t, s, made.String("sessionId"))) == 0 {
			t.Fatal("the search does not find the session")
		}
		for _, part := range []string{made.String("hydrationId"), `"hydrationId"`, made.String("savedAt")} {
			if places := stored(t, s, part); len(places) > 0 {
				t.Errorf("%s of the saved response is in plain text in %v", part, places)
			}
		}
	})
}
