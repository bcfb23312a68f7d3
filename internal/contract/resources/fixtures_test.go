package resources_test

import (
	"crypto/rand"
	"net/http"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/intraydata/intray/internal/livetest"
)

// org is an organization with a key of each kind.
type org struct {
	name, backendKey, frontendKey string
}

// command runs a command of the program on the site's store, beside the
// program that serves.
func (s *site) command(t testing.TB, args ...string) (stdout, stderr string) {
	t.Helper()
	out, log, status := livetest.Run(t, t.TempDir(), nil, append(args, s.store...)...)
	if status != 0 {
		t.Fatalf("intray %s: status %d: %s", strings.Join(args, " "), status, log)
	}
	return out, log
}

// newOrg makes an organization that nobody else uses.
func (s *site) newOrg(t testing.TB) org {
	t.Helper()
	o := org{name: "org-" + strings.ToLower(rand.Text())}
	s.command(t, "orgs", "create", o.name)
	o.backendKey, _ = s.newKey(t, o.name, "backend")
	return o
}

var revokeWith = regexp.MustCompile(`keys revoke (\S+)`)

// newKey makes a key, and gives the id that revokes it.
func (s *site) newKey(t testing.TB, orgName, kind string, flags ...string) (key, id string) {
	t.Helper()
	out, log := s.command(t, append([]string{"keys", "create", "--org", orgName, "--kind", kind}, flags...)...)
	match := revokeWith.FindStringSubmatch(log)
	if match == nil {
		t.Fatalf("keys create does not tell the id: %s", log)
	}
	key = strings.TrimSpace(out)
	s.secrets.add(key)
	return key, match[1]
}

// fresh is the client of an organization that nobody else uses.
func (s *site) fresh(t testing.TB) client { return client{t, s, s.newOrg(t).backendKey} }

// neighbour is the client of a second organization, which tests share.
func (s *site) neighbour(t testing.TB) client {
	t.Helper()
	s.mu.Lock()
	defer s.mu.Unlock()
	if _, made := s.orgs["neighbour"]; !made {
		s.orgs["neighbour"] = s.newOrg(t)
	}
	return client{t, s, s.orgs["neighbour"].backendKey}
}

const (
	schemasPath     = "/api/v1/schemas/"
	uploadsPath     = "/api/v1/uploads/"
	uploadPath      = "/api/v1/upload/"
	importsPath     = "/api/v1/headless/imports/"
	credentialsPath = "/api/v1/headless/sftp/credentials/"
	sessionsPath    = "/api/widget/session/v2/"
	statePath       = sessionsPath + "state/"
	filePath        = sessionsPath + "file/"
)

// contacts are two fields: a required e-mail address and a name.
func contacts() []any {
	return []any{
		m{"key": "email", "label": "Email", "type": "email", "validators": []any{m{"validate": "required"}}},
		m{"key": "name", "label": "Name", "type": "string", "validators": []any{}},
	}
}

// unique gives a text that nothing else has.
func unique(prefix string) string { return prefix + "-" + rand.Text() }

func schemaNamed(name string) m {
	return m{"name": name, "fields": contacts(), "settings": m{}}
}

func password(secret string) m {
	return m{"hostname": "10.0.0.1", "port": 22, "user": "anna", "auth_type": "PASSWORD", "password": secret}
}

// secret gives a password that no answer may hold.
func (s *site) secret() string {
	secret := unique("secret")
	s.secrets.add(secret)
	return secret
}

// finished is an import that has ended or waits for a person.
type finished struct {
	id, status, upload string
	reply              *livetest.Reply
}

// importFile sends a file through an import with the fields contacts.
func (c client) importFile(file string, settings m, more ...m) finished {
	c.t.Helper()
	body := m{"fields": contacts(), "settings": settings, "original_filename": "contacts.csv"}
	for _, extra := range more {
		for name, value := range extra {
			body[name] = value
		}
	}
	made := c.call("POST", importsPath, body).Want(http.StatusCreated)
	c.put(made.String("upload"), file).Want(http.StatusOK)
	return c.await(made.String("id"))
}

// put sends a file to a signed address, as its holder does: without a key.
func (c client) put(address string, file any) *livetest.Reply {
	c.t.Helper()
	c.key = ""
	return c.call("PUT", address, file, "Content-Type", "application/octet-stream")
}

// get reads a signed address without a key.
func (c client) get(address string) *livetest.Reply {
	c.t.Helper()
	c.key = ""
	return c.call("GET", address, nil)
}

// patience is how long a test waits for what must come.
const patience = 20 * time.Second

func (c client) await(id string) finished {
	c.t.Helper()
	f := finished{id: id}
	eventually(c.t, "import "+id+" ends", func() bool {
		f.reply = c.call("GET", importsPath+id+"/", nil).Want(http.StatusOK)
		f.status = f.reply.String("status")
		return f.status == "SUCCESSFUL" || f.status == "FAILED" || f.status == "NEEDS_REVIEW"
	})
	if metadata, ok := f.reply.Object()["result_metadata"].(map[string]any); ok {
		f.upload, _ = metadata["id"].(string)
	}
	return f
}

// eventually waits until something is so.
func eventually(t testing.TB, what string, so func() bool) {
	t.Helper()
	for end := time.Now().Add(patience); time.Now().Before(end); time.Sleep(10 * time.Millisecond) {
		if so() {
			return
		}
	}
	t.Fatalf("it does not come true that %s", what)
}
