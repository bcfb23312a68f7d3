package resources_test

import (
	"crypto/rand"
	"os"
	"testing"

	"github.com/intraydata/intray/test/apitest"
	"github.com/intraydata/intray/test/livetest"
	"github.com/intraydata/intray/test/suite"
)

func TestMain(m *testing.M) {
	status := suite.Run(m, suite.Contract)
	livetest.Cleanup()
	os.Exit(status)
}

// client calls a site with one key and checks every response.
type client struct{ apitest.Client }

// m is a JSON object.
type m = map[string]any

// backend returns a client of the initial organization.
func backend(t testing.TB, s *apitest.Site) client { return client{s.Client(t, livetest.BackendKey)} }

// nobody returns a client without a key.
func nobody(t testing.TB, s *apitest.Site) client { return client{s.Client(t, "")} }

// fresh returns a client of a new organization.
func fresh(t testing.TB, s *apitest.Site) client { return client{s.Client(t, s.NewOrg(t).BackendKey)} }

// neighbor returns a client of a second organization, which all tests share.
func neighbor(t testing.TB, s *apitest.Site) client {
	t.Helper()
	return client{s.Client(t, s.Neighbor(t).BackendKey)}
}

const (
	schemasPath     = "/api/v1/schemas/"
	uploadsPath     = "/api/v1/uploads/"
	uploadPath      = "/api/v1/upload/"
	importsPath     = apitest.ImportsPath
	credentialsPath = "/api/v1/headless/sftp/credentials/"
	sessionsPath    = "/api/widget/session/v2/"
	statePath       = sessionsPath + "state/"
	filePath        = sessionsPath + "file/"
)

// contacts returns two fields: email, which is required, and name.
func contacts() []any {
	return []any{
		m{"key": "email", "label": "Email", "type": "email", "validators": []any{m{"validate": "required"}}},
		m{"key": "name", "label": "Name", "type": "string", "validators": []any{}},
	}
}

// unique returns a string that occurs nowhere else.
func unique(prefix string) string { return prefix + "-" + rand.Text() }

func schemaNamed(name string) m {
	return m{"name": name, "fields": contacts(), "settings": m{}}
}

func password(secret string) m {
	return m{"hostname": "10.0.0.1", "port": 22, "user": "anna", "auth_type": "PASSWORD", "password": secret}
}

// secret returns a password that must not occur in any response.
func secret(s *apitest.Site) string {
	secret := unique("secret")
	s.Secrets.Add(secret)
	return secret
}

// finished is an import that has ended or needs a review.
type finished struct {
	id, status, upload string
	reply              *livetest.Reply
}

// importFile imports a file with the fields of contacts.
func (c client) importFile(file string, settings m, more ...m) finished {
	c.T.Helper()
	body := m{"fields": contacts(), "settings": settings, "original_filename": "contacts.csv"}
	for _, extra := range more {
		for name, value := range extra {
			body[name] = value
		}
	}
	return ended(c.Import(body, file))
}

func ended(reply *livetest.Reply) finished {
	f := finished{id: reply.String("id"), status: reply.String("status"), reply: reply}
	if metadata, ok := reply.Object()["result_metadata"].(map[string]any); ok {
		f.upload, _ = metadata["id"].(string)
	}
	return f
}

// await waits until the import ends or needs a review.
func (c client) await(id string) finished {
	c.T.Helper()
	return ended(c.AwaitImport(id))
}

// get requests a signed URL without a key.
func (c client) get(address string) *livetest.Reply {
	c.T.Helper()
	return c.WithoutKey().Call("GET", address, nil)
}
