package resources_test

import (
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/intraydata/intray/test/apitest"
)

// things contains the id of one resource of each kind in an organization, and a token.
type things struct {
	schema, imp, upload, credential, session, token, webhook, connector, link string
}

func (c client) makeThings() things {
	c.T.Helper()
	done := c.importFile("email,name\nanna@example.org,Anna\n", m{})
	session := c.Call("POST", sessionsPath+"auth/", nil).WantStatus(http.StatusCreated)
	th := things{
		schema: c.Call("POST", schemasPath, schemaNamed(unique("schema"))).WantStatus(http.StatusCreated).String("id"),
		imp:    done.id, upload: done.upload,
		credential: c.Call("POST", credentialsPath, password(secret(c.Site))).WantStatus(http.StatusCreated).String("id"),
		session:    session.String("sessionId"), token: session.String("hydrationId"),
	}
	th.webhook = c.Call("POST", webhooksPath, m{"url": nowhere}).WantStatus(http.StatusCreated).String("id")
	th.connector = c.Call("POST", connectorsPath, connectorWith(th.credential, th.schema)).WantStatus(http.StatusCreated).String("id")
	th.link = c.Call("POST", linksPath, m{"schema_id": th.schema}).WantStatus(http.StatusCreated).String("id")
	c.Call("PUT", statePath, m{"step": 1}, "X-Hydration-Id", th.token).WantStatus(http.StatusOK)
	return th
}

const (
	webhooksPath   = "/api/v1/webhooks/"
	connectorsPath = "/api/v1/headless/sftp/connectors/"
	linksPath      = "/api/v1/import-links/"
	// nowhere is a URL that nothing listens on.
	nowhere = "https://127.0.0.1:9/"
)

func connectorWith(credential, schema string) m {
	return m{"credentials": credential, "schema": schema, "directory": "/in", "schedule": m{"type": "daily_at_time", "time_utc": "03:00"}}
}

// idFor returns an id that fits an operation.
func (th things) idFor(o apitest.Operation) string {
	switch {
	case apitest.MatchesTemplate("/api/v1/headless/imports/{id}", o.Path), apitest.MatchesTemplate("/api/v1/headless/imports/{id}/url", o.Path),
		apitest.MatchesTemplate("/api/v1/headless/imports/{id}/questions", o.Path), apitest.MatchesTemplate("/api/v1/headless/imports/{id}/cells", o.Path):
		return th.imp
	case apitest.MatchesTemplate("/api/v1/schemas/{id}", o.Path), apitest.MatchesTemplate("/api/v1/schemas/{id}/extensions", o.Path):
		return th.schema
	case apitest.MatchesTemplate(sessionsPath+"{sessionId}", o.Path), apitest.MatchesTemplate(sessionsPath+"{sessionId}/auth", o.Path):
		return th.session
	case strings.HasPrefix(o.Path, webhooksPath):
		return th.webhook
	case strings.HasPrefix(o.Path, connectorsPath):
		return th.connector
	case strings.HasPrefix(o.Path, linksPath):
		return th.link
	case len(o.Path) > len(uploadPath) && o.Path[:len(uploadPath)] == uploadPath:
		return th.upload
	}
	return th.credential
}

// bodyFor returns a valid body for an operation.
func bodyFor(o apitest.Operation) any {
	switch o.OperationID {
	case "createSchema", "replaceSchema":
		return schemaNamed(unique("schema"))
	case "replaceSchemaExtensions":
		return m{"fields": m{}}
	case "createCredential", "replaceCredential":
		return password("anything")
	case "createImport":
		return m{"fields": contacts()}
	case "createWebhook", "replaceWebhook":
		return m{"url": nowhere}
	case "redeliver":
		return m{"delivery_id": "msg_none"}
	case "tellForwarded":
		return m{"delivery_id": "msg_none", "status_code": 200, "message": "It was taken."}
	case "createConnector", "replaceConnector":
		return connectorWith(absent, absent)
	case "createImportLink", "replaceImportLink":
		return m{"schema_id": absent}
	case "answerQuestions":
		return m{"answers": m{"sheet": "A"}}
	}
	return nil
}

// texts returns responses about the resources of an organization, keyed by path or kind.
func (c client) texts(th things) map[string]string {
	c.T.Helper()
	all := map[string]string{}
	for _, path := range []string{
		schemasPath + th.schema + "/", credentialsPath + th.credential + "/", linksPath + th.link + "/", schemasPath, credentialsPath, linksPath, uploadsPath,
	} {
		all[path] = c.Call("GET", path, nil).WantStatus(http.StatusOK).Text()
	}
	all["import"] = c.Call("GET", importsPath+th.imp+"/", nil).WantStatus(http.StatusOK).String("modified_date")
	all["upload"] = c.Call("GET", uploadPath+th.upload+"/metadata/", nil).WantStatus(http.StatusOK).String("upload_status")
	all["state"] = c.Call("GET", statePath, nil, "X-Hydration-Id", th.token).WantStatus(http.StatusOK).Text()
	return all
}

