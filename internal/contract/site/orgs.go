package site

import (
	"crypto/rand"
	"regexp"
	"strings"
	"testing"

	"github.com/intraydata/intray/internal/livetest"
)

// Org is an organization with a backend key.
type Org struct {
	Name, BackendKey string
}

// Command runs a command of the program on the site's store, beside the program
// that serves.
func (s *Site) Command(t testing.TB, args ...string) (stdout, stderr string) {
	t.Helper()
	out, log, status := livetest.Run(t, t.TempDir(), nil, append(args, s.store...)...)
	if status != 0 {
		t.Fatalf("intray %s: status %d: %s", strings.Join(args, " "), status, log)
	}
	return out, log
}

// NewOrg makes an organization that nobody else uses.
func (s *Site) NewOrg(t testing.TB) Org {
	t.Helper()
	o := Org{Name: "org-" + strings.ToLower(rand.Text())}
	s.Command(t, "orgs", "create", o.Name)
	o.BackendKey, _ = s.NewKey(t, o.Name, "backend")
	return o
}

var revokeWith = regexp.MustCompile(`keys revoke (\S+)`)

// NewKey makes a key, and gives the id that revokes it.
func (s *Site) NewKey(t testing.TB, org, kind string, flags ...string) (key, id string) {
	t.Helper()
	out, log := s.Command(t, append([]string{"keys", "create", "--org", org, "--kind", kind}, flags...)...)
	match := revokeWith.FindStringSubmatch(log)
	if match == nil {
		t.Fatalf("keys create does not tell the id: %s", log)
	}
	key = strings.TrimSpace(out)
	s.Secrets.Add(key)
	return key, match[1]
}

// Neighbour is a second organization, which the tests of a site share.
func (s *Site) Neighbour(t testing.TB) Org {
	t.Helper()
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.neighbour.Name == "" {
		s.neighbour = s.NewOrg(t)
	}
	return s.neighbour
}
