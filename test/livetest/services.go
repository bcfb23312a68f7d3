package livetest

import (
	"context"
	"fmt"
	"net"
	"os"
	"sync"
	"testing"

	"github.com/jackc/pgx/v5"

	"github.com/intraydata/intray/test/pgtest"
)

// Postgres creates a database and returns its URL. The database is removed when the test
// ends. Postgres skips the test if [pgtest.Variable] is not set.
func Postgres(t testing.TB) string {
	t.Helper()
	server := pgtest.Server()
	if server == "" {
		t.Skipf("SKIPPED: no PostgreSQL, %s is not set; `make postgres` starts a server and prints its URL", pgtest.Variable)
	}
	// Do not use the test's context, which may have ended. See PackageScope.
	ctx := context.Background()
	name, address, err := pgtest.Create(ctx, server)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if n, err := countDeadlocks(ctx, server, name); err != nil {
			t.Error(err)
		} else if n > 0 {
			t.Errorf("PostgreSQL ended %d deadlocks, each after a second; its log shows the statements", n)
		}
		if err := pgtest.Drop(ctx, server, name); err != nil {
			fmt.Fprintln(os.Stderr, err)
		}
	})
	return address
}

// countDeadlocks returns the number of deadlocks in a database that is no longer used.
func countDeadlocks(ctx context.Context, server, database string) (n int64, err error) {
	err = pgtest.Use(ctx, server, func(conn *pgx.Conn) error {
		return conn.QueryRow(ctx, "SELECT deadlocks FROM pg_stat_database WHERE datname = $1", database).Scan(&n)
	})
	if err != nil {
		return 0, fmt.Errorf("count deadlocks: %w", err)
	}
	return n, nil
}

// Listen serves each connection to a loopback port until the test ends. Then it closes all
// open connections.
func Listen(t testing.TB, serve func(net.Conn)) (port int) {
	t.Helper()
	return NewListener(t, serve).Port
}

// Listener serves connections to a loopback port. Its methods must not be called concurrently.
type Listener struct {
	Port int

	t      testing.TB
	serve  func(net.Conn)
	socket net.Listener
	all    sync.WaitGroup
	open   sync.Map
}

// NewListener serves each connection with the function serve until Stop is called or the test
// ends.
func NewListener(t testing.TB, serve func(net.Conn)) *Listener {
	t.Helper()
	l := &Listener{t: t, serve: serve}
	l.Start()
	t.Cleanup(func() {
		l.Stop()
		l.all.Wait()
	})
	return l
}

// Start accepts connections again after Stop, on the same port.
func (l *Listener) Start() {
	l.t.Helper()
	socket, err := net.Listen("tcp", fmt.Sprint("127.0.0.1:", l.Port))
	if err != nil {
		l.t.Fatal(err)
	}
	l.socket, l.Port = socket, socket.Addr().(*net.TCPAddr).Port
	l.all.Go(func() {
		for {
			conn, err := socket.Accept()
			if err != nil {
				return
			}
			l.open.Store(conn, nil)
			l.all.Go(func() {
				defer l.open.Delete(conn)
				defer func() { _ = conn.Close() }()
				l.serve(conn)
			})
		}
	})
}

// Stop closes all connections. The port refuses new ones. A process that the function serve has
// started may still have a connection open.
func (l *Listener) Stop() {
	_ = l.socket.Close()
	l.open.Range(func(conn, _ any) bool {
		_ = conn.(net.Conn).Close()
		return true
	})
}
