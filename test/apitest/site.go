// Package apitest runs contract tests. Each test runs on every supported database, and
// every response is checked against the rules for all responses.
//
// A [Site] is a running program on one database. The tests always use SQLite. They use PostgreSQL
// only if INTRAY_TEST_POSTGRES_URL is the URL of a server, and store files in S3 only if versitygw is
// installed, too. A [Client] calls a site with one key. A [Document] is the site's OpenAPI document.
//
// The package does not import the program. It sends HTTP requests and runs commands.
package apitest

import (
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/intraydata/intray/test/livetest"
	"github.com/intraydata/intray/test/s3test"
)

// These are the databases on which each test runs. PostgreSQLS3 is PostgreSQL with files in S3, to which
// clients can send files directly.
const (
	SQLite       = "sqlite"
	PostgreSQL   = "postgres"
	PostgreSQLS3 = "postgres-s3"
)

// RunOnDatabases runs a test once per database, on a site that all tests share.
func RunOnDatabases(t *testing.T, test func(t *testing.T, s *Site)) {
	onDatabases(t, func(t *testing.T, database string) { test(t, Shared(t, database)) })
}

// RunOnFreshDatabases runs a test once per database, on a new site with additional flags.
func RunOnFreshDatabases(t *testing.T, args []string, test func(t *testing.T, s *Site)) {
	onDatabases(t, func(t *testing.T, database string) {
		test(t, Start(t, database, livetest.Config{Args: args}))
	})
}

func onDatabases(t *testing.T, test func(t *testing.T, database string)) {
	t.Parallel()
	for _, database := range []string{SQLite, PostgreSQL, PostgreSQLS3} {
		t.Run(database, func(t *testing.T) {
			t.Parallel()
			test(t, database)
		})
	}
}

// Site is a running program.
type Site struct {
	*livetest.Server
	// Database is the URL of the PostgreSQL database, or "" for SQLite.
	Database string
	Document *Document
	Secrets  Secrets

	// store contains the flags that select the site's database, data folder and bucket, and env the
	// environment variables for the bucket.
	store, env []string
	// bucket is the folder of the site's bucket, or "".
	bucket string

	mu       sync.Mutex
	neighbor Org
}

// Start starts a program on a new database. When the test ends, the program is stopped and the
// database is removed.
func Start(t testing.TB, database string, cfg livetest.Config) *Site {
	t.Helper()
	s := &Site{}
	if database != SQLite {
		s.Database = livetest.Postgres(t)
		s.store = []string{"--database-url", s.Database}
	}
	if database == PostgreSQLS3 {
		server := s3test.Start(t)
		address, folder := server.Bucket(t)
		s.store, s.env, s.bucket = append(s.store, "--blob-url", address), server.Env(), folder
		cfg.Args, cfg.Env = append(cfg.Args, "--direct-uploads"), append(cfg.Env, s.env...)
	}
	cfg.Args = append(cfg.Args, s.store...)
	s.Server = livetest.Start(t, cfg)
	s.store = append(s.store, "--data", s.DataDir())
	s.Secrets.Add(livetest.BackendKey, livetest.FrontendKey)
	s.Document = readDocument(t, s.Server)
	return s
}

// Replica starts another process that shares the database and the bucket. It ends with the test.
func (s *Site) Replica(t testing.TB) *livetest.Server {
	t.Helper()
	key, err := os.ReadFile(filepath.Join(s.DataDir(), "master.key"))
	if err != nil {
		t.Fatal(err)
	}
	args := append([]string{"--direct-uploads"}, s.store[:len(s.store)-2]...) // without the data folder
	return livetest.Start(t, livetest.Config{Args: args, Env: append(s.env[:len(s.env):len(s.env)], "INTRAY_MASTER_KEY="+strings.TrimSpace(string(key)))})
}

// AllowsDirectUploads reports whether clients can send files directly to the bucket.
func (s *Site) AllowsDirectUploads() bool { return s.bucket != "" }

// Folders returns the folders with everything that the site stores, except in PostgreSQL.
func (s *Site) Folders() []string {
	if s.bucket != "" {
		return []string{s.DataDir(), s.bucket}
	}
	return []string{s.DataDir()}
}

var sites struct {
	sync.Mutex
	byDatabase map[string]*Site
}

// Shared returns the site that all tests of a package share for a database. The site may
// connect to loopback addresses. It does not limit failed authentications, because all tests use
// one client address.
func Shared(t testing.TB, database string) *Site {
	t.Helper()
	sites.Lock()
	defer sites.Unlock()
	if s := sites.byDatabase[database]; s != nil {
		return s
	}
	s := Start(livetest.PackageScope(t), database, livetest.Config{Args: []string{"--egress-allow", "127.0.0.0/8", "--rate-auth-failures", "0"}})
	if sites.byDatabase == nil {
		sites.byDatabase = map[string]*Site{}
	}
	sites.byDatabase[database] = s
	return s
}
