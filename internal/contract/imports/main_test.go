package imports_test

import (
	"context"
	"crypto/rand"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/jackc/pgx/v5"

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

// ends is what is to be done after the last test, the latest first.
var ends struct {
	sync.Mutex
	list []func()
}

// lasting lets what is started for one test live as long as all tests.
type lasting struct{ testing.TB }

func (lasting) Cleanup(end func()) {
	ends.Lock()
	defer ends.Unlock()
	ends.list = append([]func(){end}, ends.list...)
}

// databases are the kinds that each test runs on.
var databases = []string{"sqlite", "postgres"}

// each runs a test once for each database, on a program that all tests share.
func each(t *testing.T, test func(c client)) {
	t.Parallel()
	for _, database := range databases {
		t.Run(database, func(t *testing.T) {
			t.Parallel()
			test(client{t, shared(t, database), livetest.BackendKey})
		})
	}
}

// eachFresh is each on a program of the test's own, with further flags.
func eachFresh(t *testing.T, test func(c client), args ...string) {
	t.Parallel()
	for _, database := range databases {
		t.Run(database, func(t *testing.T) {
			t.Parallel()
			flags := append(storeFlags(t, t, database), args...)
			test(client{t, livetest.Start(t, livetest.Config{Args: flags}), livetest.BackendKey})
		})
	}
}

// onSQLite is for what no database has a part in.
func onSQLite(t *testing.T) client {
	t.Parallel()
	return client{t, shared(t, "sqlite"), livetest.BackendKey}
}

var servers struct {
	sync.Mutex
	byDatabase map[string]*livetest.Server
}

// shared gives the program of a database that all tests share.
func shared(t *testing.T, database string) *livetest.Server {
	t.Helper()
	servers.Lock()
	defer servers.Unlock()
	if s := servers.byDatabase[database]; s != nil {
		return s
	}
	flags := storeFlags(t, lasting{t}, database)
	folder, err := os.MkdirTemp("", "intray-contract-*")
	if err != nil {
		t.Fatal(err)
	}
	lasting{t}.Cleanup(func() { _ = os.RemoveAll(folder) })
	if servers.byDatabase == nil {
		servers.byDatabase = map[string]*livetest.Server{}
	}
	s := livetest.Start(lasting{t}, livetest.Config{Data: filepath.Join(folder, "intray-files"), Args: flags})
	servers.byDatabase[database] = s
	return s
}

// storeFlags are the flags that lead to a database which is gone with owner.
func storeFlags(t *testing.T, owner testing.TB, database string) []string {
	t.Helper()
	if database == "sqlite" {
		return nil
	}
	return []string{"--database-url", postgresURL(t, owner)}
}

// postgresURL makes an empty database that is dropped with owner.
func postgresURL(t *testing.T, owner testing.TB) string {
	t.Helper()
	server := os.Getenv("INTRAY_TEST_POSTGRES_URL")
	if server == "" {
		t.Skip("SKIPPED: no PostgreSQL, INTRAY_TEST_POSTGRES_URL is not set (see .ci/postgres)")
	}
	name := "intray_imports_" + strings.ToLower(rand.Text())
	if err := execPostgres(server, "CREATE DATABASE "+name); err != nil {
		t.Fatal(err)
	}
	owner.Cleanup(func() {
		if err := execPostgres(server, "DROP DATABASE "+name+" WITH (FORCE)"); err != nil {
			fmt.Fprintln(os.Stderr, "drop the database of a test:", err)
		}
	})
	at, err := url.Parse(server)
	if err != nil {
		t.Fatal(err)
	}
	at.Path = "/" + name
	return at.String()
}

func execPostgres(server, command string) error {
	ctx := context.Background()
	conn, err := pgx.Connect(ctx, server)
	if err != nil {
		return fmt.Errorf("connect to the server of INTRAY_TEST_POSTGRES_URL: %w", err)
	}
	defer conn.Close(ctx)
	_, err = conn.Exec(ctx, command)
	return err
}
