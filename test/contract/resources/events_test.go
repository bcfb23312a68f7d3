package resources_test

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/intraydata/intray/test/apitest"
	"github.com/intraydata/intray/test/webhooksignature"
)

// call is a request to the receiver.
type call struct {
	head http.Header
	body []byte
}

// receiver is an HTTP server on loopback that rejects the first calls and accepts all later ones.
type receiver struct {
	url   string
	mu    sync.Mutex
	calls []call
	// refused is the number of calls to answer with 500.
	refused int
}

func newReceiver(t *testing.T, refused int) *receiver {
	t.Helper()
	h := &receiver{refused: refused}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		h.mu.Lock()
		defer h.mu.Unlock()
		h.calls = append(h.calls, call{r.Header, body})
		if err != nil || len(h.calls) <= h.refused {
			w.WriteHeader(http.StatusInternalServerError)
		}
	}))
	t.Cleanup(server.Close)
	h.url = server.URL + "/hook"
	return h
}

// await waits for n calls and returns all calls so far.
func (h *receiver) await(t *testing.T, n int) (calls []call) {
	t.Helper()
	apitest.Eventually(t, "the receiver is called", func() bool {
		h.mu.Lock()
		defer h.mu.Unlock()
		calls = slices.Clone(h.calls)
		return len(calls) >= n
	})
	return calls
}

// verify checks the signature of a call as its receiver does.
func (c call) verify(t *testing.T, secret string) {
	t.Helper()
	if err := webhooksignature.Verify(secret, c.head, c.body); err != nil {
		t.Errorf("verify a call: %v", err)
	}
	if webhooksignature.Verify(secret, c.head, append(slices.Clone(c.body), ' ')) == nil {
		t.Error("an altered body has a valid signature")
	}
}

// webhook creates a webhook and returns its id and secret.
func (c client) webhook(url any, more m) (id, secret string) {
	c.T.Helper()
	body := m{"url": url}
	for name, value := range more {
		body[name] = value
	}
	made := c.Call("POST", webhooksPath, body).WantStatus(http.StatusCreated)
	return made.String("id"), made.String("secret")
}

// TestWebhookLife checks creating, reading, replacing and deleting a webhook.
func TestWebhookLife(t *testing.T) {
	apitest.RunOnDatabases(t, func(t *testing.T, s *apitest.Site) {
		c := fresh(t, s)
		made := c.Call("POST", webhooksPath, m{"url": "http://hooks.example.org/a"}).WantStatus(http.StatusCreated)
		id, secret := made.String("id"), made.String("secret")
		if warnings, _ := made.Object()["warnings"].([]any); len(warnings) != 1 || !strings.HasPrefix(secret, "whsec_") {
			t.Errorf("a webhook over http: %s", made.Body)
		}
		s.Secrets.Add(secret) // later responses must not contain it
		c.Call("GET", webhooksPath+id+"/", nil).WantStatus(http.StatusOK)
		c.Call("PUT", webhooksPath+id+"/", m{"url": "https://hooks.example.org/b", "events": []any{"import_completed"}, "enabled": false}).WantStatus(http.StatusOK)
		list := c.Call("GET", webhooksPath, nil).WantStatus(http.StatusOK).Array()
		if len(list) != 1 || list[0].(m)["url"] != "https://hooks.example.org/b" || list[0].(m)["enabled"] != false {
			t.Errorf("the list is %v", list)
		}
		if again := c.Call("POST", webhooksPath+id+"/rotate/", nil).WantStatus(http.StatusOK).String("secret"); again == secret {
			t.Error("the secret did not change")
		}
		for _, wrong := range []any{"", "ftp://example.org/", "https://user:pass@example.org/", "https:///x", strings.Repeat("x", 3000), 7} {
			c.Call("POST", webhooksPath, m{"url": wrong}).WantStatus(http.StatusBadRequest)
		}
		c.Call("POST", webhooksPath, m{"url": "https://example.org/", "events": []any{"made_up"}}).WantStatus(http.StatusBadRequest)
		c.Call("POST", webhooksPath+id+"/redeliver/", m{"since": "2026-01-01T00:00:00Z"}).WantStatus(http.StatusConflict)
		c.Call("DELETE", webhooksPath+id+"/", nil).WantStatus(http.StatusNoContent)
		c.Call("GET", webhooksPath+id+"/", nil).WantStatus(http.StatusNotFound)
		c.Call("DELETE", webhooksPath+id+"/", nil).WantStatus(http.StatusNotFound)
	})
}

