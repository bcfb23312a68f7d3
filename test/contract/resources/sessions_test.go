package resources_test

import (
	"bytes"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/intraydata/intray/test/apitest"
	"github.com/intraydata/intray/test/livetest"
)

// session is a widget session, with one of its tokens.
type session struct {
	id, token string
}

func (c client) newSession(body any) session {
	c.T.Helper()
	made := c.Call("POST", sessionsPath+"auth/", body).WantStatus(http.StatusCreated)
	return session{made.String("sessionId"), made.String("hydrationId")}
}

// widget makes a call as a page does: with a token and without an API key.
func (c client) widget(token, method, path string, body any, headers ...string) *livetest.Reply {
	c.T.Helper()
	c.Key = ""
	return c.Call(method, path, body, append([]string{"X-Hydration-Id", token}, headers...)...)
}

func TestSessionIsMade(t *testing.T) {
	apitest.RunOnDatabases(t, func(t *testing.T, s *apitest.Site) {
		c := backend(t, s)
		for _, call := range []struct {
			body any
			life float64
		}{
			{nil, 21600}, {m{}, 21600}, {m{"expires_in": 60}, 60}, {m{"import_identifier": ""}, 21600}, {m{"import_identifier": "contacts", "expires_in": 604800}, 604800},
		} {
			before := time.Now()
			made := c.Call("POST", sessionsPath+"auth/", call.body).WantStatus(http.StatusCreated).Object()
			var names []string
			for name := range made {
				names = append(names, name)
			}
			slices.Sort(names)
			if !slices.Equal(names, []string{"expiresIn", "hydrationId", "savedAt", "sessionId"}) || made["expiresIn"] != call.life {
				t.Errorf("%v makes %v", call.body, made)
			}
			at, err := time.Parse(time.RFC3339, made["savedAt"].(string))
			if err != nil || at.Before(before.Add(-time.Second)) || at.After(time.Now().Add(time.Second)) {
				t.Errorf("savedAt is %v", made["savedAt"])
			}
			if id, _ := made["sessionId"].(string); !apitest.IsUUID(id) || made["hydrationId"] == "" {
				t.Errorf("the ids are %v", made)
			}
		}
	})
}

// TestSessionLabel checks that two sessions with the same label are independent.
func TestSessionLabel(t *testing.T) {
	apitest.RunOnDatabases(t, func(t *testing.T, s *apitest.Site) {
		c := backend(t, s)
		label := m{"import_identifier": unique("label")}
		one, two := c.newSession(label), c.newSession(label)
		c.widget(one.token, "PUT", statePath, m{"of": "one"}).WantStatus(http.StatusOK)
		if one.id == two.id {
			t.Error("one label returns one session twice")
		}
		c.widget(two.token, "GET", statePath, nil).WantStatus(http.StatusNotFound)
	})
}

func TestWrongSessionBodies(t *testing.T) {
	apitest.RunOnDatabases(t, func(t *testing.T, s *apitest.Site) {
		c := backend(t, s)
		id := c.newSession(nil).id
		for _, life := range []any{0, -1, 604801, "60", 1.5, true, nil, []any{}} {
			for _, path := range []string{"auth/", id + "/auth/"} {
				reply := c.Call("POST", sessionsPath+path, m{"expires_in": life})
				if reply.Status != http.StatusBadRequest || reply.Object()["expires_in"] == nil {
					t.Errorf("expires_in %v: %d %s", life, reply.Status, reply.Body)
				}
			}
		}
		for _, label := range []any{1, nil, true, "a\nb", strings.Repeat("x", 256)} {
			if reply := c.Call("POST", sessionsPath+"auth/", m{"import_identifier": label}); reply.Status != http.StatusBadRequest || reply.Object()["import_identifier"] == nil {
				t.Errorf("import_identifier %v: %d %s", label, reply.Status, reply.Body)
			}
		}
	})
}

func TestSessionIsResumed(t *testing.T) {
	apitest.RunOnDatabases(t, func(t *testing.T, s *apitest.Site) {
		c := backend(t, s)
		first := c.newSession(nil)
		c.widget(first.token, "PUT", statePath, m{"n": 1}).WantStatus(http.StatusOK)
		for body, life := range map[string]float64{"": 21600, "{}": 21600, `{"expires_in":60}`: 60} {
			var sent any
			if body != "" {
				sent = body
			}
			resumed := c.Call("POST", sessionsPath+first.id+"/auth/", sent).WantStatus(http.StatusOK)
			if got := resumed.Object(); len(got) != 2 || got["expiresIn"] != life {
				t.Errorf("resumed with %q: %v", body, got)
			}
			// Both tokens must give access to the session.
			for _, token := range []string{first.token, resumed.String("hydrationId")} {
				if got := c.widget(token, "GET", statePath, nil).WantStatus(http.StatusOK).Text(); got != `{"n":1}` {
					t.Errorf("the state is %s", got)
				}
			}
		}
		c.Call("POST", sessionsPath+absent+"/auth/", nil).WantStatus(http.StatusNotFound)
		neighbor(t, s).Call("POST", sessionsPath+first.id+"/auth/", nil).WantStatus(http.StatusNotFound)
	})
}

