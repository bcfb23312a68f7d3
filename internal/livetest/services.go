package livetest

import (
	"crypto/ed25519"
	"crypto/rand"
	"io"
	"net"
	"sync"
	"testing"

	pkgsftp "github.com/pkg/sftp"
	"golang.org/x/crypto/ssh"
)

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
