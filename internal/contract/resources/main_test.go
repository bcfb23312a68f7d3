package resources_test

import (
	"os"
	"path/filepath"
	"sync"
	"testing"

	"github.com/intraydata/intray/internal/livetest"
)

func TestMain(m *testing.M) {
	status := m.Run()
	for _, end := range ends.list {
		end()
	}
	livetest.Clean()
	os.Exit(status)
}

// ends is what is to be done after the last test.
var ends struct {
	sync.Mutex
	list []func()
}

// atEnd has end called after the last test, before those that were given
// earlier.
func atEnd(end func()) {
	ends.Lock()
	defer ends.Unlock()
	ends.list = append([]func(){end}, ends.list...)
}

// lasting lets what is started for one test live as long as all tests.
type lasting struct{ testing.TB }

func (lasting) Cleanup(end func()) { atEnd(end) }

// databases are the kinds that each test runs on.
var databases = []string{"sqlite", "postgres"}

// each runs a test once for each database, on the site that all tests share.
func each(t *testing.T, test func(t *testing.T, s *site)) {
	t.Parallel()
	for _, database := range databases {
		t.Run(database, func(t *testing.T) {
			t.Parallel()
			test(t, shared(t, database))
		})
	}
}

// eachFresh is each on a site of the test's own, with further flags.
func eachFresh(t *testing.T, args []string, test func(t *testing.T, s *site)) {
	t.Parallel()
	for _, database := range databases {
		t.Run(database, func(t *testing.T) {
			t.Parallel()
			test(t, start(t, t.TempDir(), storeOf(t, t, database), livetest.Config{Args: args}))
		})
	}
}

// site is one running program.
type site struct {
	*livetest.Server
	// store are the flags that lead a command to the same store.
	store []string
	// database is the address of the PostgreSQL database, or "".
	database string
	document *document
	secrets  *secrets

	mu   sync.Mutex
	orgs map[string]org
}

// start starts a program in folder. store are its flags of the database.
func start(t testing.TB, folder string, store []string, cfg livetest.Config) *site {
	t.Helper()
	cfg.Data = filepath.Join(folder, "intray-files")
	cfg.Args = append(cfg.Args, store...)
	s := &site{
		Server: livetest.Start(t, cfg), store: append([]string{"--data", cfg.Data}, store...),
		secrets: &secrets{}, orgs: map[string]org{},
	}
	if len(store) == 2 {
		s.database = store[1]
	}
	s.secrets.add(livetest.BackendKey, livetest.FrontendKey)
	s.document = readDocument(t, s.Server)
	return s
}

var sites struct {
	sync.Mutex
	byDatabase map[string]*site
}

// shared gives the site of a database that all tests share. It may reach the
// loopback network.
func shared(t *testing.T, database string) *site {
	t.Helper()
	sites.Lock()
	defer sites.Unlock()
	if s := sites.byDatabase[database]; s != nil {
		return s
	}
	store := storeOf(t, lasting{t}, database)
	folder, err := os.MkdirTemp("", "intray-contract-*")
	if err != nil {
		t.Fatal(err)
	}
	atEnd(func() { _ = os.RemoveAll(folder) })
	if sites.byDatabase == nil {
		sites.byDatabase = map[string]*site{}
	}
	s := start(lasting{t}, folder, store, livetest.Config{Args: []string{"--egress-allow", "127.0.0.0/8"}})
	sites.byDatabase[database] = s
	return s
}

// storeOf gives the flags of a database of one's own, which is gone with
// owner.
func storeOf(t *testing.T, owner testing.TB, database string) []string {
	t.Helper()
	if database == "sqlite" {
		return nil
	}
	return []string{"--database-url", postgresURL(t, owner)}
}
