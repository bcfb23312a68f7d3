// Package apitest runs contract tests: each test runs on every supported database,
// and every response is checked against the rules that all responses follow.
//
// A [Site] is a running program on one database: always SQLite, and PostgreSQL if
// INTRAY_TEST_POSTGRES_URL names a server. A [Client] calls a site with one key. A
// [Document] is the site's OpenAPI document.
//
// The package does not import the program: it sends HTTP requests and runs commands.
package apitest

import (
	"sync"
	"testing"

	"github.com/intraydata/intray/test/livetest"
)

// SQLite and PostgreSQL are the databases that each test runs on.
const (
	SQLite     = "sqlite"
	PostgreSQL = "postgres"
)

// RunOnDatabases runs a test once for each database, on a site that all tests share.
func RunOnDatabases(t *testing.T, test func(t *testing.T, s *Site)) {
	onDatabases(t, func(t *testing.T, database string) { test(t, Shared(t, database)) })
}

// RunOnFreshDatabases runs a test once for each database, on a new site with further flags.
func RunOnFreshDatabases(t *testing.T, args []string, test func(t *testing.T, s *Site)) {
	onDatabases(t, func(t *testing.T, database string) {
		test(t, Start(t, database, livetest.Config{Args: args}))
	})
}

func onDatabases(t *testing.T, test func(t *testing.T, database string)) {
	t.Parallel()
	for _, database := range []string{SQLite, PostgreSQL} {
		t.Run(database, func(t *testing.T) {
			t.Parallel()
			test(t, database)
		})
	}
}

// Site is one running program.
type Site struct {
	*livetest.Server
	// Database is the URL of the PostgreSQL database, or "".
	Database string
	Document *Document
	Secrets  Secrets

	// store holds the flags that select the site's store.
	store []string

	mu        sync.Mutex
	neighbour Org
}

// Start starts a program on a new database. Both are removed after the test.
func Start(t testing.TB, database string, cfg livetest.Config) *Site {
	t.Helper()
	s := &Site{}
	if database == PostgreSQL {
		s.Database = livetest.Postgres(t)
		s.store = []string{"--database-url", s.Database}
	}
	cfg.Args = append(cfg.Args, s.store...)
	s.Server = livetest.Start(t, cfg)
	s.store = append(s.store, "--data", s.DataDir())
	s.Secrets.Add(livetest.BackendKey, livetest.FrontendKey)
	s.Document = readDocument(t, s.Server)
	return s
}

var sites struct {
	sync.Mutex
	byDatabase map[string]*Site
}

// Shared returns the site that all tests of a package share on a database. It may
// connect to the loopback network.
func Shared(t testing.TB, database string) *Site {
	t.Helper()
	sites.Lock()
	defer sites.Unlock()
	if s := sites.byDatabase[database]; s != nil {
		return s
	}
	s := Start(livetest.PackageScope(t), database, livetest.Config{Args: []string{"--egress-allow", "127.0.0.0/8"}})
	if sites.byDatabase == nil {
		sites.byDatabase = map[string]*Site{}
	}
	sites.byDatabase[database] = s
	return s
}