// TestWebhookMessages checks the messages to a receiver that rejects the first attempt, and
// the signatures of a redelivery after the secret was rotated.
func TestWebhookMessages(t *testing.T) {
	apitest.RunOnDatabases(t, func(t *testing.T, s *apitest.Site) {
		c, hook := fresh(t, s), newReceiver(t, 1)
		id, secret := c.webhook(hook.url, m{"import_identifiers": []any{"people"}})
		c.importFile("email\nanna@example.org\n", m{"importIdentifier": "others"})
		done := c.importFile("email\nanna@example.org\n", m{"importIdentifier": "people"})
		calls := hook.await(t, 2)
		for _, one := range calls {
			one.verify(t, secret)
		}
		name := calls[0].head.Get("Webhook-Id")
		if calls[1].head.Get("Webhook-Id") != name || string(calls[0].body) != string(calls[1].body) {
			t.Errorf("the second attempt has another message id: %v, %v", calls[0].head, calls[1].head)
		}
		var message struct {
			Event string
			Data  struct {
				ID       string
				Headless m
			}
		}
		if err := json.Unmarshal(calls[0].body, &message); err != nil || message.Event != "import_completed" || message.Data.ID != done.upload || message.Data.Headless["id"] != done.id {
			t.Errorf("%v: %s", err, calls[0].body)
		}
		if message.Data.Headless["review_url"] != nil {
			t.Error("the message contains a review token")
		}
		second := c.Call("POST", webhooksPath+id+"/rotate/", nil).WantStatus(http.StatusOK).String("secret")
		c.Call("POST", webhooksPath+id+"/redeliver/", m{"delivery_id": name}).WantStatus(http.StatusOK)
		last := hook.await(t, 3)[2]
		last.verify(t, secret)
		last.verify(t, second)
		c.checkDeliveries(id, name)
	})
}

// checkDeliveries checks the deliveries of a message that needed three attempts.
func (c client) checkDeliveries(id, name string) {
	c.T.Helper()
	var attempts []any
	apitest.Eventually(c.T, "three attempts are listed", func() bool {
		list := c.Call("GET", webhooksPath+id+"/deliveries/", nil).WantStatus(http.StatusOK).Object()["results"].([]any)
		if len(list) != 1 || list[0].(m)["id"] != name {
			c.T.Fatalf("the deliveries are %v", list)
		}
		attempts = list[0].(m)["attempts"].([]any)
		return len(attempts) == 3 && list[0].(m)["status"] == "DELIVERED"
	})
	for n, want := range []float64{500, 200, 200} {
		if one := attempts[n].(m); one["number"] != float64(n+1) || one["status_code"] != want || one["delivered"] != (want == 200) {
			c.T.Errorf("attempt %d: %v", n+1, one)
		}
	}
}

