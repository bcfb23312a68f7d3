package livetest

import (
	"context"
	"crypto/ed25519"
	"crypto/rand"
	"fmt"
	"io"
	"net"
	"net/url"
	"os"
	"strings"
	"sync"
	"testing"

	"github.com/jackc/pgx/v5"
	pkgsftp "github.com/pkg/sftp"
	"golang.org/x/crypto/ssh"
)

// PostgresVariable names the server that tests may make databases on.
const PostgresVariable = "INTRAY_TEST_POSTGRES_URL"

// Postgres makes a fresh database and gives its address. It is removed with the
// test, which skips aloud where no server is given.
func Postgres(t testing.TB) string {
	t.Helper()
	server := os.Getenv(PostgresVariable)
	if server == "" {
		t.Skipf("SKIPPED: no PostgreSQL, %s is not set; `make postgres` starts a server and prints its address", PostgresVariable)
	}
	name := "live_" + strings.ToLower(rand.Text())
	if err := Administer("CREATE DATABASE " + name); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		// The test may be long over, see Lasting.
		if err := Administer("DROP DATABASE IF EXISTS " + name + " WITH (FORCE)"); err != nil {
			fmt.Fprintln(os.Stderr, err)
		}
	})
	address, err := url.Parse(server)
	if err != nil {
		t.Fatal(err)
	}
	address.Path = "/" + name
	return address.String()
}

// Administer gives a command to the server that PostgresVariable names.
func Administer(command string) error {
	ctx := context.Background()
	conn, err := pgx.Connect(ctx, os.Getenv(PostgresVariable))
	if err != nil {
		return fmt.Errorf("connect to the server of %s: %w", PostgresVariable, err)
	}
	defer conn.Close(ctx)
	if _, err := conn.Exec(ctx, command); err != nil {
		return fmt.Errorf("%s: %w", command, err)
	}
	return nil
}

// Listen serves each connection to a port of loopback until the test ends, which
// closes those that are open.
func Listen(t testing.TB, serve func(net.Conn)) (port int) {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	var all sync.WaitGroup
	var open sync.Map
	t.Cleanup(func() {
		_ = l.Close()
		open.Range(func(conn, _ any) bool {
			_ = conn.(net.Conn).Close()
			return true
		})
		all.Wait()
	})
	all.Go(func() {
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			open.Store(conn, nil)
			all.Go(func() {
				defer open.Delete(conn)
				defer conn.Close()
				serve(conn)
			})
		}
	})
	return l.Addr().(*net.TCPAddr).Port
}

// HostKey makes a key for a server of a test.
func HostKey(t testing.TB) ssh.Signer {
	t.Helper()
	_, key, err := ed25519.GenerateKey(rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	signer, err := ssh.NewSignerFromKey(key)
	if err != nil {
		t.Fatal(err)
	}
	return signer
}

// SFTP is what serves files over a channel, such as a server of pkg/sftp.
type SFTP interface {
	Serve() error
	Close() error
}

// MachineFiles serves the files of this machine.
func MachineFiles(channel io.ReadWriteCloser) (SFTP, error) { return pkgsftp.NewServer(channel) }

// ServeSFTP lets a client in by the configuration and serves files to it, over as many
// channels as it asks for.
func ServeSFTP(raw net.Conn, cfg *ssh.ServerConfig, files func(io.ReadWriteCloser) (SFTP, error)) {
	conn, channels, requests, err := ssh.NewServerConn(raw, cfg)
	if err != nil {
		return
	}
	defer conn.Close()
	go ssh.DiscardRequests(requests)
	for asked := range channels {
		channel, requests, err := asked.Accept()
		if err != nil {
			return
		}
		go func() {
			for request := range requests {
				_ = request.Reply(request.Type == "subsystem", nil)
			}
		}()
		if server, err := files(channel); err == nil {
			_ = server.Serve()
			_ = server.Close()
		}
	}
}
