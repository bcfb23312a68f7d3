// Package servertest provides the environment for tests of the server's use cases:
// an empty database, blobs in memory, a clock that tests advance, and a fake SFTP
// server. [Faults] makes each use of these dependencies fail in turn.
package servertest

import (
	"context"
	"encoding/base64"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/intraydata/intray/engine"
	"github.com/intraydata/intray/server/model"
	"github.com/intraydata/intray/server/queue"
	"github.com/intraydata/intray/server/secrets"
	"github.com/intraydata/intray/server/service"
	"github.com/intraydata/intray/server/sqlstore"
	"github.com/intraydata/intray/source/formats"
)

// Started is the time at the start of every test.
var Started = time.Date(2026, 3, 4, 5, 6, 7, 891011000, time.UTC)

// Node is the name of the process under test.
const Node = "folder/one"

// Must fails the test if err is not nil.
func Must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// Clock is a clock that only tests advance.
type Clock struct {
	mu  sync.Mutex
	now time.Time
}

// Now returns the time of the clock.
func (c *Clock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now
}

// Advance advances the clock by d.
func (c *Clock) Advance(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now = c.now.Add(d)
}

// Env is the test environment of a service.
type Env struct {
	// Store injects no faults. The stores returned by Config and Model do.
	Store *sqlstore.Store
	// Path is the path of the SQLite database, or "" with PostgreSQL.
	Path   string
	Blobs  *Blobs
	Clock  *Clock
	Faults *Faults
	Keys   secrets.Keyring
}

// New returns an environment with an empty SQLite database, which it closes when the test ends.
func New(t *testing.T) *Env {
	t.Helper()
	database, err := migrated()
	Must(t, err)
	path := filepath.Join(t.TempDir(), "intray.db")
	Must(t, os.WriteFile(path, database, 0o600))
	return Open(t, sqlstore.Config{Path: path})
}

// Open is like New, but with the given database.
func Open(t *testing.T, cfg sqlstore.Config) *Env {
	t.Helper()
	cfg.Queue = queue.Config{Node: Node}
	store, err := sqlstore.Open(t.Context(), cfg)
	Must(t, err)
	t.Cleanup(func() { Must(t, store.Close()) })
	master, err := secrets.ParseMaster(base64.StdEncoding.EncodeToString([]byte(strings.Repeat("m", 32))))
	Must(t, err)
	faults := &Faults{}
	return &Env{Store: store, Path: cfg.Path, Blobs: newBlobs(faults), Clock: &Clock{now: Started}, Faults: faults, Keys: master.Keyring()}
}

// migrated returns the file of an empty database. It is created once, because
// creating the tables takes longer than most tests.
var migrated = sync.OnceValues(func() ([]byte, error) {
	folder, err := os.MkdirTemp("", "intray-server-*")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(folder)
	path := filepath.Join(folder, "intray.db")
	store, err := sqlstore.Open(context.Background(), sqlstore.Config{Path: path, Queue: queue.Config{Node: Node}})
	if err != nil {
		return nil, err
	}
	if err := store.Close(); err != nil {
		return nil, err
	}
	return os.ReadFile(path)
})

// Config returns the configuration for a service in the environment.
func (e *Env) Config() service.Config {
	return service.Config{
		Store: e.Faults.Store(e.Store), Blobs: e.Blobs, Direct: e.Blobs, Keys: e.Keys, Node: Node, Clock: e.Clock.Now, Rand: e.Faults.Rand(),
		Engine: engine.New(engine.Config{Formats: formats.Formats(""), Workers: 2}),
	}
}

// Model returns the environment for a single use case.
func (e *Env) Model() *model.Env {
	return &model.Env{
		Store: e.Faults.Store(e.Store), Blobs: e.Blobs, Keys: e.Keys, Node: Node, Clock: e.Clock.Now, Rand: e.Faults.Rand(), Observer: model.Unobserved{},
		Log: slog.New(slog.DiscardHandler), CrashPoint: func(string) {},
	}
}

// Log is a log in memory. It is safe for concurrent use.
type Log struct {
	mu   sync.Mutex
	text strings.Builder
}

// Write appends to the log.
func (l *Log) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.Write(p)
}

// String returns the content of the log.
func (l *Log) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.String()
}