// TestSettingsAddresses checks the requests to the webhook URLs in a schema's settings.
func TestSettingsAddresses(t *testing.T) {
	apitest.RunOnDatabases(t, func(t *testing.T, s *apitest.Site) {
		c, hook := fresh(t, s), newReceiver(t, 0)
		secret := c.Call("GET", webhooksPath+"signing-secret/", nil).WantStatus(http.StatusOK).String("secret")
		settings := m{"webhookUrl": hook.url, "needsReviewWebhookUrl": hook.url, "invalidDataBehavior": "BLOCK_SUBMIT"}
		done := c.importFile("email\nanna@example.org\n", settings)
		open := c.importFile("email\nnobody\n", settings)
		var forms []string
		for _, one := range hook.await(t, 2) {
			one.verify(t, secret)
			form, err := url.ParseQuery(string(one.body))
			if err != nil || len(form) != 1 {
				t.Errorf("not a form with one field: %s", one.body)
			}
			forms = append(forms, form.Encode())
		}
		slices.Sort(forms)
		if want := []string{"headlessImportId=" + open.id, "uploadId=" + done.upload}; !slices.Equal(forms, want) {
			t.Errorf("the forms are %q, want %q", forms, want)
		}
	})
}

// TestConnectorLife checks creating, reading, replacing, running and deleting a connector.
func TestConnectorLife(t *testing.T) {
	apitest.RunOnDatabases(t, func(t *testing.T, s *apitest.Site) {
		c, right := fresh(t, s), secret(s)
		port, _ := servePassword(t, right)
		credential := c.credential(m{"hostname": "127.0.0.1", "port": port, "user": "anna", "auth_type": "PASSWORD", "password": right})
		saved := c.Call("POST", schemasPath, schemaNamed(unique("s"))).WantStatus(http.StatusCreated).String("id")
		gone := t.TempDir() + "/gone"
		body := func(schedule m, more ...m) m {
			all := m{"credentials": credential, "schema": saved, "directory": gone, "schedule": schedule}
			for _, one := range more {
				for name, value := range one {
					all[name] = value
				}
			}
			return all
		}
		five := m{"type": "every_n_minutes", "minutes": 5}
		made := c.Call("POST", connectorsPath, body(five, m{"deliver_to": m{"directory": "/out", "format": "csv"}})).WantStatus(http.StatusCreated)
		id := made.String("id")
		for _, wrong := range []m{
			body(m{"type": "every_n_minutes", "minutes": 4}), body(m{"type": "daily_at_time", "time_utc": "24:00"}), body(m{"type": "daily_at_time", "minutes": 5}),
			body(five, m{"credentials": absent}), body(five, m{"schema": absent}), body(five, m{"directory": "/a/../b"}), body(five, m{"file_regex": "(a"}),
			body(five, m{"deliver_to": m{"directory": "/out", "format": "pdf"}}), body(five, m{"more": 1}),
		} {
			c.Call("POST", connectorsPath, wrong).WantStatus(http.StatusBadRequest)
		}
		run := func(n int) m {
			var list []any
			apitest.Eventually(t, "the connector ran", func() bool {
				list = c.Call("GET", connectorsPath+id+"/runs/", nil).WantStatus(http.StatusOK).Object()["results"].([]any)
				return len(list) >= n
			})
			return list[0].(m)
		}
		if first := run(1); first["success"] != false || first["error_type"] != "missing" || !strings.Contains(first["error"].(string), gone) {
			t.Errorf("a missing directory: %v", first)
		}
		now := c.Call("GET", connectorsPath+id+"/", nil).WantStatus(http.StatusOK).Object()
		if now["num_failures"] != 1.0 || now["last_run_date"] == nil {
			t.Errorf("after a failure: %v", now)
		}
		c.Call("PUT", connectorsPath+id+"/", body(m{"type": "daily_at_time", "time_utc": "03:00"}, m{"directory": t.TempDir()})).WantStatus(http.StatusOK)
		c.Call("POST", connectorsPath+id+"/run/", nil).WantStatus(http.StatusOK)
		if second := run(2); second["success"] != true || second["num_files"] != 0.0 {
			t.Errorf("an empty directory: %v", second)
		}
		c.Call("DELETE", connectorsPath+id+"/", nil).WantStatus(http.StatusNoContent)
		c.Call("GET", connectorsPath+id+"/runs/", nil).WantStatus(http.StatusNotFound)
	})
}