// TestOtherOrganization checks that the ids of a different organization are treated like
// unknown ids.
func TestOtherOrganization(t *testing.T) {
	apitest.RunOnDatabases(t, func(t *testing.T, s *apitest.Site) {
		owner, other := fresh(t, s), neighbor(t, s)
		th := owner.makeThings()
		before := owner.texts(th)
		tried := 0
		for _, o := range s.Document.WithSecurity("backendKey") {
			if !o.HasPathParameter() {
				continue
			}
			tried++
			want := http.StatusNotFound
			switch {
			case o.OperationID == "deleteSession":
				want = http.StatusOK
			case o.Deprecated: // removed, regardless of the id
				want = http.StatusGone
			}
			reply := other.Call(o.Method, o.PathWithID(th.idFor(o)), bodyFor(o))
			if reply.Status != want {
				t.Errorf("%s of another organization: %d, want %d: %s", o.OperationID, reply.Status, want, reply.Body)
			}
			unknown := other.Call(o.Method, o.PathWithID(absent), bodyFor(o))
			if unknown.Status != reply.Status || want == http.StatusNotFound && unknown.String("detail") != reply.String("detail") {
				t.Errorf("%s distinguishes another organization's id from an unknown one: %s and %s", o.OperationID, reply.Body, unknown.Body)
			}
		}
		if tried < 15 {
			t.Errorf("only %d operations take an id", tried)
		}
		after := owner.texts(th)
		for name := range before {
			if before[name] != after[name] {
				t.Errorf("%s was changed by another organization:\n%s\n%s", name, before[name], after[name])
			}
		}
	})
}

// TestListsAreOfOneOrganization checks that each list contains only resources of the key's
// organization.
func TestListsAreOfOneOrganization(t *testing.T) {
	apitest.RunOnDatabases(t, func(t *testing.T, s *apitest.Site) {
		owner, empty := fresh(t, s), fresh(t, s)
		th := owner.makeThings()
		for path, want := range map[string]string{schemasPath: th.schema, uploadsPath: th.upload, importsPath: th.imp, credentialsPath: th.credential} {
			if ids := idsIn(owner.Call("GET", path, nil).WantStatus(http.StatusOK).Body); len(ids) != 1 || ids[0] != want {
				t.Errorf("%s returns %v, want only %s", path, ids, want)
			}
			if ids := idsIn(empty.Call("GET", path, nil).WantStatus(http.StatusOK).Body); len(ids) != 0 {
				t.Errorf("%s shows another organization %v", path, ids)
			}
		}
	})
}

// idsIn returns the ids of the elements in a list response.
func idsIn(body []byte) (ids []string) {
	value, _ := apitest.Decode(body)
	if around, ok := value.(map[string]any); ok {
		value = around["results"]
		if value == nil {
			value = around["data"]
		}
	}
	list, _ := value.([]any)
	for _, element := range list {
		id, _ := element.(map[string]any)["id"].(string)
		ids = append(ids, id)
	}
	return ids
}

// TestSchemaOfOtherOrganization checks that an import cannot use a schema of a different
// organization.
func TestSchemaOfOtherOrganization(t *testing.T) {
	apitest.RunOnDatabases(t, func(t *testing.T, s *apitest.Site) {
		owner, other := fresh(t, s), neighbor(t, s)
		id := owner.Call("POST", schemasPath, schemaNamed("mine")).WantStatus(http.StatusCreated).String("id")
		for _, foreign := range []string{id, absent} {
			reply := other.Call("POST", importsPath, m{"schema_id": foreign}).WantStatus(http.StatusNotFound)
			if reply.Object()["schema_id"] == nil {
				t.Errorf("the field is not named: %s", reply.Body)
			}
		}
		// Names are unique only within an organization.
		other.Call("POST", schemasPath, schemaNamed(unique("shared"))).WantStatus(http.StatusCreated)
		other.Call("POST", schemasPath, schemaNamed("mine")).WantStatus(http.StatusCreated)
	})
}

// TestIDsThatAreNone checks that invalid ids return 404, or 401 for review calls without a
// cookie.
func TestIDsThatAreNone(t *testing.T) {
	apitest.RunOnDatabases(t, func(t *testing.T, s *apitest.Site) {
		for _, o := range s.Document.List {
			if !o.HasPathParameter() {
				continue
			}
			for _, id := range []string{
				"1", "nonsense", "0f8fad5bd9cb469fa16570867728950e", "{" + absent + "}", "urn:uuid:" + absent, absent + "0",
				"0f8fad5b-d9cb-469f-a165-70867728950g", "\x00", "%", "null", "0f8fad5b_d9cb_469f_a165_70867728950e",
			} {
				reply := backend(t, s).Call(o.Method, o.PathWithID(url.PathEscape(id)), bodyFor(o), "X-Hydration-Id", "none")
				want := http.StatusNotFound
				if strings.HasPrefix(o.Path, "/api/review/") && o.OperationID != "openReview" {
					want = http.StatusUnauthorized // a review requires the cookie of its import
				}
				if reply.Status != want {
					t.Errorf("%s with the id %q: %d %s", o.OperationID, id, reply.Status, reply.Body)
				}
			}
		}
	})
}

// TestIDsInAnyCase checks that ids are accepted in upper case.
func TestIDsInAnyCase(t *testing.T) {
	apitest.RunOnDatabases(t, func(t *testing.T, s *apitest.Site) {
		c := backend(t, s)
		id := c.Call("POST", schemasPath, schemaNamed(unique("schema"))).WantStatus(http.StatusCreated).String("id")
		if got := c.Call("GET", schemasPath+upper(id)+"/", nil).WantStatus(http.StatusOK).String("id"); got != id {
			t.Errorf("the id is %s, want %s", got, id)
		}
	})
}