// TestTokenPlaces checks that a token is accepted in each supported location, but not in the
// Authorization header.
func TestTokenPlaces(t *testing.T) {
	apitest.RunOnDatabases(t, func(t *testing.T, s *apitest.Site) {
		c := backend(t, s)
		token := c.newSession(nil).token
		c.widget(token, "PUT", statePath, m{"n": 1}).WantStatus(http.StatusOK)
		nobody := nobody(t, s)
		for _, path := range []string{"state", "state/"} {
			nobody.Call("GET", sessionsPath+path+"?hydrationId="+token, nil).WantStatus(http.StatusOK)
			nobody.Call("GET", sessionsPath+path, nil, "x-hydration-id", token).WantStatus(http.StatusOK)
			nobody.Call("GET", sessionsPath+path, nil, "Authorization", "Bearer "+token).WantStatus(http.StatusForbidden)
			nobody.Call("GET", sessionsPath+path, nil).WantStatus(http.StatusForbidden)
		}
		nobody.Call("PUT", statePath+"?hydrationId="+token, m{"n": 2}).WantStatus(http.StatusOK)
		nobody.Call("PUT", filePath+"?hydrationId="+token, "x", "Content-Type", "text/plain").WantStatus(http.StatusOK)
		nobody.Call("GET", filePath+"?hydrationId="+token, nil).WantStatus(http.StatusOK)
	})
}

// TestTokenLife checks that a token expires at the end of its lifetime: not earlier, and at
// most 3 s later.
func TestTokenLife(t *testing.T) {
	apitest.RunOnDatabases(t, func(t *testing.T, s *apitest.Site) {
		c := backend(t, s)
		id := c.newSession(nil).id
		before := time.Now()
		token := c.Call("POST", sessionsPath+id+"/auth/", m{"expires_in": 1}).WantStatus(http.StatusOK).String("hydrationId")
		var ended time.Duration
		apitest.Eventually(t, "the token ends", func() bool {
			reply := c.widget(token, "GET", statePath, nil)
			ended = time.Since(before)
			return reply.Status == http.StatusForbidden
		})
		if ended < time.Second {
			t.Errorf("a token for 1 s ended after %v", ended)
		}
		for _, call := range [][2]string{{"PUT", statePath}, {"GET", filePath}, {"PUT", filePath}} {
			c.widget(token, call[0], call[1], m{}).WantStatus(http.StatusForbidden)
		}
		c.Call("POST", sessionsPath+id+"/auth/", nil).WantStatus(http.StatusOK)
	})
}

// TestState checks that a saved state is returned byte for byte, and that malformed states
// are rejected.
func TestState(t *testing.T) {
	apitest.RunOnDatabases(t, func(t *testing.T, s *apitest.Site) {
		c := backend(t, s)
		token := c.newSession(nil).token
		c.widget(token, "GET", statePath, nil).WantStatus(http.StatusNotFound)
		for _, state := range []string{`{ "a" : 1.0e2, "ü":"\u00fc" }`, `[]`, `"text"`, `null`, `1`, `{"b":[{"c":null}]}`} {
			saved := c.widget(token, "PUT", statePath, state).WantStatus(http.StatusOK)
			read := c.widget(token, "GET", statePath, nil).WantStatus(http.StatusOK)
			if read.Text() != state || read.Header.Get("ETag") == "" || read.Header.Get("ETag") != saved.Header.Get("ETag") {
				t.Errorf("saved %s with %s, read %s with %s", state, saved.Header.Get("ETag"), read.Body, read.Header.Get("ETag"))
			}
			if !apitest.IsTime(saved.String("savedAt")) {
				t.Errorf("saving returns %s", saved.Body)
			}
		}
		for name, broken := range malformed() {
			if strings.HasPrefix(name, "a ") && (name == "a list" || name == "a text" || name == "a number") || name == "true" {
				continue // A state may be any JSON value.
			}
			if reply := c.widget(token, "PUT", statePath, broken); reply.Status != http.StatusBadRequest {
				t.Errorf("a state with %s: %d %s", name, reply.Status, reply.Body)
			}
		}
		c.widget(token, "PUT", statePath, "").WantStatus(http.StatusBadRequest)
		c.widget(token, "PUT", statePath, "{}", "Content-Type", "text/plain").WantStatus(http.StatusUnsupportedMediaType)
		if got := c.widget(token, "GET", statePath, nil).Text(); got != `{"b":[{"c":null}]}` {
			t.Errorf("a refused state left %s", got)
		}
	})
}

func TestStateSize(t *testing.T) {
	apitest.RunOnDatabases(t, func(t *testing.T, s *apitest.Site) {
		c := backend(t, s)
		token := c.newSession(nil).token
		most := `"` + strings.Repeat("x", 8*mebibyte-2) + `"`
		c.widget(token, "PUT", statePath, most).WantStatus(http.StatusOK)
		c.widget(token, "PUT", statePath, most+" ").WantStatus(http.StatusRequestEntityTooLarge)
		c.widget(token, "PUT", statePath, unsized{strings.NewReader(most + " ")}).WantStatus(http.StatusRequestEntityTooLarge)
		if got := c.widget(token, "GET", statePath, nil).WantStatus(http.StatusOK).Text(); got != most {
			t.Errorf("the state has %d bytes", len(got))
		}
	})
}

// TestIfMatch checks that a state is saved with the current ETag and rejected with any other.
func TestIfMatch(t *testing.T) {
	apitest.RunOnDatabases(t, func(t *testing.T, s *apitest.Site) {
		c := backend(t, s)
		token := c.newSession(nil).token
		for _, tag := range []string{`"x"`, "*"} {
			c.widget(token, "PUT", statePath, m{}, "If-Match", tag).WantStatus(http.StatusPreconditionFailed)
		}
		one := c.widget(token, "PUT", statePath, m{"n": 1}).WantStatus(http.StatusOK).Header.Get("ETag")
		two := c.widget(token, "PUT", statePath, m{"n": 2}, "If-Match", one).WantStatus(http.StatusOK).Header.Get("ETag")
		c.widget(token, "PUT", statePath, m{"n": 3}, "If-Match", one).WantStatus(http.StatusPreconditionFailed)
		if got := c.widget(token, "GET", statePath, nil); got.Text() != `{"n":2}` || got.Header.Get("ETag") != two {
			t.Errorf("the state is %s with %s", got.Body, got.Header.Get("ETag"))
		}
		c.widget(token, "PUT", statePath, m{"n": 4}, "If-Match", "*").WantStatus(http.StatusOK)
		c.widget(token, "PUT", statePath, m{"n": 5}).WantStatus(http.StatusOK)
	})
}

// TestSessionFile checks that a saved file is returned byte for byte.
func TestSessionFile(t *testing.T) {
	apitest.RunOnDatabases(t, func(t *testing.T, s *apitest.Site) {
		c := backend(t, s)
		token := c.newSession(nil).token
		c.widget(token, "GET", filePath, nil).WantStatus(http.StatusNotFound)
		for _, file := range [][]byte{[]byte("email\na@example.org\n"), {0, 1, 0xff, 0xfe}, {}, bytes.Repeat([]byte("0123456789abcdef"), 200000)} {
			saved := c.widget(token, "PUT", filePath, file, "Content-Type", "text/csv", "X-File-Name", "%C3%BC.csv").WantStatus(http.StatusOK)
			read := c.widget(token, "GET", filePath, nil).WantStatus(http.StatusOK)
			if !bytes.Equal(read.Body, file) || read.Header.Get("ETag") != saved.Header.Get("ETag") || read.Header.Get("ETag") == "" {
				t.Errorf("of %d bytes %d are read, tags %s and %s", len(file), len(read.Body), saved.Header.Get("ETag"), read.Header.Get("ETag"))
			}
			if got := read.Header.Get("Content-Disposition"); !strings.HasPrefix(got, "attachment") || !strings.Contains(got, "%C3%BC.csv") {
				t.Errorf("Content-Disposition is %q", got)
			}
		}
		for _, digest := range []string{"AAAAAAAAAAAAAAAAAAAAAA==", "no digest"} {
			c.widget(token, "PUT", filePath, "x", "Content-MD5", digest).WantStatus(http.StatusBadRequest)
		}
		if got := c.widget(token, "GET", filePath, nil).WantStatus(http.StatusOK); len(got.Body) != 3200000 {
			t.Errorf("a refused file left %d bytes", len(got.Body))
		}
	})
}
